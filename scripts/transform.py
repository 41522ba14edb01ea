"""What spark-submit runs: judge the records of one run and write its zones and its report.

A run that the contract stops ends with exit status 0: the report in the lake says so. Exit status 3 is for what no
retry can heal, 1 for everything else that failed.
"""

import argparse
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

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
    from rowgate.stages.spark_session import configure  # noqa: PLC0415 - the same
    from rowgate.stages.transform import transform  # noqa: PLC0415 - the same

    contract = find(arguments.contract, arguments.project / "contracts")
    run = Run(contract.name, arguments.run_id, arguments.run_after)
    lake = open_lake(arguments.lake)
    SparkContext._ensure_initialized()  # noqa: SLF001 - without it SparkConf does not see what spark-submit was told
    local = SparkConf().get("spark.master", "local[*]").startswith("local")
    spark = configure(SparkSession.builder.appName(f"rowgate {contract.name}"), local=local).getOrCreate()
    try:
        report = transform(
            spark, contract, run, lake, now=arguments.now, source=arguments.source, clock=lambda: datetime.now(UTC)
        )
    finally:
        spark.stop()
    print(report.to_json())


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--project", type=Path, required=True, help="the folder that holds contracts/ and src/")
    parser.add_argument("--contract", required=True, help="a name in contracts/, or a path")
    parser.add_argument("--lake", required=True, help="the lake's URI")
    parser.add_argument("--run-id", required=True)
    parser.add_argument("--run-after", type=_moment, required=True, help="the moment the run belongs to, ISO 8601")
    parser.add_argument("--now", type=_moment, default=None, help="the frozen clock, ISO 8601; the start if left out")
    parser.add_argument("--source", help="what the report calls the file; what the manifest calls it if left out")
    arguments = parser.parse_args()
    arguments.now = arguments.now or datetime.now(UTC)
    return arguments


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


if __name__ == "__main__":
    sys.exit(main())
