"""What contracts promise, as Prometheus recording rules: constant series that alerts and dashboards compare with.

The form is Prometheus' own: https://prometheus.io/docs/prometheus/latest/configuration/recording_rules/
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import yaml

from rowgate.contract.model import Contract

_HEAD = """\
# Rendered from all contracts: change those, then run `make render`.
# What each contract promises, as constant series: alerts and dashboards compare the last run with them.
"""


def render(contracts: Sequence[Contract]) -> str:
    """The rules, as YAML.

    `rowgate_contract_info{contract,owner,version}` is 1; `rowgate_contract_accept_rate_floor{contract}`, a share from 0
    to 1, is there where the contract sets a `max_reject_rate`; `rowgate_contract_freshness_seconds{contract}` where it
    promises one. A share is written in decimals: 1 - 0.7 must be 0.3 to the last digit, since a rate may equal it.
    """
    rules = [rule for contract in contracts for rule in _rules(contract)]
    found = {"groups": [{"name": "contracts", "rules": rules}]}
    return _HEAD + yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=1_000)


def _rules(contract: Contract) -> Iterator[dict[str, Any]]:
    yield _constant("info", "1", contract, {"owner": contract.owner, "version": contract.version})
    if contract.max_reject_rate is not None:
        yield _constant("accept_rate_floor", f"{1 - Decimal(repr(float(contract.max_reject_rate))):f}", contract)
    promised = contract.service_levels.freshness
    if promised is not None:
        yield _constant("freshness_seconds", f"{promised.total_seconds():.15g}", contract)


def _constant(name: str, value: str, contract: Contract, labels: Mapping[str, str] | None = None) -> dict[str, Any]:
    return {
        "record": f"rowgate_contract_{name}",
        "expr": f"vector({value})",
        "labels": {"contract": contract.name, **(labels or {})},
    }
