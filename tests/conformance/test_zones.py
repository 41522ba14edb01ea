"""A run judged on DuckDB leaves the zones and the report that it leaves on Spark."""

import csv
import dataclasses
import datetime as dt
import io
from decimal import Decimal as Number
from functools import partial

import pyarrow.parquet as pq
import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import Between, Expression, Matches, NotBlank, Typed, Unique
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, Policy, SurrogateKey
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.run import Run

NOW = dt.datetime(2026, 3, 1, 12, 0, 0, 5, dt.UTC)
RUN = Run("toy", "manual__2026-03-01T12:00:00+00:00", NOW)

CONTRACT = Contract(
    name="toy",
    version="1.0.0",
    owner="tests",
    columns=(
        Column("no", Text(), loaded=False),
        Column("id", Integer(32), required=True),
        Column("small", Decimal(8, 2)),
        Column("middle", Decimal(18, 6)),
        Column("long", Decimal(38, 10)),
        Column("Day", Date()),
        Column("at", Timestamp()),
        Column("flag", Boolean()),
        Column('a "b`.c', Integer(64)),
        Column("reasons", Text(), required=True),
    ),
    rules=(
        FieldRule("id", NotBlank(), "missing_id"),
        FieldRule("id", Typed(), "untyped_id"),
        FieldRule("small", Between(Number(0), None), "small_wrong"),
        FieldRule("middle", Typed(), "middle_wrong"),
        FieldRule("long", Expression("long / 3 <> 0.333333333333333333"), "long_wrong"),
        FieldRule("Day", Expression("Day <= current_date()"), "day_wrong"),
        FieldRule("at", Typed(), "at_wrong"),
        FieldRule("flag", Typed(), "flag_wrong", policy=Policy.WARN),
        FieldRule('a "b`.c', Typed(), "abc_wrong"),
        FieldRule("reasons", Matches("[^|]+"), "reasons_wrong"),
        FieldRule("id", Unique(), "repeated_id"),
        FieldRule("reasons", Unique(("flag",)), "repeated_reasons", policy=Policy.WARN),
    ),
    key=SurrogateKey("toy_id", ("id", "reasons")),
    dataset_rules=(
        DatasetRule("rows", "SELECT count(*) FROM {table}", 1000),
        DatasetRule("hours", "SELECT datediff(HOUR, max(at), current_timestamp()) FROM {table}", 1e9),
        DatasetRule("share", "SELECT COUNT(*) FILTER(WHERE flag IS NULL) / COUNT(*) FROM {table}", 1),
    ),
)

ROWS = [
    [
        "a",
        "1",
        "5",
        "0.000001",
        "1",
        "2026-01-02",
        "2026-01-02 03:04:05.25+01:00",
        "true",
        "9223372036854775807",
        "x y",
    ],
    ["b", "1", "6", "", "", "", "", "", "", "x y"],
    ["c", "2", "-1", "x", "1.0", "2026-03-02", "0001-01-01 00:00", "maybe", "-1", "Ω"],
    ["d", "3", "", "999999999999.999999", f"-{'9' * 28}.5", "0001-01-01", "9999-12-31T23:59:59.999999Z", "no", "", "é"],
    ["e", "4"],
    ["f", "", "", "", "", "", "", "", "", ""],
    ["g", "5", "0", "0", "0", "1582-10-10", "1582-10-10 00:00", "FALSE", "0", "é"],
    ["h", "6", "0", "0", "0", "2026-03-01", "2026-03-01 10:30", "false", "0", "é"],
    *(
        [str(n), str(n), "1.50", "2", "3", "2020-01-01", "2020-01-01 00:00", "true", "7", f"r{n}"]
        for n in range(10, 60)
    ),
]
FILE = io.StringIO()
csv.writer(FILE).writerows([[column.name for column in CONTRACT.columns], *ROWS])


def judged(folder, transform):
    lake = open_lake(f"file://{folder}/a lake, it's λίμνη")
    ingest(CONTRACT, RUN, Source("toy.csv", lambda: io.BytesIO(FILE.getvalue().encode())), lake)
    report = transform(CONTRACT, RUN, lake, now=NOW)
    return report, *(pq.read_table(lake.local(RUN.folder(zone)), partitioning=None) for zone in ("clean", "rejects"))


@pytest.fixture(scope="module")
def on_duckdb(tmp_path_factory):
    return judged(tmp_path_factory.mktemp("duckdb"), transform_duckdb)


@pytest.fixture(scope="module")
def on_spark(spark, tmp_path_factory):
    from rowgate.stages.transform import transform

    return judged(tmp_path_factory.mktemp("spark"), partial(transform, spark))


def test_the_reports_are_equal(on_duckdb, on_spark):
    assert dataclasses.asdict(on_duckdb[0]) == dataclasses.asdict(on_spark[0])


@pytest.mark.parametrize("zone", [1, 2], ids=["clean", "rejects"])
def test_the_zones_have_the_same_columns_and_types(on_duckdb, on_spark, zone):
    assert _types(on_duckdb[zone]) == _types(on_spark[zone])


@pytest.mark.parametrize("zone", [1, 2], ids=["clean", "rejects"])
def test_every_column_of_a_zone_may_be_null(on_duckdb, zone):
    assert all(field.nullable for field in on_duckdb[zone].schema)


@pytest.mark.parametrize("zone", [1, 2], ids=["clean", "rejects"])
def test_the_zones_have_the_same_rows(on_duckdb, on_spark, zone):
    assert on_duckdb[zone].to_pylist() == on_spark[zone].sort_by("record_number").to_pylist()


@pytest.mark.parametrize("zone", [1, 2], ids=["clean", "rejects"])
def test_duckdb_writes_rows_in_the_order_of_the_file(on_duckdb, zone):
    numbers = on_duckdb[zone].column("record_number").to_pylist()
    assert len(numbers) > 2
    assert numbers == sorted(numbers)


def _types(table):
    return [(field.name, getattr(field.type, "value_type", field.type), field.nullable) for field in table.schema]
