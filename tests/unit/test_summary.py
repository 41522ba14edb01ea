"""What a person reads at the end of a run."""

import io
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from rowgate.commands.events import Events, Task
from rowgate.commands.summary import failure, summary
from rowgate.contract.checks import Between, NotBlank
from rowgate.contract.model import Column, Contract, FieldRule
from rowgate.contract.types import Integer, Text
from rowgate.settings import Settings
from rowgate.stages.outcome import judged, stopped_at_gate
from rowgate.stages.report import Counts, Load
from rowgate.stages.run import Run

NOW = datetime(2026, 9, 15, 10, tzinfo=UTC)
RUN = Run("toy", "r:1", NOW)
TOY = Contract(
    name="toy",
    version="1.0.0",
    owner="team",
    columns=(Column("name", Text(), required=True), Column("age", Integer(32))),
    rules=(FieldRule("name", NotBlank(), "no_name"), FieldRule("age", Between(18, 99), "bad_age")),
)
REPORT = judged(
    TOY,
    RUN,
    "a.csv",
    Counts(1000, 700, 300, {"no_name": 200, "bad_age": 100}, {"no_name": 200, "bad_age": 250}, {}),
    {},
    started_at=NOW,
    finished_at=NOW,
).loaded(Load(inserted=600, updated=40, unchanged=50, repeated=10), NOW)


def told(renderable) -> str:
    out = io.StringIO()
    Console(file=out, width=80, soft_wrap=True).print(renderable)
    return out.getvalue()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path, tmp_path / "state", f"file://{tmp_path}/lake")


@pytest.fixture
def events(tmp_path: Path) -> Events:
    found = Events(tmp_path / "events")
    found.run = (RUN.run_id, NOW)
    for name, seconds in (("generate", 1.0), ("transform", 9.5), ("load", 0.2), ("dbt_run", 3.0), ("dbt_test", 2.0)):
        found.tasks[name] = Task(name, "success", NOW, seconds, {"tests": 38} if name == "dbt_test" else {})
    return found


@pytest.fixture
def shown(settings, events, tmp_path) -> str:
    file = tmp_path / "lake" / RUN.report
    file.parent.mkdir(parents=True)
    file.write_text(REPORT.to_json())
    return told(summary(TOY, events, settings))


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("rows in", "1,000"),
        ("accepted", "700"),
        ("rejected", "300"),
        ("accept rate", "70.0%"),
        ("inserted", "600"),
        ("updated", "40"),
        ("already present", "50"),
        ("repeated in the file", "10"),
        ("dbt tests passed", "38"),
        ("transform", "9.5 s"),
    ],
)
def test_a_figure_stands_beside_its_name(shown, name, figure):
    assert any(line.split(name, 1)[1].strip() == figure for line in shown.splitlines() if line.startswith(name))


def test_a_reason_has_a_bar_as_long_as_its_share_of_the_greatest(shown):
    bars = {line.split()[0]: line.count("█") for line in shown.splitlines() if line.startswith(("no_name", "bad_age"))}
    assert bars == {"no_name": 24, "bad_age": 12}


def test_a_reason_that_nothing_broke_is_there_too(shown):
    assert any(line.startswith("malformed_record") for line in shown.splitlines())


def test_it_says_where_the_zones_are(shown, settings):
    assert f"Zones in {settings.lake.removeprefix('file://')}" in shown
    assert "  toy/dt=2026-09-15/r_3A1" in shown


def test_it_says_what_to_type_next(shown):
    assert [line.split("  #")[0].strip() for line in shown.partition("\nNext\n")[2].splitlines()] == [
        ".venv/bin/rowgate run toy --source FILE.csv",
        ".venv/bin/rowgate query --saved toy_why_not_in_warehouse --value ID",
        ".venv/bin/rowgate psql -c 'table warehouse.toy limit 5'",
        "make dashboard",
        "make airflow",
        "make stop",
    ]


