data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

locals {
  account   = data.aws_caller_identity.current.account_id
  partition = data.aws_partition.current.partition
  arn       = "arn:${local.partition}"

  # What `rowgate render` wrote from each contract.
  contracts = {
    for file in fileset("${path.module}/rendered", "*.json") :
    trimsuffix(file, ".json") => jsondecode(file("${path.module}/rendered/${file}"))
  }
  database = one(distinct([for contract in local.contracts : contract.database]))
  tables   = merge([for contract in local.contracts : contract.tables]...)
  queries  = merge([for contract in local.contracts : contract.saved_queries]...)

  key_arn = var.encryption == "kms" ? aws_kms_key.lake[0].arn : null
}
