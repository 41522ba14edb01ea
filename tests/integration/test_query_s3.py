"""Athena's tables asked on a lake that is on S3."""

import datetime as dt
import io

import pytest

from rowgate.contract.checks import Between, NotBlank
from rowgate.contract.model import Column, Contract, FieldRule
from rowgate.contract.types import Integer, Text
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.query import asked
from rowgate.stages.run import Run
from rowgate.stages.runs import newest
from rowgate.targets import athena_tables

TOY = Contract(
    "toy",
    "1.0.0",
    "us",
    (Column("who", Text(), required=True), Column("n", Integer(32))),
    (FieldRule("who", NotBlank(), "who_missing"), FieldRule("n", Between(0, 9), "n_wrong")),
)
TABLES = {table.name: table for table in athena_tables.tables(TOY)}


@pytest.fixture(scope="module")
def lake(s3_server):
    found = s3_server.lake(f"s3://{s3_server.bucket()}/a lake")
    for day in (1, 2):
        when = dt.datetime(2026, 3, day, tzinfo=dt.UTC)
        run = Run("toy", f"run {day}", when)
        ingest(TOY, run, Source("toy.csv", lambda: io.BytesIO(b"who,n\na,1\n,99\n")), found)
        transform_duckdb(TOY, run, found, now=when)
    return found


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT dt, who, n FROM toy_clean ORDER BY dt", [("2026-03-01", "a", 1), ("2026-03-02", "a", 1)]),
        ("SELECT rejection_reasons FROM toy_rejects WHERE dt > '2026-03-01'", [(["who_missing", "n_wrong"],)]),
        ("SELECT count(*) FROM toy_records WHERE dt = '2026-03-01'", [(2,)]),
        ("SELECT run_id, accept_rate FROM toy_quality WHERE dt = '2026-03-02'", [("run 2", 0.5)]),
    ],
)
def test_a_lake_on_s3_is_asked_like_a_folder(lake, sql, expected):
    with asked(sql, TABLES, lake) as answer:
        assert list(answer.rows) == expected


def test_the_runs_of_a_lake_on_s3_are_listed(lake):
    assert [report.run_id for report in newest(lake, "toy", 9).reports] == ["run 2", "run 1"]
