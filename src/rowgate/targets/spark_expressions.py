"""An expression as Spark SQL.

The session needs the time zone UTC and `spark.sql.decimalOperations.allowPrecisionLoss=false`.
"""

import datetime as dt
import decimal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from rowgate.contract import expression_nodes as nodes
from rowgate.contract.expression_nodes import DIGITS, Node
from rowgate.contract.expressions import Tree
from rowgate.contract.letter_case import LOWER, UPPER
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.targets.sql_expressions import Day, Leaf, Number, OfText, SqlWriter

_TRY = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide", "%": "try_mod"}
_FIRST_DAY, _LAST_DAY = -719162, 2932896  # 0001-01-01 and 9999-12-31, in days since 1970-01-01


def to_spark(tree: Tree, values: Mapping[str, str], now: dt.datetime | None) -> str:
    """The condition as text for `pyspark.sql.functions.expr`; it may be NULL, which breaks the rule.

    Args:
        tree: the parsed expression.
        values: for each column it names, SQL text of that column's typed value (NULL when missing or untyped).
        now: the run's start, aware; `current_date` and `current_timestamp` become literals of it. None leaves them to
            Spark, which stops its clock when a query starts.
    """
    return _Writer(values, now and now.astimezone(dt.UTC)).write(tree.root)


@dataclass(frozen=True)
class _Writer(SqlWriter):
    values: Mapping[str, str]
    now: dt.datetime | None

    def leaf(self, node: Leaf) -> str:
        match node:
            case nodes.Constant(value, kind):
                return f"CAST(NULL AS {_type(kind)})" if value is None else literal(value)
            case nodes.Name(name, kind):
                return f"CAST({self.values[name]} AS BIGINT)" if isinstance(kind, Integer) else f"({self.values[name]})"
            case nodes.Today():
                return literal(self.now.date()) if self.now else "current_date()"
            case nodes.Now():
                return literal(self.now) if self.now else "current_timestamp()"
            case _:
                assert_never(node)

    def like(self, pattern: str) -> str:
        return literal(pattern)

    def number(self, node: Number) -> str:
        match node:
            case nodes.Widen(operand, kind):
                return f"TRY_CAST({self.write(operand)} AS {_type(kind)})"
            case nodes.Arithmetic("/", left, right):
                # Spark gives 18 decimals to two numbers of 38 digits and one scale.
                return f"try_divide({self.longest(left)}, {self.longest(right)})"
            case nodes.Arithmetic(operator, left, right):
                return f"{_TRY[operator]}({self.write(left)}, {self.write(right)})"
            case nodes.Negate(operand):
                return self.opposite(operand)
            case nodes.Absolute(operand, Integer()):
                value = self.write(operand)
                return f"CASE WHEN {value} < 0L THEN {self.opposite(operand)} ELSE {value} END"
            case nodes.Absolute(operand):
                # Not `abs`, which rounds to 34 digits.
                return f"greatest({self.write(operand)}, {self.opposite(operand)})"
            case _:
                assert_never(node)

    def opposite(self, operand: Node) -> str:
        # Not a sign, which rounds to 34 digits and raises where the smallest integer has no opposite.
        zero = "0L" if isinstance(operand.kind, Integer) else "0BD"
        return f"try_subtract({zero}, {self.write(operand)})"

    def longest(self, node: Node) -> str:
        scale = node.kind.scale if isinstance(node.kind, Decimal) else 0
        return f"CAST({self.write(node)} AS DECIMAL({DIGITS},{scale}))"

    def day(self, node: Day) -> str:
        match node:
            case nodes.DayOf(operand):
                return f"CAST({self.write(operand)} AS DATE)"
            case nodes.DaysBetween(left, right):
                return f"CAST(datediff({self.write(left)}, {self.write(right)}) AS BIGINT)"
            case nodes.AddDays(date, days):
                start, later = self.write(date), self.write(days)
                there = f"try_add(CAST(unix_date({start}) AS BIGINT), {later})"
                moved = f"date_add({start}, TRY_CAST({later} AS INT))"
                return f"CASE WHEN {there} BETWEEN {_FIRST_DAY} AND {_LAST_DAY} THEN {moved} END"
            case _:
                assert_never(node)

    def text(self, node: OfText) -> str:
        match node:
            case nodes.Length(operand):
                return f"CAST(char_length({self.write(operand)}) AS BIGINT)"
            case nodes.ChangeCase(operand, to):
                table = LOWER if to == "lower" else UPPER
                old, new = "".join(map(chr, table)), "".join(table.values())
                return f"translate({self.write(operand)}, {literal(old)}, {literal(new)})"
            case nodes.Slice(operand, start, length):
                end = "" if length is None else f", {length}"
                return f"substring({self.write(operand)}, {start}{end})"
            case _:
                assert_never(node)


def literal(value: str | int | decimal.Decimal | dt.date | dt.datetime | bool) -> str:  # noqa: FBT001 - any value
    """A value as Spark writes it."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            # A `${` would be taken for one of the session's variables.
            written = value.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{")
            return f"'{written}'"
        case int():
            return f"{value}L" if value >= 0 else f"({value}L)"
        case decimal.Decimal():
            return f"{value:f}BD" if value >= 0 else f"({value:f}BD)"
        case dt.datetime():
            return f"TIMESTAMP_LTZ '{value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(' ', 'microseconds')}Z'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case _:
            assert_never(value)


def _type(kind: ColumnType) -> str:
    match kind:
        case Integer():
            return "BIGINT"
        case Decimal(precision, scale):
            return f"DECIMAL({precision},{scale})"
        case Text():
            return "STRING"
        case Boolean() | Date() | Timestamp():
            return type(kind).__name__.upper()
        case _:
            assert_never(kind)
