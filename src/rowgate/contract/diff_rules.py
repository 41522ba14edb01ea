"""What changed in a contract's rules for fields."""

from collections.abc import Callable, Hashable, Iterator, Sequence

from rowgate.contract.checks import Expression, Unique
from rowgate.contract.diff_checks import check_changes
from rowgate.contract.diff_columns import Names, renamed_check
from rowgate.contract.diff_kinds import Change, Kind, change
from rowgate.contract.model import Contract, FieldRule, Policy
from rowgate.contract.words import backticks, rule_in_words

STRICTNESS = (Policy.WARN, Policy.QUARANTINE, Policy.FAIL)
"""Policies, the laxest first."""

_Pairs = list[tuple[FieldRule, FieldRule]]


def rule_changes(old: Contract, new: Contract, names: Names) -> Iterator[Change]:
    """The changes of rules, in the new contract's order, removed ones first.

    A rule is the same one when it has the same reason; or when it is the only one left of those that look at one column
    in the same way, and then its reason was renamed.
    """
    pairs = _paired(old, new, names)
    kept = {before.reason for before, _ in pairs}
    for rule in old.rules:
        if rule.reason not in kept:
            said = f"the rule is removed: {backticks(rule.field)} {rule_in_words(old, rule)}"
            yield change(Kind.RULE_REMOVED, _where(rule), said)
    origin = {after.reason: before for before, after in pairs}
    for rule in new.rules:
        if rule.reason in origin:
            yield from _changes(old, new, origin[rule.reason], rule, names)
        else:
            said = f"a rule is added: {backticks(rule.field)} {rule_in_words(new, rule)}"
            yield change(Kind.RULE_ADDED, _where(rule), said, refuses=new.rejects(rule))
    yield from _order(old, new, pairs)


def _where(rule: FieldRule) -> str:
    return f"rule {rule.reason}"


def _paired(old: Contract, new: Contract, names: Names) -> _Pairs:
    def field(rule: FieldRule) -> str:
        return names.get(rule.field, rule.field)

    pairs = _matched(old.rules, new.rules, lambda rule: rule.reason, lambda rule: rule.reason)
    for old_key, new_key in (
        (lambda rule: (field(rule), renamed_check(rule.check, names)), lambda rule: (rule.field, rule.check)),
        (lambda rule: (field(rule), type(rule.check)), lambda rule: (rule.field, type(rule.check))),
    ):
        left = [rule for rule in old.rules if rule not in [before for before, _ in pairs]]
        come = [rule for rule in new.rules if rule not in [after for _, after in pairs]]
        pairs += _matched(left, come, old_key, new_key)
    return pairs


def _matched(
    left: Sequence[FieldRule],
    come: Sequence[FieldRule],
    old_key: Callable[[FieldRule], Hashable],
    new_key: Callable[[FieldRule], Hashable],
) -> _Pairs:
    """The rules that have one key, where no other has it."""
    old_keys, new_keys = [old_key(rule) for rule in left], [new_key(rule) for rule in come]
    return [
        (rule, come[new_keys.index(key)])
        for rule, key in zip(left, old_keys, strict=True)
        if old_keys.count(key) == 1 and new_keys.count(key) == 1
    ]


def _changes(old: Contract, new: Contract, before: FieldRule, after: FieldRule, names: Names) -> Iterator[Change]:
    where = _where(after)
    if before.reason != after.reason:
        yield change(Kind.REASON_RENAMED, where, f"the reason is {after.reason}; before: {before.reason}")
    refuses, relied_on = new.rejects(after), old.rejects(before)
    if names.get(before.field, before.field) != after.field:
        said = f"the rule looks at {backticks(after.field)}; before: at {backticks(before.field)}"
        yield change(Kind.RULE_MOVED, where, said, refuses=refuses, shown=relied_on)
    types = [{column.name: column.type for column in contract.columns} for contract in (old, new)]
    shown = relied_on and (_sees_others(after) or (old.column(before.field).loaded and new.column(after.field).loaded))
    for kind, said in check_changes(renamed_check(before.check, names), after.check, *types):
        yield change(kind, where, f"{backticks(after.field)}: {said}", refuses=refuses, shown=shown)
    if before.policy != after.policy:
        yield policy_change(where, old.policy_of(before), new.policy_of(after))
    if before.description != after.description:
        yield change(Kind.DESCRIPTION_CHANGED, where, "the description changes")


def _sees_others(rule: FieldRule) -> bool:
    return isinstance(rule.check, Expression | Unique)


def policy_change(where: str, before: Policy, after: Policy) -> Change:
    """A change of what is in force; equal policies are one that is only written down, or no longer."""
    if before == after:
        return change(Kind.REWRITTEN, where, f"the policy stays {after.value}, and where it is said changes")
    stricter = STRICTNESS.index(after) > STRICTNESS.index(before)
    said = f"the policy is {after.value}; before: {before.value}"
    return change(Kind.POLICY_STRICTER if stricter else Kind.POLICY_LOOSER, where, said)


def _order(old: Contract, new: Contract, pairs: _Pairs) -> Iterator[Change]:
    """Rules that stand in another order; where none of them rejects, no first reason changes."""
    was = [after for rule in old.rules for before, after in pairs if before is rule]
    now = [rule for rule in new.rules if rule in was]
    if was == now:
        return
    rejecting = {before.reason for before, _ in pairs if old.rejects(before)}
    felt = {after.reason for before, after in pairs if before.reason in rejecting and new.rejects(after)}
    moved = [rule.reason for rule in was if rule.reason in felt] != [rule.reason for rule in now if rule.reason in felt]
    order = ", ".join(rule.reason for rule in new.rules)
    said = (
        f"a row takes its first reason in the order {order}"
        if moved
        else f"rules that warn are told in another order: {order}"
    )
    yield change(Kind.RULES_REORDERED, "rules", said, shown=moved)
