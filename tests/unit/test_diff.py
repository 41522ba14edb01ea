"""What `rowgate diff` finds: each kind of change, whom it can break, and the version that it needs."""

import dataclasses
import datetime as dt
import re
from dataclasses import replace
from typing import get_args

import pytest

from rowgate.contract import checks, model, types
from rowgate.contract.checks import (
    Between,
    Expression,
    LengthBetween,
    Matches,
    NotBlank,
    OneOf,
    References,
    Typed,
    Unique,
)
from rowgate.contract.diff import diff
from rowgate.contract.diff_kinds import Kind, Step
from rowgate.contract.model import (
    Column,
    Contract,
    DatasetRule,
    FieldRule,
    NaturalKey,
    Pii,
    Policy,
    ServiceLevels,
    SurrogateKey,
)
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp

PRODUCERS, CONSUMERS, BOTH = (True, False, Step.MAJOR), (False, True, Step.MAJOR), (True, True, Step.MAJOR)
MINOR, PATCH, NONE = (False, False, Step.MINOR), (False, False, Step.PATCH), (False, False, Step.NONE)

TOY = Contract(
    "toy",
    "1.4.2",
    "us",
    (
        Column("code", Text(), required=True, description="The code."),
        Column("age", Integer(32), Pii.QUASI),
        Column("sum", Decimal(10, 2)),
        Column("state", Text()),
        Column("note", Text(), loaded=False),
    ),
    (
        FieldRule("code", Matches("[A-Z]{2,4}"), "bad_code", "Two to four capitals."),
        FieldRule("code", Unique(("state",)), "twice"),
        FieldRule("age", Between(18, 99), "bad_age"),
        FieldRule("sum", Typed(), "no_sum"),
        FieldRule("sum", Expression("sum > 0 AND age > 17"), "odd_sum"),
        FieldRule("state", OneOf(("open", "paid")), "bad_state"),
        FieldRule("note", LengthBetween(2, 80), "bad_note"),
        FieldRule("state", References("states"), "no_state", policy=Policy.WARN),
    ),
    description="A toy.",
    key=NaturalKey(("code",)),
    dataset_rules=(DatasetRule("open_share", "SELECT avg(age) FROM {table}", 9.0, "Not too many.", low=1.0),),
    service_levels=ServiceLevels(dt.timedelta(hours=24), "99.5%", "daily"),
    null_markers=("n/a", "-"),
    max_reject_rate=0.2,
    min_rows=10,
)


def column(name: str, /, **parts: object) -> Contract:
    """The toy with one column changed."""
    return replace(TOY, columns=tuple(replace(each, **parts) if each.name == name else each for each in TOY.columns))


def rule(reason: str, /, **parts: object) -> Contract:
    """The toy with one rule changed."""
    return replace(TOY, rules=tuple(replace(each, **parts) if each.reason == reason else each for each in TOY.rules))


def dataset(**parts: object) -> Contract:
    """The toy with its dataset rule changed."""
    return replace(TOY, dataset_rules=(replace(TOY.dataset_rules[0], **parts),))


def promise(**parts: object) -> Contract:
    """The toy with other service levels."""
    return replace(TOY, service_levels=replace(TOY.service_levels, **parts))


def without(reason: str) -> Contract:
    """The toy without a rule."""
    return replace(TOY, rules=tuple(each for each in TOY.rules if each.reason != reason))


def swapped(first: int, second: int) -> tuple[FieldRule, ...]:
    """The toy's rules, two of which have changed places."""
    rules = list(TOY.rules)
    rules[first], rules[second] = rules[second], rules[first]
    return tuple(rules)


def added(place: int, new: Column) -> Contract:
    """The toy with one more column."""
    return replace(TOY, columns=(*TOY.columns[:place], new, *TOY.columns[place:]))


def renamed(old: str, new: str) -> Contract:
    """The toy with a column called otherwise, wherever it is named."""
    return replace(
        TOY,
        columns=tuple(replace(each, name=new) if each.name == old else each for each in TOY.columns),
        rules=tuple(
            replace(each, field=new)
            if each.field == old
            else replace(each, check=Unique((new,)))
            if each.check == Unique((old,))
            else each
            for each in TOY.rules
        ),
        key=NaturalKey((new,)) if TOY.key == NaturalKey((old,)) else TOY.key,
    )


