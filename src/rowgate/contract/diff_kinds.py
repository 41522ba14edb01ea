"""The kinds of change that a contract can go through, and whom each can break: one table, that the guide repeats."""

from dataclasses import dataclass
from enum import Enum, IntEnum, unique


class Step(IntEnum):
    """How far a version must step (Semantic Versioning 2.0.0)."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3


@dataclass(frozen=True)
class Effect:
    """What a change of one kind does.

    Attributes:
        what: the change, in words.
        step: what the version needs.
        producers: a file that was right may be refused.
        consumers: a reader of rows, tables or reports may break, or meet what it could rely on not to meet.
    """

    what: str
    step: Step
    producers: bool = False
    consumers: bool = False


def _for_producers(what: str) -> Effect:
    return Effect(what, Step.MAJOR, producers=True)


def _for_consumers(what: str) -> Effect:
    return Effect(what, Step.MAJOR, consumers=True)


def _for_both(what: str) -> Effect:
    return Effect(what, Step.MAJOR, producers=True, consumers=True)


def _minor(what: str) -> Effect:
    return Effect(what, Step.MINOR)


def _patch(what: str) -> Effect:
    return Effect(what, Step.PATCH)


@unique
class Kind(Enum):
    """One kind of change; its value says whom it can break."""

    CONTRACT_RENAMED = _for_both("the contract gets another name, and so do its table, folders, pipeline and gauges")
    VERSION_CHANGED = Effect("the version steps", Step.NONE)
    OWNER_CHANGED = _patch("the owner changes")
    DESCRIPTION_CHANGED = _patch("a description changes")
    REWRITTEN = _patch("the same is said in another way, or in another order that means nothing")

    COLUMN_ADDED = _for_producers("a column is added, wherever and whether required or not")
    COLUMN_REMOVED = _for_both("a column is removed")
    COLUMN_RENAMED = _for_both("a column gets another name")
    COLUMNS_REORDERED = _for_producers("the columns stand in another order")
    TYPE_WIDENED = _for_consumers("a column's type takes every value it took, and more")
    TYPE_NARROWED = _for_both("a column's type takes fewer of the values it took, and no others")
    TYPE_REPLACED = _for_both("a column's type takes other values")
    REQUIRED_ON = _for_producers("a column becomes required")
    REQUIRED_OFF = _for_consumers("a column becomes optional")
    LOADED_ON = _minor("a column is loaded from now on")
    LOADED_OFF = _for_consumers("a column is loaded no more")
    PII_STRICTER = _for_consumers("a column's PII class tells more of a person")
    PII_LAXER = _minor("a column's PII class tells less of a person")

    RULE_ADDED = _for_producers("a rule is added")
    RULE_REMOVED = _for_consumers("a rule is removed, and its reason with it")
    REASON_RENAMED = _for_consumers("a rule gives another reason")
    RULES_REORDERED = _for_consumers("the rules stand in another order, so that a row's first reason changes")
    RULE_MOVED = _for_both("a rule looks at another column")
    CHECK_REPLACED = _for_both("a rule checks something else")
    CHECK_STRICTER = _for_producers("a rule that asked for any value now asks for certain ones")
    CHECK_LOOSER = _for_consumers("a rule that asked for certain values now takes any")
    RANGE_NARROWER = _for_producers("an end of a range moves inwards")
    RANGE_WIDER = _for_consumers("an end of a range moves outwards")
    LENGTH_NARROWER = _for_producers("an end of a range of lengths moves inwards")
    LENGTH_WIDER = _for_consumers("an end of a range of lengths moves outwards")
    PATTERN_TIGHTER = _for_producers("a pattern matches fewer texts")
    PATTERN_LOOSER = _for_consumers("a pattern matches more texts")
    PATTERN_REPLACED = _for_both("a pattern matches other texts, or too much is in it to tell")
    VALUE_ADDED = _for_consumers("a value is allowed that was not")
    VALUE_DROPPED = _for_producers("a value is allowed no more")
    EXPRESSION_TIGHTER = _for_producers("a condition is joined to an expression by AND, or one of its ORs is dropped")
    EXPRESSION_LOOSER = _for_consumers("a condition is joined to an expression by OR, or one of its ANDs is dropped")
    EXPRESSION_REPLACED = _for_both("an expression says something else")
    UNIQUE_TIGHTER = _for_producers("fewer columns must be unique together")
    UNIQUE_LOOSER = _for_consumers("more columns must be unique together")
    UNIQUE_REPLACED = _for_both("other columns must be unique together")
    REFERENCE_CHANGED = _for_both("a rule refers to other keys")
    POLICY_STRICTER = _for_producers("a policy is stricter: warn, quarantine, fail")
    POLICY_LOOSER = _for_consumers("a policy is looser: fail, quarantine, warn")

    KEY_ADDED = _minor("the contract gets a key")
    KEY_REMOVED = _for_consumers("the contract loses its key")
    KEY_CHANGED = _for_consumers("the key is another: its kind, name, columns, sources, their order, or the separator")
    CONFLICT_CHANGED = _for_consumers("a row whose key is there already is treated otherwise (on_conflict)")
    MARKER_ADDED = _for_both("a text is a null marker that was a value")
    MARKER_REMOVED = _for_both("a text is a value that was a null marker")

    DATASET_RULE_ADDED = _for_producers("a dataset rule is added")
    DATASET_RULE_REMOVED = _for_consumers("a dataset rule is removed")
    DATASET_RULE_RENAMED = _for_consumers("a dataset rule gets another name")
    DATASET_QUERY_CHANGED = _for_both("a dataset rule asks another query")
    DATASET_LIMIT_TIGHTER = _for_producers("a dataset rule's limits allow fewer values")
    DATASET_LIMIT_LOOSER = _for_consumers("a dataset rule's limits allow more values")
    LIMIT_TIGHTER = _for_producers("min_rows rises, or max_reject_rate falls")
    LIMIT_LOOSER = _for_consumers("min_rows falls, or max_reject_rate rises")

    PROMISE_ADDED = _minor("a service level is promised that was not")
    PROMISE_STRONGER = _minor("a service level is better: fresher, or more available")
    PROMISE_WEAKER = _for_consumers("a service level is worse, or promised no more")
    PROMISE_REWORDED = _minor("a service level in words is put otherwise; only a reader can tell what that means")


@dataclass(frozen=True)
class Change:
    """One change of a contract.

    Attributes:
        kind: which of the table.
        where: the part of the contract: `contract`, `column age`, `rule invalid_age`.
        what: what became of it, in words.
        producers: whether this one can break whoever sends files.
        consumers: whether this one can break whoever reads what was loaded or reported.
    """

    kind: Kind
    where: str
    what: str
    producers: bool
    consumers: bool

    @property
    def step(self) -> Step:
        """What the version needs for this change alone."""
        if self.producers or self.consumers:
            return Step.MAJOR
        return min(self.kind.value.step, Step.MINOR)


def change(kind: Kind, where: str, what: str, *, refuses: bool = True, shown: bool = True) -> Change:
    """A change of a kind, whose effects are left out where nobody can feel them.

    Args:
        kind: which of the table.
        where: the part of the contract.
        what: what became of it, in words.
        refuses: whether breaking the part refuses anything; what only warns refuses nothing.
        shown: whether a consumer sees the part; what is not loaded, or only warned before, it cannot rely on.
    """
    return Change(kind, where, what, kind.value.producers and refuses, kind.value.consumers and shown)
