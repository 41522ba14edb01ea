"""What the rules of a contract say about a column's good values, as far as it can be told without trying.

A hint makes a good value likely; whether it is good is always decided by the rules themselves.
"""

import datetime as dt
import decimal
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import cast

from rowgate.contract import checks, expressions
from rowgate.contract import expression_nodes as nodes
from rowgate.contract.expressions import Tree
from rowgate.contract.model import Contract, FieldRule
from rowgate.contract.types import ColumnType, Date, Decimal, Integer, Timestamp
from rowgate.contract.values import Value
from rowgate.targets.reference_expressions import evaluate

_FLIPPED: Mapping[nodes.Sign, nodes.Sign] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass
class Hints:
    """What is known of one column. Ends that are None are open.

    Attributes:
        low: the smallest value.
        high: the greatest value.
        options: the only values, None where any will do.
        shortest: the fewest characters.
        longest: the most characters.
        patterns: what the whole text matches.
        likes: patterns of SQL's LIKE.
    """

    kind: ColumnType
    low: Value | None = None
    high: Value | None = None
    options: tuple[Value, ...] | None = None
    shortest: int | None = None
    longest: int | None = None
    patterns: list[str] = field(default_factory=list)
    likes: list[str] = field(default_factory=list)

    def narrow(self, sign: nodes.Sign, value: Value) -> None:
        """Take note that every value stands in this relation to `value`."""
        found = _as(value, self.kind)
        if found is None:
            return
        if sign == "=":
            self.options = (found,)
        step = _step(self.kind) if sign in ("<", ">") and found == value else None
        if sign in (">", ">="):
            low = found + step if step is not None else found  # type: ignore[operator]  # a step fits its kind
            self.low = low if self.low is None else max(self.low, low)
        elif sign in ("<", "<="):
            high = found - step if step is not None else found  # type: ignore[operator]  # the same
            self.high = high if self.high is None else min(self.high, high)

    def lengths(self, low: int | None, high: int | None) -> None:
        """Take note of the fewest and the most characters."""
        if low is not None:
            self.shortest = max(low, self.shortest or 0)
        if high is not None:
            self.longest = high if self.longest is None else min(high, self.longest)


@dataclass(frozen=True)
class Equation:
    """`target` equals what `node` makes of other columns."""

    target: str
    node: nodes.Node
    columns: tuple[str, ...]

    def solve(self, values: Mapping[str, Value | None], now: dt.datetime) -> Value | None:
        """The value that makes the equation true; None where another column is missing."""
        tree = Tree(self.node, self.columns, clock=False)
        return cast("Value | None", evaluate(tree, values, now))


def read_hints(
    contract: Contract, now: dt.datetime, keys: Mapping[checks.References, Collection[Value]]
) -> tuple[dict[str, Hints], list[Equation]]:
    """Everything that the contract's rules say about its columns.

    Args:
        contract: the contract.
        now: the run's start, aware.
        keys: the loaded keys that references look at, as far as they are known.
    """
    hints = {column.name: Hints(column.type) for column in contract.columns}
    equations: list[Equation] = []
    types = {column.name: column.type for column in contract.columns}
    for rule in contract.rules:
        if isinstance(rule.check, checks.Expression):
            _Walk(hints, equations, now).of(expressions.parse(rule.check.sql, types).root)
        else:
            _plain(hints[rule.field], rule, keys)
    return hints, equations


def names_in(node: object) -> tuple[str, ...]:
    """The columns that a part of an expression names, each once."""
    if isinstance(node, nodes.Name):
        return (node.name,)
    if isinstance(node, tuple):
        parts: list[object] = list(node)
    else:
        parts = list(vars(node).values()) if hasattr(node, "kind") else []
    return tuple(dict.fromkeys(name for part in parts for name in names_in(part)))


def _plain(hints: Hints, rule: FieldRule, keys: Mapping[checks.References, Collection[Value]]) -> None:
    match rule.check:
        case checks.Between(low, high):
            if low is not None:
                hints.narrow(">=", low)
            if high is not None:
                hints.narrow("<=", high)
        case checks.OneOf(values):
            hints.options = values
        case checks.References() if keys.get(rule.check):
            hints.options = tuple(sorted(keys[rule.check]))  # a set has no order that is the same in every process
        case checks.LengthBetween(low, high):
            hints.lengths(low, high)
        case checks.Matches(pattern):
            hints.patterns.append(pattern)


