"""A draft of a contract from a file: it reads, and the file it came from meets it."""

import datetime as dt
import gzip
import io
from importlib.util import find_spec
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rowgate.contract import catalog
from rowgate.contract.model import Pii
from rowgate.contract.types import type_name
from rowgate.contract.yaml_reader import read_yaml
from rowgate.errors import UnusableError
from rowgate.stages.generate import write_users
from rowgate.stages.generate_any import write_any
from rowgate.stages.init import contract_name, draft_contract
from rowgate.stages.records import read_records
from rowgate.targets.reference import Record, judge

NOW = dt.datetime(2026, 9, 15, tzinfo=dt.UTC)


def drafted(data: bytes | str, folder: Path, name: str = "toy.csv"):
    file = folder / name
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    draft = draft_contract(file, "toy", NOW)
    return file, draft, read_yaml(draft.text, "toy.yaml")


def reasons(contract, file: Path) -> list[tuple[str, ...]]:
    out = io.BytesIO()
    names = [column.name for column in contract.columns]
    with file.open("rb") as source:
        read_records(source, columns=names, null_markers=contract.null_markers, run_id="r", out=out)
    rows = pq.read_table(io.BytesIO(out.getvalue())).to_pylist()
    records = [Record({name: row[name] for name in names}, row["raw_record"], row["record_number"]) for row in rows]
    return [verdict.reasons for verdict in judge(contract, records, NOW)]


def types(contract) -> dict[str, str]:
    return {column.name: type_name(column.type) for column in contract.columns}


def vega() -> list[Path]:
    found = find_spec("vega_datasets")
    return sorted(Path(str(found.submodule_search_locations[0]), "_data").glob("*.csv")) if found else []


@pytest.mark.parametrize("file", vega(), ids=lambda file: file.stem)
def test_a_public_file_meets_its_own_draft(file):
    contract = read_yaml(draft_contract(file, contract_name(file), NOW).text, "draft.yaml")
    assert set(reasons(contract, file)) == {()}


@pytest.mark.parametrize("dirty", [0.0, 0.3])
@pytest.mark.parametrize("name", ["orders", "transactions"])
def test_a_generated_file_meets_its_own_draft(cases, tmp_path, name, dirty):
    out = io.BytesIO()
    write_any(out, catalog.load(cases / f"contracts/{name}.yaml"), rows=400, dirty=dirty, seed=1, now=NOW)
    file, _, contract = drafted(out.getvalue(), tmp_path)
    assert set(reasons(contract, file)) == {()}


def test_a_file_of_dirty_people_meets_its_own_draft(tmp_path):
    out = io.BytesIO()
    write_users(out, rows=1000, seed=3)
    file, _, contract = drafted(out.getvalue(), tmp_path)
    assert set(reasons(contract, file)) == {()}


def test_the_draft_of_good_payments_finds_the_rules_again(cases, tmp_path):
    out = io.BytesIO()
    write_any(out, catalog.load(cases / "contracts/transactions.yaml"), rows=400, dirty=0, seed=1, now=NOW)
    _, draft, contract = drafted(out.getvalue(), tmp_path)
    assert types(contract) == {
        "transaction_id": "int",
        "customer_id": "int",
        "amount": "decimal(10,2)",
        "transaction_date": "date",
        "status": "string",
        "currency": "string",
    }
    assert "allowed_values: [completed, failed, pending, reversed]  # confirm: " in draft.text
    assert contract.key_columns == ("transaction_id",)


