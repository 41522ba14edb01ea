"""Rendered from the contract till_orders 1.0.0: change that, then run `make render`.

A pipeline for Databricks, which must be given these settings:

    rowgate.lake = the lake's address, as in s3://bucket
    spark.sql.session.timeZone = UTC
    spark.sql.decimalOperations.allowPrecisionLoss = false

not enforced here: order_id: the table keeps rows that have one key.
not enforced here: duplicate_order_id: it looks at every row of a file, and a condition sees one.
"""
# ruff: noqa: E501, INP001 - a condition stands on one line; a pipeline's source is no package

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

RECORDS = [
    "`order_id` STRING",
    "`customer_id` STRING",
    "`amount` STRING",
    "`ordered_at` STRING",
    "raw_record STRING",
    "record_number BIGINT",
    "run_id STRING",
]

VALUES = {
    "order_id": r"CASE WHEN `order_id` RLIKE '^[+-]?[0-9]+\\z' THEN TRY_CAST(`order_id` AS INT) END",
    "customer_id": "`customer_id`",
    "amount": r"CASE WHEN `amount` RLIKE '^[+-]?(?=[0-9])0*[0-9]{0,8}(?:\\.(?=[0-9])[0-9]{0,2}0*)?\\z' THEN TRY_CAST(`amount` AS DECIMAL(10,2)) END",
    "ordered_at": r"CASE WHEN `ordered_at` RLIKE '^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,6})?)?(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?\\z' AND TRY_CAST(CASE WHEN substring(`ordered_at`, 17, 1) = ':' THEN `ordered_at` ELSE concat(substring(`ordered_at`, 1, 16), ':00', substring(`ordered_at`, 17)) END AS TIMESTAMP) BETWEEN TIMESTAMP_LTZ '0001-01-01 00:00:00.000000Z' AND TIMESTAMP_LTZ '9999-12-31 23:59:59.999999Z' THEN TRY_CAST(CASE WHEN substring(`ordered_at`, 17, 1) = ':' THEN `ordered_at` ELSE concat(substring(`ordered_at`, 1, 16), ':00', substring(`ordered_at`, 17)) END AS TIMESTAMP) END",
}

CLEAN = [
    "value.`order_id` AS `order_id`",
    "value.`customer_id` AS `customer_id`",
    "value.`amount` AS `amount`",
    "value.`ordered_at` AS `ordered_at`",
    "text.record_number",
    "text.run_id",
]


@dp.temporary_view(
    name="till_orders_records",
    comment="What the reader cut out of the files: every field a text, trimmed; null where missing.",
)
@dp.expect_or_fail(
    "malformed_record",
    "raw_record IS NULL",
)
def till_orders_records() -> DataFrame:
    spark = SparkSession.active()
    folder = f"{spark.conf.get('rowgate.lake')}/records/till_orders/dt=*/*"
    return spark.readStream.schema(", ".join(RECORDS)).parquet(folder)


@dp.temporary_view(
    name="till_orders_judged",
    comment="The rows that keep the rules: their texts, and the values that they are; null where none.",
)
@dp.expect_or_fail(
    "missing_order_id",
    "text.`order_id` IS NOT NULL",
)
@dp.expect_or_fail(
    "invalid_type_order_id",
    "text.`order_id` IS NULL OR (value.`order_id` IS NOT NULL)",
)
@dp.expect_or_fail(
    "missing_customer_id",
    "value.`customer_id` IS NOT NULL",
)
@dp.expect_or_fail(
    "missing_amount",
    "text.`amount` IS NOT NULL",
)
@dp.expect_or_fail(
    "invalid_type_amount",
    "text.`amount` IS NULL OR (value.`amount` IS NOT NULL)",
)
@dp.expect_or_fail(
    "amount_out_of_range",
    "value.`amount` IS NULL OR (value.`amount` >= 0.01BD)",
)
@dp.expect_or_fail(
    "missing_ordered_at",
    "text.`ordered_at` IS NOT NULL",
)
@dp.expect_or_fail(
    "invalid_type_ordered_at",
    "text.`ordered_at` IS NULL OR (value.`ordered_at` IS NOT NULL)",
)
def till_orders_judged() -> DataFrame:
    records = SparkSession.active().readStream.table("till_orders_records")
    values = [sf.expr(value).alias(name) for name, value in VALUES.items()]
    return records.select(sf.struct("*").alias("text"), sf.struct(*values).alias("value"))


@dp.table(
    name="till_orders",
    comment="One order of a till. Orders of a day come in one file, after closing time. Owner: till-team.",
)
def till_orders() -> DataFrame:
    judged = SparkSession.active().readStream.table("till_orders_judged")
    return judged.selectExpr(*CLEAN)
