"""The lake: each whole is compared, so that nothing is there beside what the other tests look for."""

import runpy
from pathlib import Path

import pytest

wholes = runpy.run_path(str(Path(__file__).with_name("configuration.py")))["wholes"]
MODULE, BUCKET = "modules/private-bucket", "modules/private-bucket/main.tf"
PIPELINE, CRAWLER, USE_KEY = "pipeline-policy.json", "policies/crawler.json", "policies/use-key.json"


def allows(configuration, file):
    """What a policy allows: each statement's actions and where, sorted."""
    return [
        (each["Effect"], sorted(each["Action"]), each["Resource"])
        for each in configuration.statements(file)
        if each.keys() <= {"Sid", "Effect", "Action", "Resource", "Condition"}
    ]


def zones(*names):
    return [f"${{bucket_arn}}/{name}/*" for name in names]


def addresses(configuration, folder):
    return {address.removeprefix("aws_") for address in configuration.resources(folder)}


BUCKETS_PARTS = {
    *("s3_bucket.this", "s3_bucket_lifecycle_configuration.this", "s3_bucket_ownership_controls.this"),
    *("s3_bucket_policy.this", "s3_bucket_public_access_block.this", "s3_bucket_versioning.this"),
    "s3_bucket_server_side_encryption_configuration.this",
}
IDENTITIES = {
    *("iam_policy.crawler", "iam_policy.pipeline", "iam_policy.use_key", "iam_role.crawler", "iam_role.pipeline"),
    *("iam_role_policy_attachment.crawler", "iam_role_policy_attachment.pipeline", "iam_user.pipeline"),
    "iam_user_policy_attachment.pipeline",
}
KEY = '{}, var.encryption == "kms" ? {{key = aws_iam_policy.use_key[0].arn}} : {{}})'

