"""A cache of Spark's classes, loaded and linked, with which Spark starts in half the time.

Java 25 and newer make one from a training run (JEP 483 and 514). It belongs to one Java and one set of jars, so it
lies in the environment that holds the jars; a Java that finds another set ignores it.
"""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version as package_version
from pathlib import Path

from rowgate.embedded.java import version, version_text

FIRST = 25  # the first Java with -XX:AOTCacheOutput
PATIENCE = 180.0  # seconds
QUIET = "-Xlog:disable"  # else a cache that does not fit is remarked upon in the middle of Spark's output

# What a run does in small: read, judge with built-in functions, group, sort, write.
PROGRAM = """
import sys
from pyspark.sql import SparkSession, functions as f
spark = SparkSession.builder.getOrCreate()
made = spark.range(500).select("id", f.concat_ws("|", f.md5(f.col("id").cast("string")), f.lit("a")).alias("text"))
made.write.parquet(sys.argv[1] + "/a")
read = spark.read.parquet(sys.argv[1] + "/a")
judged = read.withColumn("n", f.expr("try_cast(substring(text, 1, 2) as int)")).withColumn(
    "reasons",
    f.split(f.concat_ws(",", f.when(~f.col("text").rlike("^[0-9]+"), "x"), f.when(f.col("n") > 9, "y")), ","),
)
judged.sort("id").write.partitionBy("n").parquet(sys.argv[1] + "/b")
judged.groupBy("reasons").count().collect()
spark.stop()
"""


def java_options(home: Path) -> str:
    """The options that make `home`'s Java use the cache, in the form of `SPARK_SUBMIT_OPTS`; empty without a cache."""
    cache = _cache(home)
    return f"{shlex.quote(f'-XX:AOTCache={cache}')} {QUIET}" if cache.is_file() else ""


@dataclass(frozen=True)
class Training:
    """A training run at work."""

    process: subprocess.Popen[bytes]
    made: Path
    cache: Path
    scratch: tempfile.TemporaryDirectory[str]

    def finish(self) -> bool:
        """Wait for the run; whether there is now a cache."""
        try:
            done = self.process.wait(PATIENCE) == 0 and self.made.is_file()
        except subprocess.TimeoutExpired:
            done = False
        if done:
            self.made.replace(self.cache)
        self.abandon()
        return done

    def abandon(self) -> None:
        """End the run and whatever it has left."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for rest in self.cache.parent.glob(f"{self.made.name}*"):
            rest.unlink()
        self.scratch.cleanup()


def start_training(home: Path, environ: Mapping[str, str], log: Path) -> Training | None:
    """Start making the cache; None where there is one, or where this Java or this folder cannot have one.

    Args:
        home: The Java, as `java_home` returned it.
        environ: The environment of a run.
        log: The file for what the training run says.
    """
    cache = _cache(home)
    if cache.is_file() or version(home) < FIRST or not os.access(sys.prefix, os.W_OK):
        return None
    cache.parent.mkdir(exist_ok=True)
    made = cache.with_name(f"{cache.name}.{os.getpid()}")
    scratch = tempfile.TemporaryDirectory(prefix="rowgate-")
    program = Path(scratch.name) / "train.py"
    program.write_text(PROGRAM, encoding="utf-8")
    options = {"SPARK_SUBMIT_OPTS": f"{shlex.quote(f'-XX:AOTCacheOutput={made}')} {QUIET}"}
    command: list[str | Path] = [
        *("spark-submit", "--master", "local[1]", "--conf", "spark.ui.enabled=false"),
        *(program, scratch.name),
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env={**environ, **options},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    return Training(process, made, cache, scratch)


def _cache(home: Path) -> Path:
    return Path(sys.prefix) / "cache" / f"spark-{package_version('pyspark')}-java-{version_text(home)}.aot"
