module "lake" {
  source = "./modules/private-bucket"

  name            = "${var.name}-lake-${local.account}-${var.region}"
  key_arn         = local.key_arn
  noncurrent_days = var.noncurrent_retention_days

  # quality/ is evidence without personal data, and keys/ what other contracts refer to: both stay.
  expire_days = {
    "landing/" = var.retention_days.landing
    "raw/"     = var.retention_days.raw
    "records/" = var.retention_days.records
    "clean/"   = var.retention_days.clean
    "rejects/" = var.rejects_retention_days
  }
}

module "results" {
  source = "./modules/private-bucket"

  name            = "${var.name}-results-${local.account}-${var.region}"
  key_arn         = local.key_arn
  noncurrent_days = 1
  expire_days     = { "results/" = var.results_retention_days }
}
