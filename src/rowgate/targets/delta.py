"""A contract as a Delta table that refuses what the contract refuses, whoever writes to it.

A constraint's name is the reason a row would have been rejected for, so that Delta's own error names the rule. Delta
takes a row only where a constraint is true: false and NULL refuse it alike. The table has the columns of a clean row.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rowgate.contract import checks
from rowgate.contract.model import Column, Contract, FieldRule, Pii, SurrogateKey
from rowgate.contract.spark_text import name_in_sql
from rowgate.contract.types import ColumnType, Date, Decimal, Text, Timestamp
from rowgate.targets import names, spark_sql_checks
from rowgate.targets.normalised import implied
from rowgate.targets.spark_expressions import literal
from rowgate.targets.spark_sql_checks import condition, normalised
from rowgate.targets.spark_sql_types import sql_type
from rowgate.targets.support import (
    NotEnforcedError,
    about,
    beyond_the_table,
    may_be_null,
    rendered_from,
    sentence,
)

SCHEMA = "warehouse"
"""The schema of every contract's table."""

_CALENDAR = {
    Date(): "BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'",
    Timestamp(): "BETWEEN TIMESTAMP_LTZ '0001-01-01 00:00:00Z' AND TIMESTAMP_LTZ '9999-12-31 23:59:59.999999Z'",
}


@dataclass(frozen=True)
class Constraint:
    """A named condition on a row of the table, which must be true.

    Attributes:
        name: unique in the table, whatever the case.
        condition: Spark SQL over the table's columns.
    """

    name: str
    condition: str


def render(contract: Contract) -> str:
    """The statements that make a contract's Delta table, each ended by a semicolon.

    A second time the table stays, and its constraints are made anew: Delta looks at every row that is there already.
    """
    head = [f"-- {rendered_from(contract)}"]
    if spark_sql_checks.settings_needed(contract):
        head += [f"-- who writes to it needs {name} = {value}" for name, value in spark_sql_checks.SETTINGS.items()]
    head += [f"-- not enforced here: {said}" for said in not_enforced(contract)]
    return "\n".join([*head, *(f"{statement};" for statement in statements(contract)), ""])


