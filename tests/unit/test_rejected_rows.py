"""A look at a run's rejected rows."""

import datetime as dt
import io

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import Between, NotBlank
from rowgate.contract.model import Column, Contract, FieldRule, Pii
from rowgate.contract.types import Integer, Text
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.rejected_rows import LONGEST, Hidden, RejectedRow, rejected_rows
from rowgate.stages.run import Run

WHEN = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
RUN = Run("toy", "a run", WHEN)
H = Hidden.HIDDEN


def toy(pii: Pii = Pii.DIRECT, *names: str) -> Contract:
    """A person and a number; both are needed."""
    who, n = names or ("who", "n")
    return Contract(
        "toy",
        "1.0.0",
        "us",
        (Column(who, Text(), pii, required=True), Column(n, Integer(32))),
        (FieldRule(who, NotBlank(), "no_who"), FieldRule(n, Between(0, 9), "bad_n")),
    )


@pytest.fixture
def lake(tmp_path):
    return open_lake(f"file://{tmp_path / 'lake'}")


@pytest.fixture
def judged(lake):
    """Judges a text by the toy contract, and returns the lake."""

    def judge(text: str):
        ingest(toy(), RUN, Source("toy.csv", lambda: io.BytesIO(text.encode())), lake)
        transform_duckdb(toy(), RUN, lake, now=WHEN)
        return lake

    return judge


def test_personal_values_are_hidden_and_missing_ones_are_missing(judged):
    found = rejected_rows(toy(), RUN, judged("who,n\nann,1\nbob,99\n,-1\n"))
    assert found.columns == ("who", "n", "raw_record")
    assert found.rows == (
        RejectedRow(2, ("bad_n",), (H, "99", None)),
        RejectedRow(3, ("no_who", "bad_n"), (None, "-1", None)),
    )


def test_personal_values_are_read_when_asked_for(judged):
    found = rejected_rows(toy(), RUN, judged("who,n\nbob,99\n"), personal=True)
    assert [row.values for row in found.rows] == [("bob", "99", None)]


def test_a_malformed_record_is_personal_where_any_column_is(judged):
    lake = judged("who,n\na,b,c\n")
    assert [row.values[2] for row in rejected_rows(toy(), RUN, lake).rows] == [H]
    assert [row.values[2] for row in rejected_rows(toy(Pii.NONE), RUN, lake).rows] == ["a,b,c"]


def test_a_column_that_the_contract_does_not_know_is_hidden(judged):
    found = rejected_rows(toy(Pii.NONE, "who", "another"), RUN, judged("who,n\nbob,99\n"))
    assert [row.values[:2] for row in found.rows] == [("bob", H)]


def test_the_rows_of_one_reason_are_counted_in_all_and_shown_up_to_a_limit(judged):
    found = rejected_rows(toy(), RUN, judged("who,n\n,1\nb,10\nc,11\nd,12\n"), reason="bad_n", limit=2)
    assert (found.total, [row.number for row in found.rows]) == (3, [2, 3])


def test_a_long_value_is_cut(judged):
    found = rejected_rows(toy(), RUN, judged(f"who,n\na,{'9' * 300}\n"))
    assert found.rows[0].values[1] == "9" * LONGEST + "…"


def test_a_folder_that_is_not_whole_holds_no_rows(judged):
    lake = judged("who,n\nb,10\n")
    (lake.local(RUN.folder("rejects")) / "_SUCCESS").unlink()
    assert rejected_rows(toy(), RUN, lake) is None
