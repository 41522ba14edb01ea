output "name" {
  description = "The bucket's name, once it can be used."
  value       = aws_s3_bucket.this.id
  depends_on  = [aws_s3_bucket_policy.this]
}

output "arn" {
  description = "The bucket's ARN."
  value       = aws_s3_bucket.this.arn
}
