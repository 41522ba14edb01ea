"""Guesses from one file: what it writes for nothing, what may tell who a person is, keys, the form of texts."""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from decimal import Decimal as Number
from itertools import combinations, pairwise

from rowgate.contract.model import Pii
from rowgate.contract.types import Date, Decimal, Integer, Text, Timestamp
from rowgate.stages.forms import FORMS
from rowgate.stages.guess_words import DAYS, DIRECT, KEYS, QUASI, TEXTS, THINGS
from rowgate.stages.profile import Facts, Profiler

NULL_MARKERS = (
    *("NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "Null", "None", "none", "nil", "#N/A", "\\N"),
    *("-", "--", "?", ".", "unknown", "missing"),
)
_NOT_WORDS = frozenset({"N/A", "n/a", "NaN", "NULL", "null", "#N/A", "\\N"})
"""Markers that mean nothing also where other values are words."""

_DEGREES = ((frozenset({"latitude", "lat"}), 90), (frozenset({"longitude", "lon", "lng"}), 180))
_NAMED = ("email", "uuid", "url", "year_first", "year_first_moment", "day_first", "month_first")
_LEAST = {
    "an e-mail address": 0.01,
    "a person's name": 0.8,
    "an address": 0.3,
    "a tax number": 0.8,
    "a phone number in digits": 0.8,
}
"""The share of values that must look so; of others, half."""
_TAX_NUMBER = 8  # characters at least; what is shorter beside the word vat is a rate or an amount
_ENOUGH = 10  # rows that say something about what values have in common
_LONGEST_PATTERN = 40  # characters
_LONGEST_ALLOWED = 60  # characters
_PAIRED = 6  # columns of which pairs are tried as a key


def null_markers(profiler: Profiler, names: Sequence[str]) -> tuple[str, ...]:
    """The texts that stand where a value is missing: beside values of another type, or plainly no words."""
    found: set[str] = set()
    for name in names:
        there = profiler.occurring(name, NULL_MARKERS)
        if there:
            others = profiler.facts(name, there)
            typed = others.present > 0 and not isinstance(others.type, Text)
            found |= there if typed else there & _NOT_WORDS
    return tuple(marker for marker in NULL_MARKERS if marker in found)


def pii(facts: Facts) -> tuple[Pii, str]:
    """How a column may identify a person, and what says so; empty where nothing does."""
    words = _words(facts.name)
    joined = {"".join(pair) for pair in pairwise(words)}
    for table, kind in ((DIRECT, Pii.DIRECT), (QUASI, Pii.QUASI)):
        if table & {*words, *joined}:
            return kind, "the column's name says so"
    if "name" in words and not THINGS & set(words):
        return Pii.DIRECT, "the column's name says so"
    if "vat" in words and facts.shortest >= _TAX_NUMBER:
        return Pii.DIRECT, "the column's name says so"
    for likeness, share in facts.likeness.items():
        least = _LEAST.get(likeness, 0.5)
        repeated = likeness == "a person's name" and facts.distinct < facts.present / 2
        dates = likeness == "a phone number" and isinstance(facts.type, Date | Timestamp)
        if share >= least and not repeated and not dates:
            return Pii.DIRECT, f"values look like {likeness}"
    return Pii.NONE, ""


def is_text(facts: Facts) -> bool:
    """Whether digits are a text all the same: phone numbers and postcodes are not counted with."""
    return bool(TEXTS & set(_words(facts.name)))


def is_identifier(facts: Facts) -> bool:
    """Whether the column's name says that it identifies the row."""
    return bool(KEYS & set(_words(facts.name)))


def unique_columns(profiler: Profiler, columns: Sequence[Facts], markers: Sequence[str]) -> list[Facts]:
    """The columns whose values are all different, and that could be meant so."""
    return [
        facts
        for place, facts in enumerate(columns)
        if facts.rows >= 2  # noqa: PLR2004 - one value is always different
        and (is_identifier(facts) or (place == 0 and _may_lead(facts)))
        and _comparable(facts)
        and profiler.all_different([facts], markers)
    ]


def unique_pair(profiler: Profiler, columns: Sequence[Facts], markers: Sequence[str]) -> tuple[Facts, Facts] | None:
    """Two columns that together are different in every record, and could be meant so."""
    if not columns or columns[0].rows < _ENOUGH:
        return None
    able = [facts for facts in columns if _comparable(facts) and _pairable(facts)][:_PAIRED]
    # A day is what most often tells records of one thing apart.
    pairs = sorted(combinations(able, 2), key=lambda pair: not any(_is_day(facts) for facts in pair))
    return next((pair for pair in pairs if profiler.all_different(pair, markers)), None)


def allowed(facts: Facts) -> tuple[str, ...]:
    """The values of a column that has few, repeated ones; empty where it has not."""
    repeated = facts.present >= max(_ENOUGH, 3 * len(facts.few))
    plain = all(value.isprintable() and len(value) <= _LONGEST_ALLOWED for value in facts.few)
    return tuple(sorted(facts.few)) if isinstance(facts.type, Text) and repeated and plain else ()


def pattern(facts: Facts) -> str | None:
    """The form that every text of a column has, where it is a plain one."""
    if facts.present < _ENOUGH or not isinstance(facts.type, Text):
        return None
    named = next((form for form in _NAMED if form in facts.forms), None)
    if named:
        return FORMS[named]
    if facts.longest > _LONGEST_PATTERN:
        return None
    ends = str(facts.shortest) if facts.shortest == facts.longest else f"{facts.shortest},{facts.longest}"
    for form, letters in (("digits", "[0-9]"), ("upper", "[A-Z]"), ("upper_or_digits", "[A-Z0-9]")):
        if form in facts.forms:
            return f"{letters}{{{ends}}}"
    shaped = facts.shape is not None and facts.shape.isascii() and facts.shape.isprintable()
    return _from_shape(facts.shape) if facts.shape and shaped and facts.distinct > 1 else None


def ends(facts: Facts) -> tuple[Number | None, Number | None]:
    """A range of numbers around those of the file, its ends round; None where an end says nothing.

    The ends are near values of the file, so that a column that may be personal gets none.
    """
    low, high = facts.low, facts.high
    if pii(facts)[0] is not Pii.NONE:
        return None, None
    if not isinstance(low, int | Number) or not isinstance(high, int | Number):
        return None, None
    low, high = Number(low), Number(high)
    for words, most in _DEGREES:
        if words & set(_words(facts.name)) and -most <= low and high <= most:
            return Number(-most), Number(most)
    if low == high:
        return (Number(0), None) if low >= 0 else (None, None)
    step = Number(1).scaleb((high - low).adjusted())
    if isinstance(facts.type, Integer):
        step = max(step, Number(1))
    low = (low / step).to_integral_value(ROUND_FLOOR) * step
    high = (high / step).to_integral_value(ROUND_CEILING) * step
    if isinstance(facts.type, Integer):
        high = min(high, Number(facts.type.high))
        low = max(low, Number(facts.type.low))
    return low, high


def first_day(facts: Facts) -> dt.date | None:
    """The first day of the year of the earliest moment; None where that may be somebody's year of birth."""
    low = facts.low
    return dt.date(low.year, 1, 1) if isinstance(low, dt.date) and pii(facts)[0] is Pii.NONE else None


def _may_lead(facts: Facts) -> bool:
    """Whether the first column can be a key without a name that says so: not measures, and not what names a person."""
    return not isinstance(facts.type, Decimal) and pii(facts)[0] is Pii.NONE


def _comparable(facts: Facts) -> bool:
    """Whether DuckDB sees equal values where the contract does: not where moments have offsets."""
    return not isinstance(facts.type, Timestamp) or facts.low is not None


def _pairable(facts: Facts) -> bool:
    return isinstance(facts.type, Text | Date | Timestamp) or is_identifier(facts) or _is_day(facts)


def _is_day(facts: Facts) -> bool:
    return isinstance(facts.type, Date | Timestamp) or bool(DAYS & set(_words(facts.name)))


def _words(name: str) -> list[str]:
    """The words of a name, in small letters without accents: `firstName` and `FIRST_NAME` are two words."""
    parted = re.sub(r"([^\W\d_])(?<![A-Z])([A-Z])", r"\1 \2", name)
    plain = "".join(c for c in unicodedata.normalize("NFKD", parted) if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", plain.casefold())


def _from_shape(shape: str) -> str:
    """A pattern from a shape: `9999-99` becomes `[0-9]{4}-[0-9]{2}`."""
    return "".join(_runs(shape))


def _runs(shape: str) -> Iterator[str]:
    sets = {"9": "[0-9]", "A": "[A-Z]", "a": "[a-z]"}
    for run in re.finditer(r"(.)\1*", shape):
        sign, count = run[1], len(run[0])
        part = sets.get(sign) or (f"\\{sign}" if sign in r"\.^$*+?()[]{}|" else sign)
        yield part if count == 1 else f"{part}{{{count}}}"
