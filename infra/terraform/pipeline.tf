# Terraform makes no access key: it would stand in the state. Whoever runs the pipeline makes one, or assumes the role.

locals {
  pipeline_is_role = length(var.pipeline_trust.principals) + length(var.pipeline_trust.services) > 0
  pipeline_policies = merge(
    { lake = aws_iam_policy.pipeline.arn },
    var.encryption == "kms" ? { key = aws_iam_policy.use_key[0].arn } : {},
  )
  pipeline_trust = [
    for kind, who in { AWS = var.pipeline_trust.principals, Service = var.pipeline_trust.services } :
    { Effect = "Allow", Action = ["sts:AssumeRole"], Principal = { (kind) = sort(who) } } if length(who) > 0
  ]
}

resource "aws_iam_policy" "pipeline" {
  name        = "${var.name}-pipeline"
  path        = "/${var.name}/"
  description = "What a run may do in the lake."
  policy      = templatefile("${path.module}/pipeline-policy.json", { bucket_arn = module.lake.arn })
}

resource "aws_iam_role" "pipeline" {
  count = local.pipeline_is_role ? 1 : 0

  name                 = "${var.name}-pipeline"
  path                 = "/${var.name}/"
  description          = "Runs the pipeline: reads and writes the lake, and nothing else."
  permissions_boundary = var.permissions_boundary
  assume_role_policy   = jsonencode({ Version = "2012-10-17", Statement = local.pipeline_trust })
}

resource "aws_iam_role_policy_attachment" "pipeline" {
  for_each = local.pipeline_is_role ? local.pipeline_policies : {}

  role       = aws_iam_role.pipeline[0].name
  policy_arn = each.value
}

resource "aws_iam_user" "pipeline" {
  #checkov:skip=CKV_AWS_273:only where no role can be assumed, as on a machine outside AWS; a program's user has no single sign-on
  count = local.pipeline_is_role ? 0 : 1

  name                 = "${var.name}-pipeline"
  path                 = "/${var.name}/"
  permissions_boundary = var.permissions_boundary
}

resource "aws_iam_user_policy_attachment" "pipeline" {
  #checkov:skip=CKV_AWS_40:a group of one user would say the same in two more resources
  for_each = local.pipeline_is_role ? {} : local.pipeline_policies

  user       = aws_iam_user.pipeline[0].name
  policy_arn = each.value
}
