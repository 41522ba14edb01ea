"""A contract as a Lakeflow pipeline: a Python module of datasets with an expectation for each rule.

It reads the records, not the files: they were cut and trimmed once, by the one reader, and the text stands beside the
value there, so that a missing value and one of the wrong type are told apart. The names are those of
`pyspark.pipelines` on Databricks (Lakeflow Spark Declarative Pipelines, "Expectations"; earlier releases call the
module `dlt`). Apache Spark's own `pyspark.pipelines` has the datasets, but no expectations.

| policy | decorator | a row that breaks the rule |
|---|---|---|
| quarantine | `expect_or_drop` | is dropped, and counted |
| fail | `expect_or_fail` | stops the update |
| warn | `expect` | stays, and is counted |
"""

from dataclasses import dataclass

from rowgate.contract import checks
from rowgate.contract.model import MALFORMED, Contract, FieldRule, Policy, SurrogateKey
from rowgate.contract.spark_text import name_in_sql
from rowgate.contract.types import Text
from rowgate.targets.python_text import python
from rowgate.targets.spark_expressions import literal
from rowgate.targets.spark_sql_checks import SETTINGS, condition
from rowgate.targets.spark_sql_types import typed_sql
from rowgate.targets.support import NotEnforcedError, beyond_rows, rendered_from, sentence

LAKE = "rowgate.lake"
"""The pipeline's setting that holds the lake's address."""

_DECORATORS = {Policy.QUARANTINE: "expect_or_drop", Policy.FAIL: "expect_or_fail", Policy.WARN: "expect"}

_LONG = 120  # characters; a condition stands on one line, and then the linter must let it
_HEAD = '''\
"""{rendered}

A pipeline for Databricks, which must be given these settings:

{settings}
{not_enforced}"""
'''
_BODY = """
from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

RECORDS = {records}

VALUES = {values}

CLEAN = {clean}


@dp.temporary_view(
    name="{name}_records",
    comment="What the reader cut out of the files: every field a text, trimmed; null where missing.",
)
{malformed}
def {name}_records() -> DataFrame:
    spark = SparkSession.active()
    folder = f"{{spark.conf.get('{lake}')}}/records/{name}/dt=*/*"
    return spark.readStream.schema(", ".join(RECORDS)).parquet(folder)


@dp.temporary_view(
    name="{name}_judged",
    comment="The rows that keep the rules: their texts, and the values that they are; null where none.",
)
{expectations}def {name}_judged() -> DataFrame:
    records = SparkSession.active().readStream.table("{name}_records")
    values = [sf.expr(value).alias(name) for name, value in VALUES.items()]
    return records.select(sf.struct("*").alias("text"), sf.struct(*values).alias("value"))


@dp.table(
    name="{name}",
    comment={comment},
)
def {name}() -> DataFrame:
    judged = SparkSession.active().readStream.table("{name}_judged")
    return judged.selectExpr(*CLEAN)
"""


@dataclass(frozen=True)
class Expectation:
    """What a row is expected to be.

    Attributes:
        reason: the reason that a row is given which is not.
        policy: what becomes of such a row.
        condition: Spark SQL that is never NULL, over two structs of the contract's columns, `text` and `value`.
    """

    reason: str
    policy: Policy
    condition: str


def render(contract: Contract) -> str:
    """The pipeline's module, formatted as ruff does."""
    said = not_enforced(contract)
    broken = Policy.FAIL if contract.policy is Policy.FAIL else Policy.QUARANTINE
    settings = {LAKE: "the lake's address, as in s3://bucket", **SETTINGS}
    head = _HEAD.format(
        rendered=rendered_from(contract),
        settings="\n".join(f"    {name} = {value}" for name, value in settings.items()),
        not_enforced="\n".join(["", *(f"not enforced here: {_plain(each)}" for each in said), ""]) if said else "",
    )
    body = _BODY.format(
        records=_list([*_texts(contract), "raw_record STRING", "record_number BIGINT", "run_id STRING"]),
        values=_dict({each.name: typed_sql(name_in_sql(each.name), each.type) for each in contract.columns}),
        clean=_list(_clean(contract)),
        name=contract.name,
        lake=LAKE,
        malformed=_decorator(Expectation(MALFORMED, broken, "raw_record IS NULL")),
        expectations="".join(f"{_decorator(each)}\n" for each in expectations(contract)),
        comment=python(f"{sentence(contract.description)} Owner: {contract.owner}.".strip()),
    )
    long = any(len(line) > _LONG for line in [*head.splitlines(), *body.splitlines()])
    ignored = "E501, INP001 - a condition stands on one line; a" if long else "INP001 - a"
    return f"{head}# ruff: noqa: {ignored} pipeline's source is no package\n{body}"


