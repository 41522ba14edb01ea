"""What the StatsD exporter makes of the names that Airflow and the pipeline send."""

import runpy
from pathlib import Path

import airflow
import pytest
import yaml

SERVERS = runpy.run_path(str(Path(__file__).parents[1] / "servers" / "monitoring.py"))
REGISTRY = Path(airflow.__file__).parent / "_shared" / "observability" / "metrics" / "metrics_template.yaml"
LEFT_OUT = ("local_task_job.task_exit", "edge_worker.")  # a job's id in every series; an executor of another provider

REPORT = {
    "contract": "the_toys",
    "outcome": "passed",
    "total": 10,
    "accepted": 7,
    "rejected": 3,
    "accept_rate": 0.7,
    "finished_at": "2026-09-15T10:00:05Z",
    "rejected_by_reason": {"malformed_record": 0, "No_Name_1": 3},
    "violations_by_reason": {"malformed_record": 0, "No_Name_1": 4},
    "warnings_by_reason": {"odd_name": 2},
    "inserted": 4,
    "updated": 1,
    "unchanged": 0,
    "repeated": 2,
}


@pytest.fixture
def new(exporter, until, tmp_path):
    """Send lines to an exporter of one's own, and give what it makes of them."""

    def send(lines):
        with SERVERS["exporter"](tmp_path) as mine:
            mine.send([*lines, "airflow.scheduler_heartbeat:1|c"])  # datagrams of one machine keep their order
            until(lambda: any(each.labels["__name__"] == "airflow_scheduler_heartbeat_total" for each in mine.series()))
            return [each for each in mine.series() if each.labels["__name__"] != "airflow_scheduler_heartbeat_total"]

    return send


def named(series, name, *labels):
    return {
        tuple(each.labels.get(label, "") for label in labels): each.value
        for each in series
        if each.labels["__name__"] == name
    }


def test_every_gauge_of_a_report_has_its_series(new):
    from rowgate.adapters.metrics import gauges

    series = new(f"{name}:{value}|g" for name, value in gauges(REPORT))
    assert named(series, "airflow_dq_rows", "contract", "outcome") == {
        ("the_toys", "total"): 10,
        ("the_toys", "accepted"): 7,
        ("the_toys", "rejected"): 3,
        ("the_toys", "inserted"): 4,
        ("the_toys", "updated"): 1,
        ("the_toys", "unchanged"): 0,
        ("the_toys", "repeated"): 2,
    }
    assert named(series, "airflow_dq_accept_rate", "contract") == {("the_toys",): 0.7}
    by_reason = {("the_toys", "malformed_record"): 0, ("the_toys", "No_Name_1"): 3}
    assert named(series, "airflow_dq_rejected_by_reason", "contract", "reason") == by_reason
    by_reason = {("the_toys", "malformed_record"): 0, ("the_toys", "No_Name_1"): 4}
    assert named(series, "airflow_dq_violations_by_reason", "contract", "reason") == by_reason
    assert named(series, "airflow_dq_warnings_by_reason", "contract", "reason") == {("the_toys", "odd_name"): 2}
    assert named(series, "airflow_dq_last_run_timestamp_seconds", "contract") == {("the_toys",): 1789466405}
    assert named(series, "airflow_dq_last_good_run_timestamp_seconds", "contract") == {("the_toys",): 1789466405}
    assert len(series) == 15, "a figure became something else"


def test_a_figure_that_the_mapping_does_not_know_shows_itself(new):
    series = new(["airflow.dq.toys.a.new.figure:1|g"])
    assert named(series, "airflow_dq_unmapped", "figure") == {("toys.a.new.figure",): 1}


def test_what_airflow_sent_without_tags_has_labels_and_seconds(new, plain):
    series = new(plain)
    tasks = ("generate", "transform", "load", "dbt_run", "dbt_test")
    finished = {("users_etl", task, "success", ""): 1 for task in tasks}
    assert named(series, "airflow_ti_finish_total", "dag_id", "task_id", "state", "form") == {
        **finished,
        ("", "", "", "tagged"): 5,
    }
    took = named(series, "airflow_task_duration_seconds_sum", "dag_id", "task_id")
    assert took["users_etl", "dbt_run"] == pytest.approx(14.627658)
    counts = named(series, "airflow_task_duration_seconds_bucket", "task_id", "le")
    assert (counts["dbt_run", "10"], counts["dbt_run", "30"]) == (0, 1)


def test_what_airflow_sent_with_tags_has_the_same_labels(new, tagged):
    series = new(tagged)
    tasks = ("generate", "transform", "load", "dbt_run", "dbt_test")
    assert named(series, "airflow_ti_finish_total", "dag_id", "task_id", "state", "form") == {
        ("users_etl", task, "success", form): 1 for task in tasks for form in ("", "tagged")
    }


def test_datadogs_tags_are_labels_as_well(new):
    series = new(["airflow.ti.finish:1|c|#dag_id:users_etl,task_id:load,state:failed"])
    assert named(series, "airflow_ti_finish_total", "dag_id", "task_id", "state", "form") == {
        ("users_etl", "load", "failed", "tagged"): 1
    }


def test_every_legacy_name_of_airflow_that_has_a_dag_keeps_it_as_a_label(new):
    known = yaml.safe_load(REGISTRY.read_text(encoding="utf-8"))["metrics"]
    kinds = {"counter": "c", "gauge": "g", "timer": "ms"}
    sent = {
        each["name"]: f"airflow.{each['legacy_name'].format_map(Named())}:1|{kinds[each['type']]}"
        for each in known
        if "{dag_id}" in each["legacy_name"] and not each["name"].startswith(LEFT_OUT)
    }
    assert len(sent) > 10
    lost = {name: line for name, line in sent.items() if not any("my_dag" in s.labels.values() for s in new([line]))}
    assert lost == {}


class Named(dict):
    """Gives each variable of a name a value that tells it."""

    def __missing__(self, key: str) -> str:
        return "my_dag" if key == "dag_id" else f"my-{key}"


def test_mappings_to_one_name_have_one_help(project):
    mappings = yaml.safe_load((project / "monitoring" / "statsd_mapping.yml").read_text(encoding="utf-8"))["mappings"]
    helps: dict[str, set[object]] = {}
    for mapping in mappings:
        helps.setdefault(mapping["name"], set()).add(mapping.get("help"))
    assert {name: found for name, found in helps.items() if len(found) > 1} == {}


def test_no_mapping_stands_after_one_that_it_begins(project):
    mappings = yaml.safe_load((project / "monitoring" / "statsd_mapping.yml").read_text(encoding="utf-8"))["mappings"]
    matches = [mapping["match"] for mapping in mappings]
    hidden = [
        each for at, each in enumerate(matches) if any(earlier.startswith(f"{each}.") for earlier in matches[:at])
    ]
    assert hidden == []
