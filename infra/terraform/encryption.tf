resource "aws_kms_key" "lake" {
  count = var.encryption == "kms" ? 1 : 0

  description             = "Encrypts the objects of ${var.name}'s lake and of its query results."
  enable_key_rotation     = true
  deletion_window_in_days = 30
  policy = templatefile("${path.module}/policies/key.json", {
    account_arn = "${local.arn}:iam::${local.account}:root"
  })
}

resource "aws_kms_alias" "lake" {
  count = var.encryption == "kms" ? 1 : 0

  name          = "alias/${var.name}-lake"
  target_key_id = aws_kms_key.lake[0].key_id
}

# What a principal that reads and writes encrypted objects needs besides S3's own actions.
resource "aws_iam_policy" "use_key" {
  count = var.encryption == "kms" ? 1 : 0

  name        = "${var.name}-use-key"
  path        = "/${var.name}/"
  description = "Read and write objects that are encrypted with the lake's key, through S3 alone."
  policy = templatefile("${path.module}/policies/use-key.json", {
    key_arn = aws_kms_key.lake[0].arn
    s3      = "s3.${var.region}.amazonaws.com"
  })
}
