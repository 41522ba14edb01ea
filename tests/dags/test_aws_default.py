"""The connection `aws_default`, as the tasks resolve it: keys, tokens, an endpoint, and no secret in a log."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MARKED = """ma/rk+ed%41"'\\ key"""
NOBODY = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION")
ASKED = """
import json, sys
sys.path.insert(0, sys.argv[1])
from etl_factory.work import aws, settings, Work
found = aws(Work(None, None, {}, settings(), {}))
print("FOUND", json.dumps(found.environment()))
"""
STORED = """
import sys
sys.path.insert(0, sys.argv[1])
from etl_factory.work import lake_of, settings
lake_of(settings()).write_bytes("raw/a", b"x")
print("STORED", lake_of(settings()).list("raw"))
"""


@pytest.fixture
def in_dags(environment, project):
    """Runs Python where the DAG files are read, with a connection and a lake; what it printed, and all that it said."""

    def run(code: str, connection: dict, lake: str = "s3://a-bucket", **more: str) -> "subprocess.CompletedProcess":
        env = {name: value for name, value in environment.items() if name not in NOBODY}
        env |= {"AIRFLOW_CONN_AWS_DEFAULT": json.dumps(connection), "ROWGATE_LAKE": lake}
        env |= {"AWS_EC2_METADATA_DISABLED": "true", "AIRFLOW__LOGGING__LOGGING_LEVEL": "DEBUG", **more}
        command = [sys.executable, "-c", code, str(Path(project) / "dags")]
        return subprocess.run(command, capture_output=True, text=True, env=env, check=False)

    return run


def found(done: "subprocess.CompletedProcess") -> dict[str, str]:
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.split("FOUND ")[1].splitlines()[0])


def test_keys_a_token_a_region_and_an_endpoint_reach_a_child_process_as_they_are(in_dags):
    extra = {"aws_session_token": f"{MARKED}=token", "region_name": "eu-west-3", "endpoint_url": "http://127.0.0.1:9"}
    done = in_dags(ASKED, {"conn_type": "aws", "login": "AKIAMARKED", "password": MARKED, "extra": extra})
    assert found(done) == {
        "AWS_ACCESS_KEY_ID": "AKIAMARKED",
        "AWS_SECRET_ACCESS_KEY": MARKED,
        "AWS_SESSION_TOKEN": f"{MARKED}=token",
        "AWS_SECURITY_TOKEN": "",
        "AWS_REGION": "eu-west-3",
        "AWS_DEFAULT_REGION": "eu-west-3",
        "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9",
    }
    assert MARKED not in done.stderr


def test_a_connection_without_keys_leaves_them_to_the_environment_or_the_machines_role(in_dags):
    assert found(in_dags(ASKED, {"conn_type": "aws", "extra": {"region_name": "eu-west-3"}})) == {
        "AWS_REGION": "eu-west-3",
        "AWS_DEFAULT_REGION": "eu-west-3",
    }


def test_a_lake_in_a_folder_needs_no_connection(in_dags, tmp_path):
    done = in_dags(ASKED, {"conn_type": "aws", "extra": {"role_arn": "x"}}, f"file://{tmp_path}")
    assert found(done) == {}


def test_a_task_reaches_the_lake_with_the_keys_of_the_connection_alone(in_dags, s3_server):
    bucket = s3_server.bucket()
    done = in_dags(STORED, json.loads(s3_server.connection()), f"s3://{bucket}")
    assert "STORED ['raw/a']" in done.stdout, done.stderr[-2000:]
    assert s3_server.names(bucket) == ["raw/a"]
    assert s3_server.secret not in done.stderr + done.stdout


def test_a_connection_that_no_session_can_be_made_of_is_one_sentence(in_dags):
    done = in_dags(STORED, {"conn_type": "aws", "extra": {"profile_name": "nobody-of-this-name"}})
    assert "UnusableError: AWS cannot be reached: nothing says whose keys to use" in done.stderr
