variable "name" {
  description = "Begins the name of everything made here; the same as the main configuration's."
  type        = string
  default     = "rowgate"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,23}$", var.name))
    error_message = "The name has 2 to 24 characters: a lower-case letter, then lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "The AWS region of the state and of the lake."
  type        = string
  default     = "eu-central-1"
}

variable "tags" {
  description = "Tags on everything, beside project and managed_by."
  type        = map(string)
  default     = {}
}

variable "repository" {
  description = "The GitHub repository whose workflows plan and apply, owner/name."
  type        = string

  validation {
    condition     = can(regex("^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$", var.repository))
    error_message = "The repository is owner/name, without a wildcard."
  }
}

variable "oidc_provider_arn" {
  description = "ARN of the account's provider for GitHub's tokens, which an account has once. Without it one is made."
  type        = string
  default     = null
}

variable "lock_table" {
  description = "Whether there is a DynamoDB table that locks the state, for a Terraform before 1.11."
  type        = bool
  default     = false
}
