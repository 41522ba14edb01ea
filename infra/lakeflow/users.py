"""Rendered from the contract users 1.0.0: change that, then run `make render`.

A pipeline for Databricks, which must be given these settings:

    rowgate.lake = the lake's address, as in s3://bucket
    spark.sql.session.timeZone = UTC
    spark.sql.decimalOperations.allowPrecisionLoss = false

not enforced here: user_id: the table keeps rows that have one key.
"""
# ruff: noqa: E501, INP001 - a condition stands on one line; a pipeline's source is no package

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

RECORDS = [
    "`id` STRING",
    "`name` STRING",
    "`email` STRING",
    "`phone` STRING",
    "`zip_code` STRING",
    "`age` STRING",
    "`city` STRING",
    "raw_record STRING",
    "record_number BIGINT",
    "run_id STRING",
]

VALUES = {
    "id": "`id`",
    "name": "`name`",
    "email": "`email`",
    "phone": "`phone`",
    "zip_code": "`zip_code`",
    "age": r"CASE WHEN `age` RLIKE '^[+-]?[0-9]+\\z' THEN TRY_CAST(`age` AS INT) END",
    "city": "`city`",
}

CLEAN = [
    "md5(CAST(concat_ws('||', text.`name`, text.`email`, text.`phone`) AS BINARY)) AS `user_id`",
    "value.`name` AS `name`",
    "value.`email` AS `email`",
    "value.`phone` AS `phone`",
    "value.`zip_code` AS `zip_code`",
    "value.`age` AS `age`",
    "value.`city` AS `city`",
    "text.record_number",
    "text.run_id",
]


@dp.temporary_view(
    name="users_records",
    comment="What the reader cut out of the files: every field a text, trimmed; null where missing.",
)
@dp.expect_or_drop(
    "malformed_record",
    "raw_record IS NULL",
)
def users_records() -> DataFrame:
    spark = SparkSession.active()
    folder = f"{spark.conf.get('rowgate.lake')}/records/users/dt=*/*"
    return spark.readStream.schema(", ".join(RECORDS)).parquet(folder)


@dp.temporary_view(
    name="users_judged",
    comment="The rows that keep the rules: their texts, and the values that they are; null where none.",
)
@dp.expect_or_drop(
    "invalid_name",
    "value.`name` IS NOT NULL",
)
@dp.expect_or_drop(
    "invalid_email",
    r"value.`email` IS NOT NULL AND value.`email` RLIKE '^(?:[\\%\\+\\--\\.0-9A-Z_a-z]+\\@[\\--\\.0-9A-Za-z]+\\.[A-Za-z]{2,})\\z'",
)
@dp.expect_or_drop(
    "invalid_phone",
    r"value.`phone` IS NOT NULL AND value.`phone` RLIKE '^(?:69[0-9]{8})\\z'",
)
@dp.expect_or_drop(
    "invalid_zip_code",
    r"value.`zip_code` IS NOT NULL AND value.`zip_code` RLIKE '^(?:[0-9]{5})\\z'",
)
@dp.expect_or_drop(
    "invalid_age",
    "value.`age` IS NOT NULL AND value.`age` BETWEEN 18L AND 99L",
)
@dp.expect_or_drop(
    "invalid_city",
    "value.`city` IS NOT NULL",
)
def users_judged() -> DataFrame:
    records = SparkSession.active().readStream.table("users_records")
    values = [sf.expr(value).alias(name) for name, value in VALUES.items()]
    return records.select(sf.struct("*").alias("text"), sf.struct(*values).alias("value"))


@dp.table(
    name="users",
    comment="People who signed up. One row a person; a person is told by name, e-mail and phone together. Owner: data-platform.",
)
def users() -> DataFrame:
    judged = SparkSession.active().readStream.table("users_judged")
    return judged.selectExpr(*CLEAN)
