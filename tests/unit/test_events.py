"""What `rowgate run` reads of its tasks while they work."""

import json
from pathlib import Path

import pytest

from rowgate.commands.events import Events


def line(task: str, state: str, second: int, **details: object) -> str:
    at = f"2026-09-15T10:00:{second:02d}+00:00"
    return json.dumps({"task": task, "state": state, "at": at, "run_id": "r1", "run_after": at, **details}) + "\n"


@pytest.fixture
def events(tmp_path: Path) -> Events:
    return Events(tmp_path / "events.jsonl")


def test_before_a_task_begins_there_is_nothing(events):
    assert (events.refresh(), events.failed(), events.finished(), events.judged()) == ([], None, False, False)


def test_a_task_takes_the_time_between_its_two_lines(events):
    events.file.write_text(line("load", "running", 1) + line("load", "success", 4))
    (ended,) = events.refresh()
    assert (ended.name, ended.seconds) == ("load", 3.0)


def test_a_line_that_is_half_written_waits_for_its_end(events):
    whole = line("load", "running", 1) + line("load", "success", 4)
    events.file.write_text(whole[:-10])
    assert events.refresh() == []
    events.file.write_text(whole)
    assert [task.name for task in events.refresh()] == ["load"]


def test_a_task_that_failed_keeps_its_sentence(events):
    events.file.write_text(line("load", "running", 1) + line("load", "failed", 2, sentence="No."))
    events.refresh()
    assert events.failed().details["sentence"] == "No."


def test_a_run_is_finished_when_its_last_task_is_green(events):
    events.file.write_text(line("dbt_test", "running", 1) + line("dbt_test", "success", 2))
    events.refresh()
    assert events.finished()
