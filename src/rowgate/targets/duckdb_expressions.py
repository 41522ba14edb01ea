"""An expression as a DuckDB condition. Integers are `BIGINT`, timestamps are without a zone, in UTC."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from rowgate.contract import expression_nodes as nodes
from rowgate.contract.expression_nodes import DIGITS, QUOTIENT_SCALE, Node
from rowgate.contract.expressions import Tree
from rowgate.contract.letter_case import LOWER, UPPER
from rowgate.contract.types import Decimal, Integer
from rowgate.targets.duckdb_types import literal, text_literal, type_of
from rowgate.targets.sql_expressions import Day, Leaf, Number, OfText, SqlWriter

_DAYS = 3652058  # from 0001-01-01 to 9999-12-31
_UNIT = 10**QUOTIENT_SCALE
_TINY = f"CAST('0.{1:0{QUOTIENT_SCALE}}' AS DECIMAL(18,{QUOTIENT_SCALE}))"


def to_duckdb(tree: Tree, values: Mapping[str, str], now: dt.datetime) -> str:
    """The condition as SQL text; it may be NULL, which breaks the rule.

    Args:
        tree: the parsed expression.
        values: for each column it names, SQL text of that column's typed value (NULL when missing or untyped).
        now: the run's start, aware; `current_date` and `current_timestamp` become literals of it.
    """
    return _Writer(values, now.astimezone(dt.UTC)).write(tree.root)


@dataclass(frozen=True)
class _Writer(SqlWriter):
    values: Mapping[str, str]
    now: dt.datetime

    def leaf(self, node: Leaf) -> str:
        match node:
            case nodes.Constant(value, kind):
                return f"CAST(NULL AS {type_of(kind)})" if value is None else literal(value, kind)
            case nodes.Name(name, kind):
                return f"CAST({self.values[name]} AS BIGINT)" if isinstance(kind, Integer) else self.values[name]
            case nodes.Today(kind):
                return literal(self.now.date(), kind)
            case nodes.Now(kind):
                return literal(self.now, kind)
            case _:
                assert_never(node)

    def like(self, pattern: str) -> str:
        return rf"{text_literal(pattern)} ESCAPE '\'"

    def number(self, node: Number) -> str:
        match node:
            case nodes.Widen(operand, kind):
                return f"TRY_CAST({self.write(operand)} AS {type_of(kind)})"
            case nodes.Arithmetic("/", left, right):
                return _quotient(self.longest(left), self.longest(right))
            case nodes.Arithmetic("%", left, right):
                return f"({self.longest(left)} % nullif({self.longest(right)}, 0))"
            case nodes.Arithmetic(operator, left, right):
                return f"TRY({self.longest(left)} {operator} {self.longest(right)})"
            case nodes.Negate(operand):
                # Not a sign, which makes a wider type of the smallest integer.
                return f"TRY({literal(0, operand.kind)} - {self.longest(operand)})"
            case nodes.Absolute(operand):
                return f"TRY(abs({self.longest(operand)}))"
            case _:
                assert_never(node)

    def longest(self, node: Node) -> str:
        """The number in the longest type of its scale: DuckDB stops at 18 digits where none of the sides has more."""
        kind = Decimal(DIGITS, node.kind.scale) if isinstance(node.kind, Decimal) else Integer()
        return f"CAST({self.write(node)} AS {type_of(kind)})"

    def day(self, node: Day) -> str:
        match node:
            case nodes.DayOf(operand):
                return f"CAST({self.write(operand)} AS DATE)"
            case nodes.DaysBetween(left, right):
                return f"({self.write(left)} - {self.write(right)})"
            case nodes.AddDays(date, days):
                start, later = self.write(date), self.write(days)
                there = f"TRY(({start} - DATE '0001-01-01') + {later})"
                return f"CASE WHEN {there} BETWEEN 0 AND {_DAYS} THEN {start} + TRY_CAST({later} AS INTEGER) END"
            case _:
                assert_never(node)

    def text(self, node: OfText) -> str:
        match node:
            case nodes.Length(operand):
                return f"length({self.write(operand)})"
            case nodes.ChangeCase(operand, to):
                table, value = LOWER if to == "lower" else UPPER, self.write(operand)
                old, new = text_literal("".join(map(chr, table))), text_literal("".join(table.values()))
                # `translate` reads both of its tables again for each row; ASCII needs none.
                ascii_only = f"strlen({value}) = length({value})"
                return f"CASE WHEN {ascii_only} THEN {to}({value}) ELSE translate({value}, {old}, {new}) END"
            case nodes.Slice(operand, start, length):
                end = "" if length is None else f", {length}"
                return f"substring({self.write(operand)}, {start}{end})"
            case _:
                assert_never(node)


def _quotient(left: str, right: str) -> str:
    """SQL of an exact quotient with 18 decimals, rounded half away from zero; NULL where 38 digits are too few.

    DuckDB divides decimals as floating-point numbers, so this is long division on the digits of two numbers that have
    one scale: ten times a remainder would not fit into 128 bits, but three times does, and 10 = 2 * (2 * 2 + 1).

    Args:
        left: SQL of a number, its type the longest of its scale.
        right: likewise.
    """
    top, bottom = (f"CAST(replace(CAST(abs({side}) AS VARCHAR), '.', '') AS UHUGEINT)" for side in (left, right))
    fifth = "s.r * 2 % s.d * 2 + s.r"  # five times the remainder, less whole divisors
    step = (
        f"lambda s, x: {{'n': s.n * 10 + s.r * 2 // s.d * 4 + ({fifth}) // s.d * 2 + ({fifth}) % s.d * 2 // s.d, "
        f"'r': ({fifth}) % s.d * 2 % s.d, 'd': s.d}}"
    )
    empty = "{'n': CAST(0 AS UHUGEINT), 'r': CAST(0 AS UHUGEINT), 'd': CAST(1 AS UHUGEINT)}"
    start = f"{{'n': {top} // nullif({bottom}, 0), 'r': {top} % nullif({bottom}, 0), 'd': nullif({bottom}, 0)}}"
    divided = f"list_reduce(repeat([{empty}], {QUOTIENT_SCALE}), {step}, {start})"
    rounded = f"list_transform([{divided}], lambda q: q.n + CAST(q.r * 2 >= q.d AS UHUGEINT))"
    whole, fraction = f"CAST(u // {_UNIT} AS DECIMAL(38,18))", f"CAST(u % {_UNIT} AS DECIMAL(18,0)) * {_TINY}"
    result = f"TRY(list_transform({rounded}, lambda u: {whole} + {fraction})[1])"
    return f"CASE WHEN ({left} < 0) <> ({right} < 0) THEN 0 - {result} ELSE {result} END"
