"""The saved queries: plain Athena SQL, pruned, and right about a lake with known runs."""

import datetime as dt
import io
from dataclasses import replace

import pytest
import sqlglot

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import Between, NotBlank
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey
from rowgate.contract.types import Integer, Text
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.query import asked
from rowgate.stages.report import Load
from rowgate.stages.run import Run
from rowgate.targets import athena_tables, saved_queries

TOY = Contract(
    "toy",
    "1.0.0",
    "us",
    (Column("id", Text()), Column("who", Text(), required=True), Column("n", Integer(32), required=True)),
    (FieldRule("who", NotBlank(), "who_missing"), FieldRule("n", Between(0, 9), "n_wrong")),
)
QUERIES = {query.name.removeprefix("toy_"): query for query in saved_queries.of_contract(TOY)}
TODAY = dt.datetime.now(dt.UTC).replace(microsecond=0)
YESTERDAY = TODAY - dt.timedelta(days=1)
LONG_AGO = TODAY - dt.timedelta(days=40)


def test_the_questions_that_are_asked_of_every_contract():
    assert list(QUERIES) == [
        "rejections_by_reason",
        "rejections_by_day",
        "accept_rate_over_time",
        "trend_by_source",
        "rejected_records",
        "raw_sample",
        "broke_several_rules",
        "why_not_in_warehouse",
    ]


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("dialect", ["athena", "trino"])
def test_a_query_is_one_select_of_the_dialect(name, dialect):
    [statement] = sqlglot.parse(QUERIES[name].sql, dialect=dialect)
    assert isinstance(statement, sqlglot.exp.Select)


@pytest.mark.parametrize("name", QUERIES)
def test_every_table_of_a_query_is_pruned_by_its_dt(name):
    statement = sqlglot.parse_one(QUERIES[name].sql, dialect="athena")
    made = {cte.alias for cte in statement.find_all(sqlglot.exp.CTE)}
    tables = [table for table in statement.find_all(sqlglot.exp.Table) if table.name not in made]
    bounds = [bound for bound in statement.find_all(sqlglot.exp.GTE) if bound.this.name == "dt"]
    assert len(tables) == len(bounds) > 0


def test_a_record_is_named_by_the_natural_key():
    keyed = replace(TOY, key=NaturalKey(("who",)))
    [query] = [query for query in saved_queries.of_contract(keyed) if query.name == "toy_why_not_in_warehouse"]
    assert (query.asks, 'records."who" = wanted.value' in query.sql) == (("the who",), True)


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """A run today (loaded), one yesterday (of another source), and one forty days ago."""
    found = open_lake(f"file://{tmp_path_factory.mktemp('lake')}")
    for run_id, when, source, rows in (
        ("new", TODAY, "a.csv", "1,x,1\n2,,1\n3,,77\n4,y,88\nbroken 5\n"),
        ("old", YESTERDAY, "b.csv", "1,x,1\n6,,1\n"),
        ("ancient", LONG_AGO, "a.csv", "9,,99\n"),
    ):
        run = Run("toy", run_id, when)
        content = f"id,who,n\n{rows}".encode()
        ingest(TOY, run, Source(source, lambda content=content: io.BytesIO(content)), found)
        report = transform_duckdb(TOY, run, found, now=when, source=source)
        if run_id == "new":
            found.write_bytes(run.report, report.loaded(Load(1, 0, 0, 0), when).to_json().encode())
    return found


@pytest.fixture(scope="module")
def answer(lake):
    tables = {table.name: table for table in athena_tables.tables(TOY)}

    def ask(name, *values):
        with asked(QUERIES[name].sql, tables, lake, values=values) as found:
            return [dict(zip(found.columns, row, strict=True)) for row in found.rows]

    return ask


NEW, OLD = TODAY.date().isoformat(), YESTERDAY.date().isoformat()


def test_rejections_by_reason_counts_the_first_reason_and_every_one(answer):
    found = [tuple(row.values()) for row in answer("rejections_by_reason")]
    assert found == [("who_missing", 3, 3), ("n_wrong", 1, 2), ("malformed_record", 1, 1)]


def test_rejections_by_day_has_a_row_for_each_day_and_reason_with_rows(answer):
    found = [tuple(row.values()) for row in answer("rejections_by_day")]
    assert found == [
        (NEW, "who_missing", 2),
        (NEW, "malformed_record", 1),
        (NEW, "n_wrong", 1),
        (OLD, "who_missing", 1),
    ]


def test_accept_rate_over_time_has_a_row_a_day(answer):
    found = [(row["dt"], row["runs"], row["total"], row["accept_rate"]) for row in answer("accept_rate_over_time")]
    assert found == [(NEW, 1, 5, 0.2), (OLD, 1, 2, 0.5)]


def test_trend_by_source_has_a_row_a_source_and_day(answer):
    found = [(row["source"], row["dt"], row["rejected"], row["change"]) for row in answer("trend_by_source")]
    assert found == [("a.csv", NEW, 4, None), ("b.csv", OLD, 1, None)]


def test_the_rejected_records_of_a_reason_are_those_that_broke_it_first(answer):
    found = [(row["run_id"], row["id"], row["rejection_reasons"]) for row in answer("rejected_records", "who_missing")]
    assert found == [
        ("new", "2", ["who_missing"]),
        ("new", "3", ["who_missing", "n_wrong"]),
        ("old", "6", ["who_missing"]),
    ]


def test_the_raw_sample_has_good_and_bad_records_of_the_newest_files_first(answer):
    found = [(row["run_id"], row["id"], row["raw_record"]) for row in answer("raw_sample")]
    assert found == [
        *(("new", str(number), None) for number in range(1, 5)),
        ("new", None, "broken 5"),
        ("old", "1", None),
        ("old", "6", None),
    ]


def test_who_broke_more_than_one_rule_is_named_with_the_reasons(answer):
    found = [(row["id"], row["rules_broken"], row["reasons"]) for row in answer("broke_several_rules")]
    assert found == [("3", 2, "who_missing, n_wrong")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3", [("new", 3, "rejected", "who_missing, n_wrong")]),
        ("1", [("new", 1, "accepted and loaded", None), ("old", 1, "accepted, not loaded yet", None)]),
        ("broken 5", [("new", 5, "rejected", "malformed_record")]),
        ("404", []),
    ],
    ids=["rejected", "accepted", "malformed", "unknown"],
)
def test_why_a_record_is_not_in_the_warehouse(answer, value, expected):
    found = [
        (row["run_id"], row["record_number"], row["outcome"], row["reasons"])
        for row in answer("why_not_in_warehouse", value)
    ]
    assert found == expected
