locals {
  here     = "${var.region}:${local.account}"
  lake_arn = "${local.arn}:s3:::${var.name}-lake-${local.account}-${var.region}"

  # Service -> what the main configuration makes there, by its names.
  scopes = {
    s3 = [local.lake_arn, "${local.arn}:s3:::${var.name}-results-${local.account}-${var.region}"]
    iam = [
      "${local.arn}:iam::${local.account}:policy/${var.name}/*",
      "${local.arn}:iam::${local.account}:role/${var.name}/*",
      "${local.arn}:iam::${local.account}:user/${var.name}/*",
    ]
    glue = [
      "${local.arn}:glue:${local.here}:catalog",
      "${local.arn}:glue:${local.here}:database/${local.database}",
      "${local.arn}:glue:${local.here}:table/${local.database}/*",
      "${local.arn}:glue:${local.here}:userDefinedFunction/${local.database}/*",
      "${local.arn}:glue:${local.here}:crawler/${var.name}-*",
    ]
    athena     = ["${local.arn}:athena:${local.here}:workgroup/${var.name}"]
    cloudwatch = ["${local.arn}:cloudwatch:${local.here}:alarm:${var.name}-*"]
    kms        = ["${local.arn}:kms:${local.here}:key/*", "${local.arn}:kms:${local.here}:alias/${var.name}-*"]
  }
  database = one(distinct([
    for file in fileset("${path.module}/../rendered", "*.json") : jsondecode(file("${path.module}/../rendered/${file}")).database
  ]))

  # AWS knows no resource for these actions.
  unscoped = [
    "cloudwatch:DescribeAlarms", "glue:CreateClassifier", "glue:CreateCrawler", "glue:DeleteClassifier",
    "glue:GetClassifier", "glue:UpdateClassifier", "kms:CreateKey", "kms:ListAliases",
  ]
  # Whoever may do these could otherwise make a principal that may do anything.
  bounded = ["iam:AttachRolePolicy", "iam:AttachUserPolicy", "iam:CreateRole", "iam:CreateUser"]
  # A key has no name of its own to be scoped by; its tag says whose it is.
  tagged = ["kms:EnableKeyRotation", "kms:PutKeyPolicy", "kms:ScheduleKeyDeletion", "kms:UntagResource", "kms:UpdateKeyDescription"]

  conditions = {
    bounded  = { StringEquals = { "iam:PermissionsBoundary" = aws_iam_policy.boundary.arn } }
    tagged   = { StringEquals = { "aws:ResourceTag/project" = var.name } }
    tagging  = { StringEquals = { "aws:RequestTag/project" = var.name } }
    handedOn = { StringEquals = { "iam:PassedToService" = "glue.amazonaws.com" } }
    none     = {}
  }
  condition_of = merge(
    { for action in local.bounded : action => "bounded" },
    { for action in local.tagged : action => "tagged" },
    { "kms:CreateKey" = "tagging", "kms:TagResource" = "tagging", "iam:PassRole" = "handedOn" },
  )

  # Every action once: with those of its service and its condition.
  groups = {
    for kind, actions in { read = local.read_actions, write = local.write_actions } : kind => {
      for action in actions :
      join(":", [
        split(":", action)[0],
        contains(local.unscoped, action) ? "unscoped" : "scoped",
        lookup(local.condition_of, action, "none"),
      ]) => action...
    }
  }
  statements = {
    for kind, groups in local.groups : kind => [
      for group, actions in groups : merge(
        {
          Effect   = "Allow"
          Action   = actions
          Resource = split(":", group)[1] == "unscoped" ? ["*"] : local.scopes[split(":", group)[0]]
        },
        split(":", group)[2] == "none" ? {} : { Condition = local.conditions[split(":", group)[2]] },
      )
    ]
  }

  state_file = "${module.state.arn}/${local.state}"
  read_statements = concat(local.statements.read, [
    { Effect = "Allow", Action = ["s3:ListBucket"], Resource = [module.state.arn] },
    { Effect = "Allow", Action = ["s3:GetObject"], Resource = [local.state_file] },
  ])
  write_statements = concat(
    local.statements.write,
    [
      { Effect = "Allow", Action = ["s3:PutObject"], Resource = [local.state_file] },
      { Effect = "Allow", Action = ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"], Resource = ["${local.state_file}.tflock"] },
    ],
    [
      for table in aws_dynamodb_table.lock :
      { Effect = "Allow", Action = ["dynamodb:DeleteItem", "dynamodb:DescribeTable", "dynamodb:GetItem", "dynamodb:PutItem"], Resource = [table.arn] }
    ],
  )
}

# The most that any role or user of the main configuration can be given: what its own policies give, and no more.
resource "aws_iam_policy" "boundary" {
  name        = "${var.name}-boundary"
  path        = "/${var.name}-bootstrap/"
  description = "The most that a role or user of the lake may ever do."
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      for service, actions in {
        for action in local.used : split(":", action)[0] => action...
        } : {
        Effect   = "Allow"
        Action   = actions
        Resource = local.used_scopes[service]
      }
    ]
  })
}

locals {
  used = sort(distinct(flatten([
    for file in ["pipeline-policy.json", "policies/crawler.json", "policies/use-key.json"] :
    jsondecode(file("${path.module}/../${file}")).Statement[*].Action
  ])))
  used_scopes = merge(local.scopes, {
    s3   = [local.lake_arn, "${local.lake_arn}/*"]
    logs = ["${local.arn}:logs:${local.here}:log-group:/aws-glue/crawlers*"]
  })
}
