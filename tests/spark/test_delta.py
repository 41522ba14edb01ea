"""The rendered constraints on real Delta tables: they refuse by hand what the contract refuses in a file."""

import datetime as dt
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterable, Mapping
from decimal import Decimal as Number
from pathlib import Path

import pytest

from rowgate.contract import catalog
from rowgate.contract.checks import Expression, Matches, NotBlank, Typed
from rowgate.contract.model import Column, Contract, FieldRule, Policy
from rowgate.contract.spark_text import name_in_sql
from rowgate.contract.types import Integer, Text
from rowgate.contract.values import Value, typed
from rowgate.targets import delta
from rowgate.targets.spark_expressions import literal

PROJECT = Path(__file__).parents[2]
missing = runpy.run_path(str(PROJECT / "tests" / "conftest.py"))["missing"]
JARS = PROJECT / ".rowgate" / "jars" / "delta"
EDGE_TABLE = runpy.run_path(str(PROJECT / "tests" / "conformance" / "edges.py"))
EDGES, EDGES_CONTRACT = EDGE_TABLE["EDGES"], EDGE_TABLE["CONTRACT"]
KINDS = {column.name: column.type for column in EDGES_CONTRACT.columns}
TAKEN = [edge for edge in EDGES if edge.storable and edge.good]
# Every kind of white space is looked at in the conformance tests of the condition; here some stand for all.
BLANKS = {"", "\u200ba", "a\u2028", "\ta", "a\n", "n/a"}
REFUSED = [
    edge
    for edge in EDGES
    if edge.storable and not edge.good and (edge.column != "text_not_blank" or edge.text is None or edge.text in BLANKS)
]

# Names that Delta holds only under column mapping, and a rule about a column that the table does not have.
ODD = Contract(
    name="odd",
    version="1.0.0",
    owner="tests",
    description="It's a \\ toy; with ${everything}.",
    columns=(
        Column("a `b`.c, (d)", Text(), description="It's odd."),
        Column("n", Integer(32), required=True),
        Column("Ωμ", Text()),
        Column("left", Integer(64), loaded=False),
    ),
    rules=(
        FieldRule("a `b`.c, (d)", Matches(r"it's|\$\{x\}|\\"), "bad_a"),
        FieldRule("n", NotBlank(), "missing_n"),
        FieldRule("n", Expression("n > left"), "n_left"),
        FieldRule("n", Expression("n > length(`a ``b``.c, (d)`)"), "n_length"),
        FieldRule("Ωμ", Matches("[\u03b1-\u03c9]+"), "bad_greek", policy=Policy.WARN),
        FieldRule("left", Typed(), "bad_left"),
    ),
)

