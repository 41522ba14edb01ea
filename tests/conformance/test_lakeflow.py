"""The expectations of the rendered pipeline, on a real Spark: the rows that break one are those the reference rejects.

Databricks' runtime cannot be had here. A stand-in takes the place of `pyspark.pipelines`: it keeps what the decorators
are given, and makes of each dataset a view of what its expectations leave. Everything else is Spark's own.
"""

import datetime as dt
import io
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract.checks import Between, Matches, NotBlank, References, Unique
from rowgate.contract.model import Column, Contract, FieldRule, Policy, SurrogateKey
from rowgate.contract.types import Decimal, Integer, Text, Timestamp
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.run import Run
from rowgate.targets import lakeflow, reference
from rowgate.targets.reference import Record
from rowgate.targets.spark_clock import frozen
from rowgate.targets.spark_sql_checks import normalised
from rowgate.targets.spark_sql_types import typed_sql

HERE = Path(__file__).parent
TYPES = runpy.run_path(str(HERE / "test_types.py"))
VERDICTS = runpy.run_path(str(HERE / "test_verdicts.py"))
EDGE_TABLE = runpy.run_path(str(HERE / "edges.py"))
READABLE = [edge for edge in EDGE_TABLE["EDGES"] if edge.readable]
EDGE_RECORDS = [Record(edge.fields(f"k{at}"), None, at) for at, edge in enumerate(READABLE, 1)]

RUN = Run("toy", "manual__2026-03-01T12:00:00+00:00", dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC))
TOY = Contract(
    name="toy",
    version="1.0.0",
    owner="tests",
    columns=(
        Column("id", Text(), loaded=False),
        Column("who", Text(), required=True),
        Column("n", Integer(32), required=True),
        Column("price", Decimal(5, 2)),
    ),
    rules=(
        FieldRule("who", Matches("[A-Z][a-z]+"), "bad_who"),
        FieldRule("n", NotBlank(), "missing_n"),
        FieldRule("n", Between(1, 5), "bad_n"),
        FieldRule("price", Between(0, None), "bad_price", policy=Policy.WARN),
        FieldRule("who", Unique(), "twice"),
        FieldRule("n", References("others"), "unknown_n"),
    ),
    key=SurrogateKey("toy_id", ("who",)),
)
FILE = b'id,who,n,price\na,Anna,1,1.5\nb,bo,2,\nc,Cy,6,\nd,Di,,\ne,Ed,x,\nf,Fay\ng,"Gil",+5,-1\nh,Hal,3,x\n'


class Pipeline(SimpleNamespace):
    """A stand-in for the module `pyspark.pipelines` as Databricks has it."""

    def __init__(self, spark) -> None:
        super().__init__(spark=spark, datasets={}, waiting=[])

    def _dataset(self, name, comment):
        def made(function):
            expected, self.waiting = self.waiting[::-1], []
            frame = function()
            for policy, _, condition in expected:
                frame = frame if policy == "expect" else frame.where(condition)
            frame.createOrReplaceTempView(name)
            self.datasets[name] = (frame, expected, comment)
            return function

        return made

    temporary_view = table = _dataset

    def _expectation(self, policy):
        def taken(reason, condition):
            def decorated(function):
                self.waiting.append((policy, reason, condition))
                return function

            return decorated

        return taken

    def __getattr__(self, name):
        if name in ("expect", "expect_or_drop", "expect_or_fail"):
            return self._expectation(name)
        raise AttributeError(name)


def broken(spark, contract, records, now):
    """For each record the reasons of the expectations that it breaks; NULL breaks none, so it would be seen."""
    from pyspark.sql import functions as sf

    names = [column.name for column in contract.columns]
    rows = [[record.fields[name] for name in names] for record in records]
    schema = ", ".join(f"`{name.replace('`', '``')}` STRING" for name in names)
    frame = spark.createDataFrame(rows, schema)
    quoted = [f"`{name.replace('`', '``')}`" for name in names]
    values = [
        sf.expr(typed_sql(quote, column.type)).alias(column.name)
        for quote, column in zip(quoted, contract.columns, strict=True)
    ]
    frame = frame.select(sf.struct("*").alias("text"), sf.struct(*values).alias("value"))
    kept = lakeflow.expectations(contract)
    found = frame.selectExpr(*(f"({frozen(each.condition, now)}) AS e{at}" for at, each in enumerate(kept))).collect()
    return [[each.reason for each, holds in zip(kept, row, strict=True) if holds is not True] for row in found]


def test_every_edge_breaks_the_expectation_of_its_rule_and_no_other(spark):
    contract, now = EDGE_TABLE["CONTRACT"], EDGE_TABLE["NOW"]
    verdicts = reference.judge(contract, EDGE_RECORDS, now)
    expected = {str(edge): [*each.reasons, *each.warnings] for edge, each in zip(READABLE, verdicts, strict=True)}
    found = broken(spark, contract, EDGE_RECORDS, now)
    assert dict(zip(map(str, READABLE), found, strict=True)) == expected


