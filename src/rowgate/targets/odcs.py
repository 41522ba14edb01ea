"""A contract as a file of the Open Data Contract Standard v3.1 (https://bitol-io.github.io/open-data-contract-standard).

The file reads back to an equal contract. What the standard has words for is said in them, so that its other readers
see it; the rest stands in custom properties and in quality rules of `engine: rowgate` (see `contract/odcs_own`).
Texts lose white space at their ends.
"""

import datetime as dt
import decimal
import re
from typing import Any, assert_never

import yaml

from rowgate.contract import checks
from rowgate.contract.model import NAME, Column, Contract, FieldRule, NaturalKey, Pii, Policy, SurrogateKey
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.targets.odcs_quality import dataset_rule, described, field_rule, plain, severity
from rowgate.targets.support import rendered_from

_Entries = dict[str, Any]
_REFERENCE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")  # a segment of ShorthandReference in the standard's JSON schema


def render(contract: Contract) -> str:
    """The YAML of a contract."""
    head = [f"# {rendered_from(contract)}"]
    head += [f"# not enforced here: {said}: rowgate alone reads it." for said in _read_by_rowgate_alone(contract)]
    body = yaml.dump(
        _document(contract),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=100_000,
        default_flow_style=False,
    )
    return "\n".join(head) + f"\n\n{body}"


def _read_by_rowgate_alone(contract: Contract) -> list[str]:
    """What no words of the standard say: reasons of rules, names of dataset rules, and the share of rejects."""
    said = {rule.reason for column in contract.columns for rule in _in_keys(contract.rules_of(column.name)).values()}
    own = [rule for rule in contract.rules if "engine" in field_rule(contract, rule)]
    found = [rule.reason for rule in own if rule.reason not in said and not isinstance(rule.check, checks.Typed)]
    quality = [dataset_rule(rule, contract.name) for rule in contract.dataset_rules]
    found += [each["name"] for each in quality if "engine" in each]
    return found if contract.max_reject_rate is None else [*found, "max_reject_rate"]


