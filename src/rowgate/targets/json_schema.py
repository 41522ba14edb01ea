"""A clean row in JSON, as a JSON Schema (2020-12, https://json-schema.org/draft/2020-12).

The row is the one that `rowgate check --clean out.jsonl` writes. Patterns are ECMA-262's, for its flag `u`.
"""

import datetime as dt
import decimal
import json
from collections.abc import Iterator
from typing import Any, assert_never

from rowgate.contract import checks, patterns
from rowgate.contract.model import Column, Contract, FieldRule, SurrogateKey
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import WHITE_SPACE
from rowgate.targets.support import NotEnforcedError, beyond_the_table, may_be_null, rendered_from, sentence

_Schema = dict[str, Any]
_DATE = r"[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?Z"
_TRIMMED = {"$ref": "#/$defs/trimmed"}
_TEXT = {"$ref": "#/$defs/text"}


def render(contract: Contract) -> str:
    """The JSON Schema of a contract's clean row."""
    properties: _Schema = {}
    if isinstance(contract.key, SurrogateKey):
        key = contract.key
        properties[key.name] = _described(key.description) | {"type": "string", "pattern": "^[0-9a-f]{32}$"} | _TRIMMED
    not_enforced: list[str] = []
    for column in contract.loaded:
        properties[column.name] = _property(contract, column, not_enforced)
    not_enforced += beyond_the_table(contract)
    properties["record_number"] = {"type": "integer", "minimum": 1, "description": "Where the record stood, from 1."}
    properties["run_id"] = {"type": ["string", "null"], "description": "The run; null in a check."}
    schema: _Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": " ".join([rendered_from(contract), *(f"not enforced here: {said}" for said in not_enforced)]),
        "title": f"{contract.name} {contract.version}: a clean row",
        **_described(contract.description),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "$defs": _definitions(contract),
    }
    return json.dumps(schema, indent=2, ensure_ascii=True) + "\n"


def _described(text: str) -> _Schema:
    return {"description": text} if text else {}


def _definitions(contract: Contract) -> _Schema:
    """What the reader guarantees of texts. Some validators let `$` match before a last newline; `trimmed` has none."""
    white = "".join(f"\\u{ord(character):04x}" for character in WHITE_SPACE)
    ends = {"type": "string", "pattern": f"^[{white}]|[{white}]$"}
    found: _Schema = {"trimmed": {"not": ends}, "text": {**_TRIMMED, "minLength": 1}}
    if contract.null_markers:
        found["text"]["not"] = {"enum": list(contract.null_markers)}
    return found


def _property(contract: Contract, column: Column, not_enforced: list[str]) -> _Schema:
    found = _described(sentence(f"{sentence(column.description)} PII: {column.pii.value}".strip()))
    more: list[_Schema] = []
    for said in (_of_type(column.type), *_of_rules(contract, column, not_enforced)):
        _add(found, said, more)
    if more:
        found["allOf"] = more
    return _nullable(found) if may_be_null(contract, column) else found


def _add(schema: _Schema, said: _Schema, more: list[_Schema]) -> None:
    """Say one thing more; a keyword stands once in a schema, and what would stand twice goes to `more`."""
    tighter = {"minimum": max, "minLength": max, "maximum": min, "maxLength": min}
    left: _Schema = {}
    for key, value in said.items():
        if key not in schema:
            schema[key] = value
        elif key in tighter:
            schema[key] = tighter[key](schema[key], value)
        elif schema[key] != value:
            left[key] = value
    if left:
        more.append(left)


def _nullable(schema: _Schema) -> _Schema:
    """The same, or null. Only `enum` looks at null: the other keywords are about texts or numbers."""
    parts = [schema, *schema.get("allOf", ())]
    for part in parts:
        if "enum" in part:
            part["enum"] = [*part["enum"], None]
    return schema | {"type": [schema["type"], "null"]}


def _of_type(kind: ColumnType) -> _Schema:
    match kind:
        case Text():
            return {"type": "string", **_TEXT}
        case Integer():
            return {"type": "integer", "minimum": kind.low, "maximum": kind.high}
        case Decimal(precision, scale):
            more = precision - scale - 1
            whole = "0" if more < 0 else f"(?:0|[1-9][0-9]{{0,{more}}})"
            fraction = rf"\.[0-9]{{{scale}}}" if scale else ""
            return {"type": "string", "pattern": f"^-?{whole}{fraction}$", **_TRIMMED}
        case Date():
            return {"type": "string", "format": "date", "pattern": f"^{_DATE}$", **_TRIMMED}
        case Timestamp():
            return {"type": "string", "format": "date-time", "pattern": f"^{_DATE}T{_TIME}$", **_TRIMMED}
        case Boolean():
            return {"type": "boolean"}
        case _:
            assert_never(kind)


def _of_rules(contract: Contract, column: Column, not_enforced: list[str]) -> Iterator[_Schema]:
    if isinstance(column.type, Date | Timestamp):
        not_enforced.append(f"{column.name}: that the day exists, where a validator does not check formats.")
    for rule in contract.rules_of(column.name):
        if contract.rejects(rule):  # a rule that only warns lets any value through
            try:
                yield _of_rule(rule, column)
            except NotEnforcedError as error:
                not_enforced.append(f"{rule.reason}: {error}")


def _of_rule(rule: FieldRule, column: Column) -> _Schema:
    """One rule.

    Raises:
        NotEnforcedError: JSON Schema has no words for it.
    """
    match rule.check:
        case checks.NotBlank() | checks.Typed():
            return {}
        case checks.Matches(pattern):
            return {"pattern": patterns.parse(pattern).render("ecma")}
        case checks.Between(low, high):
            if not isinstance(column.type, Integer):
                raise NotEnforcedError("it is a range, and the value is a text in JSON.")
            return {key: end for key, end in (("minimum", low), ("maximum", high)) if end is not None}
        case checks.LengthBetween(low, high):
            return {key: end for key, end in (("minLength", low), ("maxLength", high)) if end is not None}
        case checks.OneOf(values):
            return {"enum": [_in_json(value, column.type) for value in values]}
        case checks.References(contract=other):
            raise NotEnforcedError(f"it looks at the keys of {other}, and a schema sees one row.")
        case checks.Unique():
            raise NotEnforcedError("it looks at the whole file, and a schema sees one row.")
        case checks.Expression():
            raise NotEnforcedError("it is a condition in SQL.")
        case _:
            assert_never(rule.check)


def _in_json(value: checks.Value, kind: ColumnType) -> str | int | bool:
    """A value as a clean row has it: decimals with their full scale, timestamps in UTC without needless zeros."""
    match value, kind:
        case ((int() | decimal.Decimal()), Decimal(_, scale)):
            return f"{decimal.Decimal(value):.{scale}f}"
        case dt.datetime(), _:
            told = value.astimezone(dt.UTC).replace(tzinfo=None).isoformat()
            return f"{told.rstrip('0') if '.' in told else told}Z"
        case dt.date(), _:
            return value.isoformat()
        case ((str() | int()), _):
            return value
    raise AssertionError(value)  # `verify` has refused it
