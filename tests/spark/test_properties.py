"""What holds for every file, whatever its rows."""

import datetime as dt

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rowgate.contract.checks import Between, LengthBetween, NotBlank, OneOf, Unique
from rowgate.contract.model import Column, Contract, FieldRule, Policy
from rowgate.contract.types import Integer, Text
from rowgate.targets import reference
from rowgate.targets.reference import Record

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
CONTRACT = Contract(
    name="toy",
    version="1.0.0",
    owner="tests",
    columns=(Column("a", Text(), required=True), Column("n", Integer(32)), Column("k", Text()), Column("city", Text())),
    rules=(
        FieldRule("a", NotBlank(), "a_missing"),
        FieldRule("k", Unique(("n",)), "k_twice"),
        FieldRule("n", Between(0, 3), "n_range"),
        FieldRule("a", LengthBetween(1, 2), "a_length", policy=Policy.WARN),
        FieldRule("city", OneOf(("x", "y")), "city_value"),
        FieldRule("city", Unique(), "city_twice", policy=Policy.WARN),
        FieldRule("a", Unique(), "a_twice"),
    ),
)
FIELDS = st.tuples(
    st.sampled_from([None, "p", "q", "rrr", "s"])
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
    st.sampled_from([None, "1", "01", "2", "7", "x"]),
    st.sampled_from([None, "k", "l", "m"]),
    st.sampled_from([None, "x", "y", "z"]),
)
ROWS = st.lists(st.none() | FIELDS | FIELDS | FIELDS, max_size=120)
FEW = settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
FEWER = settings(FEW, max_examples=3)  # each example is several Spark jobs


def _records(rows) -> list[Record]:
    names = [column.name for column in CONTRACT.columns]
    return [
        Record({} if row is None else dict(zip(names, row, strict=True)), "raw" if row is None else None, number)
        for number, row in enumerate(rows, start=1)
    ]


@pytest.fixture(scope="module")
def judged(spark):
    from rowgate.targets import spark as target

    warns = [rule for rule in CONTRACT.rules if not CONTRACT.rejects(rule)]

    def judge(records, partitions):
        rows = [
            (*(each.fields.get(c.name) for c in CONTRACT.columns), each.raw_record, each.record_number)
            for each in records
        ]
        frame = spark.createDataFrame(rows, target.records_schema(CONTRACT)).repartition(partitions)
        found = target.judged(CONTRACT, target.prepared(CONTRACT, frame), NOW)
        return {
            row["record_number"]: (
                tuple(filter(None, row[target.REASONS].split("|"))),
                tuple(rule.reason for rule in warns if row[target.warning(rule)]),
            )
            for row in found.collect()
        }

    return judge


@FEW
@given(rows=ROWS, partitions=st.integers(1, 7))
def test_spark_gives_every_row_the_reference_s_verdict_whatever_the_partitions(judged, rows, partitions):
    records = _records(rows)
    expected = {each.record_number: (each.reasons, each.warnings) for each in reference.judge(CONTRACT, records, NOW)}
    assert judged(records, partitions) == expected


@FEW
@given(rows=ROWS, partitions=st.integers(1, 7))
def test_a_row_s_reasons_stand_in_declaration_order(judged, rows, partitions):
    order = CONTRACT.reasons
    for reasons, _ in judged(_records(rows), partitions).values():
        assert list(reasons) == sorted(reasons, key=order.index)


@pytest.fixture
def zones(spark, tmp_path_factory):
    """Judge a file with the whole stage, and return its report and what is in its zones."""
    import csv
    import io

    import pyarrow.parquet as pq

    from rowgate.adapters.lake import open_lake
    from rowgate.stages.ingest import Source, ingest
    from rowgate.stages.run import Run
    from rowgate.stages.transform import transform

    run = Run("toy", "r", NOW)

    def judge(rows, *, times=1):
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow([column.name for column in CONTRACT.columns])
        writer.writerows(["only one"] if row is None else row for row in rows)
        lake = open_lake(f"file://{tmp_path_factory.mktemp('lake')}")
        for _ in range(times):
            ingest(CONTRACT, run, Source("toy.csv", lambda: io.BytesIO(text.getvalue().encode())), lake)
            report = transform(spark, CONTRACT, run, lake, now=NOW)
        return report, *(
            pq.read_table(lake.local(run.folder(zone)), partitioning=None).sort_by("record_number").to_pylist()
            for zone in ("clean", "rejects")
        )

    return judge


@FEWER
@given(rows=ROWS)
def test_every_record_is_in_one_zone_once(zones, rows):
    report, clean, rejects = zones(rows)
    assert sorted(row["record_number"] for row in clean + rejects) == list(range(1, report.total + 1))


@FEWER
@given(rows=ROWS)
def test_the_first_reason_is_the_first_of_all_reasons(zones, rows):
    _, _, rejects = zones(rows)
    assert [row["rejection_reason"] for row in rejects] == [row["rejection_reasons"][0] for row in rejects]


@FEWER
@given(rows=ROWS)
def test_a_run_judged_twice_is_a_run_judged_once(zones, rows):
    assert zones(rows, times=2) == zones(rows)
