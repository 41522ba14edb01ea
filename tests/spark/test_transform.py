"""A run's records become its zones and its report."""

import datetime as dt
from decimal import Decimal as Number

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import Between, NotBlank, Typed, Unique
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, NaturalKey, Policy, SurrogateKey
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.errors import ReconciliationError, RowgateError, UnusableError
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.report import parse_report
from rowgate.stages.run import Run

NOW = dt.datetime(2026, 3, 1, 12, 0, 0, 5, dt.UTC)
RUN = Run("toy", "manual__2026-03-01T12:00:00+00:00", NOW)


def toy(**other) -> Contract:
    return Contract(
        **{
            "name": "toy",
            "version": "1.0.0",
            "owner": "tests",
            "columns": (
                Column("no", Text(), loaded=False),
                Column("id", Integer(64), required=True),
                Column("amount", Decimal(8, 2)),
                Column("day", Date()),
                Column("at", Timestamp()),
                Column("flag", Boolean()),
            ),
            "rules": (
                FieldRule("id", NotBlank(), "missing_id"),
                FieldRule("id", Typed(), "untyped_id"),
                FieldRule("amount", Between(0, None), "amount_wrong"),
                FieldRule("day", Typed(), "day_wrong"),
                FieldRule("at", Typed(), "at_wrong"),
                FieldRule("flag", Typed(), "flag_wrong", policy=Policy.WARN),
                FieldRule("id", Unique(), "repeated_id"),
            ),
            "key": SurrogateKey("toy_id", ("id",)),
            **other,
        }
    )


FILE = b"""no,id,amount,day,at,flag
a,1,5,2026-01-02,2026-01-02 03:04:05.25+01:00,true
b,1,6,,,
c,2,-1,2026-13-01,x,maybe
d,3,,,,maybe
e,4
f,,,,,
"""


@pytest.fixture
def lake(tmp_path):
    return open_lake(f"file://{tmp_path}/a lake, λίμνη")


@pytest.fixture
def judge(spark, lake):
    from rowgate.stages.transform import transform

    def run(contract, data=FILE, *, run=RUN, now=NOW):
        import io

        ingest(contract, run, Source("toy.csv", lambda: io.BytesIO(data)), lake)
        return transform(spark, contract, run, lake, now=now)

    return run


def _rows(lake, zone, run=RUN):
    table = pq.read_table(lake.local(run.folder(zone)), partitioning=None)
    return table.sort_by("record_number")


def test_the_clean_rows_hold_the_key_the_typed_values_and_where_they_come_from(judge, lake):
    judge(toy())
    rows = _rows(lake, "clean")
    assert [(field.name, str(field.type)) for field in rows.schema] == [
        ("toy_id", "string"),
        ("id", "int64"),
        ("amount", "decimal128(8, 2)"),
        ("day", "date32[day]"),
        ("at", "timestamp[us, tz=UTC]"),
        ("flag", "bool"),
        ("record_number", "int64"),
        ("run_id", "string"),
    ]
    first, second = rows.to_pylist()
    assert list(first.values())[1:] == [
        1,
        Number("5.00"),
        dt.date(2026, 1, 2),
        dt.datetime(2026, 1, 2, 2, 4, 5, 250_000, dt.UTC),
        True,
        1,
        RUN.run_id,
    ]
    assert list(second.values())[1:] == [3, None, None, None, None, 4, RUN.run_id]


def test_the_rejects_hold_the_texts_and_every_reason(judge, lake):
    judge(toy())
    rows = _rows(lake, "rejects")
    assert rows.schema.field("rejected_at").type == pa.timestamp("us", "UTC")
    assert rows.schema.field("rejection_reasons").type.value_type == pa.string()
    assert rows.column_names == [
        *("no", "id", "amount", "day", "at", "flag", "rejection_reason", "rejection_reasons"),
        *("raw_record", "record_number", "run_id", "rejected_at"),
    ]
    assert [tuple(row.values())[:-2] for row in rows.to_pylist()] == [
        ("b", "1", "6", None, None, None, "repeated_id", ["repeated_id"], None, 2),
        *[
            (
                "c",
                "2",
                "-1",
                "2026-13-01",
                "x",
                "maybe",
                "amount_wrong",
                ["amount_wrong", "day_wrong", "at_wrong"],
                None,
                3,
            ),
            (None, None, None, None, None, None, "malformed_record", ["malformed_record"], "e,4", 5),
            ("f", None, None, None, None, None, "missing_id", ["missing_id"], None, 6),
        ],
    ]
    assert {(row["run_id"], row["rejected_at"]) for row in rows.to_pylist()} == {(RUN.run_id, NOW)}


