"""Which texts are values of which type (design 3.4): the reference and Spark read one table."""

import datetime as dt
import decimal
from pathlib import Path

import pytest

from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Timestamp, type_name
from rowgate.targets.reference import typed

NOTHING = None
ZEROS = "0" * 60

# type, text, the value as text (a timestamp in ISO 8601, UTC), NOTHING where the text is no value
TABLE: list[tuple[ColumnType, str, str | None]] = [
    (Integer(32), "7", "7"),
    (Integer(32), "+34", "34"),
    (Integer(32), "-5", "-5"),
    (Integer(32), "034", "34"),
    (Integer(32), "-0", "0"),
    (Integer(32), ZEROS + "9", "9"),
    (Integer(32), "2147483647", "2147483647"),
    (Integer(32), "2147483648", NOTHING),
    (Integer(32), "-2147483648", "-2147483648"),
    (Integer(32), "-2147483649", NOTHING),
    (Integer(64), "2147483648", "2147483648"),
    (Integer(64), "9223372036854775807", "9223372036854775807"),
    (Integer(64), "9223372036854775808", NOTHING),
    (Integer(64), "-9223372036854775808", "-9223372036854775808"),
    (Integer(64), "-9223372036854775809", NOTHING),
    (Integer(64), "9" * 60, NOTHING),
    (Integer(64), "34.0", NOTHING),
    (Integer(64), "34.", NOTHING),
    (Integer(64), "1e2", NOTHING),
    (Integer(64), "1,234", NOTHING),
    (Integer(64), "1_000", NOTHING),
    (Integer(64), "0x10", NOTHING),
    (Integer(64), "3 4", NOTHING),
    (Integer(64), "+", NOTHING),
    (Integer(64), "--1", NOTHING),
    (Integer(64), "NaN", NOTHING),
    (Integer(64), "7\n", NOTHING),
    (Integer(64), "7\n8", NOTHING),
    (Integer(64), "\u0663\u0664", NOTHING),
    (Integer(64), "\uff11", NOTHING),
    (Decimal(5, 2), "5", "5.00"),
    (Decimal(5, 2), "+7", "7.00"),
    (Decimal(5, 2), "-7.5", "-7.50"),
    (Decimal(5, 2), "-0", "0.00"),
    (Decimal(5, 2), "999.99", "999.99"),
    (Decimal(5, 2), "1000", NOTHING),
    (Decimal(5, 2), "1.005", NOTHING),
    (Decimal(5, 2), "1.500", "1.50"),
    (Decimal(5, 2), f"1.5{ZEROS}", "1.50"),
    (Decimal(5, 2), f"{ZEROS}999.99", "999.99"),
    (Decimal(5, 2), f"1.{ZEROS}1", NOTHING),
    (Decimal(5, 2), ".5", NOTHING),
    (Decimal(5, 2), "5.", NOTHING),
    (Decimal(5, 2), "12,5", NOTHING),
    (Decimal(5, 2), "1,234.50", NOTHING),
    (Decimal(5, 2), "1e1", NOTHING),
    (Decimal(5, 2), "NaN", NOTHING),
    (Decimal(5, 2), "Infinity", NOTHING),
    (Decimal(5, 2), "-", NOTHING),
    (Decimal(5, 2), "1.1.1", NOTHING),
    (Decimal(5, 2), "5\n", NOTHING),
    (Decimal(2, 2), "0.25", "0.25"),
    (Decimal(2, 2), "1", NOTHING),
    (Decimal(2, 2), "0", "0.00"),
    (Decimal(3, 0), "7.0", "7"),
    (Decimal(3, 0), "7.1", NOTHING),
    (Decimal(38, 0), "9" * 38, "9" * 38),
    (Decimal(38, 0), "9" * 39, NOTHING),
    (Decimal(38, 38), f"0.{'9' * 38}", f"0.{'9' * 38}"),
    (Date(), "2024-02-29", "2024-02-29"),
    (Date(), "2023-02-29", NOTHING),
    (Date(), "2026-02-30", NOTHING),
    (Date(), "2026-13-01", NOTHING),
    (Date(), "2026-00-10", NOTHING),
    (Date(), "0001-01-01", "0001-01-01"),
    (Date(), "0000-12-31", NOTHING),
    (Date(), "1582-10-10", "1582-10-10"),
    (Date(), "9999-12-31", "9999-12-31"),
    (Date(), "10000-01-01", NOTHING),
    (Date(), "2026-1-1", NOTHING),
    (Date(), "2026-01", NOTHING),
    (Date(), "20260101", NOTHING),
    (Date(), "15/09/2026", NOTHING),
    (Date(), "2026-01-01 10:00", NOTHING),
    (Date(), "today", NOTHING),
    (Date(), "2026-01-01\n", NOTHING),
    (Timestamp(), "2026-09-15 10:00", "2026-09-15T10:00:00Z"),
    (Timestamp(), "2026-09-15T10:00:07", "2026-09-15T10:00:07Z"),
    (Timestamp(), "2026-09-15T10:00:00.5Z", "2026-09-15T10:00:00.500000Z"),
    (Timestamp(), "2026-09-15T10:00:00.123456Z", "2026-09-15T10:00:00.123456Z"),
    (Timestamp(), "2026-09-15T10:00:00.1234567Z", NOTHING),
    (Timestamp(), "2026-09-15T10:00:00.", NOTHING),
    (Timestamp(), "2026-09-15T10:00.5", NOTHING),
    (Timestamp(), "2026-09-15T10:00:00+02:00", "2026-09-15T08:00:00Z"),
    (Timestamp(), "2026-09-15T10:00-05:30", "2026-09-15T15:30:00Z"),
    (Timestamp(), "2026-09-15T10:00-00:00", "2026-09-15T10:00:00Z"),
    (Timestamp(), "2026-09-15T10:00+14:00", "2026-09-14T20:00:00Z"),
    (Timestamp(), "2026-09-15T10:00+14:01", NOTHING),
    (Timestamp(), "2026-09-15T10:00+18:00", NOTHING),
    (Timestamp(), "2026-09-15T10:00+02", NOTHING),
    (Timestamp(), "2026-09-15T10:00+0200", NOTHING),
    (Timestamp(), "2026-09-15T10:00 +02:00", NOTHING),
    (Timestamp(), "2026-09-15T10:00+02:60", NOTHING),
    (Timestamp(), "2026-09-15T10:00z", NOTHING),
    (Timestamp(), "2026-09-15T10:00 UTC", NOTHING),
    (Timestamp(), "2026-09-15T10:00 Europe/Athens", NOTHING),
    (Timestamp(), "2026-09-15t10:00", NOTHING),
    (Timestamp(), "2026-09-15  10:00", NOTHING),
    (Timestamp(), "2026-09-15", NOTHING),
    (Timestamp(), "10:00", NOTHING),
    (Timestamp(), "2026-09-15 1:00", NOTHING),
    (Timestamp(), "2026-09-15 24:00:00", NOTHING),
    (Timestamp(), "2026-09-15 23:60:00", NOTHING),
    (Timestamp(), "2026-09-15 23:59:60", NOTHING),
    (Timestamp(), "2026-02-30 10:00:00", NOTHING),
    (Timestamp(), "15/09/2026 10:00:00", NOTHING),
    (Timestamp(), "0001-01-01 00:00", "0001-01-01T00:00:00Z"),
    (Timestamp(), "0001-01-01 00:00+00:01", NOTHING),
    (Timestamp(), "0001-01-01 00:01+00:01", "0001-01-01T00:00:00Z"),
    (Timestamp(), "0000-12-31 23:00-02:00", NOTHING),
    (Timestamp(), "9999-12-31 23:59:59.999999", "9999-12-31T23:59:59.999999Z"),
    (Timestamp(), "9999-12-31 23:59:59-00:01", NOTHING),
    (Timestamp(), "1582-10-10 00:00", "1582-10-10T00:00:00Z"),
    (Boolean(), "true", "true"),
    (Boolean(), "FALSE", "false"),
    (Boolean(), "TrUe", "true"),
    (Boolean(), "t", NOTHING),
    (Boolean(), "yes", NOTHING),
    (Boolean(), "1", NOTHING),
    (Boolean(), "true\n", NOTHING),
    (Boolean(), "fal\u017fe", NOTHING),
]
IDS = [f"{type_name(kind)} {text[:30]!r}" for kind, text, _ in TABLE]


