"""A pattern means the same in every engine, or is refused."""

import re

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rowgate.contract import patterns
from rowgate.errors import ContractError


@pytest.mark.parametrize(
    ("pattern", "python", "java", "re2", "postgres"),
    [
        ("ab", r"^(?:ab)\Z", r"^(?:ab)\z", r"^(?:ab)\z", "^(?:ab)$"),
        ("^ab$", r"^(?:ab)\Z", r"^(?:ab)\z", r"^(?:ab)\z", "^(?:ab)$"),
        ("^a$|^b$", r"^(?:a|b)\Z", r"^(?:a|b)\z", r"^(?:a|b)\z", "^(?:a|b)$"),
        (r"\d+", r"^(?:[0-9]+)\Z", r"^(?:[0-9]+)\z", r"^(?:[0-9]+)\z", "^(?:[0-9]+)$"),
        (r"\w", r"^(?:[0-9A-Z_a-z])\Z", r"^(?:[0-9A-Z_a-z])\z", r"^(?:[0-9A-Z_a-z])\z", "^(?:[0-9A-Z_a-z])$"),
        (".", r"^(?:[^\n])\Z", r"^(?:[^\n])\z", r"^(?:[^\n])\z", r"^(?:[^\n])$"),
        (r"[\s\S]", r"^(?:[\s\S])\Z", r"^(?:[\s\S])\z", r"^(?:[\s\S])\z", "^(?:.)$"),
        (r"\x7f", r"^(?:\U0000007f)\Z", r"^(?:\x{7f})\z", r"^(?:\x{7f})\z", r"^(?:\U0000007f)$"),
        (r"[\x00-\t]", r"^(?:[\U00000001-\t])\Z", r"^(?:[\x{1}-\t])\z", r"^(?:[\x{1}-\t])\z", r"^(?:[\U00000001-\t])$"),
        ("a{2,}?", r"^(?:a{2,})\Z", r"^(?:a{2,})\z", r"^(?:a{2,})\z", "^(?:a{2,})$"),
        ("a{300}", r"^(?:a{300})\Z", r"^(?:a{300})\z", r"^(?:a{300})\z", "^(?:a{255}a{45})$"),
        ("(?:a|b)c", r"^(?:(?:a|b)c)\Z", r"^(?:(?:a|b)c)\z", r"^(?:(?:a|b)c)\z", "^(?:(?:a|b)c)$"),
        ("[&&-]", r"^(?:[\&\-])\Z", r"^(?:[\&\-])\z", r"^(?:[\&\-])\z", r"^(?:[\&\-])$"),
        ("é", r"^(?:é)\Z", r"^(?:é)\z", r"^(?:é)\z", "^(?:é)$"),
    ],
)
def test_a_pattern_is_written_for_each_engine(pattern, python, java, re2, postgres):
    parsed = patterns.parse(pattern)
    assert parsed.render("python") == python
    assert parsed.render("java") == java
    assert parsed.render("re2") == re2
    assert parsed.render("postgres") == postgres


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "empty"),
        ("a(?=b)", "look-ahead"),
        ("a(?!b)", "look-ahead"),
        ("(?<=a)b", "look-behind"),
        ("(?<!a)b", "look-behind"),
        (r"(a)\1", "back-reference"),
        ("(?i)a", "flags"),
        ("(?P<name>a)", "named group"),
        (r"\bword", r"'\b'"),
        (r"\p{L}", r"'\p'"),
        ("a**", "repeats a repeat"),
        ("a++", "repeats a repeat"),
        ("*a", "nothing to repeat"),
        ("a{2,1}", "upside down"),
        ("a{1001}", "1000"),
        ("(a{100}){11}", "1000"),
        ("a{b", "no repeat"),
        ("(a", "never closed"),
        ("(" * 5000, "groups inside one another"),
        ("a)", "closes nothing"),
        ("[a", "never closed"),
        ("[b-a]", "upside down"),
        (r"[\d-z]", "one end is a set"),
        ("[[:alpha:]]", "POSIX class"),
        ("a^b", "anchors"),
        ("(a$)", "anchors"),
        ("a\\", "backslash"),
        (r"[^\s\S]", "no character can stand"),
        (r"\x00", "no character can stand"),
        (r"\ud800", "no character can stand"),
    ],
)
def test_what_the_engines_cannot_all_do_is_refused_with_the_reason(pattern, why):
    with pytest.raises(ContractError) as caught:
        patterns.parse(pattern)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "value", "matches"),
    [
        ("69[0-9]{8}", "6912345678", True),
        ("69[0-9]{8}", "6912345678\n", False),
        ("69[0-9]{8}", "x6912345678", False),
        ("a|ab", "ab", True),
        (r"\d", "\u0663", False),
        (r"\w", "é", False),
        (r"\s", "\u00a0", False),
        (r"\S", "\u00a0", True),
        (".", "\n", False),
        (".", "\r", True),
        ("[^a]", "\n", True),
    ],
)
def test_a_pattern_matches_the_whole_value(pattern, value, matches):
    assert bool(re.search(patterns.parse(pattern).render("python"), value)) is matches


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [("[a-z]+", False), ("[a-z|]+", True), (r"\W", True), (".", True), ("69[0-9]{8}", False), (r"a\|b", True)],
)
def test_a_pattern_knows_which_characters_its_values_can_hold(pattern, holds):
    assert patterns.parse(pattern).may_hold("||") is holds


_ATOMS = st.sampled_from(["a", "b", "0", ".", r"\d", r"\w", r"\S", r"\W", r"\.", "é", r"\n", "]", "&", r"\\", "\ufeff"])
_CLASSES = st.lists(
    st.sampled_from(["a", "b-z", "0-9", r"\d", r"\w", r"\s", r"\]", "_", ".", "é", r"\n", r"\x00-\x1f", "&&", r"\-"]),
    min_size=1,
    max_size=3,
).flatmap(lambda items: st.sampled_from(["[" + "".join(items) + "]", "[^" + "".join(items) + "]"]))
_REPEATS = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "*?"])


def _larger(inner):
    repeated = st.tuples(inner, _REPEATS).map(lambda pair: f"(?:{pair[0]}){pair[1]}")
    return repeated | st.lists(inner, max_size=3).map("".join) | st.lists(inner, min_size=1, max_size=3).map("|".join)


_PATTERNS = st.recursive(_ATOMS | _CLASSES, _larger, max_leaves=6).filter(bool)
_TEXTS = st.text(st.sampled_from("ab0_.-\n\t é]&\\\ufeff\x7f\u2028Ω"), min_size=1, max_size=4)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # Python's plan for '&&', which ours reads as it does today
@given(_PATTERNS, st.lists(_TEXTS, min_size=5, max_size=20))
@settings(max_examples=200, deadline=None)
def test_a_random_pattern_means_what_python_says_of_the_whole_value(pattern, texts):
    ours = re.compile(patterns.parse(pattern).render("python"))
    theirs = re.compile(pattern, re.ASCII)
    assert [bool(ours.search(text)) for text in texts] == [bool(theirs.fullmatch(text)) for text in texts]


@given(_PATTERNS, st.lists(_TEXTS, min_size=5, max_size=20))
@settings(max_examples=100, deadline=None)
def test_a_random_pattern_means_the_same_in_re2(pattern, texts):
    parsed = patterns.parse(pattern)
    ours = re.compile(parsed.render("python"))
    query = "SELECT regexp_matches(unnest(?), ?)"
    found = [row[0] for row in duckdb.execute(query, [texts, parsed.render("re2")]).fetchall()]
    assert found == [bool(ours.search(text)) for text in texts]