def test_the_report_counts_first_reasons_every_reason_and_warnings(judge):
    report = judge(toy())
    assert (report.outcome, report.total, report.accepted, report.rejected) == ("passed", 6, 2, 4)
    assert {reason: rows for reason, rows in report.rejected_by_reason.items() if rows} == {
        "malformed_record": 1,
        "missing_id": 1,
        "amount_wrong": 1,
        "repeated_id": 1,
    }
    assert {reason: rows for reason, rows in report.violations_by_reason.items() if rows} == {
        "malformed_record": 1,
        "missing_id": 1,
        "amount_wrong": 1,
        "day_wrong": 1,
        "at_wrong": 1,
        "repeated_id": 1,
    }
    assert report.warnings_by_reason == {"flag_wrong": 1}


def test_the_report_in_the_lake_is_the_one_returned(judge, lake):
    report = judge(toy())
    assert parse_report(lake.read_bytes(RUN.report).decode()) == report


def test_a_hard_contract_is_stopped_and_leaves_rejects_and_a_report_but_nothing_clean(judge, lake):
    report = judge(toy(policy=Policy.FAIL))
    assert report.outcome == "stopped"
    assert (report.accepted, _rows(lake, "rejects").num_rows, lake.exists(RUN.report)) == (2, 4, True)
    assert lake.list("clean") == []


def test_a_run_that_is_now_stopped_loses_the_clean_rows_it_had(judge, lake):
    judge(toy())
    judge(toy(min_rows=3))
    assert lake.list("clean") == []


def test_the_same_run_twice_leaves_the_same_rows_and_no_file_more(judge, lake):
    judge(toy())
    before = [_rows(lake, zone) for zone in ("clean", "rejects")], len(lake.list("clean") + lake.list("rejects"))
    judge(toy())
    assert before == (
        [_rows(lake, zone) for zone in ("clean", "rejects")],
        len(lake.list("clean") + lake.list("rejects")),
    )


def test_another_run_s_zones_are_left_alone(judge, lake):
    judge(toy())
    before = {key: lake.read_bytes(key) for key in lake.list("clean") + lake.list("rejects")}
    judge(toy(), b"no,id,amount,day,at,flag\n", run=Run("toy", "other", NOW))
    assert before.items() <= {key: lake.read_bytes(key) for key in lake.list("clean") + lake.list("rejects")}.items()


def test_a_file_without_rows_passes_and_writes_both_zones(judge, lake):
    report = judge(toy(), b"no,id,amount,day,at,flag\n")
    assert (report.outcome, report.accept_rate) == ("passed", 1.0)
    assert (_rows(lake, "clean").num_rows, _rows(lake, "rejects").num_rows) == (0, 0)


def test_both_zones_are_marked_as_complete(judge, lake):
    judge(toy())
    assert all(lake.exists(f"{RUN.folder(zone)}/_SUCCESS") for zone in ("clean", "rejects"))


def test_records_without_their_mark_are_not_judged(spark, judge, lake):
    from rowgate.stages.transform import transform

    judge(toy())
    lake.local(f"{RUN.folder('records')}/_SUCCESS").unlink()
    with pytest.raises(RowgateError, match="The records of this run are not in"):
        transform(spark, toy(), RUN, lake, now=NOW)


def test_records_that_are_fewer_than_the_manifest_says_are_an_error(spark, judge, lake):
    from rowgate.stages.transform import transform

    judge(toy())
    records = lake.local(f"{RUN.folder('records')}/records.parquet")
    pq.write_table(pq.read_table(records, partitioning=None).slice(1), records)
    with pytest.raises(ReconciliationError, match="the manifest counts 6 records, but 5 are in the lake"):
        transform(spark, toy(), RUN, lake, now=NOW)


