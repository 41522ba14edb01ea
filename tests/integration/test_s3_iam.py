"""The pipeline's IAM policy, enforced by a server: it is enough for every stage, and for nothing else."""

import io
import json
import runpy
import uuid
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rowgate.adapters.aws import Aws
from rowgate.adapters.lake import open_lake
from rowgate.adapters.s3_streams import PART
from rowgate.contract import catalog
from rowgate.errors import UnusableError
from rowgate.stages.evidence import keep_report
from rowgate.stages.freshness import last_good_run
from rowgate.stages.generate import write_users
from rowgate.stages.ingest import ingest, next_landing, open_source
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.load import load
from rowgate.stages.run import Run

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SERVERS = runpy.run_path(str(Path(__file__).resolve().parents[1] / "servers" / "s3.py"))


@pytest.fixture(scope="module")
def policy(project) -> str:
    return (project / "infra" / "terraform" / "pipeline-policy.json").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pipeline(moto_server, policy):
    """The server for a user who has the pipeline's policy and nothing else, the bucket, and the keys of such a role."""
    bucket = moto_server.bucket()
    moto_server.s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for key in ("raw/a", "quality/a", "keys/a", "clean/a"):
        moto_server.s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    landed = io.BytesIO()
    write_users(landed, rows=500, seed=5)
    moto_server.s3.put_object(Bucket=bucket, Key="landing/users/in.csv", Body=landed.getvalue())
    iam, name = moto_server.client("iam"), f"pipeline-{uuid.uuid4().hex[:8]}"
    document = policy.replace("${bucket_arn}", f"arn:aws:s3:::{bucket}")
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName="pipeline", PolicyDocument=document)
    keys = iam.create_access_key(UserName=name)["AccessKey"]
    trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:*"}]}
    role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="pipeline", PolicyDocument=document)
    assumed = moto_server.client("sts").assume_role(RoleArn=role, RoleSessionName="pipeline")["Credentials"]
    with SERVERS["enforcing"](moto_server):
        yield replace(moto_server, key=keys["AccessKeyId"], secret=keys["SecretAccessKey"]), bucket, assumed


@pytest.fixture(scope="module")
def elsewhere(moto_server) -> str:
    """Another bucket of the same account, made before the server enforces anything."""
    bucket = moto_server.bucket()
    moto_server.s3.put_object(Bucket=bucket, Key="raw/a", Body=b"x")
    return bucket


def test_every_stage_is_let_through(elsewhere, pipeline, project, warehouse):
    server, bucket, _ = pipeline
    lake = server.lake(f"s3://{bucket}")
    contract = catalog.find("users", project / "contracts")
    run = Run("users", "manual__2026-03-01T00:00:00+00:00", NOW)
    source = next_landing("users", lake)
    for _ in range(2):  # the second time all of it is there already, and is replaced
        ingest(contract, run, open_source(source, lake), lake)
        report = transform_duckdb(contract, run, lake, now=NOW)
    figures = load(contract, run, lake, warehouse, now=NOW)
    kept = keep_report(report.loaded(figures, NOW), run, lake)
    assert kept.total == 500
    assert last_good_run("users", lake) == NOW


def test_a_file_of_many_parts_may_be_written_and_given_up(pipeline):
    server, bucket, _ = pipeline
    lake = server.lake(f"s3://{bucket}")
    with lake.create("records/users/large") as file:
        file.write(bytes(PART + 1))
    assert lake.exists("records/users/large")
    with pytest.raises(LookupError), lake.create("records/users/other") as file:  # noqa: PT012 - a block that raises
        file.write(bytes(PART + 1))
        raise LookupError
    assert "Uploads" not in server.s3.list_multipart_uploads(Bucket=bucket)


