"""Judge a run's records with DuckDB, in this process: the same zones as Spark's, for data that fits one machine."""

import datetime as dt
import shutil
import tempfile
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import duckdb

from rowgate.adapters.lake import Lake
from rowgate.adapters.local_files import told
from rowgate.contract.model import Contract, DatasetRule
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages import zones
from rowgate.stages.judgement import (
    Judgement,
    cleared,
    require_total,
    require_written,
    rule_name,
    rule_value,
    write_zones,
)
from rowgate.stages.keys import Keys
from rowgate.stages.report import Counts, Report
from rowgate.stages.run import Run
from rowgate.targets import duckdb as target
from rowgate.targets.duckdb_types import text_literal

_MEMORY = "1GB"
_COPIED = 1 << 20  # bytes at a time
_ACCEPTED = "accepted"
_FILE = "part-00000.parquet"
_OPTIONS = "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 131072"


@contextmanager
def session(scratch: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of bounded memory; what fails in it is told in one sentence.

    Args:
        scratch: a folder for what does not fit into memory; a temporary one if left out.

    Raises:
        RowgateError: DuckDB failed.
    """
    with tempfile.TemporaryDirectory(prefix="rowgate-duckdb-", dir=scratch) as spill, duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{_MEMORY}'")
        connection.execute(f"SET temp_directory = {text_literal(spill)}")
        try:
            yield connection
        except duckdb.Error as error:
            raise RowgateError(_told(error)) from error


def transform_duckdb(
    contract: Contract,
    run: Run,
    lake: Lake,
    *,
    now: dt.datetime,
    source: str | None = None,
    clock: Callable[[], dt.datetime] | None = None,
    scratch: Path | None = None,
) -> Report:
    """Judge the records of a run, write its zones and its report; see `judgement.write_zones`."""
    with tempfile.TemporaryDirectory(prefix="rowgate-judge-", dir=scratch) as aside, session(scratch) as connection:
        judging = partial(judge, connection, aside=Path(aside))
        return write_zones(judging, contract, run, lake, now=now, source=source, clock=clock)


def judge(
    connection: duckdb.DuckDBPyConnection,
    contract: Contract,
    run: Run,
    lake: Lake,
    *,
    keys: Keys,
    total: int,
    run_id: str | None,
    now: dt.datetime,
    keep_rejects: bool = True,
    aside: Path | None = None,
) -> Judgement:
    """Write the rejects of a run's records and count; see `judgement.Judge`.

    Args:
        connection: what `session` made; it is needed until the clean rows are written.
        contract: the contract.
        run: whose folders are read and replaced.
        lake: where they are.
        keys: the loaded keys that references look at.
        total: the records, as the reader counted them.
        run_id: what the rows' `run_id` column holds.
        now: the frozen moment of `current_date` and `current_timestamp`.
        keep_rejects: false writes no rejects, for who wants the figures alone.
        aside: an empty private folder, where what a lake elsewhere holds is judged; a lake in a folder needs none.

    Raises:
        RowgateError: the records are not there.
        ReconciliationError: they are not as many as the manifest says.
        UnusableError: a dataset rule cannot be run.
    """
    records, rejects, clean = cleared(run, lake)
    place = _Place(aside)
    file = str(place.near(lake, f"{records}/records.parquet"))
    known = {
        check: ([str(place.near(each.lake, key)) for key in each.files], each.column) for check, each in keys.items()
    }
    verdicts = target.verdicts(contract, file, now, known)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {target.VERDICTS} AS {verdicts}")
    for statement in target.repeats_judged(contract):
        connection.execute(statement)
    counts = _counted(connection, contract, total)
    if keep_rejects:
        _write(connection, target.rejects_rows(contract, file, run_id, now), lake, rejects, place)
        first, violations = zones.count_reasons(lake, rejects)
        counts = Counts(
            counts.total, counts.accepted, zones.count_rows(lake, rejects), first, violations, counts.warnings
        )
    accepted = target.accepted_rows(contract, file, run_id)
    connection.execute(f"CREATE OR REPLACE TEMP VIEW {_ACCEPTED} AS {accepted}")
    values = _dataset_values(connection, contract, now) if counts.accepted else {}
    return Judgement(counts, values, partial(_write_clean, connection, contract, lake, clean, place, counts.accepted))


def _counted(connection: duckdb.DuckDBPyConnection, contract: Contract, total: int) -> Counts:
    first, violations, warnings = Counter[str](), Counter[str](), Counter[str]()
    seen = 0
    rejecting = set(contract.rejecting_reasons)
    for *masks, rows in connection.execute(target.tally(contract)).fetchall():
        seen += rows
        reasons = target.reasons_of(contract, masks)
        stopped_by = [reason for reason in reasons if reason in rejecting]
        first.update(dict.fromkeys(stopped_by[:1], rows))
        violations.update(dict.fromkeys(stopped_by, rows))
        warnings.update({reason: rows for reason in reasons if reason not in rejecting})
    require_total(contract, total, seen)
    rejected = first.total()
    return Counts(total, seen - rejected, rejected, first, violations, warnings)


def _dataset_values(
    connection: duckdb.DuckDBPyConnection, contract: Contract, now: dt.datetime
) -> dict[str, float | None]:
    return {rule.name: _dataset_value(connection, contract, rule, now) for rule in contract.dataset_rules}


def _dataset_value(
    connection: duckdb.DuckDBPyConnection, contract: Contract, rule: DatasetRule, now: dt.datetime
) -> float | None:
    from rowgate.targets.duckdb_queries import translated  # noqa: PLC0415 - sqlglot, which most contracts do not need

    where = rule_name(contract, rule)
    try:
        query = translated(rule.sql.replace("{table}", _ACCEPTED), now)
        rows = connection.execute(query).fetchmany(2)
    except UnusableError as error:
        raise UnusableError(f"{where} cannot be run: {error}.") from error
    except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException) as error:
        # These come before any row is read, and so name nothing but what the query asks for.
        why = str(error).splitlines()[0].rstrip(".!")
        raise UnusableError(f"{where} cannot be run: {why}.") from error
    except (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException) as error:
        raise UnusableError(f"{where} cannot be run: {type(error).__name__}.") from error
    return rule_value(contract, rule, rows)


def _write_clean(
    connection: duckdb.DuckDBPyConnection, contract: Contract, lake: Lake, folder: str, place: "_Place", expected: int
) -> None:
    _write(connection, target.clean_rows(contract, _ACCEPTED), lake, folder, place)
    require_written(lake, folder, expected)


def _write(connection: duckdb.DuckDBPyConnection, query: str, lake: Lake, folder: str, place: "_Place") -> None:
    with place.new(lake, f"{folder}/{_FILE}") as path:
        connection.execute(f"COPY ({query}) TO {text_literal(str(path))} ({_OPTIONS})")
    lake.write_bytes(f"{folder}/_SUCCESS", b"")


class _Place:
    """Where DuckDB reads and writes: the lake's own folder, or copies of its files in a folder aside."""

    def __init__(self, aside: Path | None) -> None:
        self._aside = aside
        self._copies: dict[str, Path] = {}

    def near(self, lake: Lake, key: str) -> Path:
        """A file of the lake on this machine; one that is elsewhere is fetched once."""
        path = lake.local(key) or self._copies.get(key)
        if path is None:
            path = self._copies[key] = self._unused(lake)
            with lake.open(key) as source, told("written", path), path.open("wb") as copy:
                shutil.copyfileobj(source, copy, _COPIED)
        return path

    @contextmanager
    def new(self, lake: Lake, key: str) -> Iterator[Path]:
        """A path to write to; the lake has the file when the block has ended."""
        path = lake.local(key)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            yield path
            return
        path = self._unused(lake)
        yield path
        with path.open("rb") as source, lake.create(key) as out:
            shutil.copyfileobj(source, out, _COPIED)
        path.unlink()

    def _unused(self, lake: Lake) -> Path:
        if self._aside is None:
            raise UnusableError(f"DuckDB judges on this machine, and the lake {lake.uri} is elsewhere; use Spark.")
        return self._aside / f"{uuid.uuid4().hex}.parquet"


def _told(error: duckdb.Error) -> str:
    """What failed, without DuckDB's own message, which may quote a row's value."""
    if isinstance(error, duckdb.OutOfMemoryException):
        return f"DuckDB found no room: {_MEMORY} of memory, or the disk, is full; free some, or use Spark."
    return f"DuckDB failed: {type(error).__name__}."
