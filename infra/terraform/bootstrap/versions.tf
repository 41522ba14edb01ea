# Applied once, by hand, by an administrator. Its own state stays on that machine until it is moved into the bucket that
# it made (docs/guides/aws.md).
terraform {
  required_version = ">= 1.11.0, < 2.0.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }
}

provider "aws" {
  region = var.region

  default_tags {
    tags = merge(var.tags, { project = "${var.name}-bootstrap", managed_by = "terraform" })
  }
}