def statements(contract: Contract) -> list[str]:
    """The statements that make the table: schema, table, and each constraint dropped where it is there, and added."""
    table = f"{name_in_sql(SCHEMA)}.{name_in_sql(contract.name)}"
    mapped = set(names.delta_mapped(contract)) & {*contract.key_columns, *(each.name for each in contract.loaded)}
    properties = "\nTBLPROPERTIES ('delta.columnMapping.mode' = 'name')" if mapped else ""
    columns = ",\n".join(f"    {column}" for column in _columns(contract))
    made = f"CREATE TABLE IF NOT EXISTS {table} (\n{columns}\n)\nUSING DELTA\nCOMMENT {literal(about(contract))}"
    found = [f"CREATE SCHEMA IF NOT EXISTS {name_in_sql(SCHEMA)}", f"{made}{properties}"]
    for constraint in constraints(contract):
        name = name_in_sql(constraint.name)
        found.append(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS {name}")
        found.append(f"ALTER TABLE {table} ADD CONSTRAINT {name} CHECK ({constraint.condition})")
    return found


def constraints(contract: Contract) -> list[Constraint]:
    """The constraints of the table: the rules', under their reasons, then what the reader and the types guarantee."""
    found = [each for column in contract.loaded for each in _rules(contract, column)]
    taken = {constraint.name.casefold() for constraint in found}
    if isinstance(contract.key, SurrogateKey):
        key = name_in_sql(contract.key.name)
        found.append(_named(f"{contract.key.name}_format", f"{key} RLIKE '^[0-9a-f]{{32}}\\\\z'", taken))
    for column in contract.loaded:
        name = name_in_sql(column.name)
        if _as_read(contract, column) and _not_blank(contract, column) is None:
            asked = _where_there(column, normalised(contract, name))
            found.append(_named(f"{column.name}_normalised", asked, taken))
        if column.type in _CALENDAR:
            asked = _where_there(column, f"{name} {_CALENDAR[column.type]}")
            found.append(_named(f"{column.name}_calendar", asked, taken))
    return found


def not_enforced(contract: Contract) -> list[str]:
    """What the contract asks and the table lets pass, a sentence each."""
    values = _values(contract)
    said = [f"{', '.join(contract.key_columns)}: Delta keeps rows that have one key."] if contract.key else []
    for rule in (rule for rule in contract.rules if rule.field in values and contract.rejects(rule)):
        try:
            condition(contract, rule, values, clock=False)
        except NotEnforcedError as error:
            said.append(f"{rule.reason}: {error}")
    decimals = [(each.name, each.type) for each in contract.loaded if isinstance(each.type, Decimal)]
    said += [f"{name}: more than {kind.scale} decimals are rounded, not refused." for name, kind in decimals]
    return [*said, *beyond_the_table(contract)]


def _columns(contract: Contract) -> Iterable[str]:
    if isinstance(contract.key, SurrogateKey):
        yield _column(contract.key.name, Text(), contract.key.description, Pii.PSEUDONYM, required=True)
    for column in contract.loaded:
        required = not may_be_null(contract, column)
        yield _column(column.name, column.type, column.description, column.pii, required=required)
    yield "`record_number` BIGINT NOT NULL COMMENT 'The record in its file, counted from 1.'"
    yield "`run_id` STRING NOT NULL COMMENT 'The run that brought the row.'"


def _column(name: str, kind: ColumnType, description: str, pii: Pii, *, required: bool) -> str:
    comment = f"{sentence(description)} PII: {pii.value}.".strip()
    return f"{name_in_sql(name)} {sql_type(kind)}{' NOT NULL' if required else ''} COMMENT {literal(comment)}"


def _values(contract: Contract) -> Mapping[str, str]:
    return {column.name: name_in_sql(column.name) for column in contract.loaded}


def _rejecting(contract: Contract, column: Column) -> list[FieldRule]:
    return [rule for rule in contract.rules_of(column.name) if contract.rejects(rule)]


def _not_blank(contract: Contract, column: Column) -> FieldRule | None:
    """The rule whose reason a text gets that the reader would have found blank."""
    return next((rule for rule in _rejecting(contract, column) if isinstance(rule.check, checks.NotBlank)), None)


def _as_read(contract: Contract, column: Column) -> bool:
    """Whether the table has to see to it by itself that a text is one that the reader could have left."""
    rules = _rejecting(contract, column)
    return isinstance(column.type, Text) and not any(implied(contract, rule.check) for rule in rules)


def _rules(contract: Contract, column: Column) -> Iterable[Constraint]:
    name = name_in_sql(column.name)
    for rule in _rejecting(contract, column):
        blank = rule == _not_blank(contract, column) and _as_read(contract, column)
        asked = normalised(contract, name) if blank else _asked(contract, rule)
        if rule == contract.missing_rule(column) and not may_be_null(contract, column):
            # NULL makes a condition NULL, and so is refused under this reason; NOT NULL alone would name the column.
            yield Constraint(rule.reason, asked or f"{name} IS NOT NULL")
        elif asked:
            yield Constraint(rule.reason, _where_there(column, asked))


def _where_there(column: Column, asked: str) -> str:
    return f"{name_in_sql(column.name)} IS NULL OR ({asked})"


def _asked(contract: Contract, rule: FieldRule) -> str:
    """The rule's condition; nothing where `not_enforced` says why."""
    try:
        return condition(contract, rule, _values(contract), clock=False)
    except NotEnforcedError:
        return ""


def _named(name: str, asked: str, taken: set[str]) -> Constraint:
    """A constraint under a name that no other has: Delta compares names without regard to case."""
    while name.casefold() in taken:
        name = f"{name}_"
    taken.add(name.casefold())
    return Constraint(name, asked)
