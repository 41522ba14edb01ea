"""Which rules a row breaks (design 3.3, 3.5 to 3.7): the reference and Spark judge one table."""

import datetime as dt
import decimal
import hashlib

import pytest

from rowgate.contract.checks import Between, Expression, LengthBetween, Matches, NotBlank, OneOf, Typed, Unique
from rowgate.contract.model import Column, Contract, FieldRule, Policy, SurrogateKey
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.targets import reference
from rowgate.targets.reference import Record

NOW = dt.datetime(2026, 3, 1, 23, 30, tzinfo=dt.UTC)

CONTRACT = Contract(
    name="toy",
    version="1.0.0",
    owner="tests",
    columns=(
        Column("who", Text(), required=True),
        Column("code", Text()),
        Column("n", Integer(32)),
        Column("amount", Decimal(5, 2)),
        Column("day", Date()),
        Column("at", Timestamp()),
        Column("kind", Text()),
        Column("flag", Boolean()),
        Column("u 1`.", Text()),
        Column("pair", Integer(64)),
    ),
    rules=(
        FieldRule("u 1`.", Unique(), "twice"),
        FieldRule("who", NotBlank(), "who_missing"),
        FieldRule("who", Matches(r"^\w+( \S+)*$"), "who_pattern"),
        FieldRule("who", LengthBetween(2, 6), "who_length"),
        FieldRule("code", Matches(r"[A-Z]{2}|\d+.?"), "code_pattern", policy=Policy.FAIL),
        FieldRule("n", Typed(), "n_type"),
        FieldRule("n", Between(-5, 10), "n_range"),
        FieldRule("n", Expression("n * 2 <> amount"), "n_amount", policy=Policy.WARN),
        FieldRule("amount", Between(decimal.Decimal("0.01"), None), "amount_range"),
        FieldRule("day", Typed(), "day_type", policy=Policy.WARN),
        FieldRule("day", Expression("day <= current_date()"), "day_future"),
        FieldRule("at", Between(None, dt.datetime(2026, 1, 1, tzinfo=dt.UTC)), "at_range"),
        FieldRule("at", OneOf((dt.datetime(2020, 1, 1, tzinfo=dt.UTC),)), "at_value", policy=Policy.WARN),
        FieldRule("kind", OneOf(("x", "\u03a7")), "kind_value"),
        FieldRule("flag", Typed(), "flag_type", policy=Policy.WARN),
        FieldRule("pair", Typed(), "pair_type"),
        FieldRule("pair", Unique(("n",)), "pair_twice"),
        FieldRule("n", Unique(), "n_again", policy=Policy.WARN),
    ),
    key=SurrogateKey("toy_id", ("who",)),
)

