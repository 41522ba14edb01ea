"""What changed from one contract to another, whom each change can break, and whether the version says so."""

from collections.abc import Iterator
from dataclasses import dataclass

from rowgate.contract import diff_version
from rowgate.contract.diff_columns import Names, column_changes, renamed_columns
from rowgate.contract.diff_kinds import Change, Kind, Step, change
from rowgate.contract.diff_limits import dataset_changes, limit_changes, promise_changes
from rowgate.contract.diff_rules import policy_change, rule_changes
from rowgate.contract.model import Contract, NaturalKey, SurrogateKey
from rowgate.contract.words import backticks, listed


@dataclass(frozen=True)
class Diff:
    """The changes from one contract to another.

    Attributes:
        contract: the new contract's name.
        old_version: the version before.
        new_version: the version after.
        changes: each change; a version that steps is one too.
    """

    contract: str
    old_version: str
    new_version: str
    changes: tuple[Change, ...]

    @property
    def step(self) -> Step:
        """The greatest step that any of the changes needs."""
        return max((each.step for each in self.changes), default=Step.NONE)

    @property
    def least_version(self) -> str:
        """The lowest version that says what changed."""
        return diff_version.least(self.old_version, self.step)

    @property
    def lowered(self) -> bool:
        """Whether the version went back."""
        return diff_version.parts(self.new_version) < diff_version.parts(self.old_version)

    @property
    def said(self) -> bool:
        """Whether the new version says what changed: it steps at least as far as it must."""
        return diff_version.parts(self.new_version) >= diff_version.parts(self.least_version)


def diff(old: Contract, new: Contract) -> Diff:
    """Compare two contracts, each right in itself."""
    names = renamed_columns(old, new)
    changes = (
        *_head(old, new),
        *column_changes(old, new, names),
        *rule_changes(old, new, names),
        *_key(old, new, names),
        *_markers(old, new),
        *dataset_changes(old, new),
        *limit_changes(old, new),
        *promise_changes(old, new),
    )
    return Diff(new.name, old.version, new.version, changes)


def _head(old: Contract, new: Contract) -> Iterator[Change]:
    where = "contract"
    if old.name != new.name:
        yield change(Kind.CONTRACT_RENAMED, where, f"the contract is called {new.name}; before: {old.name}")
    if old.version != new.version:
        yield change(Kind.VERSION_CHANGED, where, f"the version is {new.version}; before: {old.version}")
    if old.owner != new.owner:
        yield change(Kind.OWNER_CHANGED, where, f"the owner is {new.owner}; before: {old.owner}")
    if old.description != new.description:
        yield change(Kind.DESCRIPTION_CHANGED, where, "the description changes")
    if old.policy != new.policy:
        yield policy_change(where, old.policy, new.policy)


def _key(old: Contract, new: Contract, names: Names) -> Iterator[Change]:
    before, after = old.key, new.key
    match before, after:
        case None, None:
            pass
        case None, _:
            yield change(Kind.KEY_ADDED, "key", f"the key is {_key_in_words(after)}")
        case _, None:
            yield change(Kind.KEY_REMOVED, "key", f"there is no key; before: {_key_in_words(before)}")
        case NaturalKey(first), NaturalKey(second) if {names.get(name, name) for name in first} == set(second):
            if [names.get(name, name) for name in first] != list(second):
                yield change(Kind.REWRITTEN, "key", f"the key's columns stand in another order: {', '.join(second)}")
        case SurrogateKey(), SurrogateKey() if _made(before, names) == _made(after, {}):
            pass
        case _:
            said = f"the key is {_key_in_words(after)}; before: {_key_in_words(before)}"
            yield change(Kind.KEY_CHANGED, "key", said)
    if isinstance(before, SurrogateKey) and isinstance(after, SurrogateKey) and before.description != after.description:
        yield change(Kind.DESCRIPTION_CHANGED, "key", "the description changes")
    if old.on_conflict != new.on_conflict:
        said = f"a row whose key is there: {new.on_conflict}; before: {old.on_conflict}"
        yield change(Kind.CONFLICT_CHANGED, "on_conflict", said)


def _made(key: SurrogateKey, names: Names) -> tuple[object, ...]:
    return key.name, key.separator, tuple(names.get(source, source) for source in key.sources)


def _key_in_words(key: SurrogateKey | NaturalKey | None) -> str:
    match key:
        case SurrogateKey(name, sources, separator):
            made = listed([backticks(source) for source in sources])
            return f"{backticks(name)}, the MD5 of {made} joined by {backticks(separator)}"
        case NaturalKey(columns):
            return listed([backticks(column) for column in columns])
        case None:
            return "none"


def _markers(old: Contract, new: Contract) -> Iterator[Change]:
    before, after, where = old.null_markers, new.null_markers, "null_markers"
    for marker in before:
        if marker not in after:
            yield change(Kind.MARKER_REMOVED, where, f"{backticks(marker)} is a value")
    for marker in after:
        if marker not in before:
            yield change(Kind.MARKER_ADDED, where, f"{backticks(marker)} means that nothing is there")
    if before != after and set(before) == set(after):
        yield change(Kind.REWRITTEN, where, "the null markers stand in another order")
