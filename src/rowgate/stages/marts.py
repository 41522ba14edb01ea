"""The published marts of a contract, read for a person to look at."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from psycopg2 import sql

from rowgate.adapters.warehouse import Cursor, PostgresConnection, transaction
from rowgate.contract.model import Pii
from rowgate.stages.publish import PUBLISHED
from rowgate.targets.dbt_models import Model

LIMIT = 1000
"""Rows read of one mart."""
_PATIENCE = "10s"  # for a mart that is a view, as Postgres writes times
_NUMBERS = (20, 21, 23, 700, 701, 1700)  # pg_type's int8, int2, int4, float4, float8 and numeric

Value = str | int | float | None


@dataclass(frozen=True)
class Mart:
    """A mart as it is published.

    Attributes:
        name: the table's or view's name.
        columns: the columns shown, from left to right.
        numbers: which of them are numbers.
        rows: the rows, those with the greatest first number first; `LIMIT` of them at most.
        total: how many rows the mart has.
    """

    name: str
    columns: tuple[str, ...]
    numbers: frozenset[str]
    rows: tuple[tuple[Value, ...], ...]
    total: int


def published(models: Iterable[Model], contract: str, connection: PostgresConnection) -> tuple[list[Mart], list[str]]:
    """Read a contract's marts in one transaction, so that they are all of one publishing.

    A column that its model declares to identify a person directly is left out.

    Args:
        models: dbt's models, of any contract.
        contract: the contract's name.
        connection: the warehouse, with no transaction open.

    Returns:
        The marts that are published, and the names of those that are not yet.

    Raises:
        RowgateError: the warehouse failed, or a mart took too long.
    """
    found: list[Mart] = []
    absent: list[str] = []
    with transaction(connection, f"reading the marts of {contract}") as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [_PATIENCE])
        for model in (each for each in models if (each.contract, each.layer) == (contract, "marts")):
            cursor.execute(
                "SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE n.nspname = %s AND c.relname = %s",
                [PUBLISHED, model.name],
            )
            if cursor.fetchone():
                found.append(_read(model, cursor))
            else:
                absent.append(model.name)
    return found, absent


def _read(model: Model, cursor: Cursor) -> Mart:
    table = sql.Identifier(PUBLISHED, model.name)
    cursor.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(table))
    columns = [column for column in cursor.description or () if model.columns.get(column.name) is not Pii.DIRECT]
    names = [str(column.name) for column in columns]
    numbers = [str(column.name) for column in columns if column.type_code in _NUMBERS]
    order = [sql.SQL("{} DESC NULLS LAST").format(sql.Identifier(name)) for name in numbers[:1]]
    order += [sql.SQL("{}::text").format(sql.Identifier(name)) for name in names if name not in numbers]
    cursor.execute(
        sql.SQL("SELECT {} FROM {} {} LIMIT %s").format(
            sql.SQL(", ").join(map(sql.Identifier, names)),
            table,
            sql.SQL("ORDER BY {}").format(sql.SQL(", ").join(order)) if order else sql.SQL(""),
        ),
        [LIMIT],
    )
    rows = tuple(tuple(_values(row)) for row in cursor.fetchall())
    cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(table))
    total = cursor.fetchone()
    return Mart(model.name, tuple(names), frozenset(numbers), rows, total[0] if total else 0)


def _values(row: Iterable[Any]) -> Iterator[Value]:
    for value in row:
        if value is None or isinstance(value, str | int | float):
            yield value
        elif isinstance(value, Decimal):
            yield float(value)
        elif isinstance(value, date | datetime):
            yield value.isoformat(" ", "seconds") if isinstance(value, datetime) else value.isoformat()
        else:
            yield str(value)
