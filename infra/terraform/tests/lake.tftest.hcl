# `terraform test`: no account is asked, the provider is a mock. It is still downloaded, for its schema.
mock_provider "aws" {
  source = "./tests/mocks"
}

run "defaults" {
  command = apply

  assert {
    condition     = toset(keys(aws_glue_catalog_table.lake)) == toset(flatten([for contract in keys(local.contracts) : [for zone in ["records", "clean", "rejects", "quality"] : "${contract}_${zone}"]]))
    error_message = "Each contract has four tables."
  }

  assert {
    condition     = aws_glue_catalog_table.lake["users_rejects"].storage_descriptor[0].location == "s3://a-bucket/rejects/users/"
    error_message = "A table reads its contract's folder of its zone."
  }

  assert {
    condition     = alltrue([for table in aws_glue_catalog_table.lake : [for key in table.partition_keys : key.name] == ["dt"] && table.parameters["projection.enabled"] == "true"])
    error_message = "Every table is partitioned by dt, which is projected."
  }

  assert {
    condition     = { for column in aws_glue_catalog_table.lake["users_clean"].storage_descriptor[0].columns : column.name => column.parameters.pii }["email"] == "direct identifier"
    error_message = "A column carries its PII class."
  }

  assert {
    condition = {
      for statement in jsondecode(aws_iam_policy.pipeline.policy).Statement : join(",", statement.Action) => statement.Resource
    }["s3:DeleteObject"] == [for zone in ["records", "clean", "rejects"] : "arn:aws:s3:::a-bucket/${zone}/*"]
    error_message = "The pipeline deletes in records/, clean/ and rejects/ alone."
  }

  assert {
    condition     = length(aws_iam_user.pipeline) == 1 && length(aws_iam_role.pipeline) == 0 && length(aws_iam_user_policy_attachment.pipeline) == 2
    error_message = "Where nobody is named to assume a role, there is a user."
  }

  assert {
    condition     = aws_athena_workgroup.lake.configuration[0].result_configuration[0].encryption_configuration[0].encryption_option == "SSE_KMS"
    error_message = "Results are encrypted with the lake's key."
  }

  assert {
    condition     = toset(keys(aws_athena_named_query.saved)) == toset(flatten([for contract in local.contracts : keys(contract.saved_queries)]))
    error_message = "Every saved query is there."
  }

  assert {
    condition     = toset([for target in aws_glue_crawler.raw.s3_target : target.path]) == toset([for contract in keys(local.contracts) : "s3://a-bucket/raw/${contract}"])
    error_message = "The crawler reads raw/ of every contract."
  }

  assert {
    condition     = output.env == <<-EOT
      ROWGATE_LAKE=s3://a-bucket
      AWS_REGION=eu-central-1
      AWS_DEFAULT_REGION=eu-central-1
      AIRFLOW_CONN_AWS_DEFAULT='{"conn_type":"aws","extra":{"region_name":"eu-central-1"}}'
    EOT
    error_message = "The output env is the lines of .env."
  }
}
