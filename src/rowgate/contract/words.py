"""A contract's parts in words, for whoever reads a page or a difference; what is quoted from it stands as code."""

import datetime as dt
import decimal
from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from rowgate.contract import checks
from rowgate.contract.model import Contract, DatasetRule, FieldRule, Policy
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp

Code = Callable[[str], str]
"""How something quoted from a contract is set off from the words around it."""


def backticks(text: str) -> str:
    """The text between backticks."""
    return f"`{text}`"


def type_in_words(kind: ColumnType) -> str:
    """What a value of the type is: `text`, `a whole number (32 bits)`, `a date`, and so on."""
    match kind:
        case Text():
            return "text"
        case Integer(bits):
            return f"a whole number ({bits} bits)"
        case Decimal(precision, scale):
            whole, fraction = counted(precision - scale, "digit"), counted(scale, "decimal")
            return f"a number with at most {whole} before the point and {fraction}"
        case Date():
            return "a date"
        case Timestamp():
            return "a moment in UTC"
        case Boolean():
            return "true or false"
        case _:
            assert_never(kind)


def rule_in_words(contract: Contract, rule: FieldRule, code: Code = backticks) -> str:
    """What a field must be to pass the rule, as the rest of a sentence that begins with the field's name.

    A rule covers what is missing and what is not of the column's type where it is the first that can, and then says so:
    `is there, is a whole number (32 bits) and is from 18 to 99`.

    Args:
        contract: whose rule it is.
        rule: the rule.
        code: how patterns, values, names and SQL are set off.
    """
    column = contract.column(rule.field)
    parts = []
    if contract.missing_rule(column) == rule or isinstance(rule.check, checks.NotBlank):
        parts.append("is there")
    if isinstance(rule.check, checks.Typed) or (
        contract.untyped_rule(column) == rule and not isinstance(column.type, Text)
    ):
        parts.append(f"is {type_in_words(column.type)}")
    parts += _check(rule.check, code)
    return listed(parts)


def check_in_words(check: checks.Check, code: Code = backticks) -> str:
    """What the check alone asks for, without what its rule covers because of its place; see `rule_in_words`."""
    match check:
        case checks.NotBlank():
            return "is there"
        case checks.Typed():
            return "is of its type"
        case _:
            return listed(list(_check(check, code)))


def dataset_rule_in_words(rule: DatasetRule, code: Code = backticks) -> str:
    """What a dataset rule's query must give."""
    return f"{code(rule.sql)} gives {rule.allowed}"


def policy_in_words(policy: Policy) -> str:
    """What becomes of a row that breaks a rule."""
    match policy:
        case Policy.QUARANTINE:
            return "the row goes to the rejects, the rest loads"
        case Policy.FAIL:
            return "one such row stops the load"
        case Policy.WARN:
            return "the row loads, and the breach is counted"
        case _:
            assert_never(policy)


def value_in_words(value: checks.Value) -> str:
    """A value as a contract writes it; a timestamp in UTC with a `Z`."""
    match value:
        case bool():
            return str(value).lower()
        case dt.datetime():
            return value.astimezone(dt.UTC).replace(tzinfo=None).isoformat() + "Z"
        case dt.date():
            return value.isoformat()
        case decimal.Decimal():
            return f"{value:f}"
        case str() | int():
            return str(value)
        case _:
            assert_never(value)


def duration_in_words(length: dt.timedelta) -> str:
    """A length of time: `1 day and 12 hours`."""
    minutes, seconds = divmod(length.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    amounts = ((length.days, "day"), (hours, "hour"), (minutes, "minute"), (seconds, "second"))
    parts = [counted(amount, unit) for amount, unit in amounts if amount]
    if length.microseconds:
        parts.append(counted(length.microseconds, "microsecond"))
    return listed(parts)


def counted(amount: int, unit: str) -> str:
    """`1 digit`, `2 digits`."""
    return f"{amount} {unit}{'' if amount == 1 else 's'}"


def listed(parts: Sequence[str], last: str = "and") -> str:
    """`a, b and c`."""
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def _check(check: checks.Check, code: Code) -> Iterator[str]:
    match check:
        case checks.NotBlank() | checks.Typed():
            return
        case checks.Matches(pattern):
            yield f"matches {code(pattern)} as a whole"
        case checks.Between(low, high):
            yield f"is {_range(_told(low, code), _told(high, code))}"
        case checks.LengthBetween(low, high):
            units = "character" if (high if high is not None else low) == 1 else "characters"
            yield f"has {_range(_told(low, str), _told(high, str))} {units}"
        case checks.OneOf(values):
            each = [code(value_in_words(value)) for value in values]
            yield f"is {each[0]}" if len(each) == 1 else f"is one of {listed(each, 'or')}"
        case checks.References(contract, column):
            key = f"{contract}.{column}" if column else contract
            yield f"is one of the loaded keys of {code(key)}"
        case checks.Unique(others):
            together = f", together with {listed([code(name) for name in others])}," if others else ""
            yield f"stands{together} only once in a file"
        case checks.Expression(sql):
            yield f"meets {code(sql)}"
        case _:
            assert_never(check)


def _told(value: checks.Value | None, code: Code) -> str:
    return "" if value is None else code(value_in_words(value))


def _range(low: str, high: str) -> str:
    if low == high:
        return f"exactly {low}"
    if low and high:
        return f"from {low} to {high}"
    return f"at least {low}" if low else f"at most {high}"
