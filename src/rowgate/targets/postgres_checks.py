"""The conditions of a table's `CHECK` constraints. NULL passes each; `NOT NULL` is said on the column."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from rowgate.contract import checks, patterns
from rowgate.contract.model import Column, Contract, FieldRule
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import WHITE_SPACE
from rowgate.targets.normalised import implied
from rowgate.targets.postgres_sql import escaped, identifier, literal
from rowgate.targets.support import NotEnforcedError


@dataclass(frozen=True)
class Condition:
    """What becomes of a rule: a condition, or a sentence that says why there is none, or nothing to say."""

    condition: str = ""
    not_enforced: str = ""


def md5(key: str) -> str:
    """A surrogate key has 32 lower-case hex digits.

    Postgres's regular expressions take four times as long over `{32}` as over `*`, which a load would feel.
    """
    return f"octet_length({identifier(key)}) = 32 AND {identifier(key)} ~ '^[0-9a-f]*$'"


def of_rule(contract: Contract, column: Column, rule: FieldRule) -> Condition:  # noqa: C901, PLR0911 - one for each check
    """The condition of one rule on a loaded column. A rule that only warns has none."""
    if not contract.rejects(rule):
        return Condition()
    name = identifier(column.name)
    match rule.check:
        case checks.NotBlank():
            said = [
                other.check for other in contract.rules_of(column.name) if contract.rejects(other) and other != rule
            ]
            blank = isinstance(column.type, Text) and not any(_implies_normalised(contract, check) for check in said)
            return Condition(_normalised(contract, name) if blank else "")
        case checks.Typed():
            return Condition()
        case checks.Matches(pattern):
            return Condition(f"{name} ~ {literal(patterns.parse(pattern).render('postgres'))}")
        case checks.Between(low, high):
            return Condition(_between(name, low, high, column))
        case checks.LengthBetween(low, high):
            return Condition(_between(f"char_length({name})", low, high, None))
        case checks.OneOf(values):
            return Condition(f"{name} IN ({', '.join(map(literal, values))})")
        case checks.References(contract=other):
            # A foreign key would make the order of two contracts' loads matter.
            return Condition(not_enforced=f"it looks at the keys of {other}, whose rows may be loaded later.")
        case checks.Unique(others):
            covered = {rule.field, *others} == set(contract.key_columns)
            return Condition(not_enforced="" if covered else "it looks at one file; the warehouse keeps rows of many.")
        case checks.Expression(sql):
            return _expression(contract, name, sql)
        case _:
            assert_never(rule.check)


def of_column(contract: Contract, column: Column) -> Iterable[tuple[str, str]]:
    """What the reader and the types guarantee where no rule says it: (suffix of the constraint's name, condition)."""
    name = identifier(column.name)
    rejecting = [rule.check for rule in contract.rules_of(column.name) if contract.rejects(rule)]
    match column.type:
        case Text():
            if not any(_implies_normalised(contract, check) for check in rejecting):
                yield "normalised", _normalised(contract, name)
        case Decimal():
            if not any(isinstance(check, checks.Between) for check in rejecting):
                yield "number", f"{name} <> 'NaN'"
        case Date():
            yield "calendar", f"{name} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'"
        case Timestamp():
            first, end = "TIMESTAMPTZ '0001-01-01 00:00:00+00'", "TIMESTAMPTZ '10000-01-01 00:00:00+00'"
            yield "calendar", f"{name} >= {first} AND {name} < {end}"
        case Integer() | Boolean():
            return
        case _:
            assert_never(column.type)


def _normalised(contract: Contract, name: str) -> str:
    """Not empty, and no white space at either end: `strpos` finds the empty text everywhere."""
    white = escaped(WHITE_SPACE)
    trimmed = f"strpos({white}, left({name}, 1)) = 0 AND strpos({white}, right({name}, 1)) = 0"
    if not contract.null_markers:
        return trimmed
    return f"{trimmed} AND {name} NOT IN ({', '.join(map(literal, contract.null_markers))})"


def _implies_normalised(contract: Contract, check: checks.Check) -> bool:
    """Whether the condition of the check sees to it that a text is normalised; that of `NotBlank` says nothing else."""
    return isinstance(check, checks.NotBlank) or implied(contract, check)


def _between(name: str, low: checks.Value | None, high: checks.Value | None, column: Column | None) -> str:
    parts = [f"{name} >= {literal(low)}"] if low is not None else []
    if high is not None:
        parts.append(f"{name} <= {literal(high)}")
    elif column is not None and isinstance(column.type, Decimal):
        parts.append(f"{name} <> 'NaN'")  # Postgres sorts NaN above every number
    return " AND ".join(parts)


def _expression(contract: Contract, name: str, sql: str) -> Condition:
    from rowgate.contract import expressions  # noqa: PLC0415 - sqlglot, which a contract without expressions does not need
    from rowgate.targets.postgres_expressions import to_postgres  # noqa: PLC0415 - the same

    tree = expressions.parse(sql, {column.name: column.type for column in contract.columns})
    loaded = {column.name: identifier(column.name) for column in contract.loaded}
    absent = sorted(set(tree.columns) - set(loaded))
    if absent:
        return Condition(not_enforced=f"it names {', '.join(absent)}, which is not loaded.")
    try:
        condition = to_postgres(tree, loaded)
    except NotEnforcedError as error:
        return Condition(not_enforced=str(error))
    return Condition(f"{name} IS NULL OR ({condition}) IS TRUE")