COLUMNS = {
    "whole": ("int", [str(n) for n in range(-5, 15)]),
    "large": ("bigint", [str(10**12 + n) for n in range(20)]),
    "huge": ("string", [str(10**25 + n) for n in range(20)]),
    "money": ("decimal(5,2)", [f"{n}.5{n % 10}" if n % 2 else str(n % 10) for n in range(20)][:9] + ["7.25"] * 11),
    "leading": ("string", [f"{n:05}" for n in range(20)]),
    "flag": ("boolean", ["true", "FALSE"] * 10),
    "day": ("date", [f"2024-02-{n + 1:02}" for n in range(20)]),
    "no_day": ("string", [f"2024-02-{n + 11:02}" for n in range(20)]),
    "moment": ("timestamp", [f"2024-02-01 10:{n:02}" for n in range(20)]),
    "abroad": ("timestamp", [f"2024-02-01T10:{n:02}:00.5+02:00" for n in range(20)]),
    "exponent": ("string", ["1e3"] * 20),
    "comma": ("string", ['"12,5"'] * 20),
    "nothing": ("string", [""] * 20),
    "phone": ("string", [f"69123456{n:02}" for n in range(20)]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_the_type_is_the_narrowest_that_every_value_is_of(tmp_path, name):
    kind, values = COLUMNS[name]
    file, _, contract = drafted(f"{name},x\n" + "".join(f"{value},1\n" for value in values), tmp_path)
    assert types(contract)[name] == kind
    assert set(reasons(contract, file)) == {()}


DAY = "(1[89]|2[01])[0-9]{2}/(0[1-9]|1[0-2])/(0[1-9]|[12][0-9]|3[01])"


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([f"{n:05}" for n in range(20)], 'pattern: "[0-9]{5}"'),
        ([f"A-{n:02}/x" for n in range(20)], 'pattern: "[A-Z]-[0-9]{2}/[a-z]"'),
        ([f"2012/01/{n + 1:02}" for n in range(20)], f'pattern: "{DAY}"'),
        ([f"a{n}@post.example" for n in range(20)], "pii: direct"),
        ([f"+30 69123456{n:02}" for n in range(20)], "pii: direct"),
        (["Anna Lee", "Bo Berg", "Eva Novak", "Finn Holm", "Gita Rao"] * 2, "pii: direct"),
        (["red", "green"] * 10, "allowed_values: [green, red]"),
        (["NO", "YES"] * 10, 'allowed_values: ["NO", "YES"]'),
    ],
)
def test_what_values_have_in_common_becomes_a_marked_line(tmp_path, values, line):
    _, draft, _ = drafted("x,thing\n" + "".join(f"1,{value}\n" for value in values), tmp_path)
    assert any(each.strip().startswith(f"{line}  # confirm: ") for each in draft.text.splitlines())


def test_a_null_marker_beside_numbers_is_found(tmp_path):
    file, _, contract = drafted("a,b\n" + "1,x\nNA,y\n3,-\n" * 5, tmp_path)
    assert (contract.null_markers, types(contract)["a"], contract.column("a").required) == (("NA",), "int", False)
    assert set(reasons(contract, file)) == {()}


def test_no_value_of_a_personal_column_stands_in_the_draft(tmp_path):
    people = [("Anna", "anna@post.example", "F", "1961-03-07"), ("Zoe", "zoe@post.example", "M", "2001-11-23")]
    rows = "".join(f"{','.join(person)}\n" for person in people * 10)
    _, draft, contract = drafted(f"first name,contact,gender,birth date\n{rows}", tmp_path)
    assert all(column.pii is not Pii.NONE for column in contract.columns)
    cells = {cell for person in people for cell in person if len(cell) > 1}
    assert not [cell for cell in cells if cell in draft.text]
    assert "allowed_values" not in draft.text


PERSONAL = {
    "age": (["41", "43", "42"], "int", Pii.QUASI),
    "salary": (["41234.50", "41987.10"], "decimal(9,2)", Pii.QUASI),
    "date_of_birth": (["1961-03-07", "1962-11-23"], "date", Pii.QUASI),
    "born_at": (["1961-03-07 10:00", "1962-11-23 11:30"], "timestamp", Pii.QUASI),
    "payment": (["4111111111111111", "5500005555555559", "4012888888881881"], "string", Pii.DIRECT),
    "reference": (["6912345678", "6987654321", "2101234567"], "string", Pii.DIRECT),
    "call": (["12125550123", "13105550188"], "string", Pii.DIRECT),
    "amka": (["17036100013", "23110100027"], "string", Pii.DIRECT),
    "AFM": (["123456783", "987654321"], "string", Pii.DIRECT),
    "VAT": (["123456783", "987654321"], "string", Pii.DIRECT),
    "ssn": (["123456789", "987654321"], "string", Pii.DIRECT),
    "credit_card": (["41234567", "41234568"], "string", Pii.DIRECT),
    "holder_no": (["090000045", "094014201", "099999999"], "string", Pii.DIRECT),
}


