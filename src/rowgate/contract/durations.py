"""Lengths of time as people and ISO 8601 write them."""

import datetime as dt
import re
from decimal import Decimal

from rowgate.errors import ContractError

_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_SHORT = {
    "s": "second",
    "sec": "second",
    "m": "minute",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
    "d": "day",
    "w": "week",
}
_PART = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*([A-Za-z]+)")
_WORDS = re.compile(rf"{_PART.pattern}(?:(?:\s*,\s*|\s+and\s+|\s*){_PART.pattern})*")
_ISO = re.compile(
    r"P(?=.)(?:([0-9]{1,9})W)?(?:([0-9]{1,9})D)?(?:T(?=.)(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?)?"
)
_LONGEST = dt.timedelta(days=36_500)


def duration(text: str) -> dt.timedelta:
    """`1 hour`, `26h`, `1 day 12 hours`, `90 min`, or ISO 8601's `PT1H` and `P1DT12H` (weeks to seconds).

    Raises:
        ContractError: it is none of these, or longer than a hundred years. Months and years have no one length.
    """
    iso = _ISO.fullmatch(text.upper())
    if iso:
        parts = [(count or "0", unit) for count, unit in zip(iso.groups(), ("w", "d", "h", "m", "s"), strict=True)]
    elif _WORDS.fullmatch(text):
        parts = _PART.findall(text)
    else:
        parts = []
    units = [unit_of(unit) for _, unit in parts]
    if not parts or None in units:
        raise ContractError("a length of time is written like 1 hour, 26h, 2 days or PT1H.")
    seconds = sum(Decimal(count) * _SECONDS[unit] for (count, _), unit in zip(parts, units, strict=True) if unit)
    if seconds > _LONGEST.total_seconds():
        raise ContractError("a length of time is a hundred years at most.")
    return dt.timedelta(microseconds=int(seconds * 1_000_000))


def unit_of(word: str) -> str | None:
    """`second`, `minute`, `hour`, `day` or `week`, from any way it is written; None for another word."""
    word = word.casefold()
    name = _SHORT.get(word.removesuffix("s") or word, word.removesuffix("s"))
    return name if name in _SECONDS else None
