data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}

locals {
  account = data.aws_caller_identity.current.account_id
  arn     = "arn:${data.aws_partition.current.partition}"
  state   = "${var.name}/terraform.tfstate"
}

# The state holds no secret: neither configuration makes an access key.
module "state" {
  source = "../modules/private-bucket"

  name            = "${var.name}-state-${local.account}-${var.region}"
  noncurrent_days = 90
}

resource "aws_dynamodb_table" "lock" {
  count = var.lock_table ? 1 : 0

  name                        = "${var.name}-state-lock"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "LockID"
  deletion_protection_enabled = true

  attribute {
    name = "LockID"
    type = "S"
  }

  point_in_time_recovery {
    enabled = true
  }

  server_side_encryption {
    enabled = true
  }
}
