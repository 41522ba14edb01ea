"""The lake's buckets and its key have each property, and a change to it is seen."""

import runpy
from pathlib import Path

import pytest

Property = runpy.run_path(str(Path(__file__).with_name("configuration.py")))["Property"]
BUCKET = "modules/private-bucket/main.tf"


def of_bucket(configuration, kind):
    return configuration.resources("modules/private-bucket")[f"aws_s3_bucket_{kind}.this"]


def expiring(configuration):
    return of_bucket(configuration, "lifecycle_configuration")["dynamic"][0]["rule"]


def leftovers(configuration):
    return of_bucket(configuration, "lifecycle_configuration")["rule"][0]


def public_access(argument):
    return Property(
        BUCKET,
        f"  {argument.ljust(23)} = true",
        f"  {argument.ljust(23)} = false",
        lambda configuration: of_bucket(configuration, "public_access_block")[argument] is True,
    )


def days(configuration, name):
    return configuration.named(".", "variable", name)["default"]


PROPERTIES = {
    "public ACLs are refused": public_access("block_public_acls"),
    "a public policy is refused": public_access("block_public_policy"),
    "public ACLs are ignored": public_access("ignore_public_acls"),
    "a public bucket is closed": public_access("restrict_public_buckets"),
    "objects belong to the bucket's owner": Property(
        BUCKET,
        '"BucketOwnerEnforced"',
        '"ObjectWriter"',
        lambda c: of_bucket(c, "ownership_controls")["rule"][0]["object_ownership"] == "BucketOwnerEnforced",
    ),
    "buckets are versioned": Property(
        BUCKET,
        '  versioning_configuration {\n    status = "Enabled"',
        '  versioning_configuration {\n    status = "Suspended"',
        lambda c: of_bucket(c, "versioning")["versioning_configuration"][0]["status"] == "Enabled",
    ),
    "buckets are encrypted, with the key where there is one": Property(
        BUCKET,
        'var.key_arn == null ? "AES256" : "aws:kms"',
        '"AES256"',
        lambda c: (
            of_bucket(c, "server_side_encryption_configuration")["rule"][0]["apply_server_side_encryption_by_default"]
            == [
                {
                    "sse_algorithm": '${var.key_arn == null ? "AES256" : "aws:kms"}',
                    "kms_master_key_id": "${var.key_arn}",
                }
            ]
        ),
    ),
    "what does not come over TLS is denied": Property(
        "modules/private-bucket/tls-only.json",
        '"Deny"',
        '"Allow"',
        lambda c: (
            c.statements("modules/private-bucket/tls-only.json")
            == [
                {
                    "Sid": "TlsOnly",
                    "Effect": "Deny",
                    "Principal": "*",
                    "Action": "s3:*",
                    "Resource": ["${bucket_arn}", "${bucket_arn}/*"],
                    "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                }
            ]
        ),
    ),
    "the denial is put on the bucket": Property(
        BUCKET,
        "tls-only.json",
        "other.json",
        lambda c: 'templatefile("${path.module}/tls-only.json"' in of_bucket(c, "policy")["policy"],
    ),
    "a bucket with objects is not deleted": Property(
        BUCKET,
        "force_destroy = false",
        "force_destroy = true",
        lambda c: c.resources("modules/private-bucket")["aws_s3_bucket.this"]["force_destroy"] is False,
    ),
    "a prefix expires by a filter": Property(
        BUCKET,
        "        prefix = rule.key",
        '        prefix = ""',
        lambda c: expiring(c)["content"][0]["filter"] == [{"prefix": "${rule.key}"}],
    ),
    "a prefix expires after its days": Property(
        BUCKET,
        "days = rule.value",
        "days = 3650",
        lambda c: expiring(c)["content"][0]["expiration"] == [{"days": "${rule.value}"}],
    ),
    "an expiry is switched on": Property(
        BUCKET,
        'id     = "expire-${trimsuffix(rule.key, "/")}"\n      status = "Enabled"',
        'id     = "expire-${trimsuffix(rule.key, "/")}"\n      status = "Disabled"',
        lambda c: expiring(c)["content"][0]["status"] == "Enabled",
    ),
    "noncurrent versions end": Property(
        BUCKET,
        "    noncurrent_version_expiration {\n      noncurrent_days = var.noncurrent_days\n    }\n",
        "",
        lambda c: leftovers(c)["noncurrent_version_expiration"][0]["noncurrent_days"] == "${var.noncurrent_days}",
    ),
    "unfinished uploads end": Property(
        BUCKET,
        "    abort_incomplete_multipart_upload {\n      days_after_initiation = 1\n    }\n",
        "",
        lambda c: leftovers(c)["abort_incomplete_multipart_upload"][0]["days_after_initiation"] == 1,
    ),
    "raw expires after 30 days": Property(
        "variables.tf",
        "raw     = optional(number, 30)",
        "raw     = optional(number, 3650)",
        lambda c: "raw = optional(number, 30)" in c.named(".", "variable", "retention_days")["type"],
    ),
    "records and clean expire sooner": Property(
        "variables.tf",
        "clean   = optional(number, 7)",
        "clean   = optional(number, 90)",
        lambda c: (
            "records = optional(number, 7), clean = optional(number, 7)"
            in c.named(".", "variable", "retention_days")["type"]
        ),
    ),
    "rejects expire by a variable of their own": Property(
        "storage.tf",
        '"rejects/" = var.rejects_retention_days',
        '"rejects/" = var.retention_days.raw',
        lambda c: c.named(".", "module", "lake")["expire_days"]["rejects/"] == "${var.rejects_retention_days}",
    ),
    "rejects expire by default": Property(
        "variables.tf",
        'as it came."\n  type        = number\n  default     = 30',
        'as it came."\n  type        = number\n  default     = 365',
        lambda c: days(c, "rejects_retention_days") == 30,
    ),
    "every zone with personal rows expires, and evidence stays": Property(
        "storage.tf",
        '    "records/" = var.retention_days.records\n',
        "",
        lambda c: (
            set(c.named(".", "module", "lake")["expire_days"]) == {"landing/", "raw/", "records/", "clean/", "rejects/"}
        ),
    ),
    "a landed file expires before its manifest": Property(
        "variables.tf",
        "condition     = var.retention_days.landing < var.retention_days.raw",
        "condition     = true",
        lambda c: (
            c.named(".", "variable", "retention_days")["validation"][0]["condition"]
            == "${var.retention_days.landing < var.retention_days.raw}"
        ),
    ),
    "query results expire": Property(
        "storage.tf",
        '{ "results/" = var.results_retention_days }',
        "{}",
        lambda c: c.named(".", "module", "results")["expire_days"] == {"results/": "${var.results_retention_days}"},
    ),
    "the lake has a key of its own by default": Property(
        "variables.tf",
        'default     = "kms"',
        'default     = "sse-s3"',
        lambda c: days(c, "encryption") == "kms",
    ),
    "the lake is encrypted with that key": Property(
        "storage.tf",
        '"${var.name}-lake-${local.account}-${var.region}"\n  key_arn         = local.key_arn\n',
        '"${var.name}-lake-${local.account}-${var.region}"\n',
        lambda c: c.named(".", "module", "lake")["key_arn"] == "${local.key_arn}",
    ),
    "query results are encrypted with that key": Property(
        "storage.tf",
        '"${var.name}-results-${local.account}-${var.region}"\n  key_arn         = local.key_arn\n',
        '"${var.name}-results-${local.account}-${var.region}"\n',
        lambda c: c.named(".", "module", "results")["key_arn"] == "${local.key_arn}",
    ),
    "the key rotates": Property(
        "encryption.tf",
        "enable_key_rotation     = true",
        "enable_key_rotation     = false",
        lambda c: c.resources(".")["aws_kms_key.lake"]["enable_key_rotation"] is True,
    ),
    "the key is used through S3 alone": Property(
        "policies/use-key.json",
        '"kms:ViaService": "${s3}"',
        '"kms:ViaService": "glue"',
        lambda c: (
            c.statements("policies/use-key.json")[0]["Condition"] == {"StringEquals": {"kms:ViaService": "${s3}"}}
        ),
    ),
    "the account alone is in the key's policy": Property(
        "policies/key.json",
        '"AWS": "${account_arn}"',
        '"AWS": "*"',
        lambda c: [each["Principal"] for each in c.statements("policies/key.json")] == [{"AWS": "${account_arn}"}],
    ),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_property_is_there(configuration, name):
    assert PROPERTIES[name].proved(configuration)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_change_is_seen(name):
    assert not PROPERTIES[name].proved(PROPERTIES[name].changed())
