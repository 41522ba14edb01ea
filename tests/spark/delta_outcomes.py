"""Run statements against Delta tables in a Spark of its own; `test_delta.py` starts it and reads what it prints.

A Spark with Delta's jars cannot share a process with one that has none. Standard input: a JSON list of SQL texts.
Standard output: a JSON list with, for each, what refused it: a constraint's name, the column of a NOT NULL, or
another error's text; null where nothing did.
"""

import json
import re
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from rowgate.stages.spark_session import STACK, configure

REFUSED = re.compile(r"CHECK constraint (\S+) |NOT NULL constraint violated for column: (\S+?)\.\s")


def session(jars: Path, folder: str) -> SparkSession:
    builder = configure(SparkSession.builder.master("local[2]"), local=True)
    settings = {
        "spark.jars": ",".join(map(str, sorted(jars.glob("*.jar")))),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": folder,
        # Tables of a few rows, looked at a few hundred times: what it takes to start a step is all the time there is.
        "spark.driver.defaultJavaOptions": f"-Xss{STACK} -XX:TieredStopAtLevel=1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.databricks.delta.stats.collect": "false",
        "spark.databricks.delta.properties.defaults.checkpointInterval": "1000",
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def outcome(spark: SparkSession, statement: str) -> str | None:
    try:
        spark.sql(statement).collect()
    except Exception as error:  # noqa: BLE001 - Delta's errors come as several kinds, told apart by what they say
        found = REFUSED.search(str(error))
        return next(filter(None, found.groups())).strip("`") if found else str(error)[:1000]
    return None


def main() -> None:
    statements = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        spark = session(Path(sys.argv[1]), folder)
        print(json.dumps([outcome(spark, statement) for statement in statements]))
        spark.stop()


main()
