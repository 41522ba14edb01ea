"""The parts of a pattern, and how each engine is told them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Dialect = Literal["python", "java", "re2", "postgres", "ecma"]
Range = tuple[int, int]

_TOP = 0x10FFFF
_HELD = (
    (1, 0xD7FF),
    (0xE000, _TOP),
)  # what a text can hold: a record with a NUL is malformed, a surrogate is no character
_POSTGRES_REPEATS = 255  # RE_DUP_MAX, PostgreSQL manual 9.7.3
_ENDS: dict[Dialect, str] = {"python": r"\Z", "java": r"\z", "re2": r"\z", "postgres": "$", "ecma": "$"}
_NAMED = {9: r"\t", 10: r"\n", 13: r"\r"}
_ANY: dict[Dialect, str] = {
    "python": r"[\s\S]",
    "java": r"[\s\S]",
    "re2": r"[\s\S]",
    "postgres": ".",
    "ecma": r"[\s\S]",
}
_ECMA_SYNTAX = r"^$\.*+?()[]{}|"  # SyntaxCharacter, ECMA-262 22.2.1
_NUMBERED: dict[Dialect, str] = {
    "python": "\\U{:08x}",
    "java": "\\x{{{:x}}}",
    "re2": "\\x{{{:x}}}",
    "postgres": "\\U{:08x}",
    "ecma": "\\u{:04x}",
}


@dataclass(frozen=True)
class Characters:
    """One character out of these code points."""

    ranges: tuple[Range, ...]


@dataclass(frozen=True)
class Sequence:
    """The parts, one after the other."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Choice:
    """One of the options."""

    options: tuple["Node", ...]


@dataclass(frozen=True)
class Repeat:
    """The part, `low` to `high` times; None is without end."""

    part: "Node"
    low: int
    high: int | None


Node = Characters | Sequence | Choice | Repeat


@dataclass(frozen=True)
class Pattern:
    """A parsed pattern."""

    root: Node

    def render(self, dialect: Dialect) -> str:
        """The pattern for an engine's *search*, anchored at both ends."""
        return f"^(?:{_write(self.root, dialect)}){_ENDS[dialect]}"

    def may_hold(self, characters: str) -> bool:
        """Whether a matching value could hold any of these characters."""
        points = {ord(character) for character in characters}
        return any(low <= point <= high for low, high in all_ranges(self.root) for point in points)


def merge(ranges: Iterable[Range]) -> tuple[Range, ...]:
    merged: list[Range] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], high))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    gaps, start = [], 0
    for low, high in ranges:
        if low > start:
            gaps.append((start, low - 1))
        start = high + 1
    return (*gaps, (start, _TOP)) if start <= _TOP else tuple(gaps)


def held(ranges: tuple[Range, ...]) -> tuple[Range, ...]:
    """The part of the ranges that a text can hold."""
    pairs = ((max(low, first), min(high, last)) for low, high in ranges for first, last in _HELD)
    return tuple((low, high) for low, high in pairs if low <= high)


def all_ranges(node: Node) -> Iterator[Range]:
    match node:
        case Characters(ranges):
            yield from ranges
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from all_ranges(part)
        case Repeat(part):
            yield from all_ranges(part)


def repeats(node: Node) -> int:
    match node:
        case Characters():
            return 1
        case Sequence(parts) | Choice(parts):
            return max((repeats(part) for part in parts), default=1)
        case Repeat(part, low, high):
            return max(1, low, high or 0) * repeats(part)


def _write(node: Node, dialect: Dialect) -> str:
    match node:
        case Characters(ranges):
            return _write_characters(ranges, dialect)
        case Sequence(parts):
            return "".join(
                _group(part, dialect) if isinstance(part, Choice) else _write(part, dialect) for part in parts
            )
        case Choice(options):
            return "|".join(_write(option, dialect) for option in options)
        case Repeat(part, low, high):
            atom = _write(part, dialect) if isinstance(part, Characters) else _group(part, dialect)
            return _write_repeat(atom, low, high, _POSTGRES_REPEATS if dialect == "postgres" else None)


def _group(node: Node, dialect: Dialect) -> str:
    return f"(?:{_write(node, dialect)})"


def _write_repeat(atom: str, low: int, high: int | None, most: int | None) -> str:
    if most and max(low, high or 0) > most:
        step = min(most, low) if low else 0
        rest = None if high is None else high - (step or most)
        first = _write_repeat(atom, step, step or most, most)
        return first + _write_repeat(atom, low - step, rest, most)
    match low, high:
        case 0, None:
            return f"{atom}*"
        case 1, None:
            return f"{atom}+"
        case 0, 1:
            return f"{atom}?"
        case _, None:
            return f"{atom}{{{low},}}"
    return f"{atom}{{{low}}}" if low == high else f"{atom}{{{low},{high}}}"


def _write_characters(ranges: tuple[Range, ...], dialect: Dialect) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _escape(ranges[0][0], dialect)
    negated = ranges[-1][1] == _TOP
    parts = held(complement(ranges)) if negated else ranges
    body = "".join(_write_range(part, dialect) for part in parts)
    return f"[{'^' if negated else ''}{body}]" if body else _ANY[dialect]


def _write_range(part: Range, dialect: Dialect) -> str:
    low, high = (_escape(point, dialect, more="-") for point in part)
    return low if low == high else f"{low}-{high}"


def _escape(point: int, dialect: Dialect, more: str = "") -> str:
    """A character as itself; `more` are characters that mean something here, beside those that do everywhere."""
    character = chr(point)
    if point in _NAMED:
        return _NAMED[point]
    if not character.isprintable() and not (dialect == "ecma" and point > 0xFFFF):  # noqa: PLR2004 - four digits
        return _NUMBERED[dialect].format(point)
    if dialect == "ecma":  # with ECMAScript's flag `u` a backslash before any other character is an error
        return f"\\{character}" if character in _ECMA_SYNTAX + more else character
    special = character.isascii() and not (character.isalnum() or character in " _")
    return f"\\{character}" if special else character