def expectations(contract: Contract) -> list[Expectation]:
    """An expectation for each rule that a condition on one row can say, in declaration order."""
    found = []
    for rule in contract.rules:
        try:
            asked = _condition(contract, rule)
        except NotEnforcedError:
            continue  # `not_enforced` says it
        found.append(Expectation(rule.reason, contract.policy_of(rule), asked))
    return found


def not_enforced(contract: Contract) -> list[str]:
    """What the contract asks and no expectation says, a sentence each."""
    said = [f"{', '.join(contract.key_columns)}: the table keeps rows that have one key."] if contract.key else []
    for rule in contract.rules:
        try:
            _condition(contract, rule)
        except NotEnforcedError as error:
            said.append(f"{rule.reason}: {error}")
    return [*said, *beyond_rows(contract)]


def _condition(contract: Contract, rule: FieldRule) -> str:
    column = contract.column(rule.field)
    text, value = f"text.{name_in_sql(column.name)}", f"value.{name_in_sql(column.name)}"
    values = {each.name: f"value.{name_in_sql(each.name)}" for each in contract.columns}
    asked = condition(contract, rule, values, clock=True)
    if isinstance(rule.check, checks.Expression):
        asked = f"coalesce({asked}, FALSE)"  # where the value is there, another that the expression names may not be
    untyped = contract.untyped_rule(column) is rule and not isinstance(column.type, Text)
    if contract.missing_rule(column) is rule:
        there = f"{value} IS NOT NULL" if untyped or isinstance(column.type, Text) else f"{text} IS NOT NULL"
        return f"{there} AND {asked}" if asked else there
    if untyped:
        there = f"{value} IS NOT NULL AND {asked}" if asked else f"{value} IS NOT NULL"
        return f"{text} IS NULL OR ({there})"
    return f"{value} IS NULL OR ({asked})" if asked else "TRUE"


def _texts(contract: Contract) -> list[str]:
    return [f"{name_in_sql(column.name)} STRING" for column in contract.columns]


def _clean(contract: Contract) -> list[str]:
    """SQL of a clean row's columns."""
    found = []
    if isinstance(contract.key, SurrogateKey):
        sources = ", ".join(f"text.{name_in_sql(source)}" for source in contract.key.sources)
        key = f"md5(CAST(concat_ws({literal(contract.key.separator)}, {sources}) AS BINARY))"
        found.append(f"{key} AS {name_in_sql(contract.key.name)}")
    found += [f"value.{name_in_sql(each.name)} AS {name_in_sql(each.name)}" for each in contract.loaded]
    return [*found, "text.record_number", "text.run_id"]


def _decorator(expectation: Expectation) -> str:
    lines = [f"@dp.{_DECORATORS[expectation.policy]}(", f"    {python(expectation.reason)},"]
    return "\n".join([*lines, f"    {python(expectation.condition)},", ")"])


def _list(texts: list[str]) -> str:
    return "\n".join(["[", *(f"    {python(text)}," for text in texts), "]"])


def _dict(texts: dict[str, str]) -> str:
    return "\n".join(["{", *(f"    {python(name)}: {python(text)}," for name, text in texts.items()), "}"])


def _plain(text: str) -> str:
    """A sentence that a docstring can hold."""
    return text.replace("\\", "\\\\").replace('"', "'")
