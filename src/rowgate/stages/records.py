r"""The one reader: CSV bytes in, one Parquet file of records out, all text, in file order.

Arrow's CSV reader tokenises; everything behind it (Spark, DuckDB, the rejects) sees the Parquet, so that there is one
idea of what a record is and one trim. Memory is bounded whatever the size of the file.
"""

import struct
from array import array
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from rowgate.contract.values import WHITE_SPACE
from rowgate.errors import UnusableError
from rowgate.stages.ahead import ahead
from rowgate.stages.filegate import FileBreach, check_header
from rowgate.stages.framing import CHUNK, LONGEST_RECORD, Frame, frames, is_text, mask, split_first
from rowgate.stages.record_groups import Bad, Groups

__all__ = ["FileBreach", "Tally", "read_header", "read_records"]

_THREADS = 2
_AHEAD = 4  # Frames that are parsed, or wait, at a time.
_MOST_CELLS = 100_000  # Of a first line; more is no header, and a column each would not fit in memory.
_ASCII_WHITE = "".join(c for c in WHITE_SPACE if c.isascii())
_BOM = "\ufeff".encode()


@dataclass(frozen=True)
class Tally:
    """What a file held.

    Attributes:
        header: the columns, as the first line names them.
        records: how many records follow the header, good or malformed.
        malformed: how many of them are malformed.
    """

    header: tuple[str, ...]
    records: int
    malformed: int


def read_records(
    source: BinaryIO,
    *,
    columns: Sequence[str],
    null_markers: Sequence[str],
    run_id: str,
    out: BinaryIO,
    compress: bool = True,
    chunk: int = CHUNK,
    longest: int = LONGEST_RECORD,
) -> Tally:
    r"""Read a CSV file (RFC 4180, UTF-8, plain or gzip) into Parquet, every record once, in file order.

    The Parquet has the contract's columns (text, trimmed, null where missing), `raw_record` (a malformed record's
    text, with bytes that are not UTF-8 written `\xNN`; else null), `record_number` (from 1) and `run_id`.

    Args:
        source: the bytes as they came.
        columns: the contract's columns, in order.
        null_markers: texts that mean a missing value.
        run_id: the run's id, repeated in every row.
        out: where the Parquet goes.
        compress: false writes faster a file that is four times as large, for who reads it once.
        chunk: bytes parsed at a time.
        longest: bytes a record may have.

    Raises:
        FileBreach: the file as a whole cannot be taken; what was written to `out` is then worth nothing.
        UnusableError: Arrow failed at it.
    """
    pieces = frames(source, chunk=chunk, longest=longest)
    header, body = _header(pieces, columns)
    markers = pa.array(sorted({"", *null_markers}), pa.string())
    records = malformed = 0
    work = partial(_good_and_bad, columns=columns, markers=markers)
    # Arrow lets go of the interpreter while it works, so that one frame is cut while others are parsed and written.
    with (
        _told(),
        ThreadPoolExecutor(_THREADS) as pool,
        Groups(out, columns, run_id, pool, compress=compress) as groups,
    ):
        for values, bad in ahead(pool, work, body, _AHEAD):
            groups.add(values, bad, records)
            records += len(values[0]) + len(bad)
            malformed += len(bad)
    return Tally(header, records, malformed)


def read_header(source: BinaryIO, *, chunk: int = CHUNK, longest: int = LONGEST_RECORD) -> tuple[str, ...]:
    """The cells of a file's first line, trimmed; whether it is a header is for the caller to tell.

    Raises:
        FileBreach: the file is empty, its first line is no text in UTF-8, or it cannot be read as CSV.
        UnusableError: Arrow failed at it.
    """
    cells, _ = _first_line(frames(source, chunk=chunk, longest=longest))
    return tuple(cell.strip(WHITE_SPACE) for cell in cells)


@contextmanager
def _told() -> Iterator[None]:
    """Tell in one sentence that Arrow failed, without its own message, which may quote a row."""
    try:
        yield
    except pa.ArrowException as error:
        raise UnusableError(
            f"The file cannot be read as CSV ({type(error).__name__}); save it again, or send it in smaller parts."
        ) from error


def _header(pieces: Iterator[Frame], columns: Sequence[str]) -> tuple[tuple[str, ...], Iterator[Frame]]:
    """Take the first record off the stream and judge it."""
    cells, body = _first_line(pieces)
    return check_header(cells, columns), body


