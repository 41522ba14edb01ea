"""Whether one pattern matches all that another one does."""

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rowgate.contract import patterns
from rowgate.contract.pattern_inclusion import UndecidedError, example_outside


def outside(pattern: str, other: str) -> str | None:
    return example_outside(patterns.parse(pattern), patterns.parse(other))


@pytest.mark.parametrize(
    ("pattern", "other", "example"),
    [
        ("a", "a|b", None),
        ("a|b", "a", "b"),
        ("69[0-9]{8}", "6[0-9]{9}", None),
        ("6[0-9]{9}", "69[0-9]{8}", "6000000000"),
        ("[a-z]{1,1000}", "[a-z]{1,999}", "a" * 1000),
        ("(a*b*)*", "(a|b)*", None),
        ("(a|b)*", "(a*b*)*", None),
        (r"[^@]+", r"[^@\n]+", "0\n0"),
        (r"\d+", "[0-9]+", None),
        ("é", "e", "é"),
        ("(a?){30}", "a{0,30}", None),
    ],
)
def test_the_example_is_a_shortest_text_that_only_the_first_matches(pattern, other, example):
    assert outside(pattern, other) == example


@pytest.mark.parametrize(
    ("pattern", "other"),
    [("a?", "a"), (".*", r"\S.*"), (r"a\s?", "a"), (r".*", r"(.*\S)?")],
)
def test_texts_that_no_value_can_be_do_not_count(pattern, other):
    assert outside(pattern, other) is None


def test_patterns_that_would_take_too_long_are_told():
    with pytest.raises(UndecidedError):
        outside("([AB]*A[AB]{12}){1,5}", "([AB]*B[AB]{12}){1,5}")


ATOMS = st.sampled_from(["a", "b", "[ab]", "."])
PATTERNS = st.recursive(
    ATOMS,
    lambda part: st.one_of(
        st.tuples(part, part).map("".join),
        st.tuples(part, part).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(part, st.sampled_from(["*", "+", "?", "{2}", "{1,2}"])).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    ),
    max_leaves=5,
)
TEXTS = ["".join(letters) for size in range(1, 6) for letters in product("abc", repeat=size)]


@settings(max_examples=200, deadline=None)
@given(PATTERNS, PATTERNS)
def test_it_agrees_with_what_python_matches(pattern, other):
    found = outside(pattern, other)
    only = [text for text in TEXTS if re.fullmatch(pattern, text) and not re.fullmatch(other, text)]
    if found is None:
        assert only == []
    else:
        assert re.fullmatch(pattern, found)
        assert not re.fullmatch(other, found)
        assert not only or len(found) <= len(only[0])
