"""What an expression has in common in every SQL: its logic. An engine's own module says the rest."""

from abc import ABC, abstractmethod
from typing import assert_never

from rowgate.contract import expression_nodes as nodes
from rowgate.contract.expression_nodes import Node

Leaf = nodes.Constant | nodes.Name | nodes.Today | nodes.Now
Number = nodes.Widen | nodes.Arithmetic | nodes.Negate | nodes.Absolute
Day = nodes.DayOf | nodes.DaysBetween | nodes.AddDays
OfText = nodes.Length | nodes.ChangeCase | nodes.Slice


class SqlWriter(ABC):
    """Writes an expression as the SQL of one engine."""

    def write(self, node: Node) -> str:  # noqa: C901, PLR0911, PLR0912 - one case for each part of an expression
        """The part as SQL, in parentheses where it needs them."""
        match node:
            case nodes.Constant() | nodes.Name() | nodes.Today() | nodes.Now():
                return self.leaf(node)
            case nodes.Compare():
                return self.compare(node)
            case nodes.And(left, right):
                return f"({self.write(left)} AND {self.write(right)})"
            case nodes.Or(left, right):
                return f"({self.write(left)} OR {self.write(right)})"
            case nodes.Not(operand):
                return f"(NOT {self.write(operand)})"
            case nodes.IsNull(operand):
                return f"({self.write(operand)} IS NULL)"
            case nodes.In(operand, options):
                return f"({self.write(operand)} IN ({', '.join(map(self.write, options))}))"
            case nodes.Like(operand, pattern):
                return f"({self.write(operand)} LIKE {self.like(pattern)})"
            case nodes.Case(branches, otherwise):
                whens = " ".join(f"WHEN {self.write(test)} THEN {self.write(value)}" for test, value in branches)
                return f"CASE {whens} ELSE {self.write(otherwise)} END"
            case nodes.Coalesce(options):
                return f"coalesce({', '.join(map(self.write, options))})"
            case nodes.Widen() | nodes.Arithmetic() | nodes.Negate() | nodes.Absolute():
                return self.number(node)
            case nodes.DayOf() | nodes.DaysBetween() | nodes.AddDays():
                return self.day(node)
            case nodes.Length() | nodes.ChangeCase() | nodes.Slice():
                return self.text(node)
            case _:
                assert_never(node)

    def compare(self, node: nodes.Compare) -> str:
        """Two values of one kind; texts by code points."""
        return f"({self.write(node.left)} {node.sign} {self.write(node.right)})"

    @abstractmethod
    def leaf(self, node: Leaf) -> str:
        """A constant, a column's value, or the frozen clock."""

    @abstractmethod
    def like(self, pattern: str) -> str:
        """What stands behind LIKE."""

    @abstractmethod
    def number(self, node: Number) -> str:
        """Arithmetic, exact; NULL where it overflows or divides by zero."""

    @abstractmethod
    def day(self, node: Day) -> str:
        """Sums and differences of days."""

    @abstractmethod
    def text(self, node: OfText) -> str:
        """What is made of a text, by code points."""
