"""The dashboard *Pipeline*: whether the machinery runs, how long its stages take, and what waits."""

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import common as options
from grafana_foundation_sdk.models import dashboard as model
from panels import (
    BAD,
    BLUE,
    GOOD,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    WARNING,
    Panel,
    bars,
    board,
    column,
    contract_variable,
    lines,
    now,
    number,
    query,
    rows,
    source_variable,
    steps,
)
from promql import grew

UID = "rowgate-pipeline"

_DAGS = 'dag_id=~"(${contract})_etl"'
_NO_SCHEDULER = "No scheduler tells of itself; rowgate run has none"
_STATES = {
    "success": BLUE,
    "failed": VERMILION,
    "up_for_retry": ORANGE,
    "upstream_failed": PURPLE,
    "skipped": GREY,
    "running": SKY,
}


def build() -> dashboard.Dashboard:
    """The dashboard, without the panels' ids."""
    made = board(
        "Pipeline",
        UID,
        "Whether runs and tasks end well, how long each stage takes, and whether anything waits.",
        [source_variable(), contract_variable(several=True)],
    )
    for panel in (_heartbeat(), _failed(), _import_errors(), _targets()):
        made = made.with_panel(panel)
    made = made.with_row(dashboard.Row("Runs"))
    for panel in (_runs_by_state(), _tasks_by_state(), _stages(), _stages_over_time(), _load()):
        made = made.with_panel(panel)
    made = made.with_row(dashboard.Row("Scheduler and queue"))
    for panel in (_heartbeats(), _queue(), _slots(), _waiting()):
        made = made.with_panel(panel)
    return made


def _heartbeat() -> Panel:
    panel = number(
        "Heartbeats of the scheduler a minute",
        "In the last two minutes. At 0 nothing that waits will start, and an alert fires.",
        unit="short",
    )
    panel = panel.with_target(query("A", "sum(rate(airflow_scheduler_heartbeat_total[2m])) * 60", "heartbeats"))
    return panel.thresholds(steps((1, GOOD), base=BAD)).decimals(0).min(0).no_value(_NO_SCHEDULER)


def _failed() -> Panel:
    panel = number("Failed tasks", "Tasks that failed for good in the time range, of any DAG.", unit="short")
    ended = grew('airflow_ti_finish_total{state="failed", dag_id!=""}', "$__range")
    panel = panel.with_target(now("A", f"sum(max by (dag_id, task_id) ({ended}))", "failed"))
    return panel.thresholds(steps((1, BAD), base=GOOD)).decimals(0).no_value("No task has failed")


def _import_errors() -> Panel:
    panel = number(
        "DAG files that cannot be read", "As the DAG processor found them last. Their DAGs do not run.", unit="short"
    )
    panel = panel.with_target(query("A", "max(airflow_dag_processing_import_errors)", "files"))
    return panel.thresholds(steps((1, BAD), base=GOOD)).decimals(0).no_value(_NO_SCHEDULER)


def _targets() -> Panel:
    panel = number(
        "Sources of figures",
        "What Prometheus asks for figures, by job, and whether it answers. Where one is down, other panels may be "
        "wrong.",
        unit="short",
    )
    panel = panel.with_target(query("A", "min by (job) (up)", "{{job}}")).thresholds(steps((1, GOOD), base=BAD))
    words = {str(value): model.ValueMappingResult(text=word) for value, word in enumerate(("down", "up"))}
    panel = panel.mappings([model.ValueMap(options=words)])
    return panel.text_mode(options.BigValueTextMode.VALUE_AND_NAME).no_value("Prometheus asks nothing for figures")


def _by_state(panel: Panel) -> Panel:
    for state, colour in _STATES.items():
        panel = panel.override_by_name(state, column(color=colour))
    return panel


def _runs_by_state() -> Panel:
    panel = bars(
        "Runs by state",
        "Runs that ended in each step of time. A scheduler tells of them; rowgate run of its tasks alone.",
    )
    ended = grew(f"airflow_dagrun_duration_seconds_count{{{_DAGS}}}", "$__interval")
    panel = panel.with_target(query("A", f"sum by (state) (max by (dag_id, state) ({ended}))", "{{state}}")).decimals(0)
    return _by_state(panel.no_value(_NO_SCHEDULER))


def _tasks_by_state() -> Panel:
    panel = bars("Tasks by state", "Tasks that ended in each step of time, each attempt by itself.")
    ended = grew(f"airflow_ti_finish_total{{{_DAGS}}}", "$__interval")
    panel = panel.with_target(query("A", f"sum by (state) (max by (dag_id, task_id, state) ({ended}))", "{{state}}"))
    return _by_state(panel.decimals(0).no_value("No task has ended"))


def _quantile(share: float, window: str) -> str:
    buckets = grew(f"airflow_task_duration_seconds_bucket{{{_DAGS}}}", window)
    return f"histogram_quantile({share}, sum by (task_id, le) (max by (dag_id, task_id, le) ({buckets})))"


