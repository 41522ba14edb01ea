"""dbt's source, rendered."""

import re

import pytest
import yaml

from rowgate.contract import catalog
from rowgate.contract.checks import Between, Matches, OneOf, References, Typed
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey, Pii, Policy
from rowgate.contract.types import Integer, Text
from rowgate.targets import dbt


def toy(*columns: Column, rules: tuple[FieldRule, ...] = (), key: tuple[str, ...] = ("code",), **more) -> Contract:
    code = Column("code", Text(), required=True)
    ruled = (FieldRule("code", Matches("[A-Z]+"), "bad_code"), *rules)
    return Contract("toy", "1.0.0", "us", (code, *columns), ruled, key=NaturalKey(key), **more)


def rendered(contract: Contract) -> dict:
    """The table of the rendered source."""
    return yaml.safe_load(dbt.render(contract))["sources"][0]["tables"][0]


def data_tests(contract: Contract, name: str) -> list:
    column = next(column for column in rendered(contract)["columns"] if column["name"] == name)
    return column.get("data_tests", [])


def test_the_whole_text_of_a_key_column():
    text = dbt.render(toy(description="A toy."))
    assert text.startswith(
        "# Rendered from the contract toy 1.0.0: change that, then run `make render`.\n"
        "\n"
        "version: 2\n"
        "sources:\n"
        "- name: warehouse\n"
        "  schema: warehouse\n"
        "  tables:\n"
        "  - name: toy\n"
        "    description: A toy. Contract toy 1.0.0, owner us.\n"
        "    columns:\n"
        "    - name: code\n"
        "      quote: true\n"
        "      data_type: text\n"
        "      config:\n"
        "        meta:\n"
        "          pii: none\n"
        "      data_tests:\n"
        "      - not_null:\n"
        "          name: toy_code_missing\n"
        "      - unique:\n"
        "          name: toy_code_repeated\n"
        "      - matches:\n"
        "          name: toy_bad_code\n"
        "          arguments:\n"
        "            pattern: ^(?:[A-Z]+)$\n"
    )


@pytest.mark.parametrize(
    ("kind", "check", "expected"),
    [
        (Integer(), Between(1, 5), {"in_range": {"name": "toy_bad", "arguments": {"low": "1", "high": "5"}}}),
        (Integer(), Between(high=5), {"in_range": {"name": "toy_bad", "arguments": {"high": "5"}}}),
        (Text(), OneOf(("a", "b")), {"accepted_values": {"name": "toy_bad", "arguments": {"values": ["a", "b"]}}}),
        (Integer(), OneOf((1, 2)), {"satisfies": {"name": "toy_bad", "arguments": {"condition": '"c" IN (1, 2)'}}}),
    ],
)
def test_each_check_has_its_test(kind, check, expected):
    assert data_tests(toy(Column("c", kind), rules=(FieldRule("c", check, "bad"),)), "c") == [expected]


def test_a_key_of_two_columns_is_tested_together():
    contract = toy(
        Column("line", Integer(), required=True), rules=(FieldRule("line", Typed(), "bad_line"),), key=("code", "line")
    )
    columns = {"columns": ['"code"', '"line"']}
    assert rendered(contract)["data_tests"] == [{"unique_together": {"name": "toy_key_repeated", "arguments": columns}}]


def test_a_rule_that_only_warns_has_no_test():
    rule = FieldRule("age", Between(1, 5), "bad_age", policy=Policy.WARN)
    assert data_tests(toy(Column("age", Integer(), required=True), rules=(rule,)), "age") == []


def test_a_reference_has_no_test_and_the_top_says_so():
    contract = toy(Column("c", Integer()), rules=(FieldRule("c", References("others"), "unknown"),))
    assert data_tests(contract, "c") == []
    sentence = "# not tested here: unknown: it looks at the keys of others, whose rows may be loaded later.\n"
    assert sentence in dbt.render(contract)


def test_a_column_carries_its_pii_class():
    column = rendered(toy(Column("age", Text(), Pii.QUASI)))["columns"][1]
    assert column["config"] == {"meta": {"pii": "quasi-identifier"}}


def test_what_jinja_would_read_is_handed_over_as_a_text():
    rule = FieldRule("c", OneOf(("{{ x }}",)), "bad")
    [test] = data_tests(toy(Column("c", Text()), rules=(rule,)), "c")
    assert test["satisfies"]["arguments"]["condition"] == "{{ " + repr("\"c\" IN ('{{ x }}')") + " }}"


def test_the_hand_written_staging_model_has_every_column_of_the_contract_with_its_type(project):
    contract = catalog.find("users", project / "contracts")
    folder = project / "dbt" / "models" / "staging" / "users"
    written = yaml.safe_load((folder / "_users__models.yml").read_text(encoding="utf-8"))["models"][0]["columns"]
    types = {column["name"]: column["data_type"] for column in written}
    source = {column["name"]: column["data_type"] for column in rendered(contract)["columns"]}
    assert {name: types.get(name) for name in source} == source


def test_the_hand_written_models_carry_the_pii_classes_of_the_contract(project):
    contract = catalog.find("users", project / "contracts")
    classes = {column["name"]: column["config"]["meta"]["pii"] for column in rendered(contract)["columns"]}
    for file in (project / "dbt" / "models").glob("*/users/_users__m*.yml"):
        for model in yaml.safe_load(file.read_text(encoding="utf-8"))["models"]:
            for column in model["columns"]:
                wanted = classes.get(column["name"], "none")
                if wanted != "none":
                    assert column["config"]["meta"]["pii"] == wanted, (file.name, column["name"])


def test_no_mart_has_a_direct_identifier(project):
    for file in (project / "dbt" / "models" / "marts").rglob("*.yml"):
        assert not re.search(r"pii: (direct identifier|pseudonymised)", file.read_text(encoding="utf-8")), file.name


def test_the_staging_model_is_the_table_column_by_column():
    assert dbt.staging(toy(Column("Größe", Text()))) == (
        "-- Rendered from the contract toy 1.0.0: change that, then run `make render`.\n"
        "select\n"
        '    "code",\n'
        '    "Größe",\n'
        '    "first_run_id",\n'
        '    "last_run_id",\n'
        '    "loaded_at"\n'
        "from {{ source('warehouse', 'toy') }}\n"
    )
