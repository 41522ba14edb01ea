output "backend" {
  description = "The main configuration's backend.hcl: `terraform output -raw backend`."
  value = join("\n", concat(
    [
      "bucket = \"${module.state.name}\"",
      "key    = \"${local.state}\"",
      "region = \"${var.region}\"",
    ],
    [for table in aws_dynamodb_table.lock : "dynamodb_table = \"${table.name}\""],
    [""],
  ))
}

output "planner_role_arn" {
  description = "The role of pull requests and of main, which only reads."
  value       = aws_iam_role.github["planner"].arn
}

output "deployer_role_arn" {
  description = "The role of the production environment."
  value       = aws_iam_role.github["deployer"].arn
}

output "permissions_boundary" {
  description = "The main configuration's variable of that name."
  value       = aws_iam_policy.boundary.arn
}
