"""The compact form: what each key of it becomes, and the files of the shared cases."""

import datetime as dt
import re
from decimal import Decimal

import pytest

from rowgate.contract.checks import (
    Between,
    Expression,
    LengthBetween,
    Matches,
    NotBlank,
    OneOf,
    References,
    Typed,
    Unique,
)
from rowgate.contract.durations import duration
from rowgate.contract.model import Column, DatasetRule, NaturalKey, Pii, Policy, ServiceLevels, SurrogateKey
from rowgate.contract.type_names import column_type
from rowgate.contract.types import Boolean, Date, Integer, Text, Timestamp
from rowgate.contract.types import Decimal as Exact
from rowgate.contract.yaml_reader import read, read_yaml
from rowgate.errors import ContractError

HEAD = "name: toy\nversion: 1.0.0\nowner: us\n"


def toy(columns: str, more: str = ""):
    return read_yaml(f"{HEAD}columns:\n{columns}\n{more}", "toy.yaml")


def rules(columns: str, more: str = ""):
    return [(rule.reason, rule.check) for rule in toy(columns, more).rules]


def test_a_column_becomes_one_rule_for_each_thing_it_says_in_a_fixed_order():
    assert rules(
        """
  - name: a
    unique: true
    checks: ["a <> 'x'", "length(a) > 1"]
    in: codes
    pattern: "[a-z]+"
    allowed_values: [xx, yy]
    max_length: 5
    type: string
    required: true
  - {name: b, max: 9, type: int}
"""
    ) == [
        ("missing_a", NotBlank()),
        ("a_bad_length", LengthBetween(None, 5)),
        ("a_not_allowed", OneOf(("xx", "yy"))),
        ("a_bad_format", Matches("[a-z]+")),
        ("a_not_in_codes", References("codes")),
        ("a_check_1", Expression("a <> 'x'")),
        ("a_check_2", Expression("length(a) > 1")),
        ("duplicate_a", Unique()),
        ("invalid_type_b", Typed()),
        ("b_out_of_range", Between(None, 9)),
    ]


def test_a_reference_can_name_a_column_of_the_other_key():
    assert rules("  - {name: a b, type: string, in: shops.till.no}\n") == [
        ("a_b_not_in_shops", References("shops", "till.no"))
    ]


def test_a_reference_that_names_nothing_is_refused_at_its_line():
    with pytest.raises(ContractError, match=r"toy.yaml:5: columns.a.in cannot be: A reference names a contract"):
        toy("  - {name: a, type: string, in: shops.}\n")


def test_an_optional_text_without_checks_has_no_rule():
    assert rules("  - {name: a, type: string}\n  - {name: b, type: string, nullable: true}\n") == []


def test_both_dialects_say_the_same():
    other = """
contract:
  name: toy
  version: "1"
  owner: us
  schema:
    - {name: a, type: BIGINT, nullable: false}
"""
    assert read_yaml(other, "toy.yaml") == toy("  - {name: a, type: bigint, required: true}")


def test_a_reason_made_of_a_name_has_only_letters_digits_and_underscores():
    assert [reason for reason, _ in rules("  - {name: Größe (cm), type: int}")] == ["invalid_type_Gr__e__cm_"]


def test_words_that_yaml_takes_for_something_else_stay_words():
    contract = toy("  - {name: a, type: string, allowed_values: [NO, on, 1.0, 2020-01-01, 0x1F, 'null']}")
    assert contract.rules[0].check == OneOf(("NO", "on", "1.0", "2020-01-01", "0x1F", "null"))


@pytest.mark.parametrize(
    ("kind", "bound", "value"),
    [
        ("int", "5", 5),
        ("bigint", "-5000000000", -5_000_000_000),
        ("decimal(5,2)", "1.5", Decimal("1.50")),
        ("date", "2020-01-31", dt.date(2020, 1, 31)),
        ("timestamp", "2020-01-31 10:00:00", dt.datetime(2020, 1, 31, 10, tzinfo=dt.UTC)),
        ("timestamp", "2020-01-31T10:00+02:00", dt.datetime(2020, 1, 31, 8, tzinfo=dt.UTC)),
    ],
)
def test_the_ends_of_a_range_are_typed_by_their_column(kind, bound, value):
    assert dict(rules(f'  - {{name: a, type: "{kind}", min: "{bound}"}}'))["a_out_of_range"] == Between(value, None)