def _stages() -> Panel:
    panel = rows(
        "Task durations by stage",
        "How many times each stage ran in the time range, how long it took on average, and how long half and 95 % of "
        "them took at most. The latter two are estimated within the buckets of the mapping (0.1 s to 2 h).",
        {
            "task_id": "Stage",
            "Value #A": "Times",
            "Value #B": "Average",
            "Value #C": "Half within",
            "Value #D": "95 % within",
        },
    )
    parts = (grew(f"airflow_task_duration_seconds_{part}{{{_DAGS}}}", "$__range") for part in ("count", "sum"))
    count, total = (f"sum by (task_id) (max by (dag_id, task_id) ({part}))" for part in parts)
    panel = panel.with_target(now("A", count)).with_target(now("B", f"{total} / ({count} > 0)"))
    panel = panel.with_target(now("C", _quantile(0.5, "$__range"))).with_target(now("D", _quantile(0.95, "$__range")))
    for name in ("Average", "Half within", "95 % within"):
        slow = steps((600, WARNING), (3600, BAD), base=GOOD)
        panel = panel.override_by_name(name, column(unit="s", decimals=1, thresholds=slow))
    return panel.override_by_name("Times", column(decimals=0)).no_value("-").span(12).height(9)


def _stages_over_time() -> Panel:
    panel = lines(
        "95 % of the tasks took at most",
        "By stage, in each step of time in which it ran: estimated within the buckets of the mapping.",
        unit="s",
    )
    panel = panel.with_target(query("A", _quantile(0.95, "$__interval"), "{{task_id}}")).max_data_points(60)
    panel = panel.interval("1m").show_points(options.VisibilityMode.ALWAYS).min(0).no_value("No task has ended")
    stages = {"generate": GREY, "ingest": GREY, "transform": BLUE, "load": GREEN, "dbt_run": ORANGE, "dbt_test": PURPLE}
    for stage, colour in stages.items():
        panel = panel.override_by_name(stage, column(color=colour))
    return panel


def _load() -> Panel:
    panel = bars(
        "Load: inserted against unchanged",
        "What the last load before each moment did with the accepted rows: many unchanged ones are a file that came "
        "again. A run that stops loads nothing, and leaves the figures of the one before.",
    )
    figures = 'airflow_dq_rows{contract=~"${contract}", outcome=~"inserted|updated|unchanged|repeated"}'
    panel = panel.with_target(query("A", f"max by (contract, outcome) ({figures})", "{{contract}}: {{outcome}}"))
    for outcome, colour in {"inserted": BLUE, "updated": GREEN, "unchanged": GREY, "repeated": ORANGE}.items():
        panel = panel.override_by_regexp(f"/: {outcome}$/", column(color=colour))
    return panel.no_value("No load is known").span(24)


def _heartbeats() -> Panel:
    panel = lines("Heartbeats a minute", "A line that falls to 0 is a part of Airflow that has stopped.", unit="short")
    for ref, part, colour in (("A", "scheduler", BLUE), ("B", "dag_processor", GREEN), ("C", "triggerer", PURPLE)):
        beats = f"sum(rate(airflow_{part}_heartbeat_total[$__rate_interval])) * 60"
        panel = panel.with_target(query(ref, beats, part)).override_by_name(part, column(color=colour))
    return panel.thresholds(steps((1, GOOD), base=BAD)).min(0).no_value(_NO_SCHEDULER)


def _queue() -> Panel:
    panel = lines(
        "The executor's tasks",
        "Tasks that wait in the executor and that it runs, and its slots that are free.",
        unit="short",
    )
    for ref, name, figure, colour in (
        ("A", "waiting", "queued_tasks", ORANGE),
        ("B", "running", "running_tasks", BLUE),
        ("C", "free slots", "open_slots", GREY),
    ):
        panel = panel.with_target(query(ref, f"max(airflow_executor_{figure})", name))
        panel = panel.override_by_name(name, column(color=colour))
    return panel.min(0).decimals(0).no_value(_NO_SCHEDULER)


def _slots() -> Panel:
    panel = bars("Slots of the pools", "Of all pools together, by what they do: without an open slot, tasks wait.")
    slots = "sum by (state) (max by (pool_name, state) (airflow_pool_slots))"
    panel = panel.with_target(query("A", slots, "{{state}}")).decimals(0).no_value(_NO_SCHEDULER)
    colours = {"open": GREY, "queued": ORANGE, "running": BLUE, "deferred": PURPLE, "scheduled": SKY}
    for state, colour in colours.items():
        panel = panel.override_by_name(state, column(color=colour))
    return panel


def _waiting() -> Panel:
    panel = lines(
        "95 % of the tasks waited at most",
        "For the scheduler (to be queued), then for a worker (to start), in each step of time.",
        unit="s",
    )
    for ref, name, part, colour in (("A", "to be queued", "scheduled", SKY), ("B", "to start", "queued", ORANGE)):
        buckets = grew(f"airflow_task_{part}_duration_seconds_bucket{{{_DAGS}}}", "$__interval")
        waited = f"histogram_quantile(0.95, sum by (le) (max by (dag_id, task_id, le) ({buckets})))"
        panel = panel.with_target(query(ref, waited, name)).override_by_name(name, column(color=colour))
    panel = panel.max_data_points(60).interval("1m").show_points(options.VisibilityMode.ALWAYS)
    return (
        panel.thresholds(steps((60, WARNING), (600, BAD), base=GOOD))
        .min(0)
        .no_value("No task has waited for a scheduler")
    )
