"""Whom a change breaks, beside what the reference judge does with the two contracts."""

import datetime as dt
import random
from dataclasses import replace

import pytest

from rowgate.contract.checks import Between, Expression, LengthBetween, Matches, OneOf, Typed, Unique
from rowgate.contract.diff import diff
from rowgate.contract.model import Column, Contract, FieldRule, Policy
from rowgate.contract.types import Date, Decimal, Integer, Text, Timestamp
from rowgate.targets.reference import Record, judge, normalise

NOW = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
SAMPLES = {
    "code": ["", "A", "AA", "AAA", "AAAAA", "aa", "a1", "?", "7"],
    "age": ["", "17", "18", "21", "99", "100", "+18", "2147483648", "18.0", "18.5", "x", "?", "2020-01-01"],
    "when": ["", "2020-01-01", "2020-06-01", "2020-01-01T10:00", "soon", "7"],
}


def contract(
    code: object = Matches("[A-Z]+"),
    age: object = Between(18, 99),
    kind: object = Integer(32),
    when: object = Date(),
    required: str = "code",
    policy: Policy = Policy.QUARANTINE,
    unique: tuple[str, ...] | None = None,
    markers: tuple[str, ...] = (),
) -> Contract:
    columns = tuple(
        Column(name, each, required=name in required.split())
        for name, each in (("code", Text()), ("age", kind), ("when", when))
    )
    rules = [
        FieldRule("code", code, "bad_code"),
        FieldRule("age", Typed(), "no_age"),
        FieldRule("age", age, "bad_age", policy=policy),
        FieldRule("when", Typed(), "no_day"),
        *([FieldRule("age", Unique(unique), "twice")] if unique is not None else []),
    ]
    return Contract("toy", "1.0.0", "us", columns, tuple(rules), null_markers=markers)


PLAIN = contract()
VARIANTS = {
    "plain": PLAIN,
    "narrower": contract(age=Between(21, 60)),
    "wider": contract(age=Between(0, 120)),
    "moved": contract(age=Between(20, 120)),
    "open": contract(age=Between(18)),
    "allowed": contract(age=OneOf((18, 21, 99))),
    "more allowed": contract(age=OneOf((18, 21, 99, 100))),
    "other check": contract(age=Expression("age > 18")),
    "tighter expression": contract(age=Expression("age > 18 AND code <> 'AA'")),
    "looser expression": contract(age=Expression("age > 18 OR code = 'AA'")),
    "any": contract(age=Typed()),
    "bigint": contract(kind=Integer(64)),
    "decimal": contract(kind=Decimal(12, 2)),
    "small decimal": contract(kind=Decimal(3, 1)),
    "short decimal": contract(kind=Decimal(3, 0)),
    "timestamp": contract(when=Timestamp()),
    "small letters": contract(code=Matches("[A-Za-z]+")),
    "two letters": contract(code=Matches("[A-Z]{2}")),
    "digits": contract(code=Matches("[A-Za-z0-9]{2,}")),
    "length": contract(code=LengthBetween(2, 3)),
    "longer": contract(code=LengthBetween(1, 4)),
    "required": contract(required="code age"),
    "optional": contract(required=""),
    "warns": contract(policy=Policy.WARN),
    "warns of less": contract(policy=Policy.WARN, age=Between(0, 10)),
    "unique": contract(unique=()),
    "unique together": contract(unique=("code",)),
    "unique otherwise": contract(unique=("when",)),
    "marker": contract(markers=("?",)),
    "reordered": replace(PLAIN, rules=PLAIN.rules[::-1]),
}


def files() -> list[list[dict[str, str]]]:
    """Files of one row and of two rows."""
    chance = random.Random(4)  # noqa: S311 - the same rows each time
    rows = [{name: chance.choice(texts) for name, texts in SAMPLES.items()} for _ in range(400)]
    return [*([row] for row in rows), *([first, second] for first in rows[:20] for second in rows[:20])]


FILES = files()


def right(judging: Contract) -> set[int]:
    """The files of which every row is accepted."""
    found = set()
    for place, rows in enumerate(FILES):
        fields = [{name: normalise(text, judging.null_markers) for name, text in row.items()} for row in rows]
        records = [Record(each, None, number) for number, each in enumerate(fields, 1)]
        if all(not verdict.reasons for verdict in judge(judging, records, NOW)):
            found.add(place)
    return found


@pytest.fixture(scope="module")
def accepted() -> dict[str, set[int]]:
    return {name: right(each) for name, each in VARIANTS.items()}


def test_the_variants_differ_in_both_directions_often_enough_to_tell(accepted):
    pairs = [(first, second) for first in accepted.values() for second in accepted.values()]
    assert sum(bool(first - second) for first, second in pairs) > len(pairs) / 2


@pytest.mark.parametrize("new", VARIANTS)
def test_a_file_is_refused_or_let_in_only_where_the_difference_says_so(accepted, new):
    for old, before in VARIANTS.items():
        changes = diff(before, VARIANTS[new]).changes
        assert not accepted[old] - accepted[new] or any(each.producers for each in changes), old
        assert not accepted[new] - accepted[old] or any(each.consumers for each in changes), old
