"""A contract's table in the warehouse as an Expectation Suite of Great Expectations 1.x, in the form it serialises.

An expectation carries the reason a row would have been rejected for in its `meta`. A row's missing value passes all but
`expect_column_values_to_not_be_null`, as it passes a check of an optional column.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from rowgate.contract import checks, patterns
from rowgate.contract.model import Column, Contract, FieldRule, SurrogateKey
from rowgate.contract.types import Boolean, ColumnType, Integer, Text
from rowgate.targets import names, postgres_checks
from rowgate.targets.postgres import SCHEMA
from rowgate.targets.support import NotEnforcedError, beyond_the_table, may_be_null, rendered_from

_VERSION = "1.24.1"  # of the library, whose form this is
_Entries = dict[str, Any]
_BIND = re.compile(r"(?<![:\w\\]):(?=\w)|(?<=\\):")
"""A colon that SQLAlchemy's `text` would read as a parameter's, or as escaped (sqlalchemy.sql.expression.text)."""


def render(contract: Contract) -> str:
    """The suite of a contract's table, as JSON.

    Load it with `ExpectationSuite(**json.loads(text))`.

    Raises:
        ContractError: Postgres cannot have a column of that name.
    """
    names.postgres(contract)
    found: list[_Entries] = []
    not_enforced: list[str] = []
    if isinstance(contract.key, SurrogateKey):
        key = contract.key.name
        found.append(_expectation("expect_column_values_to_not_be_null", {"column": key}))
        found.append(_expectation("expect_column_values_to_match_regex", {"column": key, "regex": "^[0-9a-f]{32}$"}))
    for column in contract.loaded:
        found.extend(_of_column(contract, column, not_enforced))
    not_enforced += beyond_the_table(contract)
    suite = {
        "name": contract.name,
        "notes": [
            rendered_from(contract),
            f"For the table {SCHEMA}.{contract.name} in Postgres: patterns and queries are in its dialect.",
            *(f"not enforced here: {said}" for said in not_enforced),
        ],
        "meta": {"great_expectations_version": _VERSION},
        "expectations": found,
    }
    return json.dumps(suite, indent=2, ensure_ascii=True) + "\n"


def _of_column(contract: Contract, column: Column, not_enforced: list[str]) -> Iterator[_Entries]:
    if not may_be_null(contract, column):
        missing = contract.missing_rule(column)
        yield _expectation("expect_column_values_to_not_be_null", {"column": column.name}, missing)
    for rule in contract.rules_of(column.name):
        try:
            said = _of_rule(contract, column, rule)
        except NotEnforcedError as error:
            not_enforced.append(f"{rule.reason}: {error}")
            continue
        if said is not None:
            yield _expectation(*said, rule)
    for _, condition in postgres_checks.of_column(contract, column):
        yield _expectation("unexpected_rows_expectation", _query(condition))


def _expectation(kind: str, kwargs: _Entries, rule: FieldRule | None = None) -> _Entries:
    found: _Entries = {"type": kind, "kwargs": kwargs, "meta": {"reason": rule.reason} if rule else {}}
    if rule is not None and rule.description:
        found["description"] = rule.description
    return found | {"severity": "critical"}


def _of_rule(contract: Contract, column: Column, rule: FieldRule) -> tuple[str, _Entries] | None:
    """The expectation of a rule and its arguments; None where the table's types see to it, or the rule only warns.

    Raises:
        NotEnforcedError: a suite cannot say it.
    """
    if not contract.rejects(rule):
        return None
    found = postgres_checks.of_rule(contract, column, rule)
    if found.not_enforced:
        raise NotEnforcedError(found.not_enforced)
    said = _in_its_words(rule, column.type)
    if said is not None:
        kind, kwargs = said
        return kind, kwargs if "column_list" in kwargs else {"column": column.name, **kwargs}
    return ("unexpected_rows_expectation", _query(found.condition)) if found.condition else None


def _in_its_words(rule: FieldRule, kind: ColumnType) -> tuple[str, _Entries] | None:  # noqa: PLR0911 - one case each
    """The rule as one of the library's own expectations, None where it has none that means the same."""
    match rule.check:
        case checks.Matches(pattern):
            return "expect_column_values_to_match_regex", {"regex": patterns.parse(pattern).render("postgres")}
        case checks.LengthBetween(low, high) if (low, high) != (None, None):
            return "expect_column_value_lengths_to_be_between", _ends(low, high)
        case checks.Between(low, high) if isinstance(kind, Integer):
            return "expect_column_values_to_be_between", _ends(low, high)
        case checks.OneOf(values) if isinstance(kind, Text | Integer | Boolean):
            return "expect_column_values_to_be_in_set", {"value_set": list(values)}
        case checks.Unique(others) if others:
            together = {"column_list": [rule.field, *others], "ignore_row_if": "any_value_is_missing"}
            return "expect_compound_columns_to_be_unique", together
        case checks.Unique():
            return "expect_column_values_to_be_unique", {}
    return None


def _ends(low: object, high: object) -> _Entries:
    return {key: end for key, end in (("min_value", low), ("max_value", high)) if end is not None}


def _query(condition: str) -> _Entries:
    """The rows that break a condition. The library fills in braces, and SQLAlchemy colons, so both are escaped."""
    escaped = _BIND.sub(r"\\:", condition).replace("{", "{{").replace("}", "}}")
    return {"unexpected_rows_query": f"SELECT * FROM {{batch}} WHERE ({escaped}) IS FALSE"}  # noqa: S608 - quoted
