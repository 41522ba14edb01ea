"""`rowgate diff`: where its contracts come from, what it prints, and how it ends."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from rowgate.commands.diff import diff_contracts, diff_since
from rowgate.errors import ContractError, UnusableError
from rowgate.settings import Settings, read_settings

STATES = """name: states
version: 1.0.0
owner: us
key: [state]
columns:
  - {name: state, type: string, required: true}
"""
TOY = """name: toy
version: 1.0.0
owner: us
columns:
  - {name: age, type: int, required: true, min: 18}
  - {name: state, type: string, in: states}
"""
PYTHON = """from rowgate.contract.checks import NotBlank
from rowgate.contract.model import Column, Contract, FieldRule
from rowgate.contract.types import Text

CONTRACT = Contract(
    "plain", "1.0.0", "us", (Column("x", Text(), required=True),), (FieldRule("x", NotBlank(), "no_x"),)
)
"""


def git(folder: Path, *arguments: str) -> None:
    mine = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *mine, *arguments], check=True, capture_output=True)


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A project in a folder of its repository: one commit on `main`, and `work` checked out."""
    project = tmp_path / "etl"
    (project / "contracts").mkdir(parents=True)
    (project / "dags").mkdir()
    for name, text in (("states.yaml", STATES), ("toy.yaml", TOY), ("plain.py", PYTHON)):
        (project / "contracts" / name).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    commit(tmp_path, "First")
    git(tmp_path, "switch", "--quiet", "--create", "work")
    return project


@pytest.fixture
def places(place: Path) -> Settings:
    return read_settings(place, {})


@pytest.fixture
def edit(place: Path) -> Callable[..., Path]:
    """Write a contract's file anew, with some words in place of others."""

    def write(old: str, new: str, name: str = "toy.yaml") -> Path:
        file = place / "contracts" / name
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        return file

    return write


@pytest.mark.parametrize("old", ["main:contracts/toy.yaml", "main:etl/contracts/toy.yaml", "main:toy", "HEAD:toy"])
def test_the_old_contract_can_be_one_of_a_revision(places, edit, capsys, old):
    edit("min: 18", "min: 21")
    assert diff_contracts(places, old, "toy", as_json=True) == 1
    [change] = json.loads(capsys.readouterr().out)["changes"]
    assert (change["kind"], change["where"]) == ("range_narrower", "rule age_out_of_range")


def test_the_new_contract_can_be_one_of_a_revision(places, edit, capsys):
    edit("min: 18", "min: 21")
    assert diff_contracts(places, "toy", "main:toy", as_json=True) == 1
    assert json.loads(capsys.readouterr().out)["changes"][0]["breaks"] == ["consumers"]


def test_a_contract_in_python_of_a_revision_is_run(places, edit, capsys):
    edit("no_x", "x_is_missing", "plain.py")
    assert diff_contracts(places, "main:contracts/plain.py", "plain", as_json=True) == 1
    assert json.loads(capsys.readouterr().out)["changes"][0]["kind"] == "reason_renamed"


def test_a_contract_of_a_revision_refers_to_the_contracts_of_that_revision(places, place, edit):
    (place / "contracts" / "states.yaml").unlink()
    with pytest.raises(ContractError, match="states"):
        diff_contracts(places, "main:toy", "toy", as_json=True)
    edit(", in: states", "")
    assert diff_contracts(places, "main:toy", "toy", as_json=True) == 1


