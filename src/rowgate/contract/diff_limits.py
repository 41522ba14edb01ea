"""What changed in what a contract asks of a whole file, and in what its owner promises."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import inf

from rowgate.contract.diff_kinds import Change, Kind, change
from rowgate.contract.model import Contract, DatasetRule, Policy
from rowgate.contract.words import backticks, dataset_rule_in_words, duration_in_words


def dataset_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The changes of dataset rules. One is the same when it has the same name, or asks the same under another."""
    before = {rule.name: rule for rule in old.dataset_rules}
    after = {rule.name: rule for rule in new.dataset_rules}
    for name, rule in before.items():
        if name in after or _renamed(rule, before, after):
            continue
        said = f"the rule is removed: {dataset_rule_in_words(rule)}"
        yield change(Kind.DATASET_RULE_REMOVED, _where(rule), said)
    refuses, relied_on = new.policy is not Policy.WARN, old.policy is not Policy.WARN
    for name, rule in after.items():
        origin = before.get(name) or _renamed(rule, after, before)
        if origin is None:
            said = f"a rule is added: {dataset_rule_in_words(rule)}"
            yield change(Kind.DATASET_RULE_ADDED, _where(rule), said, refuses=refuses)
        else:
            for kind, said in _rule(origin, rule):
                shown = relied_on or kind is Kind.DATASET_RULE_RENAMED
                yield change(kind, _where(rule), said, refuses=refuses, shown=shown)
    order = [name for name in before if name in after]
    if order != [name for name in after if name in before]:
        yield change(Kind.REWRITTEN, "dataset rules", f"they are told in another order: {', '.join(after)}")


def _where(rule: DatasetRule) -> str:
    return f"dataset rule {rule.name}"


def _renamed(rule: DatasetRule, here: dict[str, DatasetRule], there: dict[str, DatasetRule]) -> DatasetRule | None:
    """The one rule there that asks the same and has a name that is not here; None where there is not exactly one."""
    alike = [other for other in there.values() if other.name not in here and _nameless(other) == _nameless(rule)]
    twins = [other for other in here.values() if other.name not in there and _nameless(other) == _nameless(rule)]
    return alike[0] if len(alike) == len(twins) == 1 else None


def _nameless(rule: DatasetRule) -> DatasetRule:
    return replace(rule, name="", description="")


def _rule(before: DatasetRule, after: DatasetRule) -> Iterator[tuple[Kind, str]]:
    if before.name != after.name:
        yield Kind.DATASET_RULE_RENAMED, f"the rule is called {after.name}; before: {before.name}"
    if before.sql != after.sql:
        kind = Kind.REWRITTEN if _same_query(before.sql, after.sql) else Kind.DATASET_QUERY_CHANGED
        yield kind, f"the query is {backticks(after.sql)}; before: {backticks(before.sql)}"
    limits = [replace(rule, name="", sql="", description="") for rule in (before, after)]
    if limits[0] != limits[1]:
        yield from _limits(before, after)
    if before.description != after.description:
        yield Kind.DESCRIPTION_CHANGED, "the description changes"


def _limits(before: DatasetRule, after: DatasetRule) -> Iterator[tuple[Kind, str]]:
    """Both rules allow intervals, so that their ends and one value in each gap between them tell all."""
    ends = sorted({end for rule in (before, after) for end in (rule.low, rule.threshold) if end is not None})
    between = [low / 2 + high / 2 for low, high in pairwise(ends)]
    points = [-inf, *ends, *between, inf]
    said = f"{after.allowed}; before: {before.allowed}"
    tighter = any(before.allows(point) and not after.allows(point) for point in points)
    looser = any(after.allows(point) and not before.allows(point) for point in points)
    if tighter:
        yield Kind.DATASET_LIMIT_TIGHTER, said
    if looser:
        yield Kind.DATASET_LIMIT_LOOSER, said
    if not tighter and not looser:
        yield Kind.REWRITTEN, said


def _same_query(before: str, after: str) -> bool:
    """Whether two queries differ in nothing but how they are written."""
    from sqlglot import errors, parse_one  # noqa: PLC0415 - half a second, which most differences do not need

    from rowgate.contract.expression_reader import SparkSql  # noqa: PLC0415 - the same

    first, second = (sql.replace("{table}", "rowgate_rows") for sql in (before, after))
    try:
        return parse_one(first, dialect=SparkSql) == parse_one(second, dialect=SparkSql)
    except (errors.SqlglotError, RecursionError):
        return False


def limit_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The changes of `min_rows` and `max_reject_rate`."""
    refuses, relied_on = new.policy is not Policy.WARN, old.policy is not Policy.WARN
    if old.min_rows != new.min_rows:
        kind = _limit(new.min_rows or 0, old.min_rows or 0)
        said = f"at least {_or_none(new.min_rows)} accepted rows; before: {_or_none(old.min_rows)}"
        yield change(kind, "min_rows", said, refuses=refuses, shown=relied_on)
    if old.max_reject_rate != new.max_reject_rate:
        before, after = (1.0 if rate is None else rate for rate in (old.max_reject_rate, new.max_reject_rate))
        said = (
            f"at most {_or_none(new.max_reject_rate)} of the records rejected; before: {_or_none(old.max_reject_rate)}"
        )
        yield change(_limit(before, after), "max_reject_rate", said, refuses=refuses, shown=relied_on)


def _limit(more: float, less: float) -> Kind:
    """The kind of a limit that is tighter where `more` is greater than `less`; one that limits nothing is none."""
    if more == less:
        return Kind.REWRITTEN
    return Kind.LIMIT_TIGHTER if more > less else Kind.LIMIT_LOOSER


def _or_none(limit: float | None) -> str:
    return "no limit" if limit is None else f"{limit:g}"


def promise_changes(old: Contract, new: Contract) -> Iterator[Change]:
    """The changes of service levels."""
    before, after = old.service_levels, new.service_levels
    if before.freshness != after.freshness:
        better = before.freshness and after.freshness and after.freshness < before.freshness
        yield _promise(
            "freshness",
            duration_in_words(before.freshness) if before.freshness else "",
            duration_in_words(after.freshness) if after.freshness else "",
            Kind.PROMISE_STRONGER if better else Kind.PROMISE_WEAKER,
        )
    if before.availability != after.availability:
        shares = _share(before.availability), _share(after.availability)
        kind = Kind.PROMISE_REWORDED
        if shares[0] is not None and shares[1] is not None and shares[0] != shares[1]:
            kind = Kind.PROMISE_STRONGER if shares[1] > shares[0] else Kind.PROMISE_WEAKER
        yield _promise("availability", before.availability, after.availability, kind)
    if before.arrives != after.arrives:
        yield _promise("arrives", before.arrives, after.arrives, Kind.PROMISE_REWORDED)


def _promise(where: str, before: str, after: str, kind: Kind) -> Change:
    if not before:
        return change(Kind.PROMISE_ADDED, where, f"promised now: {after}")
    if not after:
        return change(Kind.PROMISE_WEAKER, where, f"promised no more; before: {before}")
    return change(kind, where, f"{after}; before: {before}")


def _share(text: str) -> float | None:
    """The number of a share like `99.9%`."""
    try:
        return float(text.strip().removesuffix("%"))
    except ValueError:
        return None
