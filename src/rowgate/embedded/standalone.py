"""Airflow with its web page, in the foreground, on the embedded defaults."""

import json
import secrets
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from rowgate.embedded.environment import BIN, prepare, write_private
from rowgate.embedded.processes import end_group, ended_by
from rowgate.errors import RowgateError, UnusableError

FIRST_PORT = 8080
LAST_PORT = 8179
STEP = 0.5  # seconds between two looks at the health page


def standalone(project: Path, environ: Mapping[str, str], progress: Callable[[str], None]) -> int:
    """Run `airflow standalone` until Ctrl-C, and say where its page is once it answers.

    Args:
        project: The folder that holds `dags/`.
        environ: The caller's environment; `AIRFLOW__API__PORT` chooses the port, else the first free one from 8080.
        progress: Told the address and where the password is.

    Returns:
        0 after Ctrl-C or a request to end.

    Raises:
        UnusableError: The port is not a number or is taken.
        RowgateError: Airflow ended by itself; the sentence names its log.
    """
    port = _port(environ)
    made = prepare(project, {**environ, "AIRFLOW__API__PORT": str(port)}, progress)
    made.setdefault("AIRFLOW__API__BASE_URL", f"http://localhost:{port}")
    passwords = _passwords(made)
    log = Path(made["ROWGATE_STATE"]) / "logs" / "airflow-standalone.log"
    progress(f"starting Airflow, which takes a moment; its log is {log}")
    with ended_by(signal.SIGTERM, signal.SIGHUP), log.open("wb") as output:
        # Ctrl-C goes to this process alone, which then ends the whole group: Airflow by itself leaves some behind.
        command: list[str | Path] = [BIN / "airflow", "standalone"]
        child = subprocess.Popen(
            command, env=made, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        try:
            _announce(child, port, made["AIRFLOW__API__BASE_URL"], passwords, progress)
            child.wait()
        except KeyboardInterrupt:
            progress("stopping Airflow")
            return 0
        finally:
            end_group(child)
    raise RowgateError(f"Airflow ended by itself with status {child.returncode}: {log} says why.")


def healthy(port: int) -> bool:
    """Whether Airflow's page answers on this port and its scheduler and DAG processor are at work."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/api/v2/monitor/health", timeout=5) as answer:
            parts = json.load(answer)
    except (OSError, ValueError):
        return False
    return all(parts[name]["status"] == "healthy" for name in ("metadatabase", "scheduler", "dag_processor"))


def _announce(
    child: subprocess.Popen[bytes], port: int, url: str, passwords: Path | None, progress: Callable[[str], None]
) -> None:
    while child.poll() is None and not healthy(port):
        time.sleep(STEP)
    if child.poll() is None:
        entry = f"user admin, password in {passwords}" if passwords else "users as you have set them"
        progress(f"Airflow is at {url} ({entry}); Ctrl-C ends it")


def _port(environ: Mapping[str, str]) -> int:
    wanted = environ.get("AIRFLOW__API__PORT")
    if wanted is None:
        free = next((port for port in range(FIRST_PORT, LAST_PORT + 1) if _free(port)), None)
        if free is None:
            raise UnusableError(f"No port from {FIRST_PORT} to {LAST_PORT} is free: name one in AIRFLOW__API__PORT.")
        return free
    if not wanted.isdecimal():
        raise UnusableError("AIRFLOW__API__PORT is not a number: set it to a free port, or leave it out.")
    if not _free(int(wanted)):
        raise UnusableError(f"Port {wanted}, named in AIRFLOW__API__PORT, is taken: name another, or leave it out.")
    return int(wanted)


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError):
            return False
    return True


def _passwords(environ: Mapping[str, str]) -> Path | None:
    """The file with the password of the user admin, or None where the caller has set users of their own."""
    ours = ("AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS", "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE")
    if any(name in environ for name in ours):
        return None
    # Airflow's default name (airflow.cfg, simple_auth_manager_passwords_file).
    file = Path(environ["AIRFLOW_HOME"]) / "simple_auth_manager_passwords.json.generated"
    if not file.exists():
        # Made here, as Airflow would print the one that it makes.
        write_private(file, json.dumps({"admin": secrets.token_urlsafe(12)}))
    return file
