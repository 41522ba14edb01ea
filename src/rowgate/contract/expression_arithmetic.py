"""Reads sums and differences: of numbers, and of dates and days."""

import re

from sqlglot import exp

from rowgate.contract import expression_types as types
from rowgate.contract.expression_nodes import AddDays, Constant, DaysBetween, Node, Operator
from rowgate.contract.expression_parts import Reader, refuse
from rowgate.contract.types import Date, Integer, Text
from rowgate.errors import ContractError

_WHOLE = re.compile(r"[+-]?[0-9]+")


class ArithmeticReader(Reader):
    """Reads what + - * / % and the functions on dates stand for."""

    def calculate(self, operator: Operator, part: exp.Expr) -> Node:
        first, second = part.this, part.expression
        if operator in ("+", "-") and isinstance(second, exp.Interval):
            return self.shift(self.read(first), self.interval(second), operator)
        if operator == "+" and isinstance(first, exp.Interval):
            return self.shift(self.read(second), self.interval(first), operator)
        return self.combine(operator, *self.pair(part))

    def combine(self, operator: Operator, left: Node, right: Node) -> Node:
        match operator, left.kind, right.kind:
            case "-", Date(), Date() | Text():
                return DaysBetween(left, types.become(right, Date(), "'-'"))
            case "-", Text(), Date() if isinstance(left, Constant):
                return DaysBetween(types.become(left, Date(), "'-'"), right)
            case (("+" | "-"), Date(), Integer()):
                return self.shift(left, right, operator)
            case "+", Integer(), Date():
                return self.shift(right, left, operator)
        return types.calculate(operator, left, right)

    def interval(self, part: exp.Expr) -> Node:
        unit = part.args.get("unit")
        if unit is None or unit.name.upper() not in ("DAY", "DAYS"):
            refuse(part)
        self.only(part, "this", "unit")
        written = part.this
        if isinstance(written, exp.Literal) and written.is_string:
            if not _WHOLE.fullmatch(written.name):
                refuse(part)
            return types.integer(types.number(written.name), "INTERVAL")
        return self.read(written)

    def shift(self, date: Node, days: Node, operator: str) -> Node:
        days = types.integer(days, "a sum of a date and days")
        if operator == "-":
            days = types.negate(days)
        return AddDays(types.become(date, Date(), "a sum of a date and days"), days)

    def date_add(self, part: exp.Expr) -> Node:
        self.only(part, "this", "expression", "unit")
        _days_only(part)
        return self.shift(self.read(part.this), self.read(part.expression), "+")

    def date_difference(self, part: exp.Expr) -> Node:
        self.only(part, "this", "expression", "unit")
        _days_only(part)
        left, right = (
            types.as_date(self.read(side.this if isinstance(side, exp.TsOrDsToDate) else side), "datediff")
            for side in (part.this, part.expression)
        )
        return DaysBetween(left, right)


def _days_only(part: exp.Expr) -> None:
    unit = part.args.get("unit")
    if unit is not None and unit.name.upper() != "DAY":
        raise ContractError(f"days are counted, and nothing in units of {unit.name}.")
