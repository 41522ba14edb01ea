"""The StatsD exporter, Prometheus and Alertmanager, started from the files in monitoring/."""

import contextlib
import http.client
import json
import os
import re
import runpy
import shutil
import socket
import subprocess
import time
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
EXPORTER = PROJECT / ".rowgate" / "bin" / "statsd_exporter"
PROGRAMS = ("prometheus", "promtool", "prometheus-alertmanager", "amtool")
_OFTEN = "1s"  # instead of every 15 seconds, so that tests need not wait


def why_no_exporter() -> str | None:
    """Why the StatsD exporter cannot be had, or None."""
    return None if EXPORTER.exists() else "the StatsD exporter is not built; install Go, then run `make servers`"


def why_no_prometheus() -> str | None:
    """Why Prometheus, Alertmanager or their tools cannot be had, or None."""
    lacking = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"{', '.join(lacking)} not found; install prometheus and prometheus-alertmanager" if lacking else None


@dataclass(frozen=True)
class Series:
    """One series at one moment: its labels, `__name__` among them, and its value."""

    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True)
class Exporter:
    """A StatsD exporter that runs. `statsd` is its UDP address, `web` that of its page."""

    statsd: tuple[str, int]
    web: str

    def send(self, lines: Iterable[str]) -> None:
        """Send StatsD lines, in datagrams of one line."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for line in lines:
                sender.sendto(line.encode(), self.statsd)

    def series(self) -> list[Series]:
        """What Airflow and the pipeline have become, as the exporter shows it."""
        text = get(self.web, "/metrics").decode()
        found = (re.fullmatch(r"(airflow_\w+)(?:\{(.*)\})? (\S+)", line) for line in text.splitlines())
        return [
            Series({"__name__": match[1], **dict(re.findall(r'(\w+)="([^"]*)"', match[2] or ""))}, float(match[3]))
            for match in found
            if match
        ]


@dataclass(frozen=True)
class Stack:
    """The three programs.

    Attributes:
        exporter: takes the StatsD lines.
        prometheus: Prometheus' address, `127.0.0.1:<port>`.
        alertmanager: Alertmanager's.
        told: what came over the webhook, by owner, oldest first: Slack's JSON.
    """

    exporter: Exporter
    prometheus: str
    alertmanager: str
    told: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def query(self, expression: str) -> list[Series]:
        """What Prometheus says of an instant query now.

        Raises:
            AssertionError: it refuses the expression; the message has its words.
        """
        path = f"/api/v1/query?{urllib.parse.urlencode({'query': expression})}"
        answer = json.loads(get(self.prometheus, path))
        assert answer["status"] == "success", f"{answer.get('error')}: {expression}"
        data = answer["data"]
        if data["resultType"] == "scalar":
            return [Series({}, float(data["result"][1]))]
        return [Series(each["metric"], float(each["value"][1])) for each in data["result"]]

    def values(self, expression: str, *labels: str) -> dict[tuple[str, ...], float]:
        """The same, as values by the labels that are named."""
        return {tuple(each.labels.get(name, "") for name in labels): each.value for each in self.query(expression)}

    def rules(self) -> list[dict[str, Any]]:
        """Every rule that Prometheus has read, as its API gives it: `name`, `query`, `type`, `health`, `alerts`."""
        groups = json.loads(get(self.prometheus, "/api/v1/rules"))["data"]["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def alerts(self) -> list[dict[str, Any]]:
        """The alerts that Alertmanager holds."""
        return list(json.loads(get(self.alertmanager, "/api/v2/alerts")))


@contextmanager
def exporter(folder: Path) -> Iterator[Exporter]:
    """Start the StatsD exporter with the project's mapping, and end it."""
    statsd, web = _free_udp_port(), _free_port()
    command = [
        EXPORTER,
        f"--statsd.listen-udp=127.0.0.1:{statsd}",
        "--statsd.listen-tcp=",
        "--statsd.event-flush-interval=20ms",
    ]
    command += [f"--web.listen-address=127.0.0.1:{web}"]
    command += [f"--statsd.mapping-config={PROJECT / 'monitoring' / 'statsd_mapping.yml'}"]
    with _running(command, f"127.0.0.1:{web}", "/metrics", folder / "statsd_exporter.log"):
        yield Exporter(("127.0.0.1", statsd), f"127.0.0.1:{web}")