def test_a_path_that_holds_a_colon_and_is_there_is_a_path(places, edit, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("main:toy.yaml").write_text(TOY, encoding="utf-8")
    assert diff_contracts(places, "main:toy.yaml", "toy", as_json=True) == 0


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("nowhere:toy", "There is no revision 'nowhere' in the git repository of"),
        ("--all:toy", "There is no revision '--all' in the git repository of"),
        (":toy", "Before the colon stands a git revision"),
        ("main:contracts/tin.yaml", "In the revision main there is no contract contracts/tin.yaml."),
        ("main:../toy.yaml", "In the revision main there is no contract ../toy.yaml."),
        ("main:", "In the revision main there is no contract without a name."),
        ("main:tin", "There is no contract tin in main:etl/contracts; the contracts there are: plain, states, toy."),
        ("C:\\toy.yaml", "There is no revision 'C' in the git repository of"),
    ],
)
def test_what_a_revision_does_not_have_is_a_sentence(places, old, said):
    with pytest.raises(UnusableError) as raised:
        diff_contracts(places, old, "toy", as_json=True)
    assert str(raised.value).startswith(said)


def test_a_contract_of_a_revision_that_cannot_be_is_told_by_its_place_there(places, place, edit):
    edit("type: int", "type: number")
    commit(place, "Spoil it")
    with pytest.raises(ContractError) as raised:
        diff_contracts(places, "HEAD:toy", "states", as_json=True)
    assert str(raised.value).startswith("HEAD:etl/contracts/toy.yaml:5: columns.age.type")


def test_nothing_of_a_revision_stays_behind(places, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = set(tmp_path.iterdir())
    diff_contracts(places, "main:toy", "toy", as_json=True)
    assert set(tmp_path.iterdir()) == before


def test_a_project_in_no_repository_is_a_sentence(tmp_path):
    (tmp_path / "contracts").mkdir()
    with pytest.raises(UnusableError, match="is in no git repository that can be read"):
        diff_contracts(read_settings(tmp_path, {}), "main:toy", "toy", as_json=True)


def test_a_machine_without_git_is_a_sentence(places, monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UnusableError, match="needs git"):
        diff_contracts(places, "main:toy", "toy", as_json=True)


def test_the_command_prints_the_changes_by_whom_they_break_within_80_columns(run_cli, place, edit):
    edit("min: 18", "min: 21, max: 99, description: In years.")
    edit("1.0.0", "1.1.0")
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"ROWGATE_PROJECT": str(place)}
    done = run_cli("diff", "main:toy", "toy", env=env)
    assert done.returncode == 1
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert [line.rstrip() for line in done.stdout.splitlines()] == [
        "toy 1.0.0 -> 1.1.0",
        "",
        "Breaking for producers",
        "  rule age_out_of_range  `age`: the least value is `21`; before: `18`     major",
        "  rule age_out_of_range  `age`: the greatest value is `99`; before: open  major",
        "",
        "Compatible",
        "  column age  the description changes  patch",
        "",
        "These changes need a major step: 2.0.0 or higher. The contract says 1.1.0.",
    ]


def test_the_command_ends_well_where_the_version_says_so(run_cli, place, edit):
    edit("min: 18", "min: 21")
    edit("1.0.0", "2.0.0")
    done = run_cli("diff", "main:toy", "toy", env=dict(os.environ) | {"ROWGATE_PROJECT": str(place)})
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "These changes need a major step: 2.0.0 or higher. The version says so.",
    )


def told(capsys, status: int) -> list[str]:
    return [str(status), *(line.rstrip() for line in capsys.readouterr().out.splitlines() if line)]


def test_equal_contracts_have_no_change(places, capsys):
    assert told(capsys, diff_contracts(places, "toy", "main:toy", as_json=False)) == ["0", "toy 1.0.0: no change"]


def test_a_version_that_goes_back_is_told(places, edit, capsys):
    edit("1.0.0", "0.9.0")
    assert told(capsys, diff_contracts(places, "main:toy", "toy", as_json=False)) == [
        "1",
        "toy 1.0.0 -> 0.9.0",
        "The version goes back from 1.0.0 to 0.9.0; it may only rise.",
    ]


