"""What the transform's task hands to spark-submit, and how: keys as an environment, made when it executes."""

import json
import os
import subprocess
import sys

import pytest

SECRET = """ma/rk+ed%41"' key"""  # noqa: S105 - nobody has it
RECORDS = """#!{python}
import json, os, sys
json.dump({{"arguments": sys.argv[1:], "environment": dict(os.environ)}}, open(os.environ["RECORD"], "w"))
"""
SUBMITS = """
import sys
from datetime import UTC, datetime
sys.path.insert(0, sys.argv[1])
from etl_factory.submit import TransformOperator
from etl_factory.work import Work, settings
from rowgate.stages.run import Run
run = Run("users", "by hand", datetime(2026, 3, 1, tzinfo=UTC))
operator = TransformOperator(contract_name="users", task_id="transform")
operator._submit(Work(None, run, {}, settings(), {}), {})
print("FIELDS", {name: getattr(operator, name) for name in operator.template_fields})
"""


@pytest.fixture
def submitted(environment, project, tmp_path):
    """Runs the task's part that starts spark-submit, with a program in its place that keeps what it was given."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "spark-submit").write_text(RECORDS.format(python=sys.executable))
    (programs / "spark-submit").chmod(0o755)

    def run(*, lake="s3://a-bucket", master="local[*]", jars=("b.jar", "a.jar"), **more):
        folder = tmp_path / "jars" / "s3"
        folder.mkdir(parents=True)
        for name in jars:
            (folder / name).touch()
        extra = {
            "region_name": "eu-west-3",
            "endpoint_url": "http://127.0.0.1:9",
            "aws_session_token": f"{SECRET}token",
        }
        aws = {"conn_type": "aws", "login": "AKIAMARKED", "password": SECRET, "extra": extra}
        env = environment | {
            "AIRFLOW_CONN_AWS_DEFAULT": json.dumps(aws),
            "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": master}),
            "PATH": f"{programs}{os.pathsep}{environment['PATH']}",
            "RECORD": str(tmp_path / "record.json"),
            "ROWGATE_JARS": str(tmp_path / "jars"),
            "ROWGATE_LAKE": lake,
            **more,
        }
        command = [sys.executable, "-c", SUBMITS, str(project / "dags")]
        done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        return json.loads((tmp_path / "record.json").read_text()) | {
            "said": done.stdout + done.stderr,
            "folder": folder,
        }

    return run


def test_keys_are_in_the_environment_of_spark_submit_and_nowhere_else(submitted):
    given = submitted()
    wanted = {
        "AWS_ACCESS_KEY_ID": "AKIAMARKED",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_SESSION_TOKEN": f"{SECRET}token",
        "AWS_REGION": "eu-west-3",
        "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9",
    }
    assert {name: given["environment"].get(name) for name in wanted} == wanted
    for text in (str(given["arguments"]), given["said"]):
        assert "AKIAMARKED" not in text
        assert SECRET not in text
        assert json.dumps(SECRET)[1:-1] not in text


def test_a_lake_on_s3_puts_the_jars_on_the_drivers_class_path_and_names_their_folder(submitted):
    given = submitted()
    at = given["arguments"].index("--driver-class-path")
    assert given["arguments"][at + 1] == f"{given['folder']}/a.jar:{given['folder']}/b.jar"
    assert f"--jars={given['folder']}" in given["arguments"]


@pytest.mark.parametrize(("lake", "jars"), [("s3://a-bucket", ()), ("file:///a/lake", ("a.jar",))])
def test_a_spark_with_jars_of_its_own_and_a_lake_in_a_folder_get_none(submitted, lake, jars):
    assert ".jar" not in str(submitted(lake=lake, jars=jars)["arguments"])


@pytest.mark.parametrize(("master", "kept"), [("local[*]", "127.0.0.1"), ("spark://10.0.0.1:7077", None)])
def test_a_driver_that_executors_elsewhere_call_does_not_hide_on_loopback(submitted, master, kept):
    assert submitted(master=master, SPARK_LOCAL_IP="127.0.0.1")["environment"].get("SPARK_LOCAL_IP") == kept
