"""The verdict in plain Python: the readable definition that every engine is compared with."""

import datetime as dt
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import assert_never

from rowgate.contract import checks, expressions, patterns
from rowgate.contract.model import MALFORMED, Contract, FieldRule, SurrogateKey
from rowgate.contract.values import Value, normalise, typed
from rowgate.targets.reference_expressions import evaluate

__all__ = ["Keys", "Record", "Verdict", "judge", "normalise", "typed"]


@dataclass(frozen=True)
class Record:
    """One record of a file.

    Attributes:
        fields: for each column its normalised text, None when missing. Empty when malformed.
        raw_record: a malformed record's text, else None.
        record_number: counted from 1, good and malformed records alike.
    """

    fields: Mapping[str, str | None]
    raw_record: str | None
    record_number: int


@dataclass(frozen=True)
class Verdict:
    """What a record is.

    Attributes:
        record_number: the record's.
        reasons: of every broken rule that rejects, in declaration order; empty when the record is accepted.
        warnings: of every broken rule that only warns, in declaration order; empty when the record is rejected.
        values: for each column its typed value, None when missing or untyped. Empty when malformed.
        key: the surrogate key, None where the contract has none or a source is missing.
    """

    record_number: int
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]
    values: Mapping[str, Value | None]
    key: str | None


@dataclass
class _Row:
    record: Record
    values: dict[str, Value | None]
    broken: set[str] = field(default_factory=set)


Keys = Mapping[checks.References, Collection[Value]]
"""The loaded keys that references look at. One that is not in it is not evaluated, and so breaks no row."""


def judge(
    contract: Contract, records: Iterable[Record], now: dt.datetime, keys: Keys = MappingProxyType({})
) -> list[Verdict]:
    """Judge the records of one file, in file order. `now` is the run's start, aware."""
    rows = [_judge_alone(contract, record, now, keys) for record in records]
    for rule in contract.rules:
        if isinstance(rule.check, checks.Unique):
            _judge_unique(contract, rule, rule.check, rows)
    return [_verdict(contract, row) for row in rows]


def _judge_alone(contract: Contract, record: Record, now: dt.datetime, keys: Keys) -> _Row:
    """Everything that can be told from the record by itself."""
    if record.raw_record is not None:
        return _Row(record, {}, {MALFORMED})
    texts = {column.name: record.fields[column.name] for column in contract.columns}
    row = _Row(record, {})
    for column in contract.columns:
        text = texts[column.name]
        row.values[column.name] = None if text is None else typed(text, column.type)
    for column in contract.columns:
        if texts[column.name] is None:
            rule = contract.missing_rule(column)
            row.broken |= {rule.reason} if rule else set()
        elif row.values[column.name] is None:
            rule = contract.untyped_rule(column)
            row.broken |= {rule.reason} if rule else set()
        else:
            row.broken |= {
                rule.reason for rule in contract.rules_of(column.name) if not _holds(contract, rule, row, now, keys)
            }
    return row


def _holds(contract: Contract, rule: FieldRule, row: _Row, now: dt.datetime, keys: Keys) -> bool:  # noqa: PLR0911 - one for each check
    """Whether a field that has a typed value keeps a rule, as far as the row alone can tell."""
    value = row.values[rule.field]
    match rule.check:
        case checks.NotBlank() | checks.Typed() | checks.Unique():
            return True
        case checks.Matches(pattern):
            return re.search(patterns.parse(pattern).render("python"), str(value)) is not None
        case checks.Between(low, high):
            return _between(value, low, high)
        case checks.LengthBetween(low, high):
            return _between(len(str(value)), low, high)
        case checks.OneOf(allowed):
            return value in allowed
        case checks.References():
            return rule.check not in keys or value in keys[rule.check]
        case checks.Expression(sql):
            tree = expressions.parse(sql, {column.name: column.type for column in contract.columns})
            return evaluate(tree, row.values, now) is True
        case _:
            assert_never(rule.check)


def _between(value: Value | None, low: Value | None, high: Value | None) -> bool:
    # The contract has seen to it that ends and value are of one type.
    return (low is None or low <= value) and (high is None or value <= high)  # type: ignore[operator]


def _judge_unique(contract: Contract, rule: FieldRule, check: checks.Unique, rows: Sequence[_Row]) -> None:
    """The first of equal rows stays. Rows that are rejected already, or lack a value, do not take part."""
    seen: set[tuple[Value, ...]] = set()
    for row in sorted(rows, key=lambda row: row.record.record_number):
        if any(reason in contract.rejecting_reasons for reason in row.broken):
            continue
        values = [row.values[name] for name in (rule.field, *check.others)]
        present = tuple(value for value in values if value is not None)
        if len(present) < len(values):
            continue
        if present in seen:
            row.broken.add(rule.reason)
        seen.add(present)


def _verdict(contract: Contract, row: _Row) -> Verdict:
    broken = [reason for reason in contract.reasons if reason in row.broken]
    reasons = tuple(reason for reason in broken if reason in contract.rejecting_reasons)
    return Verdict(
        record_number=row.record.record_number,
        reasons=reasons,
        warnings=() if reasons else tuple(broken),
        values=row.values,
        key=surrogate(contract, row.record.fields),
    )


def surrogate(contract: Contract, fields: Mapping[str, str | None]) -> str | None:
    """The row's surrogate key: the MD5 of its sources' normalised texts, in lower-case hexadecimal digits."""
    if not isinstance(contract.key, SurrogateKey):
        return None
    texts = [fields.get(name) for name in contract.key.sources]
    present = [text for text in texts if text is not None]
    if len(present) < len(texts):
        return None
    return hashlib.md5(contract.key.separator.join(present).encode(), usedforsecurity=False).hexdigest()