def _first_line(pieces: Iterator[Frame]) -> tuple[list[str], Iterator[Frame]]:
    """The cells of the first record, and the stream behind it."""
    for frame in pieces:
        data = frame.data.lstrip(b"\r\n")
        if data:
            break
    else:
        raise FileBreach(["The file is empty; it needs at least the header."])
    if not frame.closed:
        raise FileBreach(["The file has no header: a quote in its first line never closes."])
    line, others = split_first(data)
    return _cells(line), chain([Frame(others)], pieces)


def _cells(line: bytes) -> list[str]:
    if not is_text(line):
        raise FileBreach(["The header is not UTF-8 text; save the file as CSV in UTF-8."])
    most = line.count(b",") + 1
    if most > _MOST_CELLS:
        raise FileBreach([f"The first line has more than {_MOST_CELLS} cells, so it cannot be the header."])
    options = {"column_types": {f"f{i}": pa.string() for i in range(most)}, "strings_can_be_null": False}
    # Arrow finds no cell in a lone one that no line end follows.
    with _told():
        row = _read_csv(line.rstrip(b"\r\n") + b"\n", options, autogenerate_column_names=True)
    return [row.column(i)[0].as_py() for i in range(row.num_columns)]


def _good_and_bad(frame: Frame, columns: Sequence[str], markers: pa.Array) -> tuple[list[Any], Bad]:
    """A frame's good records, normalised, and its malformed ones."""
    good, bad = _parse(frame, columns)
    return [_normalise(column, markers, ascii_only=frame.data.isascii()) for column in good], bad


def _parse(frame: Frame, columns: Sequence[str]) -> tuple[list[Any], Bad]:
    """Tokenise a frame: the good records' columns (Arrow arrays of text), and the malformed records."""
    bad = Bad(array("q"), [])
    if not frame.closed:
        bad.numbers.append(1)
        bad.texts.append(frame.data.decode(errors="backslashreplace"))
    if not frame.closed or not frame.data:
        return [pa.array([], pa.string())] * len(columns), bad
    data, originals = frame.data, list[bytes]()
    if not _is_text(data):
        # What stands in for such a record has the wrong number of fields, and the only NUL that Arrow gets to see.
        data, originals = mask(data, b"\0" if len(columns) > 1 else b"\0,")
    replaced = iter(originals)

    def keep(row: csv.InvalidRow) -> str:
        bad.numbers.append(row.number)
        text = row.text
        bad.texts.append(next(replaced).decode(errors="backslashreplace") if text.startswith("\0") else text)
        return "skip"

    # Bytes were checked above; without an explicit type Arrow would guess one from the first rows.
    options = {"column_types": dict.fromkeys(columns, pa.string()), "strings_can_be_null": False, "check_utf8": False}
    table = _read_csv(data, options, keep, column_names=list(columns))
    return [column.combine_chunks() for column in table.columns], bad


def _is_text(data: bytes) -> bool:
    """`framing.is_text`, by Arrow, which lets other threads work meanwhile."""
    if data.isascii():
        return b"\0" not in data
    ends = pa.py_buffer(struct.pack("=ii", 0, len(data)))
    try:
        pa.Array.from_buffers(pa.string(), 1, [None, ends, pa.py_buffer(data)]).validate(full=True)
    except pa.ArrowInvalid:
        return False
    return b"\0" not in data


def _read_csv(data: bytes, convert: dict[str, Any], handler: Any = None, **read: Any) -> pa.Table:  # noqa: ANN401 - Arrow's options
    # Arrow drops a byte order mark at the start of what it is given; here that would be somebody's data.
    whole = _BOM + data if data.startswith(_BOM) else data
    return csv.read_csv(
        pa.BufferReader(whole),
        read_options=csv.ReadOptions(use_threads=False, block_size=len(whole) + 1, **read),
        parse_options=csv.ParseOptions(newlines_in_values=True, escape_char=False, invalid_row_handler=handler),
        convert_options=csv.ConvertOptions(**convert),
    )


def _normalise(column: pa.Array, markers: pa.Array, *, ascii_only: bool) -> pa.Array:
    """Trim Unicode white space at both ends, then make what is empty or a null marker null."""
    # The same trim: in ASCII text only the ASCII part of the set can occur, and that runs without decoding.
    trimmed = pc.ascii_trim(column, _ASCII_WHITE) if ascii_only else pc.utf8_trim(column, WHITE_SPACE)
    missing = pc.equal(pc.binary_length(trimmed), 0) if len(markers) == 1 else pc.is_in(trimmed, value_set=markers)
    return pc.if_else(missing, pa.scalar(None, pa.string()), trimmed) if pc.any(missing).as_py() else trimmed
