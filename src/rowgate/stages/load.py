"""The load: a run's accepted rows, streamed from the lake into the warehouse by one upsert in one transaction."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

import psycopg2
import pyarrow as pa
import pyarrow.parquet as pq
from psycopg2 import sql
from pyarrow import csv

from rowgate.adapters.lake import Lake
from rowgate.adapters.warehouse import Cursor, PostgresConnection, transaction
from rowgate.contract.model import Contract
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages.keys import keep_keys
from rowgate.stages.report import Load
from rowgate.stages.run import Run
from rowgate.targets import postgres

_BATCH = 1 << 16  # rows; some ten MB of text
_CHUNK = 1 << 20  # bytes handed to COPY at once
_STAGING = "rowgate_staging"
_CREATING = 7_290_412_001  # any number: the advisory lock of whoever makes schema and table
_LOCK_TIMEOUT = "10min"  # another load of the same contract may be at work
# For the one sort and the settings that a server may have otherwise; given back when the transaction ends.
_SETTINGS = "SET LOCAL work_mem = '128MB'; SET LOCAL client_min_messages = warning"

_COLUMNS = """
SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
FROM pg_attribute a WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped
"""


def load(contract: Contract, run: Run, lake: Lake, connection: PostgresConnection, *, now: datetime) -> Load:
    """Bring the run's clean rows into the warehouse, and keep their keys in the lake for rules that refer to them.

    Loading the same run again changes nothing and gives the same figures, since a row remembers the runs that wrote it.

    Args:
        contract: the contract; it must have a key.
        run: whose clean rows.
        lake: where they are, and where the keys go.
        connection: the warehouse, with no transaction open. Committed on success, undone otherwise.
        now: the moment the rows are stamped with, aware.

    Raises:
        UnusableError: the contract has no key, or the table does not fit it.
        RowgateError: the clean rows are not there whole, or the warehouse failed, and nothing was changed; or the keys
            cannot be written.
    """
    table = postgres.table(contract)
    files = _clean_files(run, lake)
    with transaction(connection, f"loading {contract.name}", _LOCK_TIMEOUT) as cursor:
        cursor.execute(_SETTINGS)
        _prepare(contract, table, cursor)
        staged = _stage(table, run, lake, files, cursor)
        figures = _merge(contract, table, {"run": run.run_id, "now": now}, staged, cursor)
    keep_keys(contract, run, lake)  # only now are they loaded; where this fails, loading again makes them
    return figures


def _clean_files(run: Run, lake: Lake) -> list[str]:
    folder = run.folder("clean")
    if not lake.exists(f"{folder}/_SUCCESS"):
        raise RowgateError(
            f"The clean rows in {lake.uri_of(folder)} are missing or not whole; clear 'transform' to make them."
        )
    return [key for key in lake.list(folder) if key.endswith(".parquet")]


def _prepare(contract: Contract, table: postgres.Table, cursor: Cursor) -> None:
    """Make schema and table when they are missing, and see that the table fits the contract."""
    if not _columns(table, cursor):
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_CREATING])
        if not _columns(table, cursor):
            cursor.execute(postgres.render(contract))
    found = _columns(table, cursor)
    for column in table.columns:
        if column.name not in found:
            raise _misfit(contract, table, f"has no column {column.name}")
        kind, _ = found.pop(column.name)
        if kind != column.sql_type:
            raise _misfit(contract, table, f"has a column {column.name} of type {kind}, not {column.sql_type}")
    for name, (_, demanded) in found.items():
        if demanded:
            raise _misfit(contract, table, f"demands a column {name}, which the contract does not load")


def _columns(table: postgres.Table, cursor: Cursor) -> dict[str, tuple[str, bool]]:
    cursor.execute(_COLUMNS, [table.qualified])
    return {name: (kind, demanded) for name, kind, demanded in cursor.fetchall()}


def _misfit(contract: Contract, table: postgres.Table, what: str) -> UnusableError:
    return UnusableError(
        f"The table {table.schema}.{table.name} {what}, so that it does not fit the contract {contract.name} "
        f"{contract.version}; alter it, or move it away to have it made again."
    )


def _stage(table: postgres.Table, run: Run, lake: Lake, files: Iterable[str], cursor: Cursor) -> int:
    """Copy the clean rows into a table of this transaction. The number of rows."""
    names = [column.name for column in table.loaded]
    columns = [sql.SQL("{} {}").format(sql.Identifier(each.name), sql.SQL(each.sql_type)) for each in table.loaded]
    create = sql.SQL("CREATE TEMPORARY TABLE {} ({}, record_number bigint) ON COMMIT DROP")
    cursor.execute(create.format(sql.Identifier(_STAGING), sql.SQL(", ").join(columns)))
    copy = sql.SQL("COPY pg_temp.{} FROM STDIN (FORMAT csv)").format(sql.Identifier(_STAGING))
    # COPY reads a quoted empty field as an empty text and a bare one as NULL, which is how Arrow writes the two.
    chunks = _Chunks(_csv([*names, "record_number"], run, lake, files))
    try:
        cursor.copy_expert(copy, chunks, size=_CHUNK)
    except psycopg2.Error:
        if chunks.failure:
            raise chunks.failure from None
        raise
    return cursor.rowcount


def _csv(names: list[str], run: Run, lake: Lake, files: Iterable[str]) -> Iterator[memoryview]:
    options = csv.WriteOptions(include_header=False)
    for key in files:
        with lake.open(key) as source:
            try:
                parquet = pq.ParquetFile(source)
                absent = [name for name in names if name not in parquet.schema_arrow.names]
                if absent:
                    raise RowgateError(
                        f"The clean rows in {lake.uri_of(run.folder('clean'))} have no column {absent[0]}; clear "
                        "'transform' to make them again."
                    )
                for batch in parquet.iter_batches(_BATCH, columns=names, use_threads=False):
                    sink = pa.BufferOutputStream()
                    csv.write_csv(batch.select(names), sink, options)
                    yield memoryview(sink.getvalue())
            except pa.ArrowInvalid:
                raise RowgateError(
                    f"{lake.uri_of(key)} is not whole Parquet; clear 'transform' to make it again."
                ) from None


class _Chunks:
    """Chunks of bytes as a file that COPY reads."""

    def __init__(self, chunks: Iterator[memoryview]) -> None:
        self._chunks = chunks
        self._rest = memoryview(b"")
        self.failure: BaseException | None = None
        """What went wrong while reading; the driver only tells that something did."""

    def read(self, size: int = _CHUNK) -> bytes:
        while not self._rest:
            try:
                chunk = next(self._chunks, None)
            except BaseException as error:
                self.failure = error
                raise
            if chunk is None:
                return b""
            self._rest = chunk
        found, self._rest = self._rest[:size], self._rest[size:]
        return bytes(found)

    def readline(self, size: int = _CHUNK) -> bytes:
        """What psycopg2 asks a file to have; COPY never calls it."""
        return self.read(size)


def _merge(
    contract: Contract, table: postgres.Table, stamps: Mapping[str, object], staged: int, cursor: Cursor
) -> Load:
    key = sql.SQL(", ").join(map(_named, table.key))
    cursor.execute(_upsert(contract, table, key), stamps)
    written = cursor.rowcount
    staging = sql.Identifier(_STAGING)
    distinct = staged
    if written < staged:
        cursor.execute(
            sql.SQL("SELECT count(*) FROM (SELECT DISTINCT {} FROM pg_temp.{}) k").format(key, staging), stamps
        )
        distinct = _one(cursor)[0]
    if contract.on_conflict == "nothing" and written == distinct:
        return Load(inserted=written, updated=0, unchanged=0, repeated=staged - distinct)
    # Not all were new, or this run was loaded before: the rows themselves remember who wrote them.
    cursor.execute(sql.SQL("ANALYZE pg_temp.{} ({})").format(staging, key), stamps)
    cursor.execute(
        sql.SQL(
            "SELECT count(*) FILTER (WHERE first_run_id = %(run)s), "
            "count(*) FILTER (WHERE first_run_id <> %(run)s AND last_run_id = %(run)s) "
            "FROM {} JOIN (SELECT DISTINCT {} FROM pg_temp.{}) k USING ({})"
        ).format(sql.Identifier(table.schema, table.name), key, staging, key),
        stamps,
    )
    inserted, updated = _one(cursor)
    return Load(inserted, updated, unchanged=distinct - inserted - updated, repeated=staged - distinct)


def _upsert(contract: Contract, table: postgres.Table, key: sql.Composable) -> sql.Composed:
    """One statement. Rows go in by key, so that two loads at once meet in the same order and never deadlock."""
    names = sql.SQL(", ").join(_named(column.name) for column in table.loaded)
    values = [column.name for column in table.loaded if column.name not in table.key]
    update = contract.on_conflict == "update" and values
    return sql.SQL(
        "INSERT INTO {table} AS t ({names}, first_run_id, last_run_id, loaded_at) "
        "SELECT DISTINCT ON ({key}) {names}, %(run)s, %(run)s, %(now)s FROM pg_temp.{staging} "
        "ORDER BY {key}, record_number {order} ON CONFLICT ({key}) DO {action}"
    ).format(
        table=sql.Identifier(table.schema, table.name),
        names=names,
        key=key,
        staging=sql.Identifier(_STAGING),
        order=sql.SQL("DESC" if contract.on_conflict == "update" else "ASC"),
        action=_update(values) if update else sql.SQL("NOTHING"),
    )


def _update(values: list[str]) -> sql.Composed:
    new = sql.SQL(", ").join(_named("excluded", name) for name in values)
    old = sql.SQL(", ").join(_named("t", name) for name in values)
    assignments = [sql.SQL("{0} = {1}").format(_named(name), _named("excluded", name)) for name in values]
    return sql.SQL(
        "UPDATE SET {}, last_run_id = %(run)s, loaded_at = %(now)s WHERE ROW({}) IS DISTINCT FROM ROW({})"
    ).format(sql.SQL(", ").join(assignments), old, new)


def _named(*names: str) -> sql.Identifier:
    """An identifier in a statement with values, in which psycopg2 reads two percent signs as one."""
    return sql.Identifier(*(name.replace("%", "%%") for name in names))


def _one(cursor: Cursor) -> tuple[int, ...]:
    row: tuple[int, ...] | None = cursor.fetchone()
    assert row is not None  # noqa: S101 - an aggregate always gives a row
    return row
