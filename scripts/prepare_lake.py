"""Prepares the lake's bucket on versitygw: two users, and what each of them may do. A second time changes nothing.

The pipeline may do what infra/terraform/pipeline-policy.json says of AWS, the reader may list and read; the root key is
used here alone. The users are made through versitygw's own admin API:
https://github.com/versity/versitygw/wiki/Admin-APIs
"""

import http.client
import json
import os
import sys
from contextlib import closing
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element, SubElement, tostring

import boto3
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, ClientError

POLICY = Path(__file__).resolve().parents[1] / "infra" / "terraform" / "pipeline-policy.json"


def main() -> int:
    """Make the bucket, the users and the bucket's policy; one sentence where that fails."""
    environ = os.environ
    endpoint, bucket = environ["LAKE_ENDPOINT"], environ["LAKE_BUCKET"]
    session = boto3.Session(environ["LAKE_ROOT_KEY"], environ["LAKE_ROOT_SECRET"], region_name=environ["LAKE_REGION"])
    pipeline, reader = environ["LAKE_PIPELINE_KEY"], environ["LAKE_READER_KEY"]
    try:
        put_user(session, endpoint, pipeline, environ["LAKE_PIPELINE_SECRET"])
        put_user(session, endpoint, reader, environ["LAKE_READER_SECRET"])
        s3 = session.client("s3", endpoint_url=endpoint)
        make_bucket(s3, bucket, environ["LAKE_REGION"])
        s3.put_bucket_policy(Bucket=bucket, Policy=json.dumps(policy(bucket, pipeline, reader)))
    except (OSError, BotoCoreError, ClientError) as error:
        print(f"The lake at {endpoint} could not be prepared: {error}", file=sys.stderr)
        return 1
    return 0


def policy(bucket: str, pipeline: str, reader: str) -> dict[str, Any]:
    """The bucket's policy: the pipeline's own, as it is rendered for AWS, and reading for the reader."""
    text = POLICY.read_text(encoding="utf-8").replace("${bucket_arn}", f"arn:aws:s3:::{bucket}")
    found: dict[str, Any] = json.loads(text)
    for statement in found["Statement"]:
        reads = statement["Sid"] in ("FindFiles", "ReadFiles")
        statement["Principal"] = [pipeline, reader] if reads else [pipeline]
    return found


def make_bucket(s3: Any, bucket: str, region: str) -> None:  # noqa: ANN401 - boto3's clients have no types
    """Make the bucket where there is none."""
    where = {} if region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": region}}
    try:
        s3.create_bucket(Bucket=bucket, **where)
    except (s3.exceptions.BucketAlreadyOwnedByYou, s3.exceptions.BucketAlreadyExists):
        return


def put_user(session: boto3.Session, endpoint: str, key: str, secret: str) -> None:
    """Make a user, or give the one that is there this secret.

    Raises:
        OSError: the server refuses.
    """
    account = Element("Account")
    for name, value in {"Access": key, "Secret": secret, "Role": "user"}.items():
        SubElement(account, name).text = value
    status = admin(session, endpoint, "/create-user", tostring(account))
    if status == HTTPStatus.CONFLICT:
        props = Element("MutableProps")
        SubElement(props, "Secret").text = secret
        status = admin(session, endpoint, f"/update-user?access={key}", tostring(props))
    if status >= HTTPStatus.BAD_REQUEST:
        raise OSError(f"it answered {status} when a user was to be made")


def admin(session: boto3.Session, endpoint: str, path: str, body: bytes) -> int:
    """Send one signed request to the admin API, and return the answer's status."""
    request = AWSRequest("PATCH", endpoint + path, data=body)
    S3SigV4Auth(session.get_credentials(), "s3", session.region_name).add_auth(request)
    sent = request.prepare()
    parts = urlsplit(sent.url)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=30)) as connection:
        connection.request("PATCH", f"{parts.path}?{parts.query}", body=body, headers=dict(sent.headers))
        return connection.getresponse().status


if __name__ == "__main__":
    sys.exit(main())
