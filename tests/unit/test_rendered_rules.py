"""Every rendered file that speaks of rules speaks of each: it changes with the rule, or says what it leaves out.

The tests go over the whole registry, so that a new target is held to the same.
"""

import decimal
import re

import pytest

from rowgate.contract.checks import (
    Between,
    Check,
    Expression,
    LengthBetween,
    Matches,
    NotBlank,
    OneOf,
    References,
    Unique,
)
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, NaturalKey, Policy
from rowgate.contract.types import ColumnType, Date, Decimal, Integer, Text
from rowgate.targets import artifacts

Num = decimal.Decimal

# column, its type, its check, the check changed
RULES: dict[str, tuple[ColumnType, Check, Check]] = {
    "pattern": (Text(), Matches("[A-Z]+"), Matches("[A-Y]+")),
    "length": (Text(), LengthBetween(2, 30), LengthBetween(2, 31)),
    "words": (Text(), OneOf(("red", "green")), OneOf(("red", "blue"))),
    "numbers": (Integer(32), OneOf((1, 2)), OneOf((1, 3))),
    "low": (Integer(32), Between(5, 90), Between(6, 90)),
    "high": (Integer(64), Between(high=80), Between(high=81)),
    "amount": (Decimal(9, 2), Between(low=Num("0.05")), Between(low=Num("0.06"))),
    "day": (Date(), Expression("day >= '2020-01-01'"), Expression("day >= '2020-01-02'")),
    "clock": (Date(), Expression("clock <= current_date()"), Expression("clock < current_date()")),
    "once": (Text(), Unique(), Unique(("words",))),
    "other": (Text(), References("others"), References("more")),
}
OTHERS = tuple(
    Contract(
        name,
        "1.0.0",
        "us",
        (Column("k", Text(), required=True),),
        (FieldRule("k", NotBlank(), f"no_{name}"),),
        key=NaturalKey(("k",)),
    )
    for name in ("more", "others")
)

# Files that say where things are, what their columns are or who may do what, and nothing of what a row must be.
SILENT = {
    "dbt/models/staging/toy/_toy__models.yml",
    "dbt/models/staging/toy/stg_toy.sql",
    "docs/contracts/personal-data.md",
    "infra/terraform/pipeline-policy.json",
    "infra/terraform/rendered/toy.json",
    "monitoring/alerts/contracts.yml",
}


def toy(**changed: FieldRule) -> Contract:
    """The contract with one rule for each kind of check, some changed."""
    rules = {name: FieldRule(name, check, f"bad_{name}") for name, (_, check, _) in RULES.items()}
    return Contract(
        "toy",
        "1.0.0",
        "us",
        (Column("code", Text(), required=True), *(Column(name, kind) for name, (kind, *_) in RULES.items())),
        (FieldRule("code", NotBlank(), "no_code"), *(rules | changed).values()),
        key=NaturalKey(("code",)),
    )


def rendered(contract: Contract) -> dict[str, str]:
    """The contract's own files."""
    return artifacts.render_all([*OTHERS, contract], only=contract)


WHOLE = rendered(toy())
SPEAKING = [path for path, text in WHOLE.items() if path not in SILENT and "not enforced here: any rule" not in text]


def leaves_out(text: str, name: str) -> bool:
    """Whether the file says that it leaves the rule out."""
    return re.search(rf"not enforced here: [^\n]*\bbad_{name}\b", text) is not None


def test_the_files_that_say_nothing_of_rules_are_the_ones_of_this_list():
    """A new target is in the list, or its files are held to what follows."""
    assert set(WHOLE) >= SILENT
    assert {"infra/postgres/toy.sql", "dbt/models/staging/toy/_toy__sources.yml", "docs/contracts/toy.md"} <= set(
        SPEAKING
    )
    assert [path for path in SILENT if any(f"bad_{name}" in WHOLE[path] for name in RULES)] == []


@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_changes_changes_every_file_that_speaks_of_it(name):
    changed = rendered(toy(**{name: FieldRule(name, RULES[name][2], f"bad_{name}")}))
    same = [path for path in SPEAKING if changed[path] == WHOLE[path]]
    assert [path for path in same if not leaves_out(WHOLE[path], name)] == []


@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_comes_to_warn_only_changes_every_file_that_speaks_of_it(name):
    changed = rendered(toy(**{name: FieldRule(name, RULES[name][1], f"bad_{name}", policy=Policy.WARN)}))
    same = [path for path in SPEAKING if changed[path] == WHOLE[path]]
    assert [path for path in same if not leaves_out(WHOLE[path], name)] == []


@pytest.mark.parametrize("name", ["clock", "once", "other"])
def test_what_looks_beyond_the_row_is_said_by_every_file_or_named_as_left_out(name):
    """Its reason stands in each."""
    assert [path for path in SPEAKING if f"bad_{name}" not in WHOLE[path]] == []


def test_the_tops_of_the_files_of_postgres_and_dbt_name_what_those_cannot_say():
    left_out = [
        "bad_clock: a constraint cannot look at the clock, and the expression does.",
        "bad_once: it looks at one file; the warehouse keeps rows of many.",
        "bad_other: it looks at the keys of others, whose rows may be loaded later.",
    ]
    top = WHOLE["infra/postgres/toy.sql"].split("CREATE", 1)[0]
    assert [f"-- not enforced here: {sentence}\n" in top for sentence in left_out] == [True] * 3
    top = WHOLE["dbt/models/staging/toy/_toy__sources.yml"].split("version:", 1)[0]
    assert [f"# not enforced here: {sentence}\n" in top for sentence in left_out] == [True] * 3


@pytest.mark.parametrize(
    "path",
    [
        "docs/contracts/toy.schema.json",
        "dbt/models/staging/toy/_toy__sources.yml",
        "infra/delta/toy.sql",
        "infra/great_expectations/toy.json",
        "infra/postgres/toy.sql",
    ],
)
def test_what_no_condition_on_the_table_can_say_is_named_by_every_target_that_has_nothing_but_those(path):
    """A rule of a column that is not loaded, one that only warns, and what is asked of a whole run."""
    contract = Contract(
        "toy",
        "1.0.0",
        "us",
        (Column("code", Text(), required=True), Column("unseen", Text(), loaded=False), Column("mild", Text())),
        (
            FieldRule("code", NotBlank(), "no_code"),
            FieldRule("unseen", Matches("[A-Z]"), "bad_unseen"),
            FieldRule("mild", Matches("[A-Z]"), "bad_mild", policy=Policy.WARN),
        ),
        key=NaturalKey(("code",)),
        dataset_rules=(DatasetRule("few", "SELECT count(*) FROM {table}", 9),),
        max_reject_rate=0.1,
        min_rows=1,
    )
    text = rendered(contract)[path]
    left_out = [
        "bad_unseen: unseen is not loaded.",
        "bad_mild: it only warns.",
        "few: it looks at all rows of a run.",
        "max_reject_rate: it looks at all rows of a run.",
        "min_rows: it looks at all rows of a run.",
    ]
    assert [said for said in left_out if f"not enforced here: {said}" not in text] == []
