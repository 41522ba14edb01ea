"""The data dictionary: everything a contract says stands on its page."""

import datetime as dt
from dataclasses import replace

import pytest

from rowgate.contract.checks import Between, Expression, Matches, NotBlank, Typed, Unique
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
from rowgate.contract.types import Decimal, Integer, Text
from rowgate.contract.validate import OWN_COLUMNS
from rowgate.targets.markdown import render

TOY = Contract(
    name="toy",
    version="2.1.0",
    owner="the-team",
    description="Toys | <all>",
    columns=(
        Column("e mail", Text(), Pii.DIRECT, "An address.", required=True),
        Column("size", Integer(32), Pii.QUASI),
        Column("note", Text(), description="Only carried.", loaded=False),
    ),
    rules=(
        FieldRule("e mail", Matches("[a-z]+@(a|b)"), "bad_mail", "Has an @."),
        FieldRule("size", Between(1, 9), "bad_size", policy=Policy.WARN),
        FieldRule("size", Expression("size <> 5"), "odd_size"),
    ),
    key=SurrogateKey("toy_id", ("e mail",), separator="#"),
    null_markers=("N/A", "-"),
    max_reject_rate=0.125,
    min_rows=3,
    service_levels=ServiceLevels(dt.timedelta(hours=26), "99.9%", "daily, by 01:00 UTC"),
)


def test_the_page_of_a_toy_contract_begins_so():
    page, _, _ = render(TOY).partition("\n## Where the rows are\n")
    assert (
        page
        == """\
<!-- Rendered from the contract toy 2.1.0: change that, then run `make render`. -->

# toy

Toys \\| &lt;all&gt;.

- **version**: 2.1.0
- **owner**: the-team
- **policy**: `quarantine`: the row goes to the rejects, the rest loads
- **policy of some rules**: `warn`: the row loads, and the breach is counted
- **key**: `toy_id`, made of other columns; see [the key](#the-key)
- **a key that is loaded already**: its row stays as it is
- **most rejected rows**: 12.5% of a file; more stop the load
- **fewest accepted rows**: 3; fewer stop the load
- **freshness**: at most 1 day and 2 hours between two good runs
- **availability**: 99.9%
- **files arrive**: daily, by 01:00 UTC

## Columns of the file

| column | type | required | personal data | goes to the warehouse | description |
| --- | --- | --- | --- | --- | --- |
| `e mail` | text | yes | direct identifier | yes | An address. |
| `size` | a whole number (32 bits) | no | quasi-identifier | yes |  |
| `note` | text | no | no | no, only to the rejects | Only carried. |

A file's header is these columns in this order. White space around a value is taken off; a value is missing when nothing is left, or `N/A` or `-`.

## Rules

A row is given the reasons of all the rules it breaks; the first in this order is its rejection reason. A missing value passes every rule of a column that is not required. Where a rule only warns, a value that is not of its type loads as NULL.

| column | the value | reason | policy | description |
| --- | --- | --- | --- | --- |
| the record | can be read: as many fields as the header has, UTF-8, every quote closed | `malformed_record` | `quarantine` |  |
| `e mail` | is there and matches <code>&#91;a-z&#93;&#43;&#64;(a&#124;b)</code> as a whole | `bad_mail` | `quarantine` | Has an @. |
| `size` | is a whole number (32 bits) and is from `1` to `9` | `bad_size` | `warn` |  |
| `size` | meets `size <> 5` | `odd_size` | `quarantine` |  |

## The key

`toy_id` (personal data: pseudonymised) is the MD5 of the columns' texts, without the white space around them, in UTF-8, as 32 lower-case hex digits:

```
toy_id = lower(hex(md5(e mail)))
```

**It is a pseudonym, not anonymisation.** There is no secret in it: whoever knows a person's `e mail` can compute it, and whoever holds a list of people can look each of them up. A person has the same key in every file and every table, so that rows can be joined to that person. It remains personal data (GDPR, article 4(5) and recital 26).
"""  # noqa: E501 - Markdown's tables and paragraphs
    )


