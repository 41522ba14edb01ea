# Copied to infra/terraform/local_override.tf, it points the configuration at an imitation of AWS on this machine:
# docs/guides/aws.md. Terraform merges every file of that name over the others; Git ignores it.
terraform {
  backend "local" {}
}

provider "aws" {
  access_key                  = "anything"
  secret_key                  = "anything"
  s3_use_path_style           = true
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  skip_region_validation      = true

  endpoints {
    athena     = "http://localhost:5000"
    cloudwatch = "http://localhost:5000"
    glue       = "http://localhost:5000"
    iam        = "http://localhost:5000"
    kms        = "http://localhost:5000"
    s3         = "http://localhost:5000"
    s3control  = "http://localhost:5000"
    sts        = "http://localhost:5000"
  }
}

# moto has no classifiers.
resource "aws_glue_classifier" "raw" {
  count = 0
}

resource "aws_glue_crawler" "raw" {
  #checkov:skip=CKV_AWS_195:as in the configuration that it overrides
  classifiers = []
}
