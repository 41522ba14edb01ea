"""A contract's parts in words."""

import datetime as dt
from decimal import Decimal as Number

import pytest

from rowgate.contract.checks import (
    Between,
    Check,
    Expression,
    LengthBetween,
    Matches,
    NotBlank,
    OneOf,
    References,
    Typed,
    Unique,
)
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, Policy
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.words import (
    check_in_words,
    dataset_rule_in_words,
    duration_in_words,
    policy_in_words,
    rule_in_words,
    type_in_words,
)

NOON = dt.datetime(2026, 1, 1, 14, tzinfo=dt.timezone(dt.timedelta(hours=2)))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Text(), "text"),
        (Integer(32), "a whole number (32 bits)"),
        (Decimal(10, 2), "a number with at most 8 digits before the point and 2 decimals"),
        (Decimal(2, 1), "a number with at most 1 digit before the point and 1 decimal"),
        (Date(), "a date"),
        (Timestamp(), "a moment in UTC"),
        (Boolean(), "true or false"),
    ],
)
def test_a_type_is_said(kind: ColumnType, said: str):
    assert type_in_words(kind) == said


@pytest.mark.parametrize(
    ("kind", "check", "said"),
    [
        (Integer(), Typed(), "is a whole number (64 bits)"),
        (Text(), Typed(), "is text"),
        (Text(), Matches("[a-z]+|x"), "matches `[a-z]+|x` as a whole"),
        (Integer(32), Between(-1, 9), "is a whole number (32 bits) and is from `-1` to `9`"),
        (Date(), Between(low=dt.date(2020, 1, 1)), "is a date and is at least `2020-01-01`"),
        (Timestamp(), Between(high=NOON), "is a moment in UTC and is at most `2026-01-01T12:00:00Z`"),
        (
            Decimal(3, 1),
            Between(Number("1.5"), Number("1.5")),
            "is a number with at most 2 digits before the point and 1 decimal and is exactly `1.5`",
        ),
        (Text(), LengthBetween(2, 3), "has from 2 to 3 characters"),
        (Text(), LengthBetween(high=1), "has at most 1 character"),
        (Text(), OneOf(("a", "b", "c")), "is one of `a`, `b` or `c`"),
        (Boolean(), OneOf((True,)), "is true or false and is `true`"),
        (Text(), References("people"), "is one of the loaded keys of `people`"),
        (Text(), References("people", "id"), "is one of the loaded keys of `people.id`"),
        (Text(), Unique(), "stands only once in a file"),
        (Text(), Unique(("w",)), "stands, together with `w`, only once in a file"),
        (Text(), Expression("v > 'a'"), "meets `v > 'a'`"),
    ],
)
def test_a_rule_is_said(kind: ColumnType, check: Check, said: str):
    rule = FieldRule("v", check, "bad_v")
    contract = Contract("toy", "1.0.0", "us", (Column("v", kind), Column("w", Text())), (rule,))
    assert rule_in_words(contract, rule) == said


def test_the_rule_that_what_is_missing_breaks_says_so():
    rule = FieldRule("v", Between(1, 5), "bad_v")
    contract = Contract("toy", "1.0.0", "us", (Column("v", Integer(32), required=True),), (rule,))
    assert rule_in_words(contract, rule) == "is there, is a whole number (32 bits) and is from `1` to `5`"


def test_only_the_first_rule_says_what_it_covers_because_of_its_place():
    rules = (FieldRule("v", NotBlank(), "no_v"), FieldRule("v", Typed(), "odd_v"), FieldRule("v", Between(1), "low_v"))
    contract = Contract("toy", "1.0.0", "us", (Column("v", Integer(32), required=True),), rules)
    assert [rule_in_words(contract, rule) for rule in rules] == [
        "is there",
        "is a whole number (32 bits)",
        "is at least `1`",
    ]


def test_a_check_is_said_alone():
    assert check_in_words(Between(1, 5)) == "is from `1` to `5`"


def test_what_is_quoted_goes_through_the_callers_own_marks():
    assert check_in_words(OneOf(("a", "b")), code=str.upper) == "is one of A or B"


def test_a_dataset_rule_says_its_query_and_what_is_right():
    rule = DatasetRule("n", "SELECT 1 FROM {table}", 9, low=2, above_low=True)
    assert dataset_rule_in_words(rule) == "`SELECT 1 FROM {table}` gives more than 2 and at most 9"


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (dt.timedelta(hours=1), "1 hour"),
        (dt.timedelta(days=1, hours=12, minutes=5), "1 day, 12 hours and 5 minutes"),
        (dt.timedelta(seconds=90, microseconds=1), "1 minute, 30 seconds and 1 microsecond"),
    ],
)
def test_a_length_of_time_is_said(length, said):
    assert duration_in_words(length) == said


def test_every_policy_is_said_differently():
    assert len(set(map(policy_in_words, Policy))) == len(Policy)
