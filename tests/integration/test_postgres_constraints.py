"""The rendered constraints in a real Postgres: they refuse by hand what the contract refuses in a file."""

import datetime as dt
import runpy
from decimal import Decimal as Number
from pathlib import Path

import psycopg2
import pytest
from psycopg2 import sql

from rowgate.contract.checks import Between, Check, Expression, LengthBetween, Matches, NotBlank, OneOf, Typed
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey, Policy
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import typed
from rowgate.targets import postgres, reference
from rowgate.targets.reference import Record

EDGE_TABLE = runpy.run_path(str(Path(__file__).parents[1] / "conformance" / "edges.py"))
EDGES, EDGES_CONTRACT = EDGE_TABLE["EDGES"], EDGE_TABLE["CONTRACT"]
STAMPS = {"first_run_id": "by hand", "last_run_id": "by hand", "loaded_at": dt.datetime(2026, 5, 1, tzinfo=dt.UTC)}


def contract_of(kind: ColumnType, check: Check, **more) -> Contract:
    """A contract with one optional column `v` under test, beside its key."""
    columns = (Column("k", Text(), required=True), Column("v", kind), Column("w", Integer()))
    rules = (FieldRule("k", NotBlank(), "no_k"), FieldRule("v", check, "bad_v"), FieldRule("w", Typed(), "bad_w"))
    return Contract("toy", "1.0.0", "us", columns, rules, key=NaturalKey(("k",)), **more)


UTC_DAY = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)

CONFORMANCE = [
    # type, check, values taken, values refused
    (Text(), Matches("a.c"), ["abc", "a\u00e9c", "a\rc"], ["a\nc", "abcd", "xabc", "abc\n", ""]),
    (Text(), Matches("^a$|^b$"), ["a", "b"], ["ab", "c"]),
    (Text(), Matches(r"\d+"), ["0", "99"], ["\u0661", "a", "1a"]),
    (Text(), Matches(r"\w\s\W"), ["a b"[:2] + "-", "_\t-"], ["\u00e9 -", "a--", "a\u00a0-"]),
    (Text(), Matches(r"[^\d]"), ["a", "\u0661"], ["1"]),
    (Text(), Matches(r"[\]\-^\\]+"), ["]", "-", "^", "\\", "^]-"], ["a", "["]),
    (Text(), Matches("[a-c-]"), ["a", "c", "-"], ["d", "b-"]),
    (Text(), Matches(r"\.\*\$\{\}"), [".*${}"], ["a*${}"]),
    (Text(), Matches("(?:ab){2,3}"), ["abab", "ababab"], ["ab", "abababab"]),
    (Text(), Matches("a{300}"), ["a" * 300], ["a" * 299, "a" * 301]),
    (Text(), Matches("a{2,}?b*?"), ["aa", "aaab"], ["a", "ab"]),
    (Text(), Matches("[\u4e00-\u9fff]+"), ["\u4e2d\u6587"], ["a", "\u3042"]),
    (Text(), Matches("it's"), ["it's"], ["its"]),
    (Text(), LengthBetween(2, 3), ["ab", "\U0001f600\U0001f600"], ["a", "abcd"]),
    (Text(), OneOf(("a", "it's")), ["a", "it's"], ["A", "its"]),
    (Text(), Typed(), ["a"], ["", " a", "a "]),
    (Integer(32), Between(-5, 5), [-5, 0, 5], [-6, 6, 2**31]),
    (Integer(64), OneOf((1, 2)), [1], [3]),
    (
        Decimal(10, 2),
        Between(Number("0.01")),
        [Number("0.01"), Number("99999999.99")],
        [0, "NaN", Number("1e8"), "Infinity"],
    ),
    (Decimal(10, 2), Between(high=Number("5.5")), [Number("5.5"), -1], [Number("5.51"), "NaN"]),
    (Decimal(10, 2), Typed(), [0], ["NaN", "Infinity", Number(123456789)]),
    (
        Date(),
        Typed(),
        [dt.date(1, 1, 1), dt.date(9999, 12, 31)],
        ["infinity", "-infinity", "0001-01-01 BC", "10000-01-01"],
    ),
    (
        Date(),
        Between(dt.date(2020, 1, 1), dt.date(2020, 2, 1)),
        [dt.date(2020, 2, 1)],
        [dt.date(2020, 2, 2), "infinity"],
    ),
    (
        Timestamp(),
        Typed(),
        ["0001-01-01 00:00:00+00:00", "9999-12-31 23:59:59.999999+00:00"],
        ["infinity", "10000-01-01 00:00:00+00:00"],
    ),
    (Timestamp(), Between(UTC_DAY), [UTC_DAY], [UTC_DAY - dt.timedelta(microseconds=1)]),
    (Boolean(), OneOf((True,)), [True], [False]),
    (Integer(64), Expression("v > 1 AND v % 2 = 0"), [2, 4], [1, 3]),
    (Integer(64), Expression("v < w"), [], [1]),  # w is NULL, and so is the expression
    (Decimal(18, 2), Expression("v > 0 AND v < 1000000"), [Number("0.01")], [0, 1000000]),
    (Date(), Expression("v >= '2020-01-01'"), [dt.date(2020, 1, 1)], [dt.date(2019, 12, 31)]),
    (Text(), Expression("upper(v) LIKE 'A%'"), ["abc", "Abc"], ["bc"]),
]


