"""Columns of any name in Spark and DuckDB: blanks, dots, quotes, signs that Parquet once refused, other alphabets."""

import datetime as dt
import io
from functools import partial

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import Between, Expression, NotBlank, Unique
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, NaturalKey, Policy
from rowgate.contract.types import Integer, Text
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.keys import keep_keys
from rowgate.stages.run import Run
from rowgate.stages.transform import transform

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
# To Spark, which compares names without regard to case, the i with and the one without a dot are two.
NAMES = ("order id", "a.b;c{d}(e)=f", "q\"u`o'te|,", "select", "Ηλικία", "i", "\u0131", "%s/{{x}}")
ODD = Contract(
    "odd",
    "1.0.0",
    "tests",
    tuple(Column(name, Text() if name == "order id" else Integer(32), required=True) for name in NAMES),
    (
        FieldRule("order id", NotBlank(), "reason_0"),
        *(FieldRule(name, Between(0, 9), f"reason_{at}") for at, name in enumerate(NAMES) if at),
        FieldRule("i", Expression("`a.b;c{d}(e)=f` + `\u0131` < 9"), "sum", policy=Policy.WARN),
        FieldRule("order id", Unique(("a.b;c{d}(e)=f",)), "twice"),
    ),
    key=NaturalKey(("order id", "a.b;c{d}(e)=f")),
    dataset_rules=(DatasetRule("most", "SELECT max(`Ηλικία`) - min(`\u0131`) FROM {table}", 9),),
)
GOOD = ["x", "1", "1", "1", "1", "1", "1", "1"]


def rows() -> bytes:
    """Two good rows, one that repeats a key, one with a warning, and one row for each column that is wrong."""
    warned = ["y", "6", "1", "1", "1", "1", "5", "1"]
    wrong = [[*GOOD[:at], "" if at == 0 else "10", *GOOD[at + 1 :]] for at in range(len(NAMES))]
    head = ",".join('"' + name.replace('"', '""') + '"' for name in NAMES)
    lines = [GOOD, ["z", *GOOD[1:]], GOOD, warned, *wrong]
    return "\n".join([head, *(",".join(line) for line in lines)]).encode()


@pytest.mark.parametrize("engine", ["spark", "duckdb"])
def test_a_column_of_any_name_is_judged_alike(engine, spark, tmp_path):
    judge = {"spark": partial(transform, spark), "duckdb": transform_duckdb}[engine]
    lake, run = open_lake(f"file://{tmp_path / 'lake'}"), Run("odd", "one", NOW)
    ingest(ODD, run, Source("in.csv", lambda: io.BytesIO(rows())), lake)
    report = judge(ODD, run, lake, now=NOW)
    keep_keys(ODD, run, lake)
    assert report.accepted == 3
    rejected = {reason: rows for reason, rows in report.rejected_by_reason.items() if rows}
    assert rejected == {**{f"reason_{at}": 1 for at in range(len(NAMES))}, "twice": 1}
    assert report.warnings_by_reason == {"sum": 1}
    assert report.quality_rules[0].value == 0
