"""The parts of an expression: a small closed tree, typed, that every engine compiles from.

Every part has a `kind`, one of the column types. Whole numbers are `Integer`, other numbers `Decimal(p, s)`, where `p`
says how many digits the value can need at most (38 where it could need more, and then too many give NULL).
"""

from dataclasses import dataclass, field
from typing import Literal

from rowgate.contract.types import Boolean, ColumnType, Date, Integer, Text, Timestamp
from rowgate.contract.values import Value

DIGITS = 38
"""The digits of a number; what Spark, DuckDB and Parquet hold in one decimal."""
QUOTIENT_SCALE = 18
"""The decimals of a quotient."""

Sign = Literal["=", "<>", "<", "<=", ">", ">="]
Operator = Literal["+", "-", "*", "/", "%"]


@dataclass(frozen=True)
class Constant:
    """A value written in the expression; None is NULL."""

    value: Value | None
    kind: ColumnType


@dataclass(frozen=True)
class Name:
    """A column's typed value, NULL when missing or untyped."""

    name: str
    kind: ColumnType


@dataclass(frozen=True)
class Today:
    """The run's start, as a date in UTC."""

    kind: ColumnType = field(default_factory=Date)


@dataclass(frozen=True)
class Now:
    """The run's start."""

    kind: ColumnType = field(default_factory=Timestamp)


@dataclass(frozen=True)
class Widen:
    """A number as a decimal of a scale that is not smaller, NULL where `DIGITS` are too few; a date as midnight UTC."""

    operand: "Node"
    kind: ColumnType


@dataclass(frozen=True)
class DayOf:
    """A timestamp's date in UTC."""

    operand: "Node"
    kind: ColumnType = field(default_factory=Date)


@dataclass(frozen=True)
class Arithmetic:
    """Two integers with + - * %, or two decimals; those of + - / % have one scale."""

    operator: Operator
    left: "Node"
    right: "Node"
    kind: ColumnType


@dataclass(frozen=True)
class Negate:
    """The number with the other sign."""

    operand: "Node"
    kind: ColumnType


@dataclass(frozen=True)
class Absolute:
    """The number without its sign."""

    operand: "Node"
    kind: ColumnType


@dataclass(frozen=True)
class DaysBetween:
    """The days from `right` to `left`, two dates; negative when `left` is earlier."""

    left: "Node"
    right: "Node"
    kind: ColumnType = field(default_factory=Integer)


@dataclass(frozen=True)
class AddDays:
    """The date, an integer of days later; NULL outside the years 0001 to 9999."""

    date: "Node"
    days: "Node"
    kind: ColumnType = field(default_factory=Date)


@dataclass(frozen=True)
class Length:
    """A text's characters (Unicode code points)."""

    operand: "Node"
    kind: ColumnType = field(default_factory=Integer)


@dataclass(frozen=True)
class ChangeCase:
    """A text with each letter of `letter_case.LETTERS` changed to its other case, one for one."""

    operand: "Node"
    to: Literal["lower", "upper"]
    kind: ColumnType = field(default_factory=Text)


@dataclass(frozen=True)
class Slice:
    """A text from its `start`-th character on (from 1), at most `length` of them."""

    operand: "Node"
    start: int
    length: int | None
    kind: ColumnType = field(default_factory=Text)


@dataclass(frozen=True)
class Compare:
    """Two values of one kind; texts by code points. Decimals have one scale."""

    sign: Sign
    left: "Node"
    right: "Node"
    kind: ColumnType = field(default_factory=Boolean)


@dataclass(frozen=True)
class IsNull:
    """The value is NULL; itself never NULL."""

    operand: "Node"
    kind: ColumnType = field(default_factory=Boolean)


@dataclass(frozen=True)
class Like:
    """The whole text matches: `%` is any characters, `_` is one, a backslash takes either (or itself) as it is."""

    operand: "Node"
    pattern: str
    kind: ColumnType = field(default_factory=Boolean)


@dataclass(frozen=True)
class And:
    """Three-valued AND."""

    left: "Node"
    right: "Node"
    kind: ColumnType = field(default_factory=Boolean)


@dataclass(frozen=True)
class Or:
    """Three-valued OR."""

    left: "Node"
    right: "Node"
    kind: ColumnType = field(default_factory=Boolean)


@dataclass(frozen=True)
class Not:
    """Three-valued NOT."""

    operand: "Node"
    kind: ColumnType = field(default_factory=Boolean)


@dataclass(frozen=True)
class In:
    """The value equals one of the options, all of its kind; NULL when it equals none and one of all is NULL."""

    operand: "Node"
    options: tuple["Node", ...]
    kind: ColumnType = field(default_factory=Boolean)


@dataclass(frozen=True)
class Case:
    """The value of the first condition that is true, else `otherwise`. All values are of one kind."""

    branches: tuple[tuple["Node", "Node"], ...]
    otherwise: "Node"
    kind: ColumnType


@dataclass(frozen=True)
class Coalesce:
    """The first option that is not NULL. All are of one kind."""

    options: tuple["Node", ...]
    kind: ColumnType


Node = (
    Constant
    | Name
    | Today
    | Now
    | Widen
    | DayOf
    | Arithmetic
    | Negate
    | Absolute
    | DaysBetween
    | AddDays
    | Length
    | ChangeCase
    | Slice
    | Compare
    | IsNull
    | Like
    | And
    | Or
    | Not
    | In
    | Case
    | Coalesce
)
