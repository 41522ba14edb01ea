"""What contracts promise, as Prometheus' recording rules."""

from datetime import timedelta

import pytest
import yaml

from rowgate.contract.checks import NotBlank
from rowgate.contract.model import Column, Contract, FieldRule, ServiceLevels
from rowgate.contract.types import Text
from rowgate.targets.prometheus import render


def toy(name="toy", **more):
    columns, rules = (Column("name", Text(), required=True),), (FieldRule("name", NotBlank(), "no_name"),)
    return Contract(name, "1.2.0", "us & them: 'we'", columns, rules, **more)


def rules(*contracts):
    return yaml.safe_load(render(contracts))["groups"][0]["rules"]


def test_a_contract_without_promises_says_whose_it_is():
    assert rules(toy()) == [
        {
            "record": "rowgate_contract_info",
            "expr": "vector(1)",
            "labels": {"contract": "toy", "owner": "us & them: 'we'", "version": "1.2.0"},
        }
    ]


@pytest.mark.parametrize(
    ("rate", "floor"), [(0.7, "0.3"), (0.9, "0.1"), (0.05, "0.95"), (0, "1"), (1, "0"), (1e-7, "0.9999999")]
)
def test_the_floor_is_written_to_the_last_digit(rate, floor):
    found = rules(toy(max_reject_rate=rate))[1]
    assert (found["record"], float(found["expr"][7:-1])) == ("rowgate_contract_accept_rate_floor", float(floor))


def test_a_freshness_is_in_seconds():
    found = rules(toy(service_levels=ServiceLevels(freshness=timedelta(hours=1, seconds=0.5))))[1]
    assert found == {
        "record": "rowgate_contract_freshness_seconds",
        "expr": "vector(3600.5)",
        "labels": {"contract": "toy"},
    }


def test_every_contract_has_its_rules():
    assert [rule["labels"]["contract"] for rule in rules(toy("one"), toy("two"))] == ["one", "two"]
