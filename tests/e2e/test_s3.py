"""The main job with its lake on S3: two connections are changed, and nothing else."""

import json
import os
import runpy
import uuid
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

SERVERS = runpy.run_path(str(Path(__file__).resolve().parents[1] / "servers" / "s3.py"))
missing = runpy.run_path(str(Path(__file__).resolve().parents[1] / "conftest.py"))["missing"]
SAME = ("total", "accepted", "rejected", "accept_rate", "rejected_by_reason", "violations_by_reason", "inserted")


def on_s3(stack, server, bucket: str):
    """The stack with its lake in a bucket, and no keys but the connection's."""
    env = {name: value for name, value in stack.env.items() if not name.startswith("AWS_")}
    more = {"ROWGATE_LAKE": f"s3://{bucket}/lake", "AIRFLOW_CONN_AWS_DEFAULT": server.connection()}
    return replace(stack, env=env | more)


def zone_rows(lake, zone: str) -> list[dict]:
    """The rows of a zone, without what names the run and its time."""
    found = []
    for key in lake.list(f"{zone}/users"):
        if key.endswith(".parquet"):
            with lake.open(key) as file:
                found += pq.read_table(file, partitioning=None).to_pylist()
    apart = ("run_id", "rejected_at")
    return sorted(
        ({name: value for name, value in row.items() if name not in apart} for row in found),
        key=lambda row: row["record_number"],
    )


@pytest.fixture(scope="module", autouse=True)
def jars(project) -> None:
    """What Spark lacks for S3."""
    folder = Path(os.environ.get("ROWGATE_JARS") or project / ".rowgate" / "jars") / "s3"
    if not any(folder.glob("*.jar")):
        missing("s3", "Spark's jars for S3 are not there; run `make jars`")


@pytest.fixture(scope="module")
def bucket(s3_server) -> str:
    return s3_server.bucket()


@pytest.fixture(scope="module")
def run_on_s3(new_stack, s3_server, bucket):
    """The stack and what `rowgate run` did, with the seed of the run whose lake is a folder."""
    stack = on_s3(new_stack(), s3_server, bucket)
    return stack, stack.rowgate("run", "users", "--rows", 400, "--seed", 7)


@pytest.fixture(scope="module")
def lake(s3_server, bucket):
    return s3_server.lake(f"s3://{bucket}/lake")


def test_the_run_is_green(run_on_s3):
    done = run_on_s3[1]
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("zone", ["records", "clean", "rejects"])
def test_a_zone_on_s3_is_row_by_row_what_it_is_in_a_folder(run_on_s3, lake, stack, first_run, zone):
    from rowgate.adapters.lake import open_lake

    assert zone_rows(lake, zone) == zone_rows(open_lake(f"file://{stack.lake}"), zone) != []


def test_the_report_is_what_it_is_in_a_folder(run_on_s3, lake, stack, first_run):
    [key] = lake.list("quality")
    here, there = stack.reports()[0], json.loads(lake.read_bytes(key))
    assert {name: there[name] for name in SAME} == {name: here[name] for name in SAME}


def test_the_summary_says_where_the_zones_are(run_on_s3, bucket):
    assert f"Zones in s3://{bucket}/lake" in run_on_s3[1].stdout


def test_no_data_file_is_copied_and_raw_is_read_once(run_on_s3, s3_server, bucket):
    asked = [line.split(" s3_")[1].split(" ")[:2] for line in s3_server.requests() if f" {bucket} " in line]
    assert [name for name, _ in asked if "Copy" in name] == []
    raw = [name for name, key in asked if name == "GetObject" and key.startswith("lake/raw/") and key.endswith(".csv")]
    assert len(raw) == 1


def test_the_secret_is_in_no_file_that_the_run_left(run_on_s3, s3_server):
    stack, done = run_on_s3
    secret = s3_server.secret.encode()
    left = [file for file in stack.state.rglob("*") if file.is_file() and secret in file.read_bytes()]
    assert left == []
    assert s3_server.secret not in done.stdout + done.stderr


def test_the_whole_job_is_let_through_with_the_pipelines_policy_alone(new_stack, moto_server, project):
    """With the keys of a session, whose token has to come along everywhere."""
    bucket, name = moto_server.bucket(), f"pipeline-{uuid.uuid4().hex[:8]}"
    policy = (project / "infra" / "terraform" / "pipeline-policy.json").read_text(encoding="utf-8")
    trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "sts:AssumeRole"}]}
    iam = moto_server.client("iam")
    role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    iam.put_role_policy(
        RoleName=name,
        PolicyName="pipeline",
        PolicyDocument=policy.replace("${bucket_arn}", f"arn:aws:s3:::{bucket}"),
    )
    keys = moto_server.client("sts").assume_role(RoleArn=role, RoleSessionName="pipeline")["Credentials"]
    server = replace(moto_server, key=keys["AccessKeyId"], secret=keys["SecretAccessKey"])
    connection = server.connection(aws_session_token=keys["SessionToken"])
    stack = on_s3(new_stack(), server, bucket)
    stack = stack.having(ROWGATE_LAKE=f"s3://{bucket}", AIRFLOW_CONN_AWS_DEFAULT=connection)
    with SERVERS["enforcing"](moto_server):
        done = stack.rowgate("run", "users", "--rows", 100)
    assert done.returncode == 0, done.stdout + done.stderr
