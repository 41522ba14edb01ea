"""The bootstrap trusts exactly whom it says, for exactly what the main configuration uses; a change is seen."""

import runpy
from pathlib import Path

import pytest

PARTS = runpy.run_path(str(Path(__file__).with_name("configuration.py")))
Property, HERE = PARTS["Property"], "bootstrap"
POLICIES = ("pipeline-policy.json", "policies/crawler.json", "policies/key.json", "policies/use-key.json")


def subjects(configuration):
    return configuration.locals(HERE)["subjects"]


def actions(configuration):
    """Type of resource -> what Terraform asks of AWS for it."""
    return {kind: {*each["read"], *each["write"]} for kind, each in configuration.locals(HERE)["actions"].items()}


def trust(configuration):
    return configuration.resources(HERE)["aws_iam_role.github"]["assume_role_policy"]


def all_actions(configuration):
    """Every action that anything here allows."""
    named = [action for each in actions(configuration).values() for action in each]
    return named + [action for file in POLICIES for each in configuration.statements(file) for action in each["Action"]]


PROPERTIES = {
    "a pull request and main may plan": Property(
        "bootstrap/github.tf",
        '"repo:${var.repository}:pull_request", ',
        "",
        lambda c: (
            subjects(c)["planner"]
            == ["repo:${var.repository}:pull_request", "repo:${var.repository}:ref:refs/heads/main"]
        ),
    ),
    "the production environment alone may apply": Property(
        "bootstrap/github.tf",
        '"repo:${var.repository}:environment:production"',
        '"repo:${var.repository}:*"',
        lambda c: subjects(c)["deployer"] == ["repo:${var.repository}:environment:production"],
    ),
    "nobody else is trusted": Property(
        "bootstrap/github.tf",
        "  subjects = {\n",
        '  subjects = {\n    other    = ["repo:${var.repository}:ref:refs/heads/other"]\n',
        lambda c: set(subjects(c)) == {"planner", "deployer"},
    ),
    "a subject is compared whole": Property(
        "bootstrap/github.tf",
        "        StringEquals = {",
        "        StringLike = {",
        lambda c: (
            'Condition = {StringEquals = {"token.actions.githubusercontent.com:aud" = "sts.amazonaws.com", '
            '"token.actions.githubusercontent.com:sub" = each.value}}' in trust(c)
        ),
    ),
    "the tokens are GitHub's": Property(
        "bootstrap/github.tf",
        '"https://token.actions.githubusercontent.com"',
        '"https://token.example.com"',
        lambda c: (
            c.resources(HERE)["aws_iam_openid_connect_provider.github"]["url"]
            == "https://token.actions.githubusercontent.com"
        ),
    ),
    "an existing provider is used": Property(
        "bootstrap/github.tf",
        "count = var.oidc_provider_arn == null ? 1 : 0",
        "count = 1",
        lambda c: (
            c.resources(HERE)["aws_iam_openid_connect_provider.github"]["count"]
            == "${var.oidc_provider_arn == null ? 1 : 0}"
        ),
    ),
    "who plans only reads": Property(
        "bootstrap/github.tf",
        'planner-read   = { role = "planner", policy = "read" }',
        'planner-read   = { role = "planner", policy = "write" }',
        lambda c: (
            c.resources(HERE)["aws_iam_role_policy_attachment.github"]["for_each"]["planner-read"]
            == {"role": "planner", "policy": "read"}
        ),
    ),
    "every type of resource has its actions, and no other": Property(
        "bootstrap/actions.tf",
        "    aws_glue_crawler = {",
        "    aws_lambda_function = {",
        lambda c: set(actions(c)) == c.types(),
    ),
    "a new type of resource needs its actions": Property(
        "queries.tf",
        'resource "aws_athena_named_query" "saved" {',
        'resource "aws_sns_topic" "new" {}\n\nresource "aws_athena_named_query" "saved" {',
        lambda c: set(actions(c)) == c.types(),
    ),
    "the roles' actions are those lists": Property(
        "bootstrap/actions.tf",
        "write_actions = sort(distinct(flatten([for type in local.actions : type.write])))",
        'write_actions = ["s3:PutObject"]',
        lambda c: (
            c.locals(HERE)["write_actions"] == "${sort(distinct(flatten([for type in local.actions : type.write])))}"
        ),
    ),
    "no plan changes anything": Property(
        "bootstrap/actions.tf",
        '"athena:GetNamedQuery"',
        '"athena:CreateNamedQuery"',
        lambda c: all(
            action.split(":")[1].startswith(("Get", "List", "Describe"))
            for each in c.locals(HERE)["actions"].values()
            for action in each["read"]
        ),
    ),
    "no action of the deployer is a wildcard": Property(
        "bootstrap/actions.tf",
        '"s3:PutBucketOwnershipControls"',
        '"s3:*"',
        lambda c: not [action for action in all_actions(c) if "*" in action],
    ),
    **{
        f"no action of {file} is a wildcard": Property(
            file, old, "s3:*", lambda c: not [action for action in all_actions(c) if "*" in action]
        )
        for file, old in zip(
            POLICIES, ("s3:GetBucketLocation", "s3:GetObject", "kms:CreateAlias", "kms:GenerateDataKey"), strict=True
        )
    },
    "the deployer reads no object of the lake": Property(
        "bootstrap/actions.tf",
        '"s3:GetBucketAcl"',
        '"s3:GetBucketAcl", "s3:GetObject"',
        lambda c: not [action for each in actions(c).values() for action in each if action.startswith("s3:GetObject")],
    ),
    "a principal is made only within the boundary": Property(
        "bootstrap/policies.tf",
        '"iam:AttachRolePolicy", ',
        "",
        lambda c: (
            set(c.locals(HERE)["bounded"])
            == {"iam:AttachRolePolicy", "iam:AttachUserPolicy", "iam:CreateRole", "iam:CreateUser"}
        ),
    ),
    "the boundary is a condition": Property(
        "bootstrap/policies.tf",
        '{ StringEquals = { "iam:PermissionsBoundary" = aws_iam_policy.boundary.arn } }',
        "{}",
        lambda c: (
            c.locals(HERE)["conditions"]["bounded"]
            == {"StringEquals": {"iam:PermissionsBoundary": "${aws_iam_policy.boundary.arn}"}}
        ),
    ),
    "a role is handed to Glue alone": Property(
        "bootstrap/policies.tf",
        '"iam:PassedToService" = "glue.amazonaws.com"',
        '"iam:PassedToService" = "ec2.amazonaws.com"',
        lambda c: (
            c.locals(HERE)["conditions"]["handedOn"] == {"StringEquals": {"iam:PassedToService": "glue.amazonaws.com"}}
        ),
    ),
    "the roles cannot change themselves": Property(
        "bootstrap/github.tf",
        'path                 = "/${var.name}-bootstrap/"',
        'path                 = "/${var.name}/"',
        lambda c: c.resources(HERE)["aws_iam_role.github"]["path"] == "/${var.name}-bootstrap/",
    ),
    "the state is in a private bucket": Property(
        "bootstrap/state.tf",
        '"../modules/private-bucket"',
        '"../modules/other"',
        lambda c: c.named(HERE, "module", "state")["source"] == "../modules/private-bucket",
    ),
    "the state's history is kept": Property(
        "bootstrap/state.tf",
        "noncurrent_days = 90",
        "noncurrent_days = 0",
        lambda c: c.named(HERE, "module", "state")["noncurrent_days"] == 90,
    ),
    "the state does not expire": Property(
        "bootstrap/state.tf",
        "noncurrent_days = 90",
        'noncurrent_days = 90\n  expire_days = { "" = 30 }',
        lambda c: "expire_days" not in c.named(HERE, "module", "state"),
    ),
    "a lock table is an option": Property(
        "bootstrap/state.tf",
        "count = var.lock_table ? 1 : 0",
        "count = 1",
        lambda c: c.resources(HERE)["aws_dynamodb_table.lock"]["count"] == "${var.lock_table ? 1 : 0}",
    ),
    "the bootstrap is tagged": Property(
        "bootstrap/versions.tf",
        'managed_by = "terraform"',
        'made_by = "terraform"',
        lambda c: 'managed_by = "terraform"' in c.tags(HERE),
    ),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_property_is_there(configuration, name):
    assert PROPERTIES[name].proved(configuration)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_change_is_seen(name):
    assert not PROPERTIES[name].proved(PROPERTIES[name].changed())


def test_every_scoped_action_is_one_that_is_used(configuration):
    """What is left unscoped, bounded or tagged in policies.tf is an action of actions.tf."""
    values = configuration.locals(HERE)
    used = {action for each in actions(configuration).values() for action in each}
    assert {*values["unscoped"], *values["bounded"], *values["tagged"]} <= used


def test_the_keys_policy_lets_everybody_do_what_their_own_policies_say(configuration):
    """A key's policy that leaves an action out locks out whoever needs it, the deployer too."""
    needed = {action for each in actions(configuration).values() for action in each if action.startswith("kms:")}
    used = {action for each in configuration.statements("policies/use-key.json") for action in each["Action"]}
    named = {action for each in configuration.statements("policies/key.json") for action in each["Action"]}
    assert (needed | used) - named == {"kms:CreateKey", "kms:ListAliases"}  # which are about no one key


def test_the_boundary_reads_every_policy_of_the_lakes_principals(configuration):
    files = {file.removeprefix("policies/") for file in POLICIES} - {"key.json"}
    assert all(file in configuration.locals(HERE)["used"] for file in files)
