"""The rendered Expectation Suite, read by Great Expectations, over a table of clean rows in a real Postgres."""

import datetime as dt
import json
import uuid
from collections.abc import Iterator
from decimal import Decimal as Number

import pytest
from psycopg2 import sql

from rowgate.adapters.warehouse import Connection, connect
from rowgate.contract import catalog
from rowgate.contract.yaml_reader import read_yaml
from rowgate.targets import great_expectations, postgres
from rowgate.targets.postgres_sql import identifier

KINDS = r"""
name: kinds
version: 1.0.0
owner: us
key: [code, small]
null_markers: [n/a]
columns:
  - {name: text, type: string, required: true}
  - {name: code, type: string, required: true, pattern: '\w+', min_length: 2, max_length: 3}
  - {name: word, type: string, allowed_values: [yes, it's, 'a:b {c} 100%']}
  - {name: small, type: int, required: true, min: 1, max: 9}
  - {name: sum, type: "decimal(5,2)", required: true, min: 0.01}
  - {name: day, type: date, required: true, max: 2026-12-31}
  - {name: at, type: timestamp, allowed_values: ["2026-03-01 23:30:00.5", "0001-01-01 00:00"]}
  - {name: flag, type: boolean, allowed_values: [true]}
  - {name: soft, type: int, min: 5, policy: warn}
  - {name: odd, type: int, checks: ["odd % 2 = 1", "odd < 10 or word <> ':x {y} 50%'"]}
"""
GOOD = {
    "text": "\u0391 b",
    "code": "ab",
    "word": "a:b {c} 100%",
    "small": 1,
    "sum": Number("0.01"),
    "day": dt.date(1, 1, 1),
    "at": dt.datetime(2026, 3, 1, 23, 30, 0, 500_000, dt.UTC),
    "flag": True,
    "soft": 1,
    "odd": 3,
}
OTHERS = [
    {"code": "abc", "word": None, "at": None, "flag": None, "soft": None, "odd": None},
    {"small": 9, "sum": Number("999.99"), "day": dt.date(2026, 12, 31), "odd": 11},
]


class Table:
    """A table of the contract's types without its constraints, and what the library says of it."""

    def __init__(self, server: Connection, contract) -> None:
        import great_expectations as gx

        self.server, self.contract = server, contract
        columns = [f"{identifier(each.name)} {each.sql_type}" for each in postgres.table(contract).loaded]
        self.run(
            f"CREATE SCHEMA IF NOT EXISTS warehouse; CREATE TABLE warehouse.{contract.name} ({', '.join(columns)})"
        )
        self.suite = gx.ExpectationSuite(**json.loads(great_expectations.render(contract)))
        context = gx.get_context(mode="ephemeral")
        context.suites.add(self.suite)
        address = f"postgresql+psycopg2://{server.user}:{server.password}@{server.host}:{server.port}/{server.database}"
        address += "?options=-csearch_path%3Dwarehouse"
        source = context.data_sources.add_postgres(contract.name, connection_string=address)
        asset = source.add_table_asset(contract.name, table_name=contract.name)
        self.batch = asset.add_batch_definition_whole_table("all").get_batch()

    def run(self, statement: object, values: object = None) -> None:
        with connect(self.server) as connection, connection, connection.cursor() as cursor:
            cursor.execute(statement, values)

    def insert(self, row: dict[str, object]) -> None:
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier("warehouse", self.contract.name),
            sql.SQL(", ").join(map(sql.Identifier, row)),
            sql.SQL(", ").join(sql.Placeholder() * len(row)),
        )
        self.run(statement, list(row.values()))

    def failures(self) -> list[tuple[str, str | None]]:
        """The expectations that are not met: their types, and the reasons of their rules."""
        found = self.batch.validate(self.suite)
        broken = [each for each in found.results if each.exception_info.get("raised_exception")]
        assert not broken, broken[0].exception_info
        assert len(found.results) == len(self.suite.expectations)
        return [
            (each.expectation_config.type, (each.expectation_config.meta or {}).get("reason"))
            for each in found.results
            if not each.success
        ]


