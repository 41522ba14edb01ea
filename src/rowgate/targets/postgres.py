"""The warehouse's table for Postgres: a contract as DDL that refuses what the contract refuses.

A check's name is the reason a row would have been rejected for, so that Postgres's own error names the rule.
"""

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import assert_never

from rowgate.contract.model import Contract, FieldRule, Pii, SurrogateKey
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.errors import UnusableError
from rowgate.targets import names, postgres_checks
from rowgate.targets.postgres_sql import LONGEST, identifier, literal
from rowgate.targets.support import about, beyond_the_table, may_be_null, rendered_from, sentence

SCHEMA = "warehouse"
"""The schema of every contract's table."""

_BOOKKEEPING = (
    ("first_run_id", "text", "The run that inserted the row."),
    ("last_run_id", "text", "The run that last wrote the row."),
    ("loaded_at", "timestamp with time zone", "When that run wrote it."),
)


@dataclass(frozen=True)
class TableColumn:
    """One column of the table, with its type as Postgres spells it and the comment it carries."""

    name: str
    sql_type: str
    required: bool
    description: str
    pii: Pii = Pii.NONE

    @property
    def comment(self) -> str:
        """The description and the PII class."""
        return f"{sentence(self.description)} PII: {self.pii.value}.".strip()


@dataclass(frozen=True)
class TableCheck:
    """A named condition on one column; NULL passes it.

    Attributes:
        name: at most 63 bytes, unique in the table.
        field: the column it is about.
        condition: SQL over the table's columns.
        rule: the contract's rule; None for what the reader and the types guarantee by themselves.
    """

    name: str
    field: str
    condition: str
    rule: FieldRule | None = None


@dataclass(frozen=True)
class Table:
    """A warehouse table: what is rendered, and what is compared with the table that is there."""

    schema: str
    name: str
    columns: tuple[TableColumn, ...]
    key: tuple[str, ...]
    checks: tuple[TableCheck, ...]
    not_enforced: tuple[str, ...]
    comment: str

    @property
    def qualified(self) -> str:
        """Schema and name, quoted."""
        return f"{identifier(self.schema)}.{identifier(self.name)}"

    @property
    def loaded(self) -> tuple[TableColumn, ...]:
        """The columns that a clean row brings, without the three that the load adds."""
        return self.columns[: -len(_BOOKKEEPING)]


def table(contract: Contract) -> Table:
    """The table of a contract.

    Raises:
        UnusableError: the contract has no key, so that nothing tells a new row from a known one.
        ContractError: Postgres cannot have a column of that name.
    """
    if contract.key is None:
        raise UnusableError(
            f"The contract {contract.name} has no key, and the warehouse needs one to tell a new row from a known one; "
            "give it a surrogate or a natural key."
        )
    columns = tuple(_columns(contract))
    checks, not_enforced = _checks(contract)
    return Table(
        schema=SCHEMA,
        name=contract.name,
        columns=columns,
        key=contract.key_columns,
        checks=tuple(checks),
        not_enforced=tuple(not_enforced),
        comment=about(contract),
    )


def sql_type(kind: ColumnType) -> str:
    """The type of a column in Postgres, as `format_type` spells it."""
    match kind:
        case Text():
            return "text"
        case Integer(bits):
            return "integer" if bits == 32 else "bigint"  # noqa: PLR2004 - the two sizes of an integer
        case Decimal(precision, scale):
            return f"numeric({precision},{scale})"
        case Date():
            return "date"
        case Timestamp():
            return "timestamp with time zone"
        case Boolean():
            return "boolean"
        case _:
            assert_never(kind)


def render(contract: Contract) -> str:
    """The DDL of a contract's table: schema, table, constraints and comments, each made only when it is missing.

    Raises:
        UnusableError: see `table`.
        ContractError: see `table`.
    """
    made = table(contract)
    lines = [
        f"    {identifier(column.name)} {_type_with_collation(column, contract)}{_null(column)}"
        for column in made.columns
    ]
    lines.append(f"    PRIMARY KEY ({', '.join(map(identifier, made.key))})")
    lines += [f"    CONSTRAINT {identifier(check.name)} CHECK ({check.condition})" for check in made.checks]
    comments = [f"COMMENT ON TABLE {made.qualified} IS {literal(made.comment)};"]
    comments += [
        f"COMMENT ON COLUMN {made.qualified}.{identifier(column.name)} IS {literal(column.comment)};"
        for column in made.columns
    ]
    return "\n".join(
        [
            f"-- {rendered_from(contract)}",
            *(f"-- not enforced here: {said}" for said in made.not_enforced),
            f"CREATE SCHEMA IF NOT EXISTS {identifier(made.schema)};",
            f"CREATE TABLE IF NOT EXISTS {made.qualified} (",
            ",\n".join(lines),
            ");",
            *comments,
            "",
        ]
    )


def _columns(contract: Contract) -> Iterable[TableColumn]:
    named = names.postgres(contract)
    if isinstance(contract.key, SurrogateKey):
        yield TableColumn(named[contract.key.name], "text", True, contract.key.description, Pii.PSEUDONYM)  # noqa: FBT003 - required, as every key
    for column in contract.loaded:
        yield TableColumn(
            named[column.name],
            sql_type(column.type),
            not may_be_null(contract, column),
            column.description,
            column.pii,
        )
    for name, kind, description in _BOOKKEEPING:
        yield TableColumn(name, kind, True, description)  # noqa: FBT003 - required, as every one of them


def _checks(contract: Contract) -> tuple[list[TableCheck], list[str]]:
    taken: set[str] = set()
    reasons = {rule.reason for rule in contract.rules}  # Postgres's error names a rule, whatever else has that name
    checks: list[TableCheck] = []
    sentences: list[str] = []
    if isinstance(contract.key, SurrogateKey):
        key = contract.key.name
        checks.append(TableCheck(_unique(f"{key}_format", taken, reasons), key, postgres_checks.md5(key)))
    for column in contract.loaded:
        for rule in contract.rules_of(column.name):
            found = postgres_checks.of_rule(contract, column, rule)
            if found.condition:
                checks.append(TableCheck(_unique(rule.reason, taken), column.name, found.condition, rule))
            if found.not_enforced:
                sentences.append(f"{rule.reason}: {found.not_enforced}")
        for suffix, condition in postgres_checks.of_column(contract, column):
            checks.append(TableCheck(_unique(f"{column.name}_{suffix}", taken, reasons), column.name, condition))
        if isinstance(column.type, Decimal):
            sentences.append(f"{column.name}: more than {column.type.scale} decimals are rounded, not refused.")
    return checks, [*sentences, *beyond_the_table(contract)]


def _unique(name: str, taken: set[str], kept: Collection[str] = ()) -> str:
    """A constraint's name within 63 bytes, none of those kept; two that would be one are told apart by a digest."""
    if len(name.encode()) > LONGEST or name in taken or name in kept:
        digest = hashlib.sha256(f"{name}/{len(taken)}".encode()).hexdigest()[:8]
        name = f"{name.encode()[: LONGEST - 9].decode(errors='ignore')}_{digest}"
    taken.add(name)
    return name


def _type_with_collation(column: TableColumn, contract: Contract) -> str:
    # A hash sorts by bytes whatever the database's language; a language's order is many times slower.
    surrogate = isinstance(contract.key, SurrogateKey) and contract.key.name == column.name
    return f'{column.sql_type} COLLATE "C"' if surrogate else column.sql_type


def _null(column: TableColumn) -> str:
    return " NOT NULL" if column.required else ""
