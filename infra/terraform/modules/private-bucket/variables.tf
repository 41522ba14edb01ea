variable "name" {
  description = "The bucket's name."
  type        = string
}

variable "key_arn" {
  description = "ARN of the KMS key that encrypts its objects; S3's own key where there is none."
  type        = string
  default     = null
}

variable "expire_days" {
  description = "Prefix, ending in a slash -> days after which its objects expire; an empty prefix is everything."
  type        = map(number)
  default     = {}
}

variable "noncurrent_days" {
  description = "Days for which a version that was replaced or deleted can be had back."
  type        = number
}
