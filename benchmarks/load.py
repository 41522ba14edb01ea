"""The load against a bare COPY of the same rows, and against `execute_values`, into the same kind of table."""

import argparse
import gc
import hashlib
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from psycopg2.extras import execute_values
from pyarrow import csv

from rowgate.adapters.lake import Lake, open_lake
from rowgate.adapters.warehouse import Connection, PostgresConnection, connect, transaction
from rowgate.contract import catalog
from rowgate.embedded import postgres as server
from rowgate.stages.load import load
from rowgate.stages.run import Run
from rowgate.targets import postgres

CONTRACT = catalog.find("users", Path(__file__).parents[1] / "contracts")
RUN = Run("users", "bench", datetime(2026, 1, 1, tzinfo=UTC))
STAMPS = {"first_run_id": "bench", "last_run_id": "bench", "loaded_at": "2026-01-01 00:00:00+00"}
CSV = "landing/users/bench.csv"
NAMES = ("user_id", "name", "email", "phone", "zip_code", "age", "city")


def rows(count: int) -> Iterator[pa.RecordBatch]:
    """Clean users, all of them different, in no order of the key; a batch at a time."""
    for start in range(0, count, 100_000):
        numbers = range(start, min(count, start + 100_000))
        names = [f"Μαρία Παπαδοπούλου {i}" for i in numbers]
        emails = [f"maria.papadopoulou{i}@example.gr" for i in numbers]
        phones = [f"69{i:08d}" for i in numbers]
        joined = ["||".join(sources) for sources in zip(names, emails, phones, strict=True)]
        keys = [hashlib.md5(text.encode()).hexdigest() for text in joined]  # noqa: S324 - the pipeline's key
        yield pa.record_batch(
            {
                "user_id": keys,
                "name": names,
                "email": emails,
                "phone": phones,
                "zip_code": [f"{i % 100_000:05d}" for i in numbers],
                "age": pa.array([18 + i % 82 for i in numbers], pa.int32()),
                "city": [f"Αθήνα {i % 500}" for i in numbers],
                "record_number": pa.array(numbers, pa.int64()),
                "run_id": ["bench"] * len(numbers),
            }
        )


def write_clean(lake: Lake, count: int) -> None:
    """Write the rows where a transform would have."""
    with lake.create(f"{RUN.folder('clean')}/part-0.parquet") as out:
        writer = None
        for batch in rows(count):
            writer = writer or pq.ParquetWriter(out, batch.schema)
            writer.write_batch(batch)
        if writer:
            writer.close()
    lake.write_bytes(f"{RUN.folder('clean')}/_SUCCESS", b"")


def batches(lake: Lake) -> Iterator[pa.RecordBatch]:
    """The clean rows as the table has them."""
    with lake.open(f"{RUN.folder('clean')}/part-0.parquet") as source:
        for batch in pq.ParquetFile(source).iter_batches(1 << 16, columns=list(NAMES)):
            columns = {name: batch[name] for name in NAMES}
            for name, text in STAMPS.items():
                columns[name] = pa.array([text] * len(batch))
            yield pa.record_batch(columns)


def write_csv(lake: Lake) -> None:
    """Write the rows as COPY reads them, so that the bare COPY is timed without their making."""
    with lake.create(CSV) as out:
        writer = None
        for batch in batches(lake):
            writer = writer or csv.CSVWriter(out, batch.schema, write_options=csv.WriteOptions(include_header=False))
            writer.write_batch(batch)
        if writer:
            writer.close()


def bare_copy(lake: Lake, connection: PostgresConnection) -> None:
    """COPY of a file that lies ready, straight into the table."""
    with transaction(connection, "copying") as cursor, lake.open(CSV) as file:
        cursor.copy_expert("COPY warehouse.users FROM STDIN (FORMAT csv)", file, size=1 << 20)


def by_values(lake: Lake, connection: PostgresConnection) -> None:
    """The usual way: INSERT ... VALUES, as psycopg2 pages it unless told otherwise."""
    insert = "INSERT INTO warehouse.users VALUES %s ON CONFLICT (user_id) DO NOTHING"
    with transaction(connection, "inserting") as cursor:
        for batch in batches(lake):
            execute_values(cursor, insert, [tuple(row.values()) for row in batch.to_pylist()])


def loader(lake: Lake, connection: PostgresConnection) -> None:
    """The project's own load."""
    load(CONTRACT, RUN, lake, connection, now=datetime(2026, 1, 1, tzinfo=UTC))


def timed(way: Callable[[Lake, PostgresConnection], None], lake: Lake, connection: PostgresConnection) -> float:
    """Seconds that one way takes into an empty table."""
    with transaction(connection, "emptying") as cursor:
        cursor.execute("DROP TABLE IF EXISTS warehouse.users")
        cursor.execute(postgres.render(CONTRACT))
    gc.collect()
    start = time.perf_counter()
    way(lake, connection)
    return time.perf_counter() - start


def main() -> None:
    """Print medians of pairs, and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--no-values", action="store_true", help="leave execute_values out")
    arguments = parser.parse_args()
    ways = [bare_copy, loader] if arguments.no_values else [bare_copy, loader, by_values]
    with tempfile.TemporaryDirectory(prefix="rowgate-bench-") as folder:
        lake = open_lake(f"file://{folder}/lake")
        write_clean(lake, arguments.rows)
        write_csv(lake)
        found = server.start(Path(folder, "postgres"))
        try:
            settings = Connection(found.host, found.port, found.user, found.password, "bench")
            with connect(settings) as connection:
                seconds = {way.__name__: [] for way in ways}
                for _ in range(arguments.pairs):
                    for way in ways:
                        seconds[way.__name__].append(timed(way, lake, connection))
        finally:
            server.stop(Path(folder, "postgres"))
    base = statistics.median(seconds["loader"])
    print(f"{arguments.rows:,} rows, medians of {arguments.pairs}")
    for name, values in seconds.items():
        print(f"{name:<10} {statistics.median(values):6.2f} s   {statistics.median(values) / base:5.2f} x the load")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory of this process: {peak / (1 << 20 if sys.platform == 'darwin' else 1 << 10):.0f} MB")


if __name__ == "__main__":
    main()
