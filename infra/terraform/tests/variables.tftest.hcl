# `terraform test`: no account is asked, the provider is a mock. It is still downloaded, for its schema.
mock_provider "aws" {
  source = "./tests/mocks"
}

run "the_lifecycle" {
  command = apply

  module {
    source = "./modules/private-bucket"
  }

  variables {
    name            = "a-bucket"
    noncurrent_days = 7
    expire_days     = { "raw/" = 30, "rejects/" = 5 }
  }

  assert {
    condition = {
      for rule in aws_s3_bucket_lifecycle_configuration.this.rule : rule.filter[0].prefix => rule.expiration[0].days if rule.filter[0].prefix != ""
    } == { "raw/" = 30, "rejects/" = 5 }
    error_message = "Each prefix expires after its days."
  }

  assert {
    condition     = one(aws_s3_bucket_server_side_encryption_configuration.this.rule).apply_server_side_encryption_by_default[0].sse_algorithm == "AES256"
    error_message = "Without a key of its own, a bucket is encrypted with S3's."
  }

  assert {
    condition     = jsondecode(aws_s3_bucket_policy.this.policy).Statement[0].Condition.Bool["aws:SecureTransport"] == "false"
    error_message = "What does not come over TLS is refused."
  }
}

run "a_role_where_somebody_is_named" {
  command = apply

  variables {
    pipeline_trust       = { principals = ["arn:aws:iam::123456789012:role/machine"], services = ["ecs-tasks.amazonaws.com"] }
    permissions_boundary = "arn:aws:iam::123456789012:policy/rowgate-bootstrap/rowgate-boundary"
  }

  assert {
    condition = [for statement in jsondecode(aws_iam_role.pipeline[0].assume_role_policy).Statement : statement.Principal] == [
      { AWS = ["arn:aws:iam::123456789012:role/machine"] },
      { Service = ["ecs-tasks.amazonaws.com"] },
    ]
    error_message = "The role trusts whom the variable names, and nobody else."
  }

  assert {
    condition     = length(aws_iam_user.pipeline) == 0 && length(aws_iam_role_policy_attachment.pipeline) == 2
    error_message = "There is no user beside the role."
  }

  assert {
    condition     = alltrue([for role in [aws_iam_role.pipeline[0], aws_iam_role.crawler] : role.permissions_boundary == var.permissions_boundary])
    error_message = "Every role is within the boundary."
  }
}

run "s3s_own_key" {
  command = apply

  variables {
    encryption = "sse-s3"
  }

  assert {
    condition     = length(aws_kms_key.lake) == 0 && length(aws_iam_policy.use_key) == 0 && output.key_arn == null
    error_message = "There is no KMS key, and no permission to use one."
  }

  assert {
    condition     = aws_athena_workgroup.lake.configuration[0].result_configuration[0].encryption_configuration[0].encryption_option == "SSE_S3"
    error_message = "Results are encrypted all the same."
  }
}

run "anybody_is_refused" {
  command = plan

  variables {
    pipeline_trust = { principals = ["*"] }
  }

  expect_failures = [var.pipeline_trust]
}

run "a_landing_that_outlives_raw_is_refused" {
  command = plan

  variables {
    retention_days = { landing = 30, raw = 30 }
  }

  expect_failures = [var.retention_days]
}

run "records_that_outlive_raw_are_refused" {
  command = plan

  variables {
    retention_days = { records = 31 }
  }

  expect_failures = [var.retention_days]
}

run "another_encryption_is_refused" {
  command = plan

  variables {
    encryption = "none"
  }

  expect_failures = [var.encryption]
}

run "a_limit_that_athena_does_not_take_is_refused" {
  command = plan

  variables {
    bytes_scanned_limit = 1
  }

  expect_failures = [var.bytes_scanned_limit]
}
