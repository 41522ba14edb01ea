"""The files that Spark leaves are what Athena's tables say."""

import datetime as dt
import decimal
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import Typed
from rowgate.contract.model import Column, Contract, FieldRule, SurrogateKey
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.query import asked
from rowgate.stages.run import Run
from rowgate.targets import athena_tables

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
KINDS = {"t": Text(), "i": Integer(32), "d": Decimal(10, 2), "day": Date(), "at": Timestamp(), "yes": Boolean()}
CONTRACT = Contract(
    "types",
    "1.0.0",
    "us",
    tuple(Column(name, kind, required=name == "t") for name, kind in KINDS.items()),
    tuple(FieldRule(name, Typed(), f"{name}_wrong") for name in KINDS),
    key=SurrogateKey("key", ("t",)),
)
ROWS = b"t,i,d,day,at,yes\nx,1,3.4,2026-01-02,2026-01-02T03:04:05+02:00,true\nx,bad,3.4,bad,2026-01-02T03:04:05Z,true\n"
ARROW = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "decimal(10,2)": pa.decimal128(10, 2),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "boolean": pa.bool_(),
    "array<string>": pa.list_(pa.string()),
}
TABLES = {table.zone: table for table in athena_tables.tables(CONTRACT)}


@pytest.fixture(scope="module")
def lake(spark, tmp_path_factory):
    from rowgate.stages.transform import transform

    found = open_lake(f"file://{tmp_path_factory.mktemp('lake')}")
    run = Run("types", "r", NOW)
    ingest(CONTRACT, run, Source("types.csv", lambda: io.BytesIO(ROWS)), found)
    transform(spark, CONTRACT, run, found, now=NOW)
    return found


@pytest.mark.parametrize("zone", ["clean", "rejects"])
def test_the_columns_their_order_and_their_types_are_the_tables(lake, zone):
    [file] = [key for key in lake.list(zone) if key.endswith(".parquet")]
    found = [(field.name, _flat(field.type)) for field in pq.read_schema(lake.local(file))]
    assert found == [(column.source, ARROW[column.kind]) for column in TABLES[zone].columns]


def _flat(kind: pa.DataType) -> pa.DataType:
    """The type without the name of a list's element."""
    return pa.list_(kind.value_type) if pa.types.is_list(kind) else kind


def test_the_rows_are_read_as_they_are(lake):
    tables = {table.name: table for table in TABLES.values()}
    with asked('SELECT i, d, day, "at", yes FROM types_clean', tables, lake) as answer:
        assert list(answer.rows) == [
            (1, decimal.Decimal("3.40"), dt.date(2026, 1, 2), dt.datetime(2026, 1, 2, 1, 4, 5), True)  # noqa: DTZ001 - Athena's timestamps have no zone
        ]
    with asked("SELECT i, rejection_reasons, rejected_at FROM types_rejects", tables, lake) as answer:
        assert list(answer.rows) == [("bad", ["i_wrong", "day_wrong"], NOW.replace(tzinfo=None))]
