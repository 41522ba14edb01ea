"""The verdict in plain Python: the rules of one record, and of several together."""

import datetime as dt
from hashlib import md5

import pytest

from rowgate.contract.checks import Between, Expression, LengthBetween, Matches, NotBlank, OneOf, Typed, Unique
from rowgate.contract.model import Column, Contract, FieldRule, Policy, SurrogateKey
from rowgate.contract.types import Integer, Text
from rowgate.targets.reference import Record, judge

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


TOY = Contract(
    name="toy",
    version="1.0.0",
    owner="team",
    columns=(
        Column("word", Text(), required=True),
        Column("n", Integer(32)),
        Column("m", Integer(32)),
    ),
    rules=(
        FieldRule("word", NotBlank(), "no_word"),
        FieldRule("n", Between(1, 9), "bad_n"),
        FieldRule("n", OneOf((1, 2, 3)), "odd_n"),
        FieldRule("n", Expression("n < m"), "n_not_below_m"),
        FieldRule("word", Matches("[a-z]+"), "bad_word"),
        FieldRule("word", LengthBetween(2, 3), "long_word"),
        FieldRule("m", Typed(), "bad_m"),
    ),
    key=SurrogateKey("k", ("word",)),
)


def record(number: int, **fields: str | None) -> Record:
    return Record({"word": "ab", "n": None, "m": None} | fields, None, number)


@pytest.mark.parametrize(
    ("fields", "reasons"),
    [
        ({}, ()),
        ({"word": None}, ("no_word",)),
        ({"word": "A"}, ("bad_word", "long_word")),
        ({"n": "1", "m": "2"}, ()),
        ({"n": "x", "m": "2"}, ("bad_n",)),
        ({"n": "10", "m": "2"}, ("bad_n", "odd_n", "n_not_below_m")),
        ({"n": "1", "m": None}, ("n_not_below_m",)),
        ({"n": "1", "m": "x"}, ("n_not_below_m", "bad_m")),
        ({"n": None, "m": "x"}, ("bad_m",)),
        ({"word": None, "n": "7", "m": "8"}, ("no_word", "odd_n")),
    ],
)
def test_a_record_breaks_its_rules_in_declaration_order(fields, reasons):
    (verdict,) = judge(TOY, [record(1, **fields)], NOW)
    assert verdict.reasons == reasons


def test_a_malformed_record_breaks_nothing_else():
    (verdict,) = judge(TOY, [Record({}, "a,b", 1)], NOW)
    assert verdict.reasons == ("malformed_record",)


def test_a_value_that_is_not_of_its_type_is_null():
    (verdict,) = judge(TOY, [record(1, n="x", m="2")], NOW)
    assert verdict.values == {"word": "ab", "n": None, "m": 2}


def test_the_surrogate_key_is_the_md5_of_the_normalised_texts():
    pair = Contract(
        name="pair",
        version="1.0.0",
        owner="team",
        columns=(Column("a", Text(), required=True), Column("b", Integer(), required=True)),
        rules=(FieldRule("a", NotBlank(), "no_a"), FieldRule("b", Typed(), "no_b")),
        key=SurrogateKey("k", ("a", "b")),
    )
    (verdict,) = judge(pair, [Record({"a": "é", "b": "+07"}, None, 1)], NOW)
    assert verdict.key == md5("é||+07".encode()).hexdigest()


def test_a_missing_source_gives_no_surrogate_key():
    (verdict,) = judge(TOY, [record(1, word=None)], NOW)
    assert verdict.key is None


def unique(policy: Policy | None = None, *others: str, last: tuple[FieldRule, ...] = ()) -> Contract:
    return Contract(
        name="single",
        version="1.0.0",
        owner="team",
        columns=(Column("n", Integer(32)), Column("word", Text())),
        rules=(
            FieldRule("n", Typed(), "bad_n"),
            FieldRule("n", Unique(others), "twice", policy=policy),
            FieldRule("word", Matches("[a-z]+"), "bad_word"),
            *last,
        ),
    )


def reasons(contract: Contract, *rows: tuple[str | None, str | None]) -> list[tuple[str, ...]]:
    records = [Record({"n": n, "word": word}, None, number) for number, (n, word) in enumerate(rows, start=1)]
    return [verdict.reasons for verdict in judge(contract, records, NOW)]


def test_the_first_of_equal_typed_values_stays():
    assert reasons(unique(), ("7", "a"), ("+07", "b"), ("8", "c")) == [(), ("twice",), ()]


def test_missing_values_are_never_equal():
    assert reasons(unique(), (None, "a"), (None, "b")) == [(), ()]


def test_a_rejected_row_does_not_make_a_later_one_a_duplicate():
    assert reasons(unique(), ("7", "A"), ("7", "b"), ("7", "C")) == [("bad_word",), (), ("bad_word",)]


def test_several_columns_are_unique_together():
    contract = unique(None, "word")
    assert reasons(contract, ("7", "a"), ("7", "b"), ("7", "a"), ("7", None)) == [(), (), ("twice",), ()]


def test_a_row_that_an_earlier_unique_rule_rejected_takes_no_part_in_a_later_one():
    contract = unique(last=(FieldRule("word", Unique(), "same_word"),))
    assert reasons(contract, ("7", "a"), ("7", "b"), ("8", "b")) == [(), ("twice",), ()]


def test_a_unique_rule_that_warns_leaves_the_row_in():
    contract = unique(Policy.WARN, last=(FieldRule("word", Unique(), "same_word"),))
    rows = [Record({"n": "7", "word": word}, None, number) for number, word in enumerate(["a", "b", "b"], start=1)]
    verdicts = judge(contract, rows, NOW)
    assert [verdict.warnings for verdict in verdicts] == [(), ("twice",), ()]
    assert [verdict.reasons for verdict in verdicts] == [(), (), ("same_word",)]


def test_file_order_is_the_order_of_record_numbers():
    rows = [Record({"n": "7", "word": "a"}, None, 2), Record({"n": "7", "word": "b"}, None, 1)]
    assert [verdict.reasons for verdict in judge(unique(), rows, NOW)] == [("twice",), ()]


def test_a_broken_rule_that_only_warns_is_a_warning():
    contract = unique(last=(FieldRule("word", LengthBetween(2, 9), "short_word", policy=Policy.WARN),))
    (verdict,) = judge(contract, [Record({"n": "1", "word": "a"}, None, 1)], NOW)
    assert (verdict.reasons, verdict.warnings) == ((), ("short_word",))


def test_a_row_that_is_rejected_has_no_warnings():
    contract = unique(last=(FieldRule("word", LengthBetween(2, 9), "short_word", policy=Policy.WARN),))
    rows = [Record({"n": "1", "word": word}, None, number) for number, word in enumerate(["ab", "a"], start=1)]
    assert [(each.reasons, each.warnings) for each in judge(contract, rows, NOW)] == [((), ()), (("twice",), ())]


def test_a_hard_rule_rejects_as_a_quarantining_one_does():
    contract = unique(last=(FieldRule("word", LengthBetween(2, 9), "short_word", policy=Policy.FAIL),))
    assert reasons(contract, ("1", "a")) == [("short_word",)]
