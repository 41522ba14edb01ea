"""Rows at the edges of every rule, as data: one contract, and texts on both sides of each edge with their verdict.

Each edge sets one column of a row that is otherwise right, so that only that column's rule can break; its
reason is `bad_<column>`. `Unique` and `References` look beyond the row and so have tables of their own.
"""

import decimal
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone

from rowgate.contract.checks import Between, Check, Expression, LengthBetween, Matches, NotBlank, OneOf, Typed
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey, Policy
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import WHITE_SPACE, Value, normalise, typed

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
Num = decimal.Decimal


@dataclass(frozen=True)
class Edge:
    """One text in one column.

    Attributes:
        text: as a table or a file holds it; None is missing.
        good: whether the row is accepted.
        others: texts of other columns, for expressions.
    """

    column: str
    text: str | None
    good: bool
    others: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """The reason of the rule that the row breaks where it is not good."""
        return f"bad_{self.column}"

    @property
    def readable(self) -> bool:
        """Whether the reader gives a text like this; it trims white space and takes null markers away."""
        return self.text is None or normalise(self.text, CONTRACT.null_markers) == self.text

    @property
    def value(self) -> Value | None:
        """The typed value; None when missing or when the text is not of the type."""
        return None if self.text is None else typed(self.text, CONTRACT.column(self.column).type)

    @property
    def storable(self) -> bool:
        """Whether a typed table can be given it: it is missing, or a value of the type."""
        return self.text is None or self.value is not None

    def fields(self, key: str) -> dict[str, str | None]:
        """The row, column by column, with that text in the key."""
        nothing: dict[str, str | None] = dict.fromkeys(column.name for column in CONTRACT.columns)
        return {**nothing, **RIGHT, "k": key, **self.others, self.column: self.text}

    def __str__(self) -> str:
        return f"{self.column} {self.text!a}"[:60]


# column: type, check, good texts, bad texts
_LAST = "9999-12-31"
_WIDE, _NARROW = "9" * 30, "0" * 60
_BIG, _SMALL = str(2**63 - 1), str(-(2**63))
_NO_NUMBERS = ["NaN", "Infinity", "-Infinity", "1e3", "1E3", "0x10", "1_000", "1,234", "12,5", "\u0663", "\uff11", "+"]
_NO_DAYS = ["2026-02-30", "0000-12-31", "10000-01-01", "2026-1-1", "infinity", "-infinity", "today", "2026-01-01\n2"]
_NO_MOMENTS = ["2026-09-15", "2026-09-15 24:00:00", "2026-09-15 23:59:60", "2026-09-15T10:00:00.1234567Z", "infinity"]
_MOMENT = datetime(2026, 5, 1, 12, 30, tzinfo=UTC)

