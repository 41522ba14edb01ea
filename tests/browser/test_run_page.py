"""The page of a run in a real browser: what a person sees of it, on any screen, with no network."""

import io
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

LONG = "a_reason_with_a_very_long_name_" + "x" * 80
WIDTHS = [1280, 390]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of the third run of a contract with a very long reason, and its report."""
    from rowgate.adapters.lake import open_lake
    from rowgate.contract.checks import Between, NotBlank
    from rowgate.contract.model import Column, Contract, FieldRule, Pii
    from rowgate.contract.types import Integer, Text
    from rowgate.stages.ingest import Source, ingest
    from rowgate.stages.judge_duckdb import transform_duckdb
    from rowgate.stages.run import Run
    from rowgate.stages.run_page import TaskTime, gather
    from rowgate.stages.run_page_html import render

    contract = Contract(
        name="toy",
        version="1.0.0",
        owner="tests",
        columns=(Column("who", Text(), Pii.DIRECT, required=True), Column("n", Integer(32))),
        rules=(FieldRule("who", NotBlank(), "who_missing"), FieldRule("n", Between(0, 9), LONG)),
    )
    folder = tmp_path_factory.mktemp("page")
    lake = open_lake(f"file://{folder}/lake")
    for day in range(3):
        at = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(days=day)
        run = Run("toy", f"manual__{at.isoformat()}", at)
        rows = "".join(f"anna,{number}\n" for number in range(8 + day, 13 + day)) + ",3\n"
        ingest(contract, run, Source("a.csv", lambda rows=rows: io.BytesIO(f"who,n\n{rows}".encode())), lake)
        report = transform_duckdb(contract, run, lake, now=at)
    tasks = [TaskTime("transform", "done", 9.1), TaskTime("load", "done", 0.1), TaskTime("dbt_test", "done", 2.5, 38)]
    file = folder / "page.html"
    file.write_text(render(gather(report, run, lake, contract, tasks)))
    return file, report


@pytest.fixture
def opened(browser, page):
    browser.get(page[0].as_uri())
    return browser


def texts(browser, selector: str) -> list[str]:
    return [each.text for each in browser.find_elements("css selector", selector)]


def test_the_figures_on_the_page_are_the_reports(opened, page):
    shown = {name: texts(opened, f"#{name}")[0] for name in ("rate", "total", "accepted", "rejected")}
    report = page[1]
    expected = {"total": report.total, "accepted": report.accepted, "rejected": report.rejected}
    assert shown == {"rate": report.rate} | {name: str(figure) for name, figure in expected.items()}


def test_the_reasons_in_the_table_are_the_reports(opened, page):
    names = texts(opened, "#reasons tbody th > code")
    first = texts(opened, '#reasons td[data-label="first"]')
    assert dict(zip(names, map(int, first), strict=True)) == page[1].rejected_by_reason


def test_the_bars_are_as_long_as_the_rows_are_many(opened, page):
    bars = opened.find_elements("css selector", "#reasons .bar")
    lengths = [bar.find_element("css selector", ".first").rect["width"] for bar in bars]
    rows = [rows for rows in page[1].rejected_by_reason.values() if rows]
    assert [round(length / max(lengths), 2) for length in lengths] == [round(each / max(rows), 2) for each in rows]


def test_the_trend_falls_from_left_to_right(opened):
    marks = [each.rect for each in opened.find_elements("css selector", ".chart path.passed")]
    assert len(marks) == 3
    assert all(left["x"] < right["x"] and left["y"] < right["y"] for left, right in pairwise(marks))


@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_no_wider_than_the_screen(opened, shown_at, width):
    shown_at(width)
    overhang = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert opened.execute_script(overhang) == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_a_very_long_reason_stays_within_its_section(opened, shown_at, width):
    shown_at(width)
    outside = """
        const box = document.querySelector('#reasons').closest('section').getBoundingClientRect();
        return [...document.querySelectorAll('#reasons *')].filter(
            each => each.checkVisibility() && each.getBoundingClientRect().right > box.right + 1).length"""
    assert opened.execute_script(outside) == 0


CONTRAST = """
    const light = rgb => {
        const [r, g, b] = rgb.match(/[0-9.]+/g).slice(0, 3).map(Number).map(
            c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = each => {
        for (let at = each; at; at = at.parentElement) {
            const found = getComputedStyle(at).backgroundColor;
            if (!found.endsWith(', 0)')) return found;
        }
    };
    const texts = [...document.querySelectorAll('main *, footer, footer *')].filter(
        each => [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim()) && each.checkVisibility());
    return Math.min(...texts.map(each => {
        const two = [light(getComputedStyle(each).color), light(ground(each))].sort((a, b) => a - b);
        return (two[1] + 0.05) / (two[0] + 0.05);
    }));
"""


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_stands_out_from_its_ground(opened, shown_at, dark):
    """WCAG 2.2, 1.4.3: a ratio of at least 4.5."""
    shown_at(1280, dark=dark)
    assert opened.execute_script(CONTRAST) >= 4.5


def test_the_colours_follow_the_readers_scheme(opened, shown_at):
    grounds = []
    for dark in (False, True):
        shown_at(1280, dark=dark)
        grounds.append(opened.execute_script("return getComputedStyle(document.body).backgroundColor"))
    assert grounds[0] != grounds[1]


def test_the_chart_has_a_name_and_opens_as_a_table_by_keyboard(opened):
    from selenium.webdriver.common.keys import Keys

    assert opened.find_element("css selector", ".chart svg").accessible_name.startswith("The accept rate of the last 3")
    opened.find_element("css selector", "summary").send_keys(Keys.ENTER)
    assert [text.split()[0] for text in texts(opened, "#trend tbody th")] == ["2026-03-03", "2026-03-02", "2026-03-01"]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_reasons_are_a_table_to_a_screen_reader(opened, shown_at, width):
    shown_at(width)
    assert opened.find_element("css selector", "#reasons").aria_role == "table"
    assert opened.find_element("css selector", "#reasons tbody th").aria_role == "rowheader"


def test_a_zones_link_leads_to_its_folder(opened):
    (link,) = [each for each in opened.find_elements("css selector", "#zones a") if each.text.startswith("rejects/")]
    link.click()
    assert "part-00000.parquet" in opened.page_source


def test_the_browser_asks_nobody_for_anything_and_complains_of_nothing(browser, page):
    import json

    browser.get(page[0].as_uri())
    told = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [each["params"]["request"]["url"] for each in told if each["method"] == "Network.requestWillBeSent"]
    assert asked == [page[0].as_uri()]
    assert browser.get_log("browser") == []
