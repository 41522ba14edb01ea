terraform {
  required_version = ">= 1.11.0, < 2.0.0" # 1.11 locks the state in S3 itself

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
  }

  # Where the state lies is named when it is initialised: -backend-config=backend.hcl, as the bootstrap prints it.
  backend "s3" {
    encrypt      = true
    use_lockfile = true
  }
}

provider "aws" {
  region = var.region

  default_tags {
    tags = merge(var.tags, { project = var.name, managed_by = "terraform" })
  }
}