@contextmanager
def stack(folder: Path, contracts: str) -> Iterator[Stack]:
    """Start all three, and end them.

    The files are those of monitoring/, but for addresses, for what waits 15 seconds and now waits one, and for:

    Args:
        folder: an empty one, for the copies, the data and the logs.
        contracts: the text of alerts/contracts.yml.
    """
    with ExitStack() as running:
        told: dict[str, list[dict[str, Any]]] = {}
        webhook = running.enter_context(runpy.run_path(str(Path(__file__).parent / "webhook.py"))["webhook"](told))
        statsd = running.enter_context(exporter(folder))
        prometheus, alertmanager = f"127.0.0.1:{_free_port()}", f"127.0.0.1:{_free_port()}"
        _copy_alertmanager(folder, webhook)
        addresses = {
            "statsd-exporter:9102": statsd.web,
            "alertmanager:9093": alertmanager,
            "localhost:9090": prometheus,
        }
        _copy_prometheus(folder, addresses, contracts)
        command = [
            "prometheus-alertmanager",
            f"--config.file={folder / 'alertmanager.yml'}",
            "--cluster.listen-address=",
        ]
        command += [f"--storage.path={folder / 'alertmanager'}", f"--web.listen-address={alertmanager}"]
        running.enter_context(_running(command, alertmanager, "/-/ready", folder / "alertmanager.log"))
        command = ["prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--web.listen-address={prometheus}"]
        command += [f"--storage.tsdb.path={folder / 'prometheus'}"]
        running.enter_context(_running(command, prometheus, "/-/ready", folder / "prometheus.log"))
        yield Stack(statsd, prometheus, alertmanager, told)


def get(address: str, path: str) -> bytes:
    """The body behind a path."""
    connection = http.client.HTTPConnection(address, timeout=30)
    with contextlib.closing(connection):
        connection.request("GET", path)
        return connection.getresponse().read()


def until(condition: Callable[[], Any], patience: float = 90) -> Any:
    """Wait until something is so, and return what it gave."""
    end = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < end, f"it did not come to {condition}"
        time.sleep(0.05)  # between two looks
    return found


def _copy_prometheus(folder: Path, addresses: Mapping[str, str], contracts: str) -> None:
    shutil.copytree(PROJECT / "monitoring" / "alerts", folder / "alerts")
    (folder / "alerts" / "contracts.yml").write_text(contracts, encoding="utf-8")
    for file in (folder / "alerts").iterdir():
        file.write_text(
            file.read_text(encoding="utf-8").replace("interval: 15s", f"interval: {_OFTEN}"), encoding="utf-8"
        )
    text = (PROJECT / "monitoring" / "prometheus.yml").read_text(encoding="utf-8")
    for named, address in addresses.items():
        assert named in text
        text = text.replace(named, address)
    (folder / "prometheus.yml").write_text(text.replace("interval: 15s", f"interval: {_OFTEN}"), encoding="utf-8")


def _copy_alertmanager(folder: Path, webhook: str) -> None:
    text = (PROJECT / "monitoring" / "alertmanager.yml").read_text(encoding="utf-8")
    owners = folder / "owners"
    owners.mkdir()
    for owner in set(re.findall(r"/etc/alertmanager/owners/([\w-]+)", text)):
        (owners / owner).write_text(f"http://{webhook}/{owner}", encoding="utf-8")
    text = text.replace("/etc/alertmanager/owners", str(owners)).replace("group_wait: 10s", "group_wait: 0s")
    (folder / "alertmanager.yml").write_text(text, encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _free_udp_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(command: list[object], address: str, path: str, log: Path) -> Iterator[None]:
    with log.open("wb") as out:
        environment = {"PATH": os.environ.get("PATH", os.defpath)}
        process = subprocess.Popen(
            list(map(str, command)), env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=log.parent
        )
        try:
            until(lambda: _answers(address, path, process, log))
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answers(address: str, path: str, process: "subprocess.Popen[bytes]", log: Path) -> bool:
    if process.poll() is not None:
        raise RuntimeError(log.read_text(encoding="utf-8", errors="replace")[-2000:])
    connection = http.client.HTTPConnection(address, timeout=5)
    with contextlib.closing(connection):
        try:
            connection.request("GET", path)
            return connection.getresponse().status == http.HTTPStatus.OK
        except OSError:
            return False
