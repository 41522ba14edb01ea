"""Whether one pattern matches all that another one does, decided on the parsed patterns.

The method is that of partial derivatives (V. Antimirov, Partial derivatives of regular expressions and finite automaton
constructions, 1996): what may follow a character is again a pattern, so that two patterns are walked side by side, one
pattern against all that the other could be by then, until a text is found that the first takes and the second does not.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from functools import lru_cache

from rowgate.contract.pattern_nodes import Characters, Choice, Node, Pattern, Range, Repeat, Sequence, merge
from rowgate.contract.values import WHITE_SPACE

_MOST_WORK = 50_000  # less than a second, for patterns that nobody writes; others take milliseconds
_END = Sequence(())
_BLANKS = merge((ord(character), ord(character)) for character in WHITE_SPACE)
_PLAIN = tuple(map(ord, "a0A"))  # what an example is made of, where it can be

_Move = tuple[tuple[Range, ...], Node]
_State = tuple[Node, frozenset[Node], bool]


class UndecidedError(Exception):
    """The patterns hold too much to compare."""


def example_outside(pattern: Pattern, other: Pattern) -> str | None:
    """A shortest text that `pattern` matches and `other` does not; None when there is none.

    Only texts that a value can be count: not empty, and with no white space at either end.

    Raises:
        UndecidedError: it would take too long to tell.
    """
    start: _State = pattern.root, frozenset((other.root,)), True
    waiting: deque[tuple[_State, str]] = deque([(start, "")])
    seen, work = {start}, 0
    while waiting:
        state, text = waiting.popleft()
        for point, following in sorted(_following(state, first=not text), key=lambda move: _odd(move[0])):
            node, others, blank = following
            if _nullable(node) and not blank and not any(map(_nullable, others)):
                return text + chr(point)
            work += 1 + len(others)
            if work > _MOST_WORK:
                raise UndecidedError
            if following not in seen:
                seen.add(following)
                waiting.append((following, text + chr(point)))
    return None


def _following(state: _State, *, first: bool) -> Iterator[tuple[int, _State]]:
    """Where one more character leads, once for each set of characters that lead to one place."""
    node, others, _ = state
    moves, other_moves = _moves(node), [move for other in others for move in _moves(other)]
    every = [*_BLANKS, *(part for ranges, _ in (*moves, *other_moves) for part in ranges)]
    cuts = sorted({low for low, _ in every} | {high + 1 for _, high in every})
    for ranges, then in moves:
        for low, high in _cut(ranges, cuts):
            blank = _holds(_BLANKS, low)
            if not (first and blank):
                after = frozenset(other_then for other, other_then in other_moves if _holds(other, low))
                yield next((point for point in _PLAIN if low <= point <= high), low), (then, after, blank)


def _odd(point: int) -> tuple[bool, bool, int]:
    """Sorts letters and digits first, and what cannot be printed last: an example is there to be read."""
    return not chr(point).isprintable(), not chr(point).isalnum(), point


def _cut(ranges: Iterable[Range], cuts: list[int]) -> Iterator[Range]:
    for low, high in ranges:
        starts = [low, *(cut for cut in cuts if low < cut <= high)]
        yield from zip(starts, [*(start - 1 for start in starts[1:]), high], strict=True)


def _holds(ranges: Iterable[Range], point: int) -> bool:
    return any(low <= point <= high for low, high in ranges)


@lru_cache(maxsize=4096)
def _moves(node: Node) -> tuple[_Move, ...]:
    """Which characters can come first, and what must follow each."""
    match node:
        case Characters(ranges):
            return ((ranges, _END),)
        case Choice(options):
            return tuple(move for option in options for move in _moves(option))
        case Repeat(part, low, high):
            left = _repeat(part, max(low - 1, 0), None if high is None else high - 1)
            return () if high == 0 else tuple((ranges, _joined(then, left)) for ranges, then in _moves(part))
        case Sequence(()):
            return ()
        case Sequence((part, *rest)):
            left = _joined(*rest)
            found = tuple((ranges, _joined(then, left)) for ranges, then in _moves(part))
            return found + _moves(left) if _nullable(part) else found
    raise AssertionError(node)


def _repeat(part: Node, low: int, high: int | None) -> Node:
    return _END if high == 0 else Repeat(part, low, high)


def _joined(*nodes: Node) -> Node:
    parts = [part for node in nodes for part in (node.parts if isinstance(node, Sequence) else (node,))]
    return parts[0] if len(parts) == 1 else Sequence(tuple(parts))


def _nullable(node: Node) -> bool:
    match node:
        case Characters():
            return False
        case Sequence(parts):
            return all(map(_nullable, parts))
        case Choice(options):
            return any(map(_nullable, options))
        case Repeat(part, low):
            return low == 0 or _nullable(part)
