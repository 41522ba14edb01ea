"""A run judged on DuckDB: what it leaves in the lake, and what it refuses."""

import datetime as dt
import io

import duckdb
import pyarrow.parquet as pq
import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import Between, Matches, NotBlank, Unique
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, Policy
from rowgate.contract.types import Integer, Text
from rowgate.errors import ReconciliationError, RowgateError, UnusableError
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import session, transform_duckdb
from rowgate.stages.report import parse_report
from rowgate.stages.run import Run

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
RUN = Run("toy", "manual__2026-03-01T12:00:00+00:00", NOW)


def toy(**other) -> Contract:
    return Contract(
        **{
            "name": "toy",
            "version": "1.0.0",
            "owner": "tests",
            "columns": (Column("who", Text(), required=True), Column("n", Integer(32))),
            "rules": (
                FieldRule("who", NotBlank(), "who_missing"),
                FieldRule("n", Between(0, 9), "n_wrong"),
                FieldRule("who", Unique(), "who_again"),
            ),
            **other,
        }
    )


FILE = b"who,n\na,1\nb,x\n,\na,2\nc,\nd,77,\n"


@pytest.fixture
def lake(tmp_path):
    return open_lake(f"file://{tmp_path}/a lake, it's λίμνη")


@pytest.fixture
def judge(lake):
    def run(contract, data=FILE):
        ingest(contract, RUN, Source("toy.csv", lambda: io.BytesIO(data)), lake)
        return transform_duckdb(contract, RUN, lake, now=NOW)

    return run


def _numbers(lake, zone):
    return pq.read_table(lake.local(RUN.folder(zone)), partitioning=None).column("record_number").to_pylist()


def test_every_record_is_in_one_zone(judge, lake):
    judge(toy())
    assert (_numbers(lake, "clean"), _numbers(lake, "rejects")) == ([1, 5], [2, 3, 4, 6])


def test_the_report_in_the_lake_is_the_one_returned(judge, lake):
    report = judge(toy())
    assert parse_report(lake.read_bytes(RUN.report).decode()) == report


@pytest.mark.parametrize(
    "stopped",
    [
        {"policy": Policy.FAIL},
        {"min_rows": 3},
        {"max_reject_rate": 0.5},
        {"dataset_rules": (DatasetRule("rows", "SELECT count(*) FROM {table}", 1),)},
    ],
    ids=["rows", "min_rows", "max_reject_rate", "dataset rule"],
)
def test_a_stopped_run_leaves_rejects_and_a_report_but_nothing_clean(judge, lake, stopped):
    judge(toy())
    report = judge(toy(**stopped))
    assert report.outcome == "stopped"
    assert (_numbers(lake, "rejects"), lake.exists(RUN.report), lake.list("clean")) == ([2, 3, 4, 6], True, [])


def test_the_same_run_twice_leaves_the_same_files(judge, lake):
    judge(toy())
    before = {key: lake.read_bytes(key) for key in lake.list("clean") + lake.list("rejects")}
    judge(toy())
    assert before == {key: lake.read_bytes(key) for key in lake.list("clean") + lake.list("rejects")}


def test_a_file_without_rows_passes_and_writes_both_zones(judge, lake):
    report = judge(toy(dataset_rules=(DatasetRule("rows", "SELECT count(*) FROM {table}", 2),)), b"who,n\n")
    assert (report.outcome, _numbers(lake, "clean"), _numbers(lake, "rejects")) == ("passed", [], [])
    assert [rule.state for rule in report.quality_rules] == ["not_evaluated"]


def test_both_zones_are_marked_as_complete(judge, lake):
    judge(toy())
    assert all(lake.exists(f"{RUN.folder(zone)}/_SUCCESS") for zone in ("clean", "rejects"))


def test_records_without_their_mark_are_not_judged(judge, lake):
    judge(toy())
    lake.local(f"{RUN.folder('records')}/_SUCCESS").unlink()
    with pytest.raises(RowgateError, match="The records of this run are not in"):
        transform_duckdb(toy(), RUN, lake, now=NOW)


