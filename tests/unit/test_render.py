"""`rowgate render`: what it writes, names and removes."""

import pytest

from rowgate.commands.render import render_artifacts
from rowgate.contract import catalog
from rowgate.errors import ContractError, UnusableError
from rowgate.settings import Settings
from rowgate.targets import artifacts

CONTRACT = """
name: {name}
version: 1.0.0
owner: us
key: [code]
columns:
  - {{name: code, type: string, required: true, pattern: "[A-Z]+"}}
"""


@pytest.fixture
def settings(tmp_path) -> Settings:
    """A project with the contracts one and two, rendered."""
    project = tmp_path / "project"
    (project / "contracts").mkdir(parents=True)
    found = Settings(project, tmp_path / "state", f"file://{tmp_path / 'lake'}")
    for name in ("one", "two"):
        (project / "contracts" / f"{name}.yaml").write_text(CONTRACT.format(name=name), encoding="utf-8")
    assert render_artifacts(found, None, check=False) == 0
    return found


def edit(settings: Settings, name: str) -> None:
    file = settings.contracts / f"{name}.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("[A-Z]+", "[A-Y]+"), encoding="utf-8")


def named(capsys, word: str) -> list[str]:
    """The files that a line of what was printed names after the word."""
    lines = capsys.readouterr().out.splitlines()
    return [line.split(": ")[1] for line in lines if line.startswith(f"{word}: ")]


def test_what_was_rendered_is_checked_in_silence(settings, capsys):
    capsys.readouterr()
    assert render_artifacts(settings, None, check=True) == 0
    assert capsys.readouterr() == ("", "")


def test_a_stale_file_is_named_with_its_difference_and_the_exit_is_1(settings, capsys):
    edit(settings, "one")
    capsys.readouterr()
    assert render_artifacts(settings, None, check=True) == 1
    said = capsys.readouterr()
    assert "stale: infra/postgres/one.sql\n--- infra/postgres/one.sql (there)\n+++ infra/postgres/one.sql" in said.out
    assert "[A-Y]+" in said.out
    assert "two.sql" not in said.out
    assert "run `make render`" in said.err


def test_one_contract_is_rendered_alone(settings, capsys):
    edit(settings, "one")
    edit(settings, "two")
    capsys.readouterr()
    render_artifacts(settings, "one", check=False)
    assert [path for path in named(capsys, "written") if "two" in path] == []
    assert render_artifacts(settings, "one", check=True) == 0
    assert render_artifacts(settings, "two", check=True) == 1


def test_rendering_one_contract_keeps_the_others_in_what_is_about_all(settings):
    edit(settings, "one")
    edit(settings, "two")
    render_artifacts(settings, "one", check=False)
    render_artifacts(settings, "two", check=False)
    assert render_artifacts(settings, None, check=True) == 0


def test_a_contract_elsewhere_gets_its_own_files_and_leaves_what_is_about_all(settings, tmp_path, capsys):
    (tmp_path / "three.yaml").write_text(CONTRACT.format(name="three"), encoding="utf-8")
    capsys.readouterr()
    render_artifacts(settings, str(tmp_path / "three.yaml"), check=False)
    written = named(capsys, "written")
    assert "infra/postgres/three.sql" in written
    assert [path for path in written if "three" not in path] == []
    assert render_artifacts(settings, str(tmp_path / "three.yaml"), check=True) == 0


def test_a_contract_elsewhere_cannot_take_the_files_of_another(settings, tmp_path):
    (tmp_path / "other.yaml").write_text(CONTRACT.format(name="one").replace("[A-Z]", "[0-9]"), encoding="utf-8")
    with pytest.raises(UnusableError, match=r"holds a contract called one, as .*, whose files it would replace"):
        render_artifacts(settings, str(tmp_path / "other.yaml"), check=False)


def test_the_files_of_a_contract_that_is_gone_are_named_and_then_removed(settings, capsys):
    (settings.contracts / "two.yaml").unlink()
    capsys.readouterr()
    assert render_artifacts(settings, None, check=True) == 1
    left_over = named(capsys, "left over")
    assert {"infra/postgres/two.sql", "dbt/models/staging/two/stg_two.sql"} <= set(left_over)
    render_artifacts(settings, None, check=False)
    assert named(capsys, "removed") == left_over
    assert not (settings.project / "dbt/models/staging/two").exists()
    assert render_artifacts(settings, None, check=True) == 0


def test_a_file_that_does_not_say_it_is_rendered_stays(settings):
    by_hand = settings.project / "dbt" / "models" / "staging" / "two" / "more.sql"
    by_hand.write_text("select 1\n", encoding="utf-8")
    noted = settings.project / "infra" / "postgres" / "notes.md"
    noted.write_text("Notes.\n" * 200 + "-- Rendered from the contract x: run `make render`.\n", encoding="utf-8")
    (settings.contracts / "two.yaml").unlink()
    render_artifacts(settings, None, check=False)
    assert [by_hand.exists(), noted.exists()] == [True, True]


def test_every_rendered_file_of_a_contract_that_is_gone_is_left_over(settings):
    [one, two] = catalog.load_all(settings.contracts)
    of_two = artifacts.render_all([one, two], only=two).keys() & {
        path for path in artifacts.render_all([one, two]) if path not in artifacts.render_all([one])
    }
    assert artifacts.orphans(settings.project, [one]) == sorted(of_two)


def test_a_contract_that_cannot_be_is_told_before_anything_is_written(settings):
    edit(settings, "one")
    (settings.contracts / "two.yaml").write_text("name: two\n", encoding="utf-8")
    before = {file: file.read_bytes() for file in settings.project.rglob("*") if file.is_file()}
    with pytest.raises(ContractError):
        render_artifacts(settings, None, check=False)
    assert {file: file.read_bytes() for file in settings.project.rglob("*") if file.is_file()} == before
