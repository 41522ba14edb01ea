"""Quality rules of the Open Data Contract Standard: of a row where they can be, of the whole file otherwise."""

import pytest

from rowgate.contract.checks import Expression, Matches, NotBlank, OneOf, Unique
from rowgate.contract.model import Policy
from rowgate.contract.yaml_reader import read_yaml
from rowgate.errors import ContractError

TEXT = """\
apiVersion: v3.1.0
kind: DataContract
id: toy-1
version: 1.0.0
name: toy
team: {{name: us}}
schema:
  - name: toys
    properties:
      - {{name: a, logicalType: string, quality: [{column}]}}
      - {{name: b, logicalType: integer}}
    quality: [{whole}]
"""


def toy(column: str = "", whole: str = ""):
    return read_yaml(TEXT.format(column=column, whole=whole), "toy.yaml")


@pytest.mark.parametrize(
    ("rule", "reason", "check"),
    [
        ("{metric: nullValues, mustBe: 0}", "missing_a", NotBlank()),
        ("{type: library, metric: nullValues, mustBeLessOrEqualTo: 0, unit: percent}", "missing_a", NotBlank()),
        ("{rule: nullCheck}", "missing_a", NotBlank()),
        ("{rule: notNull}", "missing_a", NotBlank()),
        ("{type: library, rule: notNull, mustBe: 0}", "missing_a", NotBlank()),
        ("{metric: duplicateValues, mustBeLessThan: 1}", "duplicate_a", Unique()),
        ("{metric: invalidValues, mustBe: 0, arguments: {validValues: [x, null, '']}}", "a_not_allowed", OneOf(("x",))),
        ("{metric: invalidValues, mustBe: 0, arguments: {pattern: '[a-z]+'}}", "a_bad_format", Matches("[a-z]+")),
        ("{rule: validValues, validValues: [x, y]}", "a_not_allowed", OneOf(("x", "y"))),
        ("{metric: nullValues, mustBe: 0, name: no_a}", "no_a", NotBlank()),
    ],
)
def test_a_count_that_must_be_0_is_a_rule_of_the_row(rule, reason, check):
    assert [(rule.reason, rule.check) for rule in toy(rule).rules if rule.field == "a"] == [(reason, check)]


def test_words_that_mean_missing_are_refused_beside_missing_itself():
    contract = toy("{metric: missingValues, mustBe: 0, arguments: {missingValues: [null, '', n/a]}}")
    assert [(rule.reason, rule.check) for rule in contract.rules if rule.field == "a"] == [
        ("missing_a", NotBlank()),
        ("a_check_1", Expression("`a` NOT IN ('n/a')")),
    ]
    assert contract.columns[0].required


@pytest.mark.parametrize(
    ("rule", "name", "sql", "allowed"),
    [
        (
            "{metric: nullValues, mustBeLessOrEqualTo: 5}",
            "a_nullValues",
            "SELECT COUNT(*) FILTER (WHERE `a` IS NULL) FROM {table}",
            "at most 5",
        ),
        (
            "{metric: nullValues, mustBeLessThan: 1, unit: percent, name: few}",
            "few",
            "SELECT 100.0 * COUNT(*) FILTER (WHERE `a` IS NULL) / COUNT(*) FROM {table}",
            "less than 1",
        ),
        (
            "{metric: invalidValues, mustBeLessOrEqualTo: 5, unit: percent, arguments: {validValues: [it's]}}",
            "a_invalidValues",
            "SELECT 100.0 * COUNT(*) FILTER (WHERE `a` NOT IN ('it\\'s')) / COUNT(*) FROM {table}",
            "at most 5",
        ),
        (
            "{type: sql, query: 'SELECT MIN(${column}) FROM ${table}', mustBeLessOrEqualTo: 2.5}",
            "a_sql",
            "SELECT MIN(`a`) FROM {table}",
            "at most 2.5",
        ),
        (
            "{metric: duplicateValues, mustBeGreaterThan: 2}",
            "a_duplicateValues",
            "SELECT (COUNT(`a`) - COUNT(DISTINCT `a`)) FROM {table}",
            "more than 2",
        ),
        (
            "{metric: missingValues, mustBeLessOrEqualTo: 9, arguments: {missingValues: [null, n/a]}}",
            "a_missingValues",
            "SELECT COUNT(*) FILTER (WHERE `a` IS NULL OR `a` IN ('n/a')) FROM {table}",
            "at most 9",
        ),
        (
            "{type: sql, query: 'SELECT COUNT(*) FROM {object} WHERE {property} IS NULL;', mustBeLessOrEqualTo: 3}",
            "a_sql",
            "SELECT COUNT(*) FROM {table} WHERE `a` IS NULL",
            "at most 3",
        ),
        (
            "{type: sql, query: 'SELECT 1 FROM ${table}', mustBeBetween: [0, 9]}",
            "a_sql",
            "SELECT 1 FROM {table}",
            "more than 0 and less than 9",
        ),
    ],
)
def test_any_other_limit_is_a_rule_of_the_whole_file(rule, name, sql, allowed):
    (found,) = toy(rule).dataset_rules
    assert (found.name, found.sql, found.allowed) == (name, sql, allowed)


