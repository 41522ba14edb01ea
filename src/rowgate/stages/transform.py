"""Judge a run's records with Spark and write the zones: rejects first, then the report, and clean rows if it passed."""

import datetime as dt
from collections import Counter
from collections.abc import Callable
from functools import partial

from pyspark import StorageLevel
from pyspark.errors import (
    AnalysisException,
    ArithmeticException,
    DateTimeException,
    NumberFormatException,
)
from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as sf

from rowgate.adapters.lake import Lake
from rowgate.contract.model import Contract, DatasetRule
from rowgate.errors import UnusableError
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
from rowgate.stages.keys import KeyFiles, Keys
from rowgate.stages.report import Counts, Report
from rowgate.stages.run import Run
from rowgate.stages.spark_session import reason, require_utc
from rowgate.targets import spark as target
from rowgate.targets.spark_clock import frozen

_VIEW = "rowgate_accepted"


def transform(
    spark: SparkSession,
    contract: Contract,
    run: Run,
    lake: Lake,
    *,
    now: dt.datetime,
    source: str | None = None,
    clock: Callable[[], dt.datetime] | None = None,
) -> Report:
    """Judge the records of a run, write its zones and its report.

    Args:
        spark: a session as `spark_session.configure` makes it.
        contract: the contract.
        run: whose records, and whose folders are replaced.
        lake: where they are.
        now: aware; the frozen moment of `current_date` and `current_timestamp`, and of the rejections.
        source: what the report calls the file; what the manifest calls it if left out.
        clock: tells when the work began and ended; `now` if left out.

    Returns:
        The report, which is in `quality/` as well. A stopped run has nothing under `clean/`.

    Raises:
        RowgateError: the records are not there.
        ReconciliationError: what was written does not add up to the manifest.
        UnusableError: the session's clock is not UTC, a dataset rule cannot be run, or keys do not fit.
    """
    return write_zones(partial(judge, spark), contract, run, lake, now=now, source=source, clock=clock)


def judge(
    spark: SparkSession,
    contract: Contract,
    run: Run,
    lake: Lake,
    *,
    keys: Keys,
    total: int,
    run_id: str | None,
    now: dt.datetime,
) -> Judgement:
    """Write the rejects of a run's records and count.

    Args:
        spark: a session as `spark_session.configure` makes it.
        contract: the contract.
        run: whose folders are read and replaced.
        lake: where they are.
        keys: the loaded keys that references look at.
        total: the records, as the reader counted them.
        run_id: what the rows' `run_id` column holds.
        now: the frozen moment of `current_date` and `current_timestamp`.

    Raises:
        RowgateError: the records are not there.
        UnusableError: the session's clock is not UTC, or a dataset rule cannot be run.
    """
    require_utc(spark)
    records, rejects, clean = cleared(run, lake)
    read = spark.read.schema(target.records_schema(contract)).parquet(lake.uri_of(records))
    prepared = target.prepared(contract, read, {check: _key_frame(spark, each) for check, each in keys.items()})
    row = target.rejects_row(contract, run_id, now)
    seen = _write_rejects(target.judged(contract, prepared, now), contract, row, lake.uri_of(rejects), total)
    first, violations = zones.count_reasons(lake, rejects)
    counts = Counts(
        total=total,
        accepted=seen["accepted"],
        rejected=zones.count_rows(lake, rejects),
        first=first,
        violations=violations,
        warnings={rule.reason: seen[target.warning(rule)] for rule in contract.rules if not contract.rejects(rule)},
    )
    accepted = _accepted(spark, contract, prepared, lake.uri_of(rejects), now).select(
        *target.clean_row(contract, run_id)
    )
    if len(contract.dataset_rules) > 1:  # each rule, and the write, would judge the records again
        accepted = accepted.persist(StorageLevel.MEMORY_AND_DISK)
    values = _dataset_values(spark, contract, accepted, now) if counts.accepted else {}
    return Judgement(counts, values, partial(_write_clean, accepted, lake, clean, counts.accepted))


def _key_frame(spark: SparkSession, keys: KeyFiles) -> DataFrame:
    # The files are named, so that keys which another run loads meanwhile do not change this run's verdict half-way.
    return spark.read.parquet(*map(keys.lake.uri_of, keys.files)).select(target.quoted(keys.column))


def _write_rejects(judged_rows: DataFrame, contract: Contract, row: list[Column], uri: str, total: int) -> Counter[str]:
    """Write the rejected rows; return what was counted on the way, of all rows."""
    figures = [
        sf.count(sf.lit(1)).alias("total"),
        sf.count_if(sf.col(target.REASONS) == "").alias("accepted"),
        *(_count(target.warning(rule)) for rule in contract.rules if not contract.rejects(rule)),
    ]
    # The observation also keeps Spark from pushing the filter below the rules, which would judge every row twice.
    observation = Observation()
    rejected = judged_rows.observe(observation, *figures).where(sf.col(target.REASONS) != "")
    rejected.select(*row).write.mode("overwrite").parquet(uri)
    seen = observation.get
    if seen["total"] != total:  # a task that was retried counts twice
        seen = judged_rows.agg(*figures).collect()[0].asDict()
    require_total(contract, total, seen["total"])
    return Counter(seen)


def _count(column: str) -> Column:
    return sf.count_if(sf.col(column)).alias(column)


def _accepted(
    spark: SparkSession, contract: Contract, prepared: DataFrame, rejects: str, now: dt.datetime
) -> DataFrame:
    """The rows that would load. Who repeats another row is known from the rejects, which are written by now."""
    passed = prepared.where(target.accepts(contract, now))
    repeats = target.repeat_reasons(contract)
    if not repeats:
        return passed
    written = spark.read.schema("record_number bigint, rejection_reason string").parquet(rejects)
    repeated = written.where(sf.col("rejection_reason").isin(repeats)).select("record_number")
    return passed.join(repeated, "record_number", "left_anti")


def _dataset_values(
    spark: SparkSession, contract: Contract, accepted: DataFrame, now: dt.datetime
) -> dict[str, float | None]:
    if not contract.dataset_rules:
        return {}
    accepted.createOrReplaceTempView(_VIEW)
    try:
        return {rule.name: _dataset_value(spark, contract, rule, now) for rule in contract.dataset_rules}
    finally:
        spark.catalog.dropTempView(_VIEW)


def _dataset_value(spark: SparkSession, contract: Contract, rule: DatasetRule, now: dt.datetime) -> float | None:
    """What a dataset rule returns; None for NULL and for what is no finite number, which no threshold can judge."""
    try:
        rows = spark.sql(frozen(rule.sql.replace("{table}", _VIEW), now)).limit(2).collect()
    except (AnalysisException, ArithmeticException, DateTimeException, NumberFormatException) as error:
        # The query's own fault; whatever else Spark raises may heal.
        raise UnusableError(f"{rule_name(contract, rule)} cannot be run: {reason(error)}.") from error
    return rule_value(contract, rule, rows)


def _write_clean(accepted: DataFrame, lake: Lake, folder: str, expected: int) -> None:
    accepted.write.mode("overwrite").parquet(lake.uri_of(folder))
    accepted.unpersist()
    require_written(lake, folder, expected)
