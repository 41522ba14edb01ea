"""The checks a rule can make: a closed union, so that a type checker finds a compiler that forgot one."""

import datetime as dt
import decimal
from dataclasses import dataclass
from typing import assert_never

from rowgate.contract import patterns, values
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.errors import ContractError

Value = values.Value


@dataclass(frozen=True)
class NotBlank:
    """The value is there."""


@dataclass(frozen=True)
class Typed:
    """The value is one of the column's type."""


@dataclass(frozen=True)
class Matches:
    """The whole value matches the pattern; see `patterns` for what a pattern may hold."""

    pattern: str

    def __post_init__(self) -> None:
        patterns.parse(self.pattern)


@dataclass(frozen=True)
class Between:
    """The typed value lies in [low, high]; an end that is None is open. Timestamps are aware."""

    low: Value | None = None
    high: Value | None = None

    def __post_init__(self) -> None:
        _ordered("The range", self.low, self.high)


@dataclass(frozen=True)
class LengthBetween:
    """The text has between `low` and `high` characters (Unicode code points); an end that is None is open."""

    low: int | None = None
    high: int | None = None

    def __post_init__(self) -> None:
        _ordered("The range of lengths", self.low, self.high)
        if self.low is not None and self.low < 0:
            raise ContractError(f"A length is at least 0, and the least allowed is {self.low}.")
        if self.high is not None and self.high < 1:
            raise ContractError(f"A length is at least 1, and the greatest allowed is {self.high}.")


@dataclass(frozen=True)
class OneOf:
    """The typed value is one of these."""

    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ContractError("A list of allowed values is empty, so that no value could be right.")
        if len(set(self.values)) != len(self.values):
            raise ContractError("A list of allowed values names one value twice.")


@dataclass(frozen=True)
class References:
    """The typed value is one of the loaded keys of a contract.

    Where there are no such keys (none was loaded yet) the rule is not evaluated. Which contracts there are, and what
    keys they have, only a folder of contracts knows: `references` sees that a reference fits.

    Attributes:
        contract: the other contract's own name; a contract may refer to itself.
        column: which column of its key; None takes the only one.
    """

    contract: str
    column: str | None = None

    def __post_init__(self) -> None:
        if not self.contract or self.column == "":
            raise ContractError("A reference names a contract, or a contract and a column of its key.")


@dataclass(frozen=True)
class Unique:
    """The value, together with those of `others`, stands once in a file: the first stays, later ones break the rule."""

    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Expression:
    """A condition in SQL over the contract's columns; see `expressions` for what it may hold. NULL breaks it."""

    sql: str


Check = NotBlank | Typed | Matches | Between | LengthBetween | OneOf | References | Unique | Expression


def needs_type(check: Check) -> bool:
    """Whether a value that is not of the column's type breaks this check."""
    return not isinstance(check, NotBlank)


def verify(check: Check, kind: ColumnType) -> None:  # noqa: C901 - one case for each check
    """See that a check can be made on a column of this type.

    Raises:
        ContractError: the sentence says what does not fit.
    """
    match check:
        case NotBlank() | Typed() | References() | Unique() | Expression():
            return
        case Matches() | LengthBetween():
            if not isinstance(kind, Text):
                raise ContractError(f"{type(check).__name__} looks at text, and the column is {type_name(kind)}.")
        case Between(low, high):
            if isinstance(kind, Text | Boolean):
                raise ContractError(f"Between needs a number or a moment, and the column is {type_name(kind)}.")
            if low is None and high is None:
                raise ContractError("Between has neither a low nor a high end.")
            for value in (low, high):
                if value is not None:
                    _verify_value(value, kind)
        case OneOf(allowed):
            for value in allowed:
                _verify_value(value, kind)
        case _:
            assert_never(check)


def _verify_value(value: Value, kind: ColumnType) -> None:
    if not _is_value(value, kind):
        raise ContractError(f"{_told(value)} is not a value of type {type_name(kind)}.")


def _is_value(value: Value, kind: ColumnType) -> bool:
    match kind:
        case Text():
            return isinstance(value, str) and value.strip(values.WHITE_SPACE) == value and value != ""
        case Boolean():
            return isinstance(value, bool)
        case Integer():
            return type(value) is int and kind.low <= value <= kind.high
        case Decimal(precision, scale):
            return isinstance(value, int | decimal.Decimal) and _fits(decimal.Decimal(value), precision, scale)
        case Date():
            return type(value) is dt.date
        case Timestamp():
            return isinstance(value, dt.datetime) and value.tzinfo is not None
        case _:
            assert_never(kind)


def _fits(value: decimal.Decimal, precision: int, scale: int) -> bool:
    if not value.is_finite():
        return False
    _, digits, exponent = value.as_tuple()
    decimals = max(0, -int(exponent))
    return decimals <= scale and len(digits) + int(exponent) <= precision - scale


def _ordered(what: str, low: object, high: object) -> None:
    try:
        upside_down = low is not None and high is not None and low > high  # type: ignore[operator]  # caught below
    except TypeError:
        raise ContractError(f"{what} has ends of two kinds: {_told(low)} and {_told(high)}.") from None
    if upside_down:
        raise ContractError(f"{what} is upside down: {_told(low)} is greater than {_told(high)}.")


def _told(value: object) -> str:
    return repr(value) if isinstance(value, str) else str(value)
