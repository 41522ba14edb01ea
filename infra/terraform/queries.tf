resource "aws_athena_workgroup" "lake" {
  name          = var.name
  description   = "Queries of ${var.name}'s lake: encrypted results, and a limit on what a query may read."
  force_destroy = false

  configuration {
    enforce_workgroup_configuration    = true
    publish_cloudwatch_metrics_enabled = true
    bytes_scanned_cutoff_per_query     = var.bytes_scanned_limit

    engine_version {
      selected_engine_version = "Athena engine version 3"
    }

    result_configuration {
      output_location       = "s3://${module.results.name}/results/"
      expected_bucket_owner = local.account

      encryption_configuration {
        encryption_option = var.encryption == "kms" ? "SSE_KMS" : "SSE_S3"
        kms_key_arn       = local.key_arn
      }
    }
  }
}

resource "aws_athena_named_query" "saved" {
  for_each = local.queries

  name        = each.key
  description = each.value.description
  workgroup   = aws_athena_workgroup.lake.id
  database    = aws_glue_catalog_database.lake.name
  query       = each.value.sql
}

# Athena publishes no count of failures: how often it measured the time of a failed query is that count. It publishes one
# metric for each kind of query.
resource "aws_cloudwatch_metric_alarm" "failed_queries" {
  for_each = toset(["DML", "DDL", "UTILITY"])

  alarm_name          = "${var.name}-failed-queries-${lower(each.key)}"
  alarm_description   = "A query (${each.key}) of the workgroup ${var.name} failed; its history in Athena says why."
  namespace           = "AWS/Athena"
  metric_name         = "TotalExecutionTime"
  statistic           = "SampleCount"
  period              = 300
  evaluation_periods  = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  threshold           = 1
  treat_missing_data  = "notBreaching"
  alarm_actions       = var.alarm_topics

  dimensions = {
    WorkGroup  = aws_athena_workgroup.lake.name
    QueryState = "FAILED"
    QueryType  = each.key
  }
}
