"""The table of edges in a table without constraints, judged by dbt's tests: the verdict of the engines, by reason."""

import json
import os
import runpy
import shutil
from collections import Counter
from contextlib import suppress
from pathlib import Path

import psycopg2
import pytest
import yaml
from psycopg2 import sql

from rowgate.adapters.warehouse import Connection
from rowgate.contract.checks import Matches
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey
from rowgate.contract.types import Text
from rowgate.contract.values import typed
from rowgate.errors import BreachError
from rowgate.stages import dbt
from rowgate.stages.dbt import DbtResult
from rowgate.targets import artifacts, postgres, reference
from rowgate.targets.reference import Record

TABLE = runpy.run_path(str(Path(__file__).parents[1] / "conformance" / "edges.py"))
EDGES, CONTRACT, NOW = TABLE["EDGES"], TABLE["CONTRACT"], TABLE["NOW"]
KINDS = {column.name: column.type for column in CONTRACT.columns}
LOADED = [edge for edge in EDGES if edge.storable and edge.readable]
OTHERS = [edge for edge in EDGES if edge not in LOADED]


def project_of(contract: Contract, project: Path, folder: Path) -> Path:
    """A dbt project of that contract alone, in the folder; a second time it is left as it is."""
    if not (folder / "dbt").exists():
        shutil.copytree(project / "dbt", folder / "dbt", ignore=shutil.ignore_patterns("target", "logs", "models"))
        for path, text in artifacts.render_all([contract]).items():
            if path.startswith("dbt/"):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
    return folder / "dbt"


def run_dbt(contract: Contract, command: str, folder: Path, settings: Connection, project: Path) -> DbtResult:
    state = folder.parent
    return dbt.run(
        contract,
        settings,
        project=folder,
        state=state / "state",
        dbt=project / ".venv" / "bin" / "dbt",
        environ={"PATH": os.environ["PATH"], "HOME": str(state)},
        command=command,
        log=state / "dbt.log",
    )


@pytest.fixture
def dbt_test(settings, project, tmp_path):
    """Build and test the contract's models; how many rows each red test found."""
    folder = project_of(CONTRACT, project, tmp_path)

    def run() -> dict[str, int]:
        run_dbt(CONTRACT, "run", folder, settings, project)
        with suppress(BreachError):
            run_dbt(CONTRACT, "test", folder, settings, project)
        results = json.loads((tmp_path / "state/dbt/edges/target/run_results.json").read_text(encoding="utf-8"))
        nodes = results["results"]
        assert {node["status"] for node in nodes} <= {"pass", "fail"}
        return {node["unique_id"].split(".")[2]: node["failures"] for node in nodes if node["failures"]}

    return run


def test_columns_that_need_quotes_are_built_and_tested(settings, project, tmp_path, ask):
    """A staging model is under dbt's contract with every name that Postgres can quote."""
    named = ("Größe", "select", "a b", "c.d", "it's", "A", "percent%s")
    columns = tuple(Column(name, Text(), required=True) for name in named)
    rules = tuple(FieldRule(name, Matches("[a-z]+"), f"bad_{at}") for at, name in enumerate(named))
    contract = Contract("odd", "1.0.0", "us", columns, rules, key=NaturalKey(("a b", "Größe")))
    ask(postgres.render(contract))
    found = {}
    for command in ("run", "test"):
        found[command] = run_dbt(contract, command, project_of(contract, project, tmp_path), settings, project)
    assert found == {"run": DbtResult(1, 0), "test": DbtResult(23, 0)}


@pytest.fixture
def put(warehouse, ask):
    """Put the row of an edge into a table without constraints; the text of what it then holds, None if not taken."""
    columns = ", ".join(f'"{column.name}" {column.sql_type}' for column in postgres.table(CONTRACT).columns)
    ask(f"CREATE SCHEMA warehouse; CREATE TABLE warehouse.edges ({columns})")

    def insert(edge, key: str) -> str | None:
        row = {name: text and typed(text, KINDS[name]) for name, text in edge.fields(key).items()}
        row |= {edge.column: edge.value if edge.storable else edge.text}
        row |= {"first_run_id": "by hand", "last_run_id": "by hand", "loaded_at": NOW}
        names = sql.SQL(", ").join(map(sql.Identifier, row))
        marks = sql.SQL(", ").join(sql.Placeholder() * len(row))
        shape = sql.SQL("INSERT INTO warehouse.edges ({}) VALUES ({}) RETURNING to_json({}) #>> '{{}}'")
        with warehouse.cursor() as cursor:
            cursor.execute("SAVEPOINT one")
            try:
                cursor.execute(shape.format(names, marks, sql.Identifier(edge.column)), list(row.values()))
                return cursor.fetchone()[0]
            except psycopg2.DataError:
                cursor.execute("ROLLBACK TO one")
                return None

    return insert


def test_exactly_the_tests_of_the_broken_rules_are_red_each_with_as_many_rows_as_break_it(dbt_test, put, warehouse):
    for at, edge in enumerate(LOADED):
        put(edge, f"k{at}")
    warehouse.commit()
    broken = [edge for edge in LOADED if not edge.good]
    expected = Counter(
        f"edges_{edge.column}_missing" if edge.text is None else f"edges_{edge.reason}" for edge in broken
    )
    assert len(expected) > 30
    assert dbt_test() == expected


def test_what_no_reader_gives_is_found_in_its_column_and_nothing_else_is(dbt_test, put, warehouse, tmp_path):
    """White space at an end, null markers, NaN and infinity, and a key that stands twice."""
    wrong: Counter[str] = Counter({"k": 1})
    for at, edge in enumerate([*OTHERS, EDGES[0], EDGES[0]]):
        held = put(edge, f"k{min(at, len(OTHERS))}")
        readable = held == reference.normalise(held or "", CONTRACT.null_markers)
        record = Record({**edge.fields("k"), edge.column: held}, None, 1)
        if held is not None and not (readable and not reference.judge(CONTRACT, [record], NOW)[0].reasons):
            wrong[edge.column] += 1
    warehouse.commit()
    red: Counter[str] = Counter()
    of_column = columns_of_tests(tmp_path)
    for name, failures in dbt_test().items():
        red[of_column[name]] += failures
    assert len(wrong) > 15
    assert set(red) == set(wrong)
    assert {name: count for name, count in wrong.items() if red[name] < count} == {}


def columns_of_tests(folder: Path) -> dict[str, str]:
    """The column of each test of the rendered source."""
    file = folder / "dbt/models/staging/edges/_edges__sources.yml"
    [table] = yaml.safe_load(file.read_text(encoding="utf-8"))["sources"][0]["tables"]
    source = {
        body["name"]: column["name"]
        for column in table["columns"]
        for test in column.get("data_tests", [])
        for body in test.values()
    }
    return {**source, "stg_edges_k_repeated": "k"}