def test_a_session_in_another_time_zone_is_refused(spark, judge, lake):
    spark.conf.set("spark.sql.session.timeZone", "Europe/Athens")
    try:
        with pytest.raises(UnusableError, match="time zone is Europe/Athens"):
            judge(toy())
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_dataset_rules_see_the_rows_that_would_load_with_the_clock_stopped(judge):
    rules = (
        DatasetRule("rows", "SELECT count(*) FROM {table}", 2),
        DatasetRule("hours", "SELECT datediff(HOUR, max(day), current_date()) FROM {table}", 24),
        DatasetRule("nothing", "SELECT max(amount) FROM {table} WHERE id = 77", 0),
        DatasetRule("no_number", "SELECT double('NaN') FROM {table} LIMIT 1", 0),
    )
    report = judge(toy(dataset_rules=rules))
    assert [(rule.name, rule.value, rule.state) for rule in report.quality_rules] == [
        ("rows", 2.0, "met"),
        ("hours", 58 * 24.0, "breached"),
        ("nothing", None, "breached"),
        ("no_number", None, "breached"),
    ]


def test_a_single_dataset_rule_that_is_met_lets_the_rows_through(judge, lake):
    judge(toy(dataset_rules=(DatasetRule("rows", "SELECT count(*) FROM {table}", 2),)))
    assert _rows(lake, "clean").num_rows == 2


def test_dataset_rules_over_no_rows_are_not_evaluated(judge):
    report = judge(
        toy(dataset_rules=(DatasetRule("rows", "SELECT count(*) FROM {table}", 2),)), b"no,id,amount,day,at,flag\n"
    )
    assert [rule.state for rule in report.quality_rules] == ["not_evaluated"]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT count(nobody) FROM {table}, elsewhere", "dataset rule r cannot be run: .*`elsewhere`"),
        ("SELECT id FROM {table}", "must return one number"),
        ("SELECT id, id FROM {table} LIMIT 1", "must return one number"),
        ("SELECT 'abc' FROM {table} LIMIT 1", "must return a number, not a str"),
    ],
)
def test_a_dataset_rule_that_is_no_number_is_unusable(judge, sql, said):
    with pytest.raises(UnusableError, match=said):
        judge(toy(dataset_rules=(DatasetRule("r", sql, 0),)))


def test_a_dataset_rule_that_fails_at_a_value_does_not_quote_it(judge, spark_log, capfd):
    rule = DatasetRule("r", "SELECT max(CAST(concat('secret', id) AS INT)) FROM {table}", 0)
    with pytest.raises(UnusableError) as raised:
        judge(toy(dataset_rules=(rule,)))
    assert "CAST_INVALID_INPUT" in str(raised.value)
    logged = spark_log.read_text(encoding="utf-8")
    assert "secret" not in "".join((str(raised.value), logged, *capfd.readouterr()))


def test_column_names_may_hold_what_they_like(judge, lake):
    names = ("a.b", "c `d` (e)", "f,;={}", "c0", "reasons")
    contract = toy(
        columns=tuple(Column(name, Integer(32), required=True) for name in names),
        rules=tuple(FieldRule(name, Between(0, 9), f"r{at}") for at, name in enumerate(names)),
        key=NaturalKey(("c0",)),
    )
    report = judge(contract, b'a.b,c `d` (e),"f,;={}",c0,reasons\n1,2,3,4,5\n11,2,3,4,55\n')
    assert [list(row.values())[:5] for row in _rows(lake, "clean").to_pylist()] == [[1, 2, 3, 4, 5]]
    assert report.violations_by_reason == {"malformed_record": 0, "r0": 1, "r1": 0, "r2": 0, "r3": 0, "r4": 1}


def test_a_long_value_does_not_end_the_process_at_a_pattern_that_repeats_a_group(judge):
    from rowgate.contract.checks import Matches

    contract = toy(
        columns=(Column("a", Text(), required=True),),
        rules=(FieldRule("a", Matches("(ab|c)+"), "a_wrong"),),
        key=None,
    )
    report = judge(contract, b"a\n" + b"ab" * 20_000 + b"\n" + b"ab" * 20_000 + b"d\n")
    assert (report.accepted, report.rejected) == (1, 1)


def test_spark_s_failure_names_the_cause_and_the_place(spark, judge, lake):
    from rowgate.stages.spark_session import reason

    judge(toy())
    records = lake.local(f"{RUN.folder('records')}/records.parquet")
    records.write_bytes(records.read_bytes()[:-9])
    with pytest.raises(Exception, match="FAILED_READ_FILE") as raised:
        spark.read.schema("no string").parquet(lake.uri_of(RUN.folder("records"))).collect()
    assert reason(raised.value).startswith("FAILED_READ_FILE")
