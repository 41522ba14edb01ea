"""Which value a text is."""

import datetime as dt
from decimal import Decimal as Number

import pytest

from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import WHITE_SPACE, normalise, typed


def moment(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"),
        (" a ", "a"),
        ("\t\n\v\f\r\x85\u00a0a\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\u200b\ufeff", "a"),
        ("a\u00a0b", "a\u00a0b"),
        ("\x1ca", "\x1ca"),
        ("\u200da", "\u200da"),
        ("\u180ea", "\u180ea"),
        ("", None),
        (" \u200b", None),
        ("NULL", "NULL"),
        (" NA ", None),
        ("na", "na"),
    ],
)
def test_a_field_is_normalised(text, expected):
    assert normalise(text, ("NA",)) == expected


def test_the_white_space_is_unicodes_with_two_more():
    # PropList.txt, Unicode 16: White_Space
    ranges = [(9, 13), (32, 32), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029)]
    ranges += [(0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0x200B, 0x200B), (0xFEFF, 0xFEFF)]
    assert set(WHITE_SPACE) == {chr(point) for low, high in ranges for point in range(low, high + 1)}


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (Text(), "NaN", "NaN"),
        (Integer(32), "7", 7),
        (Integer(32), "+7", 7),
        (Integer(32), "-007", -7),
        (Integer(32), "0" * 5000 + "7", 7),
        (Integer(32), "9" * 5000, None),
        (Integer(32), "2147483647", 2147483647),
        (Integer(32), "2147483648", None),
        (Integer(32), "-2147483648", -2147483648),
        (Integer(64), "9223372036854775807", 9223372036854775807),
        (Integer(64), "9223372036854775808", None),
        (Integer(64), "-9223372036854775808", -9223372036854775808),
        *((Integer(64), text, None) for text in ["", "1.0", "1e3", "+", "--1", "1 2", "1_0", "\u0663", "NaN", "0x1"]),
        (Decimal(4, 2), "1", Number("1.00")),
        (Decimal(4, 2), "+1.5", Number("1.50")),
        (Decimal(4, 2), "-0099.9900", Number("-99.99")),
        (Decimal(4, 2), "100", None),
        (Decimal(4, 2), "1.005", None),
        (Decimal(2, 2), "0.99", Number("0.99")),
        (Decimal(2, 2), "1", None),
        (Decimal(38, 0), "9" * 38, Number("9" * 38)),
        (Decimal(38, 0), "9" * 39, None),
        *(
            (Decimal(9, 2), text, None)
            for text in [
                "",
                ".5",
                "5.",
                "1e3",
                "NaN",
                "Infinity",
                "-inf",
                "1,5",
                "1,234.50",
                "+-1",
                "\u0661",
                "1.2.3",
                ".",
            ]
        ),
        (Date(), "2020-02-29", dt.date(2020, 2, 29)),
        (Date(), "0001-01-01", dt.date(1, 1, 1)),
        (Date(), "9999-12-31", dt.date(9999, 12, 31)),
        *(
            (Date(), text, None)
            for text in ["2021-02-29", "0000-01-01", "2020-2-9", "20200209", "2020-02-29 ", "+2020-01-01", "2020-13-01"]
        ),
        (Timestamp(), "2020-01-01 10:00", moment(2020, 1, 1, 10)),
        (Timestamp(), "2020-01-01T10:00:01", moment(2020, 1, 1, 10, 0, 1)),
        (Timestamp(), "2020-01-01T10:00:00.5Z", moment(2020, 1, 1, 10, 0, 0, 500000)),
        (Timestamp(), "2020-01-01T10:00:00.000001+02:00", moment(2020, 1, 1, 8, 0, 0, 1)),
        (Timestamp(), "2020-01-01T00:00-14:00", moment(2020, 1, 1, 14)),
        (Timestamp(), "9999-12-31T23:59:59-00:00", moment(9999, 12, 31, 23, 59, 59)),
        *(
            (Timestamp(), text, None)
            for text in [
                "2020-01-01",
                "10:00",
                "2020-01-01T10",
                "2020-01-01t10:00",
                "2020-01-01  10:00",
                "2020-01-01T24:00:00",
                "2020-01-01T10:60",
                "2020-01-01T10:00:60",
                "2020-01-01T10:00:00.",
                "2020-01-01T10:00:00.1234567",
                "2020-01-01T10:00.5",
                "2020-01-01T10:00z",
                "2020-01-01T10:00+2:00",
                "2020-01-01T10:00+0200",
                "2020-01-01T10:00+14:01",
                "2020-01-01T10:00+01:60",
                "2020-01-01T10:00 Z",
                "2020-02-30T10:00",
                "0001-01-01T00:00+00:01",
                "9999-12-31T23:59-00:01",
            ]
        ),
        (Boolean(), "TRUE", True),
        (Boolean(), "False", False),
        *((Boolean(), text, None) for text in ["1", "0", "yes", "t", "\u0166rue", ""]),
    ],
)
def test_a_text_is_a_value_or_none(kind, text, value):
    found = typed(text, kind)
    assert (found, type(found), str(found)) == (value, type(value), str(value))