@pytest.fixture(scope="module")
def on_spark(spark, tmp_path_factory) -> list[str | None]:
    """What Spark makes of every line of the table, in one job, by way of a Parquet file, in which days could shift."""
    from pyspark.sql import functions as sf

    from rowgate.targets import spark_types

    kinds = list({kind: None for kind, _, _ in TABLE})
    texts = spark.createDataFrame([(at, text) for at, (_, text, _) in enumerate(TABLE)], "at int, text string")
    out = Path(tmp_path_factory.mktemp("types"), "values")
    columns = [spark_types.typed(sf.col("text"), kind).alias(f"k{at}") for at, kind in enumerate(kinds)]
    texts.select("at", *columns).write.parquet(f"file://{out}")
    shown = [
        (sf.expr(f"unix_micros(k{at})") if kind == Timestamp() else sf.col(f"k{at}")).cast("string")
        for at, kind in enumerate(kinds)
    ]
    rows = {row[0]: row[1:] for row in spark.read.parquet(f"file://{out}").select("at", *shown).collect()}
    return [_moment(rows[at][kinds.index(kind)], kind) for at, (kind, _, _) in enumerate(TABLE)]


def _moment(text: str | None, kind: ColumnType) -> str | None:
    if text is None or kind != Timestamp():
        return text
    return _shown(dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=int(text)))


def _shown(value: object) -> str | None:
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case dt.datetime():
            return value.isoformat().replace("+00:00", "Z")
        case decimal.Decimal():
            return f"{value:f}"
    return str(value)


@pytest.mark.parametrize(("kind", "text", "value"), TABLE, ids=IDS)
def test_the_reference_reads_a_text_as_the_table_says(kind, text, value):
    assert _shown(typed(text, kind)) == value


@pytest.mark.parametrize("at", range(len(TABLE)), ids=IDS)
def test_spark_reads_a_text_as_the_table_says(on_spark, at):
    assert on_spark[at] == TABLE[at][2]
