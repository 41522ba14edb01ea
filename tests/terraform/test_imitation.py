"""What Terraform hands to AWS is taken by an imitation of it: tables, saved queries and policies."""

import json
import string

import pytest

PLACES = {
    "account_arn": "arn:aws:iam::123456789012:root",
    "bucket_arn": "arn:aws:s3:::a-bucket",
    "database": "rowgate",
    "glue_arn": "arn:aws:glue:eu-central-1:123456789012",
    "key_arn": "arn:aws:kms:eu-central-1:123456789012:key/a-key",
    "logs_arn": "arn:aws:logs:eu-central-1:123456789012",
    "s3": "s3.eu-central-1.amazonaws.com",
}
ZONES = ("records", "clean", "rejects", "quality")
POLICIES = ("pipeline-policy.json", "policies/crawler.json", "policies/use-key.json")


@pytest.fixture(scope="module")
def contracts(project):
    """What was rendered from each contract."""
    folder = project / "infra" / "terraform" / "rendered"
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]


def columns(rendered):
    return [{"Name": each["name"], "Type": each["type"], "Comment": each["comment"]} for each in rendered]


@pytest.fixture(scope="module")
def glue(moto_server, contracts):
    """Glue with the tables, made of what catalog.tf takes from the rendered files."""
    client = moto_server.client("glue")
    client.create_database(DatabaseInput={"Name": "rowgate"})
    for contract in contracts:
        for name, table in contract["tables"].items():
            client.create_table(
                DatabaseName=contract["database"],
                TableInput={
                    "Name": name,
                    "Description": table["description"],
                    "TableType": "EXTERNAL_TABLE",
                    "Parameters": table["parameters"],
                    "PartitionKeys": columns(table["partition_keys"]),
                    "StorageDescriptor": {
                        "Location": f"s3://a-bucket/{table['location_suffix']}",
                        "InputFormat": table["input_format"],
                        "OutputFormat": table["output_format"],
                        "SerdeInfo": {
                            "SerializationLibrary": table["serde"]["serialization_library"],
                            "Parameters": table["serde"]["parameters"],
                        },
                        "Columns": columns(table["columns"]),
                    },
                },
            )
    return client


def test_glue_takes_every_table(glue, contracts):
    found = {table["Name"] for table in glue.get_tables(DatabaseName="rowgate")["TableList"]}
    assert found == {f"{contract['contract']}_{zone}" for contract in contracts for zone in ZONES}


def test_a_table_is_partitioned_by_the_projected_day_alone(glue):
    tables = glue.get_tables(DatabaseName="rowgate")["TableList"]
    assert {key["Name"] for table in tables for key in table["PartitionKeys"]} == {"dt"}
    projected = {name for table in tables for name in table["Parameters"] if name.endswith(".type")}
    assert projected == {"projection.dt.type"}


def test_athena_takes_every_saved_query(moto_server, contracts):
    athena = moto_server.client("athena")
    athena.create_work_group(Name="rowgate")
    wanted = {name: query for contract in contracts for name, query in contract["saved_queries"].items()}
    for name, query in wanted.items():
        athena.create_named_query(
            Name=name,
            Database="rowgate",
            WorkGroup="rowgate",
            QueryString=query["sql"],
            Description=query["description"],
        )
    ids = athena.list_named_queries(WorkGroup="rowgate")["NamedQueryIds"]
    assert len(ids) == len(wanted)


@pytest.mark.parametrize("file", POLICIES)
def test_iam_takes_the_policy(moto_server, project, file):
    text = (project / "infra" / "terraform" / file).read_text(encoding="utf-8")
    name = file.replace("/", "-").removesuffix(".json")
    made = moto_server.client("iam").create_policy(
        PolicyName=name, PolicyDocument=string.Template(text).substitute(PLACES)
    )
    assert made["Policy"]["PolicyName"] == name


def test_kms_takes_the_keys_policy(moto_server, project):
    text = (project / "infra" / "terraform" / "policies" / "key.json").read_text(encoding="utf-8")
    kms = moto_server.client("kms")
    policy = string.Template(text).substitute(PLACES)
    key = kms.create_key(Policy=policy)["KeyMetadata"]["KeyId"]
    assert json.loads(kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"]) == json.loads(policy)


def test_s3_takes_the_buckets_policy(moto_server, project):
    module = project / "infra" / "terraform" / "modules" / "private-bucket"
    text = (module / "tls-only.json").read_text(encoding="utf-8")
    bucket = moto_server.bucket()
    moto_server.s3.put_bucket_policy(
        Bucket=bucket, Policy=string.Template(text).substitute(bucket_arn=f"arn:aws:s3:::{bucket}")
    )
    assert "SecureTransport" in moto_server.s3.get_bucket_policy(Bucket=bucket)["Policy"]