def test_a_run_that_failed_says_how_to_see_why_and_no_more(shown, settings, events):
    del events.tasks["dbt_run"], events.tasks["dbt_test"]
    following = told(summary(TOY, failed(events, sentence="No."), settings)).partition("\nNext\n")[2].splitlines()
    assert [line.split("  #")[0].strip() for line in following] == [
        ".venv/bin/rowgate query --saved toy_why_not_in_warehouse --value ID",
        "make dashboard",
    ]


def test_only_the_zones_are_named_in_which_the_run_left_something(shown, settings, events, tmp_path):
    """`shown` made its report alone; the rows of a stopped run are in `records` and `rejects`."""
    assert "  raw and quality, in each of them" in shown
    for zone in ("records", "rejects"):
        folder = tmp_path / "lake" / RUN.folder(zone)
        folder.mkdir(parents=True)
        (folder / "part-00000.parquet").touch()
    assert "  raw, records, rejects and quality, in each of them" in told(summary(TOY, events, settings))


def test_it_fits_80_columns(shown, settings):
    assert [line for line in shown.splitlines() if len(line.rstrip()) > 80 and "Zones in" not in line] == []


def failed(events, **details) -> Events:
    events.tasks["load"] = replace(events.tasks["load"], state="failed", details=details)
    return events


def test_a_run_that_failed_after_it_was_judged_is_not_called_passed(shown, settings, events):
    assert told(summary(TOY, failed(events, sentence="No."), settings)).strip().startswith("toy 1.0.0: failed in load")


def test_a_failure_is_the_tasks_sentence_and_the_logs_path(events, tmp_path):
    log = tmp_path / "run.log"
    log.write_text("much\nERROR: the cause\nmore\n")
    said = told(failure(failed(events, sentence="The database is down."), log)).splitlines()
    assert said[0] == "rowgate: load failed: The database is down."
    assert said[-1] == f"The whole log: {log}"


def test_of_the_log_the_lines_that_speak_of_an_error_are_shown(events, tmp_path):
    log = tmp_path / "run.log"
    log.write_text("much\nERROR: the cause\nmore\n")
    assert told(failure(failed(events, sentence="It broke."), log)).splitlines()[1:-1] == ["  ERROR: the cause"]


def test_a_task_that_tells_its_lines_needs_none_of_the_log(events, tmp_path):
    log = tmp_path / "run.log"
    log.write_text("ERROR: the cause\n")
    assert len(told(failure(failed(events, sentence="No.", lines=["why"]), log)).splitlines()) == 3


@pytest.mark.parametrize(
    ("running", "how_far"),
    [(None, "before its first task began"), ("load", "while load was running"), ("", "before its last task")],
)
def test_an_airflow_that_ended_by_itself_is_told_with_how_far_it_came(tmp_path, running, how_far):
    log = tmp_path / "run.log"
    log.write_text("2026-09-15T10:00:00Z [info     ] much [x]\nERROR: the cause\n")
    events = Events(tmp_path / "events")
    if running is not None:
        events.tasks["load"] = Task("load", "running", NOW, None if running else 1.0, {})
    said = told(failure(events, log)).splitlines()
    assert said[0] == f"rowgate: Airflow ended {how_far}; see the end of its log, then run it again."
    assert said[1:-1] == ["  ERROR: the cause"]


def test_of_a_file_stopped_at_the_gate_only_the_breaches_are_told(settings, events, tmp_path):
    file = tmp_path / "lake" / RUN.report
    file.parent.mkdir(parents=True)
    stopped = stopped_at_gate(TOY, RUN, "a.csv", ["The file is empty."], started_at=NOW, finished_at=NOW)
    file.write_text(stopped.to_json())
    said = told(summary(TOY, events, settings))
    assert "BREACH  The file is empty." in said
    assert ("rows in" in said, "why_not_in_warehouse" in said) == (False, False)
