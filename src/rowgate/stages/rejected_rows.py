"""A look at a run's rejected rows, in which what tells of a person is left where it is until it is asked for."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import duckdb

from rowgate.adapters.lake import Entry, Lake
from rowgate.contract.model import Contract, Pii
from rowgate.stages.judge_duckdb import session
from rowgate.stages.run import Run
from rowgate.targets.duckdb_types import quoted, text_literal

if TYPE_CHECKING:
    from rowgate.stages.query_files import LakeFiles

LONGEST = 200
"""Characters shown of a value."""
RAW = "raw_record"
"""The column that holds a malformed record's text."""
_ABOUT = ("record_number", "rejection_reason", "rejection_reasons", "run_id", "rejected_at")


class Hidden(Enum):
    """Stands for a value that there is and that was not read."""

    HIDDEN = "hidden"


@dataclass(frozen=True)
class RejectedRow:
    """One rejected row.

    Attributes:
        number: the record's number in the file.
        reasons: every reason, the deciding one first.
        values: the columns' values; None where it is missing.
    """

    number: int
    reasons: tuple[str, ...]
    values: tuple[str | Hidden | None, ...]


@dataclass(frozen=True)
class RejectedRows:
    """The first rejected rows of a run.

    Attributes:
        columns: the names of the rows' values.
        personal: which of them tell of a person, or may.
        rows: in file order.
        total: how many rejected rows have the reason that was asked for.
    """

    columns: tuple[str, ...]
    personal: frozenset[str]
    rows: tuple[RejectedRow, ...]
    total: int


def rejected_rows(
    contract: Contract, run: Run, lake: Lake, *, reason: str | None = None, limit: int = 50, personal: bool = False
) -> RejectedRows | None:
    """Read the first rejected rows of a run.

    Args:
        contract: says which columns tell of a person. A column that it does not know may.
        run: whose rejects.
        lake: where they are.
        reason: rows that broke this rule; all of them if left out.
        limit: how many rows at most.
        personal: read personal data as well; otherwise it is `Hidden`.

    Returns:
        The rows; None where the lake has no rejects of the run.

    Raises:
        RowgateError: the lake cannot be read.
    """
    folder = run.folder("rejects")
    entries = [entry for entry in lake.entries(folder) if entry.key.endswith(".parquet")]
    if not entries or not lake.exists(f"{folder}/_SUCCESS"):
        return None
    with session() as connection:
        files, source = _source(connection, lake, entries)
        try:
            return _read(connection, contract, source, reason, limit, personal=personal)
        except duckdb.Error:
            if files is not None and files.failure is not None:
                raise files.failure from None
            raise


def _source(connection: duckdb.DuckDBPyConnection, lake: Lake, entries: list[Entry]) -> "tuple[LakeFiles | None, str]":
    """The rejects as DuckDB reads them: by itself in a folder of this machine, through the lake elsewhere."""
    here = [lake.local(entry.key) for entry in entries]
    if all(here):
        return None, _parquet(map(str, here))
    from rowgate.stages.query_files import LakeFiles, address  # noqa: PLC0415 - fsspec, which a folder does not need

    files = LakeFiles(lake)
    files.add(entries)
    connection.register_filesystem(files)
    return files, _parquet(address(entry.key) for entry in entries)


def _parquet(places: Iterable[str]) -> str:
    return f"read_parquet([{', '.join(map(text_literal, places))}], union_by_name = true, hive_partitioning = false)"


def _read(
    connection: duckdb.DuckDBPyConnection,
    contract: Contract,
    source: str,
    reason: str | None,
    limit: int,
    *,
    personal: bool,
) -> RejectedRows:
    there = connection.execute(f"SELECT * FROM {source} LIMIT 0").description or []  # noqa: S608 - texts are quoted
    names = [str(column[0]) for column in there if column[0] not in _ABOUT]
    told = frozenset(_personal(contract, names))
    where = f"WHERE list_contains(rejection_reasons, {text_literal(reason)})" if reason else ""
    values = (_value(name, hidden=name in told and not personal) for name in names)
    found = connection.execute(
        f"SELECT record_number, rejection_reasons, {', '.join(values)} FROM {source} {where} "  # noqa: S608 - the same
        f"ORDER BY record_number LIMIT {limit:d}"
    ).fetchall()
    total = connection.execute(f"SELECT count(*) FROM {source} {where}").fetchone()  # noqa: S608 - the same
    rows = (RejectedRow(number, tuple(reasons), tuple(map(_shown, row))) for number, reasons, *row in found)
    return RejectedRows(tuple(names), told, tuple(rows), total[0] if total else 0)


def _personal(contract: Contract, names: Iterable[str]) -> Iterator[str]:
    classes = {column.name: column.pii for column in contract.columns}
    whole = Pii.NONE if all(pii is Pii.NONE for pii in classes.values()) else Pii.DIRECT
    for name in names:
        if classes.get(name, whole if name == RAW else None) is not Pii.NONE:
            yield name


def _value(name: str, *, hidden: bool) -> str:
    """A value cut to a length, or nothing of it but whether it is there."""
    return f"{quoted(name)} IS NOT NULL" if hidden else f"CAST({quoted(name)} AS VARCHAR)[:{LONGEST + 1}]"


def _shown(value: str | bool | None) -> str | Hidden | None:  # noqa: FBT001 - what DuckDB gave
    if isinstance(value, bool):
        return Hidden.HIDDEN if value else None
    return value if value is None or len(value) <= LONGEST else f"{value[:LONGEST]}…"
