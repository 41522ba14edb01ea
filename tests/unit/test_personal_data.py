"""The page of all personal data, and the command that prints it."""

import dataclasses
import os
from pathlib import Path

import pytest

from rowgate.contract.checks import Matches
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey, Pii, SurrogateKey
from rowgate.contract.types import Text
from rowgate.errors import UnusableError
from rowgate.targets import artifacts, dbt_models
from rowgate.targets.dbt_models import Model
from rowgate.targets.personal_data import render

PEOPLE = Contract(
    "people",
    "1.0.0",
    "hr",
    (
        Column("Mail", Text(), Pii.DIRECT, required=True),
        Column("city", Text(), Pii.QUASI),
        Column("diary", Text(), Pii.DIRECT, loaded=False),
        Column("shoes", Text()),
    ),
    (FieldRule("Mail", Matches("[a-z]+"), "bad_mail"),),
    key=SurrogateKey("person", ("Mail",)),
)
THINGS = Contract(
    "things",
    "1.0.0",
    "store",
    (Column("code", Text(), required=True),),
    (FieldRule("code", Matches("[a-z]+"), "bad_code"),),
    key=NaturalKey(("code",)),
)
MODELS = (
    Model("people", "staging", "stg_people", {"Mail": Pii.DIRECT, "domain": Pii.QUASI, "shoe_size": Pii.NONE}),
    Model("people", "marts", "by_city", {"CITY": Pii.QUASI, "people": Pii.NONE}, "select city, count(*) from x"),
    Model("people", "marts", "by_domain", {"domain": Pii.QUASI}, "select domain, count(distinct city) from x"),
    Model("people", "marts", "by_hand", {}, "select mail from x"),
    Model("things", "marts", "codes", {"city": Pii.NONE}, "select code from x"),
)


def row(page: str, column: str) -> list[str]:
    [line] = [line for line in page.splitlines() if line.startswith(f"| `{column}` |")]
    return line.strip("| ").split(" | ")[1:]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            "person",
            ["pseudonymised", "clean, keys", "`warehouse.people` and `staging.stg_people`", "none", "none"],
        ),
        (
            "Mail",
            [
                "direct identifier",
                "raw, records, rejects, clean",
                "`warehouse.people` and `staging.stg_people`",
                "`marts.by_hand`",
                "none",
            ],
        ),
        (
            "city",
            [
                "quasi-identifier",
                "raw, records, rejects, clean",
                "`warehouse.people` and `staging.stg_people`",
                "`marts.by_city`",
                "`marts.by_domain`",
            ],
        ),
        ("diary", ["direct identifier", "raw, records, rejects", "none", "none", "none"]),
        (
            "domain",
            ["quasi-identifier", "none: made by dbt", "`staging.stg_people`", "`marts.by_domain`", "none"],
        ),
    ],
)
def test_a_personal_column_is_listed_with_every_place_where_it_is(column, said):
    assert row(render([PEOPLE, THINGS], MODELS), column) == said


def test_a_personal_column_of_a_natural_key_is_among_the_keys_that_a_load_leaves():
    people = dataclasses.replace(PEOPLE, key=NaturalKey(("Mail",)))
    assert row(render([people], ()), "Mail")[1] == "raw, records, rejects, clean, keys"


def test_a_mart_of_another_contract_that_reads_the_staging_view_is_listed():
    mart = Model("things", "marts", "who", {"person": Pii.PSEUDONYM}, "select person from {{ ref('stg_people') }}")
    page = render([PEOPLE, THINGS], (mart,))
    assert row(page.partition("## things")[0], "person")[3] == "`marts.who`"


def test_a_column_about_nobody_is_not_listed():
    page = render([PEOPLE, THINGS], MODELS)
    assert "shoes" not in page
    assert "shoe_size" not in page


def test_a_contract_about_nobody_says_so():
    assert "## things\n\nOwner: store. No column is about a person.\n" in render([PEOPLE, THINGS], MODELS)


def test_the_columns_of_each_class_are_counted():
    page = render([PEOPLE, THINGS], MODELS)
    classes = ("direct identifier", "quasi-identifier", "pseudonymised")
    counted = {name: line for line in page.splitlines() for name in classes if line.startswith(f"| {name} |")}
    assert [counted[name].strip("| ").split(" | ")[-1] for name in classes] == ["2", "2", "1"]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A project with one mart of people."""
    folder = tmp_path / "dbt" / "models" / "marts" / "people"
    folder.mkdir(parents=True)
    (folder / "towns.sql").write_text("-- no mail\nselect city as town {# mail #} from {{ ref('stg_people') }}\n")
    (folder / "_marts.yml").write_text(
        "models:\n- name: towns\n  columns:\n  - {name: town, config: {meta: {pii: quasi-identifier}}}\n  - {name: n}\n"
    )
    return tmp_path


def test_the_models_of_a_project_are_read_without_comments(own):
    [model] = dbt_models.read(own)
    assert (model.contract, model.layer, model.name) == ("people", "marts", "towns")
    assert model.columns == {"town": Pii.QUASI, "n": Pii.NONE}
    assert model.reads("CITY")
    assert not model.reads("mail")


def test_a_project_without_models_has_none(tmp_path):
    assert dbt_models.read(tmp_path) == ()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "models: [{name: towns, columns: [{name: town, meta: {pii: secret}}]}]",
            "town has pii 'secret'; it is one of",
        ),
        ("models: [", "cannot be read as dbt's models"),
        ("models: [{columns: []}]", "cannot be read as dbt's models"),
    ],
)
def test_a_models_file_that_cannot_be_used_is_named(own, written, said):
    file = own / "dbt" / "models" / "marts" / "people" / "_marts.yml"
    file.write_text(written)
    with pytest.raises(UnusableError, match=said) as caught:
        dbt_models.read(own)
    assert str(file) in str(caught.value)


def test_a_new_mart_makes_the_committed_page_stale(own):
    artifacts.write(own, [PEOPLE])
    file = own / "dbt" / "models" / "marts" / "people" / "mails.sql"
    file.write_text("select mail from {{ ref('stg_people') }}\n")
    [(path, difference)] = artifacts.stale(own, [PEOPLE])
    assert path == "docs/contracts/personal-data.md"
    assert "`marts.mails`" in difference


def test_rendering_one_contract_leaves_the_others_on_the_page(own):
    artifacts.write(own, [PEOPLE, THINGS], only=THINGS)
    assert not (own / "docs/contracts/people.md").exists()
    assert "## people" in (own / "docs/contracts/personal-data.md").read_text()


@pytest.fixture
def env(project: Path) -> dict[str, str]:
    return dict(os.environ) | {"ROWGATE_PROJECT": str(project)}


def test_the_command_prints_the_committed_page(run_cli, env, project):
    done = run_cli("dictionary", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (project / "docs/contracts/personal-data.md").read_text(encoding="utf-8")


def test_the_command_prints_the_page_of_one_contract(run_cli, env, project):
    done = run_cli("dictionary", "users", env=env)
    assert done.stdout == (project / "docs/contracts/users.md").read_text(encoding="utf-8")


def test_the_command_names_the_nearest_contract(run_cli, env):
    done = run_cli("dictionary", "usrs", env=env)
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean users?" in done.stderr