@pytest.mark.parametrize("arguments", [[], ["toy"], ["a", "b", "--since", "main"], ["a", "b", "--removed", "a"]])
def test_too_few_or_too_many_arguments_are_a_sentence(run_cli, place, arguments):
    done = run_cli("diff", *arguments, env=dict(os.environ) | {"ROWGATE_PROJECT": str(place)})
    assert (done.returncode, done.stderr) == (
        2,
        "rowgate: Name two contracts, OLD and NEW; or none, and --since REVISION.\n",
    )


def test_every_contract_is_compared_with_where_the_branch_left_a_revision(places, place, edit, capsys):
    edit("min: 18", "min: 21")
    edit("1.0.0", "2.0.0")
    commit(place, "Work")
    git(place, "switch", "--quiet", "main")
    edit("1.0.0", "3.0.0", "states.yaml")
    commit(place, "Main goes on")
    git(place, "switch", "--quiet", "work")
    assert diff_since(places, "main", (), as_json=True) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["contract"]: each["new_version"] for each in found["contracts"]} == {
        "plain": "1.0.0",
        "states": "1.0.0",
        "toy": "2.0.0",
    }


def test_one_version_that_does_not_say_so_is_enough_to_fail(places, edit, capsys):
    edit("min: 18", "min: 21")
    lines = told(capsys, diff_since(places, "main", (), as_json=False))
    assert lines[0] == "1"
    assert lines[2:] == [
        "toy 1.0.0 -> 1.0.0",
        "Breaking for producers",
        "  rule age_out_of_range  `age`: the least value is `21`; before: `18`  major",
        "These changes need a major step: 2.0.0 or higher. The contract says 1.0.0.",
        "no change: plain, states",
    ]


def test_an_added_contract_is_compatible(places, place, capsys):
    (place / "contracts" / "more.yaml").write_text(STATES.replace("name: states", "name: more"), encoding="utf-8")
    lines = told(capsys, diff_since(places, "main", (), as_json=False))
    assert (lines[0], lines[-1]) == ("0", "more: added (compatible)")


def test_a_removed_contract_fails_unless_it_is_said(places, place, capsys):
    (place / "contracts" / "plain.py").unlink()
    lines = told(capsys, diff_since(places, "main", (), as_json=False))
    assert (lines[0], lines[-2]) == ("1", "plain: removed (breaking for producers and consumers)")
    lines = told(capsys, diff_since(places, "main", ("plain",), as_json=False))
    assert (lines[0], lines[-1]) == ("0", "plain: removed (breaking for producers and consumers)")


def test_a_contract_with_another_name_in_the_same_file_is_renamed(places, edit, capsys):
    edit("name: toy", "name: tin")
    assert diff_since(places, "main", (), as_json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["added"], found["removed"]) == ([], [])
    assert [each["kind"] for each in found["contracts"][-1]["changes"]] == ["contract_renamed"]


def test_a_revision_without_contracts_had_none(tmp_path, places, place, capsys):
    git(tmp_path, "switch", "--quiet", "--orphan", "empty")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", "Nothing")
    git(tmp_path, "switch", "--quiet", "work")
    assert diff_since(places, "empty", (), as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["added"] == ["plain", "states", "toy"]


def test_the_guides_example_is_what_is_printed(project, tmp_path, capsys, monkeypatch):
    text = (project / "contracts" / "transactions.yaml").read_text(encoding="utf-8")
    for old, new in (
        ('version: "2.1"', 'version: "2.2"'),
        ('"reversed"', '"refunded"'),
        ("amount < 1000000", "amount < 1000000 AND amount <> 13"),
        ('freshness: "1 hour"', 'freshness: "2 hours"'),
        ("ISO 4217 code", "ISO 4217 code of the currency"),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "new.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "80")
    assert diff_contracts(read_settings(project, {}), "transactions", str(tmp_path / "new.yaml"), as_json=False) == 1
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    guide = (project / "docs" / "guides" / "changing-a-contract.md").read_text(encoding="utf-8")
    assert f"$ rowgate diff main:transactions transactions\n{printed}\n```" in guide
