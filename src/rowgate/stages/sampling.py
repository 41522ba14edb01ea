"""Texts that match a pattern, drawn at random from its parts."""

from collections.abc import Iterable
from functools import lru_cache
from random import Random
from typing import assert_never

from rowgate.contract.pattern_nodes import Characters, Choice, Node, Range, Repeat, Sequence
from rowgate.stages.dirt import pick

_PLAIN: tuple[Range, ...] = ((48, 57), (65, 90), (97, 122))
_PRINTABLE: tuple[Range, ...] = ((33, 126),)
_SPELT_OUT = 512  # characters
_MORE = 8  # repeats beyond the fewest, where a pattern sets no end
_MORE_WHEN_WILD = 64


def sample(node: Node, rng: Random, *, wild: bool = False) -> str:
    """Draw a text that matches.

    Args:
        node: the pattern's root.
        rng: what draws.
        wild: take any character that the pattern allows, and long repeats; else letters and digits where it can.
    """
    match node:
        case Characters(ranges):
            return _character(ranges, rng, wild=wild)
        case Sequence(parts):
            return "".join(sample(part, rng, wild=wild) for part in parts)
        case Choice(options):
            return sample(pick(rng, options), rng, wild=wild)
        case Repeat(part, low, high):
            most = low + (_MORE_WHEN_WILD if wild else _MORE)
            most = most if high is None else min(high, most)
            return "".join(sample(part, rng, wild=wild) for _ in range(low + int(rng.random() * (most - low + 1))))
        case _:
            assert_never(node)


def like(pattern: str, rng: Random) -> str:
    """Draw a text that SQL's LIKE matches; a backslash takes the next character as it is."""
    text, rest = "", iter(pattern)
    for character in rest:
        if character == "\\":
            text += next(rest, "")
        elif character == "%":
            text += letters(rng, int(rng.random() * 5))
        else:
            text += letters(rng, 1) if character == "_" else character
    return text


def letters(rng: Random, count: int) -> str:
    """Draw letters and digits of ASCII."""
    return "".join(_character(_PLAIN, rng, wild=True) for _ in range(count))


def _character(ranges: tuple[Range, ...], rng: Random, *, wild: bool) -> str:
    pool, size = _pool(ranges, wild=wild)
    place = int(rng.random() * size)
    if isinstance(pool, str):
        return pool[place]
    for low, high in pool:
        if place <= high - low:
            return chr(low + place)
        place -= high - low + 1
    raise AssertionError(place)  # not reached: the place lies in one of the ranges


@lru_cache(maxsize=1024)
def _pool(ranges: tuple[Range, ...], *, wild: bool) -> tuple[str | tuple[Range, ...], int]:
    """What a character is drawn from, spelt out where that is short, and how many there are."""
    if not wild:
        ranges = _both(ranges, _PLAIN) or _both(ranges, _PRINTABLE) or ranges
    size = sum(high - low + 1 for low, high in ranges)
    if size <= _SPELT_OUT:
        return "".join(chr(point) for low, high in ranges for point in range(low, high + 1)), size
    return ranges, size


def _both(ranges: Iterable[Range], wanted: Iterable[Range]) -> tuple[Range, ...]:
    pairs = ((max(a, c), min(b, d)) for a, b in ranges for c, d in wanted)
    return tuple((low, high) for low, high in pairs if low <= high)