@pytest.mark.parametrize("name", PERSONAL)
def test_no_value_nor_an_end_made_of_one_is_drafted_of_what_may_be_personal(tmp_path, name):
    values, kind, pii = PERSONAL[name]
    file, draft, contract = drafted(f"{name},x\n" + "".join(f"{value},1\n" for value in values * 7), tmp_path)
    column = contract.columns[0]
    assert (types(contract)[name], column.pii) == (kind, pii)
    block = draft.text.split("name: x\n")[0].split("columns:")[1]
    assert "min:" not in block
    assert "max:" not in block
    assert not [value for value in values if value[:4] in block]
    assert set(reasons(contract, file)) == {()}


def test_numbers_that_are_no_card_s_stay_numbers(tmp_path):
    rows = "".join(f"{4 * 10**15 + n * 7919},0.24,{n}\n" for n in range(50))
    _, _, contract = drafted(f"serial,vat,pan_no\n{rows}", tmp_path)
    assert types(contract) == {"serial": "bigint", "vat": "decimal(4,2)", "pan_no": "string"}


def test_malformed_records_are_said_and_the_others_drafted_from(tmp_path):
    file, draft, contract = drafted("a,b\n1,2\nonly\n3,4\n", tmp_path)
    assert (draft.records, draft.malformed) == (3, 1)
    assert "# 1 of the records are malformed; the contract rejects them." in draft.text
    assert reasons(contract, file) == [(), ("malformed_record",), ()]


def test_a_gzip_file_is_drafted_from(tmp_path):
    _, _, contract = drafted(gzip.compress(b"a,b\n1,2\n"), tmp_path, "toy.csv.gz")
    assert types(contract) == {"a": "int", "b": "int"}


def test_a_header_without_rows_gives_optional_texts(tmp_path):
    file, _, contract = drafted("a,b\n", tmp_path)
    assert types(contract) == {"a": "string", "b": "string"}
    assert reasons(contract, file) == []


@pytest.mark.parametrize(
    "header",
    [
        "Miles per Gallon,Weight (lbs),a-b",
        "όνομα,χώρα!,ημέρα",
        "名前,年齢,日付",
        'a,"b,c","d ""e"""',
        "a b,a-b,a_b",
        "true,null,NO",
        "2001,2002,2003",
        "#,: x,- y",
        f"{'n' * 200},b,c",
        "a`b,a'b,a\\b",
    ],
)
def test_names_of_any_kind_give_a_draft_that_reads_and_holds(tmp_path, header):
    rows = "".join(f"{n},x{n},2024-01-{n + 1:02}\n" for n in range(20))
    file, _, contract = drafted(f"{header}\n{rows}", tmp_path)
    assert set(reasons(contract, file)) == {()}


