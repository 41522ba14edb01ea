"""An expression as a Postgres condition."""

import datetime as dt
import decimal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from rowgate.contract import expression_nodes as nodes
from rowgate.contract.expression_nodes import DIGITS, QUOTIENT_SCALE, Node
from rowgate.contract.expressions import Tree
from rowgate.contract.letter_case import LOWER, UPPER
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.targets.sql_expressions import Day, Leaf, Number, OfText, SqlWriter
from rowgate.targets.support import NotEnforcedError

_LONGEST = 20_000  # characters; a longer condition helps nobody who reads the table
_DAYS = 3652058  # from 0001-01-01 to 9999-12-31
_EXACT = "numeric(98,57)"  # 57 decimals, so that a quotient of 38-digit numbers is rounded once in effect, not twice


def to_postgres(tree: Tree, values: Mapping[str, str]) -> str:
    """The condition as text for a CHECK; it may be NULL, which breaks the rule: add `IS TRUE`.

    Args:
        tree: the parsed expression.
        values: for each column it names, the quoted identifier, or other SQL text, of its value.

    Raises:
        NotEnforcedError: a CHECK cannot say it.
    """
    if tree.clock:
        raise NotEnforcedError("a constraint cannot look at the clock, and the expression does.")
    written = _Writer(values).write(tree.root)
    if len(written) > _LONGEST:
        raise NotEnforcedError(f"The expression is too long for a constraint ({len(written)} characters).")
    return written


@dataclass(frozen=True)
class _Writer(SqlWriter):
    values: Mapping[str, str]

    def leaf(self, node: Leaf) -> str:
        match node:
            case nodes.Constant(value, kind):
                return f"NULL::{_type(kind)}" if value is None else literal(value)
            case nodes.Name(name):
                return self.values[name]
            case nodes.Today() | nodes.Now():
                raise AssertionError(node)  # `to_postgres` has refused it
            case _:
                assert_never(node)

    def compare(self, node: nodes.Compare) -> str:
        ordered = isinstance(node.left.kind, Text) and node.sign not in ("=", "<>")
        collation = ' COLLATE "C"' if ordered else ""
        return f"({self.write(node.left)}{collation} {node.sign} {self.write(node.right)})"

    def like(self, pattern: str) -> str:
        return literal(pattern)

    def number(self, node: Number) -> str:
        match node:
            case nodes.Widen(operand, Timestamp()):
                return f"(({self.write(operand)})::timestamp AT TIME ZONE 'UTC')"
            case nodes.Widen(operand):
                fits = _reach(node) <= _limit(node.kind)
                written = self.write(operand) if fits else self.numeric(operand)
            case nodes.Arithmetic("/", left, right):
                divisor = f"NULLIF({self.numeric(right)}, 0)"
                written = f"round({self.numeric(left)}::{_EXACT} / {divisor}, {QUOTIENT_SCALE})"
            case nodes.Arithmetic("%", left, right):
                written = f"({self.numeric(left)} % NULLIF({self.numeric(right)}, 0))"
            case nodes.Arithmetic(operator, left, right):
                written = f"({self.numeric(left)} {operator} {self.numeric(right)})"
            case nodes.Negate(operand):
                written = f"(- {self.numeric(operand)})"
            case nodes.Absolute(operand):
                written = f"abs({self.numeric(operand)})"
            case _:
                assert_never(node)
        if _reach(node) <= _limit(node.kind):
            return written
        if isinstance(node.kind, Integer):
            return f"CASE WHEN {written} BETWEEN {node.kind.low} AND {node.kind.high} THEN {written} END"
        return f"CASE WHEN abs({written}) <= {_limit(node.kind)} THEN {written} END"

    def numeric(self, node: Node) -> str:
        """The value as a `numeric`, which is exact and has no end in Postgres."""
        written = self.write(node)
        if isinstance(node, nodes.Arithmetic):
            return written if written.startswith(("(", "round")) else f"({written})"
        return f"({written})::numeric"

    def day(self, node: Day) -> str:
        match node:
            case nodes.DayOf(operand):
                return f"({self.write(operand)} AT TIME ZONE 'UTC')::date"
            case nodes.DaysBetween(left, right):
                return f"({self.write(left)} - {self.write(right)})"
            case nodes.AddDays(date, days):
                start, later = self.write(date), self.numeric(days)
                there = f"({start} - DATE '0001-01-01') + {later}"
                # Postgres works a constant cast out even where the condition before it is false: it must not overflow.
                near = f"LEAST(GREATEST({later}, -{_DAYS}), {_DAYS})::integer"
                return f"CASE WHEN {there} BETWEEN 0 AND {_DAYS} THEN {start} + {near} END"
            case _:
                assert_never(node)

    def text(self, node: OfText) -> str:
        match node:
            case nodes.Length(operand):
                return f"char_length({self.write(operand)})"
            case nodes.ChangeCase(operand, to):
                table = LOWER if to == "lower" else UPPER
                old, new = "".join(map(chr, table)), "".join(table.values())
                return f"translate({self.write(operand)}, {literal(old)}, {literal(new)})"
            case nodes.Slice(operand, start, length):
                end = "" if length is None else f" FOR {length}"
                return f"substring({self.write(operand)} FROM {start}{end})"
            case _:
                assert_never(node)