EXTRA = Column("extra", Text())
MORE = FieldRule("state", LengthBetween(1, 9), "long_state")
SURROGATE = SurrogateKey("toy_id", ("code",), "||", "Who it is.")
KEYED = replace(TOY, key=SURROGATE)
TWO_SOURCES = replace(column("state", required=True), key=SurrogateKey("toy_id", ("code", "state")))
WARNS = rule("bad_age", policy=Policy.WARN)
SOFT = replace(TOY, policy=Policy.WARN, key=None)
REFERS = rule("no_state", policy=Policy.QUARANTINE)


def soft(contract: Contract) -> Contract:
    """The contract, where everything only warns."""
    return replace(contract, policy=Policy.WARN, key=None)


def age(check: checks.Check) -> Contract:
    """The toy with another check of the age."""
    return rule("bad_age", check=check)


def code(pattern: str) -> Contract:
    """The toy with another pattern of the code."""
    return rule("bad_code", check=Matches(pattern))


def sum_(sql: str) -> Contract:
    """The toy with another expression."""
    return rule("odd_sum", check=Expression(sql))


CASES: list[tuple[str, Contract, Contract, Kind, tuple[bool, bool, Step]]] = [
    ("renamed", TOY, replace(TOY, name="tin"), Kind.CONTRACT_RENAMED, BOTH),
    ("version", TOY, replace(TOY, version="2.0.0"), Kind.VERSION_CHANGED, NONE),
    ("owner", TOY, replace(TOY, owner="them"), Kind.OWNER_CHANGED, PATCH),
    ("description", TOY, replace(TOY, description="Tin."), Kind.DESCRIPTION_CHANGED, PATCH),
    ("required column", TOY, added(5, replace(EXTRA, name="x")), Kind.COLUMN_ADDED, PRODUCERS),
    ("column at the end", TOY, added(5, EXTRA), Kind.COLUMN_ADDED, PRODUCERS),
    ("column in the middle", TOY, added(2, EXTRA), Kind.COLUMN_ADDED, PRODUCERS),
    ("column not loaded", TOY, added(5, replace(EXTRA, loaded=False)), Kind.COLUMN_ADDED, PRODUCERS),
    ("column removed", added(5, EXTRA), TOY, Kind.COLUMN_REMOVED, BOTH),
    ("column renamed", TOY, renamed("code", "key_code"), Kind.COLUMN_RENAMED, BOTH),
    ("columns swapped", TOY, replace(TOY, columns=TOY.columns[::-1]), Kind.COLUMNS_REORDERED, PRODUCERS),
    ("int to bigint", TOY, column("age", type=Integer(64)), Kind.TYPE_WIDENED, CONSUMERS),
    ("bigint to int", column("age", type=Integer(64)), TOY, Kind.TYPE_NARROWED, BOTH),
    ("decimal wider", TOY, column("sum", type=Decimal(12, 4)), Kind.TYPE_WIDENED, CONSUMERS),
    ("decimal with fewer digits", TOY, column("sum", type=Decimal(10, 4)), Kind.TYPE_REPLACED, BOTH),
    ("decimal narrower", TOY, column("sum", type=Decimal(9, 2)), Kind.TYPE_NARROWED, BOTH),
    ("int to decimal", TOY, column("age", type=Decimal(12, 2)), Kind.TYPE_WIDENED, CONSUMERS),
    ("int to a small decimal", TOY, column("age", type=Decimal(5, 2)), Kind.TYPE_REPLACED, BOTH),
    ("required", TOY, column("age", required=True), Kind.REQUIRED_ON, PRODUCERS),
    ("optional", column("age", required=True), TOY, Kind.REQUIRED_OFF, CONSUMERS),
    ("optional, not loaded", column("note", required=True), TOY, Kind.REQUIRED_OFF, MINOR),
    ("loaded", TOY, column("note", loaded=True), Kind.LOADED_ON, MINOR),
    ("not loaded", TOY, column("age", loaded=False), Kind.LOADED_OFF, CONSUMERS),
    ("personal", TOY, column("age", pii=Pii.DIRECT), Kind.PII_STRICTER, CONSUMERS),
    ("less personal", TOY, column("age", pii=Pii.NONE), Kind.PII_LAXER, MINOR),
    ("column's words", TOY, column("age", description="!"), Kind.DESCRIPTION_CHANGED, PATCH),
    ("rule added", TOY, replace(TOY, rules=(*TOY.rules, MORE)), Kind.RULE_ADDED, PRODUCERS),
    (
        "warning added",
        TOY,
        replace(TOY, rules=(*TOY.rules, replace(MORE, policy=Policy.WARN))),
        Kind.RULE_ADDED,
        MINOR,
    ),
    ("rule removed", TOY, without("bad_note"), Kind.RULE_REMOVED, CONSUMERS),
    ("warning removed", TOY, without("no_state"), Kind.RULE_REMOVED, CONSUMERS),
    ("reason renamed", TOY, rule("bad_age", reason="wrong_age"), Kind.REASON_RENAMED, CONSUMERS),
    ("reason in capitals", TOY, rule("bad_age", reason="Bad_Age"), Kind.REASON_RENAMED, CONSUMERS),
    ("rules swapped", TOY, replace(TOY, rules=swapped(2, 5)), Kind.RULES_REORDERED, CONSUMERS),
    ("a warning moved", TOY, replace(TOY, rules=swapped(6, 7)), Kind.RULES_REORDERED, MINOR),
    ("rule moved", TOY, rule("bad_note", field="state"), Kind.RULE_MOVED, BOTH),
    ("other check", TOY, age(Expression("age > 17")), Kind.CHECK_REPLACED, BOTH),
    ("any to some", age(Typed()), TOY, Kind.CHECK_STRICTER, PRODUCERS),
    ("some to any", TOY, age(Typed()), Kind.CHECK_LOOSER, CONSUMERS),
    ("least value up", TOY, age(Between(21, 99)), Kind.RANGE_NARROWER, PRODUCERS),
    ("least value down", TOY, age(Between(16, 99)), Kind.RANGE_WIDER, CONSUMERS),
    ("least value open", TOY, age(Between(None, 99)), Kind.RANGE_WIDER, CONSUMERS),
    ("greatest value up", TOY, age(Between(18, 120)), Kind.RANGE_WIDER, CONSUMERS),
    ("greatest value down", TOY, age(Between(18, 80)), Kind.RANGE_NARROWER, PRODUCERS),
    ("greatest value set", age(Between(18)), TOY, Kind.RANGE_NARROWER, PRODUCERS),
    (
        "a warning tightened",
        WARNS,
        rule("bad_age", policy=Policy.WARN, check=Between(21, 99)),
        Kind.RANGE_NARROWER,
        MINOR,
    ),
    ("a warning loosened", WARNS, rule("bad_age", policy=Policy.WARN, check=Between(0, 99)), Kind.RANGE_WIDER, MINOR),
    ("shorter", TOY, rule("bad_note", check=LengthBetween(2, 70)), Kind.LENGTH_NARROWER, PRODUCERS),
    ("longer, not loaded", TOY, rule("bad_note", check=LengthBetween(2, 90)), Kind.LENGTH_WIDER, MINOR),
    (
        "longer",
        column("note", loaded=True),
        replace(column("note", loaded=True), rules=rule("bad_note", check=LengthBetween(1, 80)).rules),
        Kind.LENGTH_WIDER,
        CONSUMERS,
    ),
    (
        "one character at least, as always",
        rule("bad_note", check=LengthBetween(None, 80)),
        rule("bad_note", check=LengthBetween(1, 80)),
        Kind.REWRITTEN,
        PATCH,
    ),
    ("pattern tighter", TOY, code("[A-Z]{3,4}"), Kind.PATTERN_TIGHTER, PRODUCERS),
    ("pattern looser", TOY, code("[A-Za-z]{2,4}"), Kind.PATTERN_LOOSER, CONSUMERS),
    ("pattern replaced", TOY, code("[A-Z]{3,5}"), Kind.PATTERN_REPLACED, BOTH),
    ("pattern rewritten", TOY, code("^[A-Z][A-Z][A-Z]?[A-Z]?$"), Kind.REWRITTEN, PATCH),
    (
        "patterns too large to compare",
        code("([AB]*A[AB]{12}){1,5}"),
        code("([AB]*B[AB]{12}){1,5}"),
        Kind.PATTERN_REPLACED,
        BOTH,
    ),
    ("value added", TOY, rule("bad_state", check=OneOf(("open", "paid", "x"))), Kind.VALUE_ADDED, CONSUMERS),
    ("value dropped", TOY, rule("bad_state", check=OneOf(("open",))), Kind.VALUE_DROPPED, PRODUCERS),
    ("values swapped", TOY, rule("bad_state", check=OneOf(("paid", "open"))), Kind.REWRITTEN, PATCH),
    ("AND added", TOY, sum_("sum > 0 AND age > 17 AND age < 90"), Kind.EXPRESSION_TIGHTER, PRODUCERS),
    ("AND dropped", TOY, sum_("age > 17"), Kind.EXPRESSION_LOOSER, CONSUMERS),
    ("OR added", TOY, sum_("(sum > 0 AND age > 17) OR age > 90"), Kind.EXPRESSION_LOOSER, CONSUMERS),
    ("OR dropped", sum_("sum > 1 OR sum < 0"), sum_("sum < 0"), Kind.EXPRESSION_TIGHTER, PRODUCERS),
    ("expression replaced", TOY, sum_("sum > 1"), Kind.EXPRESSION_REPLACED, BOTH),
    ("expression rewritten", TOY, sum_("(sum>0) and (age>17)"), Kind.REWRITTEN, PATCH),
    ("unique alone", TOY, rule("twice", check=Unique()), Kind.UNIQUE_TIGHTER, PRODUCERS),
    ("unique with more", TOY, rule("twice", check=Unique(("state", "age"))), Kind.UNIQUE_LOOSER, CONSUMERS),
    ("unique with another", TOY, rule("twice", check=Unique(("age",))), Kind.UNIQUE_REPLACED, BOTH),
    (
        "reference",
        REFERS,
        rule("no_state", policy=Policy.QUARANTINE, check=References("lands")),
        Kind.REFERENCE_CHANGED,
        BOTH,
    ),
    ("rule to warn", TOY, WARNS, Kind.POLICY_LOOSER, CONSUMERS),
    ("rule from warn", WARNS, TOY, Kind.POLICY_STRICTER, PRODUCERS),
    ("rule to fail", TOY, rule("bad_age", policy=Policy.FAIL), Kind.POLICY_STRICTER, PRODUCERS),
    ("rule from fail", rule("bad_age", policy=Policy.FAIL), TOY, Kind.POLICY_LOOSER, CONSUMERS),
    ("policy written", TOY, rule("bad_age", policy=Policy.QUARANTINE), Kind.REWRITTEN, PATCH),
    ("contract to fail", TOY, replace(TOY, policy=Policy.FAIL), Kind.POLICY_STRICTER, PRODUCERS),
    ("contract to warn", replace(TOY, key=None), SOFT, Kind.POLICY_LOOSER, CONSUMERS),
    ("rule's words", TOY, rule("bad_age", description="!"), Kind.DESCRIPTION_CHANGED, PATCH),
    ("key added", replace(TOY, key=None), TOY, Kind.KEY_ADDED, MINOR),
    ("key removed", TOY, replace(TOY, key=None), Kind.KEY_REMOVED, CONSUMERS),
    ("other kind of key", TOY, KEYED, Kind.KEY_CHANGED, CONSUMERS),
    ("key's name", KEYED, replace(TOY, key=replace(SURROGATE, name="id_of")), Kind.KEY_CHANGED, CONSUMERS),
    ("key's separator", KEYED, replace(TOY, key=replace(SURROGATE, separator="#")), Kind.KEY_CHANGED, CONSUMERS),
    (
        "key's sources swapped",
        TWO_SOURCES,
        replace(TWO_SOURCES, key=SurrogateKey("toy_id", ("state", "code"))),
        Kind.KEY_CHANGED,
        CONSUMERS,
    ),
    (
        "key's columns swapped",
        replace(TWO_SOURCES, key=NaturalKey(("code", "state"))),
        replace(TWO_SOURCES, key=NaturalKey(("state", "code"))),
        Kind.REWRITTEN,
        PATCH,
    ),
    ("key's words", KEYED, replace(TOY, key=replace(SURROGATE, description="!")), Kind.DESCRIPTION_CHANGED, PATCH),
    ("on conflict", TOY, replace(TOY, on_conflict="update"), Kind.CONFLICT_CHANGED, CONSUMERS),
    ("marker added", TOY, replace(TOY, null_markers=("n/a", "-", "?")), Kind.MARKER_ADDED, BOTH),
    ("marker removed", TOY, replace(TOY, null_markers=("n/a",)), Kind.MARKER_REMOVED, BOTH),
    ("markers swapped", TOY, replace(TOY, null_markers=("-", "n/a")), Kind.REWRITTEN, PATCH),
    ("dataset rule added", replace(TOY, dataset_rules=()), TOY, Kind.DATASET_RULE_ADDED, PRODUCERS),
    ("dataset rule removed", TOY, replace(TOY, dataset_rules=()), Kind.DATASET_RULE_REMOVED, CONSUMERS),
    ("dataset rule renamed", TOY, dataset(name="share"), Kind.DATASET_RULE_RENAMED, CONSUMERS),
    ("query", TOY, dataset(sql="SELECT max(age) FROM {table}"), Kind.DATASET_QUERY_CHANGED, BOTH),
    ("query rewritten", TOY, dataset(sql="select avg( age ) from {table}"), Kind.REWRITTEN, PATCH),
    ("threshold down", TOY, dataset(threshold=8.0), Kind.DATASET_LIMIT_TIGHTER, PRODUCERS),
    ("threshold up", TOY, dataset(threshold=9.5), Kind.DATASET_LIMIT_LOOSER, CONSUMERS),
    ("threshold left out", TOY, dataset(threshold=None), Kind.DATASET_LIMIT_LOOSER, CONSUMERS),
    ("least down", TOY, dataset(low=0.5), Kind.DATASET_LIMIT_LOOSER, CONSUMERS),
    (
        "a great threshold left out",
        dataset(threshold=1e18),
        dataset(threshold=None),
        Kind.DATASET_LIMIT_LOOSER,
        CONSUMERS,
    ),
    ("threshold itself wrong", TOY, dataset(below_threshold=True), Kind.DATASET_LIMIT_TIGHTER, PRODUCERS),
    (
        "least itself wrong, where there is none",
        dataset(low=None),
        dataset(low=None, above_low=True),
        Kind.REWRITTEN,
        PATCH,
    ),
    (
        "threshold of a warning",
        SOFT,
        replace(SOFT, dataset_rules=dataset(threshold=8.0).dataset_rules),
        Kind.DATASET_LIMIT_TIGHTER,
        MINOR,
    ),
    ("dataset rule's words", TOY, dataset(description="!"), Kind.DESCRIPTION_CHANGED, PATCH),
    ("more rows", TOY, replace(TOY, min_rows=11), Kind.LIMIT_TIGHTER, PRODUCERS),
    ("fewer rows", TOY, replace(TOY, min_rows=9), Kind.LIMIT_LOOSER, CONSUMERS),
    ("any rows", TOY, replace(TOY, min_rows=None), Kind.LIMIT_LOOSER, CONSUMERS),
    ("no rows at least", replace(TOY, min_rows=None), replace(TOY, min_rows=0), Kind.REWRITTEN, PATCH),
    ("fewer rejects", TOY, replace(TOY, max_reject_rate=0.1), Kind.LIMIT_TIGHTER, PRODUCERS),
    ("more rejects", TOY, replace(TOY, max_reject_rate=0.3), Kind.LIMIT_LOOSER, CONSUMERS),
    ("fresher", TOY, promise(freshness=dt.timedelta(hours=2)), Kind.PROMISE_STRONGER, MINOR),
    ("less fresh", TOY, promise(freshness=dt.timedelta(hours=25)), Kind.PROMISE_WEAKER, CONSUMERS),
    ("no freshness", TOY, promise(freshness=None), Kind.PROMISE_WEAKER, CONSUMERS),
    ("freshness", promise(freshness=None), TOY, Kind.PROMISE_ADDED, MINOR),
    ("more available", TOY, promise(availability="99.9%"), Kind.PROMISE_STRONGER, MINOR),
    ("less available", TOY, promise(availability="99%"), Kind.PROMISE_WEAKER, CONSUMERS),
    ("arrives", TOY, promise(arrives="at noon"), Kind.PROMISE_REWORDED, MINOR),
]


