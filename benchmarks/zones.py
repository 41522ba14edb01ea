"""From a raw CSV file to the zones: rowgate beside a bare copy and beside the way this is usually written.

All three run in one Spark session, in turn, in pairs with the bare copy; the table holds medians and their ratios.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from rowgate.adapters.lake import open_lake
from rowgate.contract import catalog
from rowgate.embedded.java import java_home
from rowgate.stages.generate import write_users
from rowgate.stages.ingest import ingest, open_source
from rowgate.stages.run import Run
from rowgate.stages.spark_session import configure
from rowgate.stages.transform import transform

PROJECT = Path(__file__).parents[1]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def read_csv(spark: SparkSession, file: Path) -> DataFrame:
    """The file as Spark reads it; multiLine, since fields hold newlines."""
    return spark.read.csv(str(file), header=True, multiLine=True, escape='"')


def bare_copy(spark: SparkSession, file: Path, out: Path) -> None:
    """CSV to Parquet, judging nothing."""
    read_csv(spark, file).write.parquet(str(out / "copy"))


def usual_way(spark: SparkSession, file: Path, out: Path) -> None:
    """Cache, judge, count, group by reason, write both halves as single CSV files."""
    reason = (
        f.when(f.trim("name") == "", "invalid_name")
        .when(~f.col("email").rlike(r"^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$"), "invalid_email")
        .when(~f.col("phone").rlike(r"^69\d{8}$"), "invalid_phone")
        .when(~f.col("zip_code").rlike(r"^\d{5}$"), "invalid_zip_code")
        .when(~f.expr("coalesce(try_cast(age AS int) BETWEEN 18 AND 99, false)"), "invalid_age")
        .when(f.trim("city") == "", "invalid_city")
    )
    judged = read_csv(spark, file).withColumn("reason", reason).cache()
    judged.count()
    good, bad = judged.filter("reason IS NULL"), judged.filter("reason IS NOT NULL")
    good.count()
    bad.groupBy("reason").count().collect()
    key = f.md5(f.concat_ws("||", "name", "email", "phone"))
    good.withColumn("user_id", key).coalesce(1).write.csv(str(out / "clean"), header=True)
    bad.coalesce(1).write.csv(str(out / "rejects"), header=True)
    judged.unpersist()


def rowgate(spark: SparkSession, file: Path, out: Path) -> None:
    """The reader and the transform, into a lake."""
    contract = catalog.find("users", PROJECT / "contracts")
    lake, run = open_lake(f"file://{out}"), Run("users", "bench", NOW)
    ingest(contract, run, open_source(str(file)), lake)
    transform(spark, contract, run, lake, now=NOW, clock=lambda: datetime.now(UTC))


def timed(work: Callable[[SparkSession, Path, Path], None], spark: SparkSession, file: Path, folder: Path) -> float:
    """Seconds of one run in a folder of its own, which is gone afterwards."""
    out = folder / "out"
    out.mkdir()
    start = time.perf_counter()
    work(spark, file, out)
    taken = time.perf_counter() - start
    shutil.rmtree(out)
    return taken


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--pairs", type=int, default=5)
    args = parser.parse_args()
    os.environ["JAVA_HOME"] = str(java_home(PROJECT / ".rowgate", os.environ))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = configure(SparkSession.builder.master("local[*]").appName("bench"), local=True).getOrCreate()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "users.csv"
        with file.open("wb") as out:
            write_users(out, rows=args.rows, seed=1)
        ways = {"bare copy": bare_copy, "usual way": usual_way, "rowgate": rowgate}
        for work in ways.values():  # the first of each warms Spark's compiler up and is not counted
            timed(work, spark, file, folder)
        times: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(args.pairs):
            for way, work in ways.items():
                times[way].append(timed(work, spark, file, folder))
        print(f"{args.rows:,} rows, {file.stat().st_size / 1e6:.0f} MB, medians of {args.pairs}")
    base = median(times["bare copy"])
    print(f"{'':<12}{'seconds':>9}{'x bare copy':>13}")
    for way, taken in times.items():
        print(f"{way:<12}{median(taken):>9.1f}{median(taken) / base:>13.2f}")
    spark.stop()


if __name__ == "__main__":
    main()
