"""What an expression means, in plain Python."""

import datetime as dt
import decimal
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from rowgate.contract import expression_nodes as nodes
from rowgate.contract.expression_nodes import DIGITS, QUOTIENT_SCALE, Node
from rowgate.contract.expressions import Tree
from rowgate.contract.letter_case import LOWER, UPPER
from rowgate.contract.types import ColumnType, Decimal, Integer, Timestamp
from rowgate.contract.values import Value

_EXACT = decimal.Context(prec=200, rounding=decimal.ROUND_HALF_UP)  # enough for any sum, product or quotient of two


def evaluate(tree: Tree, values: Mapping[str, Value | None], now: dt.datetime) -> bool | None:
    """Whether the condition is true of a row; None is NULL.

    Args:
        tree: the parsed expression.
        values: for each column it names, the typed value (None when missing or untyped).
        now: the run's start, aware.
    """
    result: bool | None = _Row(values, now.astimezone(dt.UTC)).of(tree.root)
    return result


@dataclass(frozen=True)
class _Row:
    values: Mapping[str, Value | None]
    now: dt.datetime

    # Any: the tree is typed by its reader, and Python's type checker cannot follow it.
    def of(self, node: Node) -> Any:  # noqa: ANN401, C901, PLR0911, PLR0912 - one case for each part of an expression
        match node:
            case nodes.Constant(value):
                return value
            case nodes.Name(name):
                return self.values[name]
            case nodes.Today():
                return self.now.date()
            case nodes.Now():
                return self.now
            case nodes.And(left, right):
                return _all(self.of(left), self.of(right))
            case nodes.Or(left, right):
                return _not(_all(_not(self.of(left)), _not(self.of(right))))
            case nodes.Not(operand):
                return _not(self.of(operand))
            case nodes.IsNull(operand):
                return self.of(operand) is None
            case nodes.In(operand, options):
                return _among(self.of(operand), [self.of(option) for option in options])
            case nodes.Case(branches, otherwise):
                found = next((value for test, value in branches if self.of(test) is True), otherwise)
                return self.of(found)
            case nodes.Coalesce(options):
                return next((value for value in map(self.of, options) if value is not None), None)
            case nodes.Compare(sign, left, right):
                return _strict(lambda one, other: _compare(sign, one, other), self.of(left), self.of(right))
            case nodes.Arithmetic(operator, left, right, kind):
                result = _strict(lambda one, other: _calculate(operator, one, other), self.of(left), self.of(right))
                return _fit(result, kind)
            case nodes.DaysBetween(left, right):
                return _strict(lambda one, other: (one - other).days, self.of(left), self.of(right))
            case nodes.AddDays(date, days):
                return _strict(_later, self.of(date), self.of(days))
            case (
                nodes.Widen(operand)
                | nodes.DayOf(operand)
                | nodes.Negate(operand)
                | nodes.Absolute(operand)
                | nodes.Length(operand)
                | nodes.ChangeCase(operand)
                | nodes.Slice(operand)
                | nodes.Like(operand)
            ):
                value = self.of(operand)
                return None if value is None else _single(node, value)
            case _:
                assert_never(node)


def _single(node: Node, value: Any) -> Any:  # noqa: ANN401, PLR0911 - see `of`
    match node:
        case nodes.Widen(_, Timestamp()):
            return dt.datetime.combine(value, dt.time(), dt.UTC)
        case nodes.Widen(_, kind):
            return _fit(decimal.Decimal(value), kind)
        case nodes.DayOf():
            return value.date()
        case nodes.Negate(_, kind):
            return _fit(_EXACT.minus(value), kind)
        case nodes.Absolute(_, kind):
            return _fit(_EXACT.abs(value), kind)
        case nodes.Length():
            return len(value)
        case nodes.ChangeCase(_, to):
            return value.translate(LOWER if to == "lower" else UPPER)
        case nodes.Slice(_, start, length):
            return value[start - 1 :] if length is None else value[start - 1 : start - 1 + length]
        case nodes.Like(_, pattern):
            return _like(pattern).fullmatch(value) is not None
    raise AssertionError(node)


def _not(value: bool | None) -> bool | None:  # noqa: FBT001 - three-valued logic
    return None if value is None else not value


def _all(left: bool | None, right: bool | None) -> bool | None:  # noqa: FBT001 - three-valued logic
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _strict(function: Any, left: Any, right: Any) -> Any:  # noqa: ANN401 - see `of`
    return None if left is None or right is None else function(left, right)


def _among(value: Any, options: Iterable[Any]) -> bool | None:  # noqa: ANN401 - see `of`
    found = [None if value is None or option is None else value == option for option in options]
    return True if True in found else None if None in found else False


def _compare(sign: nodes.Sign, left: Any, right: Any) -> bool:  # noqa: ANN401 - see `of`
    # Python orders texts by code points, as the language demands.
    results = {"=": left == right, "<>": left != right}
    if sign not in results:
        results = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}
    return bool(results[sign])


def _calculate(operator: nodes.Operator, left: Any, right: Any) -> decimal.Decimal | None:  # noqa: ANN401 - see `of`
    one, other = decimal.Decimal(left), decimal.Decimal(right)
    match operator:
        case "+":
            return _EXACT.add(one, other)
        case "-":
            return _EXACT.subtract(one, other)
        case "*":
            return _EXACT.multiply(one, other)
        case "%":
            return _EXACT.remainder(one, other) if other else None
        case "/":
            if not other:
                return None
            return _EXACT.quantize(_EXACT.divide(one, other), decimal.Decimal(1).scaleb(-QUOTIENT_SCALE))
        case _:
            assert_never(operator)


def _fit(value: Any, kind: ColumnType) -> Any:  # noqa: ANN401 - see `of`
    """The number, or None where it needs too many digits or bits."""
    match kind:
        case Integer() if value is not None:
            return int(value) if Integer(64).low <= value <= Integer(64).high else None
        case Decimal(_, scale) if value is not None:
            return value if _EXACT.abs(value) < decimal.Decimal(1).scaleb(DIGITS - scale) else None
    return None


def _later(date: dt.date, days: int) -> dt.date | None:
    try:
        return date + dt.timedelta(days=days)
    except OverflowError:  # outside the years 0001 to 9999
        return None


def _like(pattern: str) -> re.Pattern[str]:
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    signs = {"%": ".*", "_": "."}
    return re.compile("".join(signs.get(part) or re.escape(part[-1]) for part in parts), re.DOTALL)