@pytest.mark.parametrize(
    ("old", "new", "kind", "effect"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_each_change_has_its_kind_whom_it_breaks_and_its_step(old, new, kind, effect):
    found = diff(old, new)
    [change] = [each for each in found.changes if each.kind is kind]
    assert (change.producers, change.consumers, change.step) == effect


def test_the_table_of_changes_above_has_every_kind():
    assert {case[3] for case in CASES} == set(Kind)


def only(old: Contract, new: Contract) -> list[str]:
    return [each.what for each in diff(old, new).changes]


def test_a_change_is_told_once():
    told = {name: only(old, new) for name, old, new, *_ in CASES}
    assert {name: changes for name, changes in told.items() if len(changes) != 1} == {}


def test_equal_contracts_have_no_changes():
    assert diff(TOY, replace(TOY)).changes == ()


def test_a_range_that_moves_breaks_both():
    changes = diff(TOY, age(Between(21, 120))).changes
    assert [(each.kind, each.what) for each in changes] == [
        (Kind.RANGE_NARROWER, "`age`: the least value is `21`; before: `18`"),
        (Kind.RANGE_WIDER, "`age`: the greatest value is `120`; before: `99`"),
    ]


def test_a_pattern_is_told_with_texts_on_which_the_two_differ():
    [told] = only(TOY, code("[A-Z]{3,5}"))
    assert told == (
        "`code`: matches `[A-Z]{3,5}` as a whole; before: matches `[A-Z]{2,4}` as a whole; "
        "'AA' is right no more; 'AAAAA' is right now"
    )


def test_a_column_at_another_place_under_another_name_is_removed_and_added():
    moved = replace(renamed("state", "land"), columns=renamed("state", "land").columns[::-1])
    kinds = {each.kind for each in diff(TOY, moved).changes}
    assert {Kind.COLUMN_REMOVED, Kind.COLUMN_ADDED} <= kinds
    assert Kind.COLUMN_RENAMED not in kinds


def test_a_renamed_column_whose_reasons_follow_its_name_has_renamed_reasons():
    follows = renamed("code", "id")
    follows = replace(
        follows, rules=tuple(replace(each, reason=each.reason.replace("code", "id")) for each in follows.rules)
    )
    assert [each.kind for each in diff(TOY, follows).changes] == [Kind.COLUMN_RENAMED, Kind.REASON_RENAMED]


def test_a_rule_with_another_reason_and_another_range_is_the_same_rule():
    both = rule("bad_age", reason="age_out_of_range", check=Between(21, 99))
    assert [each.kind for each in diff(TOY, both).changes] == [Kind.REASON_RENAMED, Kind.RANGE_NARROWER]


def test_a_rule_that_inherits_the_contracts_policy_is_not_told_beside_it():
    assert [each.where for each in diff(TOY, replace(TOY, policy=Policy.FAIL)).changes] == ["contract"]


def test_a_type_that_only_warns_refuses_nothing():
    narrow = replace(column("age", type=Integer(64)), rules=WARNS.rules)
    [change] = diff(narrow, replace(narrow, columns=TOY.columns)).changes
    assert (change.kind, change.producers, change.consumers) == (Kind.TYPE_NARROWED, False, True)


FIELDS: dict[tuple[type, str], tuple[Contract, Contract]] = {
    (Contract, "name"): (TOY, replace(TOY, name="tin")),
    (Contract, "version"): (TOY, replace(TOY, version="2.0.0")),
    (Contract, "owner"): (TOY, replace(TOY, owner="them")),
    (Contract, "columns"): (TOY, added(5, EXTRA)),
    (Contract, "rules"): (TOY, without("bad_note")),
    (Contract, "description"): (TOY, replace(TOY, description="!")),
    (Contract, "key"): (TOY, replace(TOY, key=None)),
    (Contract, "on_conflict"): (TOY, replace(TOY, on_conflict="update")),
    (Contract, "dataset_rules"): (TOY, replace(TOY, dataset_rules=())),
    (Contract, "service_levels"): (TOY, replace(TOY, service_levels=ServiceLevels())),
    (Contract, "policy"): (TOY, replace(TOY, policy=Policy.FAIL)),
    (Contract, "null_markers"): (TOY, replace(TOY, null_markers=())),
    (Contract, "max_reject_rate"): (TOY, replace(TOY, max_reject_rate=None)),
    (Contract, "min_rows"): (TOY, replace(TOY, min_rows=None)),
    (Column, "name"): (TOY, renamed("state", "land")),
    (Column, "type"): (TOY, column("age", type=Integer(64))),
    (Column, "pii"): (TOY, column("age", pii=Pii.NONE)),
    (Column, "description"): (TOY, column("age", description="!")),
    (Column, "required"): (TOY, column("age", required=True)),
    (Column, "loaded"): (TOY, column("age", loaded=False)),
    (FieldRule, "field"): (TOY, rule("bad_note", field="state")),
    (FieldRule, "check"): (TOY, age(Typed())),
    (FieldRule, "reason"): (TOY, rule("bad_age", reason="wrong_age")),
    (FieldRule, "description"): (TOY, rule("bad_age", description="!")),
    (FieldRule, "policy"): (TOY, rule("bad_age", policy=Policy.QUARANTINE)),
    (SurrogateKey, "name"): (KEYED, replace(TOY, key=replace(SURROGATE, name="other"))),
    (SurrogateKey, "sources"): (TWO_SOURCES, replace(TWO_SOURCES, key=SurrogateKey("toy_id", ("code",)))),
    (SurrogateKey, "separator"): (KEYED, replace(TOY, key=replace(SURROGATE, separator="#"))),
    (SurrogateKey, "description"): (KEYED, replace(TOY, key=replace(SURROGATE, description="!"))),
    (NaturalKey, "columns"): (
        replace(TWO_SOURCES, key=NaturalKey(("code",))),
        replace(TWO_SOURCES, key=NaturalKey(("code", "state"))),
    ),
    (DatasetRule, "name"): (TOY, dataset(name="other")),
    (DatasetRule, "sql"): (TOY, dataset(sql="SELECT max(age) FROM {table}")),
    (DatasetRule, "threshold"): (TOY, dataset(threshold=8.0)),
    (DatasetRule, "description"): (TOY, dataset(description="!")),
    (DatasetRule, "low"): (TOY, dataset(low=2.0)),
    (DatasetRule, "above_low"): (TOY, dataset(above_low=True)),
    (DatasetRule, "below_threshold"): (TOY, dataset(below_threshold=True)),
    (DatasetRule, "outside"): (TOY, dataset(outside=True)),
    (ServiceLevels, "freshness"): (TOY, promise(freshness=None)),
    (ServiceLevels, "availability"): (TOY, promise(availability="good")),
    (ServiceLevels, "arrives"): (TOY, promise(arrives="")),
    (Matches, "pattern"): (TOY, code("[A-Z]{2}|[A-Z]{3}|[A-Z]{4}")),
    (Between, "low"): (TOY, age(Between(17, 99))),
    (Between, "high"): (TOY, age(Between(18, 98))),
    (LengthBetween, "low"): (TOY, rule("bad_note", check=LengthBetween(None, 80))),
    (LengthBetween, "high"): (TOY, rule("bad_note", check=LengthBetween(2))),
    (OneOf, "values"): (TOY, rule("bad_state", check=OneOf(("paid", "open")))),
    (References, "contract"): (TOY, rule("no_state", check=References("lands"))),
    (References, "column"): (TOY, rule("no_state", check=References("states", "state"))),
    (Unique, "others"): (TOY, rule("twice", check=Unique())),
    (Expression, "sql"): (TOY, sum_("sum  > 0 AND age > 17")),
    (Integer, "bits"): (TOY, column("age", type=Integer(64))),
    (Decimal, "precision"): (TOY, column("sum", type=Decimal(11, 2))),
    (Decimal, "scale"): (TOY, column("sum", type=Decimal(10, 3))),
}


def test_the_fields_above_are_all_that_a_contract_is_made_of():
    classes = [
        each
        for module in (model, checks, types)
        for each in vars(module).values()
        if dataclasses.is_dataclass(each) and each.__module__ == module.__name__
    ]
    assert {(each, field.name) for each in classes for field in dataclasses.fields(each)} == set(FIELDS)
    assert {*get_args(checks.Check), *get_args(types.ColumnType)} <= set(classes)


@pytest.mark.parametrize("key", FIELDS, ids=[f"{owner.__name__}.{name}" for owner, name in FIELDS])
def test_no_field_of_a_contract_changes_unseen(key):
    assert diff(*FIELDS[key]).changes != ()


@pytest.mark.parametrize(
    ("old", "new", "changed", "least", "said"),
    [
        ("1.4.2", "1.4.2", TOY, "1.4.2", True),
        ("1.4.2", "9.0.0", TOY, "1.4.2", True),
        ("1.4.2", "1.4.1", TOY, "1.4.2", False),
        ("1.4.2", "1.4.2", column("age", description="!"), "1.4.3", False),
        ("1.4.2", "1.4.3", column("age", description="!"), "1.4.3", True),
        ("1.4.2", "1.4.3", column("age", pii=Pii.NONE), "1.5.0", False),
        ("1.4.2", "1.5.0", column("age", pii=Pii.NONE), "1.5.0", True),
        ("1.4.2", "1.9.9", column("age", loaded=False), "2.0.0", False),
        ("1.4.2", "2.0.0", column("age", loaded=False), "2.0.0", True),
        ("1.9.0", "1.10.0", column("age", pii=Pii.NONE), "1.10.0", True),
        ("0.4.2", "0.4.3", column("age", loaded=False), "0.5.0", False),
        ("0.4.2", "0.5.0", column("age", loaded=False), "0.5.0", True),
        ("0.4.2", "0.4.3", column("age", pii=Pii.NONE), "0.4.3", True),
        ("0.4.2", "1.0.0", column("age", loaded=False), "0.5.0", True),
    ],
)
def test_the_version_must_step_as_far_as_the_changes_need(old, new, changed, least, said):
    found = diff(replace(TOY, version=old), replace(changed, version=new))
    assert (found.least_version, found.said) == (least, said)


@pytest.mark.parametrize(
    ("old", "new"),
    [(Text(), Date()), (Date(), Timestamp()), (Boolean(), Integer(32)), (Decimal(9, 0), Integer(32))],
)
def test_a_type_that_takes_other_texts_breaks_both(old, new):
    def typed(kind: types.ColumnType) -> Contract:
        return Contract("t", "1.0.0", "us", (Column("x", kind),), (FieldRule("x", Typed(), "no_x"),))

    [change] = diff(typed(old), typed(new)).changes
    assert (change.producers, change.consumers) == (True, True)


def test_the_guide_has_the_table_of_changes_as_the_code_has_it(project):
    guide = (project / "docs" / "guides" / "changing-a-contract.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| (.+?) \| (.*?) \| (major|minor|patch|none) \|$", guide, re.MULTILINE)
    whom = {(True, True): "producers and consumers", (True, False): "producers", (False, True): "consumers"}
    assert told == [
        (
            kind.value.what,
            whom.get((kind.value.producers, kind.value.consumers), "nobody"),
            kind.value.step.name.lower(),
        )
        for kind in Kind
    ]


def test_a_kind_that_breaks_somebody_needs_a_major_step_and_no_other_does():
    assert all((kind.value.step is Step.MAJOR) == (kind.value.producers or kind.value.consumers) for kind in Kind)


def test_not_blank_is_any_value():
    old = Contract("t", "1.0.0", "us", (Column("x", Text(), required=True),), (FieldRule("x", NotBlank(), "no_x"),))
    new = replace(old, rules=(FieldRule("x", Matches("[a-z]+"), "no_x"),))
    assert [each.kind for each in diff(old, new).changes] == [Kind.CHECK_STRICTER]