@pytest.mark.parametrize(
    ("operators", "allowed", "right", "wrong"),
    [
        ("mustBe: 3", ["exactly 3"], [3], [2, 4]),
        ("mustNotBe: 3", ["anything but 3"], [2, 4], [3]),
        ("mustBeGreaterThan: 3", ["more than 3"], [3.5], [3]),
        ("mustBeGreaterOrEqualTo: 3", ["at least 3"], [3], [2.5]),
        ("mustBeLessThan: 3", ["less than 3"], [2.5], [3]),
        ("mustBeLessOrEqualTo: 3", ["at most 3"], [3], [3.5]),
        ("mustBeBetween: [3, 9]", ["more than 3 and less than 9"], [3.1, 8.9], [3, 9]),
        ("mustNotBeBetween: [3, 9]", ["anything but more than 3 and less than 9"], [3, 9], [3.1, 8.9]),
        ("mustBeGreaterThan: 3, mustBeLessOrEqualTo: 9", ["more than 3 and at most 9"], [3.1, 9], [3, 9.1]),
        ("mustBeBetween: [3, 9], mustBeGreaterOrEqualTo: 5", ["at least 5 and less than 9"], [5], [4.9, 9]),
        ("mustBeLessThan: 9, mustNotBe: 5", ["less than 9", "anything but 5"], [4], [5, 9]),
    ],
)
def test_a_limit_judges_the_measured_number_and_says_it_in_words(operators, allowed, right, wrong):
    rules = toy(whole=f"{{type: sql, query: 'SELECT 1 FROM {{object}}', {operators}}}").dataset_rules
    assert [each.allowed for each in rules] == allowed
    assert all(each.allows(value) for each in rules for value in right)
    assert not any(all(each.allows(value) for each in rules) for value in wrong)


def test_a_misspelt_operator_is_told_alone():
    with pytest.raises(ContractError) as caught:
        toy("{metric: nullValues, mustBeeLessThan: 3}")
    assert str(caught.value) == (
        "toy.yaml:10: schema.toys.properties.a.quality.1.mustBeeLessThan is no key of the standard here; "
        "did you mean mustBeLessThan?"
    )


def test_limits_that_no_number_meets_are_refused():
    rule = "{type: sql, query: 'SELECT 1 FROM {object}', mustBeGreaterThan: 9, mustBeLessThan: 3}"
    with pytest.raises(ContractError, match=r"toy.yaml:12: .*dataset rule sql: no value lies between its two limits"):
        toy(whole=rule)


@pytest.mark.parametrize(
    ("query", "sql"),
    [
        ("SELECT COUNT(*) FROM toys", "SELECT COUNT(*) FROM {table}"),
        ("select count(*) from `Toys` where b > 1", "select count(*) from {table} where b > 1"),
        ("SELECT MAX(t.b) FROM toys t", "SELECT MAX(t.b) FROM {table} t"),
        (
            "SELECT MAX(t.b) FROM toys t WHERE t.b > (SELECT AVG(toys.b) FROM toys)",
            "SELECT MAX(t.b) FROM {table} t WHERE t.b > (SELECT AVG(toys.b) FROM {table} AS `toys`)",
        ),
        ("SELECT MAX(toys.b) FROM toys", "SELECT MAX(toys.b) FROM {table} AS `toys`"),
        ("SELECT COUNT(*) FROM {object} JOIN toys USING (a)", "SELECT COUNT(*) FROM {table} JOIN {table} USING (a)"),
    ],
)
def test_a_query_may_call_the_object_by_its_own_name(query, sql):
    (rule,) = toy(whole=f"{{type: sql, query: '{query}', mustBeLessThan: 9}}").dataset_rules
    assert rule.sql == sql


