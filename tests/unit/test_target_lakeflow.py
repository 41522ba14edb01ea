"""The Lakeflow pipeline, rendered."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rowgate.contract.checks import Between, Expression, Matches, NotBlank, References, Typed, Unique
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, NaturalKey, Policy
from rowgate.contract.types import Date, Integer, Text
from rowgate.targets import lakeflow
from rowgate.targets.python_text import python


def toy(*columns: Column, rules: tuple[FieldRule, ...] = (), **more) -> Contract:
    code = Column("code", Text(), required=True)
    ruled = (FieldRule("code", Matches("[A-Z]{3}"), "bad_code"), *rules)
    return Contract(columns=(code, *columns), rules=ruled, **{"name": "toy", "version": "1.0.0", "owner": "us"} | more)


def conditions(contract: Contract) -> dict[str, str]:
    return {each.reason: each.condition for each in lakeflow.expectations(contract)}


def test_the_whole_module_of_a_contract_of_one_column():
    assert lakeflow.render(toy(rules=(FieldRule("code", Unique(), "twice"),), description='A "toy"')) == (
        '"""Rendered from the contract toy 1.0.0: change that, then run `make render`.\n'
        "\n"
        "A pipeline for Databricks, which must be given these settings:\n"
        "\n"
        "    rowgate.lake = the lake's address, as in s3://bucket\n"
        "    spark.sql.session.timeZone = UTC\n"
        "    spark.sql.decimalOperations.allowPrecisionLoss = false\n"
        "\n"
        "not enforced here: twice: it looks at every row of a file, and a condition sees one.\n"
        '"""\n'
        "# ruff: noqa: INP001 - a pipeline's source is no package\n"
        "\n"
        "from pyspark import pipelines as dp\n"
        "from pyspark.sql import DataFrame, SparkSession\n"
        "from pyspark.sql import functions as sf\n"
        "\n"
        "RECORDS = [\n"
        '    "`code` STRING",\n'
        '    "raw_record STRING",\n'
        '    "record_number BIGINT",\n'
        '    "run_id STRING",\n'
        "]\n"
        "\n"
        "VALUES = {\n"
        '    "code": "`code`",\n'
        "}\n"
        "\n"
        "CLEAN = [\n"
        '    "value.`code` AS `code`",\n'
        '    "text.record_number",\n'
        '    "text.run_id",\n'
        "]\n"
        "\n"
        "\n"
        "@dp.temporary_view(\n"
        '    name="toy_records",\n'
        '    comment="What the reader cut out of the files: every field a text, trimmed; null where missing.",\n'
        ")\n"
        "@dp.expect_or_drop(\n"
        '    "malformed_record",\n'
        '    "raw_record IS NULL",\n'
        ")\n"
        "def toy_records() -> DataFrame:\n"
        "    spark = SparkSession.active()\n"
        "    folder = f\"{spark.conf.get('rowgate.lake')}/records/toy/dt=*/*\"\n"
        '    return spark.readStream.schema(", ".join(RECORDS)).parquet(folder)\n'
        "\n"
        "\n"
        "@dp.temporary_view(\n"
        '    name="toy_judged",\n'
        '    comment="The rows that keep the rules: their texts, and the values that they are; null where none.",\n'
        ")\n"
        "@dp.expect_or_drop(\n"
        '    "bad_code",\n'
        "    r\"value.`code` IS NOT NULL AND value.`code` RLIKE '^(?:[A-Z]{3})\\\\z'\",\n"
        ")\n"
        "def toy_judged() -> DataFrame:\n"
        '    records = SparkSession.active().readStream.table("toy_records")\n'
        "    values = [sf.expr(value).alias(name) for name, value in VALUES.items()]\n"
        '    return records.select(sf.struct("*").alias("text"), sf.struct(*values).alias("value"))\n'
        "\n"
        "\n"
        "@dp.table(\n"
        '    name="toy",\n'
        "    comment='A \"toy\". Owner: us.',\n"
        ")\n"
        "def toy() -> DataFrame:\n"
        '    judged = SparkSession.active().readStream.table("toy_judged")\n'
        "    return judged.selectExpr(*CLEAN)\n"
    )


@pytest.mark.parametrize(
    ("policy", "decorator"),
    [(Policy.QUARANTINE, "expect_or_drop"), (Policy.FAIL, "expect_or_fail"), (Policy.WARN, "expect")],
)
def test_a_policy_is_a_decorator(policy, decorator):
    rules = (FieldRule("n", Between(1, 2), "bad_n", policy=policy),)
    assert f'@dp.{decorator}(\n    "bad_n",\n' in lakeflow.render(toy(Column("n", Integer()), rules=rules))


