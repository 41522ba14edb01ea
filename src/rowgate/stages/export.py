"""Write a zone's rows as one file a person asked for: JSON lines, CSV or Parquet, in the order of the records.

DuckDB sorts and writes, since it spills to disk what does not fit into memory.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rowgate.contract.model import Contract, SurrogateKey
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.errors import RowgateError, UnusableError
from rowgate.targets.duckdb_types import nullable, parquet, quoted, text_literal

if TYPE_CHECKING:
    import duckdb

ENDINGS = (".jsonl", ".csv", ".parquet")

_MEMORY = "1GB"
_OPTIONS = {
    ".jsonl": "FORMAT json, ARRAY false",
    ".csv": "FORMAT csv, HEADER true",
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
}
Kind = ColumnType | Literal["reasons"]


def require_ending(out: Path) -> None:
    """See that a file's name says its format.

    Raises:
        UnusableError: it does not.
    """
    if out.suffix.lower() not in ENDINGS:
        raise UnusableError(f"{out} does not say its format; let it end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}.")
    if not out.parent.is_dir():
        raise UnusableError(f"{out} cannot be written: there is no folder {out.parent}.")


def clean_columns(contract: Contract) -> dict[str, Kind]:
    """The columns of a clean row, with their types."""
    key: dict[str, Kind] = {contract.key.name: Text()} if isinstance(contract.key, SurrogateKey) else {}
    loaded = {column.name: column.type for column in contract.loaded}
    return {**key, **loaded, "record_number": Integer(), "run_id": Text()}


def rejects_columns(contract: Contract) -> dict[str, Kind]:
    """The columns of a rejects row, with their types."""
    return {
        **{column.name: Text() for column in contract.columns},
        "rejection_reason": Text(),
        "rejection_reasons": "reasons",
        "raw_record": Text(),
        "record_number": Integer(),
        "run_id": Text(),
        "rejected_at": Timestamp(),
    }


def export(files: Sequence[Path], columns: dict[str, Kind], out: Path, *, ordered: bool = False) -> None:
    """Write the rows of some Parquet files into one file; with no files, or no rows, one without rows.

    In JSON a decimal is a string with its full scale, in JSON and CSV a timestamp is ISO 8601 in UTC with a `Z`, in
    CSV reasons are joined by `|`, and in Parquet every column may be null, whatever the rows hold.

    Args:
        files: Parquet files with these columns.
        columns: `clean_columns` or `rejects_columns`.
        out: where to; its ending says the format. It is there whole or not at all.
        ordered: the files hold the rows in the order of the records already.

    Raises:
        RowgateError: it cannot be written.
        UnusableError: its name does not say the format.
    """
    import duckdb  # noqa: PLC0415 - a check without outputs does not need it

    require_ending(out)
    ending = out.suffix.lower()
    order = "" if ordered else "ORDER BY record_number"
    table = _source(files, columns)
    fields = ", ".join(f"{_told(name, kind, ending)} AS {quoted(name)}" for name, kind in columns.items())
    try:
        with tempfile.TemporaryDirectory(prefix=".rowgate-", dir=out.parent) as folder:
            made = Path(folder, f"out{ending}")
            with duckdb.connect() as connection:
                _bounded(connection, folder)
                query = nullable(f"SELECT {fields} FROM {table}")  # noqa: S608 - quoted
                connection.execute(f"COPY ({query} {order}) TO {text_literal(str(made))} ({_OPTIONS[ending]})")
            made.replace(out)
    except OSError as error:
        raise RowgateError(f"{out} cannot be written: {(error.strerror or type(error).__name__).lower()}.") from error
    except duckdb.Error as error:
        raise RowgateError(f"{out} cannot be written ({type(error).__name__}); see that the disk has room.") from error


def _bounded(connection: "duckdb.DuckDBPyConnection", folder: str) -> None:
    connection.execute(f"SET memory_limit = '{_MEMORY}'")
    connection.execute(f"SET temp_directory = {text_literal(folder)}")
    connection.execute("SET preserve_insertion_order = true")


def _source(files: Sequence[Path], columns: dict[str, Kind]) -> str:
    if files:
        return parquet(*map(str, files))
    nothing = ", ".join(f"NULL::{_duckdb_type(kind)} AS {quoted(name)}" for name, kind in columns.items())
    return f"(SELECT {nothing} WHERE false)"


def _told(name: str, kind: Kind, ending: str) -> str:
    """A column as the format writes it."""
    column = quoted(name)
    match kind, ending:
        case _, ".parquet":
            return column
        case "reasons", ".csv":
            return f"array_to_string({column}, '|')"
        case Decimal(precision, scale), _ if precision == scale:
            # DuckDB leaves the zero before the point out where the type has no digit for it.
            return rf"regexp_replace({column}::VARCHAR, '^(-?)\.', '\10.')"
        case Decimal() | Date(), _:
            return f"{column}::VARCHAR"
        case Timestamp(), _:
            return f"replace(make_timestamp(epoch_us({column}))::VARCHAR, ' ', 'T') || 'Z'"
    return column


def _duckdb_type(kind: Kind) -> str:
    match kind:
        case "reasons":
            return "VARCHAR[]"
        case Timestamp():
            return "TIMESTAMPTZ"
        case Text() | Integer() | Decimal() | Date() | Boolean():
            return type_name(kind)
    raise AssertionError(kind)