def test_records_that_are_fewer_than_the_manifest_says_are_an_error(judge, lake):
    judge(toy())
    records = lake.local(f"{RUN.folder('records')}/records.parquet")
    pq.write_table(pq.read_table(records, partitioning=None).slice(1), records)
    with pytest.raises(ReconciliationError, match="the manifest counts 6 records, but 5 are in the lake"):
        transform_duckdb(toy(), RUN, lake, now=NOW)


def test_records_that_cannot_be_read_are_one_sentence(judge, lake):
    judge(toy())
    lake.local(f"{RUN.folder('records')}/records.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(RowgateError, match=r"^DuckDB failed: [A-Za-z]+\.$"):
        transform_duckdb(toy(), RUN, lake, now=NOW)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT count(nobody) FROM {table}, elsewhere", "cannot be run: .*elsewhere"),
        ("SELECT n FROM {table}", "must return one number"),
        ("SELECT n, n FROM {table} LIMIT 1", "must return one number"),
        ("SELECT 'abc' FROM {table} LIMIT 1", "must return a number, not a str"),
        ("SELECT soundex(who) FROM {table}", "SOUNDEX as Spark means it; check with --engine spark"),
        ("SELECT FROM {table} WHERE", "cannot be read as one query"),
    ],
)
def test_a_dataset_rule_that_gives_no_number_is_unusable(judge, sql, said):
    with pytest.raises(UnusableError, match=f"Contract toy, dataset rule r.*{said}"):
        judge(toy(dataset_rules=(DatasetRule("r", sql, 0),)))


def test_a_dataset_rule_that_fails_at_a_value_does_not_quote_it(judge):
    rule = DatasetRule("r", "SELECT max(who + n) FROM {table}", 0)
    with pytest.raises(UnusableError) as raised:
        judge(toy(dataset_rules=(rule,)), b"who,n\nsecret,1\n")
    assert "secret" not in str(raised.value)


def test_a_contract_may_have_more_rules_than_an_integer_has_bits(judge):
    columns = tuple(Column(f"c{at}", Text()) for at in range(150))
    rules = tuple(FieldRule(column.name, Matches("[ab]"), f"wrong_{column.name}") for column in columns)
    head = ",".join(column.name for column in columns).encode()
    row = b",".join([b"a"] * 61 + [b"x"] * 3 + [b"b"] * 85 + [b"x"])
    report = judge(toy(columns=columns, rules=rules), head + b"\n" + row + b"\n")
    broken = [reason for reason, rows in report.violations_by_reason.items() if rows]
    assert broken == ["wrong_c61", "wrong_c62", "wrong_c63", "wrong_c149"]


def test_a_repeated_row_counts_for_the_later_rule_only_where_the_earlier_one_let_it_through(judge):
    rules = (
        FieldRule("who", NotBlank(), "who_missing"),
        FieldRule("n", Between(0, 9), "n_wrong"),
        FieldRule("who", Unique(), "who_again"),
        FieldRule("n", Unique(), "n_again", policy=Policy.WARN),
    )
    report = judge(toy(rules=rules), b"who,n\na,1\na,1\nb,1\nc,1\n")
    assert (report.rejected_by_reason["who_again"], report.warnings_by_reason["n_again"]) == (1, 2)


def test_a_warning_is_counted_only_in_a_row_that_loads(judge):
    rules = (
        FieldRule("n", Between(0, 9), "n_wrong", policy=Policy.WARN),
        FieldRule("n", Unique(), "n_again", policy=Policy.WARN),
        FieldRule("who", Matches("[a-z]"), "who_wrong"),
        FieldRule("who", Unique(), "who_again"),
    )
    report = judge(toy(rules=rules), b"who,n\na,10\nB,11\na,10\nb,10\n")
    assert (report.accepted, report.warnings_by_reason) == (2, {"n_wrong": 2, "n_again": 1})


def test_what_duckdb_cannot_hold_in_memory_goes_to_the_given_folder(tmp_path):
    with session(tmp_path) as connection:
        (folder,) = connection.execute("SELECT value FROM duckdb_settings() WHERE name = 'temp_directory'").fetchone()
    assert folder.startswith(str(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_what_duckdb_says_of_a_value_is_not_told():
    with pytest.raises(RowgateError) as raised, session() as connection:
        connection.execute("SELECT CAST('secret' AS INTEGER)")
    assert "secret" not in str(raised.value)
    assert isinstance(raised.value.__cause__, duckdb.Error)
