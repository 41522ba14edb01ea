"""Contracts are found by name or by path."""

import sys
from pathlib import Path

import pytest

from rowgate.contract import catalog
from rowgate.errors import ContractError, UnusableError

TOY = """
from rowgate.contract.checks import NotBlank
from rowgate.contract.model import Column, Contract, FieldRule
from rowgate.contract.types import Text

CONTRACT = Contract(
    name={name!r}, version="1.0.0", owner="team",
    columns=(Column("a", Text(), required=True),), rules=(FieldRule("a", NotBlank(), "no_a"),),
)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "users.py").write_text(TOY.format(name="users"))
    (tmp_path / "orders.py").write_text(TOY.format(name="till_orders"))
    (tmp_path / "_shared.py").write_text("")
    (tmp_path / "notes.txt").write_text("")
    return tmp_path


def test_a_name_is_a_files(folder):
    assert catalog.find("orders", folder).name == "till_orders"


def test_a_name_is_a_contracts_own(folder):
    assert catalog.find("till_orders", folder).name == "till_orders"


def test_a_path_needs_no_folder(folder):
    assert catalog.find(str(folder / "users.py"), Path("nowhere")).name == "users"


def test_names_are_those_of_the_contract_files(folder):
    assert catalog.names(folder) == ["orders", "users"]


def test_all_contracts_come_by_name(folder):
    assert [contract.name for contract in catalog.load_all(folder)] == ["till_orders", "users"]


def test_two_contracts_of_one_name_are_refused(folder):
    (folder / "people.py").write_text(TOY.format(name="users"))
    with pytest.raises(UnusableError, match="both hold a contract called users"):
        catalog.load_all(folder)


def test_a_name_that_two_files_have_is_refused(folder):
    (folder / "users.yaml").write_text("")
    with pytest.raises(UnusableError, match="say which by its path"):
        catalog.find("users", folder)


def test_an_unknown_name_is_told_with_the_nearest_and_the_known_ones(folder):
    with pytest.raises(UnusableError) as caught:
        catalog.find("usres", folder)
    assert str(caught.value) == (
        f"There is no contract usres in {folder}; did you mean users? the contracts there are: orders, users."
    )


REFERRING = """\
name: parcels
version: 1.0.0
owner: depot
columns:
  - {name: a, type: string, in: others}
"""


def test_what_a_contract_refers_to_is_missing_on_a_line_of_its_file(folder):
    file = folder / "parcels.yaml"
    file.write_text(REFERRING)
    for asked in ("parcels", str(file)):
        with pytest.raises(ContractError) as caught:
            catalog.find(asked, folder)
        assert str(caught.value).startswith(
            f"{file}:5: Contract parcels, rule a_not_in_others: there is no contract 'others'; "
        )


def test_a_file_beside_a_contract_is_run_only_when_it_is_called_like_what_is_referred_to(folder, tmp_path_factory):
    beside = tmp_path_factory.mktemp("beside")
    (beside / "script.py").write_text(f"open({str(beside / 'ran')!r}, 'w')")
    (beside / "others.py").write_text(TOY.format(name="others") + "\nopen(__file__ + '.ran', 'w')")
    (beside / "parcels.yaml").write_text(REFERRING)
    with pytest.raises(ContractError, match="has no key"):
        catalog.find(str(beside / "parcels.yaml"), folder)
    assert (beside / "others.py.ran").exists()
    assert not (beside / "ran").exists()


def test_another_contract_that_cannot_be_read_does_not_hide_the_one_asked_for(folder):
    (folder / "broken.py").write_text("1 / 0")
    assert catalog.find("till_orders", folder).name == "till_orders"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no CONTRACT"),
        ("CONTRACT = 'users'", "has a CONTRACT that is a str"),
        ("x = 1\n1 / 0", "ZeroDivisionError in line 2: division by zero"),
        ("x = (", "SyntaxError in line 1: '(' was never closed"),
        ("import nothing_of_that_name", "ModuleNotFoundError in line 1: No module named 'nothing_of_that_name'"),
        ("raise SystemExit(3)", "SystemExit in line 1: 3"),
        ("x = '\0'", "null bytes"),
    ],
)
def test_a_file_that_holds_no_contract_is_told_in_one_sentence(folder, text, why):
    file = folder / "odd.py"
    file.write_text(text)
    with pytest.raises(UnusableError) as caught:
        catalog.load(file)
    assert str(file) in str(caught.value)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_impossible_contract_is_told_with_its_file(folder):
    file = folder / "odd.py"
    file.write_text(TOY.format(name="Odd"))
    with pytest.raises(ContractError, match=r"odd\.py: The contract's name 'Odd'"):
        catalog.load(file)


@pytest.mark.parametrize("name", ["nothing.py", "./nothing.yaml", "users.csv", "folder/users"])
def test_a_path_that_is_no_contract_is_told(name):
    with pytest.raises(UnusableError, match=name.removeprefix("./")):
        catalog.find(name, Path("nowhere"))


def test_a_folder_that_is_not_there_is_told():
    with pytest.raises(UnusableError, match="nowhere"):
        catalog.find("users", Path("nowhere"))


def test_a_contract_is_not_left_importable(folder):
    before = set(sys.modules)
    catalog.find("users", folder)
    assert not [name for name in set(sys.modules) - before if "users" in name]


def test_an_edit_is_seen_at_once_and_nothing_is_left_beside_the_file(folder):
    file = folder / "users.py"
    catalog.load(file)
    file.write_text(TOY.format(name="sresu"))
    assert catalog.load(file).name == "sresu"
    assert not (folder / "__pycache__").exists()


def test_a_contract_may_define_classes_of_its_own(folder):
    file = folder / "users.py"
    file.write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n\n\n@dataclass\nclass A:\n    x: int\n"
        + TOY.format(name="users")
    )
    assert catalog.load(file).name == "users"


def test_the_projects_users_contract_is_as_fixed(project):
    contract = catalog.find("users", project / "contracts")
    assert [column.name for column in contract.columns] == ["id", "name", "email", "phone", "zip_code", "age", "city"]
    assert contract.reasons == (
        "malformed_record",
        "invalid_name",
        "invalid_email",
        "invalid_phone",
        "invalid_zip_code",
        "invalid_age",
        "invalid_city",
    )
    assert contract.key_columns == ("user_id",)
