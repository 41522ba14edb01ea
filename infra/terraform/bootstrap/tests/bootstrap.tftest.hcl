# `terraform test`: no account is asked, the provider is a mock. It is still downloaded, for its schema.
mock_provider "aws" {
  source = "../tests/mocks"
}

variables {
  repository = "an-owner/rowgate"
}

run "defaults" {
  command = apply

  assert {
    condition = {
      for name, role in aws_iam_role.github : name => jsondecode(role.assume_role_policy).Statement[0].Condition.StringEquals["token.actions.githubusercontent.com:sub"]
      } == {
      planner  = ["repo:an-owner/rowgate:pull_request", "repo:an-owner/rowgate:ref:refs/heads/main"]
      deployer = ["repo:an-owner/rowgate:environment:production"]
    }
    error_message = "Exactly pull requests, main and the production environment are trusted, each with its own role."
  }

  assert {
    condition     = toset(flatten([for policy in aws_iam_policy.github : jsondecode(policy.policy).Statement[*].Action])) == setunion(local.read_actions, local.write_actions, ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"])
    error_message = "What the roles may do is what the main configuration uses, and the state's own object."
  }

  assert {
    condition     = alltrue([for policy in concat(values(aws_iam_policy.github), [aws_iam_policy.boundary]) : !strcontains(join(",", flatten(jsondecode(policy.policy).Statement[*].Action)), "*")])
    error_message = "No action is a wildcard."
  }

  assert {
    condition     = alltrue([for policy in concat(values(aws_iam_policy.github), [aws_iam_policy.boundary]) : length(policy.policy) <= 6144])
    error_message = "IAM takes 6144 characters a policy."
  }

  assert {
    condition = toset(flatten([
      for statement in jsondecode(aws_iam_policy.github["write"].policy).Statement : statement.Action
      if try(statement.Condition.StringEquals["iam:PermissionsBoundary"], null) != null
    ])) == toset(local.bounded)
    error_message = "A principal can be made, and given a policy, only within the boundary."
  }

  assert {
    condition     = toset(flatten(jsondecode(aws_iam_policy.boundary.policy).Statement[*].Action)) == toset(local.used)
    error_message = "The boundary is what the pipeline and the crawler use."
  }

  assert {
    condition     = output.backend == "bucket = \"a-bucket\"\nkey    = \"rowgate/terraform.tfstate\"\nregion = \"eu-central-1\"\n"
    error_message = "The output backend is the main configuration's backend.hcl."
  }

  assert {
    condition     = length(aws_dynamodb_table.lock) == 0 && length(aws_iam_openid_connect_provider.github) == 1
    error_message = "S3 itself locks, and the account's provider for GitHub is made."
  }
}

run "an_account_that_has_githubs_provider_and_an_older_terraform" {
  command = apply

  variables {
    oidc_provider_arn = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com"
    lock_table        = true
  }

  assert {
    condition     = length(aws_iam_openid_connect_provider.github) == 0 && jsondecode(aws_iam_role.github["planner"].assume_role_policy).Statement[0].Principal.Federated == var.oidc_provider_arn
    error_message = "The existing provider is used."
  }

  assert {
    condition     = strcontains(output.backend, "dynamodb_table = \"rowgate-state-lock\"") && strcontains(aws_iam_policy.github["write"].policy, "dynamodb:PutItem")
    error_message = "The table locks, and the deployer may use it."
  }
}

run "every_repository_is_refused" {
  command = plan

  variables {
    repository = "an-owner/*"
  }

  expect_failures = [var.repository]
}
