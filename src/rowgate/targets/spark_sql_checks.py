"""A contract's checks as text in Spark's SQL, for what is rendered: Delta's constraints, Lakeflow's expectations."""

import decimal
from collections.abc import Mapping
from typing import assert_never

from rowgate.contract import checks, expressions, patterns
from rowgate.contract.checks import Value
from rowgate.contract.model import Contract, FieldRule
from rowgate.contract.types import ColumnType, Decimal
from rowgate.targets.normalised import WHOLE
from rowgate.targets.spark_expressions import literal, to_spark
from rowgate.targets.support import NotEnforcedError

SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
}
"""What the conditions need of the session that evaluates them: name -> value."""

_LONGEST = 20_000  # characters; a longer condition helps nobody who reads it


def condition(contract: Contract, rule: FieldRule, values: Mapping[str, str], *, clock: bool) -> str:
    """What the rule asks of a value that is there; nothing where being there is all that is asked.

    Args:
        contract: the contract.
        rule: one of its rules.
        values: SQL of the typed value of every column that there is to look at.
        clock: whether the condition may look at the clock of the query it stands in.

    Returns:
        A condition that is NULL only for an expression, which breaks the rule.

    Raises:
        NotEnforcedError: a condition on one row cannot say it.
    """
    value, kind = values[rule.field], contract.column(rule.field).type
    match rule.check:
        case checks.NotBlank() | checks.Typed():
            return ""
        case checks.Matches(pattern):
            return f"{value} RLIKE {literal(patterns.parse(pattern).render('java'))}"
        case checks.Between(low, high):
            return _between(value, _constant(low, kind), _constant(high, kind))
        case checks.LengthBetween(low, high):
            return _between(f"char_length({value})", _constant(low, kind), _constant(high, kind))
        case checks.OneOf(allowed):
            return f"{value} IN ({', '.join(_constant(each, kind) for each in allowed)})"
        case checks.References(contract=other):
            raise NotEnforcedError(f"it looks at the keys of {other}, and a condition sees one row.")
        case checks.Unique():
            raise NotEnforcedError("it looks at every row of a file, and a condition sees one.")
        case checks.Expression(sql):
            return _expression(contract, values, sql, clock=clock)
        case _:
            assert_never(rule.check)


def normalised(contract: Contract, value: str) -> str:
    """A text that the reader could have left: not empty, no white space at its ends, no null marker."""
    whole = f"{value} RLIKE {literal(WHOLE.render('java'))}"
    if not contract.null_markers:
        return whole
    return f"{whole} AND {value} NOT IN ({', '.join(map(literal, contract.null_markers))})"


def settings_needed(contract: Contract) -> bool:
    """Whether a condition of the contract gives the right answer under `SETTINGS` only."""
    return any(isinstance(rule.check, checks.Expression) for rule in contract.rules)


def _between(value: str, low: str, high: str) -> str:
    if low and high:
        return f"{value} BETWEEN {low} AND {high}"
    return f"{value} >= {low}" if low else f"{value} <= {high}"


def _constant(value: Value | None, kind: ColumnType) -> str:
    """A constant to compare with; nothing for the open end of a range."""
    if value is None:
        return ""
    # Beside a whole number Spark would widen a decimal, and has no digits left for that in the longest.
    return literal(decimal.Decimal(value) if type(value) is int and isinstance(kind, Decimal) else value)


def _expression(contract: Contract, values: Mapping[str, str], sql: str, *, clock: bool) -> str:
    tree = expressions.parse(sql, {column.name: column.type for column in contract.columns})
    absent = sorted(set(tree.columns) - set(values))
    if absent:
        raise NotEnforcedError(f"it names {', '.join(absent)}, which is not loaded.")
    if tree.clock and not clock:
        raise NotEnforcedError("it looks at the clock, and rows are judged by the clock of their run.")
    written = to_spark(tree, values, None)
    if len(written) > _LONGEST:
        raise NotEnforcedError(f"it is too long for a condition ({len(written)} characters).")
    return written
