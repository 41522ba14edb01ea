output "env" {
  description = "The lines of .env: `terraform output -raw env`. The pipeline's keys are not among them."
  value       = <<-EOT
    ROWGATE_LAKE=s3://${module.lake.name}
    AWS_REGION=${var.region}
    AWS_DEFAULT_REGION=${var.region}
    AIRFLOW_CONN_AWS_DEFAULT='${jsonencode({ conn_type = "aws", extra = { region_name = var.region } })}'
  EOT
}

output "lake" {
  description = "The lake's address, for ROWGATE_LAKE."
  value       = "s3://${module.lake.name}"
}

output "pipeline_arn" {
  description = "The pipeline's principal: a role to assume, or a user to make a key for."
  value       = local.pipeline_is_role ? aws_iam_role.pipeline[0].arn : aws_iam_user.pipeline[0].arn
}

output "database" {
  description = "The Glue database of the tables."
  value       = aws_glue_catalog_database.lake.name
}

output "workgroup" {
  description = "The Athena workgroup to query in."
  value       = aws_athena_workgroup.lake.name
}

output "results" {
  description = "Where Athena writes results."
  value       = "s3://${module.results.name}/results/"
}

output "crawler" {
  description = "The crawler to start by hand: aws glue start-crawler --name."
  value       = aws_glue_crawler.raw.name
}

output "key_arn" {
  description = "The lake's KMS key, or null with sse-s3."
  value       = local.key_arn
}