def test_the_rows_of_the_shared_table_break_what_the_reference_says_but_for_repeats(spark):
    contract, now = VERDICTS["CONTRACT"], VERDICTS["NOW"]
    told = {each.reason for each in lakeflow.expectations(contract)}
    rejecting = [each.reason for each in lakeflow.expectations(contract) if each.policy is not Policy.WARN]
    records = [record for record in VERDICTS["RECORDS"] if record.raw_record is None]
    found = broken(spark, contract, records, now)
    verdicts = {each.record_number: each for each in reference.judge(contract, VERDICTS["RECORDS"], now)}
    for record, reasons in zip(records, found, strict=True):
        verdict = verdicts[record.record_number]
        assert [each for each in reasons if each in rejecting] == [each for each in verdict.reasons if each in told]
        if not verdict.reasons:
            assert [each for each in reasons if each not in rejecting] == [
                each for each in verdict.warnings if each in told
            ]


def test_a_text_is_as_the_reader_leaves_it_where_the_condition_for_that_holds(spark):
    contract, texts = (
        EDGE_TABLE["CONTRACT"],
        sorted({edge.text for edge in EDGE_TABLE["EDGES"] if edge.text is not None}),
    )
    frame = spark.createDataFrame([[text] for text in texts], "t STRING")
    holds = [row[0] for row in frame.selectExpr(normalised(contract, "t")).collect()]
    expected = [reference.normalise(text, contract.null_markers) == text for text in texts]
    assert expected.count(False) > 50
    assert dict(zip(texts, holds, strict=True)) == dict(zip(texts, expected, strict=True))


def test_texts_are_values_as_the_table_of_types_says(spark):
    kinds = list(dict.fromkeys(kind for kind, _, _ in TYPES["TABLE"]))
    frame = spark.createDataFrame([[at, row[1]] for at, row in enumerate(TYPES["TABLE"])], "at INT, t STRING")
    rows = frame.selectExpr("at", *(f"CAST({typed_sql('t', kind)} AS STRING) AS k{n}" for n, kind in enumerate(kinds)))
    found = {row["at"]: dict(zip(kinds, row[1:], strict=True)) for row in rows.collect()}
    assert [_told(found[at][kind], kind) for at, (kind, _, _) in enumerate(TYPES["TABLE"])] == [
        value for _, _, value in TYPES["TABLE"]
    ]


def _told(text, kind):
    """A value as the table of types writes it."""
    if text is not None and kind == Timestamp():
        return f"{dt.datetime.fromisoformat(text).isoformat()}Z"
    return text


@pytest.fixture(scope="module")
def pipeline(spark, tmp_path_factory):
    """The rendered module of the toy, run over records that the reader wrote."""
    import pyspark

    lake = open_lake(f"file://{tmp_path_factory.mktemp('lake')}")
    ingest(TOY, RUN, Source("toy.csv", lambda: io.BytesIO(FILE)), lake)
    spark.conf.set(lakeflow.LAKE, lake.uri)
    found = Pipeline(spark)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pyspark, "pipelines", found, raising=False)
        exec(compile(lakeflow.render(TOY), "toy.py", "exec"), {})  # noqa: S102 - this is how a pipeline runs it
    return found


def test_the_rendered_pipeline_lets_the_rows_through_that_the_reference_accepts(spark, pipeline):
    frame, _, _ = pipeline.datasets["toy"]
    query = frame.writeStream.format("memory").queryName("toy_clean").trigger(availableNow=True).start()
    query.awaitTermination()
    rows = spark.table("toy_clean").orderBy("record_number").collect()
    assert [(row["who"], row["n"], row["price"] and str(row["price"]), row["record_number"]) for row in rows] == [
        ("Anna", 1, "1.50", 1),
        ("Gil", 5, "-1.00", 7),
        ("Hal", 3, None, 8),
    ]
    assert rows[0]["toy_id"] == reference.surrogate(TOY, {"who": "Anna"})
    assert frame.columns == ["toy_id", "who", "n", "price", "record_number", "run_id"]


def test_each_expectation_has_the_decorator_of_its_rule_s_policy(pipeline):
    assert [(policy, reason) for policy, reason, _ in pipeline.datasets["toy_judged"][1]] == [
        ("expect_or_drop", "bad_who"),
        ("expect_or_drop", "missing_n"),
        ("expect_or_drop", "bad_n"),
        ("expect", "bad_price"),
    ]
    assert [(policy, reason) for policy, reason, _ in pipeline.datasets["toy_records"][1]] == [
        ("expect_or_drop", "malformed_record")
    ]