def literal(value: str | int | decimal.Decimal | dt.date | dt.datetime | bool) -> str:  # noqa: FBT001 - any value
    """A value as Postgres writes it, `standard_conforming_strings` being on."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case int():
            return str(value) if value >= 0 else f"({value})"
        case decimal.Decimal():
            return f"{value:f}" if value >= 0 else f"({value:f})"
        case dt.datetime():
            return f"TIMESTAMPTZ '{value.astimezone(dt.UTC).isoformat(' ')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case _:
            assert_never(value)


def _type(kind: ColumnType) -> str:
    match kind:
        case Integer() | Decimal():
            return "numeric"
        case Timestamp():
            return "timestamptz"
        case Text() | Boolean() | Date():
            return type(kind).__name__.lower()
        case _:
            assert_never(kind)


def _limit(kind: ColumnType) -> decimal.Decimal:
    """The greatest number of the kind."""
    if isinstance(kind, Decimal):
        return decimal.Decimal((0, (9,) * DIGITS, -kind.scale))
    return decimal.Decimal(Integer(64).high)


def _reach(node: Node) -> decimal.Decimal:  # noqa: C901, PLR0911 - one case for each part of an expression
    """How far from 0 a number can come before it is seen to have too many digits."""
    with decimal.localcontext(prec=200):
        match node:
            case nodes.Constant(int() | decimal.Decimal() as value):
                return abs(decimal.Decimal(value))
            case nodes.Name(_, Integer() as kind):
                return decimal.Decimal(-kind.low)
            case nodes.Name(_, Decimal(precision, scale)):
                return decimal.Decimal((0, (9,) * precision, -scale))
            case nodes.Widen(operand) | nodes.Negate(operand) | nodes.Absolute(operand):
                return _near(operand)
            case nodes.Arithmetic("+" | "-", left, right):
                return _near(left) + _near(right)
            case nodes.Arithmetic("*", left, right):
                return _near(left) * _near(right)
            case nodes.Arithmetic("%", left, right):
                return min(_near(left), _near(right))
            case nodes.Arithmetic("/", left):
                scale = left.kind.scale if isinstance(left.kind, Decimal) else 0
                return _near(left).scaleb(scale)
            case nodes.Case(branches, otherwise):
                return max(_near(value) for value in (*(value for _, value in branches), otherwise))
            case nodes.Coalesce(options):
                return max(map(_near, options))
        return decimal.Decimal(2**31)  # a text's length, days between dates


def _near(node: Node) -> decimal.Decimal:
    """`_reach` of a part that is written with its guard."""
    numeric = isinstance(node.kind, Integer | Decimal)
    return min(_reach(node), _limit(node.kind) + 1) if numeric else decimal.Decimal(0)
