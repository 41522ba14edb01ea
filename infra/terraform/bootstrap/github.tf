resource "aws_iam_openid_connect_provider" "github" {
  count = var.oidc_provider_arn == null ? 1 : 0

  url            = "https://token.actions.githubusercontent.com"
  client_id_list = ["sts.amazonaws.com"]
}

locals {
  oidc_provider_arn = var.oidc_provider_arn == null ? aws_iam_openid_connect_provider.github[0].arn : var.oidc_provider_arn

  # Whoever can open a pull request in the repository can run code in its workflow, so that one only reads. The
  # production environment asks a reviewer before its job begins.
  subjects = {
    planner  = ["repo:${var.repository}:pull_request", "repo:${var.repository}:ref:refs/heads/main"]
    deployer = ["repo:${var.repository}:environment:production"]
  }
}

# Outside the path of the main configuration's roles, so that neither can change itself.
resource "aws_iam_role" "github" {
  for_each = local.subjects

  name                 = "${var.name}-${each.key}"
  path                 = "/${var.name}-bootstrap/"
  description          = "GitHub's workflows of ${var.repository}: ${each.key}."
  max_session_duration = 3600
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = ["sts:AssumeRoleWithWebIdentity"]
      Principal = { Federated = local.oidc_provider_arn }
      Condition = {
        StringEquals = {
          "token.actions.githubusercontent.com:aud" = "sts.amazonaws.com"
          "token.actions.githubusercontent.com:sub" = each.value
        }
      }
    }]
  })
}

resource "aws_iam_policy" "github" {
  for_each = { read = local.read_statements, write = local.write_statements }

  name        = "${var.name}-${each.key}"
  path        = "/${var.name}-bootstrap/"
  description = "The actions that the main configuration uses, to ${each.key}."
  policy      = jsonencode({ Version = "2012-10-17", Statement = each.value })
}

resource "aws_iam_role_policy_attachment" "github" {
  for_each = {
    planner-read   = { role = "planner", policy = "read" }
    deployer-read  = { role = "deployer", policy = "read" }
    deployer-write = { role = "deployer", policy = "write" }
  }

  role       = aws_iam_role.github[each.value.role].name
  policy_arn = aws_iam_policy.github[each.value.policy].arn
}
