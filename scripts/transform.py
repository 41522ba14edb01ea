"""What spark-submit runs: judge the records of one run and write its zones and its report.

A run that the contract stops ends with exit status 0: the report in the lake says so. Exit status 3 is for what no
retry can heal, 1 for everything else that failed.
"""

import argparse
import os
import sys
import traceback
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

UNUSABLE = 3


def main() -> int:
    """Judge, and tell what went wrong in one sentence on standard error."""
    arguments = _arguments()
    # spark-submit runs this file by path, with no project installed on a bare cluster's driver.
    sys.path.insert(0, str(arguments.project / "src"))
    from rowgate.errors import RowgateError, UnusableError  # noqa: PLC0415 - found on the path above
    from rowgate.stages.spark_session import reason  # noqa: PLC0415 - the same

    try:
        _transform(arguments)
    except RowgateError as error:
        print(f"rowgate: {error}", file=sys.stderr)
        return UNUSABLE if isinstance(error, UnusableError) else 1
    except Exception as error:  # noqa: BLE001 - whatever Spark raises; its message can quote a row, so only frames are shown
        traceback.print_tb(error.__traceback__)
        print(f"rowgate: Spark failed: {reason(error)}; see the log.", file=sys.stderr)
        return 1
    return 0


def _transform(arguments: argparse.Namespace) -> None:
    from pyspark import SparkConf, SparkContext  # noqa: PLC0415 - takes most of a second
    from pyspark.sql import SparkSession  # noqa: PLC0415 - the same

    from rowgate.adapters.lake import open_lake  # noqa: PLC0415 - found on the path that `main` set
    from rowgate.contract.catalog import find  # noqa: PLC0415 - the same
    from rowgate.stages.run import Run  # noqa: PLC0415 - the same
    from rowgate.stages.spark_session import configure, require_s3  # noqa: PLC0415 - the same
    from rowgate.stages.transform import transform  # noqa: PLC0415 - the same

    contract = find(arguments.contract, arguments.project / "contracts")
    run = Run(contract.name, arguments.run_id, arguments.run_after)
    lake = open_lake(arguments.lake)
    on_s3 = lake.uri.startswith("s3://")
    SparkContext._ensure_initialized()  # noqa: SLF001 - without it SparkConf does not see what spark-submit was told
    told = SparkConf()
    local = told.get("spark.master", "local[*]").startswith("local")
    builder = configure(SparkSession.builder.appName(f"rowgate {contract.name}"), local=local)
    with ExitStack() as stack:
        if on_s3:
            for name, value in _s3(arguments, told, local=local, stack=stack).items():
                builder = builder.config(name, value)
        spark = builder.getOrCreate()
        stack.callback(spark.stop)
        if on_s3:
            require_s3(spark)
        report = transform(
            spark, contract, run, lake, now=arguments.now, source=arguments.source, clock=lambda: datetime.now(UTC)
        )
    print(report.to_json())


def _s3(arguments: argparse.Namespace, told: Any, *, local: bool, stack: ExitStack) -> dict[str, str]:  # noqa: ANN401 - a SparkConf
    """The settings for a lake on S3. Executors elsewhere are sent the jars that this process has on its class path."""
    from rowgate.stages.spark_s3 import PROVIDER, s3_jars, s3_settings  # noqa: PLC0415 - found on the path that `main` set

    settings = s3_settings(os.environ, told.get("spark.redaction.regex", None))
    if told.contains(PROVIDER):
        settings.pop(PROVIDER, None)
    if local:
        # What waits to be uploaded is personal data; the default is a folder that every user can enter.
        settings["spark.hadoop.fs.s3a.buffer.dir"] = stack.enter_context(TemporaryDirectory(prefix="rowgate-"))
    elif jars := s3_jars(arguments.jars):
        settings["spark.jars"] = ",".join([*filter(None, [told.get("spark.jars", "")]), *jars])
    return settings


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--project", type=Path, required=True, help="the folder that holds contracts/ and src/")
    parser.add_argument("--contract", required=True, help="a name in contracts/, or a path")
    parser.add_argument("--lake", required=True, help="the lake's URI")
    parser.add_argument("--run-id", required=True)
    parser.add_argument("--run-after", type=_moment, required=True, help="the moment the run belongs to, ISO 8601")
    parser.add_argument("--now", type=_moment, default=None, help="the frozen clock, ISO 8601; the start if left out")
    parser.add_argument("--jars", type=Path, help="the folder of S3's jars, for executors on other machines")
    parser.add_argument("--source", help="what the report calls the file; what the manifest calls it if left out")
    arguments = parser.parse_args()
    arguments.now = arguments.now or datetime.now(UTC)
    return arguments


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


if __name__ == "__main__":
    sys.exit(main())
