"""The dashboard where something is missing or out of the ordinary: toy contracts, and no database."""

import datetime as dt
import io
import os
import runpy
from pathlib import Path

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract import catalog
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.run import Run

HELP = runpy.run_path(str(Path(__file__).with_name("dashboard_page.py")))
LONG = "a_reason_" + "x" * 111
"""As long a reason as a contract may have."""
MARKUP = '<img src="http://outside.example/a.png">![b](http://outside.example/b.png)'
ODD = f"""
from rowgate.contract.checks import Matches
from rowgate.contract.model import Column, Contract, FieldRule, Pii
from rowgate.contract.types import Text

CONTRACT = Contract(
    "odd", "1.0.0", "us",
    (Column("who", Text(), Pii.DIRECT), Column("code", Text(), required=True)),
    (FieldRule("code", Matches("[a-z]+"), "{LONG}"),),
    max_reject_rate=0.9,
)
"""
BLANK = ODD.replace('"odd"', '"blank"')
FILE = f'who,code\nSecretperson,ok\nHiddenperson,"{MARKUP.replace(chr(34), chr(34) * 2)}"\nTwo,many,fieldsperson\n'


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Judges a file by the contract `odd`, or one that is like it, on a day of May 2026."""
    project = tmp_path_factory.mktemp("project")
    for folder in ("contracts", "dags", "dbt/models/marts/odd"):
        (project / folder).mkdir(parents=True)
    (project / "contracts" / "odd.py").write_text(ODD)
    (project / "contracts" / "blank.py").write_text(BLANK)
    (project / "contracts" / "quick.py").write_text(ODD.replace('"odd"', '"quick"'))
    (project / "dbt" / "models" / "marts" / "odd" / "odd_things.sql").write_text("select 1 as things")
    lake = open_lake(f"file://{project / 'lake'}")

    def judge(day: int, text: str, *, second: int = 0, name: str = "odd") -> Run:
        contract = catalog.find(name, project / "contracts")
        when = dt.datetime(2026, 5, day, second=second, tzinfo=dt.UTC)
        run = Run(name, f"run {day}" if not second else f"run {day}, {second}", when)
        ingest(contract, run, Source(f"{MARKUP} {day}", lambda: io.BytesIO(text.encode())), lake)
        transform_duckdb(contract, run, lake, now=when)
        return run

    judge.project, judge.lake = project, lake
    judge(1, FILE)
    return judge


@pytest.fixture(scope="module")
def served(chromium, run, project):
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("ROWGATE_", "AIRFLOW"))}
    environ |= {"ROWGATE_PROJECT": str(run.project), "ROWGATE_LAKE": run.lake.uri}
    # As in a container; the address that it prints is this machine's all the same.
    with HELP["dashboard"](project, environ, "--host", "0.0.0.0") as server:  # noqa: S104 - toys alone
        yield server


@pytest.fixture
def page(served, browser):
    return HELP["Page"](browser, served.address)


def test_an_empty_lake_is_told_and_says_how_to_fill_it(page):
    page.open("?contract=blank")
    assert "There is no run of blank in" in page.text
    assert "`rowgate run blank --source FILE.csv` makes one." in page.text


def test_a_missing_database_is_told_and_the_reports_are_shown(page):
    page.open("?contract=odd")
    assert "There is no warehouse yet; `make run` makes one." in page.text
    assert page.figures()["rows in"] == "3"


def test_a_very_long_reason_is_shown_whole_on_a_phone(page, shown_at):
    shown_at(390)
    page.open("?contract=odd")
    assert LONG in [row[0] for row in page.table("Rejected rows by the first rule")]
    assert page.width() == (390, 390)


def test_markup_in_a_file_is_text_on_the_page(page):
    page.open("?contract=odd")
    shown = page.table("Rejected rows: ")[0]
    assert MARKUP in shown
    assert page.all("img[src*='outside.example'], a[href*='outside.example']") == []


def test_the_text_of_a_malformed_record_is_hidden_where_a_column_is_personal(page):
    page.open("?contract=odd")
    rows = page.table("Rejected rows: ")
    assert [row[-1] for row in rows] == ["", "hidden"]
    assert "fieldsperson" not in page.browser.page_source


def test_a_new_run_is_there_when_the_page_is_loaded_again(page, run):
    page.open("?contract=odd")
    run(2, "who,code\na,ok\nb,ok\n")
    HELP["until"](lambda: page.open("?contract=odd").figures().get("accept rate") == "100.0%")
    assert "No row of this run was rejected." in page.text


def test_a_damaged_report_is_named_and_the_others_are_shown(page, run):
    run.lake.write_bytes("quality/odd/dt=2026-05-03/damaged.json", b"{")
    HELP["until"](lambda: "damaged.json in the lake is no report that can be read" in page.open("?contract=odd").text)
    assert page.figures()["outcome"] == "passed, not loaded"


def test_runs_within_a_minute_have_moments_of_different_names(page, run):
    for second in (0, 40):
        run(1, "who,code\na,ok\n", second=second, name="quick")
    page.open("?contract=quick")
    names = [each.text for each in page.all(".role-axis-label text") if ":" in each.text]
    assert (len(names) > 1, len(set(names))) == (True, len(names))


def test_rejects_that_are_gone_are_told(page, run):
    run.lake.delete_tree("rejects/odd/dt=2026-05-01")
    page.open("?contract=odd&run=run+1").settled("any more; its report stays.")


def test_a_contract_that_cannot_be_read_is_told(page, run):
    broken = run.project / "contracts" / "broken.yaml"
    broken.write_text("name: [")
    try:
        page.browser.get(page.address)
        page.settled("broken.yaml")
    finally:
        broken.unlink()


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid", ""])
def test_an_address_that_this_machine_does_not_have_is_told(run_cli, host):
    done = run_cli("dashboard", "--host", host)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"This machine has no address {host or repr(host)} to listen on" in done.stderr


def test_a_port_that_is_taken_is_told(served, project, run_cli):
    done = run_cli("dashboard", "--port", served.address.rpartition(":")[2])
    assert done.returncode == 2
    assert done.stderr.endswith("is taken; name another with --port, or leave it out.\n")
