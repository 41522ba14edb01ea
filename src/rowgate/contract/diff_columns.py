"""What changed in a contract's columns."""

from collections.abc import Iterator
from dataclasses import replace

from rowgate.contract.checks import Check, Unique
from rowgate.contract.diff_kinds import Change, Kind, change
from rowgate.contract.model import Column, Contract, Pii
from rowgate.contract.types import ColumnType, Decimal, Integer, Text, type_name
from rowgate.contract.words import backticks

Names = dict[str, str]
"""Renamed columns: the old name, the new one."""

_TELLING = (Pii.NONE, Pii.QUASI, Pii.PSEUDONYM, Pii.DIRECT)
"""PII classes by how much one column alone tells of a person."""
_DIGITS = {32: 10, 64: 19}
"""The digits that an integer of so many bits can need."""


def renamed_columns(old: Contract, new: Contract) -> Names:
    """The columns that evidently only got another name: same place, type, class and checks, and a check to tell by."""
    before, after = {column.name for column in old.columns}, {column.name for column in new.columns}
    return {
        first.name: second.name
        for first, second in zip(old.columns, new.columns, strict=False)
        if first.name not in after
        and second.name not in before
        and replace(first, name=second.name, description=second.description) == second
        and _checks(old, first) == _checks(new, second) != []
    }


def renamed_check(check: Check, names: Names) -> Check:
    """The check with columns under their new names; the SQL of an expression stays as it is."""
    if isinstance(check, Unique):
        return Unique(tuple(names.get(name, name) for name in check.others))
    return check


def column_changes(old: Contract, new: Contract, names: Names) -> Iterator[Change]:
    """The changes of columns, in the new contract's order, removed ones first."""
    before = {names.get(column.name, column.name): column for column in old.columns}
    after = {column.name: column for column in new.columns}
    for name, column in before.items():
        if name not in after:
            yield change(
                Kind.COLUMN_REMOVED, _where(column), f"the column is removed, of type {type_name(column.type)}"
            )
    for place, (name, column) in enumerate(after.items()):
        if name in before:
            yield from _changes(old, new, before[name], column)
        else:
            yield change(Kind.COLUMN_ADDED, _where(column), _added(new, place))
    order = [name for name in before if name in after]
    if order != [name for name in after if name in before]:
        now = ", ".join(backticks(column.name) for column in new.columns)
        yield change(Kind.COLUMNS_REORDERED, "columns", f"the columns stand in another order: {now}")


def _checks(contract: Contract, column: Column) -> list[Check]:
    return [rule.check for rule in contract.rules_of(column.name)]


def _where(column: Column) -> str:
    return f"column {column.name}"


def _added(new: Contract, place: int) -> str:
    column = new.columns[place]
    need = "a required column" if column.required else "an optional column"
    behind = f"behind {backticks(new.columns[place - 1].name)}" if place else "in the first place"
    unloaded = "" if column.loaded else ", which is not loaded"
    return f"{need} of type {type_name(column.type)} is added {behind}{unloaded}"


def _changes(old: Contract, new: Contract, before: Column, after: Column) -> Iterator[Change]:
    where, shown = _where(after), before.loaded and after.loaded
    if before.name != after.name:
        yield change(Kind.COLUMN_RENAMED, where, f"the column is called {after.name}; before: {before.name}")
    if before.type != after.type:
        untyped = new.untyped_rule(after)
        refuses = untyped is not None and new.rejects(untyped)
        said = f"the type is {type_name(after.type)}; before: {type_name(before.type)}"
        yield change(_type_kind(before.type, after.type), where, said, refuses=refuses, shown=shown)
    if before.required != after.required:
        yield _required(old, new, before, after)
    if before.loaded != after.loaded:
        kind = Kind.LOADED_ON if after.loaded else Kind.LOADED_OFF
        yield change(kind, where, "the column is loaded" if after.loaded else "the column is loaded no more")
    if before.pii != after.pii:
        stricter = _TELLING.index(after.pii) > _TELLING.index(before.pii)
        said = f"the PII class is {after.pii.value}; before: {before.pii.value}"
        yield change(Kind.PII_STRICTER if stricter else Kind.PII_LAXER, where, said)
    if before.description != after.description:
        yield change(Kind.DESCRIPTION_CHANGED, where, "the description changes")


def _required(old: Contract, new: Contract, before: Column, after: Column) -> Change:
    contract, column = (new, after) if after.required else (old, before)
    rule = contract.missing_rule(column)
    rejected = rule is not None and contract.rejects(rule)
    kind = Kind.REQUIRED_ON if after.required else Kind.REQUIRED_OFF
    said = "a value must be there" if after.required else "a value may be missing"
    shown = rejected and before.loaded and after.loaded
    return change(kind, _where(after), said, refuses=rejected, shown=shown)


def _type_kind(before: ColumnType, after: ColumnType) -> Kind:
    if _takes_all(after, before):
        return Kind.TYPE_WIDENED
    return Kind.TYPE_NARROWED if _takes_all(before, after) else Kind.TYPE_REPLACED


def _takes_all(wide: ColumnType, narrow: ColumnType) -> bool:
    """Whether every text that is a value of `narrow` is one of `wide`."""
    match wide, narrow:
        case Text(), _:
            return True
        case Integer(), Integer():
            return wide.bits >= narrow.bits
        case Decimal(), Integer():
            return wide.precision - wide.scale >= _DIGITS[narrow.bits]
        case Decimal(), Decimal():
            return wide.scale >= narrow.scale and wide.precision - wide.scale >= narrow.precision - narrow.scale
    return wide == narrow