@pytest.mark.parametrize(
    ("rule", "least", "sqls"),
    [
        ("{metric: rowCount, mustBeGreaterThan: 100}", 101, []),
        ("{metric: rowCount, mustBeGreaterOrEqualTo: 100}", 100, []),
        ("{metric: rowCount, mustBe: 7}", 7, [("SELECT COUNT(*) FROM {table}", "at most 7")]),
        ("{metric: rowCount, mustBeLessOrEqualTo: 7}", None, [("SELECT COUNT(*) FROM {table}", "at most 7")]),
        (
            "{metric: rowCount, mustBeBetween: [100, 120]}",
            101,
            [("SELECT COUNT(*) FROM {table}", "less than 120")],
        ),
    ],
)
def test_the_least_number_of_rows_is_min_rows(rule, least, sqls):
    contract = toy(whole=rule)
    assert contract.min_rows == least
    assert [(each.sql, each.allowed) for each in contract.dataset_rules] == sqls


def test_columns_that_must_be_unique_together_are_a_rule_of_the_row():
    contract = toy(whole="{metric: duplicateValues, mustBe: 0, arguments: {properties: [a, b]}}")
    assert [(rule.field, rule.check, rule.reason) for rule in contract.rules][-1] == (
        "a",
        Unique(("b",)),
        "duplicate_a_b",
    )


def test_a_warning_loads_the_row():
    (rule,) = (
        rule
        for rule in toy("{metric: duplicateValues, mustBe: 0, severity: warning, description: Once.}").rules
        if rule.field == "a"
    )
    assert (rule.policy, rule.description) == (Policy.WARN, "Once.")


def test_two_rules_of_the_whole_file_get_two_names():
    rule = "{metric: nullValues, mustBeLessOrEqualTo: 5}"
    assert [each.name for each in toy(f"{rule}, {rule}").dataset_rules] == ["a_nullValues", "a_nullValues_2"]


@pytest.mark.parametrize(
    ("column", "whole", "sentence"),
    [
        (
            "{type: text, description: It is good.}",
            "",
            "schema.toys.properties.a.quality.1.type is 'text', which is not supported",
        ),
        ("{type: custom, engine: soda, implementation: x}", "", "quality.1.type is 'custom', which is not supported"),
        (
            "{metric: nulValues, mustBe: 0}",
            "",
            "quality.1.metric is 'nulValues', which is not supported; did you mean nullValues?",
        ),
        ("{type: library, rule: between}", "", "quality.1.rule is 'between', which is not supported"),
        ("{metric: rowCount, mustBe: 1}", "", "quality.1.metric is rowCount, which cannot be a rule of a property."),
        (
            "",
            "{metric: nullValues, mustBe: 1}",
            "schema.toys.quality.1.metric is nullValues, which cannot be a rule of an object.",
        ),
        ("{metric: nullValues}", "", "quality.1 has no operator; say what the number must be, as in mustBe: 0."),
        ("{metric: nullValues, mustBe: few}", "", "quality.1.mustBe must be a number."),
        ("{metric: nullValues, mustBeBetween: [3, 1]}", "", "quality.1.mustBeBetween is upside down"),
        ("{metric: nullValues, mustBe: 0, unit: boxes}", "", "quality.1.unit is 'boxes', which is not supported"),
        ("{metric: nullValues, mustBe: 0, severity: odd}", "", "quality.1.severity is 'odd', which is not supported"),
        ("{metric: nullValues, mustBe: 3, severity: info}", "", "quality.1.severity is not supported here"),
        ("{metric: invalidValues, mustBe: 0}", "", "quality.1.arguments must have validValues or a pattern."),
        (
            "{metric: invalidValues, mustBe: 5, arguments: {pattern: x}}",
            "",
            "arguments.pattern is supported with mustBe: 0 alone.",
        ),
        (
            "{metric: invalidValues, mustBe: 0, arguments: {patern: x}}",
            "",
            "arguments.patern is no argument of invalidValues; did you mean pattern?",
        ),
        (
            "",
            "{type: sql, query: SELECT 1 FROM games, mustBe: 1}",
            "schema.toys.quality.1.query does not read {object}",
        ),
        (
            "",
            "{metric: duplicateValues, mustBe: 0, arguments: {properties: [a, c]}}",
            "quality.1.arguments names 'c', which is no property.",
        ),
        (
            "",
            "{type: sql, query: 'SELECT 1 FROM {object} WHERE b > ${X}', mustBe: 1}",
            "quality.1.query holds ${X}, which nothing here replaces.",
        ),
        (
            "{metric: nullValues, mustBe: 0, mustbe: 0}",
            "",
            "quality.1.mustbe is no key of the standard here; did you mean mustBe?",
        ),
    ],
)
def test_a_rule_that_cannot_be_checked_is_named_by_path(column, whole, sentence):
    with pytest.raises(ContractError) as caught:
        toy(column, whole)
    assert sentence in str(caught.value)
