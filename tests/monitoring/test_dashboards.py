"""The dashboards as they stand: made by the code beside them, complete, in order, and of what there is."""

import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from rowgate.contract import catalog
from rowgate.targets import saved_queries

GRAFANA = Path(__file__).resolve().parents[2] / "monitoring" / "grafana"
BOARDS = {
    file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted((GRAFANA / "dashboards").glob("*.json"))
}
PANELS = {
    f"{name}: {panel['title']}": panel
    for name, board in BOARDS.items()
    for panel in board["panels"]
    if panel["type"] != "row"
}
FIGURES = {name: panel for name, panel in PANELS.items() if panel["type"] != "text"}
TABLES = {name: panel for name, panel in FIGURES.items() if panel.get("transformations")}

every_board = pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
every_panel = pytest.mark.parametrize("panel", PANELS.values(), ids=PANELS)
every_figure = pytest.mark.parametrize("panel", FIGURES.values(), ids=FIGURES)
every_table = pytest.mark.parametrize("panel", TABLES.values(), ids=TABLES)

OKABE_AND_ITO = {"#0072B2", "#E69F00", "#D55E00", "#009E73", "#56B4E9", "#CC79A7", "#999999"}
OF_GRAFANA = {"__range", "__interval", "__rate_interval", "__value", "__all"}


def test_the_dashboards_in_the_tree_are_what_the_code_makes():
    done = subprocess.run(
        [sys.executable, GRAFANA / "build.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@every_board
def test_the_schema_of_grafana_knows_all_that_a_dashboard_says(board):
    """Grafana's types, which come from its schema, read it and write the same."""
    assert json.loads(json.dumps(Dashboard.from_json(board), cls=JSONEncoder)) == board


@every_panel
def test_a_panel_says_what_it_shows(panel):
    assert len(panel["description"]) > 30


@every_figure
def test_a_panel_has_a_unit_thresholds_and_words_for_no_data(panel):
    defaults = panel["fieldConfig"]["defaults"]
    assert (bool(defaults["unit"]), bool(defaults["thresholds"]["steps"]), bool(defaults["noValue"])) == (True,) * 3


@every_board
def test_the_ids_of_panels_are_unique(board):
    ids = [panel["id"] for panel in board["panels"]]
    assert sorted(set(ids)) == ids


def test_the_ids_of_dashboards_are_unique():
    assert len({board["uid"] for board in BOARDS.values()}) == len(BOARDS)


@every_board
def test_no_two_panels_lie_on_one_another(board):
    places = [(panel["title"], panel["gridPos"]) for panel in board["panels"]]
    over = [(one, two) for (one, a), (two, b) in itertools.combinations(places, 2) if _overlap(a, b)]
    assert over == []


def _overlap(a, b):
    return all(a[at] < b[at] + b[size] and b[at] < a[at] + a[size] for at, size in (("x", "w"), ("y", "h")))


@every_board
def test_the_panels_of_a_line_fill_it_and_no_more(board):
    """So that 1280 pixels have no holes, and nothing lies outside; a phone gets one panel under the other."""
    for y, line in itertools.groupby(board["panels"], key=lambda panel: panel["gridPos"]["y"]):
        widths = [panel["gridPos"]["w"] for panel in line]
        assert (sum(widths), min(widths) >= 6) == (24, True), y


@every_board
def test_every_query_and_list_goes_to_the_chosen_data_source(board):
    asking = [each for panel in board["panels"] for each in (panel, *panel.get("targets", ()))]
    asking += [*board["templating"]["list"], *board["annotations"].get("list", ())]
    sources = [each["datasource"] for each in asking if "datasource" in each and each.get("type") != "datasource"]
    assert {json.dumps(source) for source in sources} == {'{"type": "prometheus", "uid": "${datasource}"}'}


def test_the_data_source_chosen_at_first_is_the_provisioned_one():
    path = GRAFANA / "provisioning" / "datasources" / "prometheus.yml"
    [provisioned] = yaml.safe_load(path.read_text(encoding="utf-8"))["datasources"]
    chosen = {board["templating"]["list"][0]["current"]["value"] for board in BOARDS.values()}
    assert chosen == {provisioned["uid"]}


def test_grafana_finds_the_folders_where_compose_puts_them(project):
    path = GRAFANA / "provisioning" / "dashboards" / "rowgate.yml"
    [provider] = yaml.safe_load(path.read_text(encoding="utf-8"))["providers"]
    volumes = yaml.safe_load((project / "docker-compose.yml").read_text(encoding="utf-8"))["services"]["grafana"][
        "volumes"
    ]
    mounted = f"./monitoring/grafana/dashboards:{provider['options']['path']}:ro"
    assert (mounted in volumes, "./monitoring/grafana/provisioning:/etc/grafana/provisioning:ro" in volumes) == (
        True,
        True,
    )


@every_board
def test_every_variable_that_is_used_is_there(board):
    known = {variable["name"] for variable in board["templating"]["list"]} | OF_GRAFANA
    used = {one or two for one, two in re.findall(r"\$(?:\{(\w+)|(\w+))", json.dumps(board))}
    assert used <= known


@every_table
def test_the_columns_of_a_table_are_of_its_queries(panel):
    options = {each["id"]: each["options"] for each in panel["transformations"]}
    values = [field for field in options["organize"]["renameByName"] if field.startswith("Value")]
    several = len(panel["targets"]) > 1
    queries = {f"Value #{target['refId']}" if several else "Value" for target in panel["targets"]}
    assert (set(values) <= queries, {target["format"] for target in panel["targets"]}) == (True, {"table"})


@every_table
def test_what_is_said_of_a_column_is_of_one_that_there_is(panel):
    options = {each["id"]: each["options"] for each in panel["transformations"]}
    said = {each["matcher"]["options"] for each in panel["fieldConfig"]["overrides"]}
    assert said <= set(options["organize"]["renameByName"].values())


@every_board
def test_the_colours_are_those_that_people_with_any_colour_vision_tell_apart(board):
    assert set(re.findall(r"#[0-9A-Fa-f]{6}\b", json.dumps(board["panels"]))) <= OKABE_AND_ITO


def test_the_saved_queries_that_the_dashboard_names_are_there_for_every_contract(project):
    text = json.dumps(BOARDS["data-quality"])
    named = set(re.findall(r"\$\{contract\}_(\w+)", text))
    for contract in catalog.load_all(project / "contracts"):
        queries = {query.name for query in saved_queries.of_contract(contract)}
        assert {f"{contract.name}_{name}" for name in named} <= queries
    assert named == {"rejected_records", "rejections_by_reason"}


def test_a_reason_of_the_table_leads_to_its_rows():
    [override] = [
        each
        for each in PANELS["data-quality: Reasons"]["fieldConfig"]["overrides"]
        if each["matcher"]["options"] == "Reason"
    ]
    [links] = [each["value"] for each in override["properties"] if each["id"] == "links"]
    assert ["rejected_records" in links[0]["title"], links[1]["url"]] == [True, "${page}"]