def test_allowed_values_are_typed_by_their_column():
    assert dict(rules('  - {name: a, type: "decimal(3,1)", allowed_values: [1, 2.5]}'))["a_not_allowed"] == OneOf(
        (Decimal("1.0"), Decimal("2.5"))
    )


def test_a_null_among_allowed_values_is_refused():
    with pytest.raises(ContractError, match=r"columns\.a\.allowed_values holds no value"):
        toy("  - {name: a, type: string, allowed_values: [x, null]}")


def test_a_rule_can_have_a_reason_a_policy_and_a_description_of_its_own():
    contract = toy(
        """
  - name: a
    type: int
    required: true
    min: 1
    rules:
      range: {reason: too_small, policy: warn, description: Above zero.}
    checks:
      - {sql: "a <> 13", reason: unlucky, policy: fail}
"""
    )
    told = {rule.reason: (rule.policy, rule.description) for rule in contract.rules}
    assert told["too_small"] == (Policy.WARN, "Above zero.")
    assert told["unlucky"] == (Policy.FAIL, "")
    assert told["missing_a"] == (None, "")


def test_a_columns_policy_is_that_of_all_its_rules():
    contract = toy("  - {name: a, type: int, required: true, policy: warn}\n  - {name: b, type: int}")
    assert [rule.policy for rule in contract.rules] == [Policy.WARN, Policy.WARN, None]


def test_columns_can_be_unique_together():
    contract = toy(
        "  - {name: a, type: int}\n  - {name: b, type: string}",
        "unique: [[a, b], {columns: [b, a], reason: twice, policy: warn}]",
    )
    assert [(rule.field, rule.check, rule.reason, rule.policy) for rule in contract.rules[1:]] == [
        ("a", Unique(("b",)), "duplicate_a_b", None),
        ("b", Unique(("a",)), "twice", Policy.WARN),
    ]


def test_the_head_is_read_whole():
    contract = toy(
        "  - {name: a, type: string, required: true, pii: direct, description: An a., loaded: false}\n"
        "  - {name: b, type: int, required: true, pii: quasi-identifier}",
        """
description: Toys.
policy: fail
key: b
on_conflict: update
null_markers: [NULL, n/a, '-']
max_reject_rate: 5%
min_rows: 3
quality_rules: [{name: half, sql: "SELECT 1 FROM {table}", min: 0.1, threshold: 0.5, description: Half.}]
sla: {freshness: 26h, availability: 99.9%}
arrives: daily
""",
    )
    assert contract.columns == (
        Column("a", Text(), Pii.DIRECT, "An a.", required=True, loaded=False),
        Column("b", Integer(32), Pii.QUASI, required=True),
    )
    assert contract.description == "Toys."
    assert contract.policy is Policy.FAIL
    assert contract.key == NaturalKey(("b",))
    assert contract.on_conflict == "update"
    assert contract.null_markers == ("NULL", "n/a", "-")
    assert contract.max_reject_rate == pytest.approx(0.05)
    assert contract.min_rows == 3
    assert contract.dataset_rules == (DatasetRule("half", "SELECT 1 FROM {table}", 0.5, "Half.", low=0.1),)
    assert contract.service_levels == ServiceLevels(dt.timedelta(hours=26), "99.9%", "daily")


def test_a_mapping_is_a_surrogate_key():
    contract = toy(
        "  - {name: a, type: int, required: true}", "key: {name: a_id, sources: [a], separator: '#', description: Who.}"
    )
    assert contract.key == SurrogateKey("a_id", ("a",), "#", "Who.")


