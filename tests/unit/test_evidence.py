"""A run's report is written once, and anew only where a task that ran again found something else."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.stages.evidence import keep_report
from rowgate.stages.report import Load, Report, parse_report
from rowgate.stages.run import Run

RUN = Run("toy", "r1", datetime(2026, 9, 15, tzinfo=UTC))
JUDGED = Report(
    "toy", "1.0.0", "r1", RUN.dt, "a.csv", "passed", 2, 1, 1, 0.5, {"bad": 1}, {"bad": 1}, {}, finished_at="early"
)
LOADED = replace(JUDGED, load=Load(1, 0, 0, 0), finished_at="later")


@pytest.fixture
def lake(tmp_path):
    return open_lake(f"file://{tmp_path}")


def held(lake) -> Report:
    return parse_report(lake.read_bytes(RUN.report).decode())


def test_a_first_report_is_written(lake):
    assert keep_report(JUDGED, RUN, lake) == JUDGED == held(lake)


def test_the_load_completes_the_report(lake):
    keep_report(JUDGED, RUN, lake)
    assert keep_report(LOADED, RUN, lake) == LOADED == held(lake)


@pytest.mark.parametrize("again", [JUDGED, LOADED], ids=["judged", "loaded"])
def test_the_same_found_again_leaves_the_report_as_it_was(lake, again):
    keep_report(LOADED, RUN, lake)
    assert keep_report(replace(again, finished_at="much later"), RUN, lake) == LOADED == held(lake)


@pytest.mark.parametrize(
    "other",
    [replace(JUDGED, accepted=2), replace(JUDGED, outcome="stopped"), replace(LOADED, load=Load(0, 0, 1, 0))],
    ids=["counts", "outcome", "load"],
)
def test_something_else_found_replaces_the_report(lake, other):
    keep_report(LOADED, RUN, lake)
    assert keep_report(other, RUN, lake) == other == held(lake)


def test_a_damaged_report_is_written_anew(lake):
    lake.write_bytes(RUN.report, b"{")
    assert keep_report(JUDGED, RUN, lake) == JUDGED == held(lake)
