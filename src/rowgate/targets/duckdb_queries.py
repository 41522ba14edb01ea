"""A dataset rule, which is written in Spark's SQL, as DuckDB runs it, with the clock stopped.

Functions that the two know by one name and mean differently would give another number in silence, so only those in the
lists below pass; the others need Spark.
"""

import datetime as dt

from sqlglot import errors, exp, parse_one

from rowgate.contract.expression_reader import SparkSql
from rowgate.errors import UnusableError

_SAME: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.And, exp.Or, exp.Xor, exp.Case, exp.If, exp.Coalesce, exp.Nullif, exp.Exists, exp.Anonymous),
        *(exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Corr),
        *(exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Variance, exp.VariancePop, exp.LogicalAnd, exp.LogicalOr),
        *(exp.Abs, exp.Round, exp.Floor, exp.Ceil, exp.Sqrt, exp.Exp, exp.Ln, exp.Pow, exp.Greatest, exp.Least),
        *(exp.Length, exp.Lower, exp.Upper, exp.Trim, exp.Concat, exp.RegexpLike, exp.RowNumber, exp.Cast, exp.TryCast),
        *(exp.CurrentDate, exp.CurrentTimestamp, exp.DateDiff, exp.TimestampDiff, exp.TsOrDsAdd, exp.TsOrDsToDate),
        *(exp.TimestampTrunc, exp.Year, exp.Month, exp.Day, exp.Hour, exp.Minute, exp.Second, exp.Quarter),
    }
)
_UNITS = frozenset({"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR", "DAY", "WEEK"})
_ZONED = frozenset({exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ})
_WHOLE = frozenset({exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT})
_CONDITIONS = (exp.Predicate, exp.Connector, exp.Not, exp.Boolean)


def translated(sql: str, now: dt.datetime) -> str:
    """The query for DuckDB.

    Args:
        sql: a query in Spark's SQL over a view whose timestamps are without a zone, in UTC.
        now: an aware moment, which every mention of the current date or moment becomes.

    Raises:
        UnusableError: it cannot be read, or DuckDB cannot be trusted to mean the same; the message has no end, so that
            the caller can say which rule it is about.
    """
    try:
        query = parse_one(sql, dialect=SparkSql)
        if not isinstance(query, exp.Query):
            raise UnusableError("it is not a query")
        for part in query.walk():
            _require_same(part)
        # One after the other: what is put in the place of a part is not looked at again.
        same = query.transform(_whole_units).transform(_frozen, now.astimezone(dt.UTC))
        return same.sql(dialect="duckdb", unsupported_level=errors.ErrorLevel.RAISE)
    except errors.ParseError as error:
        raise UnusableError("it cannot be read as one query in Spark's SQL") from error
    except errors.SqlglotError as error:
        raise UnusableError("DuckDB cannot say it; check with --engine spark") from error


def _require_same(part: exp.Expr) -> None:
    """See that DuckDB means what Spark does.

    Raises:
        UnusableError: it may not.
    """
    name = _differing(part)
    if name is not None:
        raise UnusableError(f"DuckDB does not have {name} as Spark means it; check with --engine spark")


def _differing(part: exp.Expr) -> str | None:  # noqa: PLR0911 - one case for each kind of difference
    match part:
        case exp.Anonymous() if part.name.upper() != "NOW":
            return part.name
        case exp.Func() if type(part) not in _SAME:
            return part.sql_name()
        case exp.Func() if isinstance(part, exp.DateDiff | exp.TimestampDiff):
            unit = part.args.get("unit")
            return f"a difference in {unit.name.lower()}s" if unit and unit.name.upper() not in _UNITS else None
        case exp.Cast() if part.to.this in _WHOLE:
            # Spark cuts a fraction off, DuckDB rounds it.
            same = isinstance(part.this.unnest(), _CONDITIONS)
            return None if same else "a cast to whole numbers"
        case exp.IntDiv():
            return "DIV"
        case exp.Like() | exp.ILike() if "\\" in part.expression.name:
            return "LIKE with a backslash"
    return None


def _whole_units(part: exp.Expr) -> exp.Expr:
    """A difference in whole units, as Spark counts; DuckDB's `date_diff` counts the borders that are crossed."""
    unit = part.args.get("unit") if isinstance(part, exp.DateDiff | exp.TimestampDiff) else None
    if unit is None:
        return part
    # sqlglot makes dates of both, which drops the hours.
    end, start = (
        exp.Cast(this=side.this if isinstance(side, exp.TsOrDsToDate) else side, to=exp.DataType.build("timestamp"))
        for side in (part.this, part.expression)
    )
    return exp.Anonymous(this="date_sub", expressions=[exp.Literal.string(unit.name.lower()), start, end])


def _frozen(part: exp.Expr, now: dt.datetime) -> exp.Expr:
    """A part of the query with the clock stopped, and without time zones."""
    match part:
        case exp.CurrentDate():
            return _constant(now.date().isoformat(), exp.DType.DATE)
        case exp.CurrentTimestamp():
            return _constant(now.replace(tzinfo=None).isoformat(" ", "microseconds"), exp.DType.TIMESTAMP)
        case exp.Anonymous() if part.name.upper() == "NOW":
            return _constant(now.replace(tzinfo=None).isoformat(" ", "microseconds"), exp.DType.TIMESTAMP)
        case exp.DataType() if part.this in _ZONED:
            return exp.DataType(this=exp.DType.TIMESTAMP)
    return part


def _constant(text: str, kind: exp.DType) -> exp.Expr:
    return exp.Cast(this=exp.Literal.string(text), to=exp.DataType(this=kind))
