"""A contract's table as an Expectation Suite of Great Expectations."""

import json

from rowgate.contract.checks import Between, Expression, Matches, References, Typed
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, NaturalKey, Policy
from rowgate.contract.types import Integer, Text
from rowgate.targets import great_expectations

TOY = Contract(
    "toy",
    "1.2.0",
    "us",
    (Column("code", Text(), required=True), Column("size", Integer(32)), Column("at", Integer(32))),
    (
        FieldRule("code", Matches("[A-Z]{2}"), "bad_code", "Two letters."),
        FieldRule("size", Expression("size % 2 = 0"), "odd_size"),
        FieldRule("size", References("sizes"), "no_size"),
        FieldRule("at", Typed(), "odd_at"),
        FieldRule("at", Between(1, 9), "far_at", policy=Policy.WARN),
    ),
    key=NaturalKey(("code",)),
    dataset_rules=(DatasetRule("few", "SELECT COUNT(*) FROM {table}", 9),),
)
TEXT = r"""{
  "name": "toy",
  "notes": [
    "Rendered from the contract toy 1.2.0: change that, then run `make render`.",
    "For the table warehouse.toy in Postgres: patterns and queries are in its dialect.",
    "not enforced here: no_size: it looks at the keys of sizes, whose rows may be loaded later.",
    "not enforced here: far_at: it only warns.",
    "not enforced here: few: it looks at all rows of a run."
  ],
  "meta": {
    "great_expectations_version": "1.24.1"
  },
  "expectations": [
    {
      "type": "expect_column_values_to_not_be_null",
      "kwargs": {
        "column": "code"
      },
      "meta": {
        "reason": "bad_code"
      },
      "description": "Two letters.",
      "severity": "critical"
    },
    {
      "type": "expect_column_values_to_match_regex",
      "kwargs": {
        "column": "code",
        "regex": "^(?:[A-Z]{2})$"
      },
      "meta": {
        "reason": "bad_code"
      },
      "description": "Two letters.",
      "severity": "critical"
    },
    {
      "type": "unexpected_rows_expectation",
      "kwargs": {
        "unexpected_rows_query": "SELECT * FROM {batch} WHERE (\"size\" IS NULL OR ((((\"size\")::numeric % NULLIF((2)::numeric, 0)) = 0)) IS TRUE) IS FALSE"
      },
      "meta": {
        "reason": "odd_size"
      },
      "severity": "critical"
    }
  ]
}
"""  # noqa: E501 - a line is a line


def test_a_suite_is_rendered_with_what_it_cannot_say():
    assert great_expectations.render(TOY) == TEXT


def test_what_the_library_and_its_driver_would_fill_in_is_escaped():
    columns = (Column("a", Text(), required=True),)
    rules = (FieldRule("a", Expression("a <> '{b} :c \\\\:d'"), "odd"),)
    contract = Contract("toy", "1.0.0", "us", columns, rules, key=NaturalKey(("a",)))
    [query] = [
        each["kwargs"]["unexpected_rows_query"]
        for each in json.loads(great_expectations.render(contract))["expectations"]
        if each["meta"] == {"reason": "odd"} and each["type"] == "unexpected_rows_expectation"
    ]
    assert "'{{b}} \\:c \\\\:d'" in query
