"""The Spark session that a contract is judged in, and how its failures are told."""

import os
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rowgate.errors import RowgateError, UnusableError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_CONDITION = re.compile(r"^\[([A-Z0-9_.]+)\]")  # https://spark.apache.org/docs/latest/sql-error-conditions.html

ZONE = "spark.sql.session.timeZone"

STACK = "64m"
"""Java's regular expressions recurse for every turn of a repeated group: with the usual 1 MB of stack, a value of 5,000
characters ends the whole process. This takes 100,000; only what is used of it becomes memory."""

SEMANTICS = {
    ZONE: "UTC",
    "spark.sql.ansi.enabled": "true",
    # Arithmetic on decimals keeps its decimals: what does not fit in 38 digits is NULL, never rounded.
    "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Days and moments before 1582 mean what ISO 8601 says, in files too.
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.hadoop.parquet.summary.metadata.level": "NONE",
    "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "true",
    "spark.executor.defaultJavaOptions": f"-Xss{STACK}",
    # At ERROR Spark logs what a task failed at, with the row's value; `reason` tells the rest.
    "spark.log.level": "FATAL",
    "spark.executor.syncLogLevel.enabled": "true",
}
"""What the verdicts and the zones depend on, whatever the cluster's own settings are."""

LOCAL = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "16",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.defaultJavaOptions": f"-Xss{STACK}",
}
"""What suits one machine: no web page, no port clash, few small tasks.

The stack is heeded only where this process starts Java itself; spark-submit must be told on its command line.
"""


_QUOTING = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
"""PySpark's loggers that print an error with the value it failed at, before anybody can catch it."""

_S3 = ("org.apache.hadoop.fs.s3a.S3AFileSystem", "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol")


def configure(builder: "SparkSession.Builder", *, local: bool) -> "SparkSession.Builder":
    """Give a session's builder what the contract needs; `local` adds what suits one machine."""
    from pyspark.logger import PySparkLogger  # noqa: PLC0415 - takes most of a second

    for name in _QUOTING:
        PySparkLogger.getLogger(name).disabled = True
    for name, value in (SEMANTICS | LOCAL if local else SEMANTICS).items():
        builder = builder.config(name, value)
    return builder


def require_utc(spark: "SparkSession") -> None:
    """See that a session's clock is UTC, since texts without an offset are.

    Raises:
        UnusableError: it is not.
    """
    zone = spark.conf.get(ZONE)
    if zone != "UTC":
        raise UnusableError(f"The Spark session's time zone is {zone}; set {ZONE} to UTC.")


def require_s3(spark: "SparkSession") -> None:
    """See that Spark can read S3 and commit what it writes there.

    Raises:
        UnusableError: it lacks the jars.
    """
    java = spark.sparkContext._jvm  # noqa: SLF001 - PySpark shows its Java in no other way
    for name in _S3:
        try:
            java.Thread.currentThread().getContextClassLoader().loadClass(name)
        except Exception as error:
            raise UnusableError(
                f"Spark has no {name.rsplit('.', 1)[-1]}, so it cannot use a lake on S3: run `make jars`, or give this "
                "Spark hadoop-aws and spark-hadoop-cloud."
            ) from error


@contextmanager
def local_session(log: Path, master: str = "local[*]", scratch: Path | None = None) -> "Iterator[SparkSession]":
    """A session in this process and its Java; what they would print to the terminal goes to `log`.

    Args:
        log: a file that is added to.
        master: where Spark runs.
        scratch: where Spark spills; the system's folder for temporary files if left out.

    Raises:
        RowgateError: Spark does not start.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415 - takes most of a second

    log.parent.mkdir(parents=True, exist_ok=True)
    builder = configure(SparkSession.builder.appName("rowgate").master(master), local=True)
    if scratch is not None:
        builder = builder.config("spark.local.dir", str(scratch))
    with _standard_error_to(log):
        try:
            spark = builder.getOrCreate()
        except Exception as error:
            raise RowgateError(f"Spark did not start: {reason(error)}; see {shlex.quote(str(log))}.") from error
    try:
        yield spark
    finally:
        with _standard_error_to(log):
            spark.stop()


def reason(error: BaseException) -> str:
    """Why Spark failed, in a few words that hold no row's value.

    Spark's own messages quote the value that they failed at, so only the name of the error is told; what comes from the
    file system names a path, and so does a query that cannot be understood name what it asks for.
    """
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]  # noqa: PLC0415 - comes with pyspark
    from pyspark.errors import AnalysisException, PySparkException  # noqa: PLC0415 - takes most of a second

    if isinstance(error, Py4JJavaError):
        return _java_reason(error)
    if isinstance(error, PySparkException):
        condition = error.getCondition()
        text = str(error).splitlines()[0] if isinstance(error, AnalysisException) else ""
        return text.rstrip(".") or condition or type(error).__name__
    if isinstance(error, OSError):
        return f"{type(error).__name__}: {error.strerror or ''}".rstrip(": ")
    return type(error).__name__


def _java_reason(error: Any) -> str:  # noqa: ANN401 - a Py4JJavaError, whose package is imported where it is needed
    """The last cause, which is the first thing that went wrong, and Spark's name for it where it has one."""
    cause, conditions = error.java_exception, list[str]()
    for _ in range(20):  # a chain that bites its tail must end
        conditions += _CONDITION.findall(cause.getMessage() or "")
        if cause.getCause() is None:
            break
        cause = cause.getCause()
    name, message = cause.getClass().getName(), cause.getMessage() or ""
    told = name.startswith(("java.io.", "java.nio.", "org.apache.hadoop.fs.", "java.net."))
    short = name.rsplit(".", 1)[-1]
    parts = [*conditions[-1:], f"{short}: {message.splitlines()[0]}".rstrip(".") if told and message else short]
    return ", ".join(parts)


@contextmanager
def _standard_error_to(log: Path) -> Iterator[None]:
    """Send this process's standard error, and that of children started meanwhile, to a file."""
    kept = os.dup(2)
    try:
        file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.dup2(file, 2)
        finally:
            os.close(file)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