# fields that are not missing, the reasons that reject, the reasons that warn; in file order, `None` is malformed
TABLE: list[tuple[dict[str, str] | None, list[str], list[str]]] = [
    ({"who": "Anna"}, [], []),
    (None, ["malformed_record"], []),
    ({}, ["who_missing"], []),
    ({"who": "A"}, ["who_length"], []),
    ({"who": "A-"}, ["who_pattern"], []),
    ({"who": "A-b-c-d"}, ["who_pattern", "who_length"], []),
    ({"who": "Anna\n"}, ["who_pattern"], []),
    ({"who": "Anna b"}, [], []),
    ({"who": "An\u00a0b"}, ["who_pattern"], []),
    ({"who": "\u0391\u03bd"}, ["who_pattern"], []),
    ({"who": "Bo \U0001f600\U0001f600\U0001f600"}, [], []),
    ({"who": "Bo", "code": "AB"}, [], []),
    ({"who": "Bo", "code": "ABC"}, ["code_pattern"], []),
    ({"who": "Bo", "code": "ab"}, ["code_pattern"], []),
    ({"who": "Bo", "code": "12\U0001f600"}, [], []),
    ({"who": "Bo", "code": "12\n"}, ["code_pattern"], []),
    ({"who": "Bo", "code": "12\u2028"}, [], []),
    ({"who": "Bo", "code": "12\r"}, [], []),
    ({"who": "Bo", "code": "\u0661"}, ["code_pattern"], []),
    ({"who": "Bo", "n": "-5", "amount": "1"}, [], []),
    ({"who": "Bo", "n": "-6", "amount": "1"}, ["n_range"], []),
    ({"who": "Bo", "n": "10", "amount": "1"}, [], []),
    ({"who": "Bo", "n": "11", "amount": "1"}, ["n_range"], []),
    ({"who": "Bo", "n": "x", "amount": "1"}, ["n_type"], []),
    ({"who": "Bo", "n": "1", "amount": "2.00"}, [], ["n_amount"]),
    ({"who": "Bo", "n": "2"}, [], ["n_amount"]),
    ({"who": "Bo", "n": "3", "amount": "x"}, ["amount_range"], []),
    ({"who": "Bo", "amount": "0.01"}, [], []),
    ({"who": "Bo", "amount": "0"}, ["amount_range"], []),
    ({"who": "Bo", "amount": "0.011"}, ["amount_range"], []),
    ({"who": "Bo", "day": "2026-03-01"}, [], []),
    ({"who": "Bo", "day": "2026-03-02"}, ["day_future"], []),
    ({"who": "Bo", "day": "2026-03-32"}, [], ["day_type"]),
    ({"who": "Bo", "at": "2020-01-01T02:00+02:00"}, [], []),
    ({"who": "Bo", "at": "2019-12-31 23:59:59.999999"}, [], ["at_value"]),
    ({"who": "Bo", "at": "2026-01-01 00:00:00.000001"}, ["at_range"], []),
    ({"who": "Bo", "at": "2026-01-01"}, ["at_range"], []),
    ({"who": "Bo", "kind": "x"}, [], []),
    ({"who": "Bo", "kind": "X"}, ["kind_value"], []),
    ({"who": "Bo", "kind": "\u03a7"}, [], []),
    ({"who": "Bo", "flag": "TRUE"}, [], []),
    ({"who": "Bo", "flag": "maybe"}, [], ["flag_type"]),
    (
        {"who": "B", "n": "77", "kind": "y", "flag": "?"},
        ["who_length", "n_range", "kind_value"],
        [],
    ),
    ({"who": "B", "u 1`.": "one"}, ["who_length"], []),
    ({"who": "Bo", "u 1`.": "one"}, [], []),
    ({"who": "Bo", "u 1`.": "One"}, [], []),
    ({"who": "Cy", "u 1`.": "one"}, ["twice"], []),
    ({"who": "Bo", "n": "4", "amount": "1", "pair": "007"}, [], []),
    ({"who": "Bo", "n": "5", "amount": "1", "pair": "7"}, [], []),
    ({"who": "Bo", "n": "+4", "amount": "1", "pair": "7"}, ["pair_twice"], []),
    ({"who": "Bo", "pair": "7"}, [], []),
    ({"who": "Bo", "pair": "7"}, [], []),
    ({"who": "Bo", "n": "6", "amount": "1", "pair": "8", "u 1`.": "two"}, [], []),
    ({"who": "Bo", "n": "6", "amount": "1", "pair": "8", "u 1`.": "two"}, ["twice"], []),
    ({"who": "Bo", "n": "6", "amount": "1"}, [], ["n_again"]),
    ({"who": "Bo", "flag": "maybe", "u 1`.": "two"}, ["twice"], []),
]
RECORDS = [
    Record(
        fields={} if fields is None else {column.name: fields.get(column.name) for column in CONTRACT.columns},
        raw_record="x,y" if fields is None else None,
        record_number=number,
    )
    for number, (fields, _, _) in enumerate(TABLE, start=1)
]
IDS = [f"{number} {fields}" for number, (fields, _, _) in enumerate(TABLE, start=1)]


@pytest.fixture(scope="module")
def by_reference():
    return reference.judge(CONTRACT, RECORDS, NOW)


@pytest.fixture(scope="module")
def by_spark(spark):
    """Spark's verdicts, the rows spread over partitions in another order than the file's."""
    from rowgate.targets import spark as target

    rows = [
        (*(each.fields.get(c.name) for c in CONTRACT.columns), each.raw_record, each.record_number) for each in RECORDS
    ]
    records = spark.createDataFrame(rows[::-1], target.records_schema(CONTRACT)).repartition(3)
    prepared = target.prepared(CONTRACT, records)
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


@pytest.mark.parametrize("at", range(len(TABLE)), ids=IDS)
def test_the_reference_judges_a_row_as_the_table_says(by_reference, at):
    assert (list(by_reference[at].reasons), list(by_reference[at].warnings)) == TABLE[at][1:]


@pytest.mark.parametrize("at", range(len(TABLE)), ids=IDS)
def test_spark_judges_a_row_as_the_table_says(by_spark, at):
    assert by_spark[at + 1][:2] == TABLE[at][1:]


def test_the_short_form_of_the_verdict_accepts_the_rows_that_only_repeat_others_or_break_nothing(by_spark):
    repeats = {"twice", "pair_twice"}
    assert [by_spark[at + 1][2] for at in range(len(TABLE))] == [not set(line[1]) - repeats for line in TABLE]


def test_the_surrogate_key_is_the_md5_of_the_texts(spark):
    from rowgate.targets import spark as target

    row = ("Ωμέγα", *[None] * 9, None, 1)
    prepared = target.prepared(CONTRACT, spark.createDataFrame([row], target.records_schema(CONTRACT)))
    found = prepared.select(*target.clean_row(CONTRACT, "r")).collect()[0]["toy_id"]
    assert found == hashlib.md5("Ωμέγα".encode()).hexdigest()
