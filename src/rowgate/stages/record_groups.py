"""Gathers records into row groups that Spark can split, and writes them as Parquet while more are read."""

from collections.abc import Sequence
from concurrent.futures import Executor, Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from array import array

_GROUP_ROWS = 128 * 1024  # Rows in a row group: Spark's unit of splitting.
_GROUP_BYTES = 32 << 20


@dataclass
class Bad:
    """The malformed records of a frame: their numbers in it, from 1, and their texts."""

    numbers: "array[int]"
    texts: list[str]

    def __len__(self) -> int:
        return len(self.texts)


class Groups:
    """Gathers frames into row groups that Spark can split, and writes them."""

    def __init__(self, out: BinaryIO, columns: Sequence[str], run_id: str, pool: Executor, *, compress: bool) -> None:
        text = [(name, pa.string()) for name in (*columns, "raw_record")]
        run = ("run_id", pa.dictionary(pa.int32(), pa.string()))
        self._schema = pa.schema([*text, ("record_number", pa.int64()), run])
        self._run = pa.array([run_id], pa.string())
        # Without Arrow's own schema in the file every reader, Arrow too, sees `run_id` as the text it is. Dictionaries
        # of the other columns were tried: slower to write, and 40 % larger than what zstd makes of the plain text.
        self._writer = pq.ParquetWriter(
            out,
            self._schema,
            compression="zstd" if compress else "none",
            compression_level=1 if compress else None,
            write_statistics=compress,
            use_dictionary=["run_id"],
            store_schema=False,
        )
        self._waiting: list[pa.Table] = []
        self._pool = pool
        self._writing: Future[None] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._flush()
                self._written()
        finally:
            if self._writing is not None:
                wait([self._writing])
            self._writer.close()

    def add(self, values: list[Any], bad: Bad, before: int) -> None:
        """Add a frame's records, of which `before` records were read earlier, in file order."""
        rows = len(values[0]) + len(bad)
        numbers = pa.arange(before + 1, before + rows + 1)
        texts = pa.nulls(rows, pa.string())
        if bad:
            values, texts = _interleave(values, bad, rows)
        run = pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), self._run)
        self._waiting.append(pa.table([*values, texts, numbers, run], schema=self._schema))
        tables = self._waiting
        if sum(t.num_rows for t in tables) >= _GROUP_ROWS or sum(t.nbytes for t in tables) >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        """Write what waits, in another thread, once what was given to it before is written."""
        self._written()
        if self._waiting:
            self._writing = self._pool.submit(
                self._writer.write_table, pa.concat_tables(self._waiting), row_group_size=_GROUP_ROWS
            )
            self._waiting = []

    def _written(self) -> None:
        if self._writing is not None:
            self._writing.result()


def _interleave(values: list[Any], bad: Bad, rows: int) -> tuple[list[Any], pa.Array]:
    """Spread the good records over their places in the frame, and the malformed texts over theirs."""
    malformed = pa.array(bad.numbers, pa.int64())
    is_bad = pc.is_in(pa.arange(1, rows + 1), value_set=malformed)
    # The n-th place that is not malformed takes the n-th good record; a null index gives a null.
    seen = pc.cumulative_sum(pc.cast(is_bad, pa.int64()))
    place = pa.arange(0, rows)
    good_index = pc.if_else(is_bad, None, pc.subtract(place, seen))
    bad_index = pc.if_else(is_bad, pc.subtract(seen, 1), None)
    return [column.take(good_index) for column in values], pa.array(bad.texts, pa.string()).take(bad_index)
