"""Ask Athena's tables on the lake, with DuckDB: nothing is written, and nothing but the lake's files can be read."""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from rowgate.adapters.lake import Entry, Lake
from rowgate.contract.words import counted
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages import query_views
from rowgate.stages.query_sql import Question, translated
from rowgate.targets.athena_tables import DATABASE, PARTITION, Table
from rowgate.targets.duckdb_types import text_literal

if TYPE_CHECKING:
    from rowgate.stages.query_files import LakeFiles

_MEMORY = "1GB"
_AGAIN = 0.1  # seconds
_BATCH = 2048  # rows: what DuckDB makes at once
_NO_COLUMN = re.compile(r'(?:Referenced column|column named) "([^"]+)"')
_UNREAD = (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException, duckdb.SyntaxException)
"""What DuckDB raises before it reads a row, so that its message can quote nothing but the query."""


@dataclass(frozen=True)
class Answer:
    """What a query gave.

    Attributes:
        columns: the names, from left to right; two may be the same.
        rows: the rows, read as they are asked for.
    """

    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


@contextmanager
def asked(
    text: str, tables: Mapping[str, Table], lake: Lake, *, values: Sequence[str] = (), scratch: Path | None = None
) -> Iterator[Answer]:
    """Ask a question; the answer can be read until the block ends.

    Args:
        text: one query in Athena's SQL.
        tables: what there is, by name.
        lake: where the tables' files are.
        values: for each `?` of the query a text.
        scratch: a folder for what does not fit into memory; a temporary one if left out.

    Raises:
        UnusableError: the query cannot be read or run, does more than read, or has another number of `?`.
        RowgateError: the lake cannot be read, or DuckDB failed.
    """
    question = translated(text, tables)
    if question.values != len(values):
        raise UnusableError(
            f"The query takes {counted(question.values, 'value')}, one for each ?, and {len(values)} came; "
            "give each by --value."
        )
    listed = {table: query_views.files(lake, table) for table in question.tables}
    with (
        tempfile.TemporaryDirectory(prefix="rowgate-query-", dir=scratch) as spill,
        duckdb.connect() as connection,
        ThreadPoolExecutor(1) as worker,
    ):
        reader = _Reader(connection, question, values, lake, worker)
        with reader.told():
            reader.prepare(listed, spill)
        yield Answer(reader.execute(), reader.rows())


_Done = TypeVar("_Done")


class _Reader:
    """One question in one DuckDB."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        question: Question,
        values: Sequence[str],
        lake: Lake,
        worker: ThreadPoolExecutor,
    ) -> None:
        self._connection = connection
        self._question = question
        self._values = list(values)
        self._lake = lake
        self._worker = worker
        self._remote: LakeFiles | None = None

    def prepare(self, listed: Mapping[Table, Sequence[Entry]], spill: str) -> None:
        """Make the views, then shut the door: no other file, no extension, no change of a setting."""
        run = self._connection.execute
        places = {table: self._places(entries) for table, entries in listed.items()}
        every = [place for found in places.values() for place in found]
        if self._remote is not None:
            self._connection.register_filesystem(self._remote)
        run("SET TimeZone = 'UTC'")
        run("SET integer_division = true")  # as in Trino, where 1 / 2 is 0
        run(f"SET memory_limit = '{_MEMORY}'")
        run(f"SET temp_directory = {text_literal(spill)}")
        run(f"SET allowed_paths = [{', '.join(map(text_literal, every))}]")
        run("SET enable_external_access = false")
        run("SET lock_configuration = true")
        run(f"CREATE SCHEMA {DATABASE}")
        run(f"USE {DATABASE}")
        for table, found in places.items():
            query_views.create(self._connection, table, found)

    def _places(self, entries: Sequence[Entry]) -> list[str]:
        """Where DuckDB finds files: by itself in a folder of this machine, through the lake elsewhere."""
        here = [self._lake.local(entry.key) for entry in entries]
        if all(here):
            return [str(path) for path in here]
        from rowgate.stages.query_files import LakeFiles, address  # noqa: PLC0415 - fsspec, which a folder does not need

        self._remote = self._remote or LakeFiles(self._lake)
        self._remote.add(entries)
        return [address(entry.key) for entry in entries]

    def execute(self) -> tuple[str, ...]:
        """Run the question. The names of the answer's columns."""
        with self.told():
            self._waited_for(self._connection.execute, self._question.sql, self._values)
        return tuple(str(column[0]) for column in self._connection.description or ())

    def _waited_for(self, work: Callable[..., _Done], *arguments: object) -> _Done:
        """Let DuckDB work in another thread: this one is free to take a Ctrl-C, and ends the work then."""
        future: Future[_Done] | None = None
        try:
            future = self._worker.submit(work, *arguments)
            return future.result()
        except KeyboardInterrupt:
            # DuckDB forgets one that comes before a query begins to be executed, so it is told until it ends.
            while future is not None and not future.done():
                self._connection.interrupt()
                wait([future], _AGAIN)
            raise

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows of what was executed."""
        while True:
            with self.told():
                batch = self._waited_for(self._connection.fetchmany, _BATCH)
            if not batch:
                return
            yield from batch

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn what fails in DuckDB into one sentence."""
        try:
            yield
        except duckdb.Error as error:
            if self._remote is not None and self._remote.failure is not None:
                raise self._remote.failure from error
            raise self._sentence(error) from error

    def _sentence(self, error: duckdb.Error) -> RowgateError:
        if isinstance(error, duckdb.OutOfMemoryException):
            return RowgateError(f"The query found no room: {_MEMORY} of memory, or the disk, is full; ask for less.")
        if isinstance(error, duckdb.PermissionException):
            return UnusableError("The query reads something else than the contracts' tables, which is all it can.")
        if not isinstance(error, _UNREAD):
            # A message from here on may quote a row's value.
            return UnusableError(
                f"The query failed while it ran ({_words(error)}): a value does not fit what is done with it; where "
                "that is a cast, try_cast gives NULL instead."
            )
        missing = _NO_COLUMN.search(str(error))
        if missing:
            return UnusableError(f"There is no column {missing[1]} here; {self._columns()}.")
        return UnusableError(f"The query cannot be run: {str(error).splitlines()[0].split(': ', 1)[-1].rstrip('.!')}.")

    def _columns(self) -> str:
        """The columns that there are, in words."""
        told = (
            f"{table.name} has {', '.join(column.name for column in (*table.columns, PARTITION))}"
            for table in self._question.tables
        )
        return "; ".join(told) or "the query names no table"


def _words(error: duckdb.Error) -> str:
    """The kind of an error in words: `ConversionException` is a conversion error.

    What Python raises below DuckDB has no class there, and begins with its own name.
    """
    name = type(error).__name__ if type(error) is not duckdb.Error else str(error).split(":", 1)[0]
    kind = name.removesuffix("Exception").removesuffix("Error") if name.isidentifier() else "unknown"
    return f"{re.sub('(?<=[a-z])(?=[A-Z])', ' ', kind).lower()} error".strip()
