"""The generator of files for any contract."""

import csv
import datetime as dt
import gzip
import io
from collections import Counter
from pathlib import Path

import pytest

from rowgate.contract import catalog
from rowgate.contract.yaml_reader import read_yaml
from rowgate.errors import UnusableError
from rowgate.stages.generate import write_users
from rowgate.stages.generate_any import write_any
from rowgate.targets.reference import Record, judge, normalise

NOW = dt.datetime(2026, 9, 15, tzinfo=dt.UTC)

TOY = """\
name: bookings
version: 1.0.0
owner: desk
null_markers: [NA]
columns:
  - {name: booking_id, type: bigint, required: true, unique: true}
  - {name: code, type: string, required: true, pattern: "[A-Z]{2}-[^,]{3}(x|y)+", unique: true}
  - {name: status, type: string, allowed_values: [open, "paid, in part", "with \\"quotes\\""]}
  - {name: note, type: string, min_length: 3, max_length: 12}
  - {name: alias, type: string, checks: ["alias LIKE 'A%'", "length(alias) <= 6", "upper(alias) <> alias"]}
  - {name: start, type: date, required: true, min: 2020-01-01, checks: ["start <= current_date()"]}
  - {name: end, type: date, checks: ["end >= start", "datediff(end, start) < 400"]}
  - {name: at, type: timestamp, min: "2024-01-01T00:00:00Z", max: "2024-01-01T00:00:59Z"}
  - {name: price, type: "decimal(8,2)", required: true, checks: ["price > 0 AND price < 500"]}
  - {name: pieces, type: int, required: true, min: 1, max: 9}
  - {name: total, type: "decimal(12,2)", checks: ["total = price * pieces"]}
  - {name: flag, type: boolean, checks: ["flag OR price < 250"]}
  - {name: seat, type: int, required: true, min: 1, max: 30}
  - {name: day, type: date, required: true, min: 2026-01-01, max: 2026-03-01}
unique: [[seat, day]]
"""


def toy(text: str = TOY):
    return read_yaml(text, "toy.yaml")


