"""A contract written in the Open Data Contract Standard."""

import dataclasses
import datetime as dt
import json
import re
import runpy
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft201909Validator

from rowgate.contract import catalog
from rowgate.contract.checks import Between, Expression, LengthBetween, Matches, NotBlank, OneOf, References, Unique
from rowgate.contract.model import (
    Column,
    Contract,
    DatasetRule,
    FieldRule,
    NaturalKey,
    Pii,
    Policy,
    ServiceLevels,
    SurrogateKey,
)
from rowgate.contract.types import Integer, Text
from rowgate.contract.yaml_reader import read_yaml
from rowgate.errors import ContractError
from rowgate.targets import odcs

CONTRACTS = runpy.run_path(str(Path(__file__).parents[1] / "conformance" / "random_contracts.py"))["contracts"]
TOY = Contract(
    "toy",
    "1.2.0",
    "us",
    (
        Column("code", Text(), Pii.DIRECT, "A code.", required=True),
        Column("size", Integer(32), loaded=False),
    ),
    (
        FieldRule("size", Between(1, 9), "bad_size", "One to nine.", Policy.WARN),
        FieldRule("code", Matches("[A-Z]+"), "bad_code", policy=Policy.FAIL),
        FieldRule("code", Expression("code <> 'X'"), "odd_code"),
    ),
    key=SurrogateKey("toy_id", ("code",), "~"),
)
TEXT = """\
# Rendered from the contract toy 1.2.0: change that, then run `make render`.
# not enforced here: odd_code: rowgate alone reads it.

apiVersion: v3.1.0
kind: DataContract
id: toy
name: toy
version: 1.2.0
status: active
team:
  name: us
schema:
- name: toy
  logicalType: object
  physicalType: file
  properties:
  - name: code
    logicalType: string
    physicalType: string
    description: A code.
    required: true
    classification: direct identifier
    logicalTypeOptions:
      pattern: '[A-Z]+'
    customProperties:
    - property: rowgatePii
      value: direct identifier
    quality:
    - name: bad_code
      metric: invalidValues
      mustBe: 0
      arguments:
        pattern: '[A-Z]+'
      severity: error
      customProperties:
      - property: rowgatePolicy
        value: fail
    - name: odd_code
      type: custom
      engine: rowgate
      implementation:
        check: expression
        sql: code <> 'X'
      severity: error
  - name: size
    logicalType: integer
    physicalType: int
    logicalTypeOptions:
      minimum: 1
      maximum: 9
    customProperties:
    - property: rowgateLoaded
      value: false
    quality:
    - name: bad_size
      description: One to nine.
      type: custom
      engine: rowgate
      implementation:
        check: between
        low: 1
        high: 9
      severity: warning
customProperties:
- property: rowgateSurrogateKey
  value:
    name: toy_id
    sources:
    - code
    separator: '~'
- property: rowgateRules
  value:
  - bad_size
  - bad_code
  - odd_code
"""

POLICIES = st.sampled_from(Policy)
RULES = st.sampled_from(
    [
        DatasetRule("most", "SELECT COUNT(*) FROM {table}", 9),
        DatasetRule("less", "SELECT COUNT(*) FROM {table}", 0.5, "Words: 'odd' # ones", below_threshold=True),
        DatasetRule("least", "SELECT COUNT(*) FROM {table}", None, low=2),
        DatasetRule("more", "SELECT COUNT(*) FROM {table}", None, low=-2.5, above_low=True),
        DatasetRule("same", "SELECT COUNT(*) FROM {table}", 3, low=3),
        DatasetRule("other", "SELECT COUNT(*) FROM {table}", 3, low=3, outside=True),
        DatasetRule("between", "SELECT COUNT(*) FROM {table}", 9, low=3, above_low=True, below_threshold=True),
        DatasetRule("closed", "SELECT COUNT(*) FROM {table}", 9, low=3),
        DatasetRule("beyond", "SELECT COUNT(*) FROM {table}", 9, low=3, outside=True),
        DatasetRule("tiny", "SELECT COUNT(*) / 3 FROM {table}", 1e-09),
        DatasetRule("own_name", "SELECT COUNT(*) FROM {table} AS toy WHERE 'a {object}' <> ''", 1),
    ]
)
LEVELS = st.builds(
    ServiceLevels,
    st.one_of(st.none(), st.timedeltas(dt.timedelta(microseconds=1), dt.timedelta(days=9_000))),
    st.sampled_from(["", "99.9%", "99 %", "always"]),
    st.sampled_from(["", "daily: one file", "null"]),
)


