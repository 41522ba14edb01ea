"""The bootstrap: each whole is compared, so that nothing is there beside what the other tests look for."""

import runpy
from pathlib import Path

import pytest

wholes = runpy.run_path(str(Path(__file__).with_name("configuration.py")))["wholes"]
POLICIES, GITHUB = "bootstrap/policies.tf", "bootstrap/github.tf"
ARN, HERE = "${local.arn}", "${local.here}"


def bootstrap(configuration, address):
    return configuration.resources("bootstrap")[address]


def values(configuration, name):
    return configuration.locals("bootstrap")[name]


PROPERTIES = {
    **wholes(
        "GitHub's two roles have their policies and no other",
        lambda c: (
            bootstrap(c, "aws_iam_role_policy_attachment.github")
            == {
                "for_each": {
                    "planner-read": {"role": "planner", "policy": "read"},
                    "deployer-read": {"role": "deployer", "policy": "read"},
                    "deployer-write": {"role": "deployer", "policy": "write"},
                },
                "role": "${aws_iam_role.github[each.value.role].name}",
                "policy_arn": "${aws_iam_policy.github[each.value.policy].arn}",
            }
            and set(c.resources("bootstrap"))
            == {
                *("aws_dynamodb_table.lock", "aws_iam_openid_connect_provider.github", "aws_iam_policy.boundary"),
                *("aws_iam_policy.github", "aws_iam_role.github", "aws_iam_role_policy_attachment.github"),
            }
        ),
        (
            GITHUB,
            "    deployer-read  =",
            '    planner-write  = { role = "planner", policy = "write" }\n    deployer-read  =',
        ),
        (GITHUB, "= aws_iam_policy.github[each.value.policy].arn", '= "arn:aws:iam::aws:policy/AdministratorAccess"'),
        (
            GITHUB,
            'resource "aws_iam_role" "github"',
            'resource "aws_iam_role" "b" {}\nresource "aws_iam_role" "github"',
        ),
    ),
    **wholes(
        "GitHub's tokens alone, for one repository and this audience, are taken",
        lambda c: (
            "Principal = {Federated = local.oidc_provider_arn}, Condition"
            in bootstrap(c, "aws_iam_role.github")["assume_role_policy"]
            and bootstrap(c, "aws_iam_openid_connect_provider.github")["client_id_list"] == ["sts.amazonaws.com"]
            and "^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$"
            in c.named("bootstrap", "variable", "repository")["validation"][0]["condition"]
        ),
        (GITHUB, "Federated = local.oidc_provider_arn", 'Federated = "*"'),
        (GITHUB, '["sts.amazonaws.com"]', '["sts.amazonaws.com", "others"]'),
        ("bootstrap/variables.tf", '"^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$"', '".*"'),
    ),
    **wholes(
        "the roles reach what the main configuration makes, by its names",
        lambda c: (
            values(c, "scopes")
            == {
                "s3": ["${local.lake_arn}", f"{ARN}:s3:::${{var.name}}-results-${{local.account}}-${{var.region}}"],
                "iam": [f"{ARN}:iam::${{local.account}}:{kind}/${{var.name}}/*" for kind in ("policy", "role", "user")],
                "glue": [
                    f"{ARN}:glue:{HERE}:catalog",
                    f"{ARN}:glue:{HERE}:database/${{local.database}}",
                    f"{ARN}:glue:{HERE}:table/${{local.database}}/*",
                    f"{ARN}:glue:{HERE}:userDefinedFunction/${{local.database}}/*",
                    f"{ARN}:glue:{HERE}:crawler/${{var.name}}-*",
                ],
                "athena": [f"{ARN}:athena:{HERE}:workgroup/${{var.name}}"],
                "cloudwatch": [f"{ARN}:cloudwatch:{HERE}:alarm:${{var.name}}-*"],
                "kms": [f"{ARN}:kms:{HERE}:key/*", f"{ARN}:kms:{HERE}:alias/${{var.name}}-*"],
            }
            and values(c, "lake_arn") == f"{ARN}:s3:::${{var.name}}-lake-${{local.account}}-${{var.region}}"
            and [each for each in values(c, "unscoped") if each.startswith(("iam:", "s3:", "athena:"))] == []
            and [each for each in values(c, "unscoped") if each.startswith("kms:")]
            == ["kms:CreateKey", "kms:ListAliases"]
        ),
        (POLICIES, ":role/${var.name}/*", ":role/*"),
        (
            POLICIES,
            '[local.lake_arn, "${local.arn}:s3:::${var.name}-results',
            '["*", "${local.arn}:s3:::${var.name}-results',
        ),
        (
            POLICIES,
            '"kms:CreateKey", "kms:ListAliases",\n  ]',
            '"kms:CreateKey", "kms:ListAliases", "iam:CreateRole",\n  ]',
        ),
    ),
    **wholes(
        "an action on a key or a role has its condition",
        lambda c: (
            values(c, "conditions")
            == {
                "bounded": {"StringEquals": {"iam:PermissionsBoundary": "${aws_iam_policy.boundary.arn}"}},
                "tagged": {"StringEquals": {"aws:ResourceTag/project": "${var.name}"}},
                "tagging": {"StringEquals": {"aws:RequestTag/project": "${var.name}"}},
                "handedOn": {"StringEquals": {"iam:PassedToService": "glue.amazonaws.com"}},
                "none": {},
            }
            and values(c, "condition_of").endswith(
                ': action => "tagged"}, {"kms:CreateKey" = "tagging", "kms:TagResource" = "tagging", '
                '"iam:PassRole" = "handedOn"})}'
            )
            and values(c, "statements").endswith(
                '== "none" ? {} : {Condition = local.conditions[split(":", group)[2]]})]}}'
            )
            and values(c, "tagged")
            == [
                f"kms:{each}"
                for each in (
                    "EnableKeyRotation",
                    "PutKeyPolicy",
                    "ScheduleKeyDeletion",
                    "UntagResource",
                    "UpdateKeyDescription",
                )
            ]
        ),
        (POLICIES, '{ StringEquals = { "aws:ResourceTag/project" = var.name } }', "{}"),
        (POLICIES, '"iam:PassRole" = "handedOn"', '"iam:PassRole" = "none"'),
        (POLICIES, '"kms:PutKeyPolicy", ', ""),
        (POLICIES, "{ Condition = local.conditions[", "{ Comment = local.conditions["),
    ),
    **wholes(
        "the deployer cannot give a principal a policy beside the boundary",
        lambda c: (
            not [
                action
                for each in values(c, "actions").values()
                for action in each["write"]
                if action.startswith("iam:") and ("Boundary" in action or "Inline" in action or action[4:7] == "Put")
            ]
        ),
        ("bootstrap/actions.tf", '"iam:CreateRole", ', '"iam:CreateRole", "iam:PutRolePolicy", '),
        ("bootstrap/actions.tf", '"iam:CreateRole", ', '"iam:CreateRole", "iam:DeleteRolePermissionsBoundary", '),
    ),
    **wholes(
        "the boundary is within the lake",
        lambda c: (
            bootstrap(c, "aws_iam_policy.boundary")["policy"].endswith("Resource = local.used_scopes[service]}]})}")
            and values(c, "used_scopes")
            == '${merge(local.scopes, {s3 = [local.lake_arn, "${local.lake_arn}/*"], '
            'logs = ["${local.arn}:logs:${local.here}:log-group:/aws-glue/crawlers*"]})}'
        ),
        (POLICIES, "local.used_scopes[service]", '"*"'),
        (POLICIES, '[local.lake_arn, "${local.lake_arn}/*"]', '["*"]'),
    ),
    **wholes(
        "of the state the planner reads the file, and the deployer writes it and its lock",
        lambda c: (
            values(c, "state_file") == "${module.state.arn}/${local.state}"
            and values(c, "read_statements")
            == '${concat(local.statements.read, [{Effect = "Allow", Action = ["s3:ListBucket"], '
            "Resource = [module.state.arn]}, "
            '{Effect = "Allow", Action = ["s3:GetObject"], Resource = [local.state_file]}])}'
            and '[{Effect = "Allow", Action = ["s3:PutObject"], Resource = [local.state_file]}, '
            '{Effect = "Allow", Action = ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"], '
            'Resource = ["${local.state_file}.tflock"]}], [for table'
            in values(c, "write_statements")
        ),
        (POLICIES, "${module.state.arn}/${local.state}", "${module.state.arn}/*"),
        (POLICIES, 'Action = ["s3:GetObject"], Resource = [local.state_file]', 'Action = ["s3:*"], Resource = ["*"]'),
        (POLICIES, 'Action = ["s3:PutObject"]', 'Action = ["s3:PutObject", "s3:DeleteObject"]'),
    ),
    **wholes(
        "the lock table is encrypted and not deleted by mistake",
        lambda c: (
            bootstrap(c, "aws_dynamodb_table.lock")["server_side_encryption"] == [{"enabled": True}]
            and bootstrap(c, "aws_dynamodb_table.lock")["deletion_protection_enabled"] is True
        ),
        (
            "bootstrap/state.tf",
            "server_side_encryption {\n    enabled = true",
            "server_side_encryption {\n    enabled = false",
        ),
        ("bootstrap/state.tf", "deletion_protection_enabled = true", "deletion_protection_enabled = false"),
    ),
}


@pytest.mark.parametrize("name", [name for name in PROPERTIES if name.endswith("(1)")])
def test_the_whole_is_as_it_should_be(configuration, name):
    assert PROPERTIES[name].proved(configuration)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_change_is_seen(name):
    assert not PROPERTIES[name].proved(PROPERTIES[name].changed())