PROPERTIES = {
    **wholes(
        "a bucket has each of its parts, always, and no second one",
        lambda c: (
            addresses(c, MODULE) == BUCKETS_PARTS
            and not [each for each in c.resources(MODULE).values() if each.keys() & {"count", "for_each"}]
            and {each["bucket"] for address, each in c.resources(MODULE).items() if address != "aws_s3_bucket.this"}
            == {"${aws_s3_bucket.this.id}"}
        ),
        (BUCKET, '_access_block" "this" {\n', '_access_block" "this" {\n  count = 0\n'),
        (
            BUCKET,
            '_encryption_configuration" "this" {\n  bucket = aws_s3_bucket.this.id',
            '_encryption_configuration" "this" {\n  bucket = "b"',
        ),
        (
            BUCKET,
            'resource "aws_s3_bucket_policy"',
            'resource "aws_s3_bucket_policy" "b" {}\nresource "aws_s3_bucket_policy"',
        ),
    ),
    **wholes(
        "every bucket is a private one",
        lambda c: (
            [c.named(".", "module", name)["source"] for name in ("lake", "results")] == [f"./{MODULE}"] * 2
            and c.named(".", "module", "results")["noncurrent_days"] == 1
            and c.named(".", "module", "lake")["noncurrent_days"] == "${var.noncurrent_retention_days}"
        ),
        (
            "storage.tf",
            'module "lake" {\n  source = "./modules/private-bucket"',
            'module "lake" {\n  source = "./modules/x"',
        ),
        (
            "storage.tf",
            'module "results" {\n  source = "./modules/private-bucket"',
            'module "results" {\n  source = "./x"',
        ),
        ("storage.tf", "noncurrent_days = 1\n", "noncurrent_days = 3650\n"),
        ("storage.tf", "noncurrent_days = var.noncurrent_retention_days", "noncurrent_days = 3650"),
    ),
    **wholes(
        "leftovers end everywhere in a bucket",
        lambda c: (
            [
                (each["status"], each["filter"])
                for each in c.resources(MODULE)["aws_s3_bucket_lifecycle_configuration.this"]["rule"]
            ]
            == [("Enabled", [{"prefix": ""}])]
        ),
        (
            BUCKET,
            'id     = "end-leftovers"\n    status = "Enabled"',
            'id     = "end-leftovers"\n    status = "Disabled"',
        ),
        (BUCKET, 'prefix = ""', 'prefix = "raw/"'),
    ),
    **wholes(
        "the pipeline may do this and nothing else",
        lambda c: (
            allows(c, PIPELINE)
            == [
                (
                    "Allow",
                    ["s3:GetBucketLocation", "s3:ListBucket", "s3:ListBucketMultipartUploads"],
                    ["${bucket_arn}"],
                ),
                ("Allow", ["s3:GetObject"], ["${bucket_arn}/*"]),
                (
                    "Allow",
                    ["s3:AbortMultipartUpload", "s3:PutObject"],
                    zones("raw", "records", "clean", "rejects", "quality", "keys"),
                ),
                ("Allow", ["s3:DeleteObject"], zones("records", "clean", "rejects")),
            ]
        ),
        (PIPELINE, '"s3:PutObject"', '"s3:PutObject", "s3:PutLifecycleConfiguration"'),
        (PIPELINE, '"s3:PutObject"', '"s3:PutObject", "s3:PutObjectAcl"'),
        (PIPELINE, '"${bucket_arn}/raw/*"', '"${bucket_arn}/landing/*", "${bucket_arn}/raw/*"'),
        (PIPELINE, '"Sid": "ReadFiles"', '"NotResource": "a"'),
    ),
    **wholes(
        "the crawler reads raw/ and writes its tables, its log, and nothing else",
        lambda c: (
            [(each[0], each[2]) for each in allows(c, CRAWLER)]
            == [
                ("Allow", "${bucket_arn}"),
                ("Allow", "${bucket_arn}/raw/*"),
                (
                    "Allow",
                    [
                        "${glue_arn}:catalog",
                        "${glue_arn}:database/${database}",
                        "${glue_arn}:table/${database}/arrived_*",
                    ],
                ),
                ("Allow", "${logs_arn}:log-group:/aws-glue/crawlers*"),
            ]
            and [
                action for each in allows(c, CRAWLER) for action in each[1] if not action.startswith(("glue:", "logs:"))
            ]
            == ["s3:GetBucketLocation", "s3:ListBucket", "s3:GetObject"]
        ),
        (CRAWLER, '["s3:GetObject"]', '["s3:GetObject", "s3:PutObject"]'),
        (CRAWLER, '"${bucket_arn}"', '"*"'),
        (CRAWLER, '"logs:PutLogEvents"', '"logs:PutLogEvents", "iam:PassRole"'),
    ),
    **wholes(
        "the one key is used, to read and to write",
        lambda c: allows(c, USE_KEY) == [("Allow", ["kms:Decrypt", "kms:GenerateDataKey"], "${key_arn}")],
        (USE_KEY, '"${key_arn}"', '"*"'),
        (USE_KEY, '"kms:Decrypt"', '"kms:Decrypt", "kms:ScheduleKeyDeletion"'),
    ),
    **wholes(
        "no principal is there but the pipeline's and the crawler's",
        lambda c: {address for address in addresses(c, ".") if address.startswith("iam_")} == IDENTITIES,
        (
            "catalog.tf",
            'resource "aws_iam_role" "crawler"',
            'resource "aws_iam_role" "b" {}\nresource "aws_iam_role" "crawler"',
        ),
    ),
    **wholes(
        "a principal has its own policy and the key's",
        lambda c: (
            c.locals(".")["pipeline_policies"] == "${merge({lake = aws_iam_policy.pipeline.arn" + KEY.format("}") + "}"
            and c.resources(".")["aws_iam_role_policy_attachment.crawler"]["for_each"]
            == "${merge({lake = aws_iam_policy.crawler.arn" + KEY.format("}") + "}"
            and {
                c.resources(".")[f"aws_iam_{each}"]["policy_arn"]
                for each in (
                    *("role_policy_attachment.crawler", "role_policy_attachment.pipeline"),
                    "user_policy_attachment.pipeline",
                )
            }
            == {"${each.value}"}
        ),
        ("catalog.tf", "lake = aws_iam_policy.crawler.arn", 'lake = "arn:aws:iam::aws:policy/AdministratorAccess"'),
        ("pipeline.tf", "lake = aws_iam_policy.pipeline.arn", 'lake = "arn:aws:iam::aws:policy/AdministratorAccess"'),
        ("pipeline.tf", "lake = aws_iam_policy.pipeline.arn", 'lake = aws_iam_policy.pipeline.arn, more = "arn"'),
    ),
    **wholes(
        "every principal is within the boundary",
        lambda c: (
            [
                c.resources(".")[f"aws_iam_{each}"]["permissions_boundary"]
                for each in ("role.crawler", "role.pipeline", "user.pipeline")
            ]
            == ["${var.permissions_boundary}"] * 3
        ),
        ("catalog.tf", "  permissions_boundary = var.permissions_boundary\n", ""),
        ("pipeline.tf", "  permissions_boundary = var.permissions_boundary\n}", "}"),
        ("pipeline.tf", "  permissions_boundary = var.permissions_boundary\n  assume", "  assume"),
    ),
    **wholes(
        "nobody may take a role unless they are named",
        lambda c: (
            c.named(".", "variable", "pipeline_trust")["default"] == {}
            and "setunion(var.pipeline_trust.principals, var.pipeline_trust.services) : !strcontains"
            in c.named(".", "variable", "pipeline_trust")["validation"][0]["condition"]
            and c.locals(".")["pipeline_trust"].endswith("Principal = {(kind) = sort(who)}} if length(who) > 0]}")
            and '{"aws:SourceAccount" = local.account}'
            in c.resources(".")["aws_iam_role.crawler"]["assume_role_policy"]
        ),
        (
            "variables.tf",
            "  })\n  default = {}\n\n  validation {\n    condition = all",
            '  })\n  default = { services = ["a"] }\n\n  validation {\n    condition = all',
        ),
        (
            "variables.tf",
            "setunion(var.pipeline_trust.principals, var.pipeline_trust.services)",
            "var.pipeline_trust.services",
        ),
        ("pipeline.tf", "(kind) = sort(who)", '(kind) = "*"'),
        ("catalog.tf", '      Condition = { StringEquals = { "aws:SourceAccount" = local.account } }\n', ""),
    ),
    **wholes(
        "results go to a bucket of this account",
        lambda c: (
            c.resources(".")["aws_athena_workgroup.lake"]["configuration"][0]["result_configuration"][0][
                "expected_bucket_owner"
            ]
            == "${local.account}"
        ),
        ("queries.tf", "      expected_bucket_owner = local.account\n", ""),
    ),
}


@pytest.mark.parametrize("name", [name for name in PROPERTIES if name.endswith("(1)")])
def test_the_whole_is_as_it_should_be(configuration, name):
    assert PROPERTIES[name].proved(configuration)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_change_is_seen(name):
    assert not PROPERTIES[name].proved(PROPERTIES[name].changed())
