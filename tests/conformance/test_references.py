"""Which rows break a reference: the reference, DuckDB and Spark judge one table."""

import datetime as dt
from decimal import Decimal as Number

import pytest

from rowgate.contract.checks import Matches, References, Typed, Unique
from rowgate.contract.model import Column, Contract, FieldRule, Policy
from rowgate.contract.types import Date, Decimal, Integer, Text, Timestamp
from rowgate.targets import reference
from rowgate.targets.reference import Record

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
MOMENT = dt.datetime(1500, 1, 1, 12, 0, 0, 1, dt.UTC)

CONTRACT = Contract(
    "toy",
    "1.0.0",
    "tests",
    (
        Column("who", Text(), required=True),
        Column("n", Integer(32)),
        Column("price", Decimal(6, 2)),
        Column("day", Date()),
        Column("at", Timestamp()),
        Column("shop", Text()),
        Column("later", Text()),
    ),
    (
        FieldRule("who", References("people"), "who_unknown"),
        FieldRule("n", References("numbers", "no"), "n_unknown"),
        FieldRule("price", Typed(), "price_untyped"),
        FieldRule("price", References("prices"), "price_unknown"),
        FieldRule("day", References("days"), "day_unknown"),
        FieldRule("at", References("moments"), "at_unknown"),
        FieldRule("shop", Matches("[a-z ]+"), "shop_odd"),
        FieldRule("shop", References("people"), "shop_unknown", policy=Policy.WARN),
        FieldRule("later", References("never_loaded"), "later_unknown"),
        FieldRule("later", Unique(), "later_twice"),
    ),
)
"""A column of one reference to each kind of key, and one to a contract that never loaded."""

KEYS = {
    References("people"): (Text(), ["ann", "ann", "é", "a b", None]),
    References("numbers", "no"): (Integer(64), [7, 2**40]),
    References("prices"): (Decimal(6, 2), [Number("1.50"), Number("-0.10")]),
    References("days"): (Date(), [dt.date(1, 1, 1), dt.date(2026, 2, 28)]),
    References("moments"): (Timestamp(), [MOMENT]),
}
"""For each reference the type of the keys, and the keys."""

TABLE: list[tuple[dict[str, str] | None, list[str], list[str]]] = [
    ({"who": "ann"}, [], []),
    ({"who": "Ann"}, ["who_unknown"], []),
    ({"who": "ann x"}, ["who_unknown"], []),
    ({"who": "é"}, [], []),
    ({"who": "e\u0301"}, ["who_unknown"], []),
    ({}, ["who_unknown"], []),
    ({"who": "a b", "n": "+007"}, [], []),
    ({"who": "ann", "n": "8"}, ["n_unknown"], []),
    ({"who": "ann", "n": "seven"}, ["n_unknown"], []),
    ({"who": "ann", "n": str(2**40)}, ["n_unknown"], []),
    ({"who": "ann", "price": "1.5"}, [], []),
    ({"who": "ann", "price": "-0.100"}, [], []),
    ({"who": "ann", "price": "1.51"}, ["price_unknown"], []),
    ({"who": "ann", "price": "1,50"}, ["price_untyped"], []),
    ({"who": "ann", "day": "0001-01-01"}, [], []),
    ({"who": "ann", "day": "2026-03-01"}, ["day_unknown"], []),
    ({"who": "ann", "at": "1500-01-01T13:00:00.000001+01:00"}, [], []),
    ({"who": "ann", "at": "1500-01-01 12:00:00.000002"}, ["at_unknown"], []),
    ({"who": "ann", "shop": "a b"}, [], []),
    ({"who": "ann", "shop": "bob"}, [], ["shop_unknown"]),
    ({"who": "ann", "shop": "B"}, ["shop_odd"], []),
    ({"who": "x", "n": "1", "price": "2", "later": "b"}, ["who_unknown", "n_unknown", "price_unknown"], []),
    ({"who": "ann", "later": "b"}, [], []),
    ({"who": "é", "later": "b"}, ["later_twice"], []),
    (None, ["malformed_record"], []),
]
RECORDS = [
    Record(
        {} if row is None else {column.name: row.get(column.name) for column in CONTRACT.columns},
        "x,y" if row is None else None,
        number,
    )
    for number, (row, _, _) in enumerate(TABLE, start=1)
]
IDS = [f"{number} {row}" for number, (row, _, _) in enumerate(TABLE, start=1)]
EXPECTED = {number: (reasons, warnings) for number, (_, reasons, warnings) in enumerate(TABLE, start=1)}


@pytest.fixture(scope="module")
def files(key_files):
    return key_files(KEYS)


@pytest.fixture(scope="module")
def by_duckdb(judged_by_duckdb, files):
    return judged_by_duckdb(CONTRACT, RECORDS, NOW, files)


@pytest.fixture(scope="module")
def by_spark(spark, files):
    """Spark's verdicts in its long form, and whether its short form accepts the row."""
    from rowgate.targets import spark as target

    rows = [
        (*(each.fields.get(c.name) for c in CONTRACT.columns), each.raw_record, each.record_number) for each in RECORDS
    ]
    records = spark.createDataFrame(rows, target.records_schema(CONTRACT)).repartition(2)
    keys = {check: spark.read.parquet(*paths) for check, (paths, _) in files.items()}
    prepared = target.prepared(CONTRACT, records, keys)
    warns = [rule for rule in CONTRACT.rules if not CONTRACT.rejects(rule)]
    found = target.judged(CONTRACT, prepared, NOW).select(
        "record_number", target.REASONS, *map(target.warning, warns), target.accepts(CONTRACT, NOW).alias("ok")
    )
    return {
        row["record_number"]: (
            row[target.REASONS].split("|") if row[target.REASONS] else [],
            [rule.reason for rule in warns if row[target.warning(rule)]],
            row["ok"],
        )
        for row in found.collect()
    }


def test_the_reference_judges_references_as_the_table_says():
    keys = {check: set(values) for check, (_, values) in KEYS.items()}
    found = reference.judge(CONTRACT, RECORDS, NOW, keys)
    assert {each.record_number: (list(each.reasons), list(each.warnings)) for each in found} == EXPECTED


@pytest.mark.parametrize("number", EXPECTED, ids=IDS)
def test_duckdb_judges_references_as_the_table_says(by_duckdb, number):
    assert by_duckdb[number] == EXPECTED[number]


@pytest.mark.parametrize("number", EXPECTED, ids=IDS)
def test_spark_judges_references_as_the_table_says(by_spark, number):
    assert by_spark[number][:2] == EXPECTED[number]


def test_spark_judges_each_row_once_whatever_the_keys_repeat(by_spark):
    assert len(by_spark) == len(TABLE)


def test_spark_s_short_form_accepts_the_rows_that_break_no_reference(by_spark):
    accepted = [number for number, (reasons, _) in EXPECTED.items() if not set(reasons) - {"later_twice"}]
    assert sorted(number for number, (_, _, ok) in by_spark.items() if ok) == accepted
