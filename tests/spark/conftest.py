"""Spark as Airflow's task starts it, on a lake in a local S3 server."""

import io
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

missing = runpy.run_path(str(Path(__file__).parents[1] / "conftest.py"))["missing"]

ROWS = 6_000
RUN_ID = "by hand: 1+0"


@dataclass(frozen=True)
class Spark:
    """What starts spark-submit on the project's script."""

    project: Path
    env: dict[str, str]
    jars: Path

    def start(
        self,
        lake: Any,
        *,
        env: dict[str, str],
        master: str = "local[2]",
        conf: dict[str, Any] | None = None,
        with_jars: bool = True,
    ) -> "subprocess.Popen[str]":
        """Begin to judge the run `RUN_ID` of a lake; whoever begins it ends it."""
        given = {"spark.driver.defaultJavaOptions": "-Xss64m", **SPLIT, **(conf or {})}
        command = [
            str(Path(sys.prefix) / "bin" / "spark-submit"),
            *("--master", master),
            *(("--driver-class-path", ":".join(sorted(map(str, self.jars.glob("*.jar"))))) if with_jars else ()),
            *(word for name, value in given.items() for word in ("--conf", f"{name}={value}")),
            str(self.project / "scripts" / "transform.py"),
            f"--project={self.project}",
            f"--lake={lake.uri}",
            f"--run-id={RUN_ID}",
            f"--jars={self.jars}",
            *("--contract=users", "--run-after=2026-03-01", "--now=2026-03-01"),
        ]
        return subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.env | env,
            start_new_session=True,  # so that one signal ends the launcher, its Java and its Python
        )

    def run(self, lake: Any, **given: Any) -> "subprocess.CompletedProcess[str]":
        """Judge the run `RUN_ID` of a lake."""
        with self.start(lake, **given) as process:
            out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


SPLIT = {"spark.sql.files.maxPartitionBytes": 70_000, "spark.sql.files.openCostInBytes": 1}
"""With which the records of `laid` are the work of several tasks."""


@pytest.fixture(scope="session")
def spark_submit(project, tmp_path_factory) -> Spark:
    from rowgate.embedded.java import java_home
    from rowgate.errors import RowgateError

    jars = project / ".rowgate" / "jars" / "s3"
    if not any(jars.glob("*.jar")):
        missing("s3", "Spark's jars for S3 are not there; run `make jars`")
    try:
        home = java_home(tmp_path_factory.mktemp("java"), os.environ)
    except RowgateError as error:
        missing("spark", str(error))
    import pyspark

    env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SPARK_", "PYSPARK_"))}
    env |= {
        "JAVA_HOME": str(home),
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    return Spark(project, env, jars)


@pytest.fixture(scope="session")
def users(project) -> Any:
    from rowgate.contract.catalog import find

    return find("users", project / "contracts")


@pytest.fixture(scope="session")
def run() -> Any:
    from rowgate.stages.run import Run

    return Run("users", RUN_ID, datetime(2026, 3, 1, tzinfo=UTC))


@pytest.fixture(scope="session")
def laid(users, run) -> Callable[[Any], Any]:
    """Lay the same made-up users into a lake, as records that several tasks can share; return the lake."""
    from rowgate.stages.generate import write_users
    from rowgate.stages.ingest import Source, ingest

    made = io.BytesIO()
    write_users(made, rows=ROWS, seed=7)

    def lay(lake: Any) -> Any:
        ingest(users, run, Source("made up", lambda: io.BytesIO(made.getvalue())), lake)
        (key,) = (key for key in lake.list(run.folder("records")) if key.endswith(".parquet"))
        with lake.open(key) as file:
            records = pq.read_table(file)
        with lake.create(key) as file:
            pq.write_table(records, file, row_group_size=ROWS // 6)
        return lake

    return lay


@pytest.fixture(scope="session")
def rows(run) -> Callable[[Any, str], list[dict]]:
    """The rows of a zone, by record number."""
    from rowgate.stages.zones import parquet_files

    def read(lake: Any, zone: str) -> list[dict]:
        found = []
        for key in parquet_files(lake, run.folder(zone)):
            with lake.open(key) as file:
                found += pq.read_table(file).to_pylist()
        return sorted(found, key=lambda row: row["record_number"])

    return read


@pytest.fixture(scope="session")
def in_a_folder(spark, laid, users, run, tmp_path_factory) -> Any:
    """The lake of the same users in a folder, judged by a Spark of this machine."""
    from rowgate.adapters.lake import open_lake
    from rowgate.stages.transform import transform

    lake = laid(open_lake(f"file://{tmp_path_factory.mktemp('folder')}/lake"))
    transform(spark, users, run, lake, now=run.run_after)
    return lake