@dataclass
class _Walk:
    hints: dict[str, Hints]
    equations: list[Equation]
    now: dt.datetime

    def of(self, node: nodes.Node) -> None:
        match node:
            case nodes.And(left, right):
                self.of(left)
                self.of(right)
            case nodes.Compare(sign, left, right):
                self.compare(sign, _bare(left), right)
                self.compare(_FLIPPED[sign], _bare(right), left)
            case nodes.In(operand, options):
                subject = _bare(operand.operand if isinstance(operand, nodes.ChangeCase) else operand)
                if isinstance(subject, nodes.Name) and not names_in(options):
                    hints = self.hints[subject.name]
                    values = [_as(self.value(option), hints.kind) for option in options]
                    hints.options = tuple(value for value in values if value is not None) or None
            case nodes.Like(nodes.Name(name), pattern):
                self.hints[name].likes.append(pattern)

    def compare(self, sign: nodes.Sign, subject: nodes.Node, other: nodes.Node) -> None:
        named = names_in(other)
        if isinstance(subject, nodes.Name) and not named:
            value = self.value(other)
            if value is not None:
                self.hints[subject.name].narrow(sign, value)
        elif isinstance(subject, nodes.Name) and sign == "=" and subject.name not in named:
            # Two columns that are equal make two equations, of which one is enough.
            if not any({equation.target, *equation.columns} == {subject.name, *named} for equation in self.equations):
                self.equations.append(Equation(subject.name, other, named))
        elif isinstance(subject, nodes.ChangeCase) and sign == "=" and not named:
            self.compare(sign, subject.operand, other)
        elif isinstance(subject, nodes.DaysBetween) and not named:
            self.days(sign, subject, self.value(other))
        elif isinstance(subject, nodes.Length) and isinstance(subject.operand, nodes.Name) and not named:
            self.length(sign, subject.operand.name, self.value(other))

    def days(self, sign: nodes.Sign, between: nodes.DaysBetween, value: object) -> None:
        """The days between a column and a known day: less than two weeks before it, say."""
        left, right = _day(between.left), _day(between.right)
        if not isinstance(value, int | decimal.Decimal):
            return
        for subject, other, way in ((left, right, 1), (right, left, -1)):
            known = None if names_in(other) else self.value(other)
            if isinstance(subject, nodes.Name) and isinstance(known, dt.date):
                try:
                    day = dt.date.fromordinal(known.toordinal() + way * int(value))
                except (ValueError, OverflowError):  # outside the years 0001 to 9999
                    continue
                self.hints[subject.name].narrow(sign if way > 0 else _FLIPPED[sign], day)

    def length(self, sign: nodes.Sign, name: str, value: object) -> None:
        if isinstance(value, int | decimal.Decimal):
            strict = int(sign in ("<", ">"))
            low = int(value) + strict if sign in ("=", ">", ">=") else None
            high = int(value) - strict if sign in ("=", "<", "<=") else None
            self.hints[name].lengths(low, high)

    def value(self, node: nodes.Node) -> Value | None:
        return cast("Value | None", evaluate(Tree(node, (), clock=True), {}, self.now))


def _bare(node: nodes.Node) -> nodes.Node:
    return node.operand if isinstance(node, nodes.Widen) else node


def _day(node: nodes.Node) -> nodes.Node:
    return _bare(node.operand if isinstance(node, nodes.DayOf) else node)


def _as(value: Value | None, kind: ColumnType) -> Value | None:
    """A value of an expression as one of a column's type, cut where it does not fit."""
    if isinstance(value, decimal.Decimal) and isinstance(kind, Integer):
        return int(value)
    if isinstance(value, int | decimal.Decimal) and isinstance(kind, Decimal):
        wide = decimal.Context(prec=200)
        return decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-kind.scale), context=wide)
    if isinstance(value, dt.datetime) and isinstance(kind, Date):
        return value.date()
    if type(value) is dt.date and isinstance(kind, Timestamp):
        return dt.datetime.combine(value, dt.time(), dt.UTC)
    return value


def _step(kind: ColumnType) -> object:
    match kind:
        case Integer():
            return 1
        case Decimal(_, scale):
            return decimal.Decimal(1).scaleb(-scale)
        case Date():
            return dt.timedelta(days=1)
    return None
