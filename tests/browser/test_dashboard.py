"""The dashboard on made-up data, in a real browser: what it shows is what the reports and the marts say."""

import base64
import json
import os
import runpy
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rowgate.adapters.lake import open_lake
from rowgate.adapters.warehouse import Connection, connect, transaction
from rowgate.embedded import postgres
from rowgate.stages.runs import newest

HELP = runpy.run_path(str(Path(__file__).with_name("dashboard_page.py")))
COLUMN = "./ancestor::*[@data-testid='stColumn'][1]"
PERSONAL = ("name", "email", "phone", "zip_code", "age", "city")


@pytest.fixture(scope="module")
def served(chromium, tmp_path_factory, project):
    """`rowgate dashboard --demo`, and the state folder that it made."""
    folder = tmp_path_factory.mktemp("demo")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("ROWGATE_", "AIRFLOW"))}
    environ |= {"TMPDIR": str(folder), "ROWGATE_PROJECT": str(project), "ROWGATE_STATE": str(folder / "state")}
    with HELP["dashboard"](project, environ, "--demo") as server:
        yield server, next(folder.glob("rowgate-demo-*"))


@pytest.fixture(scope="module")
def state(served):
    return served[1]


@pytest.fixture(scope="module")
def reports(state):
    """The reports of users, newest first."""
    return newest(open_lake(f"file://{state / 'lake'}"), "users", 50).reports


@pytest.fixture
def page(served, browser):
    return HELP["Page"](browser, served[0].address)


@pytest.fixture(scope="module")
def values(state, reports):
    """What the rejected rows of the newest run hold of people, long enough to be nothing else."""
    rows = pq.read_table(state / "lake" / "rejects" / "users" / f"dt={reports[0].dt}" / reports[0].run_id)
    found = {value for name in ("name", "email", "phone", "zip_code") for value in rows[name].to_pylist() if value}
    return {value for value in found if len(value) > 4}  # shorter texts are part of others


@dataclass(frozen=True)
class Looked:
    """The page as it is opened, before anything is touched; `received` is all that came through its socket."""

    text: str
    figures: dict[str, str]
    tables: dict[str, list[list[str]]]
    marts: dict[str, list[list[str]]]
    points: list[str]
    received: str
    asked: list[str]
    complaints: list[str]


