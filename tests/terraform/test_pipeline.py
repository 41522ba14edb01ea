"""The pipeline's principal has each property, and a change to it is seen."""

import runpy
from pathlib import Path

import pytest

Property = runpy.run_path(str(Path(__file__).with_name("configuration.py")))["Property"]
PIPELINE = "pipeline-policy.json"
REMADE = [f"${{bucket_arn}}/{zone}/*" for zone in ("records", "clean", "rejects")]


def allowed(configuration, action):
    """Where the pipeline's policy allows an action."""
    statements = configuration.statements(PIPELINE)
    return [where for each in statements if action in each["Action"] for where in each["Resource"]]


def actions(configuration):
    return {action for each in configuration.statements(PIPELINE) for action in each["Action"]}


PROPERTIES = {
    "the pipeline deletes in three zones alone": Property(
        PIPELINE,
        '"${bucket_arn}/records/*",\n        "${bucket_arn}/clean/*",\n        "${bucket_arn}/rejects/*"\n      ]',
        '"${bucket_arn}/*"\n      ]',
        lambda c: allowed(c, "s3:DeleteObject") == REMADE,
    ),
    "the pipeline deletes no version": Property(
        PIPELINE,
        '"s3:DeleteObject"',
        '"s3:DeleteObject", "s3:DeleteObjectVersion"',
        lambda c: not [action for action in actions(c) if "Version" in action],
    ),
    "the pipeline makes and changes no bucket": Property(
        PIPELINE,
        '"s3:GetBucketLocation"',
        '"s3:GetBucketLocation", "s3:CreateBucket"',
        lambda c: (
            {action for action in actions(c) if "Bucket" in action}
            == {"s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:GetBucketLocation"}
        ),
    ),
    "the pipeline lists, gets and puts": Property(
        PIPELINE,
        '"s3:PutObject"',
        '"s3:PutObjectTagging"',
        lambda c: {"s3:ListBucket", "s3:GetObject", "s3:PutObject"} <= actions(c),
    ),
    "the pipeline knows the one bucket": Property(
        PIPELINE,
        '"${bucket_arn}/*"',
        '"arn:aws:s3:::*"',
        lambda c: all(
            where.startswith("${bucket_arn}") for each in c.statements(PIPELINE) for where in each["Resource"]
        ),
    ),
    "the pipeline has that policy": Property(
        "pipeline.tf",
        'templatefile("${path.module}/pipeline-policy.json", { bucket_arn = module.lake.arn })',
        "jsonencode({})",
        lambda c: (
            c.resources(".")["aws_iam_policy.pipeline"]["policy"]
            == '${templatefile("${path.module}/pipeline-policy.json", {bucket_arn = module.lake.arn})}'
        ),
    ),
    "the role trusts whom the variable names": Property(
        "pipeline.tf",
        "AWS = var.pipeline_trust.principals",
        'AWS = ["*"]',
        lambda c: (
            "{AWS = var.pipeline_trust.principals, Service = var.pipeline_trust.services}"
            in c.locals(".")["pipeline_trust"]
        ),
    ),
    "the variable cannot name everybody": Property(
        "variables.tf",
        '!strcontains(each, "*")',
        "true",
        lambda c: '!strcontains(each, "*")' in c.named(".", "variable", "pipeline_trust")["validation"][0]["condition"],
    ),
    "a user is there only where no role is": Property(
        "pipeline.tf",
        "count = local.pipeline_is_role ? 0 : 1",
        "count = 1",
        lambda c: c.resources(".")["aws_iam_user.pipeline"]["count"] == "${local.pipeline_is_role ? 0 : 1}",
    ),
    "no access key is made": Property(
        "pipeline.tf",
        'resource "aws_iam_user" "pipeline" {',
        'resource "aws_iam_access_key" "pipeline" {\n  user = "a"\n}\n\nresource "aws_iam_user" "pipeline" {',
        lambda c: "aws_iam_access_key" not in c.types(),
    ),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_property_is_there(configuration, name):
    assert PROPERTIES[name].proved(configuration)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_change_is_seen(name):
    assert not PROPERTIES[name].proved(PROPERTIES[name].changed())
