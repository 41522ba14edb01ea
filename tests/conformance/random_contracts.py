"""Contracts and records of every kind, drawn by Hypothesis."""

import datetime as dt
from decimal import Decimal as Number

from hypothesis import strategies as st

from rowgate.contract import checks
from rowgate.contract.model import Column, Contract, FieldRule, Policy
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import normalise
from rowgate.targets.reference import Record

NOW = dt.datetime(2026, 3, 1, 23, 30, tzinfo=dt.UTC)

# Names that mean something in a query, to an engine or to what is compiled from a contract.
NAMES = [
    "c1",
    "c0",
    "v0",
    "m0",
    "k0",
    "reasons",
    "malformed",
    "verdicts",
    "accepted",
    "first",
    "at",
    "select",
    'a "b`.c',
    "Ωμ",
]
KINDS: list[ColumnType] = [
    Text(),
    Integer(32),
    Integer(64),
    Decimal(5, 2),
    Decimal(38, 10),
    Date(),
    Timestamp(),
    Boolean(),
]
TEXTS = {
    Text: ["a", "ab", "abc", "A1", "é", "Ω", "a b", "a\nb", "12", "12\n", "'", "|", "\\", "\u017f", "\U0001f600"],
    Integer: ["0", "1", "-1", "+7", "007", "2147483648", "9223372036854775808", "1.0", "1e3", "x", "1 2", "-", "٣"],
    Decimal: ["0", "1.5", "-1.50", "+0.01", "999.99", "1000", "1.005", ".5", "1e3", "NaN", "9" * 29, "x"],
    Date: [
        "2026-03-01",
        "2026-03-02",
        "2020-02-29",
        "2021-02-29",
        "0001-01-01",
        "0000-01-01",
        "9999-12-31",
        "2026-3-1",
    ],
    Timestamp: [
        *("2026-03-01 23:30", "2026-03-01T23:30:00.000001Z", "2026-03-02T01:30+02:00", "0001-01-01 00:00+00:01"),
        *("2026-03-01", "2026-03-01 24:00", "9999-12-31 23:59:59-00:01", "2026-03-01 10:00:00.1234567", "x"),
    ],
    Boolean: ["true", "FALSE", "t", "1", "fal\u017fe"],
}
PATTERNS = [
    "a",
    "[a-c]+",
    r"\w+",
    r"\d{1,3}",
    ".",
    r"^a.*$",
    "a|b{2}",
    r"[^\s]+",
    r"(?:ab?)+c?",
    "[^\x00-\x7f]",
    r"a\nb",
]
ENDS = {
    Integer: [-2, 0, 1, 7],
    Decimal: [Number("-1.5"), Number(0), Number("1.5"), Number("100.01")],
    Date: [dt.date(1, 1, 1), dt.date(2020, 2, 29), dt.date(2026, 3, 1)],
    Timestamp: [dt.datetime(2020, 1, 1, tzinfo=dt.UTC), NOW, dt.datetime(2027, 1, 1, tzinfo=dt.timezone.max)],
    Text: ["a", "ab", "é", "12", "it's"],
    Boolean: [True, False],
}
REFERENCES = {checks.References("others", f"k{at}"): (kind, ENDS[type(kind)][1:]) for at, kind in enumerate(KINDS)}
"""What a column of each type can refer to: the keys' type, and the keys."""
KEYS = {check: values for check, (_, values) in REFERENCES.items()}
CONDITIONS = {
    Text: [
        "{0} <> upper({0})",
        "length({0}) < 3",
        "{0} LIKE '_b%'",
        "lower({0}) IN ('a', 'ω', '12')",
        "substring({0}, 2) > 'a'",
    ],
    Integer: ["{0} % 2 = 0", "{0} / 3 > 0.3", "abs({0} * 3) < 20 OR {0} IS NULL", "{0} + 9223372036854775800 > 0"],
    Decimal: ["{0} * {0} < 2.26", "{0} / 7 <> 0.214285714285714286", "-{0} <= 0", "{0} % 1 = 0"],
    Date: ["{0} <= current_date()", "{0} - DATE '2026-01-01' > 10", "{0} + 40 > current_date()"],
    Timestamp: ["{0} <= current_timestamp()", "datediff(current_date(), {0}) < 1"],
    Boolean: ["{0}", "NOT {0} OR {0} IS NULL"],
}


@st.composite
def contracts(draw: st.DrawFn) -> Contract:
    """A contract of one to five columns with any rules that fit them."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    columns = tuple(Column(name, draw(st.sampled_from(KINDS)), required=draw(st.booleans())) for name in names)
    rules: list[FieldRule] = []
    for at, column in enumerate(columns):
        found = [checks.NotBlank()] if column.required else []
        if not isinstance(column.type, Text) or draw(st.booleans()):
            found.append(checks.Typed())
        found += draw(st.lists(check(column), max_size=3))
        rules += [FieldRule(column.name, each, f"r{at}_{n}", policy=draw(policies)) for n, each in enumerate(found)]
    for n in range(draw(st.integers(0, 2))):
        first, *others = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True))
        repeated = FieldRule(first, checks.Unique(tuple(others)), f"again_{n}", policy=draw(policies))
        # Behind the rules of its own column, since the first of those tells what is missing or untyped.
        behind = max((at + 1 for at, rule in enumerate(rules) if rule.field == first), default=0)
        rules.insert(draw(st.integers(behind, len(rules))), repeated)
    return Contract("toy", "1.0.0", "tests", columns, tuple(rules), policy=draw(st.sampled_from(Policy)))


policies = st.sampled_from([None, *Policy])


@st.composite
def check(draw: st.DrawFn, column: Column) -> checks.Check:
    kind = type(column.type)
    written = "`" + column.name.replace("`", "``") + "`"
    options = [
        st.builds(lambda sql: checks.Expression(sql.format(written)), st.sampled_from(CONDITIONS[kind])),
        st.lists(st.sampled_from(ENDS[kind]), min_size=1, unique=True).map(lambda some: checks.OneOf(tuple(some))),
        st.sampled_from([check for check, (known, _) in REFERENCES.items() if known == column.type]),
        st.just(checks.References("never_loaded")),
    ]
    if kind is Text:
        lengths = st.tuples(st.integers(0, 2), st.integers(2, 4))
        options += [
            st.builds(checks.Matches, st.sampled_from(PATTERNS)),
            lengths.map(lambda ends: checks.LengthBetween(*ends)),
        ]
    elif kind is not Boolean:
        ends = st.lists(st.sampled_from(ENDS[kind]), min_size=2, max_size=2).map(sorted)
        options += [ends.map(lambda two: checks.Between(*two)), ends.map(lambda two: checks.Between(None, two[0]))]
    return draw(st.one_of(options))


@st.composite
def records(draw: st.DrawFn, contract: Contract) -> list[Record]:
    """Records as the reader leaves them: texts trimmed, None where missing, some of them malformed."""
    fields = st.fixed_dictionaries({column.name: texts(column) for column in contract.columns})
    rows = draw(st.lists(st.one_of(fields, fields, fields, st.none()), max_size=25))
    return [Record(row or {}, "raw, text" if row is None else None, number) for number, row in enumerate(rows, start=1)]


def texts(column: Column) -> st.SearchStrategy[str | None]:
    some = st.sampled_from([None, *TEXTS[type(column.type)]])
    any_text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4).map(normalise)
    return st.one_of(some, some, some, any_text)
