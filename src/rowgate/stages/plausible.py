"""Values that a column could hold: drawn from what its rules hint at, written as a file writes them."""

import datetime as dt
import decimal
import re
from collections.abc import Callable
from random import Random
from typing import assert_never

from rowgate.contract import patterns
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import Value
from rowgate.stages.dirt import pick
from rowgate.stages.hints import Hints
from rowgate.stages.sampling import letters, like, sample

Draw = Callable[[Random, bool], Value]
"""Draws a value; with True one that is less plausible, for rules that the plausible ones do not keep."""

_YEARS = 730  # days before today from which dates are drawn
_EPOCH = dt.datetime(1, 1, 1, tzinfo=dt.UTC)
_LAST = int((dt.datetime(9999, 12, 31, tzinfo=dt.UTC) - _EPOCH).total_seconds())
_IDENTIFIERS = {"id", "key", "code", "no", "number", "ref", "uuid", "sku"}
_WORDS = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "garnet", "harbour", "indigo", "juniper", "kestrel"),
    *("linden", "maple", "north", "olive", "pine", "quartz", "river", "sage", "tundra", "umber", "violet", "willow"),
)
KNOWN: dict[str, tuple[str, ...]] = {
    "currency": ("EUR", "USD", "GBP", "CHF", "SEK", "JPY"),
    "country": ("GR", "DE", "FR", "IT", "ES", "NL", "GB", "US"),
    "city": ("Athens", "Patras", "Vienna", "Lyon", "Porto", "Ghent", "Turin", "Malmö"),
    "name": ("Anna Lee", "Bo Berg", "Chloe Roy", "Dimitri Vasos", "Eva Novak", "Finn Holm", "Gita Rao", "Hugo Sala"),
    "email": tuple(
        f"{name}@{site}.example" for name in ("anna", "bo", "chloe", "eva", "finn") for site in ("post", "work")
    ),
    "color": ("red", "green", "blue", "black", "white"),
}
"""Values that sound right under a column's name, where its rules take them all."""


def known(name: str) -> tuple[str, ...]:
    """The known values for a column of that name; none where the name says nothing."""
    parts = re.findall(r"[a-z]+", name.casefold())
    return next((values for word, values in KNOWN.items() if word in parts), ())