@pytest.fixture(scope="module")
def server(warehouse_server, tmp_path_factory) -> Iterator[Connection]:
    """An empty database; the library neither tells anybody of its use nor leaves files in the project."""
    found = warehouse_server
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GX_ANALYTICS_ENABLED", "false")
        patch.chdir(tmp_path_factory.mktemp("gx"))
        yield Connection(found.host, found.port, found.user, found.password, f"gx_{uuid.uuid4().hex}")


@pytest.fixture(scope="module")
def kinds(server) -> Table:
    return Table(server, read_yaml(KINDS, "it"))


@pytest.fixture
def rows(kinds) -> Table:
    """The table with three clean rows."""
    kinds.run("TRUNCATE warehouse.kinds")
    for changed in ({}, *OTHERS):
        kinds.insert(GOOD | changed)
    return kinds


def test_clean_rows_meet_every_expectation(rows):
    assert rows.failures() == []


NULL, SQL = "expect_column_values_to_not_be_null", "unexpected_rows_expectation"
REGEX, LENGTH = "expect_column_values_to_match_regex", "expect_column_value_lengths_to_be_between"
SET, BETWEEN = "expect_column_values_to_be_in_set", "expect_column_values_to_be_between"


@pytest.mark.parametrize(
    ("bad", "failure"),
    [
        ({"text": None}, (NULL, "missing_text")),
        ({"text": " a"}, (SQL, "missing_text")),
        ({"text": "n/a"}, (SQL, "missing_text")),
        ({"code": None}, (NULL, "missing_code")),
        ({"code": "a-"}, (REGEX, "code_bad_format")),
        ({"code": "a\u00e9"}, (REGEX, "code_bad_format")),
        ({"code": "ab\n"}, (REGEX, "code_bad_format")),
        ({"code": "a"}, (LENGTH, "code_bad_length")),
        ({"code": "abcd"}, (LENGTH, "code_bad_length")),
        ({"word": "no"}, (SET, "word_not_allowed")),
        ({"small": 10}, (BETWEEN, "small_out_of_range")),
        ({"small": 0}, (BETWEEN, "small_out_of_range")),
        ({"sum": Number(0)}, (SQL, "sum_out_of_range")),
        ({"sum": "NaN"}, (SQL, "sum_out_of_range")),
        ({"day": dt.date(2027, 1, 1)}, (SQL, "day_out_of_range")),
        ({"at": dt.datetime(2026, 3, 1, 23, 30, tzinfo=dt.UTC)}, (SQL, "at_not_allowed")),
        ({"flag": False}, (SET, "flag_not_allowed")),
        ({"odd": 2}, (SQL, "odd_check_1")),
        ({"odd": 11, "word": None}, (SQL, "odd_check_2")),
    ],
)
def test_one_bad_value_fails_the_expectation_of_its_rule_alone(rows, bad, failure):
    rows.insert(GOOD | {"code": "xy", "odd": 1} | bad)
    assert rows.failures() == [failure]


def test_a_key_that_stands_twice_fails_where_a_rule_says_so(server):
    text = (
        KINDS.replace("name: kinds", "name: pairs")
        .replace("key: [code, small]", "key: [code]")
        .replace("{name: code,", "{name: code, unique: true,")
    )
    pairs = Table(server, read_yaml(text, "it"))
    pairs.insert(GOOD)
    pairs.insert(GOOD)
    assert pairs.failures() == [("expect_column_values_to_be_unique", "duplicate_code")]


def test_a_clean_row_of_the_users_contract_meets_every_expectation(server, project):
    table = Table(server, catalog.find("users", project / "contracts"))
    row = {"user_id": "0" * 32, "name": "\u0391", "email": "a@b.gr", "phone": "6912345678", "zip_code": "01234"}
    table.insert(row | {"age": 18, "city": "\u0394"})
    assert table.failures() == []
