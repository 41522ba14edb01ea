"""The registry of rendered files."""

import pytest

from rowgate.contract import catalog
from rowgate.contract.checks import Matches
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey
from rowgate.contract.types import Text
from rowgate.targets import artifacts

TOY = Contract(
    "toy",
    "1.0.0",
    "us",
    (Column("code", Text(), required=True),),
    (FieldRule("code", Matches("[A-Z]+"), "bad_code"),),
    key=NaturalKey(("code",)),
)
PATHS = [
    "infra/postgres/toy.sql",
    "dbt/models/staging/toy/_toy__sources.yml",
    "dbt/models/staging/toy/stg_toy.sql",
]
ALL = list(artifacts.render_all([TOY]))
COMMENTLESS = {"infra/terraform/pipeline-policy.json"}  # IAM takes nothing in a policy but the policy


def test_a_contract_with_a_key_has_what_the_warehouse_needs():
    assert set(PATHS) <= set(artifacts.render_all([TOY]))


def test_a_contract_without_a_key_has_nothing_of_the_warehouse():
    keyless = Contract(TOY.name, TOY.version, TOY.owner, TOY.columns, TOY.rules)
    assert set(PATHS).isdisjoint(artifacts.render_all([keyless]))


def test_a_staging_model_written_by_hand_is_left_alone(project):
    users = catalog.find("users", project / "contracts")
    assert "dbt/models/staging/users/stg_users.sql" not in artifacts.render_all([users])


def test_what_was_written_is_not_stale(tmp_path):
    artifacts.write(tmp_path, [TOY])
    assert artifacts.stale(tmp_path, [TOY]) == []


def test_writing_again_writes_nothing(tmp_path):
    assert artifacts.write(tmp_path, [TOY]) == ALL
    assert artifacts.write(tmp_path, [TOY]) == []


def test_a_missing_file_is_stale(tmp_path):
    assert [path for path, _ in artifacts.stale(tmp_path, [TOY])] == ALL


def test_a_changed_file_is_stale_with_the_difference(tmp_path):
    artifacts.write(tmp_path, [TOY])
    file = tmp_path / PATHS[0]
    file.write_text(file.read_text(encoding="utf-8").replace("[A-Z]+", "[A-Y]+"), encoding="utf-8")
    [(path, difference)] = artifacts.stale(tmp_path, [TOY])
    assert path == PATHS[0]
    assert '+    CONSTRAINT "bad_code" CHECK ("code" ~ \'^(?:[A-Z]+)$\')' in difference


@pytest.mark.parametrize("path", [path for path in ALL if path not in COMMENTLESS])
def test_each_file_says_what_it_comes_from_and_how_it_is_made_again(path):
    first = "\n".join(artifacts.render_all([TOY])[path].splitlines()[:5])
    assert "Rendered from" in first
    assert "make render" in first
    assert "toy 1.0.0" in first or "toy" not in path


def test_one_character_changed_in_any_file_of_the_project_is_found_in_that_file_alone(project, tmp_path):
    """The first character, one in the middle, and the newline at the end."""
    contracts = catalog.load_all(project / "contracts")
    artifacts.write(tmp_path, contracts)
    rendered = artifacts.render_all(contracts)
    assert {path.split("/")[0] for path in rendered} >= {"dbt", "docs", "infra"}
    missed = []
    for path, text in rendered.items():
        for at in (0, len(text) // 2, len(text) - 1):
            (tmp_path / path).write_text(f"{text[:at]}\N{BULLET}{text[at + 1 :]}", encoding="utf-8")
            [(found, difference)] = artifacts.compare(tmp_path, rendered)
            missed += [(path, at)] if found != path or "\N{BULLET}" not in difference else []
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert missed == []


@pytest.mark.parametrize(
    "change", [lambda text: text[:-1], lambda text: f"{text}\n", lambda text: text.replace("\n", "\r\n", 1)]
)
def test_a_change_that_cannot_be_seen_has_a_difference_too(change, tmp_path):
    artifacts.write(tmp_path, [TOY])
    file = tmp_path / PATHS[0]
    file.write_bytes(change(file.read_text(encoding="utf-8")).encode())
    [(_, difference)] = artifacts.stale(tmp_path, [TOY])
    assert len(difference.splitlines()) > 3


def test_the_committed_files_are_what_the_contracts_render(project):
    assert artifacts.stale(project, catalog.load_all(project / "contracts")) == []
