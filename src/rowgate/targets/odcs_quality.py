"""The quality rules of a contract in the Open Data Contract Standard: the library's and `sql` ones where they can."""

import datetime as dt
import decimal
import re
from typing import Any, assert_never

from rowgate.contract import checks
from rowgate.contract.model import Contract, DatasetRule, FieldRule, Policy

_Entries = dict[str, Any]
_ENGINE = "rowgate"  # as contract/odcs_own reads it, which imports the standard's model and so is not imported here


def plain(value: checks.Value) -> str | int | bool | decimal.Decimal:
    """A value as YAML writes it; dates and timestamps (in UTC) are texts."""
    match value:
        case dt.datetime():
            return value.astimezone(dt.UTC).isoformat().replace("+00:00", "Z")
        case dt.date():
            return value.isoformat()
        case str() | bool() | int() | decimal.Decimal():
            return value
        case _:
            assert_never(value)


def described(rule: FieldRule | DatasetRule) -> _Entries:
    """The description, where there is one."""
    return {"description": rule.description} if rule.description else {}


def severity(contract: Contract, rule: FieldRule) -> _Entries:
    """What becomes of a row: `warning` where it loads, and which policy that comes from."""
    found: _Entries = {"severity": "error" if contract.rejects(rule) else "warning"}
    if rule.policy is None and not contract.rejects(rule):
        found["customProperties"] = [{"property": "rowgatePolicy", "value": "contract"}]
    elif rule.policy is not None and rule.policy is not Policy.WARN:
        found["customProperties"] = [{"property": "rowgatePolicy", "value": rule.policy.value}]
    return found


def field_rule(contract: Contract, rule: FieldRule) -> _Entries:
    """A rule of a column, as an entry of its `quality`."""
    words = _library(rule.check) or {"type": "custom", "engine": _ENGINE, "implementation": _implementation(rule.check)}
    return {"name": rule.reason, **described(rule), **words, **severity(contract, rule)}


def _library(check: checks.Check) -> _Entries | None:
    """The rule as one of the standard's library, None where that would not read back the same."""
    match check:
        case checks.NotBlank():
            return {"metric": "nullValues", "mustBe": 0}
        case checks.Unique():
            return {"metric": "duplicateValues", "mustBe": 0}
        case checks.Matches(pattern) if pattern == pattern.strip():
            return {"metric": "invalidValues", "mustBe": 0, "arguments": {"pattern": pattern}}
        case checks.OneOf(values) if all(str(value).strip() == str(value) for value in values):
            return {
                "metric": "invalidValues",
                "mustBe": 0,
                "arguments": {"validValues": [plain(each) for each in values]},
            }
    return None


def _implementation(check: checks.Check) -> _Entries:  # noqa: PLR0911 - one case for each check
    """The check by the keys that `contract/odcs_own` reads."""
    match check:
        case checks.Typed():
            return {"check": "typed"}
        case checks.Matches(pattern):
            return {"check": "matches", "pattern": pattern}
        case checks.Between(low, high):
            return {"check": "between", **_ends(low, high)}
        case checks.LengthBetween(low, high):
            return {"check": "length", **_ends(low, high)}
        case checks.OneOf(values):
            return {"check": "one_of", "values": [plain(each) for each in values]}
        case checks.References(contract, column):
            return {"check": "references", "contract": contract, **({"column": column} if column is not None else {})}
        case checks.Expression(sql):
            return {"check": "expression", "sql": sql}
        case checks.NotBlank() | checks.Unique():
            raise AssertionError(check)  # the library says it
        case _:
            assert_never(check)


def _ends(low: checks.Value | None, high: checks.Value | None) -> _Entries:
    return {key: plain(end) for key, end in (("low", low), ("high", high)) if end is not None}


def dataset_rule(rule: DatasetRule, name: str) -> _Entries:
    """A rule of the whole file, as an entry of the object's `quality`; `name` is the object's."""
    operator = _operator(rule)
    holes = set(re.findall(r"\{[^}]*\}?|\$", rule.sql))
    exact = rule.sql == rule.sql.strip().rstrip(";") and holes == {"{table}"} and name not in rule.sql.casefold()
    if operator is not None and exact:
        query = rule.sql.replace("{table}", "{object}")
        return {"name": rule.name, **described(rule), "type": "sql", "query": query, **operator}
    limits = {"threshold": _number(rule.threshold), "low": _number(rule.low)}
    flags = {"above_low": rule.above_low, "below_threshold": rule.below_threshold, "outside": rule.outside}
    implementation = {
        "sql": rule.sql,
        **{key: end for key, end in limits.items() if end is not None},
        **{key: True for key, flag in flags.items() if flag},
    }
    return {"name": rule.name, **described(rule), "type": "custom", "engine": _ENGINE, "implementation": implementation}


def _operator(rule: DatasetRule) -> _Entries | None:
    """The standard's operator for the limits; it has none for every pair, and lets a rule have one."""
    match _number(rule.low), _number(rule.threshold), rule.above_low, rule.below_threshold, rule.outside:
        case None, high, False, below, False:
            return {"mustBeLessThan" if below else "mustBeLessOrEqualTo": high}
        case low, None, above, False, False:
            return {"mustBeGreaterThan" if above else "mustBeGreaterOrEqualTo": low}
        case low, high, False, False, outside if low == high:
            return {"mustNotBe" if outside else "mustBe": low}
        case low, high, True, True, outside:
            return {"mustNotBeBetween" if outside else "mustBeBetween": [low, high]}
    return None


def _number(value: float | None) -> float | None:
    """A whole number without `.0`."""
    return int(value) if value is not None and value == int(value) else value
