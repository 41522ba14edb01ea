"""References between contracts: what can be referred to, and which keys a rule looks at."""

import datetime as dt
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rowgate.adapters.lake import open_lake
from rowgate.commands.check_report import show
from rowgate.contract import catalog
from rowgate.contract.checks import References
from rowgate.contract.yaml_reader import read_yaml
from rowgate.errors import ContractError, RowgateError, UnusableError
from rowgate.stages.check import check
from rowgate.stages.generate_any import write_any
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.keys import find_keys, keep_keys, values_of
from rowgate.stages.run import Run

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
LATER = NOW + dt.timedelta(days=1)

CUSTOMERS = """\
name: customers
version: 1.0.0
owner: us
key: [{key}]
columns:
  - {{name: customer_id, type: {type}, required: true}}
  - {{name: region, type: string, required: true}}
"""
ORDERS = """\
name: orders
version: 1.0.0
owner: us
columns:
  - {{name: customer_id, type: string, required: true, in: {to}}}
"""


@pytest.fixture
def folder(tmp_path):
    """Writes contracts of customers and of orders that refer to them, and returns their folder."""
    place = tmp_path / "contracts"
    place.mkdir()

    def write(to="customers", key="customer_id", kind="string"):
        (place / "customers.yaml").write_text(CUSTOMERS.format(key=key, type=kind))
        (place / "orders.yaml").write_text(ORDERS.format(to=to))
        return place

    return write


@pytest.fixture
def lake(tmp_path):
    return open_lake(f"file://{tmp_path}/a lake, it's λίμνη")


@pytest.fixture
def customers():
    return read_yaml(CUSTOMERS.format(key="customer_id", type="string"), "customers.yaml")


@pytest.fixture
def orders():
    return read_yaml(ORDERS.format(to="customers"), "orders.yaml")


@pytest.fixture
def loaded(lake):
    """Leaves keys as the load of a run with these clean rows does."""

    def load(contract, run_id, *files, when=NOW):
        run = Run(contract.name, run_id, when)
        for number, columns in enumerate(files):
            with lake.create(f"{run.folder('clean')}/part-{number}.parquet") as out:
                pq.write_table(pa.table(columns), out)
        keep_keys(contract, run, lake)
        return run

    return load


@pytest.mark.parametrize("to", ["customers", "customers.customer_id"])
def test_a_reference_to_another_contract_of_the_folder_fits(folder, to):
    assert catalog.find("orders", folder(to)).rules[-1].reason == "customer_id_not_in_customers"
    assert len(catalog.load_all(folder(to))) == 2


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"to": "custmers"}, "there is no contract 'custmers'; did you mean customers?"),
        ({"to": "zzz"}, "there is no contract 'zzz'; it is one of: customers, orders."),
        ({"to": "orders"}, "the contract orders has no key, so that nothing can refer to it; give it one."),
        ({"to": "customers.region"}, "'region' is not in the key of customers; it is one of: customer_id."),
        (
            {"key": "customer_id, region"},
            "the key of customers has several columns; name one of them: customer_id, region.",
        ),
        (
            {"kind": "bigint"},
            "customers.customer_id is bigint, and the column that refers to it is string; give both one type.",
        ),
    ],
)
@pytest.mark.parametrize("load", [catalog.load_all, lambda place: catalog.find("orders", place)], ids=["all", "one"])
def test_a_reference_that_does_not_fit_is_told_when_the_contract_is_found(folder, load, settings, sentence):
    place = folder(**settings)
    with pytest.raises(ContractError) as caught:
        load(place)
    reason = f"customer_id_not_in_{settings.get('to', 'customers').partition('.')[0]}"
    assert str(caught.value) == f"{place / 'orders.yaml'}:5: Contract orders, rule {reason}: {sentence}"


def test_a_contract_at_a_path_can_refer_to_one_beside_it(folder, tmp_path):
    assert catalog.find(str(folder() / "orders.yaml"), tmp_path / "elsewhere").name == "orders"


def test_a_contract_that_cannot_be_read_does_not_hide_the_one_referred_to(folder):
    (folder() / "broken.py").write_text("1 / 0")
    assert catalog.find("orders", folder()).name == "orders"


def test_a_contract_can_refer_to_itself(tmp_path):
    file = tmp_path / "parts.yaml"
    file.write_text(
        "name: parts\nversion: 1.0.0\nowner: us\nkey: [part]\ncolumns:\n"
        "  - {name: part, type: bigint, required: true}\n  - {name: parent, type: int, in: parts}\n"
    )
    assert catalog.find("parts", tmp_path).rules[-1].check == References("parts")


def test_the_keys_of_a_run_are_the_key_s_columns_of_its_clean_rows(lake, loaded, customers):
    run = loaded(customers, "one", {"region": ["n", "s"], "customer_id": ["a", "b"]}, {"customer_id": ["c"]})
    table = pq.read_table(lake.local("keys/customers/dt=2026-03-01/one.parquet"), partitioning=None)
    assert (run.file("keys", ".parquet"), table.to_pydict()) == (
        "keys/customers/dt=2026-03-01/one.parquet",
        {"customer_id": ["a", "b", "c"]},
    )


