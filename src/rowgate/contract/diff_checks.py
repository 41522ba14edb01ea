"""How the check of a rule changed: tighter, looser, both, or only in how it is written."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rowgate.contract import expressions, patterns
from rowgate.contract.checks import (
    Between,
    Check,
    Expression,
    LengthBetween,
    Matches,
    NotBlank,
    OneOf,
    References,
    Typed,
    Unique,
)
from rowgate.contract.diff_kinds import Kind
from rowgate.contract.expression_nodes import And, Node, Or
from rowgate.contract.pattern_inclusion import UndecidedError, example_outside
from rowgate.contract.types import ColumnType
from rowgate.contract.words import backticks, check_in_words, listed, value_in_words

_LONGEST_EXAMPLE = 40  # characters

Columns = Mapping[str, ColumnType]
Finding = tuple[Kind, str]


def check_changes(  # noqa: C901 - one case for each pair of checks
    old: Check, new: Check, old_columns: Columns, new_columns: Columns
) -> Iterator[Finding]:
    """What changed from one check to another of the same rule.

    Args:
        old: the check as it was, with columns that were renamed under their new names.
        new: the check as it is.
        old_columns: the old contract's columns and their types, for expressions.
        new_columns: the new contract's.
    """
    match old, new:
        case _ if old == new:
            return
        case Between(), Between():
            yield from _ends(old, new, Kind.RANGE_NARROWER, Kind.RANGE_WIDER, "value")
        case LengthBetween(), LengthBetween():
            yield from _ends(old, new, Kind.LENGTH_NARROWER, Kind.LENGTH_WIDER, "length")
        case Matches(), Matches():
            yield _patterns(old, new)
        case OneOf(), OneOf():
            yield from _values(old, new)
        case Expression(), Expression():
            yield _expressions(old, new, old_columns, new_columns)
        case Unique(), Unique():
            yield _unique(old, new)
        case References(), References():
            yield Kind.REFERENCE_CHANGED, _told(old, new)
        case NotBlank() | Typed(), NotBlank() | Typed():
            yield Kind.CHECK_REPLACED, _told(old, new)
        case NotBlank() | Typed(), _:
            yield Kind.CHECK_STRICTER, _told(old, new)
        case _, NotBlank() | Typed():
            yield Kind.CHECK_LOOSER, _told(old, new)
        case _:
            yield Kind.CHECK_REPLACED, _told(old, new)


def _told(old: Check, new: Check) -> str:
    return f"{check_in_words(new)}; before: {check_in_words(old)}"


def _ends(
    old: Between | LengthBetween, new: Between | LengthBetween, narrower: Kind, wider: Kind, what: str
) -> Iterator[Finding]:
    for side, before, after, inwards in (("least", old.low, new.low, 1), ("greatest", old.high, new.high, -1)):
        if before == after:
            continue
        said = f"the {side} {what} is {_end(after)}; before: {_end(before)}"
        if isinstance(new, LengthBetween) and side == "least" and max(before or 1, 1) == max(after or 1, 1):
            yield Kind.REWRITTEN, said  # no value is shorter than one character
            continue
        moved = _moved(before, after)
        if moved is None:  # ends of two types, whose column changed its type
            yield from ((narrower, said), (wider, said))
        elif after is None or (before is not None and moved * inwards < 0):
            yield wider, said
        else:
            yield narrower, said


def _moved(before: Any, after: Any) -> int | None:  # noqa: ANN401 - any value that a column can have
    if before is None or after is None:
        return 0
    try:
        return 1 if after > before else -1
    except TypeError:
        return None


def _end(value: Any) -> str:  # noqa: ANN401 - the same
    return "open" if value is None else backticks(value_in_words(value))


def _patterns(old: Matches, new: Matches) -> Finding:
    said = _told(old, new)
    before, after = patterns.parse(old.pattern), patterns.parse(new.pattern)
    try:
        lost, won = example_outside(before, after), example_outside(after, before)
    except UndecidedError:
        return Kind.PATTERN_REPLACED, f"{said}; it may match more texts and fewer, which nobody can tell in time"
    told = [
        said,
        *([f"{_example(lost)} is right no more"] if lost is not None else []),
        *([f"{_example(won)} is right now"] if won is not None else []),
    ]
    kinds = {
        (True, True): Kind.PATTERN_REPLACED,
        (True, False): Kind.PATTERN_TIGHTER,
        (False, True): Kind.PATTERN_LOOSER,
    }
    kind = kinds.get((lost is not None, won is not None), Kind.REWRITTEN)
    return kind, "; ".join(told)


def _example(text: str) -> str:
    return repr(text) if len(text) <= _LONGEST_EXAMPLE else f"a text of {len(text)} characters"


def _values(old: OneOf, new: OneOf) -> Iterator[Finding]:
    dropped = [value for value in old.values if value not in new.values]
    added = [value for value in new.values if value not in old.values]
    for value in dropped:
        yield Kind.VALUE_DROPPED, f"{backticks(value_in_words(value))} is allowed no more"
    for value in added:
        yield Kind.VALUE_ADDED, f"{backticks(value_in_words(value))} is allowed"
    if not dropped and not added:
        yield Kind.REWRITTEN, "the allowed values stand in another order"


def _expressions(old: Expression, new: Expression, old_columns: Columns, new_columns: Columns) -> Finding:
    said = _told(old, new)
    before, after = expressions.parse(old.sql, old_columns).root, expressions.parse(new.sql, new_columns).root
    if before == after:
        return Kind.REWRITTEN, said
    if _all_in(_flat(before, And), _flat(after, And)) or _all_in(_flat(after, Or), _flat(before, Or)):
        return Kind.EXPRESSION_TIGHTER, said
    if _all_in(_flat(after, And), _flat(before, And)) or _all_in(_flat(before, Or), _flat(after, Or)):
        return Kind.EXPRESSION_LOOSER, said
    return Kind.EXPRESSION_REPLACED, said


def _flat(node: Node, joint: type[And | Or]) -> list[Node]:
    if isinstance(node, And | Or) and isinstance(node, joint):
        return [*_flat(node.left, joint), *_flat(node.right, joint)]
    return [node]


def _all_in(some: Iterable[Node], others: list[Node]) -> bool:
    return all(node in others for node in some)


def _unique(old: Unique, new: Unique) -> Finding:
    before, after = set(old.others), set(new.others)
    kind = (
        Kind.REWRITTEN
        if before == after
        else Kind.UNIQUE_LOOSER
        if before < after
        else Kind.UNIQUE_TIGHTER
        if after < before
        else Kind.UNIQUE_REPLACED
    )
    return kind, f"unique together with {_names(new.others)}; before: with {_names(old.others)}"


def _names(names: tuple[str, ...]) -> str:
    return listed([backticks(name) for name in names]) or "nothing else"
