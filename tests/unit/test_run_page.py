"""The page of a run: what it says, what it keeps to itself, and that nothing of the data is taken for HTML."""

import io
import json
import os
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import Between, Matches, OneOf
from rowgate.contract.model import Column, Contract, FieldRule, Pii, Policy
from rowgate.contract.types import Integer, Text
from rowgate.stages.evidence import keep_report
from rowgate.stages.filegate import FileBreach
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.outcome import stopped_at_gate
from rowgate.stages.report import Load, parse_report
from rowgate.stages.run import Run
from rowgate.stages.run_page import RunPage, TaskTime, gather
from rowgate.stages.run_page_html import render, trend_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOY = Contract(
    name="toy",
    version="1.2.0",
    owner="tests",
    columns=(Column("who", Text(), Pii.DIRECT, required=True), Column("n", Integer(32)), Column("kind", Text())),
    rules=(
        FieldRule("who", Matches("[a-z]+"), "who_wrong"),
        FieldRule("n", Between(0, 9), "n_wrong"),
        FieldRule("kind", OneOf(("x", "y")), "kind_wrong", policy=Policy.WARN),
    ),
    max_reject_rate=0.9,
)
FILE = "who,n,kind\nanna,1,x\nSECRET-1,77,x\nSECRET-2,3,x\nberta,<b>88</b>,x\ncarl,5,z\n"


