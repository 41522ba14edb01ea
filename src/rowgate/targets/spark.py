"""The contract on Spark: columns that type, judge and shape the records, made of built-in functions alone.

The session's time zone must be UTC (`stages.spark_session`). Inside a frame the contract's columns have internal names,
`c0`, `c1`, … for the texts and `v0`, `v1`, … for the values, so that no name a contract can give means anything else.
"""

import datetime as dt
from collections.abc import Mapping
from functools import reduce
from operator import and_
from types import MappingProxyType
from typing import assert_never

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as sf
from pyspark.sql.types import LongType, StringType, StructField, StructType

from rowgate.contract import checks, expressions, patterns
from rowgate.contract.model import MALFORMED, Contract, FieldRule, SurrogateKey
from rowgate.contract.references import references_of
from rowgate.contract.types import ColumnType, Text
from rowgate.targets.spark_expressions import to_spark
from rowgate.targets.spark_types import literal, micros, typed

REASONS = "reasons"
"""The rejecting reasons of a judged row, joined by `|`; empty where the row is accepted."""

_PLACE = "place"


def records_schema(contract: Contract) -> StructType:
    """The columns of `records/` that are read here."""
    texts = [StructField(column.name, StringType()) for column in contract.columns]
    return StructType([*texts, StructField("raw_record", StringType()), StructField("record_number", LongType())])


def prepared(
    contract: Contract, records: DataFrame, keys: Mapping[checks.References, DataFrame] = MappingProxyType({})
) -> DataFrame:
    """The records under internal names, with the value of every column that is not text.

    Args:
        contract: the contract.
        records: what `records/` has.
        keys: for each reference a frame of one column, the loaded keys; a reference without is not evaluated.
    """
    texts = [sf.col(quoted(column.name)).alias(_text(at)) for at, column in enumerate(contract.columns)]
    values = [
        typed(sf.col(quoted(column.name)), column.type).alias(_value(at, column.type))
        for at, column in enumerate(contract.columns)
        if not isinstance(column.type, Text)
    ]
    frame = records.select(*texts, *values, "raw_record", "record_number")
    for rule, check in references_of(contract):
        frame = _looked_up(frame, _names(contract)[rule.field][1], _known(rule), keys.get(check))
    return frame


def _looked_up(frame: DataFrame, value: str, known: str, keys: DataFrame | None) -> DataFrame:
    """The frame with a boolean that says whether a value is a key; always true where there are no keys to look at."""
    if keys is None:
        return frame.withColumn(known, sf.expr("true"))
    once = keys.select(sf.col(quoted(keys.columns[0])).alias(known)).distinct()
    joined = frame.join(once, sf.col(value) == sf.col(known), "left")
    return joined.withColumn(known, sf.col(known).isNotNull())


def judged(contract: Contract, frame: DataFrame, now: dt.datetime) -> DataFrame:
    """A prepared frame with `reasons`, and a boolean column for each rule that only warns, false in rejected rows.

    Args:
        contract: the contract.
        frame: what `prepared` made.
        now: the frozen moment of `current_date` and `current_timestamp`.
    """
    broken = {rule.reason: _broken(contract, rule, now) for rule in _row_rules(contract)}
    rejecting = [sf.when(broken[rule.reason], rule.reason) for rule in _row_rules(contract) if contract.rejects(rule)]
    reasons = sf.concat_ws("|", *rejecting) if rejecting else sf.lit("")
    frame = frame.withColumn(REASONS, sf.when(_malformed(), MALFORMED).otherwise(reasons))
    soft = [rule for rule in contract.rules if not contract.rejects(rule)]
    frame = frame.withColumns({warning(rule): broken[rule.reason] for rule in soft if rule.reason in broken})
    for rule in contract.rules:
        if isinstance(rule.check, checks.Unique):
            frame = _repeats_judged(contract, frame, rule, rule.check)
    # Only now is it known who is rejected: a later rule about the whole file may do that too.
    return frame.withColumns({warning(rule): sf.col(warning(rule)) & (sf.col(REASONS) == "") for rule in soft})


def accepts(contract: Contract, now: dt.datetime) -> Column:
    """Whether a prepared row breaks no rejecting rule that looks at one row. It stops at the first broken one."""
    kept = [~_broken(contract, rule, now) for rule in _row_rules(contract) if contract.rejects(rule)]
    return reduce(and_, kept, ~_malformed())


def repeat_reasons(contract: Contract) -> list[str]:
    """The reasons of the rejecting rules that look at the whole file. A row that has one has no other."""
    return [rule.reason for rule in contract.rules if isinstance(rule.check, checks.Unique) and contract.rejects(rule)]


def warning(rule: FieldRule) -> str:
    """The name of a judged frame's column that says whether an accepted row breaks a rule that only warns."""
    return f"w_{rule.reason}"


def clean_row(contract: Contract, run_id: str | None) -> list[Column]:
    """The columns of the clean zone: the surrogate key, the loaded columns typed, `record_number`, `run_id`."""
    values = [
        sf.col(_value(at, column.type)).alias(column.name)
        for at, column in enumerate(contract.columns)
        if column.loaded
    ]
    key = (
        [_nullable(_surrogate(contract, contract.key), contract.key.name)]
        if isinstance(contract.key, SurrogateKey)
        else []
    )
    return [*key, *values, sf.col("record_number"), _nullable(sf.lit(run_id).cast("string"), "run_id")]


