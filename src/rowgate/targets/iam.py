"""What the pipeline may do in its bucket, as an IAM policy: the rules of evidence, for AWS to enforce.

The lake is the whole bucket. `${bucket_arn}` stands where its ARN goes: Terraform's `templatefile` fills it in.
"""

import json
from collections.abc import Sequence

from rowgate.contract.model import Contract

BUCKET = "${bucket_arn}"
_WRITTEN = ("raw", "records", "clean", "rejects", "quality", "keys")
_REMADE = ("records", "clean", "rejects")
"""The zones in which a run's own files may be deleted; versions may be deleted nowhere."""


def render(_contracts: Sequence[Contract]) -> str:
    """The policy, as JSON; it is the same for any contracts.

    Names of actions: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazons3.html
    """
    statements = [
        # Listing unfinished uploads lets a run give up those of an earlier one that was killed.
        _allow("FindFiles", ["s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:GetBucketLocation"], [BUCKET]),
        _allow("ReadFiles", ["s3:GetObject"], [f"{BUCKET}/*"]),
        _allow("WriteZones", ["s3:PutObject", "s3:AbortMultipartUpload"], _below(_WRITTEN)),
        _allow("DeleteWhatCanBeMadeAgain", ["s3:DeleteObject"], _below(_REMADE)),
    ]
    return json.dumps({"Version": "2012-10-17", "Statement": statements}, indent=2) + "\n"


def _allow(name: str, actions: Sequence[str], resources: Sequence[str]) -> dict[str, object]:
    return {"Sid": name, "Effect": "Allow", "Action": actions, "Resource": resources}


def _below(zones: Sequence[str]) -> list[str]:
    return [f"{BUCKET}/{zone}/*" for zone in zones]
