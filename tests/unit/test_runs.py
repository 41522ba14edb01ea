"""`rowgate runs`: the runs from their reports."""

import json
import os
from dataclasses import replace

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.stages.report import Load, Report
from rowgate.stages.runs import newest

REPORT = Report(
    *("users", "1.0.0", "r1", "2026-03-01", "a.csv", "passed", 4, 3, 1, 0.75, {"bad": 1}, {"bad": 1}, {}),
    started_at="2026-03-01T12:00:00.5Z",
    finished_at="2026-03-01T12:00:01Z",
    load=Load(3, 0, 0, 0),
)


def keep(lake, report):
    key = f"quality/{report.contract}/dt={report.dt}/{report.run_id}.json"
    lake.write_bytes(key, f"{report.to_json()}\n".encode())


@pytest.fixture
def lake(tmp_path):
    found = open_lake(f"file://{tmp_path}/lake")
    keep(found, REPORT)
    keep(found, replace(REPORT, run_id="r0", started_at="2026-03-01T13:00:00Z"))
    keep(found, replace(REPORT, run_id="r2", dt="2026-02-28", started_at="2026-02-28T13:00:00Z"))
    keep(found, replace(REPORT, run_id="r3", contract="till_orders", dt="2026-03-02", load=None, outcome="stopped"))
    return found


def ids(found):
    return [report.run_id for report in found.reports]


def test_runs_come_newest_first(lake):
    assert ids(newest(lake, "users", 9)) == ["r0", "r1", "r2"]


def test_without_a_contract_the_runs_of_all_are_listed(lake):
    assert ids(newest(lake, None, 9)) == ["r3", "r0", "r1", "r2"]


def test_there_are_no_more_runs_than_the_limit(lake):
    assert ids(newest(lake, "users", 1)) == ["r0"]


def test_reports_older_than_the_limit_needs_are_not_read(lake):
    lake.write_bytes("quality/users/dt=2026-02-27/damaged.json", b"{")
    assert newest(lake, "users", 2).unreadable == ()


def test_a_damaged_report_is_named_and_the_others_are_listed(lake):
    lake.write_bytes("quality/users/dt=2026-03-01/damaged.json", b"{")
    found = newest(lake, "users", 9)
    assert (ids(found), found.unreadable) == (["r0", "r1", "r2"], ("quality/users/dt=2026-03-01/damaged.json",))


@pytest.fixture
def run(run_cli, project, lake):
    env = dict(os.environ) | {"ROWGATE_PROJECT": str(project), "ROWGATE_LAKE": lake.uri}
    return lambda *arguments: run_cli("runs", *arguments, env=env)


def test_a_run_is_a_line_with_its_counts(run):
    lines = run("users").stdout.splitlines()
    expected = ["2026-03-01", "12:00:00", "users", "passed", "4", "3", "1", "75.0%", "3", "0", "0", "0", "a.csv", "r1"]
    assert lines[3].split() == expected


def test_the_load_of_a_run_that_was_not_loaded_is_left_open(run):
    lines = run("till_orders").stdout.splitlines()
    assert lines[2].split()[2:] == ["till_orders", "stopped", "4", "3", "1", "75.0%", "a.csv", "r3"]


def test_json_is_the_reports_one_in_a_line(run):
    lines = run("users", "--json", "--limit", "2").stdout.splitlines()
    assert [json.loads(line)["run_id"] for line in lines] == ["r0", "r1"]


def test_where_there_is_no_run_a_sentence_says_so(run):
    done = run("transactions")
    assert (done.returncode, done.stdout) == (0, "")
    assert "There is no run of transactions" in done.stderr
