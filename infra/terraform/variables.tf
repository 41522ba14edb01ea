variable "name" {
  description = "Begins the name of everything made here."
  type        = string
  default     = "rowgate"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,23}$", var.name))
    error_message = "The name has 2 to 24 characters: a lower-case letter, then lower-case letters, digits and hyphens."
  }
}

variable "region" {
  description = "The AWS region of the lake."
  type        = string
  default     = "eu-central-1"
}

variable "tags" {
  description = "Tags on everything, beside project and managed_by."
  type        = map(string)
  default     = {}
}

variable "encryption" {
  description = "How objects are encrypted: kms (a key of the lake's own) or sse-s3 (S3's key, which costs nothing)."
  type        = string
  default     = "kms"

  validation {
    condition     = contains(["kms", "sse-s3"], var.encryption)
    error_message = "The encryption is kms or sse-s3."
  }
}

variable "pipeline_trust" {
  description = "Who may assume the pipeline's role: ARNs of principals, and AWS services. With neither there is a user in its place."
  type = object({
    principals = optional(set(string), [])
    services   = optional(set(string), [])
  })
  default = {}

  validation {
    condition = alltrue([
      for each in setunion(var.pipeline_trust.principals, var.pipeline_trust.services) : !strcontains(each, "*")
    ])
    error_message = "Name each principal and each service that may assume the role: a * would let in anybody."
  }
}

variable "permissions_boundary" {
  description = "ARN of the boundary of every role and user made here; the bootstrap prints it, and its deployer needs it."
  type        = string
  default     = null
}

variable "retention_days" {
  description = <<-EOT
    Days after which objects of a prefix expire. landing/ must end before raw/: a file whose manifest has expired would
    be taken a second time.
  EOT
  type = object({
    landing = optional(number, 21)
    raw     = optional(number, 30)
    records = optional(number, 7)
    clean   = optional(number, 7)
  })
  default = {}

  validation {
    condition     = var.retention_days.landing < var.retention_days.raw
    error_message = "landing must expire before raw: a file whose manifest has expired would be taken a second time."
  }

  validation {
    condition     = max(var.retention_days.records, var.retention_days.clean) <= var.retention_days.raw
    error_message = "records and clean are made again from raw, so they must not outlive it."
  }
}

variable "rejects_retention_days" {
  description = "Days after which rejected rows expire: they hold personal data as it came."
  type        = number
  default     = 30
}

variable "noncurrent_retention_days" {
  description = "Days for which a version that was replaced or deleted can be had back."
  type        = number
  default     = 7
}

variable "results_retention_days" {
  description = "Days after which the results of Athena's queries expire: they may hold personal data."
  type        = number
  default     = 7
}

variable "bytes_scanned_limit" {
  description = "Bytes that one query may read before Athena ends it."
  type        = number
  default     = 10737418240 # 10 GiB

  validation {
    condition     = var.bytes_scanned_limit >= 10485760
    error_message = "Athena takes no limit below 10,485,760 bytes."
  }
}

variable "alarm_topics" {
  description = "ARNs of SNS topics that hear of failed queries. With none, the alarm shows in CloudWatch alone."
  type        = set(string)
  default     = []
}
