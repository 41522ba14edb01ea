"""What each panel asks of Prometheus is answered with the number that the report holds."""

import json
import runpy
import time
import urllib.parse
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from rowgate.adapters.metrics import StatsdAddress, gauges, send

BOARDS = Path(__file__).resolve().parents[2] / "monitoring" / "grafana" / "dashboards"
SERVERS = runpy.run_path(str(Path(__file__).resolve().parents[1] / "servers" / "monitoring.py"))
LATER = [
    "airflow.dag_processor_heartbeat:1|c",
    "airflow.triggerer_heartbeat:1|c",
    "airflow.dag_processing.import_errors:2|g",
    "airflow.dag.toy_items_etl.load.scheduled_duration:3000|ms",
    "airflow.dag.toy_items_etl.load.queued_duration:400|ms",
]
"""What a scheduler sends that `seen` has not sent."""
WARNED = {"late": 3}


@dataclass(frozen=True)
class Panels:
    """The panels before a Prometheus that has seen the runs."""

    seen: Any
    every: Any

    def expressions(self, name: str, contract: str) -> dict[tuple[str, str], str]:
        """The expressions of a dashboard by panel and query."""
        board = json.loads((BOARDS / f"{name}.json").read_text(encoding="utf-8"))
        places = [(panel["title"], each["refId"]) for panel in board["panels"] for each in panel.get("targets", ())]
        asked = self.every(board, {"contract": contract, "__interval": "1h"})
        assert [title for title, _ in asked] == [title for title, _ in places]
        return dict(zip(places, (expression for _, expression in asked), strict=True))

    def ask(self, name: str, place: tuple[str, str], *labels: str, contract: str = "toy_items") -> dict[Any, float]:
        """A panel's values by the labels named; by one label, that alone."""
        found = self.seen.stack.values(self.expressions(name, contract)[place], *labels)
        return {key[0] if len(labels) == 1 else key: value for key, value in found.items()}

    def quality(self, title: str, ref: str, *labels: str, contract: str = "toy_items") -> dict[Any, float]:
        """The same of *Data quality*."""
        return self.ask("data-quality", (title, ref), *labels, contract=contract)

    def pipeline(self, title: str, ref: str, *labels: str, contract: str = "toy_items") -> dict[Any, float]:
        """The same of *Pipeline*."""
        return self.ask("pipeline", (title, ref), *labels, contract=contract)


@pytest.fixture(scope="module")
def panels(seen, every_expression, until, tagged):
    """The panels, after more that Airflow sends, a run of `toy_tags` told with tags, and a rule that only warns."""
    last = replace(seen.reports["toy_items"][-1], warnings_by_reason=WARNED)
    warned = [figure for figure in gauges(last.to_dict()) if ".warnings_by_reason." in figure[0]]
    send(StatsdAddress(*seen.stack.exporter.statsd), warned)
    seen.stack.exporter.send([*(line.replace("users_etl", "toy_tags_etl") for line in tagged), *LATER])
    newest = "count_over_time(airflow_triggerer_heartbeat_total[1h]) > 1"  # what was sent last, scraped twice
    until(lambda: seen.stack.query(newest))
    return Panels(seen, every_expression)


@pytest.fixture(scope="module")
def last(seen):
    """The last report of `toy_items`: a rule that broke before breaks no more."""
    return seen.reports["toy_items"][-1]


def test_every_panel_of_data_quality_has_an_answer(panels):
    with_floor = {("Accept rate over time", "C")}  # toy_items sets none
    found = {place for place, asked in panels.expressions("data-quality", "toy_items").items() if _empty(panels, asked)}
    assert found == with_floor


def test_every_panel_of_pipeline_has_an_answer(panels):
    found = {place for place, asked in panels.expressions("pipeline", "toy_items").items() if _empty(panels, asked)}
    assert found == set()


def _empty(panels, expression):
    return not panels.seen.stack.query(expression)


@pytest.mark.parametrize(("title", "ref"), [("Accept rate", "A"), ("Accept rate over time", "A")])
def test_the_accept_rate_is_the_reports(panels, last, title, ref):
    assert panels.quality(title, ref, "contract") == {"toy_items": pytest.approx(last.accept_rate)}


@pytest.mark.parametrize("title", ["Rows of the last run", "Accepted and rejected rows"])
def test_accepted_and_rejected_are_the_reports(panels, last, title):
    found = [panels.quality(title, ref, "contract")["toy_items"] for ref in "AB"]
    assert found == [last.accepted, last.rejected]