@pytest.mark.parametrize(
    ("policy", "decorator"),
    [(Policy.QUARANTINE, "expect_or_drop"), (Policy.FAIL, "expect_or_fail"), (Policy.WARN, "expect_or_drop")],
)
def test_a_malformed_record_never_loads_and_stops_a_hard_contract(policy, decorator):
    assert f'@dp.{decorator}(\n    "malformed_record",\n' in lakeflow.render(toy(policy=policy))


def test_missing_untyped_and_wrong_are_told_apart():
    rules = (
        FieldRule("n", NotBlank(), "missing_n"),
        FieldRule("n", Typed(), "untyped_n"),
        FieldRule("n", Between(1, None), "low_n"),
    )
    found = conditions(toy(Column("n", Integer(), required=True), rules=rules))
    assert found["missing_n"] == "text.`n` IS NOT NULL"
    assert found["untyped_n"] == "text.`n` IS NULL OR (value.`n` IS NOT NULL)"
    assert found["low_n"] == "value.`n` IS NULL OR (value.`n` >= 1L)"


def test_one_rule_that_covers_missing_untyped_and_wrong_says_all_three():
    rules = (FieldRule("n", Between(1, None), "bad_n"), FieldRule("m", Between(1, None), "bad_m"))
    found = conditions(toy(Column("n", Integer(), required=True), Column("m", Integer()), rules=rules))
    assert found["bad_n"] == "value.`n` IS NOT NULL AND value.`n` >= 1L"
    assert found["bad_m"] == "text.`m` IS NULL OR (value.`m` IS NOT NULL AND value.`m` >= 1L)"


def test_an_expression_looks_at_the_clock_and_its_null_breaks_the_rule():
    rules = (FieldRule("day", Expression("day <= current_date()"), "future"),)
    assert conditions(toy(Column("day", Date()), rules=rules))["future"] == (
        "text.`day` IS NULL OR (value.`day` IS NOT NULL AND coalesce(((value.`day`) <= current_date()), FALSE))"
    )


def test_the_header_names_what_no_expectation_says():
    rules = (FieldRule("code", Unique(), "twice"), FieldRule("code", References("others"), "unknown"))
    contract = toy(
        rules=rules,
        dataset_rules=(DatasetRule("rows", "SELECT 1 FROM {table}", 1),),
        min_rows=5,
        key=NaturalKey(("code",)),
    )
    said = [
        "code: the table keeps rows that have one key.",
        "twice: it looks at every row of a file, and a condition sees one.",
        "unknown: it looks at the keys of others, and a condition sees one row.",
        "rows: it looks at all rows of a run.",
        "min_rows: it looks at all rows of a run.",
    ]
    assert lakeflow.not_enforced(contract) == said
    docstring = ast.get_docstring(ast.parse(lakeflow.render(contract)))
    assert [line for line in docstring.splitlines() if line.startswith("not enforced here: ")] == [
        f"not enforced here: {each}" for each in said
    ]


def test_a_column_that_is_not_loaded_is_judged_and_not_kept():
    contract = toy(Column("n", Integer(), loaded=False), rules=(FieldRule("n", Typed(), "bad_n"),))
    assert "bad_n" in conditions(contract)
    assert "AS `n`" not in lakeflow.render(contract)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_written_as_python_is_that_text(text):
    assert ast.literal_eval(python(text)) == text


def test_a_rendered_module_is_as_the_project_s_own_formatter_and_linter_want_it(tmp_path, project):
    odd = """it's "odd" \\ '"' \u2028"""
    rules = (FieldRule("a 'b\"", Matches(r"it's \"\\"), "bad_a"), FieldRule("n", Typed(), "bad_n"))
    contract = toy(Column("a 'b\"", Text()), Column("n", Integer()), rules=rules, description=odd, null_markers=("-",))
    file = tmp_path / "toy.py"
    file.write_text(lakeflow.render(contract), encoding="utf-8")
    ruff = [str(Path(sys.executable).with_name("ruff"))]
    settings = ["--config", str(project / "pyproject.toml"), "--no-cache", str(file)]
    for command in (["format", "--check"], ["check"]):
        ran = subprocess.run([*ruff, *command, *settings], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