def rejects_row(contract: Contract, run_id: str | None, now: dt.datetime) -> list[Column]:
    """The columns of the rejects zone: the texts as normalised, then what is known about the rejection."""
    return [
        *(sf.col(_text(at)).alias(column.name) for at, column in enumerate(contract.columns)),
        _nullable(sf.substring_index(REASONS, "|", 1), "rejection_reason"),
        _nullable(sf.split(REASONS, r"\|"), "rejection_reasons"),
        sf.col("raw_record"),
        sf.col("record_number"),
        _nullable(sf.lit(run_id).cast("string"), "run_id"),
        _nullable(sf.expr(f"timestamp_micros({micros(now)}L)"), "rejected_at"),
    ]


def _nullable(column: Column, name: str) -> Column:
    """A column that may be null, as far as Spark can tell, so that every column of a zone may be, whatever is in it."""
    return sf.when(sf.col("record_number").isNotNull(), column).alias(name)


def quoted(name: str) -> str:
    """A name as Spark's SQL takes it, whatever it holds."""
    return f"`{name.replace('`', '``')}`"


def _text(at: int) -> str:
    return f"c{at}"


def _value(at: int, kind: ColumnType) -> str:
    return f"c{at}" if isinstance(kind, Text) else f"v{at}"


def _known(rule: FieldRule) -> str:
    """The name of a prepared frame's column that says whether a reference's value is a key."""
    return f"h_{rule.reason}"


def _names(contract: Contract) -> Mapping[str, tuple[str, str]]:
    """Each column's internal names: its text's and its value's."""
    return {column.name: (_text(at), _value(at, column.type)) for at, column in enumerate(contract.columns)}


def _row_rules(contract: Contract) -> list[FieldRule]:
    return [rule for rule in contract.rules if not isinstance(rule.check, checks.Unique)]


def _malformed() -> Column:
    return sf.col("raw_record").isNotNull()


def _broken(contract: Contract, rule: FieldRule, now: dt.datetime) -> Column:
    """Whether a row breaks a rule that looks at one row; never NULL."""
    column = contract.column(rule.field)
    text, value = (sf.col(name) for name in _names(contract)[rule.field])
    found = sf.expr("false")
    if contract.missing_rule(column) is rule:
        found |= text.isNull()
    if contract.untyped_rule(column) is rule and not isinstance(column.type, Text):
        found |= text.isNotNull() & value.isNull()
    met = _met(contract, rule, value, column.type, now)
    return found if met is None else found | (value.isNotNull() & ~met)


def _met(contract: Contract, rule: FieldRule, value: Column, kind: ColumnType, now: dt.datetime) -> Column | None:  # noqa: PLR0911 - one for each check
    """Whether a value that is there passes, or None where being there is all that is asked."""
    match rule.check:
        case checks.NotBlank() | checks.Typed() | checks.Unique():
            return None
        case checks.Matches(pattern):
            return value.rlike(patterns.parse(pattern).render("java"))
        case checks.Between(low, high):
            return _between(
                value, None if low is None else literal(low, kind), None if high is None else literal(high, kind)
            )
        case checks.LengthBetween(low, high):
            return _between(
                sf.char_length(value), None if low is None else sf.lit(low), None if high is None else sf.lit(high)
            )
        case checks.OneOf(values):
            return value.isin([literal(one, kind) for one in values])
        case checks.References():
            return sf.col(_known(rule))
        case checks.Expression(sql):
            tree = expressions.parse(sql, {column.name: column.type for column in contract.columns})
            names = {name: inside for name, (_, inside) in _names(contract).items()}
            return sf.coalesce(sf.expr(to_spark(tree, names, now)), sf.expr("false"))
        case _:
            assert_never(rule.check)


def _between(value: Column, low: Column | None, high: Column | None) -> Column:
    met = sf.expr("true")
    if low is not None:
        met &= value >= low
    if high is not None:
        met &= value <= high
    return met


def _repeats_judged(contract: Contract, frame: DataFrame, rule: FieldRule, check: checks.Unique) -> DataFrame:
    """The frame after a rule about the whole file: of the rows still accepted, the first stays."""
    keys = [sf.col(_names(contract)[name][1]) for name in (rule.field, *check.others)]
    judged_here = reduce(and_, (key.isNotNull() for key in keys), sf.col(REASONS) == "")
    # A row that takes no part is alone in its partition, so that the many without a key do not meet in one task.
    alike = Window.partitionBy(
        *(sf.when(judged_here, key) for key in keys), sf.when(~judged_here, sf.col("record_number"))
    )
    frame = frame.withColumn(_PLACE, sf.row_number().over(alike.orderBy("record_number")))
    repeated = judged_here & (sf.col(_PLACE) > 1)
    if not contract.rejects(rule):
        return frame.withColumn(warning(rule), repeated)
    return frame.withColumn(REASONS, sf.when(repeated, rule.reason).otherwise(sf.col(REASONS)))


def _surrogate(contract: Contract, key: SurrogateKey) -> Column:
    parts = [sf.col(_names(contract)[source][0]) for source in key.sources]
    return sf.md5(sf.concat_ws(key.separator, *parts).cast("binary"))
