"""Athena's tables as DuckDB views over the lake's files.

What is read is settled here, before the query is: the files of whole folders, by name. Which of them are opened DuckDB
decides by `dt`, whose values are in the paths.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from rowgate.adapters.lake import Entry, Lake
from rowgate.targets.athena_tables import PARTITION, Table, TableColumn
from rowgate.targets.duckdb_types import quoted, text_literal

if TYPE_CHECKING:
    import duckdb

_ENDINGS = {"parquet": ".parquet", "json": ".json"}


def files(lake: Lake, table: Table) -> list[Entry]:
    """The files of a table: of a Parquet zone those of folders that are whole, which `_SUCCESS` says.

    Raises:
        RowgateError: the lake cannot be listed.
    """
    entries = lake.entries(table.folder)
    found = [entry for entry in entries if entry.key.endswith(_ENDINGS[table.storage])]
    if table.storage == "json":
        return found
    whole = {_folder(entry) for entry in entries if entry.key.endswith("/_SUCCESS")}
    return [entry for entry in found if _folder(entry) in whole]


def _folder(entry: Entry) -> str:
    return entry.key.rsplit("/", 1)[0]


def create(connection: "duckdb.DuckDBPyConnection", table: Table, places: Sequence[str]) -> None:
    """Make the view of a table in the connection's present schema.

    Args:
        connection: a session whose time zone is UTC.
        table: the table.
        places: the addresses of its files; with none the view has the columns and no row.
    """
    connection.execute(f"CREATE VIEW {quoted(table.name)} AS {_rows(table, places)}")


def _rows(table: Table, places: Sequence[str]) -> str:
    named = ", ".join(f"{quoted(column.name)}" for column in (*table.columns, PARTITION))
    if not places:
        nothing = (f"CAST(NULL AS {_kind(column)}) AS {quoted(column.name)}" for column in (*table.columns, PARTITION))
        return f"SELECT {', '.join(nothing)} WHERE false"
    listed = f"[{', '.join(map(text_literal, places))}]"
    partition = f"hive_partitioning = true, hive_types = {{{text_literal(PARTITION.name)}: VARCHAR}}"
    if table.storage == "json":
        columns = ", ".join(f"{text_literal(each.source)}: {text_literal(_kind(each))}" for each in table.columns)
        # A report is one object, larger than a line of most files, yet far below this.
        source = f"read_json({listed}, format = 'newline_delimited', columns = {{{columns}}}, {partition})"
    else:
        # With the columns said, no file is opened to learn them, and an older file without one of them has NULL there.
        source = f"read_parquet({listed}, schema = MAP {{{', '.join(_schema(table.columns))}}}, {partition})"
    return f"SELECT {named} FROM {source}"  # noqa: S608 - names and texts are quoted


def _schema(columns: Iterable[TableColumn]) -> Iterable[str]:
    for column in columns:
        named = f"'name': {text_literal(column.name)}, 'type': {text_literal(_kind(column))}, 'default_value': NULL"
        yield f"{text_literal(column.source)}: {{{named}}}"


def _kind(column: TableColumn) -> str:
    """A column's type in DuckDB; a moment is without a zone, in UTC, as in Athena."""
    return exp.DataType.build(column.kind, dialect="hive").sql(dialect="duckdb")