def written(value: Value) -> str:
    """The value as a CSV file has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat(" ").removesuffix("+00:00")
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def source(  # noqa: PLR0911 - one case for each type
    name: str, hints: Hints, *, unique: bool, rows: int, now: dt.datetime
) -> Draw:
    """What draws the values of a column.

    Args:
        name: the column's.
        hints: what its rules say.
        unique: its values should differ.
        rows: how many will be drawn.
        now: today; dates that nothing limits lie before it.
    """
    if hints.options is not None:
        options = hints.options
        return lambda rng, _: pick(rng, options)
    kind = hints.kind
    match kind:
        case Boolean():
            return lambda rng, _: rng.random() < 0.5  # noqa: PLR2004 - heads or tails
        case Integer():
            low, high = _ends(hints.low, hints.high, kind.low, kind.high, 1, max(1000, rows * 20 * unique))
            if unique:
                return _serial(low, kind.high if hints.high is None else high)
            return _number(hints, _between(low, high), 9)
        case Decimal(precision, scale):
            most = 10**precision - 1
            low, high = _ends(
                _unscaled(hints.low, scale), _unscaled(hints.high, scale), -most, most, 1, max(100_000, rows * 20)
            )
            cents = _number(hints, _between(low, high), min(9, precision))
            return lambda rng, wild: decimal.Decimal(cents(rng, wild)).scaleb(-scale, decimal.Context(prec=80))
        case Date():
            return _days(hints, max(_YEARS, rows * 2 * unique), now)
        case Timestamp():
            return _moments(hints, now)
        case Text():
            return _text(name, hints, unique=unique, rows=rows)
        case _:
            assert_never(kind)


def _between(low: int, high: int) -> Callable[[Random, bool], int]:
    return lambda rng, _: min(high, low + int(rng.random() * (high - low + 1)))


def _number(hints: Hints, tame: Callable[[Random, bool], int], digits: int) -> Callable[[Random, bool], int]:
    """Where nothing is known of a number, wild ones are of any size and sign."""
    if hints.low is not None or hints.high is not None:
        return tame

    def draw(rng: Random, wild: bool) -> int:  # noqa: FBT001 - a Draw
        return int(10 ** (rng.random() * digits)) * pick(rng, (1, -1)) if wild else tame(rng, wild)

    return draw


def _serial(low: int, high: int) -> Draw:
    given = iter(range(low, high + 1))
    again = _between(low, high)
    return lambda rng, wild: next(given, None) or again(rng, wild)


def _ends(low: object, high: object, least: int, most: int, usual: int, room: int) -> tuple[int, int]:
    """The two ends of a range of integers, where one or both may be open; `room` is what is drawn from then."""
    if isinstance(low, int):
        return low, high if isinstance(high, int) else min(most, low + room)
    if isinstance(high, int):
        return max(least, high - room if high < usual else min(usual, high)), high
    return min(usual, most), min(most, usual + room)


def _unscaled(value: object, scale: int) -> int | None:
    wide = decimal.Context(prec=80)
    return int(decimal.Decimal(value).scaleb(scale, wide)) if isinstance(value, int | decimal.Decimal) else None


def _days(hints: Hints, room: int, now: dt.datetime) -> Draw:
    today, last = now.date().toordinal(), dt.date.max.toordinal()
    low = hints.low.toordinal() if isinstance(hints.low, dt.date) else None
    high = hints.high.toordinal() if isinstance(hints.high, dt.date) else None
    if high is None:
        high = today if low is None or low <= today else min(last, low + _YEARS)
    low = low if low is not None else max(1, high - room)
    tame, wider = _between(low, high), _between(low, high if hints.high else min(last, high + room))
    return lambda rng, wild: dt.date.fromordinal((wider if wild else tame)(rng, wild))


def _moments(hints: Hints, now: dt.datetime) -> Draw:
    room, today = _YEARS * 86_400, int((now - _EPOCH).total_seconds())
    low = -int((_EPOCH - hints.low).total_seconds() // 1) if isinstance(hints.low, dt.datetime) else None
    high = int((hints.high - _EPOCH).total_seconds() // 1) if isinstance(hints.high, dt.datetime) else None
    if high is None:
        high = today if low is None or low <= today else low + room
    low = low if low is not None else max(0, high - room)
    tame, wider = _between(low, high), _between(low, high if hints.high else min(_LAST, high + room))
    return lambda rng, wild: _EPOCH + dt.timedelta(seconds=(wider if wild else tame)(rng, wild))


def _text(name: str, hints: Hints, *, unique: bool, rows: int) -> Callable[[Random, bool], str]:
    if hints.patterns:
        root = patterns.parse(hints.patterns[0]).root
        return lambda rng, wild: sample(root, rng, wild=wild)
    if hints.likes:
        pattern = hints.likes[0]
        return lambda rng, _: like(pattern, rng)
    low, high = hints.shortest or 1, hints.longest
    plain = _words(name, unique=unique, rows=rows)

    def draw(rng: Random, wild: bool) -> str:  # noqa: FBT001 - a Draw
        if wild:
            most = high or low + 24
            text = letters(rng, min(1000, low) + int(rng.random() * (min(1000, most) - min(1000, low) + 1)))
            return pick(rng, (text, text.upper(), text.lower(), text.capitalize()))
        text = plain(rng)
        text += letters(rng, low - len(text))
        return text if high is None else text[:high].strip()

    return draw


def _words(name: str, *, unique: bool, rows: int) -> Callable[[Random], str]:
    """Identifiers where the column's name sounds like one, else words."""
    parts = re.findall(r"[a-z0-9]+", name.casefold())
    if unique or _IDENTIFIERS.intersection(parts):
        letter = (parts[0] if parts else "x")[:1]
        room = max(1000, rows * 20 if unique else 0)
        return lambda rng: f"{letter}{1 + int(rng.random() * room)}"
    return lambda rng: f"{pick(rng, _WORDS)} {pick(rng, _WORDS)}"
