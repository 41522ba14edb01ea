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


def test_a_contract_with_a_key_has_these_files():
    assert list(artifacts.render_all([TOY])) == PATHS


def test_a_contract_without_a_key_has_none():
    keyless = Contract(TOY.name, TOY.version, TOY.owner, TOY.columns, TOY.rules)
    assert artifacts.render_all([keyless]) == {}


def test_a_staging_model_written_by_hand_is_left_alone(project):
    users = catalog.find("users", project / "contracts")
    assert "dbt/models/staging/users/stg_users.sql" not in artifacts.render_all([users])


def test_what_was_written_is_not_stale(tmp_path):
    artifacts.write(tmp_path, [TOY])
    assert artifacts.stale(tmp_path, [TOY]) == []


def test_writing_again_writes_nothing(tmp_path):
    assert artifacts.write(tmp_path, [TOY]) == PATHS
    assert artifacts.write(tmp_path, [TOY]) == []


def test_a_missing_file_is_stale(tmp_path):
    assert [path for path, _ in artifacts.stale(tmp_path, [TOY])] == PATHS


def test_a_changed_file_is_stale_with_the_difference(tmp_path):
    artifacts.write(tmp_path, [TOY])
    file = tmp_path / PATHS[0]
    file.write_text(file.read_text(encoding="utf-8").replace("[A-Z]+", "[A-Y]+"), encoding="utf-8")
    [(path, difference)] = artifacts.stale(tmp_path, [TOY])
    assert path == PATHS[0]
    assert '+    CONSTRAINT "bad_code" CHECK ("code" ~ \'^(?:[A-Z]+)$\')' in difference


@pytest.mark.parametrize("path", sorted(artifacts.render_all([TOY])))
def test_each_file_says_what_it_comes_from_and_how_it_is_made_again(path):
    first = artifacts.render_all([TOY])[path].splitlines()[0]
    assert "Rendered from the contract toy 1.0.0" in first
    assert "make render" in first


def test_the_committed_files_are_what_the_contracts_render(project):
    assert artifacts.stale(project, catalog.load_all(project / "contracts")) == []