def test_the_keys_made_again_are_the_same_file(lake, loaded, customers):
    run = loaded(customers, "one", {"customer_id": ["a", "b"]})
    before = lake.read_bytes(run.file("keys", ".parquet"))
    loaded(customers, "one", {"customer_id": ["a", "b"]})
    assert (lake.list("keys"), lake.read_bytes(run.file("keys", ".parquet"))) == (
        [run.file("keys", ".parquet")],
        before,
    )


def test_a_reference_looks_at_the_keys_of_every_load(lake, loaded, customers, orders):
    loaded(customers, "one", {"customer_id": ["a"]})
    loaded(customers, "two", {"customer_id": ["b"]}, when=LATER)
    (found,) = find_keys(orders, lake).values()
    assert list(values_of(found, 9)) == ["a", "b"]
    assert list(values_of(found, 1)) == ["a"]


def test_a_run_does_not_find_its_own_keys(lake, loaded):
    text = CUSTOMERS.format(key="customer_id", type="string") + "  - {name: friend, type: string, in: customers}\n"
    contract = read_yaml(text, "customers.yaml")
    run = loaded(contract, "one", {"customer_id": ["a"]})
    assert find_keys(contract, lake, run) == {}


def test_keys_of_another_type_are_refused(lake, loaded, orders):
    loaded(read_yaml(CUSTOMERS.format(key="customer_id", type="int"), "c.yaml"), "one", {"customer_id": [1]})
    with pytest.raises(UnusableError, match=r"one\.parquet holds keys of customers as another version"):
        find_keys(orders, lake)


def test_a_damaged_file_of_keys_is_told(lake, orders):
    lake.write_bytes("keys/customers/dt=2026-03-01/one.parquet", b"PAR1")
    with pytest.raises(RowgateError, match=r"one\.parquet is not whole Parquet"):
        find_keys(orders, lake)


@pytest.fixture
def judge(lake):
    def run(contract, data, run_id="r"):
        which = Run(contract.name, run_id, NOW)
        ingest(contract, which, Source("in.csv", lambda: io.BytesIO(data)), lake)
        return transform_duckdb(contract, which, lake, now=NOW)

    return run


NOT_EVALUATED = {
    "name": "customer_id_not_in_customers",
    "value": None,
    "threshold": 0,
    "state": "not_evaluated",
    "low": None,
    "allowed": "at most 0",
}


def test_a_run_before_any_keys_were_loaded_breaks_no_reference_and_says_so(judge, orders):
    report = judge(orders, b"customer_id\na\nx\n")
    assert (report.accepted, json.loads(report.to_json())["quality_rules"]) == (2, [NOT_EVALUATED])


def test_a_missing_value_breaks_its_rule_where_a_reference_is_not_evaluated(judge, orders):
    assert judge(orders, b"customer_id\na\n \n").violations_by_reason["missing_customer_id"] == 1


def test_a_run_after_a_load_rejects_what_is_no_key(judge, loaded, customers, orders):
    loaded(customers, "one", {"customer_id": ["a"]})
    report = judge(orders, b"customer_id\na\nx\n")
    assert (report.accepted, report.rejected_by_reason["customer_id_not_in_customers"]) == (1, 1)
    assert report.quality_rules == []


def test_a_load_of_no_rows_leaves_keys_that_no_value_is_among(judge, loaded, customers, orders):
    loaded(customers, "one")
    assert judge(orders, b"customer_id\na\n").rejected == 1


@pytest.fixture
def checked(tmp_path, orders):
    def run(loaded):
        file = tmp_path / "orders.csv"
        file.write_bytes(b"customer_id\na\nx\n")
        return check(orders, file, engine="duckdb", now=NOW, loaded=loaded)

    return run


def test_a_check_looks_at_the_keys_of_the_lake_it_is_given(checked, lake, loaded, customers):
    loaded(customers, "one", {"customer_id": ["a"]})
    report = checked(lambda: lake)
    assert (report.rejected, report.quality_rules) == (1, [])


@pytest.mark.parametrize("with_lake", [True, False], ids=["a lake without keys", "no lake"])
def test_a_check_without_keys_says_not_evaluated(checked, lake, with_lake):
    report = checked((lambda: lake) if with_lake else None)
    assert (report.rejected, report.to_dict()["quality_rules"]) == (0, [NOT_EVALUATED])


def test_a_person_is_told_that_no_keys_are_loaded_yet(checked, orders, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    show(orders, checked(None), {})
    assert (
        "customer_id_not_in_customers      -  at most 0  not evaluated: no keys are loaded yet"
        in capsys.readouterr().out
    )


def _generated(contract, dirty, keys):
    out = io.BytesIO()
    write_any(out, contract, rows=200, dirty=dirty, seed=7, now=NOW, keys=keys)
    return out.getvalue().decode().split("\r\n" if b"\r\n" in out.getvalue() else "\n")[1:-1]


def test_generated_values_are_drawn_from_the_keys(orders):
    assert set(_generated(orders, 0.0, {References("customers"): ["a1", "b2"]})) == {"a1", "b2"}


def test_a_dirty_file_has_values_that_are_no_keys(orders):
    rows = _generated(orders, 0.5, {References("customers"): ["a1", "b2"]})
    assert {"a1", "b2"} < set(rows)
    assert any(row.strip() not in ("a1", "b2", "") for row in rows)


def test_without_keys_generated_values_are_plausible(orders):
    assert all(row.strip() for row in _generated(orders, 0.0, {}))
