"""A standalone Spark cluster for tests: a master and two workers, as little of this machine's as one machine allows."""

import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psutil

SPARK_HOME = Path(find_spec("pyspark").origin).parent
NO_PYTHON = "/nonexistent/python"


@dataclass(frozen=True)
class Cluster:
    """A cluster that runs.

    Attributes:
        master: its address, `spark://127.0.0.1:<port>`.
        folders: where each worker keeps what its executors are sent and what they log.
    """

    master: str
    folders: tuple[Path, ...]

    def executors(self) -> list[psutil.Process]:
        """The executors that run on its workers now."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if "java" in process.name() and set(Path(process.cwd()).parents) & set(self.folders):
                    found.append(process)
        return found


@contextmanager
def cluster(folder: Path, java_home: Path) -> Iterator[Cluster]:
    """Start a master and two workers of one core, each with a folder and an address of its own, and end them.

    Neither they nor their executors see this environment, and what they take for Python does not exist.
    """
    environment = {
        "PATH": os.defpath,
        "JAVA_HOME": str(java_home),
        "SPARK_HOME": str(SPARK_HOME),
        "PYSPARK_PYTHON": NO_PYTHON,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_NO_DAEMONIZE": "1",
    }
    with ExitStack() as stack:
        log = folder / "master.log"
        arguments = ["master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        process = _start(stack, arguments, environment | {"SPARK_LOCAL_IP": "127.0.0.1"}, log)
        master = _found(r"Starting Spark master at (spark://\S+)", log, process)
        folders = []
        for number, host in enumerate(_hosts()):
            folders.append(folder / f"worker-{number}")
            folders[-1].mkdir()
            log = folder / f"worker-{number}.log"
            arguments = ["worker.Worker", "--host", host, "--port", "0", "--webui-port", "0", "--cores", "1"]
            arguments += ["--memory", "1g", "--work-dir", str(folders[-1]), master]
            process = _start(stack, arguments, environment | {"SPARK_LOCAL_IP": host}, log)
            _found(r"(Successfully registered) with master", log, process)
        yield Cluster(master, tuple(folders))


def _hosts() -> tuple[str, str]:
    """Two addresses of this machine; Spark runs a task's second copy on another host only."""
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.2", 0))
        except OSError:
            return "127.0.0.1", "127.0.0.1"
    return "127.0.0.1", "127.0.0.2"


def _start(stack: ExitStack, arguments: list[str], environment: dict[str, str], log: Path) -> "subprocess.Popen[bytes]":
    name, *rest = arguments
    command = [str(SPARK_HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *rest]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env=environment, cwd=log.parent, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
    stack.callback(_end, process)
    return process


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _found(pattern: str, log: Path, process: "subprocess.Popen[bytes]") -> str:
    deadline = time.monotonic() + 90
    while not (found := re.search(pattern, log.read_text(encoding="utf-8", errors="replace"))):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(
                log.read_text(encoding="utf-8", errors="replace")[-2000:] or "Spark's cluster did not start"
            )
        time.sleep(0.05)  # between two looks at a condition
    return found[1]