@st.composite
def whole_contracts(draw: st.DrawFn) -> Contract:
    """Random columns and rules, with everything else a contract can say."""
    contract = draw(CONTRACTS())
    words = st.sampled_from(["", "Plain.", "no", "1.0", "2020-01-01", "# a: 'b' \"c\"", "é Ω 😀", "two\nlines"])
    columns = tuple(
        dataclasses.replace(each, pii=draw(st.sampled_from(Pii)), description=draw(words)) for each in contract.columns
    )
    return dataclasses.replace(
        contract,
        columns=columns,
        rules=tuple(dataclasses.replace(rule, description=draw(words)) for rule in contract.rules),
        description=draw(words),
        on_conflict=draw(st.sampled_from(["nothing", "update"])),
        dataset_rules=tuple(draw(st.lists(RULES, max_size=3, unique_by=lambda rule: rule.name))),
        service_levels=draw(LEVELS),
        null_markers=tuple(draw(st.lists(st.sampled_from(["NULL", "n/a", "~", "-", "é"]), unique=True))),
        max_reject_rate=draw(st.one_of(st.none(), st.floats(0, 1))),
        min_rows=draw(st.one_of(st.none(), st.integers(0, 10**9))),
    )


def test_a_contract_is_said_in_the_words_of_the_standard_where_it_has_them():
    assert odcs.render(TOY) == TEXT


def test_the_greatest_share_of_rejects_is_named_as_what_rowgate_alone_reads():
    text = odcs.render(dataclasses.replace(TOY, max_reject_rate=0.5))
    assert "\n# not enforced here: max_reject_rate: rowgate alone reads it.\n" in text


@pytest.mark.parametrize("name", ["users", "till_orders", "transactions"])
def test_a_contract_of_the_project_reads_back_equal(project, name):
    contract = catalog.find(name, project / "contracts")
    assert read_yaml(odcs.render(contract), "it") == contract


@settings(max_examples=300, deadline=None)
@given(whole_contracts())
def test_any_contract_reads_back_equal(contract):
    assert read_yaml(odcs.render(contract), "it") == contract


@pytest.fixture(scope="module")
def standard(project):
    """The JSON schema that the standard publishes for its version 3.1.0."""
    return Draft201909Validator(json.loads((project / "tests/data/odcs-json-schema-v3.1.0.json").read_text("utf-8")))


@settings(max_examples=50, deadline=None)
@given(contract=whole_contracts())
def test_any_contract_is_valid_against_the_standards_own_schema(standard, contract):
    assert [error.message for error in standard.iter_errors(yaml.safe_load(odcs.render(contract)))] == []


@pytest.mark.parametrize("name", ["users", "till_orders", "transactions"])
def test_a_contract_of_the_project_is_valid_against_the_standards_own_schema(project, standard, name):
    document = yaml.safe_load(odcs.render(catalog.find(name, project / "contracts")))
    assert [error.message for error in standard.iter_errors(document)] == []


def test_the_standards_schema_would_refuse_a_key_that_it_does_not_know(standard):
    document = yaml.safe_load(TEXT)
    document["schema"][0]["properties"][0]["rowgate"] = 1
    assert not standard.is_valid(document)


@pytest.mark.parametrize(
    "contract",
    [
        Contract(
            "toy",
            "1.0.0",
            "us",
            (Column("b", Text(), required=True), Column("a", Integer(), required=True)),
            (
                FieldRule("b", NotBlank(), "no_b"),
                FieldRule("b", OneOf(("null", "no", "1.0")), "odd_b"),
                FieldRule("a", References("toy"), "no_parent"),
                FieldRule("a", References("toy", "a"), "no_parent_either"),
                FieldRule("a", Unique(("b",)), "twice"),
            ),
            key=NaturalKey(("a", "b")),
        ),
        Contract(
            "toy",
            "1.0.0",
            "us",
            (Column("a", Text()),),
            (
                FieldRule("a", Matches(" [a-z]"), "spaced"),
                FieldRule("a", Matches("[a-z]{2}"), "short"),
                FieldRule("a", LengthBetween(0, 3), "long"),
                FieldRule("a", Expression("a <> ' '"), "odd"),
                FieldRule("a", Unique(), "twice"),
            ),
        ),
    ],
)
def test_what_the_standard_would_change_reads_back_equal(contract):
    assert read_yaml(odcs.render(contract), "it") == contract


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "      maximum: 9",
            "      maximum: 8",
            "The rule size_out_of_range is not in rowgateRules, which lists every",
        ),
        ("  - bad_size\n", "", "it:55: The rule bad_size is not in rowgateRules, which lists every rule."),
        (
            "  - bad_code\n  - odd",
            "  - bad_code\n  - bad_tone\n  - odd",
            "rowgateRules names 'bad_tone', which is no rule.",
        ),
        ("check: between", "check: betwen", "check is 'betwen'; did you mean between?"),
        ("        high: 9", "        hihg: 9", "implementation.hihg is no key here; did you mean high?"),
        ("        high: 9", "        high: x", "implementation.high holds 'x', which is not a value of type int."),
        ("        high: 9", "        high: 0", "implementation.check cannot be: The range is upside down"),
        ("separator: '~'", "separater: '~'", "separater is no key here; did you mean separator?"),
        ("engine: rowgate", "engine: soda", "bad_size.type is 'custom', which is not supported"),
    ],
)
def test_a_changed_file_that_says_two_things_is_refused(old, new, sentence):
    assert TEXT.count(old) >= 1
    with pytest.raises(ContractError, match=re.escape(sentence)):
        read_yaml(TEXT.replace(old, new), "it")
