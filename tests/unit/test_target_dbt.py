"""dbt's source, rendered."""

import re

import pytest
import yaml

from rowgate.contract import catalog
from rowgate.contract.checks import Between, Matches, OneOf, References, Typed
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey, Pii, Policy
from rowgate.contract.types import Decimal, Integer, Text
from rowgate.errors import ContractError
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
        "    data_tests:\n"
        "    - marts_declare_personal_data:\n"
        "        name: toy_marts_declare_personal_data\n"
        "        arguments:\n"
        "          contract: toy\n"
        "    - marts_hide_identifiers:\n"
        "        name: toy_marts_hide_identifiers\n"
        "        arguments:\n"
        "          contract: toy\n"
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
    test = {"unique_together": {"name": "toy_key_repeated", "arguments": columns}}
    assert rendered(contract)["data_tests"][0] == test
    [model] = yaml.safe_load(dbt.models(contract))["models"]
    assert model["data_tests"] == [{"unique_together": {"name": "stg_toy_key_repeated", "arguments": columns}}]


def test_a_value_with_an_apostrophe_is_not_left_to_accepted_values():
    contract = toy(Column("c", Text()), rules=(FieldRule("c", OneOf(("it's",)), "bad"),))
    condition = {"condition": "\"c\" IN ('it''s')"}
    assert data_tests(contract, "c") == [{"satisfies": {"name": "toy_bad", "arguments": condition}}]


@pytest.mark.parametrize("name", ['a "b"', "{{ a }}", "{# a"])
@pytest.mark.parametrize("render", [dbt.render, dbt.models, dbt.staging])
def test_a_column_name_that_dbt_would_read_otherwise_is_refused(name, render):
    with pytest.raises(ContractError, match=r"dbt cannot have the column name .* rename the column"):
        render(toy(Column(name, Text())))


def test_the_staging_model_is_under_an_enforced_contract_of_types_and_classes():
    contract = toy(Column("Größe", Decimal(5, 2), Pii.QUASI, "How tall."), rules=(FieldRule("Größe", Typed(), "bad"),))
    assert dbt.models(contract).startswith(
        "# Rendered from the contract toy 1.0.0: change that, then run `make render`.\n"
        "\n"
        "version: 2\n"
        "models:\n"
        "- name: stg_toy\n"
        '  description: The table "warehouse"."toy" as loaded, column by column.\n'
        "  config:\n"
        "    contract:\n"
        "      enforced: true\n"
        "  columns:\n"
        "  - name: code\n"
        "    quote: true\n"
        "    data_type: text\n"
        "    config:\n"
        "      meta:\n"
        "        pii: none\n"
        "    data_tests:\n"
        "    - not_null:\n"
        "        name: stg_toy_code_missing\n"
        "    - unique:\n"
        "        name: stg_toy_code_repeated\n"
        "  - name: Größe\n"
        "    quote: true\n"
        "    data_type: numeric(5,2)\n"
        "    description: How tall.\n"
        "    config:\n"
        "      meta:\n"
        "        pii: quasi-identifier\n"
        "  - name: first_run_id\n"
    )


def test_every_model_of_the_project_is_under_an_enforced_contract_with_types(project):
    files = sorted((project / "dbt" / "models").rglob("*.yml"))
    models = [model for file in files for model in yaml.safe_load(file.read_text("utf-8")).get("models", [])]
    queries = {file.stem for file in (project / "dbt" / "models").rglob("*.sql")}
    assert {model["name"] for model in models if model["config"]["contract"]["enforced"]} == queries
    assert [model["name"] for model in models if not all(column.get("data_type") for column in model["columns"])] == []


def test_a_rule_that_only_warns_has_no_test():
    rule = FieldRule("age", Between(1, 5), "bad_age", policy=Policy.WARN)
    assert data_tests(toy(Column("age", Integer(), required=True), rules=(rule,)), "age") == []


def test_a_reference_has_no_test_and_the_top_says_so():
    contract = toy(Column("c", Integer()), rules=(FieldRule("c", References("others"), "unknown"),))
    assert data_tests(contract, "c") == []
    sentence = "# not enforced here: unknown: it looks at the keys of others, whose rows may be loaded later.\n"
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


def test_every_column_of_a_mart_says_how_it_identifies_a_person(project):
    for file in (project / "dbt" / "models" / "marts").rglob("*.yml"):
        for model in yaml.safe_load(file.read_text(encoding="utf-8"))["models"]:
            silent = [column["name"] for column in model["columns"] if not column.get("config", {}).get("meta")]
            assert silent == [], model["name"]


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
