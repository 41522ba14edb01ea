"""The contract's types on Spark: which texts are values, and the values they are."""

import datetime as dt
from typing import assert_never

from pyspark.sql import Column
from pyspark.sql import functions as sf

from rowgate.contract.checks import Value
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_FIRST = dt.datetime.min.replace(tzinfo=dt.UTC)
_LAST = dt.datetime.max.replace(tzinfo=dt.UTC)

# Java regular expressions: what a text must look like before Spark's casts, which also take blanks, exponents and
# half a date, get to see it.
_DATE = r"(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_LONGEST_OFFSET = len("+HH:MM")
_OFFSET = r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"


def typed(text: Column, kind: ColumnType) -> Column:
    """The value of a normalised text, NULL where the text is missing or not of the type."""
    match kind:
        case Text():
            return text
        case Boolean():
            return sf.when(text.rlike(_shape(kind)), sf.lower(text) == "true")
        case Timestamp():
            value = _with_seconds(text).try_cast("timestamp")
            # An offset can only carry a moment out of the calendar on its first and its last day.
            edge = text.startswith(_FIRST.date().isoformat()) | text.startswith(_LAST.date().isoformat())
            inside = ~edge | value.between(literal(_FIRST, kind), literal(_LAST, kind))
            return sf.when(text.rlike(_shape(kind)) & inside, value)
        case Integer() | Decimal() | Date():
            return sf.when(text.rlike(_shape(kind)), text.try_cast(type_name(kind)))
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


def _shape(kind: Boolean | Integer | Decimal | Date | Timestamp) -> str:
    match kind:
        case Boolean():
            return r"^(?i:true|false)\z"
        case Integer():
            return r"^[+-]?[0-9]+\z"
        case Decimal(precision, scale):
            # Zeros in front and behind need no digit of the type, so they may be as many as they like.
            return rf"^[+-]?(?=[0-9])0*[0-9]{{0,{precision - scale}}}(?:\.(?=[0-9])[0-9]{{0,{scale}}}0*)?\z"
        case Date():
            return rf"^{_DATE}\z"
        case Timestamp():
            return rf"^{_DATE}[T ]{_TIME}{_OFFSET}\z"
        case _:
            assert_never(kind)
