"""Rendered from the contract transactions 2.1.0: change that, then run `make render`.

A pipeline for Databricks, which must be given these settings:

    rowgate.lake = the lake's address, as in s3://bucket
    spark.sql.session.timeZone = UTC
    spark.sql.decimalOperations.allowPrecisionLoss = false

not enforced here: transaction_id: the table keeps rows that have one key.
not enforced here: duplicate_transaction_id: it looks at every row of a file, and a condition sees one.
not enforced here: no_duplicates: it looks at all rows of a run.
not enforced here: completeness: it looks at all rows of a run.
not enforced here: pending_share: it looks at all rows of a run.
"""
# ruff: noqa: E501, INP001 - a condition stands on one line; a pipeline's source is no package

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

RECORDS = [
    "`transaction_id` STRING",
    "`customer_id` STRING",
    "`amount` STRING",
    "`transaction_date` STRING",
    "`status` STRING",
    "`currency` STRING",
    "raw_record STRING",
    "record_number BIGINT",
    "run_id STRING",
]

VALUES = {
    "transaction_id": r"CASE WHEN `transaction_id` RLIKE '^[+-]?[0-9]+\\z' THEN TRY_CAST(`transaction_id` AS BIGINT) END",
    "customer_id": r"CASE WHEN `customer_id` RLIKE '^[+-]?[0-9]+\\z' THEN TRY_CAST(`customer_id` AS BIGINT) END",
    "amount": r"CASE WHEN `amount` RLIKE '^[+-]?(?=[0-9])0*[0-9]{0,16}(?:\\.(?=[0-9])[0-9]{0,2}0*)?\\z' THEN TRY_CAST(`amount` AS DECIMAL(18,2)) END",
    "transaction_date": r"CASE WHEN `transaction_date` RLIKE '^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}\\z' THEN TRY_CAST(`transaction_date` AS DATE) END",
    "status": "`status`",
    "currency": "`currency`",
}

CLEAN = [
    "value.`transaction_id` AS `transaction_id`",
    "value.`customer_id` AS `customer_id`",
    "value.`amount` AS `amount`",
    "value.`transaction_date` AS `transaction_date`",
    "value.`status` AS `status`",
    "value.`currency` AS `currency`",
    "text.record_number",
    "text.run_id",
]


@dp.temporary_view(
    name="transactions_records",
    comment="What the reader cut out of the files: every field a text, trimmed; null where missing.",
)
@dp.expect_or_drop(
    "malformed_record",
    "raw_record IS NULL",
)
def transactions_records() -> DataFrame:
    spark = SparkSession.active()
    folder = f"{spark.conf.get('rowgate.lake')}/records/transactions/dt=*/*"
    return spark.readStream.schema(", ".join(RECORDS)).parquet(folder)


@dp.temporary_view(
    name="transactions_judged",
    comment="The rows that keep the rules: their texts, and the values that they are; null where none.",
)
@dp.expect_or_drop(
    "missing_transaction_id",
    "text.`transaction_id` IS NOT NULL",
)
@dp.expect_or_drop(
    "invalid_type_transaction_id",
    "text.`transaction_id` IS NULL OR (value.`transaction_id` IS NOT NULL)",
)
@dp.expect_or_drop(
    "missing_customer_id",
    "text.`customer_id` IS NOT NULL",
)
@dp.expect_or_drop(
    "invalid_type_customer_id",
    "text.`customer_id` IS NULL OR (value.`customer_id` IS NOT NULL)",
)
@dp.expect_or_drop(
    "missing_amount",
    "text.`amount` IS NOT NULL",
)
@dp.expect_or_drop(
    "invalid_type_amount",
    "text.`amount` IS NULL OR (value.`amount` IS NOT NULL)",
)
@dp.expect_or_drop(
    "amount_check_1",
    "value.`amount` IS NULL OR (coalesce(((value.`amount`) > 0.00BD), FALSE))",
)
@dp.expect_or_drop(
    "amount_check_2",
    "value.`amount` IS NULL OR (coalesce(((value.`amount`) < 1000000.00BD), FALSE))",
)
@dp.expect_or_drop(
    "missing_transaction_date",
    "text.`transaction_date` IS NOT NULL",
)
@dp.expect_or_drop(
    "invalid_type_transaction_date",
    "text.`transaction_date` IS NULL OR (value.`transaction_date` IS NOT NULL)",
)
@dp.expect_or_drop(
    "transaction_date_check_1",
    "value.`transaction_date` IS NULL OR (coalesce(((value.`transaction_date`) >= DATE '2020-01-01'), FALSE))",
)
@dp.expect_or_drop(
    "transaction_date_check_2",
    "value.`transaction_date` IS NULL OR (coalesce(((value.`transaction_date`) <= current_date()), FALSE))",
)
@dp.expect_or_drop(
    "missing_status",
    "value.`status` IS NOT NULL",
)
@dp.expect_or_drop(
    "status_not_allowed",
    "value.`status` IS NULL OR (value.`status` IN ('completed', 'pending', 'failed', 'reversed'))",
)
@dp.expect_or_drop(
    "missing_currency",
    "value.`currency` IS NOT NULL",
)
@dp.expect_or_drop(
    "currency_bad_format",
    r"value.`currency` IS NULL OR (value.`currency` RLIKE '^(?:[A-Z]{3})\\z')",
)
def transactions_judged() -> DataFrame:
    records = SparkSession.active().readStream.table("transactions_records")
    values = [sf.expr(value).alias(name) for name, value in VALUES.items()]
    return records.select(sf.struct("*").alias("text"), sf.struct(*values).alias("value"))


@dp.table(
    name="transactions",
    comment="Card payments from the banking core. Owner: backend-team.",
)
def transactions() -> DataFrame:
    judged = SparkSession.active().readStream.table("transactions_judged")
    return judged.selectExpr(*CLEAN)