def test_the_median_is_of_the_runs(panels, seen):
    rates = sorted(report.accept_rate for report in seen.reports["toy_items"])
    found = panels.quality("Accept rate over time", "B", "contract")
    assert found == {"toy_items": pytest.approx(rates[len(rates) // 2])}


def test_the_floor_is_the_contracts(panels):
    found = panels.quality("Accept rate over time", "C", "contract", contract="toy_orders")
    assert found == {"toy_orders": pytest.approx(0.9)}


@pytest.mark.parametrize(
    ("ref", "figure"),
    [("B", "accept_rate"), ("C", "accepted"), ("D", "rejected")],
    ids=["rate", "accepted", "rejected"],
)
def test_the_table_of_every_contract_has_each_ones_last_report(panels, seen, ref, figure):
    found = panels.quality("Every contract", ref, "contract")
    assert found == {name: pytest.approx(getattr(reports[-1], figure)) for name, reports in seen.reports.items()}


def test_the_table_of_every_contract_names_the_owners(panels):
    found = panels.quality("Every contract", "A", "contract", "owner")
    assert set(found) == {("toy_items", "data-platform"), ("toy_orders", "till-team")}


@pytest.mark.parametrize(("title", "ref"), [("Every contract", "E"), ("Since the last good run", "A")])
def test_the_age_is_counted_from_the_end_of_the_last_good_run(panels, last, title, ref):
    asked = panels.expressions("data-quality", "toy_items")[title, ref]
    found = panels.seen.stack.values(f"time() - ({asked})", "contract")  # the same moment, whenever it is
    assert found == {("toy_items",): pytest.approx(_ended(last), abs=0.01)}


@pytest.mark.parametrize(("title", "ref"), [("Every contract", "F"), ("Freshness: share of the promise used", "A")])
def test_the_share_of_the_promise_is_of_the_hour_that_the_contract_promises(panels, last, title, ref):
    asked = panels.expressions("data-quality", "toy_items")[title, ref]
    found = panels.seen.stack.values(f"time() - 3600 * ({asked})", "contract")
    assert found == {("toy_items",): pytest.approx(_ended(last), abs=0.01)}


def _ended(report):
    return datetime.fromisoformat(report.finished_at).timestamp()


def test_a_contract_whose_only_run_stopped_has_no_age(panels):
    assert panels.quality("Since the last good run", "A", "contract", contract="toy_orders") == {}


@pytest.mark.parametrize(
    ("title", "ref"), [("Rejections by reason", "A"), ("Reasons", "A"), ("First reason, and every reason", "A")]
)
def test_rejections_by_reason_are_the_reports_and_a_rule_that_breaks_no_more_is_at_0(panels, last, title, ref):
    found = panels.quality(title, ref, "reason")
    assert (found, found["bad_count"]) == (last.rejected_by_reason, 0)


@pytest.mark.parametrize(("title", "ref"), [("Reasons", "D"), ("First reason, and every reason", "B")])
def test_violations_are_the_reports(panels, seen, title, ref):
    for contract, reports in seen.reports.items():
        assert panels.quality(title, ref, "reason", contract=contract) == reports[-1].violations_by_reason


def test_the_share_of_a_reason_is_of_all_rows(panels, last):
    shares = {reason: pytest.approx(rows / last.total) for reason, rows in last.rejected_by_reason.items()}
    assert panels.quality("Reasons", "B", "reason") == shares


def test_the_change_of_a_reason_is_against_the_run_before(panels, seen):
    before, last = seen.reports["toy_items"][-2:]
    change = {
        reason: pytest.approx(rows / last.total - before.rejected_by_reason[reason] / before.total)
        for reason, rows in last.rejected_by_reason.items()
    }
    assert panels.quality("Reasons", "C", "reason") == change


def test_the_change_in_a_run_that_is_not_good_is_against_the_last_good_one(panels, last):
    asked = panels.expressions("data-quality", "toy_items")["Reasons", "C"]
    ended = 'max by (contract) (airflow_dq_last_run_timestamp_seconds{contract="toy_items"})'
    assert ended in asked
    found = panels.seen.stack.values(
        asked.replace(ended, f"({ended} + 60)"), "reason"
    )  # the same figures a minute later
    assert found == {(reason,): pytest.approx(0) for reason in last.rejected_by_reason}


def test_the_first_run_has_no_change(panels):
    assert panels.quality("Reasons", "C", "reason", contract="toy_orders") == {}


def test_warnings_are_the_reports(panels):
    assert panels.quality("Warnings", "A", "reason") == WARNED


def test_the_alerts_are_those_of_the_chosen_contract(panels, until):
    def found():
        return panels.quality("Alerts that fire", "A", "alertname", contract="toy_orders")

    until(found)
    assert set(found()) <= {"AcceptRateUnderFloor", "RunFailed", "NoGoodRun"}


def test_failed_tasks_are_counted_from_the_first(panels):
    assert list(panels.pipeline("Failed tasks", "A").values()) == [1]


@pytest.mark.parametrize(("contract", "runs"), [("toy_items", {"success": 3}), ("toy_orders", {"failed": 1})])
def test_runs_are_counted_by_state_from_the_first(panels, contract, runs):
    assert panels.pipeline("Runs by state", "A", "state", contract=contract) == runs


@pytest.mark.parametrize(("contract", "tasks"), [("toy_items", {"success": 15}), ("toy_orders", {"failed": 1})])
def test_tasks_are_counted_by_state_from_the_first(panels, contract, tasks):
    assert panels.pipeline("Tasks by state", "A", "state", contract=contract) == tasks


def test_a_task_that_is_told_under_both_of_airflows_names_counts_once(panels):
    forms = panels.seen.stack.values('airflow_ti_finish_total{dag_id="toy_tags_etl"}', "form")
    found = panels.pipeline("Tasks by state", "A", "state", contract="toy_tags")
    assert (set(forms), found) == ({("",), ("tagged",)}, {"success": 5})


STAGES = {"dbt_run": 14.627658, "dbt_test": 9.441411, "generate": 11.237349, "load": 0.416243, "transform": 0.490936}
"""Seconds that each stage took, every time: airflow.statsd."""


def test_a_stage_has_run_once_a_run(panels):
    assert panels.pipeline("Task durations by stage", "A", "task_id") == dict.fromkeys(STAGES, 3)


def test_the_average_of_a_stage_is_what_it_took(panels):
    expected = {stage: pytest.approx(seconds) for stage, seconds in STAGES.items()}
    assert panels.pipeline("Task durations by stage", "B", "task_id") == expected


@pytest.mark.parametrize(
    ("title", "ref"),
    [("Task durations by stage", "C"), ("Task durations by stage", "D"), ("95 % of the tasks took at most", "A")],
)
def test_a_quantile_of_a_stage_lies_in_the_bucket_of_what_it_took(panels, title, ref):
    buckets = {
        "dbt_run": (10, 30),
        "dbt_test": (5, 10),
        "generate": (10, 30),
        "load": (0.1, 0.5),
        "transform": (0.1, 0.5),
    }
    found = panels.pipeline(title, ref, "task_id")
    assert [stage for stage, (low, high) in buckets.items() if not low < found[stage] <= high] == []


def test_the_load_is_the_reports(panels, last):
    load = last.to_dict()
    expected = {("toy_items", figure): load[figure] for figure in ("inserted", "updated", "unchanged", "repeated")}
    assert panels.pipeline("Load: inserted against unchanged", "A", "contract", "outcome") == expected


def test_all_contracts_together_have_the_loads_of_each(panels):
    found = panels.pipeline("Load: inserted against unchanged", "A", "contract", "outcome", contract=".+")
    assert {contract for contract, _ in found} == {"toy_items"}  # toy_orders was never loaded


@pytest.mark.parametrize(
    ("title", "ref", "value"),
    [
        ("DAG files that cannot be read", "A", 2),
        ("The executor's tasks", "A", 0),
        ("The executor's tasks", "B", 0),
        ("The executor's tasks", "C", 4),
    ],
)
def test_a_gauge_of_airflow_is_what_it_sent(panels, title, ref, value):
    assert list(panels.pipeline(title, ref).values()) == [value]


def test_the_slots_of_the_pools_are_what_airflow_sent(panels):
    assert panels.pipeline("Slots of the pools", "A", "state") == {"open": 128, "running": 0, "queued": 0}


def test_every_source_of_figures_is_up(panels):
    found = panels.pipeline("Sources of figures", "A", "job")
    assert found == {"statsd-exporter": 1, "prometheus": 1, "alertmanager": 1}


@pytest.mark.parametrize(("ref", "low", "high"), [("A", 2.5, 5), ("B", 0.1, 0.5)], ids=["scheduler", "worker"])
def test_what_a_task_waited_lies_in_its_bucket(panels, ref, low, high):
    [found] = panels.pipeline("95 % of the tasks waited at most", ref).values()
    assert low < found <= high


@pytest.mark.parametrize("name", ["data-quality", "pipeline"])
def test_what_is_drawn_over_time_is_answered_over_time(panels, name):
    """What Grafana asks for a graph is a range query, with a step as wide as a bar."""
    board = json.loads((BOARDS / f"{name}.json").read_text(encoding="utf-8"))
    drawn = {panel["title"] for panel in board["panels"] if panel["type"] == "timeseries"}
    asked = {place: text for place, text in panels.expressions(name, ".+").items() if place[0] in drawn}
    end = time.time()
    for expression in asked.values():
        values = {"query": expression, "start": end - 3600, "end": end, "step": 60}
        path = f"/api/v1/query_range?{urllib.parse.urlencode(values)}"
        answer = json.loads(SERVERS["get"](panels.seen.stack.prometheus, path))
        assert answer["status"] == "success", answer.get("error")
    assert len(asked) > 5


def test_a_beating_scheduler_has_heartbeats(panels):
    [found] = panels.pipeline("Heartbeats a minute", "A").values()
    assert found > 0
