"""The contract's types on DuckDB: which texts are values, and the values they are.

A timestamp is kept as a `TIMESTAMP` without a zone, in UTC, so that no answer depends on the session's time zone.
"""

import datetime as dt
import decimal
from typing import assert_never

from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.contract.values import Value

# RE2's syntax: what a text must look like before DuckDB's casts, which also take blanks, exponents, underscores and
# other calendars, get to see it.
_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?"
_OFFSET = r"[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00)"
_OFFSET_LENGTH = 6  # characters of ±HH:MM


def typed(text: str, kind: ColumnType) -> str:
    """SQL of the value of a normalised text, NULL where the text is missing or not of the type.

    Args:
        text: SQL of the text; it is written several times, so it should be a column's name.
        kind: the type.
    """
    match kind:
        case Text():
            return text
        case Boolean():
            # Not a pattern that ignores case: in Unicode the long s is an s as well.
            return f"CASE WHEN lower({text}) IN ('true', 'false') THEN lower({text}) = 'true' END"
        case Integer() | Decimal():
            return f"CASE WHEN {_looks(text, kind)} THEN TRY_CAST({text} AS {type_of(kind)}) END"
        case Date():
            return f"CASE WHEN {_looks(text, kind)} AND {_in_era(text)} THEN TRY_CAST({text} AS DATE) END"
        case Timestamp():
            return f"CASE WHEN {_looks(text, kind)} AND {_in_era(text)} THEN {_moment(text)} END"
        case _:
            assert_never(kind)


def type_of(kind: ColumnType) -> str:
    """The type as DuckDB calls it."""
    return "VARCHAR" if isinstance(kind, Text) else type_name(kind).upper()


def literal(value: Value, kind: ColumnType) -> str:
    """A value as a constant of the column's type."""
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return text_literal(value)
        case int() | decimal.Decimal():
            return f"CAST('{value:f}' AS {type_of(kind)})" if isinstance(kind, Decimal) else whole_literal(value)
        case dt.datetime():
            return f"TIMESTAMP '{value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(' ', 'microseconds')}'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case _:
            assert_never(value)


def whole_literal(value: int | decimal.Decimal) -> str:
    """A whole number as a `BIGINT`, whatever type DuckDB would give it by its size."""
    return f"CAST('{int(value)}' AS BIGINT)"


def text_literal(value: str) -> str:
    """A text as DuckDB writes it; backslashes are characters like others."""
    return "'" + value.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """A name as DuckDB takes it, whatever it holds."""
    return '"' + name.replace('"', '""') + '"'


def parquet(*files: str) -> str:
    """The rows of some Parquet files, with the columns that are in them and no more.

    Below `dt=…` DuckDB would otherwise take the folder's date for a column, before one of the file with that name.
    """
    return f"read_parquet([{', '.join(map(text_literal, files))}], hive_partitioning = false)"


def nullable(query: str) -> str:
    """The rows of a query that has a `record_number`, with columns that may be null, as far as DuckDB can tell.

    It would otherwise write a column as required where the rows at hand, by their statistics, happen to have no null,
    so that the files of one contract would differ in their schema.
    """
    nothing = "SELECT NULL AS record_number WHERE random() > 1"  # Never so, but DuckDB does not know.
    return f"SELECT * FROM ({query}) UNION ALL BY NAME {nothing}"  # noqa: S608 - a query of our own


def _looks(text: str, kind: Integer | Decimal | Date | Timestamp) -> str:
    return rf"regexp_matches({text}, '^(?:{_shape(kind)})\z')"


def _shape(kind: Integer | Decimal | Date | Timestamp) -> str:
    match kind:
        case Integer():
            return "[+-]?[0-9]+"
        case Decimal(precision, scale):
            # Zeros in front and behind need no digit of the type, so they may be as many as they like.
            before = _between(precision - scale, "0*[0-9]{1,%d}")
            after = _between(scale, "[0-9]{1,%d}0*")
            return rf"[+-]?(?:{before})(?:\.(?:{after}))?"
        case Date():
            return _DATE
        case Timestamp():
            return f"{_DATE}[T ]{_TIME}(?:Z|{_OFFSET})?"
        case _:
            assert_never(kind)


def _between(digits: int, form: str) -> str:
    return f"0+|{form % digits}" if digits else "0+"


def _in_era(text: str) -> str:
    return f"NOT starts_with({text}, '0000')"


def _moment(text: str) -> str:
    """SQL of the moment in UTC, worked out here: DuckDB overlooks an offset where no zone is asked for."""
    bare = f"substring({text}, 1, length({text}) - {_OFFSET_LENGTH})"
    sign = f"substring({text}, -{_OFFSET_LENGTH}, 1)"
    minutes = f"CAST(substring({text}, -5, 2) AS INTEGER) * 60 + CAST(substring({text}, -2, 2) AS INTEGER)"
    local = f"TRY_CAST({bare} AS TIMESTAMP)"
    moved = f"CASE {sign} WHEN '+' THEN {local} - to_minutes({minutes}) ELSE {local} + to_minutes({minutes}) END"
    # Only a text with an offset can leave the calendar, at its two ends.
    inside = "BETWEEN TIMESTAMP '0001-01-01 00:00:00' AND TIMESTAMP '9999-12-31 23:59:59.999999'"
    return (
        f"CASE WHEN {sign} IN ('+', '-') AND contains(substring({text}, 11), {sign}) "
        f"THEN CASE WHEN ({moved}) {inside} THEN {moved} END ELSE TRY_CAST(rtrim({text}, 'Z') AS TIMESTAMP) END"
    )
