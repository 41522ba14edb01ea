"""Which contracts can be."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal as Number

import pytest

from rowgate.contract.checks import Between, Expression, LengthBetween, Matches, NotBlank, OneOf, Typed, Unique
from rowgate.contract.model import (
    Column,
    Contract,
    DatasetRule,
    FieldRule,
    NaturalKey,
    Policy,
    ServiceLevels,
    SurrogateKey,
)
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.errors import ContractError

TOY = Contract(
    name="toy",
    version="1.0.0",
    owner="team",
    columns=(Column("word", Text(), required=True), Column("n", Integer())),
    rules=(FieldRule("word", NotBlank(), "no_word"), FieldRule("n", Between(1, 9), "bad_n")),
)


def with_rule(column: Column, *checks, **more) -> Contract:
    rules = tuple(FieldRule(column.name, check, f"reason_{number}") for number, check in enumerate(checks))
    return replace(TOY, columns=(*TOY.columns, column), rules=(*TOY.rules, *rules), **more)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"name": "Toy"}, "'Toy'"),
        ({"name": ""}, "''"),
        ({"name": "1toy"}, "'1toy'"),
        ({"name": "a" * 41}, "40"),
        ({"version": "1.0"}, "'1.0'"),
        ({"version": "1.0.01"}, "'1.0.01'"),
        ({"owner": " "}, "no owner"),
        ({"on_conflict": "replace"}, "on_conflict"),
        ({"columns": ()}, "no columns"),
        ({"columns": tuple(replace(column, loaded=False) for column in TOY.columns)}, "loads no column"),
        ({"columns": (*TOY.columns, Column("WORD", Text()))}, "two columns WORD"),
        ({"columns": (*TOY.columns, Column("run_id", Text()))}, "run_id"),
        ({"columns": (*TOY.columns, Column(" x", Text()))}, "' x'"),
        ({"columns": (*TOY.columns, Column("x\n", Text()))}, "'x\\n'"),
        ({"rules": (*TOY.rules, FieldRule("n", Typed(), "BAD_N"))}, "BAD_N"),
        ({"rules": (*TOY.rules, FieldRule("n", Typed(), "bad n"))}, "'bad n'"),
        ({"rules": (*TOY.rules, FieldRule("n", Typed(), ""))}, "''"),
        ({"rules": (*TOY.rules, FieldRule("n", Typed(), "malformed_record"))}, "malformed_record"),
        ({"rules": (*TOY.rules, FieldRule("m", Typed(), "x"))}, "'m'"),
        ({"rules": (*TOY.rules, FieldRule("n", Unique(("m",)), "x"))}, "'m'"),
        ({"rules": TOY.rules[:1]}, "column n is bigint, but no rule"),
        ({"rules": TOY.rules[1:]}, "column word is required, but no rule"),
        ({"rules": (TOY.rules[0], FieldRule("n", Unique(), "x"))}, "column n is bigint, but no rule"),
        ({"max_reject_rate": 1.5}, "max_reject_rate"),
        ({"max_reject_rate": float("nan")}, "max_reject_rate"),
        ({"min_rows": -1}, "min_rows"),
        ({"null_markers": ("",)}, "null marker"),
        ({"null_markers": (" NA",)}, "null marker"),
        ({"service_levels": ServiceLevels(freshness=dt.timedelta(0))}, "freshness"),
        ({"dataset_rules": (DatasetRule("a b", "SELECT 1 FROM {table}", 0),)}, "'a b'"),
        ({"dataset_rules": (DatasetRule("a", "SELECT 1", 0),)}, "{table}"),
        ({"dataset_rules": (DatasetRule("a", "SELECT 1 FROM {table}", float("nan")),)}, "threshold"),
        ({"dataset_rules": (DatasetRule("a", "SELECT 1 FROM {table}", 0),) * 2}, "two dataset rules a"),
        ({"key": NaturalKey(())}, "no columns"),
        ({"key": NaturalKey(("m",))}, "'m'"),
        ({"key": NaturalKey(("n",))}, "may be missing"),
        ({"key": NaturalKey(("word", "word"))}, "two columns word"),
        ({"key": NaturalKey(("word",)), "policy": Policy.WARN}, "only warns"),
        ({"key": SurrogateKey("word", ("word",))}, "name of a column"),
        ({"key": SurrogateKey("the key", ("word",))}, "the key"),
        ({"key": SurrogateKey("k", ())}, "at least one source"),
        ({"key": SurrogateKey("k", ("word",), separator="")}, "separator"),
        ({"key": SurrogateKey("k", ("n",))}, "may be missing"),
    ],
)
def test_an_impossible_contract_is_refused_with_what_is_wrong(changes, why):
    with pytest.raises(ContractError) as caught:
        replace(TOY, **changes)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("column", "check", "why"),
    [
        (Column("x", Text()), NotBlank(), "not required"),
        (Column("x", Integer()), Matches("a"), "looks at text"),
        (Column("x", Date()), LengthBetween(1, 2), "looks at text"),
        (Column("x", Text()), Between(1, 2), "needs a number"),
        (Column("x", Boolean()), Between(low=True), "needs a number"),
        (Column("x", Integer()), Between(), "neither"),
        (Column("x", Integer(32)), Between(0, 2**31), "2147483648"),
        (Column("x", Integer()), Between(0.5, 1), "0.5"),
        (Column("x", Integer()), Between(low=True), "True"),
        (Column("x", Decimal(4, 2)), Between(Number("0.001")), "0.001"),
        (Column("x", Decimal(4, 2)), Between(Number(100)), "100"),
        (Column("x", Decimal(4, 2)), Between(Number("Infinity")), "Infinity"),
        (Column("x", Date()), Between(dt.datetime(2020, 1, 1, tzinfo=dt.UTC)), "date"),
        (Column("x", Timestamp()), Between(dt.datetime(2020, 1, 1)), "timestamp"),  # noqa: DTZ001 - what is refused
        (Column("x", Text()), OneOf((" a",)), "' a'"),
        (Column("x", Text()), OneOf(("",)), "''"),
        (Column("x", Integer()), OneOf(("1",)), "'1'"),
        (Column("x", Integer()), Expression("y > 0"), "'y'"),
        (Column("x", Integer()), Expression("x + 1"), "condition"),
    ],
)
def test_a_check_that_does_not_fit_its_column_is_refused(column, check, why):
    with pytest.raises(ContractError) as caught:
        with_rule(column, Typed(), check)
    assert "rule reason_1" in str(caught.value)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Between(2, 1),
        lambda: Between(dt.date(2020, 1, 2), dt.date(2020, 1, 1)),
        lambda: Between(1, "2"),
        lambda: LengthBetween(2, 1),
        lambda: LengthBetween(0, 0),
        lambda: OneOf(()),
        lambda: OneOf(("a", "a")),
        lambda: Matches("(?=a)"),
        lambda: Integer(16),
        lambda: Decimal(39, 0),
        lambda: Decimal(2, 3),
    ],
)
def test_a_check_or_type_that_nothing_could_meet_is_refused(make):
    with pytest.raises(ContractError):
        make()


def test_not_blank_must_be_the_columns_first_rule():
    with pytest.raises(ContractError, match="first rule"):
        with_rule(Column("x", Text(), required=True), Typed(), NotBlank())


@pytest.mark.parametrize(
    ("first", "second", "possible"),
    [
        (Typed(), Typed(), False),
        (Typed(), Matches("[a-z|]+"), False),
        (Typed(), Matches("[a-z]+"), True),
        (Typed(), OneOf(("a|b",)), False),
        (Typed(), OneOf(("a", "b")), True),
    ],
)
def test_a_surrogate_key_is_refused_when_two_sources_could_hold_the_separator(first, second, possible):
    def make() -> Contract:
        return Contract(
            name="pair",
            version="1.0.0",
            owner="team",
            columns=(Column("a", Text(), required=True), Column("b", Text(), required=True)),
            rules=(FieldRule("a", first, "bad_a"), FieldRule("b", second, "bad_b")),
            key=SurrogateKey("k", ("a", "b")),
        )

    if possible:
        assert make().key_columns == ("k",)
    else:
        with pytest.raises(ContractError, match=r"a and b could each hold"):
            make()


def test_an_untyped_value_breaks_the_first_rule_that_needs_the_type():
    contract = with_rule(Column("x", Integer(), required=True), NotBlank(), Between(1, 2), OneOf((1,)))
    column = contract.column("x")
    assert contract.missing_rule(column).reason == "reason_0"
    assert contract.untyped_rule(column).reason == "reason_1"


def test_every_reason_is_reported_in_declaration_order_with_malformed_record_first():
    assert TOY.reasons == ("malformed_record", "no_word", "bad_n")


def test_a_rule_that_only_warns_does_not_reject():
    soft = replace(TOY, rules=(TOY.rules[0], replace(TOY.rules[1], policy=Policy.WARN)))
    assert soft.rejecting_reasons == ("malformed_record", "no_word")
