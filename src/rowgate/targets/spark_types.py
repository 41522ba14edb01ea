"""The contract's types on Spark: which texts are values, and the values they are."""

import datetime as dt
from typing import assert_never

from pyspark.sql import Column
from pyspark.sql import functions as sf

from rowgate.contract.checks import Value
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.targets.spark_sql_types import shape

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_FIRST = dt.datetime.min.replace(tzinfo=dt.UTC)
_LAST = dt.datetime.max.replace(tzinfo=dt.UTC)
_LONGEST_OFFSET = len("+HH:MM")


def typed(text: Column, kind: ColumnType) -> Column:
    """The value of a normalised text, NULL where the text is missing or not of the type."""
    match kind:
        case Text():
            return text
        case Boolean():
            return sf.when(text.rlike(shape(kind)), sf.lower(text) == "true")
        case Timestamp():
            value = _with_seconds(text).try_cast("timestamp")
            # An offset can only carry a moment out of the calendar on its first and its last day.
            edge = text.startswith(_FIRST.date().isoformat()) | text.startswith(_LAST.date().isoformat())
            inside = ~edge | value.between(literal(_FIRST, kind), literal(_LAST, kind))
            return sf.when(text.rlike(shape(kind)) & inside, value)
        case Integer() | Decimal() | Date():
            return sf.when(text.rlike(shape(kind)), text.try_cast(type_name(kind)))
        case _:
            assert_never(kind)


def _with_seconds(text: Column) -> Column:
    """A timestamp's text with its seconds: without them Spark does not understand a negative offset."""
    minutes = len("YYYY-MM-DDTHH:MM")
    whole = sf.concat(text.substr(1, minutes), sf.lit(":00"), sf.substring(text, minutes + 1, _LONGEST_OFFSET))
    return sf.when(sf.substring(text, minutes + 1, 1) == ":", text).otherwise(whole)


def literal(value: Value, kind: ColumnType) -> Column:
    """A value of the contract as a constant of the column's type.

    Dates and moments go as text and as a number: py4j hands them over through Java's old calendar, which is another
    one before 1582.
    """
    match kind:
        case Timestamp():
            assert isinstance(value, dt.datetime)  # noqa: S101 - the contract's construction saw to it
            return sf.expr(f"timestamp_micros({micros(value)}L)")
        case Date():
            return sf.expr(f"DATE'{value}'")
        case Text() | Boolean() | Integer() | Decimal():
            return sf.lit(value).cast(type_name(kind))
        case _:
            assert_never(kind)


def micros(moment: dt.datetime) -> int:
    """An aware moment in microseconds since 1970-01-01 UTC."""
    return (moment - _EPOCH) // dt.timedelta(microseconds=1)
