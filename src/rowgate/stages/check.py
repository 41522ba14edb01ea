"""Judge one file by a contract and load nothing."""

import datetime as dt
import os
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rowgate.adapters.lake import Lake, open_lake
from rowgate.contract.model import Contract
from rowgate.contract.references import references_of, unevaluated
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages import export
from rowgate.stages.filegate import FileBreach
from rowgate.stages.ingest import Source, open_source
from rowgate.stages.outcome import judged, stopped_at_gate
from rowgate.stages.records import read_records
from rowgate.stages.report import Report
from rowgate.stages.run import Run
from rowgate.stages.spark_session import local_session, reason

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from rowgate.stages.judgement import Judgement
    from rowgate.stages.keys import Keys

ENGINES = ("duckdb", "spark")


def check(
    contract: Contract,
    source: Path,
    *,
    engine: str,
    now: dt.datetime,
    clean: Path | None = None,
    rejects: Path | None = None,
    spark: "SparkSession | None" = None,
    clock: Callable[[], dt.datetime] | None = None,
    log: Path | None = None,
    look: Callable[[list[Path]], None] | None = None,
    loaded: Callable[[], Lake] | None = None,
) -> Report:
    """Judge a file; write its accepted and rejected rows where asked, whatever the verdict.

    Args:
        contract: the contract.
        source: a CSV file, also gzip.
        engine: `duckdb` or `spark`.
        now: the start, aware; the frozen moment of `current_date` and `current_timestamp`.
        clean: for the accepted rows; ends in .jsonl, .csv or .parquet.
        rejects: for the rejected rows, likewise.
        spark: a session to judge in; one is started and stopped again if left out.
        clock: tells the end; the start if left out.
        log: what Spark would print goes here; thrown away if left out.
        look: is shown the Parquet files of the rejected rows, which are gone afterwards.
        loaded: opens the lake whose loaded keys references look at; without it they are not evaluated.

    Raises:
        UnusableError: the file, an argument, the contract or the loaded keys cannot be used; or an output is the file,
            or the other output.
        RowgateError: the engine failed, or an output cannot be written.
    """
    if engine not in ENGINES:
        raise UnusableError(f"There is no engine {engine!r}; the engines are: {', '.join(ENGINES)}.")
    for out in (clean, rejects):
        if out is not None:
            export.require_ending(out)
    _require_apart(source, clean, rejects)
    found = open_source(str(source))
    keys = _keys(contract, loaded)
    with tempfile.TemporaryDirectory(prefix="rowgate-check-") as folder:
        lake, run = open_lake(f"file://{folder}"), Run(contract.name, "check", now)
        try:
            total = _read(contract, found, lake, run)
        except FileBreach as breach:
            ended = clock() if clock else now
            report = stopped_at_gate(contract, None, found.name, breach.sentences, started_at=now, finished_at=ended)
        else:
            keep = _Keep(clean=clean is not None, rejects=rejects is not None or look is not None)
            if engine == "duckdb":
                judgement = _judge_duckdb(contract, run, lake, total, keys=keys, now=now, keep=keep)
            else:
                with _session(spark, log or Path(folder, "spark.log"), Path(folder)) as session:
                    judgement = _judge_spark(session, contract, run, lake, total, keys=keys, now=now, keep=keep)
            report = judged(
                contract,
                None,
                found.name,
                judgement.counts,
                judgement.values,
                unevaluated=unevaluated(contract, keys),
                started_at=now,
                finished_at=clock() if clock else now,
            )
        ordered = engine == "duckdb"  # Spark's files are each in order, not one after the other
        _export(lake, run.folder("clean"), export.clean_columns(contract), clean, ordered=ordered)
        _export(lake, run.folder("rejects"), export.rejects_columns(contract), rejects, ordered=ordered)
        if look is not None:
            look(_files(lake, run.folder("rejects")))
    return report


def _require_apart(source: Path, clean: Path | None, rejects: Path | None) -> None:
    """See that no output would take the place of the file, or of the other output."""
    named = {"the file to check": source, "--clean": clean, "--rejects": rejects}
    pairs = combinations(((role, path) for role, path in named.items() if path is not None), 2)
    for (role, path), (other, out) in pairs:
        if _is_same(path, out):
            raise UnusableError(f"{other} {out} is the same file as {role}; write it somewhere else.")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there, so that they are one only if they would be made in one place
        return os.path.realpath(one) == os.path.realpath(other)


class _Keep(NamedTuple):
    """What of the rows will be asked for; the rest need not be written."""

    clean: bool
    rejects: bool


def _keys(contract: Contract, loaded: Callable[[], Lake] | None) -> "Keys":
    if loaded is None or not any(references_of(contract)):
        return {}
    from rowgate.stages.keys import find_keys  # noqa: PLC0415 - what most contracts do not need

    return find_keys(contract, loaded())


def _read(contract: Contract, source: Source, lake: Lake, run: Run) -> int:
    """Read the file's records where `judge` looks for them; return how many there are."""
    folder = run.folder("records")
    with source.open() as file, lake.create(f"{folder}/records.parquet") as out:
        tally = read_records(
            file,
            columns=[column.name for column in contract.columns],
            null_markers=contract.null_markers,
            run_id=run.run_id,
            out=out,
            compress=False,
        )
    lake.write_bytes(f"{folder}/_SUCCESS", b"")
    return tally.records


def _judge_duckdb(
    contract: Contract, run: Run, lake: Lake, total: int, *, keys: "Keys", now: dt.datetime, keep: _Keep
) -> "Judgement":
    from rowgate.stages.judge_duckdb import judge, session  # noqa: PLC0415 - imports DuckDB

    with tempfile.TemporaryDirectory(prefix="rowgate-check-") as aside, session() as connection:
        judgement = judge(
            connection,
            contract,
            run,
            lake,
            keys=keys,
            total=total,
            run_id=None,
            now=now,
            keep_rejects=keep.rejects,
            aside=Path(aside),
        )
        if keep.clean:
            judgement.write_clean()
    return judgement


def _judge_spark(
    spark: "SparkSession",
    contract: Contract,
    run: Run,
    lake: Lake,
    total: int,
    *,
    keys: "Keys",
    now: dt.datetime,
    keep: _Keep,
) -> "Judgement":
    from rowgate.stages.transform import judge  # noqa: PLC0415 - imports Spark

    try:
        judgement = judge(spark, contract, run, lake, keys=keys, total=total, run_id=None, now=now)
        if keep.clean:
            judgement.write_clean()
    except RowgateError:
        raise
    except Exception as error:  # whatever Spark raises is told in one sentence
        raise RowgateError(f"Spark failed: {reason(error)}.") from error
    return judgement


def _session(given: "SparkSession | None", log: Path, scratch: Path) -> "AbstractContextManager[SparkSession]":
    return nullcontext(given) if given is not None else local_session(log, scratch=scratch)


def _export(lake: Lake, zone: str, columns: dict[str, export.Kind], out: Path | None, *, ordered: bool) -> None:
    if out is not None:
        export.export(_files(lake, zone), columns, out, ordered=ordered)


def _files(lake: Lake, zone: str) -> list[Path]:
    files = [lake.local(key) for key in lake.list(zone) if key.endswith(".parquet")]
    return [file for file in files if file is not None]
