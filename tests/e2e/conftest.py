"""One run of the whole pipeline, which the tests of this folder look at from all sides."""

import json
import os
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

T = TypeVar("T")


@dataclass
class Listener:
    """A StatsD server that keeps the last value of every gauge."""

    port: int
    gauges: dict[str, float] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def take(self, packet: bytes) -> None:
        for line in packet.decode().splitlines():
            name, _, rest = line.partition(":")
            self.names.add(name)
            if rest.endswith("|g"):
                self.gauges[name] = float(rest.removesuffix("|g"))


@pytest.fixture(scope="session")
def listener() -> Iterator[Listener]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        found = Listener(server.getsockname()[1])

        def listen() -> None:
            while packet := server.recv(65_536):
                found.take(packet)

        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield found
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", found.port))
        thread.join(10)


@dataclass(frozen=True)
class Stack:
    """A state folder of its own, and the command line on it."""

    state: Path
    env: dict[str, str]
    program: Path

    def rowgate(self, *arguments: object) -> "subprocess.CompletedProcess[str]":
        command = [str(self.program), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, env=self.env, check=False)

    def having(self, **more: str) -> "Stack":
        """The same stack with more in its environment."""
        return replace(self, env=self.env | more)

    def start(self, *arguments: object) -> "subprocess.Popen[str]":
        """Begin what `rowgate` does; whoever begins it ends it."""
        command = [str(self.program), *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.env)

    def began(self, task: str) -> set[Path]:
        """The files of the runs that came to this task."""
        events = (self.state / "logs").glob("run-*.events.jsonl")
        return {file for file in events if f'"task": "{task}"' in file.read_text()}

    def processes(self) -> list[psutil.Process]:
        """Who works on this stack, its Postgres apart."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                line = process.cmdline()
                if str(self.state) in " ".join(line[1:]) and not Path(line[0]).name.startswith("postgres"):
                    found.append(process)
        return found

    def reports(self) -> list[dict]:
        """The reports of its runs, oldest first."""
        files = sorted((self.lake / "quality").rglob("*.json"), key=lambda file: file.stat().st_mtime)
        return [json.loads(file.read_text()) for file in files]

    def sql(self, query: str) -> list[list[str]]:
        done = self.rowgate("psql", "-X", "-A", "-t", "-F", "\t", "-c", query)
        assert done.returncode == 0, done.stderr
        return [line.split("\t") for line in done.stdout.splitlines()]

    @property
    def lake(self) -> Path:
        return self.state / "lake"


@pytest.fixture(scope="session")
def new_stack(tmp_path_factory, project, listener) -> Iterator[Callable[[], Stack]]:
    """Make stacks whose Postgres is stopped at the end."""
    made: list[Stack] = []

    def make() -> Stack:
        state = tmp_path_factory.mktemp("state κ") / "a b"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "ROWGATE"))}
        env = kept | {
            "ROWGATE_STATE": str(state),
            "ROWGATE_PROJECT": str(project),
            "AIRFLOW__METRICS__STATSD_HOST": "127.0.0.1",
            "AIRFLOW__METRICS__STATSD_PORT": str(listener.port),
        }
        made.append(Stack(state, env, project / ".venv" / "bin" / "rowgate"))
        return made[-1]

    yield make
    for stack in made:
        stack.rowgate("stop")


@pytest.fixture(scope="session")
def until() -> Callable[[Callable[[], T]], T]:
    """Wait until something is so, and return what it gave."""

    def wait(condition: Callable[[], T], patience: float = 240) -> T:
        end = time.monotonic() + patience
        while not (found := condition()):
            assert time.monotonic() < end, f"it did not come to {condition}"
            time.sleep(0.1)
        return found

    return wait


@pytest.fixture(scope="session")
def stack(new_stack) -> Stack:
    return new_stack()


@pytest.fixture(scope="session")
def first_run(stack) -> "subprocess.CompletedProcess[str]":
    """`rowgate run users --rows 400 --seed 7`."""
    return stack.rowgate("run", "users", "--rows", 400, "--seed", 7)
