"""The page's server: Streamlit, in the foreground, on this machine alone, and telling nobody."""

import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from rowgate.dashboard.places import KEY
from rowgate.embedded import postgres
from rowgate.embedded.processes import end_group, ended_by
from rowgate.errors import RowgateError, UnusableError
from rowgate.settings import Settings

HOST = "127.0.0.1"
"""Where it listens unless it is told otherwise, and where it is looked for if it listens everywhere."""
_EVERYWHERE = "0.0.0.0"  # noqa: S104 - told apart, not bound unless somebody asks for it
FIRST_PORT = 8501
LAST_PORT = 8599
_STEP = 0.1  # seconds between two looks at the health page
_OPTIONS = {
    "server.headless": "true",  # opens no browser, asks for no e-mail address
    "server.showEmailPrompt": "false",
    "server.fileWatcherType": "none",
    "browser.gatherUsageStats": "false",
    "browser.serverAddress": HOST,
    "runner.magicEnabled": "false",  # shows no bare text of the program on the page
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",  # a traceback can hold a value; the log has it
    # One theme alone would be the light one, whatever the reader's machine is set to.
    "theme.light.primaryColor": "#3b78b8",
    "theme.dark.primaryColor": "#6fa8dc",
    "global.developmentMode": "false",
}


def serve(
    settings: Settings,
    environ: Mapping[str, str],
    *,
    log: Path,
    port: int | None,
    progress: Callable[[str], None],
    host: str = HOST,
) -> int:
    """Show the page until Ctrl-C, and say where it is once it answers.

    The private Postgres is started where it has been before; none is made.

    Args:
        settings: what is shown.
        environ: the caller's environment.
        log: a file that takes what the server says; it is written anew.
        port: where it listens; the first free one from 8501 if left out.
        progress: told the address.
        host: the address that it listens on.

    Returns:
        0 after Ctrl-C or a request to end.

    Raises:
        UnusableError: the port is taken, the host is no address of this machine, or the log cannot be written.
        RowgateError: the server ended by itself; the sentence names its log.
    """
    port, key = _port(host, port), secrets.token_urlsafe(16)
    reached = HOST if host == _EVERYWHERE else host
    try:
        log.parent.mkdir(exist_ok=True)
        output = log.open("wb")
    except OSError as error:
        raise UnusableError(f"{log} cannot be written ({error.strerror}); give this user the folder.") from None
    if not environ.get("AIRFLOW_CONN_POSTGRES_DEFAULT"):
        _wake(settings.state / "postgres", progress)
    with ended_by(signal.SIGTERM, signal.SIGHUP), output:
        child = subprocess.Popen(
            _command(host, reached, port),
            env=_environment(settings, environ) | {KEY: key},
            cwd=settings.project,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            while child.poll() is None and not _healthy(reached, port):
                time.sleep(_STEP)
            if child.poll() is None:
                progress(f"the dashboard is at http://{reached}:{port}/?key={key} (Ctrl-C ends it)")
            child.wait()
        except KeyboardInterrupt:
            return 0
        finally:
            end_group(child, patience=5.0)
    raise RowgateError(f"The dashboard ended by itself with status {child.returncode}: {log} says why.")


def _command(host: str, reached: str, port: int) -> list[str]:
    place = {"server.address": host, "browser.serverAddress": reached, "server.port": str(port)}
    options = [f"--{name}={value}" for name, value in {**_OPTIONS, **place}.items()]
    return [sys.executable, "-m", "streamlit", "run", str(Path(__file__).with_name("app.py")), *options]


def _environment(settings: Settings, environ: Mapping[str, str]) -> dict[str, str]:
    return {
        **environ,
        "ROWGATE_PROJECT": str(settings.project),
        "ROWGATE_STATE": str(settings.state),
        "ROWGATE_LAKE": settings.lake,
    }


def _wake(folder: Path, progress: Callable[[str], None]) -> None:
    """Start the Postgres that was here before. Where that fails the page says that it does not run."""
    if not (folder / "server.json").exists() or postgres.running(folder) is not None:
        return
    progress("starting the private Postgres")
    try:
        postgres.start(folder, progress=progress)
    except RowgateError as error:
        progress(str(error))


def _healthy(host: str, port: int) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://{host}:{port}/_stcore/health", timeout=5) as answer:
            return bool(answer.status == 200)  # noqa: PLR2004 - HTTP's OK
    except OSError:
        return False


def _port(host: str, wanted: int | None) -> int:
    if not host or not _free(host, 0):  # an empty one would be every address
        raise UnusableError(f"This machine has no address {host or repr(host)} to listen on; leave --host out.")
    if wanted is not None:
        if not _free(host, wanted):
            raise UnusableError(f"Port {wanted} is taken; name another with --port, or leave it out.")
        return wanted
    free = next((port for port in range(FIRST_PORT, LAST_PORT + 1) if _free(host, port)), None)
    if free is None:
        raise UnusableError(f"No port from {FIRST_PORT} to {LAST_PORT} is free; name one with --port.")
    return free


def _free(host: str, port: int) -> bool:
    """Whether it can listen there; the port 0 asks of the host alone."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