@pytest.fixture(scope="module")
def looked(served, chromium):
    """One look, which the tests share that touch nothing."""
    for kind in ("browser", "performance"):
        chromium.get_log(kind)
    page = HELP["Page"](chromium, served[0].address).open()
    labels = [each.get_attribute("aria-label") for each in page.all(".rg-scroll")]
    points = [each.get_attribute("aria-label") for each in page.all("[aria-roledescription=point]")]
    events = [json.loads(entry["message"])["message"] for entry in chromium.get_log("performance")]
    sent = [each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"]
    severe = [entry["message"] for entry in chromium.get_log("browser") if entry["level"] == "SEVERE"]
    tables = {label: page.table(label) for label in labels}
    marts = {each.text: page.rows("tbody tr", each.find_element("xpath", COLUMN)) for each in page.all("h3")}
    return Looked(page.text, page.figures(), tables, marts, points, received(events), sent, severe)


def table(looked, label):
    """The rows of the one table whose label begins so."""
    (found,) = [rows for name, rows in looked.tables.items() if name.startswith(label)]
    return found


def received(events):
    """Everything that the browser got through the page's socket."""
    frames = [each["params"]["response"] for each in events if each["method"] == "Network.webSocketFrameReceived"]
    binary = [base64.b64decode(frame["payloadData"]) for frame in frames if frame["opcode"] == 2]
    return b"".join(binary).decode(errors="replace")


def test_the_figures_are_those_of_the_newest_report(looked, reports):
    report = reports[0]
    assert looked.figures == {
        "outcome": report.outcome,
        "rows in": str(report.total),
        "accepted": str(report.accepted),
        "rejected": str(report.rejected),
        "accept rate": report.rate,
        "inserted": str(report.load.inserted),
        "updated": "0",
        "already present": str(report.load.unchanged),
        "repeated in the file": str(report.load.repeated),
    }


def test_the_reasons_are_those_of_the_report(looked, reports):
    shown = {row[0]: (row[2], row[-1]) for row in table(looked, "Rejected rows by the first rule")}
    first, every = reports[0].rejected_by_reason, reports[0].violations_by_reason
    assert shown == {reason: (str(number), str(every[reason])) for reason, number in first.items()}


def test_the_trend_has_the_accept_rate_of_every_run(looked, reports):
    shown = looked.points
    wanted = {f"accept rate: {report.accept_rate:.1%}; accepted: {report.accepted}" for report in reports}
    assert {wish for wish in wanted if any(wish in label for label in shown)} == wanted
    assert len(shown) == len(reports)


def test_the_sources_add_up_to_the_reports(looked, reports):
    total, rejected = Counter(), Counter()
    for report in reports:
        total[report.source] += report.total
        rejected[report.source] += report.rejected
    shown = {row[0]: (row[2], row[3]) for row in table(looked, "Rejected rows by source")}
    assert shown == {source: (str(total[source]), str(rejected[source])) for source in total}


@pytest.mark.parametrize(
    ("title", "mart", "column"),
    [
        ("Users by city", "users_by_city", "city"),
        ("Users by age band", "users_by_age_band", "age_band"),
    ],
)
def test_a_mart_is_shown_as_the_warehouse_has_it(looked, state, title, mart, column):
    server = postgres.running(state / "postgres")
    settings = Connection(server.host, server.port, server.user, server.password, "warehouse")
    with connect(settings, read_only=True) as connection, transaction(connection, "asking") as cursor:
        cursor.execute(f"SELECT {column}, users::text FROM marts.{mart}")
        wanted = dict(cursor.fetchall())
    assert {row[0]: row[1] for row in looked.marts[title]} == wanted


def test_a_run_is_picked_by_keyboard_and_its_link_leads_back_to_it(page, reports):
    page.open().pick("Run", reports[3].dt)
    HELP["until"](lambda: page.figures().get("rejected") == str(reports[3].rejected))
    link = page.browser.current_url
    assert link == f"{page.address}/?run={reports[3].run_id}"
    page.open()
    assert page.figures()["rejected"] == str(reports[0].rejected)
    page.open(link.rpartition("/")[2])
    assert page.figures()["rejected"] == str(reports[3].rejected)


def test_no_personal_value_reaches_the_browser_until_it_is_asked_for(looked, values):
    assert "invalid_email" in looked.received
    assert {value for value in values if value in looked.received} == set()


def test_personal_values_come_with_a_warning_and_go_again(page, reports, served):
    page.open(f"?{served[0].key}")
    toggle = page.one("[data-testid=stCheckbox] label")
    toggle.click()
    page.settled("These rows tell of people")
    shown = page.table("Rejected rows: ")
    assert not any("hidden" in row for row in shown)
    page.one("[data-testid=stCheckbox] label").click()
    page.settled("Values that tell of a person are hidden")
    hidden = {cell for row in page.table("Rejected rows: ") for cell in row[3:]}
    assert hidden == {"hidden", "missing"}
    assert len(shown) == reports[0].rejected


def test_one_reason_shows_its_rows_alone(page, reports):
    page.open().pick("Reason", "invalid_email")
    page.settled()
    HELP["until"](lambda: {row[1] for row in page.table("Rejected rows: ")} == {"invalid_email"})
    assert len(page.table("Rejected rows: ")) == reports[0].violations_by_reason["invalid_email"]


def test_a_contract_without_marts_says_so(page):
    page.open("?contract=till_orders").settled("till_orders has no marts")
    assert page.figures()["outcome"] == "stopped"
    assert "which stops the load." in page.text


def test_the_dictionary_of_the_contract_is_on_the_page(page):
    page.open().one("[data-testid=stExpander] summary").click()
    page.settled("69[0-9]{8}")
    assert "It is a pseudonym, not anonymisation." in page.text


def test_the_page_says_that_the_data_are_made_up(looked):
    assert "A demonstration" in looked.text


def test_the_browser_asks_this_machine_alone(looked, served):
    assert [url for url in looked.asked if not url.startswith((served[0].address, "data:", "blob:"))] == []
    assert looked.asked


@pytest.mark.parametrize("contract", ["users", "till_orders", "transactions"])
def test_a_phone_scrolls_the_page_one_way_alone(page, shown_at, contract):
    shown_at(390)
    page.open(f"?contract={contract}").one("[data-testid=stExpander] summary").click()
    page.settled("Columns of the file")
    assert page.width() == (390, 390)


def test_the_tab_key_reaches_every_control_and_shows_where_it_is(page, served):
    from selenium.webdriver.common.keys import Keys

    page.open(f"?{served[0].key}")
    reached = {}
    page.one("body").send_keys(Keys.TAB)
    for _ in range(30):
        name, outline = page.browser.execute_script(
            "const e = document.activeElement; const s = getComputedStyle(e);"
            "return [e.getAttribute('aria-label') || e.tagName, s.outlineStyle + ' ' + s.outlineWidth]"
        )
        reached.setdefault(name, outline)
        page.browser.switch_to.active_element.send_keys(Keys.TAB)
    wanted = ["Contract", "Run", "Reason", "Show personal data", "SUMMARY"]
    assert [name for name in reached if name in wanted] == wanted
    assert {reached[name] for name in wanted} == {"solid 3px"}


def test_personal_values_are_not_for_who_does_not_have_the_printed_address(page):
    page.open("?key=guessed").one("[data-testid=stCheckbox] label").click()
    page.settled("Only the address that `rowgate dashboard` printed lets you ask.")
    assert {cell for row in page.table("Rejected rows: ") for cell in row[3:]} == {"hidden", "missing"}


def test_a_link_leads_to_the_rejected_rows_of_a_reason(page):
    page.open("?contract=users&reason=invalid_phone")
    assert {row[1] for row in page.table("Rejected rows: ")} == {"invalid_phone"}


def test_the_toggle_obeys_the_keyboard(page, served):
    from selenium.webdriver.common.keys import Keys

    page.open(f"?{served[0].key}").one("input[aria-label='Show personal data']").send_keys(Keys.SPACE)
    page.settled("These rows tell of people")


def test_the_browser_has_nothing_to_complain_of(looked):
    assert looked.complaints == []


def test_the_page_is_dark_for_who_reads_in_the_dark(page, shown_at):
    grounds = []
    for dark in (False, True):
        shown_at(1280, dark=dark)
        app = page.open().one("[data-testid=stApp]")
        red = app.value_of_css_property("background-color").partition("(")[2].partition(",")[0]
        grounds.append("dark" if int(red) < 128 else "light")
    assert grounds == ["light", "dark"]


def test_made_up_data_are_gone_when_the_page_ends(served):
    """The last test of this file: it ends the server."""
    server, folder = served
    assert server.end() == 0
    assert not folder.exists()