GOOD: Mapping[str, dict[str, Value | None]] = {
    "users": {
        "user_id": "0123456789abcdef0123456789abcdef",
        "name": "Άννα Παπά",
        "email": "anna@example.org",
        "phone": "6912345678",
        "zip_code": "01234",
        "age": 18,
        "city": "Αθήνα",
    },
    "till_orders": {
        "order_id": 1,
        "customer_id": "c-1",
        "amount": Number("0.01"),
        "ordered_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    },
    "transactions": {
        "transaction_id": 1,
        "customer_id": 2,
        "amount": Number("999999.99"),
        "transaction_date": dt.date(2020, 1, 1),
        "status": "reversed",
        "currency": "EUR",
    },
    "odd": {"a `b`.c, (d)": "it's", "n": 5, "Ωμ": "A"},
}

# contract, column, value, what refuses a row that is good but for it; None where it is taken
ONE_CHANGED: list[tuple[str, str, Value | None, str | None]] = [
    ("users", "user_id", "0123456789ABCDEF0123456789abcdef", "user_id_format"),
    ("users", "user_id", "0123456789abcdef0123456789abcdef\n", "user_id_format"),
    ("users", "name", "", "invalid_name"),
    ("users", "name", "\u00a0Anna", "invalid_name"),
    ("users", "name", None, "invalid_name"),
    ("users", "email", "anna@example", "invalid_email"),
    ("users", "email", "anna@example.org\n", "invalid_email"),
    ("users", "phone", "2101234567", "invalid_phone"),
    ("users", "zip_code", "1234", "invalid_zip_code"),
    ("users", "zip_code", "\u0661\u0662345", "invalid_zip_code"),
    ("users", "age", 17, "invalid_age"),
    ("users", "age", 99, None),
    ("users", "age", 100, "invalid_age"),
    ("users", "age", None, "invalid_age"),
    ("users", "city", " ", "invalid_city"),
    ("till_orders", "order_id", None, "missing_order_id"),
    ("till_orders", "customer_id", None, "missing_customer_id"),
    ("till_orders", "amount", Number("0.00"), "amount_out_of_range"),
    ("till_orders", "amount", Number("0.014"), None),  # the header says that it is rounded
    ("till_orders", "amount", Number("0.004"), "amount_out_of_range"),
    ("till_orders", "amount", None, "missing_amount"),
    ("till_orders", "ordered_at", None, "missing_ordered_at"),
    ("transactions", "transaction_id", None, "missing_transaction_id"),
    ("transactions", "customer_id", None, "missing_customer_id"),
    ("transactions", "amount", None, "missing_amount"),
    ("transactions", "amount", Number("0.01"), None),
    ("transactions", "amount", Number("0.00"), "amount_check_1"),
    ("transactions", "amount", Number("1000000.00"), "amount_check_2"),
    ("transactions", "transaction_date", dt.date(2019, 12, 31), "transaction_date_check_1"),
    ("transactions", "transaction_date", dt.date(9999, 12, 31), None),  # the header says that the clock is not asked
    ("transactions", "transaction_date", None, "missing_transaction_date"),
    ("transactions", "status", "Reversed", "status_not_allowed"),
    ("transactions", "status", None, "missing_status"),
    ("transactions", "currency", "EURO", "currency_bad_format"),
    ("transactions", "currency", None, "missing_currency"),
    ("odd", "a `b`.c, (d)", "its", "bad_a"),
    ("odd", "a `b`.c, (d)", "${x}", None),
    ("odd", "a `b`.c, (d)", "\\", None),
    ("odd", "a `b`.c, (d)", None, "n_length"),  # the other rule's expression is NULL
    ("odd", "n", 4, "n_length"),
    ("odd", "n", None, "missing_n"),
    ("odd", "Ωμ", None, None),
]


def row_of(edge: object) -> dict[str, Value | None]:
    """The values of an edge's row, in the order of the table's columns."""
    return {name: text and typed(text, KINDS[name]) for name, text in edge.fields("k").items()}


def insert(table: str, rows: Iterable[Mapping[str, Value | None]]) -> str:
    """A hand-written INSERT of rows with the same columns."""
    rows = [{**row, "record_number": 1, "run_id": "by hand"} for row in rows]
    names = ", ".join(map(name_in_sql, rows[0]))
    values = (", ".join("NULL" if value is None else literal(value) for value in row.values()) for row in rows)
    return f"INSERT INTO warehouse.{table} ({names}) VALUES {', '.join(f'({each})' for each in values)}"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[object, list[str | None]]:
    """What refused each statement; all run in one Spark."""
    from rowgate.embedded.java import java_home
    from rowgate.errors import RowgateError

    if not any(JARS.glob("delta-spark_*.jar")):
        missing("delta", "its jars are not there; run `make jars`")
    try:
        home = {"JAVA_HOME": str(java_home(tmp_path_factory.mktemp("java"), os.environ))}
    except RowgateError as error:
        missing("spark", str(error))
    contracts = [*catalog.load_all(PROJECT / "contracts"), ODD]
    # On a new table a constraint cannot be dropped, and what tries to takes its time.
    batches: dict[object, list[str]] = {
        contract.name: [each for each in delta.statements(contract) if " DROP CONSTRAINT " not in each]
        for contract in (*contracts, EDGES_CONTRACT)
    }
    batches["again"] = delta.statements(ODD)
    batches["taken"] = [insert("edges", map(row_of, TAKEN))]
    batches |= {("edge", str(edge)): [insert("edges", [row_of(edge)])] for edge in REFUSED}
    batches |= {(name,): [insert(name, [row])] for name, row in GOOD.items()}
    batches |= {
        (name, column, value): [insert(name, [{**GOOD[name], column: value}])] for name, column, value, _ in ONE_CHANGED
    }
    asked = [statement for statements in batches.values() for statement in statements]
    command = [sys.executable, str(Path(__file__).with_name("delta_outcomes.py")), str(JARS)]
    ran = subprocess.run(
        command, input=json.dumps(asked), capture_output=True, text=True, env={**os.environ, **home}, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = iter(json.loads(ran.stdout.splitlines()[-1]))
    return {batch: [next(found) for _ in statements] for batch, statements in batches.items()}


@pytest.mark.parametrize("batch", ["users", "till_orders", "transactions", "odd", "edges"])
def test_delta_takes_every_rendered_statement(outcomes, batch):
    assert set(outcomes[batch]) == {None}


def test_the_statements_can_be_run_again(outcomes):
    assert set(outcomes["again"]) == {None}


def test_every_edge_that_the_contract_accepts_is_taken(outcomes):
    assert outcomes["taken"] == [None]


@pytest.mark.parametrize("edge", REFUSED, ids=str)
def test_an_edge_that_the_contract_rejects_is_refused_by_a_constraint_named_by_its_reason(outcomes, edge):
    own = set() if edge.readable else {f"{edge.column}_normalised"}
    assert outcomes["edge", str(edge)][0] in {edge.reason, *own}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_row_is_taken(outcomes, name):
    assert outcomes[name,] == [None]


@pytest.mark.parametrize(
    ("name", "column", "value", "refused"),
    ONE_CHANGED,
    ids=[f"{each[0]}.{each[1]} {each[2]!a}" for each in ONE_CHANGED],
)
def test_a_row_with_one_value_changed_is_refused_by_the_rule_it_breaks(outcomes, name, column, value, refused):
    assert outcomes[name, column, value] == [refused]