_TABLE: dict[str, tuple[ColumnType, Check, list[str], list[str]]] = {
    "text_not_blank": (Text(), NotBlank(), ["a", "a b", "\u03a9", "\U0001f600", "a\nb", "'", "\\", "NaN"], []),
    "text_typed": (Text(), Typed(), ["a", "null", "\u200da", "\u0301"], []),
    "text_class": (Text(), Matches(r"[A-Z]{2}[0-9]{1,3}"), ["AB1", "AB123"], ["AB", "AB1234", "ab1", "xAB1", "AB1\n2"]),
    "text_choice": (Text(), Matches("^a$|^b$"), ["a", "b"], ["ab", "c", "a|b"]),
    "text_digits": (Text(), Matches(r"\d+"), ["0", "99"], ["\u0661", "\uff11", "1a", "\u00b2"]),
    "text_words": (Text(), Matches(r"\w+\s\W"), ["a_1 -", "a\t-"], ["\u00e9 -", "a--", "a\u00a0-"]),
    "text_any": (Text(), Matches("a.c"), ["abc", "a\U0001f600c", "a\rc", "a\u2028c"], ["a\nc", "ac", "abbc"]),
    "text_optional": (Text(), Matches("(?:ab)*"), ["ab", "abab"], ["aba", "b"]),
    "text_quotes": (Text(), Matches(r"it's \{\{x\}\} \\"), ["it's {{x}} \\"], ["its {{x}} \\", "it's {{x}}"]),
    "text_han": (Text(), Matches("[\u4e00-\u9fff]+"), ["\u4e2d\u6587"], ["a", "\u3042"]),
    "text_length": (
        Text(),
        LengthBetween(2, 3),
        ["ab", "abc", "\U0001f600\U0001f600", "\U0001f600a\U0001f600"],
        ["a", "abcd", "\U0001f600", "\U0001f600" * 4],
    ),
    "text_long": (Text(), LengthBetween(low=3), ["abc", "\u03b1\u03b2\u03b3"], ["ab", "\U0001f600\U0001f600"]),
    "text_short": (Text(), LengthBetween(high=3), ["a", "abc", "e\u0301e"], ["abcd", "e\u0301e\u0301"]),
    "text_one_of": (Text(), OneOf(("a", "it's", "\u03a7", "n'a")), ["a", "it's", "\u03a7"], ["A", "its", "X", "a\nb"]),
    "text_expression": (Text(), Expression("upper(text_expression) LIKE 'A_%'"), ["ab", "Abc"], ["a", "ba", "\u00e1b"]),
    "int_not_blank": (Integer(32), NotBlank(), ["0", "-1", "007", "+5"], []),
    "int_typed": (Integer(32), Typed(), ["2147483647", "-2147483648", _NARROW], ["2147483648", "-2147483649"]),
    "long_typed": (Integer(64), Typed(), [_BIG, _SMALL], ["9223372036854775808", _WIDE, "1.0", "1.", *_NO_NUMBERS]),
    "int_between": (Integer(32), Between(-5, 10), ["-5", "+10", "010", "-0"], ["-6", "11", "x", "5.0"]),
    "int_from": (Integer(32), Between(low=1), ["1", "2147483647"], ["0", "-1", "2147483648"]),
    "long_to": (Integer(64), Between(high=10), ["10", _SMALL], ["11", _BIG]),
    "int_one_of": (Integer(64), OneOf((1, -2)), ["1", "01", "-2"], ["2", "0", "one"]),
    "int_expression": (Integer(64), Expression("int_expression % 2 = 0 AND int_expression > 1"), ["2"], ["0", "3"]),
    "decimal_not_blank": (Decimal(5, 2), NotBlank(), ["0", "-999.99"], []),
    "decimal_typed": (
        Decimal(5, 2),
        Typed(),
        ["999.99", "-999.99", "1.500", f"1.5{_NARROW}"],
        ["1000", "-1000", "1.005", ".5", "5.", *_NO_NUMBERS],
    ),
    "decimal_wide": (Decimal(38, 0), Typed(), ["9" * 38], ["9" * 39]),
    "decimal_between": (Decimal(5, 2), Between(Num("0.01"), Num("9.5")), ["0.01", "9.50"], ["0", "9.51", "NaN"]),
    "decimal_from": (Decimal(5, 2), Between(low=Num("0.01")), ["0.01", "999.99"], ["0.00", "-0.01", "NaN", "Infinity"]),
    "decimal_to": (Decimal(5, 2), Between(high=Num("-0.5")), ["-0.5", "-999.99"], ["-0.49", "0", "NaN"]),
    "decimal_one_of": (Decimal(5, 2), OneOf((Num("1.5"), Num(2))), ["1.50", "2", "+02.0"], ["1.51", "-2", "NaN"]),
    "decimal_expression": (
        Decimal(18, 2),
        Expression("decimal_expression / 3 > 0.33 AND decimal_expression < 1000000"),
        ["1", "999999.99"],
        ["0.99", "1000000", "NaN"],
    ),
    "date_not_blank": (Date(), NotBlank(), ["0001-01-01", _LAST], []),
    "date_typed": (Date(), Typed(), ["2024-02-29", "1582-10-10"], ["2023-02-29", *_NO_DAYS]),
    "date_between": (
        Date(),
        Between(date(2020, 1, 1), date(2020, 2, 29)),
        ["2020-01-01", "2020-02-29"],
        ["2019-12-31", "2020-03-01", "infinity"],
    ),
    "date_from": (Date(), Between(low=date(2020, 1, 1)), ["2020-01-01", _LAST], ["2019-12-31", "infinity"]),
    "date_to": (Date(), Between(high=date(1600, 1, 1)), ["0001-01-01", "1600-01-01"], ["1600-01-02", "-infinity"]),
    "date_one_of": (Date(), OneOf((date(2020, 2, 29), date(1, 1, 1))), ["2020-02-29", "0001-01-01"], ["2020-02-28"]),
    "date_expression": (
        Date(),
        Expression("date_expression + 1 <= '2020-03-01' AND date_expression >= '2019-12-31'"),
        ["2020-02-29", "2019-12-31"],
        ["2020-03-01", "2019-12-30", _LAST],
    ),
    "moment_not_blank": (Timestamp(), NotBlank(), ["0001-01-01 00:00", f"{_LAST} 23:59:59.999999"], []),
    "moment_typed": (Timestamp(), Typed(), ["1582-10-10T00:00Z", "2026-09-15T10:00-05:30"], _NO_MOMENTS),
    "moment_between": (
        Timestamp(),
        Between(_MOMENT, datetime(2026, 5, 2, tzinfo=timezone(timedelta(hours=2)))),
        ["2026-05-01 12:30", "2026-05-01T22:00:00Z", "2026-05-02T00:00+02:00"],
        ["2026-05-01T12:29:59.999999Z", "2026-05-01T22:00:00.000001Z", "2026-05-02T00:00+01:59"],
    ),
    "moment_from": (Timestamp(), Between(low=_MOMENT), ["2026-05-01 12:30", f"{_LAST} 23:59:59"], ["2026-05-01 12:29"]),
    "moment_to": (Timestamp(), Between(high=_MOMENT), ["0001-01-01 00:00"], ["2026-05-01 12:30:00.000001", "infinity"]),
    "moment_one_of": (
        Timestamp(),
        OneOf((_MOMENT,)),
        ["2026-05-01T14:30+02:00", "2026-05-01 12:30:00.000"],
        ["2026-05-01T12:30+02:00", "2026-05-01 12:30:00.000001"],
    ),
    "moment_expression": (
        Timestamp(),
        Expression("moment_expression < '2026-05-01T12:30:00Z'"),
        ["2026-05-01T12:29:59.999999Z"],
        ["2026-05-01T12:30:00Z", "2026-05-01T13:30-01:00"],
    ),
    "flag_not_blank": (Boolean(), NotBlank(), ["true", "FALSE"], []),
    "flag_typed": (Boolean(), Typed(), ["TrUe", "false"], ["t", "yes", "1", "fal\u017fe", "true\n1"]),
    "flag_one_of": (Boolean(), OneOf((True,)), ["true", "TRUE"], ["false", "1"]),
    "flag_expression": (Boolean(), Expression("NOT flag_expression"), ["false"], ["true"]),
}

