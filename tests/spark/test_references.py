"""Keys of every type that Spark wrote as clean rows, referred to by a later run on either engine."""

import datetime as dt
import io
from functools import partial

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import References, Typed
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.keys import keep_keys
from rowgate.stages.run import Run
from rowgate.stages.transform import transform

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
KINDS: dict[str, ColumnType] = {
    "text": Text(),
    "n": Integer(32),
    "price": Decimal(6, 2),
    "day": Date(),
    "at": Timestamp(),
    "flag": Boolean(),
}
LOADED = b"text,n,price,day,at,flag\n a ,7,1.5,1500-02-28,1500-01-01 12:00:00.000001+01:00,TRUE\n"
SAME = b"a,007,1.50,1500-02-28,1500-01-01T11:00:00.000001,true\n"
OTHER = b"b,8,1.51,1500-03-01,1500-01-01T11:00:00,false\n"

ITEMS = Contract(
    "items",
    "1.0.0",
    "tests",
    tuple(Column(name, kind, required=True) for name, kind in KINDS.items()),
    tuple(FieldRule(name, Typed(), f"{name}_wrong") for name in KINDS),
    key=NaturalKey(tuple(KINDS)),
)
USES = Contract(
    "uses",
    "1.0.0",
    "tests",
    tuple(Column(name, kind) for name, kind in KINDS.items()),
    tuple(FieldRule(name, References("items", name), f"{name}_unknown") for name in KINDS),
)


@pytest.fixture(scope="module")
def reports(spark, tmp_path_factory):
    """The report of each engine, after one load whose clean rows Spark wrote."""
    lake = open_lake(f"file://{tmp_path_factory.mktemp('lake')}/a lake, it's λίμνη")

    def judged(judge, contract, run_id, data):
        run = Run(contract.name, run_id, NOW)
        ingest(contract, run, Source("in.csv", lambda: io.BytesIO(data)), lake)
        return run, judge(contract, run, lake, now=NOW)

    engines = {"spark": partial(transform, spark), "duckdb": transform_duckdb}
    run, _ = judged(engines["spark"], ITEMS, "one", LOADED)
    keep_keys(ITEMS, run, lake)
    data = b"text,n,price,day,at,flag\n" + SAME + OTHER + b",,,,,\n"
    return {name: judged(judge, USES, name, data)[1] for name, judge in engines.items()}


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_a_value_equal_to_a_loaded_key_is_accepted_and_another_is_not_for_every_type(reports, engine):
    report = reports[engine]
    assert report.violations_by_reason == {"malformed_record": 0} | {f"{name}_unknown": 1 for name in KINDS}
    assert (report.accepted, report.rejected, report.quality_rules) == (2, 1, [])
