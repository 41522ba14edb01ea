"""The contract's types in the text of Spark's SQL: which texts are values, and the values they are.

`spark_types` says the same in columns, for the engine; here it is text, for what is rendered.
"""

import datetime as dt
from typing import assert_never

from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.targets.spark_expressions import literal

_FIRST = dt.datetime.min.replace(tzinfo=dt.UTC)
_LAST = dt.datetime.max.replace(tzinfo=dt.UTC)

# Java regular expressions: what a text must look like before Spark's casts, which also take blanks, exponents and
# half a date, get to see it.
_DATE = r"(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_OFFSET = r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_MINUTES = len("YYYY-MM-DDTHH:MM")


def sql_type(kind: ColumnType) -> str:
    """The type as Spark's SQL names it; a timestamp is a moment, which Spark keeps in UTC."""
    return type_name(kind).upper()


def shape(kind: Boolean | Integer | Decimal | Date | Timestamp) -> str:
    """A Java regular expression that every text which is a value of the type matches."""
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


def typed_sql(text: str, kind: ColumnType) -> str:
    """The value of a normalised text, NULL where the text is missing or not of the type.

    Args:
        text: SQL of the text.
        kind: the column's type.
    """
    match kind:
        case Text():
            return text
        case Boolean():
            return _where(text, kind, f"lower({text}) = 'true'")
        case Timestamp():
            # Without its seconds Spark does not understand a negative offset.
            late = f"concat(substring({text}, 1, {_MINUTES}), ':00', substring({text}, {_MINUTES + 1}))"
            whole = f"CASE WHEN substring({text}, {_MINUTES + 1}, 1) = ':' THEN {text} ELSE {late} END"
            value = f"TRY_CAST({whole} AS TIMESTAMP)"
            # An offset can carry a moment out of the calendar.
            return _where(text, kind, value, f" AND {value} BETWEEN {literal(_FIRST)} AND {literal(_LAST)}")
        case Integer() | Decimal() | Date():
            return _where(text, kind, f"TRY_CAST({text} AS {sql_type(kind)})")
        case _:
            assert_never(kind)


def _where(text: str, kind: Boolean | Integer | Decimal | Date | Timestamp, value: str, more: str = "") -> str:
    return f"CASE WHEN {text} RLIKE {literal(shape(kind))}{more} THEN {value} END"
