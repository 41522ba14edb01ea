"""What a person reads after a check, and what is kept from them."""

from pathlib import Path

import pytest

from rowgate.cli import main

CONTRACT = """
from rowgate.contract.checks import Between, Matches, NotBlank, OneOf, Typed
from rowgate.contract.model import *
from rowgate.contract.types import Integer, Text

CONTRACT = Contract(
    name="toy",
    version="1.2.0",
    owner="tests",
    columns=(Column("who", Text(), Pii.DIRECT, required=True), Column("n", Integer(32)), Column("kind", Text())),
    rules=(
        FieldRule("who", Matches("[a-z]+"), "who_wrong"),
        FieldRule("n", Between(0, 9), "n_wrong"),
        FieldRule("kind", OneOf(("x", "y")), "kind_wrong", policy=Policy.WARN),
    ),
    dataset_rules=(DatasetRule("rows", "SELECT count(*) FROM {table}", 0),),
)
"""


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """Run `rowgate check` in this process; give its exit status and what it printed."""
    (tmp_path / "toy.py").write_text(CONTRACT)
    monkeypatch.setenv("ROWGATE_PROJECT", str(Path(__file__).parents[2]))
    monkeypatch.setenv("COLUMNS", "200")

    def run(text: str, *options: str) -> tuple[int, str]:
        source = tmp_path / "in.csv"
        source.write_text(text, encoding="utf-8")
        monkeypatch.setattr("sys.argv", ["rowgate", "check", str(tmp_path / "toy.py"), str(source), *options])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code, capsys.readouterr().out

    return run


def test_a_reason_has_a_line_with_its_rows_and_examples_in_file_order(check):
    _, said = check("who,n,kind\na,77,x\nb,1 1,x\nc,77,x\nd,1e3,x\ne,99,x\n")
    assert _line(said, "n_wrong") == ["n_wrong", "5", "5", "100.0%", "77,", "1", "1,", "1e3"]


def test_values_of_a_column_with_personal_data_are_not_shown(check):
    _, said = check("who,n,kind\nSECRET,1,x\n")
    assert _line(said, "who_wrong")[-2:] == ["(personal", "data)"]
    assert "SECRET" not in said


def test_an_example_is_shortened_and_its_control_characters_are_escaped(check):
    _, said = check(f'who,n,kind\na,"1\x1b[31m\n2",x\nb,{"8" * 200},x\n')
    assert "1\\x1b[31m\\n2" in said
    assert f"{'8' * 32}…" in said
    assert "\x1b[31m" not in said


def test_square_brackets_in_an_example_are_shown_as_they_are(check):
    _, said = check("who,n,kind\na,[bold]1[/],x\n")
    assert "[bold]1[/]" in said


def test_a_warning_is_told_as_one(check):
    status, said = check("who,n,kind\na,1,z\n")
    assert _line(said, "kind_wrong") == ["kind_wrong", "1", "warns", "100.0%"]
    assert _line(said, "rejected") == ["rejected", "0"]
    assert status == 1  # by the dataset rule


def test_a_breach_has_a_line_of_its_own(check):
    status, said = check("who,n,kind\na,1,x\n")
    assert [line for line in said.splitlines() if line.startswith("BREACH")] == [
        "BREACH  The dataset rule rows gave 1, where at most 0 is allowed."
    ]
    assert status == 1


def test_a_file_that_meets_the_contract_ends_in_0_and_lists_no_reason(check):
    status, said = check("who,n,kind\n")
    assert (status, "meets the contract toy 1.2.0" in said, "n_wrong" in said) == (0, True, False)


def test_json_holds_no_row_s_value(check):
    _, said = check("who,n,kind\nSECRET,77,SECRET\n", "--json")
    assert said.count("\n") == 1
    assert "SECRET" not in said
    assert "77" not in said.replace('"finished_at"', "").split('"started_at"')[0]


def _line(said: str, reason: str) -> list[str]:
    return next(line for line in said.splitlines() if line.startswith(reason)).split()