class _Dumper(yaml.SafeDumper):
    """Writes exact decimals as numbers, and never an alias."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401, ARG002 - as PyYAML has it
        return True


def _decimal(dumper: yaml.SafeDumper, value: decimal.Decimal) -> yaml.ScalarNode:
    text = f"{value:f}"
    return dumper.represent_scalar("tag:yaml.org,2002:float" if "." in text else "tag:yaml.org,2002:int", text)


_Dumper.add_representer(decimal.Decimal, _decimal)


def _document(contract: Contract) -> _Entries:
    found: _Entries = {
        "apiVersion": "v3.1.0",
        "kind": "DataContract",
        "id": contract.name,
        "name": contract.name,
        "version": contract.version,
        "status": "active",
        "team": {"name": contract.owner},
    }
    if contract.description:
        found["description"] = {"purpose": contract.description}
    found["schema"] = [_object(contract)]
    if contract.service_levels.freshness is not None or contract.service_levels.availability:
        found["slaProperties"] = _sla(contract)
    return found | {"customProperties": _own(contract)}


def _object(contract: Contract) -> _Entries:
    found: _Entries = {
        "name": contract.name,
        "logicalType": "object",
        "physicalType": "file",
        "properties": [_property(contract, column) for column in contract.columns],
    }
    quality: list[_Entries] = []
    for rule in contract.rules:
        if isinstance(rule.check, checks.Unique) and rule.check.others:
            together = {"properties": [rule.field, *rule.check.others]}
            quality.append(
                {"name": rule.reason, **described(rule), "metric": "duplicateValues", "mustBe": 0}
                | {"arguments": together, **severity(contract, rule)}
            )
    if contract.min_rows is not None:
        quality.append({"metric": "rowCount", "mustBeGreaterOrEqualTo": contract.min_rows})
    quality += [dataset_rule(rule, contract.name) for rule in contract.dataset_rules]
    return found | ({"quality": quality} if quality else {})


def _property(contract: Contract, column: Column) -> _Entries:
    logical, physical = _types(column.type)
    found: _Entries = {"name": column.name, "logicalType": logical, "physicalType": physical}
    if column.description:
        found["description"] = column.description
    if isinstance(contract.key, NaturalKey) and column.name in contract.key.columns:
        found |= {"primaryKey": True, "primaryKeyPosition": contract.key.columns.index(column.name) + 1}
    if column.required:
        found["required"] = True
    rules = contract.rules_of(column.name)
    if any(rule.check == checks.Unique() for rule in rules):
        found["unique"] = True
    if column.pii is not Pii.NONE:
        found["classification"] = column.pii.value
    found |= _keys(rules)
    own = [{"property": "rowgatePii", "value": column.pii.value}] if column.pii is not Pii.NONE else []
    own += [] if column.loaded else [{"property": "rowgateLoaded", "value": False}]
    if own:
        found["customProperties"] = own
    quality = [field_rule(contract, rule) for rule in rules if not _together(rule)]
    return found | ({"quality": quality} if quality else {})


def _together(rule: FieldRule) -> bool:
    return isinstance(rule.check, checks.Unique) and bool(rule.check.others)


def _types(kind: ColumnType) -> tuple[str, str]:
    """The logical and the physical type."""
    match kind:
        case Text():
            return "string", type_name(kind)
        case Integer():
            return "integer", type_name(kind)
        case Decimal():
            return "number", type_name(kind)
        case Date() | Timestamp() | Boolean():
            return type_name(kind), type_name(kind)
        case _:
            assert_never(kind)


def _in_keys(rules: tuple[FieldRule, ...]) -> dict[type[checks.Check], FieldRule]:
    """The rules of a column that keys of its own can say, the first of each kind.

    They are for other readers: the quality says every rule, with its reason.
    """
    found: dict[type[checks.Check], FieldRule] = {}
    for rule in rules:
        match rule.check:
            case checks.Between():
                sayable = True
            case checks.LengthBetween(low, high):
                sayable = low != 0 and (low, high) != (None, None)  # a minLength of 0 says nothing
            case checks.Matches(pattern):
                sayable = pattern == pattern.strip()
            case checks.References(other, column):
                sayable = bool(NAME.fullmatch(other) and column and _REFERENCE.fullmatch(column))
            case _:
                sayable = False
        if sayable:
            found.setdefault(type(rule.check), rule)
    return found


def _keys(rules: tuple[FieldRule, ...]) -> _Entries:
    """The options and the relationship of a column."""
    options: _Entries = {}
    found: _Entries = {}
    for rule in _in_keys(rules).values():
        match rule.check:
            case checks.Between(low, high):
                options |= {key: plain(end) for key, end in (("minimum", low), ("maximum", high)) if end is not None}
            case checks.LengthBetween(low, high):
                options |= {key: end for key, end in (("minLength", low), ("maxLength", high)) if end is not None}
            case checks.Matches(pattern):
                options["pattern"] = pattern
            case checks.References(other, column):
                found["relationships"] = [{"type": "foreignKey", "to": f"{other}.{column}"}]
    return ({"logicalTypeOptions": options} if options else {}) | found


def _sla(contract: Contract) -> list[_Entries]:
    found: list[_Entries] = []
    levels = contract.service_levels
    if levels.freshness is not None:
        found.append({"property": "freshness", **_duration(levels.freshness)})
    if levels.availability:
        found.append({"property": "availability", "value": levels.availability})
    return found


def _duration(length: dt.timedelta) -> _Entries:
    for unit, name in (("days", "d"), ("hours", "h"), ("minutes", "m")):
        count, rest = divmod(length, dt.timedelta(**{unit: 1}))
        if not rest:
            return {"value": count, "unit": name}
    seconds = decimal.Decimal(length.seconds) + decimal.Decimal(length.microseconds).scaleb(-6)
    return {"value": f"{length.days} days {seconds} seconds"}


def _own(contract: Contract) -> list[_Entries]:
    found: _Entries = {}
    if contract.policy is not Policy.QUARANTINE:
        found["rowgatePolicy"] = contract.policy.value
    if contract.on_conflict != "nothing":
        found["rowgateOnConflict"] = contract.on_conflict
    if contract.null_markers:
        found["rowgateNullMarkers"] = list(contract.null_markers)
    if contract.max_reject_rate is not None:
        found["rowgateMaxRejectRate"] = contract.max_reject_rate
    if isinstance(contract.key, SurrogateKey):
        key = contract.key
        found["rowgateSurrogateKey"] = {
            "name": key.name,
            "sources": list(key.sources),
            "separator": key.separator,
            **({"description": key.description} if key.description else {}),
        }
    levels = contract.service_levels
    changed = levels.availability.replace(" percent", "%").replace(" %", "%") != levels.availability
    words = {"availability": levels.availability if changed else "", "arrives": levels.arrives}
    if any(words.values()):
        found["rowgateServiceLevels"] = {key: text for key, text in words.items() if text}
    found["rowgateRules"] = [rule.reason for rule in contract.rules]
    return [{"property": name, "value": value} for name, value in found.items()]
