"""A report as OpenLineage's assertions."""

import runpy
from pathlib import Path

import pytest

from rowgate.contract.checks import Between, NotBlank
from rowgate.contract.model import Column, Contract, FieldRule, Policy
from rowgate.contract.types import Integer, Text
from rowgate.stages.report import QualityRule, Report

TOY = Contract(
    "toy",
    "1.0.0",
    "us",
    (Column("who", Text(), required=True), Column("n", Integer(32))),
    (FieldRule("who", NotBlank(), "who_missing"), FieldRule("n", Between(0, 9), "n_wrong", policy=Policy.WARN)),
)
REPORT = Report(
    *("toy", "1.0.0", "r1", "2026-03-01", "a.csv", "passed", 4, 3, 1, 0.75),
    {"malformed_record": 0, "who_missing": 1, "n_wrong": 0},
    {"malformed_record": 0, "who_missing": 1, "n_wrong": 0},
    {"n_wrong": 2},
    [
        QualityRule("spread", 7.0, 5.0, "breached", allowed="at most 5"),
        QualityRule("known", None, 0.0, "not_evaluated", allowed="at most 0"),
    ],
)


@pytest.fixture(scope="module")
def said():
    module = Path(__file__).parents[2] / "dags" / "etl_factory" / "lineage_assertions.py"
    return {each.name: each for each in runpy.run_path(str(module))["assertions"](TOY, REPORT)}


def test_a_rule_that_rejects_is_an_error_with_its_rows(said):
    found = said["who_missing"]
    assert (found.assertion, found.column, found.success, found.severity, found.actual) == (
        *("not_blank", "who", False, "error"),
        "1",
    )


def test_a_rule_that_warns_is_a_warning_with_its_rows(said):
    found = said["n_wrong"]
    assert (found.assertion, found.column, found.success, found.severity, found.actual) == (
        *("between", "n", False, "warn"),
        "2",
    )


def test_a_rule_that_nothing_broke_is_met(said):
    assert said["malformed_record"].success is True


def test_a_rule_about_the_whole_file_says_what_was_allowed_and_measured(said):
    found = said["spread"]
    assert (found.success, found.expected, found.actual) == (False, "at most 5", "7")


def test_a_rule_that_was_not_evaluated_is_not_asserted(said):
    assert "known" not in said
