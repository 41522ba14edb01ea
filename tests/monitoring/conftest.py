"""What the tests of the monitoring share: the real programs, and a pipeline that ran before their eyes.

`exporter` is the StatsD exporter alone. `seen` is all three programs after four runs of two toy contracts and what
Airflow sends about them; `seen.stack.query(expression)` asks Prometheus, and `seen.reports[contract]` holds the reports
to compare with, oldest first. `every_expression(dashboard, variables)` lists what a Grafana dashboard asks.
"""

import re
import runpy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.adapters.metrics import StatsdAddress, gauges, send
from rowgate.adapters.warehouse import Connection, connect
from rowgate.contract.checks import Between, Matches
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey, Policy, ServiceLevels
from rowgate.contract.types import Integer, Text
from rowgate.stages.report import Report

_HERE = Path(__file__).parent
missing = runpy.run_path(str(_HERE.parent / "conftest.py"))["missing"]
SERVERS = runpy.run_path(str(_HERE.parent / "servers" / "monitoring.py"))

# What each run's file holds: code, count. A good code is of capitals, a good count is at most 100.
_FILES = {
    "toy_items": (
        "A,1 B,1 C,1 D,1 E,1 F,1 G,1 H,1 I,1 J,500",
        "A,1 B,1 C,1 D,1 E,1 F,1 G,1 H,1 K,1 bad,500",
        "A,1 B,2 C,1 D,1 K,1 L,1 bad,1 bad,1 bad,1 bad,1",
    ),
    "toy_orders": ("A,1 B,1 C,60 bad,1",),
}
"""`toy_items`: from the third run on, nothing breaks `bad_count`.
`toy_orders`: over its limit, so that it stops; a count over 50 is warned about."""
_BIG = FieldRule("count", Between(0, 50), "big_count", policy=Policy.WARN)


@dataclass(frozen=True)
class Seen:
    """The programs after the runs.

    Attributes:
        stack: a `Stack` of tests/servers/monitoring.py: `query`, `values`, `rules`, `alerts`, `told`.
        reports: by contract, `toy_items` (three runs that passed and were loaded) and `toy_orders` (one that stopped).
    """

    stack: Any
    reports: Mapping[str, list[Report]]


@pytest.fixture(scope="session")
def until() -> Callable[[Callable[[], Any]], Any]:
    """Wait until something is so, and return what it gave."""
    return SERVERS["until"]


@pytest.fixture(scope="session")
def exporter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The StatsD exporter with the project's mapping: an `Exporter` of tests/servers/monitoring.py."""
    if why := SERVERS["why_no_exporter"]():
        missing("monitoring", why)
    with SERVERS["exporter"](tmp_path_factory.mktemp("exporter")) as running:
        yield running


@pytest.fixture(scope="session")
def tagged() -> list[str]:
    """What Airflow sent about one run of users_etl, with tags in InfluxDB's form."""
    return recorded()


@pytest.fixture(scope="session")
def plain() -> list[str]:
    """The same without tags, as it is by default."""
    return [untagged(line) for line in recorded()]


@pytest.fixture(scope="session")
def tools() -> None:
    """The tools that check the files of Prometheus and Alertmanager are there."""
    if why := SERVERS["why_no_prometheus"]():
        missing("monitoring", why)


@pytest.fixture(scope="session")
def seen(tmp_path_factory: pytest.TempPathFactory, warehouse_server: Any) -> Iterator[Seen]:
    """Exporter, Prometheus and Alertmanager, and the runs whose figures they have."""
    from rowgate.targets import prometheus

    if why := SERVERS["why_no_exporter"]() or SERVERS["why_no_prometheus"]():
        missing("monitoring", why)
    contracts = {
        "toy_items": _contract("toy_items", "data-platform"),
        "toy_orders": _contract("toy_orders", "till-team", _BIG, max_reject_rate=0.1),
    }
    folder = tmp_path_factory.mktemp("stack")
    with SERVERS["stack"](folder, prometheus.render(list(contracts.values()))) as stack:
        reports: dict[str, list[Report]] = {name: [] for name in contracts}
        for name, files in _FILES.items():
            for number, text in enumerate(files, start=1):
                report = _run(contracts[name], number, text, folder, warehouse_server)
                reports[name].append(report)
                send(StatsdAddress(*stack.exporter.statsd), gauges(report.to_dict()))
                stack.exporter.send(airflow_lines(name, report, number))
                _wait(stack, report, number)
        yield Seen(stack, reports)


