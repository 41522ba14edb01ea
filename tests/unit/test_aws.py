"""Who we are to AWS: kept out of sight, read from a connection, and handed on in an environment."""

import json
from urllib.parse import quote, urlencode

import pytest

from rowgate.adapters.aws import Aws
from rowgate.adapters.aws_connection import aws_of
from rowgate.errors import UnusableError
from rowgate.settings import read_settings

MARKED = """ma/rk+ed%41"'\\ key"""
REGION, ENDPOINT = "eu-central-1", "http://127.0.0.1:9000"
WHO = Aws("AKIAMARKED", MARKED, f"{MARKED}=token", REGION, ENDPOINT)


def test_no_secret_is_seen_when_it_is_printed():
    assert repr(WHO) == f"Aws(region='{REGION}', endpoint='{ENDPOINT}')"


def test_a_child_process_is_given_keys_region_and_endpoint():
    assert WHO.environment() == {
        "AWS_ACCESS_KEY_ID": "AKIAMARKED",
        "AWS_SECRET_ACCESS_KEY": MARKED,
        "AWS_SESSION_TOKEN": f"{MARKED}=token",
        "AWS_SECURITY_TOKEN": "",
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ENDPOINT_URL_S3": ENDPOINT,
    }


def test_keys_without_a_token_put_an_empty_one_over_the_token_of_others():
    assert Aws("key", "secret").environment()["AWS_SESSION_TOKEN"] == ""


def test_where_nobody_is_named_a_child_finds_its_own_keys():
    assert Aws(region=REGION).environment() == {"AWS_REGION": REGION, "AWS_DEFAULT_REGION": REGION}


def test_a_session_has_the_keys_as_they_are():
    found = WHO.session().get_credentials()
    assert (found.access_key, found.secret_key, found.token) == ("AKIAMARKED", MARKED, f"{MARKED}=token")


EXTRA = {"aws_session_token": f"{MARKED}=token", "region_name": REGION, "endpoint_url": ENDPOINT}
CONNECTIONS = {
    "JSON": json.dumps({"conn_type": "aws", "login": "AKIAMARKED", "password": MARKED, "extra": EXTRA}),
    "JSON in JSON": json.dumps({"login": "AKIAMARKED", "password": MARKED, "extra": json.dumps(EXTRA)}),
    "a URI": f"aws://AKIAMARKED:{quote(MARKED, safe='')}@/?{urlencode(EXTRA)}",
    "a URI with JSON": f"aws://AKIAMARKED:{quote(MARKED, safe='')}@/?{urlencode({'__extra__': json.dumps(EXTRA)})}",
    "keys in the extra": json.dumps(
        {"extra": EXTRA | {"aws_access_key_id": "AKIAMARKED", "aws_secret_access_key": MARKED}}
    ),
    "an endpoint for S3 alone": json.dumps(
        {
            "login": "AKIAMARKED",
            "password": MARKED,
            "extra": EXTRA | {"endpoint_url": "http://other", "service_config": {"s3": {"endpoint_url": ENDPOINT}}},
        }
    ),
}


@pytest.mark.parametrize("form", CONNECTIONS)
def test_a_connection_is_read_from(form):
    assert aws_of(CONNECTIONS[form]) == WHO


def test_a_connection_of_nobody_leaves_the_keys_to_boto3():
    assert aws_of('{"conn_type": "aws"}') == Aws()


@pytest.mark.parametrize("text", ["{", "marked", "[1]", '{"extra": [1]}', '{"extra": "marked"}'])
def test_what_is_no_connection_is_one_sentence_that_quotes_nothing(text):
    with pytest.raises(UnusableError) as caught:
        aws_of(text)
    assert str(caught.value) == "AIRFLOW_CONN_AWS_DEFAULT is neither JSON nor a URI of a connection; correct it."


@pytest.mark.parametrize("name", ["role_arn", "profile_name"])
def test_a_role_that_only_airflow_resolves_is_named(name):
    with pytest.raises(UnusableError, match=f"names a {name}, which the command line does not follow"):
        aws_of(json.dumps({"extra": {name: "x"}}))


def test_settings_hide_the_connection(tmp_path):
    environ = {"ROWGATE_LAKE": "s3://bucket", "AIRFLOW_CONN_AWS_DEFAULT": CONNECTIONS["JSON"]}
    assert "mark" not in repr(read_settings(tmp_path, environ)).lower().replace(str(tmp_path).lower(), "")


def test_settings_open_the_lake_that_they_name(tmp_path):
    assert read_settings(tmp_path, {"ROWGATE_LAKE": "s3://bucket/x/"}).open_lake().uri == "s3://bucket/x"
    assert read_settings(tmp_path, {}).open_lake().uri == f"file://{tmp_path}/.rowgate/lake"


def test_a_broken_connection_does_not_matter_to_a_lake_in_a_folder(tmp_path):
    assert read_settings(tmp_path, {"AIRFLOW_CONN_AWS_DEFAULT": "{"}).open_lake().list("raw") == []
