"""What the tests of the warehouse share: a database of its own for each test, and clean zones made by hand."""

import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg2
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from psycopg2 import sql

from rowgate.adapters.lake import Lake, open_lake
from rowgate.adapters.warehouse import Connection, PostgresConnection, connect, transaction
from rowgate.contract import catalog
from rowgate.contract.checks import Between, Matches
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey
from rowgate.contract.types import Integer, Text
from rowgate.stages.run import Run


@pytest.fixture
def settings(warehouse_server) -> Iterator[Connection]:
    """An empty database."""
    server = warehouse_server
    found = Connection(server.host, server.port, server.user, server.password, f"t_{uuid.uuid4().hex}")
    yield found
    maintenance = Connection(server.host, server.port, server.user, server.password, "postgres")
    with connect(maintenance) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")
            cursor.execute(drop.format(sql.Identifier(found.database)))


@pytest.fixture
def warehouse(settings: Connection) -> Iterator[PostgresConnection]:
    """A connection to an empty database."""
    with connect(settings) as connection:
        yield connection


@pytest.fixture
def ask(warehouse: PostgresConnection) -> Callable[..., list[tuple]]:
    """Run a statement in a transaction of its own, and return its rows."""

    def run(statement: str, values: object = None) -> list[tuple]:
        with transaction(warehouse, "asking") as cursor:
            cursor.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    return run


@pytest.fixture
def users(project: Path) -> Contract:
    return catalog.find("users", project / "contracts")


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return open_lake(f"file://{tmp_path / 'lake'}")


@pytest.fixture
def items() -> Callable[..., Contract]:
    """Makes the toy contract of the load: a code and a count."""

    def make(on_conflict: str = "nothing", **more) -> Contract:
        return Contract(
            "items",
            "1.0.0",
            "us",
            (Column("code", Text(), required=True), Column("count", Integer(32))),
            (FieldRule("code", Matches("[A-Z]+"), "bad_code"), FieldRule("count", Between(0, 100), "bad_count")),
            **{"key": NaturalKey(("code",)), "on_conflict": on_conflict} | more,
        )

    return make


@pytest.fixture
def clean(lake: Lake) -> Callable[..., Run]:
    """Writes the clean zone of a run, one file for each list of rows, and returns the run."""

    def write(contract: Contract, run_id: str, *files: dict[str, object], schema: pa.Schema | None = None) -> Run:
        run = Run(contract.name, run_id, datetime(2026, 5, 1, tzinfo=UTC))
        for number, columns in enumerate(files):
            rows = len(next(iter(columns.values())))
            table = pa.table({"record_number": range(1, rows + 1), "run_id": [run_id] * rows} | columns, schema=schema)
            with lake.create(f"{run.folder('clean')}/part-{number}.parquet") as out:
                pq.write_table(table, out)
        lake.write_bytes(f"{run.folder('clean')}/_SUCCESS", b"")
        return run

    return write


@pytest.fixture
def insert(warehouse: PostgresConnection) -> Callable[[str, dict[str, object]], str | None]:
    """Insert a row by hand, undo it, and return the name of what refused it: a constraint, a column, or nothing."""

    def attempt(table: str, row: dict[str, object]) -> str | None:
        statement = sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier("warehouse", table),
            sql.SQL(", ").join(map(sql.Identifier, row)),
            sql.SQL(", ").join(sql.Placeholder() * len(row)),
        )
        try:
            with warehouse.cursor() as cursor:
                cursor.execute(statement, list(row.values()))
        except (psycopg2.IntegrityError, psycopg2.DataError) as error:
            return error.diag.constraint_name or error.diag.column_name or error.pgcode
        finally:
            warehouse.rollback()
        return None

    return attempt