def airflow_lines(contract: str, report: Report, number: int) -> list[str]:
    """What Airflow sends of a run, as recorded in airflow.statsd, for a contract's DAG; the scheduler's share too."""
    state = "success" if report.outcome == "passed" else "failed"
    lines = [line.replace("users_etl", f"{contract}_etl") for line in recorded()]
    if state == "failed":
        lines = [line.replace("success", "failed") for line in lines if "transform" in line]
    return [
        *map(untagged, lines),
        f"airflow.dagrun.duration.{state}.{contract}_etl:{1000 * number}|ms",
        f"airflow.dagrun.duration.{state}:{1000 * number}|ms",
        "airflow.scheduler_heartbeat:1|c",
        "airflow.pool.open_slots.default_pool:128|g",
        "airflow.pool.open_slots:128|g",
        "airflow.pool.running_slots.default_pool:0|g",
        "airflow.pool.running_slots:0|g",
        "airflow.pool.queued_slots.default_pool:0|g",
        "airflow.pool.queued_slots:0|g",
        "airflow.executor.open_slots:4|g",
        "airflow.executor.queued_tasks:0|g",
        "airflow.executor.running_tasks:0|g",
    ]


def recorded() -> list[str]:
    """The lines of airflow.statsd, with their tags."""
    text = (_HERE / "airflow.statsd").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def untagged(line: str) -> str:
    """The line as Airflow sends it with tags switched off, as they are by default."""
    return re.sub(",[^:]*:", ":", line)


@pytest.fixture(scope="session")
def every_expression() -> Callable[[Mapping[str, Any], Mapping[str, str]], list[tuple[str, str]]]:
    """The PromQL of a Grafana dashboard: each panel's title and expression, those in rows too.

    Variables are replaced by the values given (`{"contract": "toy_items"}`), and Grafana's own by what suits a test:
    `$__range` and `$__rate_interval` one hour, `$__interval` one minute.
    """

    def of_dashboard(dashboard: Mapping[str, Any], variables: Mapping[str, str]) -> list[tuple[str, str]]:
        own = {"__range": "1h", "__rate_interval": "1h", "__interval": "1m", "__range_s": "3600"}
        panels = [each for panel in dashboard["panels"] for each in (panel, *panel.get("panels", ()))]
        return [
            (panel.get("title", ""), _filled(target["expr"], {**own, **variables}))
            for panel in panels
            for target in panel.get("targets", ())
        ]

    return of_dashboard


def _filled(expression: str, variables: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        assert name in variables, f"the test gives no value to ${name}: {expression}"
        return variables[name]

    return re.sub(r"\$(?:\{(\w+)(?::\w+)?\}|(\w+))", value, expression)


def _contract(name: str, owner: str, *rules: FieldRule, **more: Any) -> Contract:
    return Contract(
        name,
        "1.0.0",
        owner,
        (Column("code", Text(), required=True), Column("count", Integer(32), required=True)),
        (FieldRule("code", Matches("[A-Z]+"), "bad_code"), FieldRule("count", Between(0, 100), "bad_count"), *rules),
        key=NaturalKey(("code",)),
        service_levels=ServiceLevels(freshness=timedelta(hours=1)),
        on_conflict="update",
        **more,
    )


def _run(contract: Contract, number: int, text: str, folder: Path, server: Any) -> Report:
    """The stages in this process, with DuckDB; what passes is loaded into a database of its own."""
    from rowgate.stages.ingest import ingest, open_source
    from rowgate.stages.judge_duckdb import transform_duckdb
    from rowgate.stages.load import load
    from rowgate.stages.run import Run

    lake = open_lake(f"file://{folder / 'lake'}")
    source = folder / f"{contract.name}-{number}.csv"
    source.write_text("code,count\n" + text.replace(" ", "\n") + "\n", encoding="utf-8")
    run = Run(contract.name, f"run-{number}", datetime.now(UTC))
    ingest(contract, run, open_source(str(source)), lake)
    report = transform_duckdb(
        contract, run, lake, now=datetime.now(UTC), source=source.name, clock=lambda: datetime.now(UTC)
    )
    if report.outcome == "stopped":
        return report
    with connect(Connection(server.host, server.port, server.user, server.password, "monitoring")) as connection:
        return report.loaded(load(contract, run, lake, connection, now=datetime.now(UTC)), datetime.now(UTC))


def _wait(stack: Any, report: Report, number: int) -> None:
    """Until Prometheus has the run, and its rules have seen it."""
    ended = datetime.fromisoformat(report.finished_at).timestamp()
    found = "airflow_dq_last_run_timestamp_seconds"
    until = SERVERS["until"]
    until(lambda: stack.values(found, "contract").get((report.contract,), 0) == pytest.approx(ended, abs=1e-3))
    if report.outcome == "passed":
        shelf = f'contract:airflow_dq_accept_rate:past{{contract="{report.contract}"}}'
        until(lambda: len(stack.query(shelf)) == number)
    else:
        until(lambda: stack.query(f'airflow_ti_finish_total{{dag_id="{report.contract}_etl", state="failed"}}'))
