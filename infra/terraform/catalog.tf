resource "aws_glue_catalog_database" "lake" {
  name        = local.database
  description = "The zones of ${var.name}'s lake, as the contracts describe them."
}

# Partitions are computed from the days (projection, in the parameters), so nothing needs to be crawled.
resource "aws_glue_catalog_table" "lake" {
  for_each = local.tables

  name          = each.key
  database_name = aws_glue_catalog_database.lake.name
  description   = each.value.description
  table_type    = "EXTERNAL_TABLE"
  parameters    = each.value.parameters

  dynamic "partition_keys" {
    for_each = each.value.partition_keys

    content {
      name    = partition_keys.value.name
      type    = partition_keys.value.type
      comment = partition_keys.value.comment
    }
  }

  storage_descriptor {
    location      = "s3://${module.lake.name}/${each.value.location_suffix}"
    input_format  = each.value.input_format
    output_format = each.value.output_format

    ser_de_info {
      serialization_library = each.value.serde.serialization_library
      parameters            = each.value.serde.parameters
    }

    dynamic "columns" {
      for_each = each.value.columns

      content {
        name       = columns.value.name
        type       = columns.value.type
        comment    = columns.value.comment
        parameters = { pii = columns.value.pii }
      }
    }
  }
}

# The crawler is started by hand: it shows what really arrives in raw/, beside what the contracts expect.
resource "aws_glue_classifier" "raw" {
  name = "${var.name}-raw-csv"

  csv_classifier {
    allow_single_column = true
    contains_header     = "PRESENT" # every column is text, so a guess would take the header for a row
    delimiter           = ","
    quote_symbol        = "\""
  }
}

resource "aws_iam_policy" "crawler" {
  name        = "${var.name}-crawler"
  path        = "/${var.name}/"
  description = "Read raw/ and write the tables whose names begin with arrived_."
  policy = templatefile("${path.module}/policies/crawler.json", {
    bucket_arn = module.lake.arn
    database   = local.database
    glue_arn   = "${local.arn}:glue:${var.region}:${local.account}"
    logs_arn   = "${local.arn}:logs:${var.region}:${local.account}"
  })
}

resource "aws_iam_role" "crawler" {
  name                 = "${var.name}-crawler"
  path                 = "/${var.name}/"
  description          = "The crawler of raw/."
  permissions_boundary = var.permissions_boundary
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = ["sts:AssumeRole"]
      Principal = { Service = "glue.amazonaws.com" }
      Condition = { StringEquals = { "aws:SourceAccount" = local.account } }
    }]
  })
}

resource "aws_iam_role_policy_attachment" "crawler" {
  for_each = merge(
    { lake = aws_iam_policy.crawler.arn },
    var.encryption == "kms" ? { key = aws_iam_policy.use_key[0].arn } : {},
  )

  role       = aws_iam_role.crawler.name
  policy_arn = each.value
}

resource "aws_glue_crawler" "raw" {
  #checkov:skip=CKV_AWS_195:it writes no objects and keeps no bookmarks, and its log names columns, not values
  name          = "${var.name}-raw"
  description   = "Shows what really arrives. Started by hand."
  role          = aws_iam_role.crawler.arn
  database_name = aws_glue_catalog_database.lake.name
  table_prefix  = "arrived_"
  classifiers   = [aws_glue_classifier.raw.name]

  dynamic "s3_target" {
    for_each = local.contracts

    content {
      path       = "s3://${module.lake.name}/raw/${s3_target.key}"
      exclusions = ["**.manifest.json"]
    }
  }

  recrawl_policy {
    recrawl_behavior = "CRAWL_EVERYTHING"
  }

  schema_change_policy {
    update_behavior = "UPDATE_IN_DATABASE"
    delete_behavior = "LOG"
  }

  depends_on = [aws_iam_role_policy_attachment.crawler]
}