@pytest.mark.parametrize(("text", "full"), [("1", "1.0.0"), ("2.1", "2.1.0"), ("'2.10'", "2.10.0"), ("1.2.3", "1.2.3")])
def test_a_short_version_is_filled_up(text, full):
    assert (
        read_yaml(f"name: toy\nversion: {text}\nowner: us\ncolumns: [{{name: a, type: int}}]\n", "toy.yaml").version
        == full
    )


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("STRING", Text()),
        ("text", Text()),
        ("Int", Integer(32)),
        ("integer", Integer(32)),
        ("BIGINT", Integer(64)),
        ("decimal( 18 , 2 )", Exact(18, 2)),
        ("NUMERIC(5)", Exact(5, 0)),
        ("date", Date()),
        ("timestamp", Timestamp()),
        ("bool", Boolean()),
    ],
)
def test_a_type_is_read_in_any_case(text, kind):
    assert column_type(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        "decimal(50,2)",
        "decimal(2,5)",
        "decimal(max)",
        "varchar(5)",
        "string(5)",
        "timestamp with time zone",
        "",
        "int)",
    ],
)
def test_a_type_that_there_is_not_is_refused(text):
    with pytest.raises(ContractError):
        column_type(text)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1 hour", 3600),
        ("26h", 93600),
        ("PT1H", 3600),
        ("P1DT12H", 129600),
        ("1 day 12 hours", 129600),
        ("90 min", 5400),
        ("1.5 days", 129600),
        ("2 weeks", 1209600),
        ("30 s", 30),
    ],
)
def test_a_duration_is_read_as_people_and_iso_8601_write_it(text, seconds):
    assert duration(text) == dt.timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["1", "hour", "1 month", "P1Y", "P", "PT", "-1 h", "1 hour ago", "999999999 weeks"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ContractError):
        duration(text)


def test_the_shared_orders_contract_has_the_reasons_of_its_cases(cases):
    contract = read(cases / "contracts" / "orders.yaml")
    assert (contract.name, contract.version, contract.policy) == ("till_orders", "1.0.0", Policy.FAIL)
    assert contract.reasons == (
        *("malformed_record", "missing_order_id", "invalid_type_order_id", "duplicate_order_id", "missing_customer_id"),
        *(
            "missing_amount",
            "invalid_type_amount",
            "amount_out_of_range",
            "missing_ordered_at",
            "invalid_type_ordered_at",
        ),
    )


def test_the_shared_payments_contract_has_its_service_levels_and_rules(cases):
    contract = read(cases / "contracts" / "transactions.yaml")
    assert contract.version == "2.1.0"
    assert contract.service_levels == ServiceLevels(dt.timedelta(hours=1), "99.9%")
    assert [rule.name for rule in contract.dataset_rules] == ["no_duplicates", "completeness", "pending_share"]
    assert "status_not_allowed" in contract.reasons


def test_the_shared_misspelt_contract_names_the_key_and_its_line(cases):
    with pytest.raises(
        ContractError, match=r"misspelt\.yaml:35: .*alowed_values is no key here; did you mean allowed_values\?"
    ):
        read(cases / "contracts" / "misspelt.yaml")


def test_every_example_of_the_guide_is_a_contract(project):
    guide = (project / "docs" / "guides" / "contracts-in-yaml.md").read_text()
    examples = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
    names = ["till_orders", "members", "parcels", "web_orders"]
    assert [read_yaml(example, "guide").name for example in examples] == names


def test_the_guide_names_every_key(project):
    from rowgate.contract.compact import KEYS
    from rowgate.contract.compact_columns import COLUMN_KEYS

    guide = (project / "docs" / "guides" / "contracts-in-yaml.md").read_text()
    assert [key for key in (*KEYS, *COLUMN_KEYS) if f"`{key}" not in guide] == []


def test_the_projects_contracts_judge_as_the_shared_ones_do(project, cases):
    for name in ("orders", "transactions"):
        ours, shared = (read(folder / f"{name}.yaml") for folder in (project / "contracts", cases / "contracts"))
        assert (ours.rules, ours.dataset_rules, ours.policy) == (shared.rules, shared.dataset_rules, shared.policy)
        assert ours.key is not None


def test_a_contract_is_found_by_its_file_and_by_its_own_name(project):
    from rowgate.contract import catalog

    assert catalog.find("orders", project / "contracts") == catalog.find("till_orders", project / "contracts")
