# Values in the form that AWS gives them: the provider looks at the form of an ARN.
mock_data "aws_caller_identity" {
  defaults = { account_id = "123456789012" }
}

mock_data "aws_partition" {
  defaults = { partition = "aws" }
}

mock_resource "aws_s3_bucket" {
  defaults = { arn = "arn:aws:s3:::a-bucket", id = "a-bucket" }
}

mock_resource "aws_kms_key" {
  defaults = { arn = "arn:aws:kms:eu-central-1:123456789012:key/a-key", key_id = "a-key" }
}

mock_resource "aws_iam_policy" {
  defaults = { arn = "arn:aws:iam::123456789012:policy/rowgate/a-policy" }
}

mock_resource "aws_iam_role" {
  defaults = { arn = "arn:aws:iam::123456789012:role/rowgate/a-role" }
}

mock_resource "aws_iam_user" {
  defaults = { arn = "arn:aws:iam::123456789012:user/rowgate/a-user" }
}

mock_resource "aws_iam_openid_connect_provider" {
  defaults = { arn = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com" }
}

mock_resource "aws_dynamodb_table" {
  defaults = { arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/a-table" }
}