_REQUIRED = {name: good[0] for name, (_, check, good, _) in _TABLE.items() if isinstance(check, NotBlank)}

RIGHT: Mapping[str, str] = {"must_n": "1", **_REQUIRED}
"""The texts of the required columns, beside the key `k`."""

CONTRACT = Contract(
    name="edges",
    version="1.0.0",
    owner="tests",
    columns=(
        Column("k", Text(), required=True),
        Column("must_n", Integer(32), required=True),
        *(Column(name, kind, required=name in RIGHT) for name, (kind, *_) in _TABLE.items()),
        Column("soft", Integer(32)),
        Column("hard", Integer(32)),
        Column("less", Integer(64)),
    ),
    rules=(
        FieldRule("k", NotBlank(), "bad_k"),
        FieldRule("must_n", Between(1, 5), "bad_must_n"),
        *(FieldRule(name, check, f"bad_{name}") for name, (_, check, *_) in _TABLE.items()),
        *(FieldRule(name, Typed(), f"type_{name}") for name in _REQUIRED if name != "text_not_blank"),
        FieldRule("soft", Between(1, 5), "bad_soft", policy=Policy.WARN),
        FieldRule("hard", Between(1, 5), "bad_hard", policy=Policy.FAIL),
        FieldRule("less", Expression("less < long_typed"), "bad_less"),
    ),
    key=NaturalKey(("k",)),
    null_markers=("n/a", "-"),
)
"""Every kind of check on every type it can be made on; the key and what is in `RIGHT` are required."""

_SPACES = [text for space in WHITE_SPACE for text in (f"{space}a", f"a{space}")]
_BESIDE_THE_TABLE = [
    Edge("must_n", None, good=False),
    Edge("must_n", "5", good=True),
    Edge("must_n", "6", good=False),
    *(Edge("soft", text, good=True) for text in ("1", "5", "0", "6", None)),
    *(Edge("hard", text, good=text in ("1", "5", None)) for text in ("1", "5", "0", "6", None)),
    Edge("less", "1", good=True, others={"long_typed": "2"}),
    Edge("less", "2", good=False, others={"long_typed": "2"}),
    Edge("less", "2", good=False),  # the other one is missing, so that the expression is NULL
    Edge("less", None, good=True, others={"long_typed": "2"}),
    # What the reader never gives: white space at an end, nothing, a null marker.
    *(Edge("text_not_blank", text, good=False) for text in (*_SPACES, "", *CONTRACT.null_markers)),
    *(Edge("text_optional", text, good=False) for text in ("", "ab ", "ab\n", "n/a")),
    *(Edge("text_any", text, good=False) for text in ("ac ", "abc\n", "abc\r\n", " abc")),
    *(Edge("text_digits", text, good=False) for text in ("1\n", "\u20021", "")),
    *(Edge("text_one_of", text, good=False) for text in ("a ", "a\n", "")),
    *(Edge("text_short", text, good=False) for text in ("a ", "", "-")),
]

EDGES: tuple[Edge, ...] = (
    *(Edge(name, None, good=name not in RIGHT) for name in _TABLE),
    *(Edge(name, text, good=True) for name, (_, _, good, _) in _TABLE.items() for text in good),
    *(Edge(name, text, good=False) for name, (_, _, _, bad) in _TABLE.items() for text in bad),
    *_BESIDE_THE_TABLE,
)
"""Every edge. Engines that read texts see the `readable` ones, typed tables the `storable` ones."""