REFUSED = {
    "a listing of another bucket": ("list_objects_v2", {"Bucket": "{other}"}),
    "a file of another bucket": ("get_object", {"Bucket": "{other}", "Key": "raw/a"}),
    "a list of the buckets": ("list_buckets", {}),
    "a delete in raw": ("delete_object", {"Bucket": "{own}", "Key": "raw/a"}),
    "a delete in quality": ("delete_object", {"Bucket": "{own}", "Key": "quality/a"}),
    "a delete in landing": ("delete_object", {"Bucket": "{own}", "Key": "landing/users/in.csv"}),
    "a delete in keys": ("delete_object", {"Bucket": "{own}", "Key": "keys/a"}),
    "a new file in landing": ("put_object", {"Bucket": "{own}", "Key": "landing/a"}),
    "a new file outside the zones": ("put_object", {"Bucket": "{own}", "Key": "a"}),
    "a new bucket": ("create_bucket", {"Bucket": "another-bucket"}),
    "the deletion of a version": ("delete_object", {"Bucket": "{own}", "Key": "clean/a", "VersionId": "0000"}),
    "a list of versions": ("list_object_versions", {"Bucket": "{own}"}),
    "the end of versioning": (
        "put_bucket_versioning",
        {"Bucket": "{own}", "VersioningConfiguration": {"Status": "Suspended"}},
    ),
    "another policy of the bucket": ("put_bucket_policy", {"Bucket": "{own}", "Policy": "{}"}),
    "the deletion of the bucket": ("delete_bucket", {"Bucket": "{own}"}),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_policy_refuses(elsewhere, pipeline, what):
    from botocore.exceptions import ClientError

    server, bucket, _ = pipeline
    operation, asked = REFUSED[what]
    asked = {name: {"{own}": bucket, "{other}": elsewhere}.get(str(value), value) for name, value in asked.items()}
    with pytest.raises(ClientError) as caught:
        getattr(server.s3, operation)(**asked)
    assert caught.value.response["Error"]["Code"] == "AccessDenied"


def test_what_the_policy_refuses_is_lasting_and_says_what_to_grant(elsewhere, pipeline):
    lake = pipeline[0].lake(f"s3://{elsewhere}")
    with pytest.raises(UnusableError) as caught:
        lake.read_bytes("raw/a")
    assert str(caught.value) == (
        f"s3://{elsewhere}/raw/a cannot be read: these keys may not do that; give them what "
        "infra/terraform/pipeline-policy.json allows (AccessDenied)."
    )


def test_keys_that_nobody_has_are_refused_in_one_sentence(elsewhere, pipeline):
    server, bucket, _ = pipeline
    lake = replace(server, key="AKIAMARKEDKEY", secret="marked/secret").lake(f"s3://{bucket}")
    with pytest.raises(UnusableError) as caught:
        lake.list("raw")
    assert "the server does not know these keys" in str(caught.value)
    assert "MARKED" not in str(caught.value)


def test_a_secret_that_is_not_the_keys_own_is_refused_in_one_sentence(elsewhere, pipeline):
    server, bucket, _ = pipeline
    lake = replace(server, secret="marked/secret").lake(f"s3://{bucket}")
    with pytest.raises(UnusableError, match=r"does not know these keys.* \(SignatureDoesNotMatch\)\.$"):
        lake.list("raw")


def test_the_session_token_of_a_role_is_taken(elsewhere, pipeline):
    server, bucket, keys = pipeline
    aws = Aws(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"], server.region, server.endpoint)
    lake = open_lake(f"s3://{bucket}", aws.session(), aws.endpoint)
    lake.write_bytes("raw/b", b"x")
    assert lake.read_bytes("raw/b") == b"x"


def test_a_session_token_that_is_not_the_keys_own_is_lasting(elsewhere, pipeline):
    server, bucket, keys = pipeline
    aws = Aws(keys["AccessKeyId"], keys["SecretAccessKey"], "marked/token", server.region, server.endpoint)
    with pytest.raises(UnusableError) as caught:
        open_lake(f"s3://{bucket}", aws.session(), aws.endpoint).list("raw")
    assert "get a new one, and put it where the keys are (InvalidToken)" in str(caught.value)
    assert "marked" not in str(caught.value)


def test_the_policy_names_no_wildcard_action(policy):
    statements = json.loads(policy)["Statement"]
    assert [action for each in statements for action in each["Action"] if "*" in action] == []