class Elements(HTMLParser):
    """The elements of a page, each with its attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def judge(lake, text: str = FILE, *, run_id: str = "r:1", at: datetime = NOW, source: str = "a.csv") -> Run:
    """Take a text through the real reader and the real engine."""
    run = Run("toy", run_id, at)
    opened = Source(source, lambda: io.BytesIO(text.encode()))
    try:
        ingest(TOY, run, opened, lake)
    except FileBreach as breach:
        gate = stopped_at_gate(TOY, run, source, breach.sentences, started_at=at, finished_at=at)
        keep_report(gate, run, lake)
    else:
        report = transform_duckdb(TOY, run, lake, now=at)
        keep_report(report.loaded(Load(report.accepted, 0, 0, 0), at), run, lake)
    return run


def page_of(lake, run: Run, contract: Contract | None = TOY, tasks: list[TaskTime] | None = None) -> RunPage:
    return gather(parse_report(lake.read_bytes(run.report)), run, lake, contract, tasks)


@pytest.fixture
def lake(tmp_path):
    return open_lake(f"file://{tmp_path}/lake ü")


@pytest.fixture
def html(lake) -> str:
    return render(page_of(lake, judge(lake)))


def test_the_figures_are_the_reports(lake, html):
    shown = dict(re.findall(r'<dd id="(\w+)">([^<]+)</dd>', html))
    assert shown == {"rate": "40.0%", "total": "5", "accepted": "2", "rejected": "3"}


def test_each_reason_has_its_first_and_its_every_rows(lake):
    reasons = {each.name: (each.first, each.every) for each in page_of(lake, judge(lake)).reasons}
    assert reasons == {"malformed_record": (0, 0), "who_wrong": (2, 2), "n_wrong": (1, 2)}


def test_a_column_about_a_person_shows_no_value(html):
    assert "examples: hidden, personal data" in html
    assert "SECRET" not in html


def test_another_column_shows_what_was_wrong(lake):
    (found,) = [each for each in page_of(lake, judge(lake)).reasons if each.name == "n_wrong"]
    assert found.examples == ("77", "<b>88</b>")


def test_html_in_a_value_is_text(html):
    assert "<b>" not in html
    assert "&lt;b&gt;88&lt;/b&gt;" in html


def test_html_in_the_name_of_a_source_is_text(lake):
    html = render(page_of(lake, judge(lake, source="<script>alert(1)</script>.csv")))
    assert "script" not in [tag for tag, _ in Elements(html).found]
    assert "<script>alert(1)</script>.csv" in Elements(html).text


def test_html_in_a_report_that_somebody_else_wrote_is_text(lake):
    run = judge(lake)
    report = parse_report(lake.read_bytes(run.report))
    hostile = replace(report, rejected_by_reason={'"><img src=x>': 3}, breaches=["<img src=y>"])
    html = render(gather(hostile, run, lake, TOY, None))
    assert "img" not in [tag for tag, _ in Elements(html).found]


def test_nothing_is_loaded_from_elsewhere(html):
    loading = [
        (tag, attributes)
        for tag, attributes in Elements(html).found
        if tag in ("script", "img", "link", "iframe", "object") or "src" in attributes
    ]
    assert loading == []
    assert "url(" not in html
    assert "@import" not in html


def test_what_only_warns_stands_apart(lake):
    found = page_of(lake, judge(lake))
    assert [(each.name, each.first) for each in found.warnings] == [("kind_wrong", 1)]


def test_the_change_since_the_run_before_is_shown(lake):
    judge(lake, FILE.replace("SECRET-1", "dora"), run_id="r:0", at=NOW - timedelta(hours=1))
    html = render(page_of(lake, judge(lake)))
    assert 'data-label="since last">+1<' in html


def test_the_trend_ends_with_this_run(lake):
    run = judge(lake)
    judge(lake, run_id="r:later", at=NOW + timedelta(days=1))
    judge(lake, run_id="r:earlier", at=NOW - timedelta(days=1))
    assert [each.run_id for each in page_of(lake, run).trend] == ["r:earlier", "r:1"]


def test_a_higher_rate_stands_higher_in_the_chart(lake):
    judge(lake, "who,n,kind\nanna,1,x\n", run_id="r:0", at=NOW - timedelta(days=1))
    first, second = trend_of(page_of(lake, judge(lake))).dots
    assert first.y < second.y
    assert first.x < second.x


def test_the_contracts_floor_is_a_line_at_its_height(lake):
    trend = trend_of(page_of(lake, judge(lake)))
    assert (trend.lowest, trend.floor) == (0.0, 4 + 0.9 * 92)


def test_the_zones_that_hold_something_are_links(lake):
    found = {place.zone: place for place in page_of(lake, judge(lake)).places}
    assert {zone: place.files for zone, place in found.items()} == {
        "raw": 2,
        "records": 1,
        "rejects": 1,
        "clean": 1,
        "quality": 1,
    }
    assert found["rejects"].link == lake.local("rejects/toy/dt=2026-03-01/r_3A1").as_uri()


def test_a_file_that_was_refused_has_its_sentences_and_no_counts(lake):
    found = page_of(lake, judge(lake, "who,kind\nanna,x\n"))
    html = render(found)
    assert not found.report.judged
    assert all(sentence in Elements(html).text for sentence in found.report.breaches)
    assert 'id="reasons"' not in html


def test_a_passed_report_of_a_failed_task_is_no_passed_run(lake):
    tasks = [TaskTime("transform", "done", 1.0), TaskTime("load", "failed", 2.0)]
    assert page_of(lake, judge(lake), tasks=tasks).outcome == "failed in load"


def test_times_that_nobody_kept_are_said_not_to_be_known(html):
    assert "How long the tasks took is not known here" in html


def test_without_its_contract_a_run_shows_its_counts_and_no_value(lake):
    html = render(page_of(lake, judge(lake), contract=None))
    assert '<dd id="rejected">3</dd>' in html
    assert "&gt;88&lt;" not in html


def test_rejects_that_are_gone_cost_the_examples_alone(lake):
    run = judge(lake)
    lake.delete_tree(run.folder("rejects"))
    lake.write_bytes(f"{run.folder('rejects')}/part.parquet", b"damaged")
    assert "No examples: the rejected rows are not there any more" in render(page_of(lake, run))


def test_every_id_and_label_of_the_page_is_there(html):
    elements = Elements(html).found
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    asked = [attributes["aria-labelledby"] for _, attributes in elements if "aria-labelledby" in attributes]
    assert len(ids) == len(set(ids))
    assert asked
    assert set(asked) <= set(ids)


@pytest.fixture
def report(run_cli, project, lake, tmp_path):
    """Run `rowgate report` on the lake."""
    env = dict(os.environ) | {
        "ROWGATE_PROJECT": str(project),
        "ROWGATE_LAKE": lake.uri,
        "ROWGATE_STATE": str(tmp_path / "state"),
    }
    return lambda *arguments: run_cli("report", *arguments, env=env)


def test_the_newest_run_is_reported_in_the_state_folder_for_its_owner_alone(lake, report, tmp_path):
    judge(lake)
    judge(lake, run_id="r:2", at=NOW + timedelta(minutes=1))
    done = report()
    file = tmp_path / "state" / "reports" / "toy" / "r_3A2.html"
    assert (done.stdout, done.stderr) == (f"{file}\n", "")
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["r:1", "r_3A1"])
def test_a_run_is_found_by_its_id_and_by_its_name_in_a_path(lake, report, name):
    judge(lake)
    judge(lake, run_id="r:2", at=NOW + timedelta(minutes=1))
    assert "<code>r:1</code>" in report("--run", name, "--out", "-").stdout


def test_an_unknown_run_is_a_sentence_with_the_nearest_ids(lake, report):
    judge(lake, run_id="manual__2026")
    done = report("--run", "manual_2026")
    assert done.returncode == 2
    assert done.stderr == (f"rowgate: There is no run manual_2026 in {lake.uri}; the nearest is manual__2026.\n")


def test_an_empty_lake_is_a_sentence(lake, report):
    done = report()
    assert (done.returncode, done.stderr) == (
        2,
        f"rowgate: There is no run in {lake.uri} yet; `rowgate run` makes one.\n",
    )


def test_a_file_that_cannot_be_written_is_a_sentence(lake, report, tmp_path):
    judge(lake)
    done = report("--out", tmp_path / "nowhere" / "page.html")
    assert done.returncode == 2
    assert done.stderr.endswith("page.html cannot be written (No such file or directory).\n")


def test_the_times_come_from_what_the_tasks_said(lake, report, tmp_path):
    run = judge(lake)
    logs = tmp_path / "state" / "logs"
    logs.mkdir(parents=True)
    base = {"task": "load", "run_id": run.run_id, "run_after": NOW.isoformat()}
    events = [
        base | {"state": "running", "at": NOW.isoformat()},
        base | {"state": "success", "at": (NOW + timedelta(seconds=2.5)).isoformat()},
    ]
    (logs / "run-toy-1.events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    assert '<td class="n">2.5</td>' in report("--out", "-").stdout
