"""The load, into a real Postgres."""

import datetime as dt
from decimal import Decimal as Number

import pyarrow as pa
import pytest

from rowgate.contract.checks import NotBlank, Typed
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.stages.load import load
from rowgate.stages.report import Load

NOW = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(days=1)
INT = pa.int32()


def rows(codes: str, counts: list[int | None]) -> dict:
    return {"code": list(codes), "count": pa.array(counts, INT)}


def test_a_first_load_makes_schema_and_table_and_inserts_every_row(items, clean, lake, warehouse, ask):
    contract = items()
    run = clean(contract, "one", rows("AB", [1, None]))
    assert load(contract, run, lake, warehouse, now=NOW) == Load(2, 0, 0, 0)
    assert ask("SELECT * FROM warehouse.items ORDER BY code") == [
        ("A", 1, "one", "one", NOW),
        ("B", None, "one", "one", NOW),
    ]


def test_several_files_are_one_load(items, clean, lake, warehouse):
    run = clean(items(), "one", rows("AB", [1, 2]), rows("C", [3]))
    assert load(items(), run, lake, warehouse, now=NOW) == Load(3, 0, 0, 0)


def test_no_rows_are_a_load_of_none(items, clean, lake, warehouse, ask):
    assert load(items(), clean(items(), "one"), lake, warehouse, now=NOW) == Load(0, 0, 0, 0)
    assert ask("SELECT count(*) FROM warehouse.items") == [(0,)]


def test_a_known_key_stays_as_it_is(items, clean, lake, warehouse, ask):
    load(items(), clean(items(), "one", rows("A", [1])), lake, warehouse, now=NOW)
    figures = load(items(), clean(items(), "two", rows("AB", [9, 2])), lake, warehouse, now=LATER)
    assert figures == Load(inserted=1, updated=0, unchanged=1, repeated=0)
    assert ask("SELECT count, last_run_id FROM warehouse.items ORDER BY code") == [(1, "one"), (2, "two")]


def test_with_update_a_row_that_differs_is_written_and_one_that_does_not_is_not(items, clean, lake, warehouse, ask):
    contract = items("update")
    load(contract, clean(contract, "one", rows("ABC", [1, 2, None])), lake, warehouse, now=NOW)
    figures = load(contract, clean(contract, "two", rows("ABC", [1, 3, 4])), lake, warehouse, now=LATER)
    assert figures == Load(inserted=0, updated=2, unchanged=1, repeated=0)
    assert ask("SELECT code, count, first_run_id, last_run_id, loaded_at FROM warehouse.items ORDER BY code") == [
        ("A", 1, "one", "one", NOW),
        ("B", 3, "one", "two", LATER),
        ("C", 4, "one", "two", LATER),
    ]


@pytest.mark.parametrize(("on_conflict", "winner"), [("nothing", 1), ("update", 3)])
def test_a_key_again_in_one_file_is_repeated_and_its_record_number_decides(
    items, clean, lake, warehouse, ask, on_conflict, winner
):
    contract = items(on_conflict)
    late = {**rows("A", [3]), "record_number": [3]}
    early = {**rows("AA", [2, 1]), "record_number": [2, 1]}
    run = clean(contract, "one", late, early)
    assert load(contract, run, lake, warehouse, now=NOW) == Load(1, 0, 0, 2)
    assert ask("SELECT count FROM warehouse.items") == [(winner,)]


@pytest.mark.parametrize("on_conflict", ["nothing", "update"])
def test_loading_a_run_again_changes_nothing_and_gives_the_same_figures(
    items, clean, lake, warehouse, ask, on_conflict
):
    contract = items(on_conflict)
    load(contract, clean(contract, "one", rows("AB", [1, 2])), lake, warehouse, now=NOW)
    run = clean(contract, "two", rows("ABCC", [1, 7, 3, 4]))
    first = load(contract, run, lake, warehouse, now=NOW)
    before = ask("SELECT * FROM warehouse.items ORDER BY code")
    assert load(contract, run, lake, warehouse, now=LATER) == first
    assert ask("SELECT * FROM warehouse.items ORDER BY code") == before


def test_a_key_of_several_columns_is_one_key(items, clean, lake, warehouse):
    lines = Contract(
        "lines",
        "1.0.0",
        "us",
        (Column("code", Text(), required=True), Column("count", Integer(32), required=True)),
        (FieldRule("code", NotBlank(), "no_code"), FieldRule("count", Typed(), "no_count")),
        key=NaturalKey(("code", "count")),
        on_conflict="update",
    )
    run = clean(lines, "one", rows("AAA", [1, 2, 2]))
    assert load(lines, run, lake, warehouse, now=NOW) == Load(2, 0, 0, 1)


def test_every_type_arrives_as_it_was(clean, lake, warehouse, ask):
    kinds = {
        "word": (Text(), pa.string(), ["a", 'say "hi", ok\nC:\\ \\.', "\\N"]),
        "small": (Integer(32), pa.int32(), [-(2**31), 2**31 - 1, None]),
        "big": (Integer(64), pa.int64(), [-(2**63), 2**63 - 1, None]),
        "money": (Decimal(38, 10), pa.decimal128(38, 10), [Number("1E-10"), Number("-" + "9" * 28 + ".5"), None]),
        "day": (Date(), pa.date32(), [dt.date(1, 1, 1), dt.date(9999, 12, 31), None]),
        "moment": (
            Timestamp(),
            pa.timestamp("us", "UTC"),
            [dt.datetime(1, 1, 1, tzinfo=dt.UTC), dt.datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=dt.UTC), None],
        ),
        "flag": (Boolean(), pa.bool_(), [True, False, None]),
    }
    contract = Contract(
        "kinds",
        "1.0.0",
        "us",
        (*(Column(name, kind, required=name == "word") for name, (kind, *_) in kinds.items()),),
        (
            FieldRule("word", NotBlank(), "no_word"),
            *(FieldRule(name, Typed(), f"bad_{name}") for name in list(kinds)[1:]),
        ),
        key=NaturalKey(("word",)),
    )
    run = clean(contract, "one", {name: pa.array(values, arrow) for name, (_, arrow, values) in kinds.items()})
    load(contract, run, lake, warehouse, now=NOW)
    names = ", ".join(kinds)
    found = ask(f"SELECT {names} FROM warehouse.kinds ORDER BY small NULLS LAST")
    assert found == list(zip(*(values for _, _, values in kinds.values()), strict=True))


def test_a_column_with_an_odd_name_is_loaded(clean, lake, warehouse, ask):
    odd = 'Sel"ect; —'
    contract = Contract(
        "odd",
        "1.0.0",
        "us",
        (Column(odd, Text(), required=True),),
        (FieldRule(odd, NotBlank(), "no_value"),),
        key=NaturalKey((odd,)),
    )
    load(contract, clean(contract, "one", {odd: ["x"]}), lake, warehouse, now=NOW)
    assert ask('SELECT "Sel""ect; —" FROM warehouse.odd') == [("x",)]


def test_users_are_loaded_with_their_postcode_as_text(users, clean, lake, warehouse, ask):
    person = {
        "user_id": ["0" * 32],
        "name": ["Άννα\nΛη"],
        "email": ["anna@mail.gr"],
        "phone": ["6912345678"],
        "zip_code": ["01234"],
        "age": pa.array([34], INT),
        "city": ["Oia"],
    }
    assert load(users, clean(users, "one", person), lake, warehouse, now=NOW) == Load(1, 0, 0, 0)
    assert ask("SELECT name, zip_code, pg_typeof(zip_code)::text FROM warehouse.users") == [
        ("Άννα\nΛη", "01234", "text")
    ]