@pytest.mark.parametrize("value", ["2024-01-{:02}", "2024-01-{:02} 10:00"])
@pytest.mark.parametrize(
    "name",
    [
        *("when", "select", "case", "from", "then", "between", "null", "true", "not", "like", "any", "union", "date"),
        *("timestamp", "interval", "current_date", "a b", "a`b", "1st"),
    ],
)
def test_a_moment_named_like_a_word_of_sql_gives_a_check_that_reads(tmp_path, name, value):
    rows = "".join(f"{n},{value.format(n + 1)}\n" for n in range(20))
    file, draft, contract = drafted(f"n,{name}\n{rows}", tmp_path)
    assert "_in_the_future" in draft.text
    assert set(reasons(contract, file)) == {()}


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("a,,c\n1,2,3\n", "column 2 of the header has no name; give it one."),
        ("a,b,a\n1,2,3\n", "the header has the column 'a' twice; rename one of them."),
        ("a,b,A\n1,2,3\n", r"the header has the column 'A' twice \(also as 'a'\); rename one of them."),
        ("a,Run_ID\n1,2\n", "the column name 'Run_ID' is one that rowgate adds itself; rename it."),
        ("a;b;c\n1;2;3\n", "is separated by semicolons; save it as CSV, with commas."),
        ("Anna,anna@post.example\nBo,bo@post.example\n", "the first line looks like data;"),
        ("17,3,8\n1,2,3\n", "the first line looks like data;"),
        ("1,2,3\n4,5,6\n", "the first line looks like data;"),
        ("1\n2\n", "the first line looks like data;"),
        ("red,open,x1\ngreen,open,x2\nred,shut,x3\n", "the first line looks like data;"),
        ("", "The file is empty"),
        (gzip.compress(b"a,b\n1,2\n" * 500)[:-9], "gzip"),
        ("a,b\n".encode("utf-16"), "UTF-8"),
    ],
)
def test_a_file_that_cannot_be_drafted_from_is_refused_in_a_sentence(tmp_path, data, sentence):
    with pytest.raises(UnusableError, match=sentence) as caught:
        drafted(data, tmp_path)
    assert "Anna" not in str(caught.value)


def test_a_name_is_made_of_the_files():
    assert contract_name(Path("/x/Sales-Report (2024).csv.gz")) == "sales_report_2024"


def test_a_file_whose_name_gives_none_asks_for_one():
    with pytest.raises(UnusableError, match="give one with --name"):
        contract_name(Path("πελάτες.csv"))


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("AAPL,Jan 1 2001,10.81", "AAPL,Jan 1 2001,-10.81", "price_out_of_range"),
        ("AAPL,Jan 1 2001,10.81", "AAPL,Jan 1 2001,10.8 USD", "invalid_type_price"),
        ("AAPL,Jan 1 2001,10.81", "APPL,Jan 1 2001,10.81", "symbol_not_allowed"),
        ("AAPL,Jan 1 2001,10.81", "AAPL,2001-01-01,10.81", "date_bad_format"),
        ("AAPL,Jan 1 2001,10.81", "AAPL,Jan 1 2001,", "missing_price"),
        ("AAPL,Jan 1 2001,10.81", "AAPL,Feb 1 2001,10.81", "duplicate_symbol_date"),
    ],
)
def test_one_thing_broken_in_a_copy_is_told(tmp_path, old, new, reason):
    stocks = next(file for file in vega() if file.stem == "stocks")
    contract = read_yaml(draft_contract(stocks, "stocks", NOW).text, "draft.yaml")
    text = stocks.read_text()
    assert old in text
    copy = tmp_path / "stocks.csv"
    copy.write_text(text.replace(old, new, 1))
    assert [each for each in reasons(contract, copy) if each] == [(reason,)]


def test_a_draft_never_replaces_a_contract_unless_told(tmp_path, run_cli):
    file = tmp_path / "a.csv"
    file.write_text("a\n1\n")
    out = tmp_path / "a.yaml"
    out.write_text("mine")
    refused = run_cli("init", file, "--out", out)
    assert (refused.returncode, out.read_text()) == (2, "mine")
    assert run_cli("init", file, "--out", out, "--force").returncode == 0
    assert out.read_text().startswith("# Drafted from a.csv (1 records).")


def test_the_draft_of_a_name_that_another_contract_has_is_refused(run_cli, project, tmp_path):
    file = tmp_path / "users.csv"
    file.write_text("a\n1\n")
    refused = run_cli("init", file)
    assert refused.returncode == 2
    assert f"There is a contract users in {project / 'contracts' / 'users.py'} already" in refused.stderr
