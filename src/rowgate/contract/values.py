"""Which value a text is, decided on the text alone. Engines compile the same meaning; this is the readable one."""

import datetime as dt
import decimal
import re
from collections.abc import Collection
from typing import assert_never

from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp

Value = str | int | decimal.Decimal | dt.date | dt.datetime | bool

WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\u200b\ufeff"
)
"""Unicode's White_Space property (PropList.txt), plus U+200B and U+FEFF: what is trimmed off a field's ends."""

_INTEGER = re.compile(r"([+-]?)0*([0-9]+)")
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIMESTAMP = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,6}))?)?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))?"
)
_LONGEST_INTEGER = 19  # digits of 2**63
_FARTHEST_OFFSET = dt.timedelta(hours=14)


def normalise(text: str, null_markers: Collection[str] = ()) -> str | None:
    """The text without white space at its ends; None when nothing, or a null marker, is left."""
    trimmed = text.strip(WHITE_SPACE)
    return None if not trimmed or trimmed in null_markers else trimmed


def typed(text: str, kind: ColumnType) -> Value | None:
    """The value that a normalised text is, or None when it is none of that type.

    A decimal has its column's full scale; a timestamp is aware, in UTC.
    """
    match kind:
        case Text():
            return text
        case Integer():
            return _integer(text, kind)
        case Decimal():
            return _decimal(text, kind)
        case Date():
            return _date(text)
        case Timestamp():
            return _timestamp(text)
        case Boolean():
            return {"true": True, "false": False}.get(text.lower())
        case _:
            assert_never(kind)


def _integer(text: str, kind: Integer) -> int | None:
    found = _INTEGER.fullmatch(text)
    if found is None or len(found[2]) > _LONGEST_INTEGER:
        return None
    value = int(found[1] + found[2])
    return value if kind.low <= value <= kind.high else None


def _decimal(text: str, kind: Decimal) -> decimal.Decimal | None:
    sign = text[:1] if text[:1] in ("+", "-") else ""
    digits, point, fraction = text.removeprefix(sign).partition(".")
    if not _all_digits(digits) or (point and not _all_digits(fraction)):
        return None
    digits, fraction = digits.lstrip("0"), fraction.rstrip("0")
    if len(digits) > kind.precision - kind.scale or len(fraction) > kind.scale:
        return None
    unscaled = tuple(map(int, digits + fraction.ljust(kind.scale, "0"))) or (0,)
    return decimal.Decimal((int(sign == "-" and any(unscaled)), unscaled, -kind.scale))


def _all_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _date(text: str) -> dt.date | None:
    found = _DATE.fullmatch(text)
    try:
        return dt.date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:  # a day that does not exist
        return None


def _timestamp(text: str) -> dt.datetime | None:
    found = _TIMESTAMP.fullmatch(text)
    day = _date(found[1]) if found else None
    if found is None or day is None:
        return None
    _, hour, minute, second, fraction, sign, off_hours, off_minutes = found.groups(default="")
    try:
        time = dt.time(int(hour), int(minute), int(second or 0), int(fraction.ljust(6, "0")), dt.UTC)
        offset = dt.timedelta(hours=int(off_hours or 0), minutes=int(off_minutes or 0))
        if offset > _FARTHEST_OFFSET or int(off_minutes or 0) > 59:  # noqa: PLR2004 - minutes of an hour
            return None
        return dt.datetime.combine(day, time) + (offset if sign == "-" else -offset)
    except (ValueError, OverflowError):  # an hour that does not exist; a moment outside the years 0001 to 9999
        return None