def rows_of(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def generated(contract, rows: int, dirty: float = 0.0, seed: int = 7) -> bytes:
    out = io.BytesIO()
    write_any(out, contract, rows=rows, dirty=dirty, seed=seed, now=NOW)
    return out.getvalue()


def verdicts(contract, data: bytes):
    records = [
        Record({name: normalise(text, contract.null_markers) for name, text in row.items()}, None, number)
        for number, row in enumerate(rows_of(data), start=1)
    ]
    return judge(contract, records, NOW)


def contracts(project: Path, cases: Path):
    paths = [
        project / "contracts/users.py",
        *(cases / "contracts" / f"{name}.yaml" for name in ("orders", "transactions")),
    ]
    return [*map(catalog.load, paths), toy()]


@pytest.mark.parametrize("number", range(4), ids=["users", "orders", "transactions", "toy"])
def test_without_dirt_every_row_keeps_every_rule(project, cases, number):
    contract = contracts(project, cases)[number]
    found = verdicts(contract, generated(contract, 500))
    assert [(each.reasons, each.warnings) for each in found] == [((), ())] * 500


@pytest.mark.parametrize("number", range(4), ids=["users", "orders", "transactions", "toy"])
def test_with_dirt_every_rule_is_broken_by_some_row_alone(project, cases, number):
    contract = contracts(project, cases)[number]
    found = verdicts(contract, generated(contract, 600, dirty=0.5))
    alone = {each.reasons[0] for each in found if len(each.reasons) == 1}
    assert alone == {rule.reason for rule in contract.rules}


def test_the_share_of_dirty_rows_is_the_one_asked_for():
    contract = toy()
    rejected = sum(bool(each.reasons) for each in verdicts(contract, generated(contract, 1000, dirty=0.2)))
    assert 150 < rejected < 250


def test_the_same_seed_gives_the_same_bytes():
    assert generated(toy(), 200, 0.3) == generated(toy(), 200, 0.3)


def test_another_seed_gives_another_file():
    assert generated(toy(), 200, seed=1) != generated(toy(), 200, seed=2)


def test_an_optional_column_is_missing_now_and_then():
    missing = Counter(row["status"] == "" for row in rows_of(generated(toy(), 300)))
    assert set(missing) == {True, False}


def test_no_rows_give_a_header_alone():
    text = generated(toy(), 0).decode()
    assert text == "booking_id,code,status,note,alias,start,end,at,price,pieces,total,flag,seat,day\n"


HEAD = "name: t\nversion: 1.0.0\nowner: o\ncolumns:\n"


@pytest.mark.parametrize(
    ("column", "rows", "rule"),
    [
        ('{name: a, type: int, required: true, checks: ["a > 5 AND a < 5"]}', 1, "a_check_1"),
        ('{name: a, type: string, required: true, pattern: "[a-c]", unique: true}', 4, "duplicate_a"),
        ('{name: a, type: string, required: true, pattern: "x+", allowed_values: [y]}', 1, "a_bad_format"),
    ],
)
def test_rules_that_cannot_be_kept_are_named_in_one_sentence(column, rows, rule):
    with pytest.raises(UnusableError, match=f"keep the rule {rule} of the contract t;"):
        generated(toy(f"{HEAD}  - {column}\n"), rows)


def test_a_small_set_of_unique_values_is_used_to_the_last():
    contract = toy(f'{HEAD}  - {{name: a, type: string, required: true, pattern: "[a-d][0-9]", unique: true}}\n')
    assert len({row["a"] for row in rows_of(generated(contract, 40))}) == 40


def test_a_contract_that_nothing_can_break_refuses_dirt():
    contract = toy(f"{HEAD}  - {{name: a, type: string}}\n")
    with pytest.raises(UnusableError, match="has no rule that a row could be made to break"):
        generated(contract, 1, dirty=1.0)


def test_a_rule_that_only_warns_is_broken_too():
    contract = toy(f"{HEAD}  - {{name: a, type: int, policy: warn, max: 9}}\n")
    assert any(each.warnings for each in verdicts(contract, generated(contract, 50, dirty=0.5)))


def test_column_names_of_any_kind_are_written_so_that_the_header_reads_back():
    contract = toy(HEAD + '  - {name: "a,b", type: int}\n  - {name: "Πόλη \\"x\\"", type: string, required: true}\n')
    assert list(rows_of(generated(contract, 2))[0]) == ["a,b", 'Πόλη "x"']


def test_a_file_of_one_seed_is_the_same_twice_also_compressed(tmp_path, run_cli):
    one, two = tmp_path / "one.csv.gz", tmp_path / "two.csv.gz"
    for out in (one, two):
        assert run_cli("generate", "users", "--rows", 50, "--dirty", 0.2, "--seed", 4, "--out", out).returncode == 0
    assert one.read_bytes() == two.read_bytes()
    assert len(gzip.decompress(one.read_bytes()).splitlines()) >= 51


def test_users_have_dirt_of_their_own_unless_a_share_is_asked_for(tmp_path, run_cli, project):
    out, direct = tmp_path / "users.csv", io.BytesIO()
    assert run_cli("generate", "users", "--rows", 20, "--seed", 4, "--out", out).returncode == 0
    write_users(direct, rows=20, seed=4)
    assert out.read_bytes() == direct.getvalue()


def test_standard_output_holds_the_file_alone(run_cli):
    done = run_cli("generate", "users", "--rows", 0, "--seed", 1)
    assert (done.stdout, done.stderr) == ("id,name,email,phone,zip_code,age,city\n", "0 rows for users, seed 1.\n")


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path, run_cli):
    done = run_cli("generate", "users", "--out", tmp_path / "none" / "x.csv")
    assert done.returncode == 2
    assert done.stderr.startswith("rowgate: ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "column",
    [
        '{name: a, type: date, required: true, checks: ["datediff(current_date(), a) < 1"]}',
        '{name: a, type: timestamp, required: true, checks: ["datediff(a, current_date()) >= 3"]}',
        "{name: a, type: string, required: true, checks: [\"lower(a) IN ('x', 'yy')\"]}",
        '{name: a, type: int, required: true, checks: ["abs(a) > 50000"]}',
        '{name: a, type: "decimal(9,3)", required: true, checks: ["a * a < 2 AND a < 0"]}',
        '{name: a, type: string, required: true, checks: ["length(a) = 3 AND upper(a) = a"]}',
    ],
)
def test_values_that_are_seldom_good_are_found(column):
    contract = toy(f"{HEAD}  - {column}\n")
    assert [each.reasons for each in verdicts(contract, generated(contract, 50))] == [()] * 50
