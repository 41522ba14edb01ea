"""What was really written to a zone, read without Spark."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pyarrow.compute as pc
import pyarrow.parquet as pq

from rowgate.adapters.lake import Lake


def parquet_files(lake: Lake, folder: str) -> list[str]:
    """The keys of a zone folder's Parquet files, in order of their names."""
    return [key for key in lake.list(folder) if key.endswith(".parquet")]


def count_rows(lake: Lake, folder: str) -> int:
    """The rows of a zone folder, from the files' footers."""
    return sum(file.metadata.num_rows for file in _opened(lake, folder))


def count_reasons(lake: Lake, folder: str) -> tuple[Counter[str], Counter[str]]:
    """The rows of a rejects folder by their first reason, and by each of their reasons."""
    first, every = Counter[str](), Counter[str]()
    for file in _opened(lake, folder):
        for batch in file.iter_batches(1 << 17, columns=["rejection_reason", "rejection_reasons"], use_threads=False):
            _add(first, batch.column("rejection_reason"))
            _add(every, pc.list_flatten(batch.column("rejection_reasons")))
    return first, every


def _add(counter: Counter[str], values: object) -> None:
    for one in pc.value_counts(values):
        counter[one["values"].as_py()] += one["counts"].as_py()


def _opened(lake: Lake, folder: str) -> Iterator[pq.ParquetFile]:
    for key in parquet_files(lake, folder):
        with lake.open(key) as stream, closing(pq.ParquetFile(stream)) as file:
            yield file