def test_the_formula_joins_the_sources_by_the_separator():
    columns = tuple(Column(name, Text(), required=True) for name in "ab")
    rules = tuple(FieldRule(name, Matches("[a-z]+"), f"bad_{name}") for name in "ab")
    page = render(Contract("toy", "1.0.0", "us", columns, rules, key=SurrogateKey("k", ("a", "b"), separator="'|")))
    assert "k = lower(hex(md5(a || '''|' || b)))" in page
    assert "At most one of these columns can hold the separator" in page


def test_a_key_of_nobody_is_called_no_pseudonym():
    columns = (Column("code", Text(), required=True),)
    rules = (FieldRule("code", NotBlank(), "no_code"),)
    page = render(Contract("toy", "1.0.0", "us", columns, rules, key=SurrogateKey("k", ("code",))))
    assert "pseudonym, not" not in page


def test_a_natural_key_and_an_update_are_said():
    columns = (Column("a", Text(), required=True), Column("b", Text(), required=True))
    rules = tuple(FieldRule(name, NotBlank(), f"no_{name}") for name in "ab")
    page = render(
        Contract("toy", "1.0.0", "us", columns, rules, key=NaturalKey(("a", "b")), on_conflict="update"),
    )
    assert "- **key**: `a` and `b`\n- **a key that is loaded already**: its row is updated\n" in page
    assert "## The key" not in page


def test_the_keys_that_a_load_leaves_for_references_are_among_the_places():
    page = render(replace(TOY, key=NaturalKey(("e mail",))))
    assert "\n| `keys/toy/dt=<day>/<run>.parquet` | `e mail` of the rows that were loaded, " in page


def test_a_contract_without_a_key_says_that_nothing_is_loaded():
    page = render(replace(TOY, key=None))
    assert "- **key**: none: files are judged, and not loaded" in page
    assert "`warehouse.toy`" not in page
    assert "`loaded_at`" not in page


def test_dataset_rules_stand_with_their_query_and_what_is_right():
    rule = DatasetRule("mean_size", "SELECT avg(size)\nFROM {table}", 8, "Toys are small", low=2, above_low=True)
    page = render(replace(TOY, dataset_rules=(rule,), policy=Policy.FAIL))
    query = "```sql\nSELECT avg(size)\nFROM {table}\n```"
    assert f"**mean_size** Toys are small.\n\n{query}\n\nRight is more than 2 and at most 8.\n" in page
    assert "its policy, `fail`." in page


def test_a_malformed_record_stops_a_hard_contract():
    assert "| `malformed_record` | `fail` |" in render(replace(TOY, policy=Policy.FAIL))


@pytest.mark.parametrize(
    "column",
    sorted(OWN_COLUMNS),
)
def test_every_column_that_is_added_is_explained(column):
    assert f"\n| `{column}` | " in render(TOY).partition("## Columns that are added")[2]


def test_a_change_of_a_rule_changes_the_page():
    looser = replace(TOY, rules=(TOY.rules[0], replace(TOY.rules[1], check=Between(1, 10)), TOY.rules[2]))
    before, after = render(TOY).splitlines(), render(looser).splitlines()
    assert [line for line in after if line not in before] == [
        "| `size` | is a whole number (32 bits) and is from `1` to `10` | `bad_size` | `warn` |  |"
    ]


def test_rules_of_more_than_one_column_name_the_others():
    columns = (Column("a", Text()), Column("b", Decimal(4, 1)))
    rules = (FieldRule("a", Unique(("b",)), "twice"), FieldRule("b", Typed(), "no_number"))
    assert "| `a` | stands, together with `b`, only once in a file | `twice` |" in render(
        Contract("toy", "1.0.0", "us", columns, rules)
    )