@pytest.mark.parametrize(("kind", "check", "taken", "refused"), CONFORMANCE, ids=lambda each: str(each)[:40])
def test_a_value_is_taken_or_refused_as_its_rule_says(insert, ask, kind, check, taken, refused):
    ask(postgres.render(contract_of(kind, check)))
    verdicts = {
        repr(value): insert("toy", {"k": "x", "v": value, **STAMPS}) is None for value in [*taken, *refused, None]
    }
    assert verdicts == {
        **{repr(value): True for value in taken},
        **{repr(value): False for value in refused},
        "None": True,
    }


def text_of(value: object) -> str:
    """The value as a file would have it."""
    match value:
        case Number():
            return f"{value:f}"
        case dt.date():
            return value.isoformat()
    return str(value)


@pytest.mark.parametrize(("kind", "check", "taken", "refused"), CONFORMANCE, ids=lambda each: str(each)[:40])
def test_the_reference_gives_the_same_verdict(kind, check, taken, refused):
    contract = contract_of(kind, check)
    verdicts = {}
    for value in (*taken, *refused):
        text = text_of(value)
        if reference.normalise(text, ()) == text:  # what the reader trims away is no other engine's to judge
            record = Record({"k": "x", "v": text, "w": None}, None, 1)
            verdicts[repr(value)] = not reference.judge(contract, [record], UTC_DAY)[0].reasons
    expected = {repr(value): value in taken for value in (*taken, *refused) if repr(value) in verdicts}
    assert verdicts == expected


def test_a_null_marker_is_refused_as_a_text(insert, ask):
    ask(postgres.render(contract_of(Text(), Typed(), null_markers=("n/a",))))
    assert insert("toy", {"k": "x", "v": "n/a", **STAMPS}) == "v_normalised"


def test_a_soft_contract_takes_what_it_only_warns_about(insert, ask):
    columns = (Column("k", Text(), required=True), Column("v", Integer(), required=True))
    rules = (
        FieldRule("k", NotBlank(), "no_k", policy=Policy.QUARANTINE),
        FieldRule("v", Between(1, 2), "bad_v"),
    )
    ask(postgres.render(Contract("toy", "1.0.0", "us", columns, rules, key=NaturalKey(("k",)), policy=Policy.WARN)))
    assert [insert("toy", {"k": "x", "v": value, **STAMPS}) for value in (9, None)] == [None, None]


def test_rendering_twice_makes_one_table(ask, users):
    ask(postgres.render(users))
    ask(postgres.render(users))
    assert ask("SELECT count(*) FROM pg_tables WHERE schemaname = 'warehouse'") == [(1,)]


def values_of(edge) -> dict[str, object]:
    """The row of an edge with the values of its texts; a text that is none of its column's type stays as it is."""
    kinds = {column.name: column.type for column in EDGES_CONTRACT.columns}
    row = {name: text and typed(text, kinds[name]) for name, text in edge.fields("k").items()}
    return {**row, edge.column: edge.value if edge.storable else edge.text, **STAMPS}


def refused_by(edge) -> set[str]:
    """What may refuse the row of an edge: its rule, what the column guarantees by itself, or its type."""
    if edge.good:
        return {None}
    if edge.text is None:
        return {edge.column, edge.reason}
    return {edge.reason} if edge.readable else {edge.reason, f"{edge.column}_normalised"}


def test_every_edge_that_a_table_can_hold_has_its_verdict_from_the_rule_of_its_name(insert, ask):
    ask(postgres.render(EDGES_CONTRACT))
    storable = [edge for edge in EDGES if edge.storable]
    found = {str(edge): insert("edges", values_of(edge)) for edge in storable}
    assert {str(edge): found[str(edge)] for edge in storable if found[str(edge)] not in refused_by(edge)} == {}


def test_nothing_that_is_written_otherwise_comes_to_stand_as_a_value_that_the_contract_refuses(warehouse, ask):
    """Postgres reads 1e3 as a number; what it then holds is a number that the contract takes, or it is refused."""
    ask(postgres.render(EDGES_CONTRACT))
    wrong = {}
    for edge in EDGES:
        if not edge.storable and (held := held_as(warehouse, values_of(edge), edge.column)) is not None:
            record = Record({**edge.fields("k"), edge.column: held}, None, 1)
            wrong[str(edge)] = reference.judge(EDGES_CONTRACT, [record], UTC_DAY)[0].reasons
    assert len(wrong) > 5
    assert set(wrong.values()) == {()}


def held_as(warehouse, row: dict[str, object], column: str) -> str | None:
    """The text of what the column holds after a row was inserted, which is undone; None where it was refused."""
    names = sql.SQL(", ").join(map(sql.Identifier, row))
    marks = sql.SQL(", ").join(sql.Placeholder() * len(row))
    shape = sql.SQL("INSERT INTO warehouse.edges ({}) VALUES ({}) RETURNING to_json({}) #>> '{{}}'")
    try:
        with warehouse.cursor() as cursor:
            cursor.execute(shape.format(names, marks, sql.Identifier(column)), list(row.values()))
            return cursor.fetchone()[0]
    except (psycopg2.IntegrityError, psycopg2.DataError):
        return None
    finally:
        warehouse.rollback()
