"""The main job on S3 and on a Spark cluster: two connections are changed, and no key shows in what Airflow keeps."""

import json
import re
import runpy
import subprocess
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

ON_S3 = runpy.run_path(str(Path(__file__).with_name("test_s3.py")))
CONF = "spark.executor.memory 512m\nspark.eventLog.enabled true\nspark.eventLog.compress false\nspark.eventLog.dir {}\n"


@pytest.fixture(scope="module")
def bucket(s3_server) -> str:
    return s3_server.bucket()


@pytest.fixture(scope="module")
def lines() -> set[str]:
    """The command lines that were seen while it ran."""
    return set()


@pytest.fixture(scope="module")
def run_on_cluster(new_stack, s3_server, spark_cluster, bucket, lines, project, tmp_path_factory):
    if not any((project / ".rowgate" / "jars" / "s3").glob("*.jar")):
        runpy.run_path(str(project / "tests" / "conftest.py"))["missing"]("s3", "run `make jars`")
    conf = tmp_path_factory.mktemp("conf")
    (conf / "events").mkdir()
    (conf / "spark-defaults.conf").write_text(CONF.format((conf / "events").as_uri()))
    host, port = spark_cluster.master.rsplit(":", 1)
    stack = ON_S3["on_s3"](new_stack(), s3_server, bucket).having(
        AIRFLOW_CONN_SPARK_DEFAULT=json.dumps({"conn_type": "spark", "host": host, "port": int(port)}),
        SPARK_CONF_DIR=str(conf),
    )
    with stack.start("run", "users", "--rows", 400, "--seed", 7) as process:
        while process.poll() is None:
            lines |= {" ".join(each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"])}
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
        out, err = process.communicate()
    assert process.returncode == 0, out + err
    return stack, out + err, conf


def test_the_zones_and_the_warehouse_are_those_of_a_laptop(run_on_cluster, s3_server, bucket, stack, first_run):
    from rowgate.adapters.lake import open_lake

    lake, here = s3_server.lake(f"s3://{bucket}/lake"), open_lake(f"file://{stack.lake}")
    for zone in ("clean", "rejects"):
        assert ON_S3["zone_rows"](lake, zone) == ON_S3["zone_rows"](here, zone) != []
    query = "SELECT user_id, age FROM warehouse.users ORDER BY 1"
    assert run_on_cluster[0].sql(query) == stack.sql(query) != []


def test_executors_of_the_cluster_did_the_work(run_on_cluster, lines):
    assert any("CoarseGrainedExecutorBackend" in line and "worker-" not in line.split()[0] for line in lines)


@pytest.mark.parametrize("what", ["command lines", "output", "state", "event log"])
def test_no_key_shows(run_on_cluster, lines, s3_server, what):
    """`state` is what Airflow keeps (rendered fields and XComs in its database), and every log."""
    stack, said, conf = run_on_cluster
    texts = {
        "command lines": lines,
        "output": [said],
        "state": [file.read_bytes().decode("latin-1") for file in stack.state.rglob("*") if file.is_file()],
        "event log": [file.read_text() for file in (conf / "events").rglob("*") if file.is_file()],
    }[what]
    core = re.split(r"\s", s3_server.secret)[-1]  # its last part, which no escaping changes
    assert len(core) >= 12
    assert texts
    assert not [text[:200] for text in texts if core in text or s3_server.key in text]
