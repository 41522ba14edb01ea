"""The main job: dirty rows in, tested marts out, and the rule that stopped each of the others."""

import json
from hashlib import md5

import pyarrow.parquet as pq
import pytest

from rowgate.contract import catalog


@pytest.fixture(scope="module")
def report(stack, first_run) -> dict:
    (file,) = (stack.lake / "quality" / "users").rglob("*.json")
    return json.loads(file.read_text())


@pytest.fixture(scope="module")
def zones(stack, first_run) -> dict[str, list[dict]]:
    return {zone: read(stack, zone) for zone in ("records", "clean", "rejects")}


def read(stack, zone) -> list[dict]:
    return [
        row
        for file in sorted((stack.lake / zone).rglob("*.parquet"))
        for row in pq.ParquetFile(file).read().to_pylist()
    ]


def test_the_run_is_green(first_run):
    assert first_run.returncode == 0, first_run.stdout + first_run.stderr


def test_the_summary_tells_the_reports_figures(first_run, report):
    told = dict(line.rsplit(maxsplit=1) for line in first_run.stdout.splitlines() if len(line.split()) > 1)
    assert [int(told[name]) for name in ("rows in", "accepted", "rejected", "inserted")] == [
        report[name] for name in ("total", "accepted", "rejected", "inserted")
    ]


def test_every_task_is_named_while_it_works(first_run):
    done = [line.split()[0] for line in first_run.stderr.splitlines() if " done " in line]
    assert done == ["generate", "transform", "load", "dbt_run", "dbt_test"]


def test_every_record_is_in_clean_or_in_rejects_once(zones):
    numbers = sorted(row["record_number"] for zone in ("clean", "rejects") for row in zones[zone])
    assert numbers == list(range(1, 401)) == sorted(row["record_number"] for row in zones["records"])


def test_the_first_reason_is_the_first_of_the_list(zones):
    assert all(row["rejection_reason"] == row["rejection_reasons"][0] for row in zones["rejects"])


def test_the_key_is_the_md5_of_name_email_and_phone(zones):
    texts = {row["record_number"]: row for row in zones["records"]}
    for row in zones["clean"]:
        source = texts[row["record_number"]]
        assert row["user_id"] == md5(f"{source['name']}||{source['email']}||{source['phone']}".encode()).hexdigest()


def test_the_warehouse_holds_the_rows_that_were_inserted(stack, report):
    assert stack.sql("SELECT count(*) FROM warehouse.users") == [[str(report["inserted"])]]


def test_a_postcode_keeps_its_leading_zero(stack, report):
    ((kind,),) = stack.sql(
        "SELECT data_type FROM information_schema.columns WHERE table_schema = 'warehouse' AND column_name = 'zip_code'"
    )
    assert kind == "text"


def test_the_marts_count_every_person_of_the_warehouse(stack, report):
    for mart in ("users_by_city", "users_by_age_band"):
        assert stack.sql(f"SELECT sum(users) FROM marts.{mart}") == [[str(report["inserted"])]]


def test_the_gauges_hold_the_reports_figures(listener, report):
    for figure in ("total", "accepted", "rejected", "accept_rate", "inserted", "updated", "unchanged", "repeated"):
        assert listener.gauges[f"airflow.dq.users.{figure}"] == pytest.approx(report[figure])


def test_a_reason_that_nothing_broke_is_a_gauge_of_0(listener, first_run):
    assert listener.gauges["airflow.dq.users.rejected_by_reason.malformed_record"] == 0


def test_airflows_own_metrics_go_to_the_same_place(listener, first_run):
    assert any(name.startswith("airflow.ti.") for name in listener.names)


def test_no_value_of_a_row_is_in_the_report(report, zones):
    text = json.dumps(report)
    assert not [row for row in zones["records"] if "@" in (row["email"] or "") and row["email"] in text]


def test_a_bad_row_written_by_hand_is_refused(stack, first_run):
    done = stack.rowgate("psql", "-X", "-c", "UPDATE warehouse.users SET age = 17")
    assert done.returncode != 0


@pytest.fixture(scope="module")
def second_run(stack, first_run):
    before = stack.sql("SELECT count(*) FROM warehouse.users")
    return before, stack.rowgate("run", "users", "--rows", 400, "--seed", 7)


def test_the_same_file_again_inserts_nothing(stack, second_run):
    before, done = second_run
    assert done.returncode == 0, done.stdout + done.stderr
    assert "inserted 0 " in " ".join(done.stdout.split())
    assert stack.sql("SELECT count(*) FROM warehouse.users") == before


def test_a_second_run_leaves_the_firsts_evidence_alone(stack, second_run):
    assert len(list((stack.lake / "raw" / "users").rglob("*.csv"))) == 2
    assert len(list((stack.lake / "quality" / "users").rglob("*.json"))) == 2


def test_a_users_own_file_is_run_in_place_of_a_generated_one(stack, second_run, tmp_path):
    file = tmp_path / "my users.csv"
    file.write_text(
        "id,name,email,phone,zip_code,age,city\n1,Anna Lee,anna@mail.gr,6912345678,01234,34,Athens\n2,,x,,,,\n"
    )
    done = stack.rowgate("run", "users", "--source", file)
    assert done.returncode == 0, done.stdout + done.stderr
    key = md5(b"Anna Lee||anna@mail.gr||6912345678").hexdigest()
    assert stack.sql(f"SELECT zip_code FROM warehouse.users WHERE user_id = '{key}'") == [["01234"]]


def test_a_file_that_breaks_the_gate_fails_the_run_and_says_why(stack, second_run, tmp_path):
    file = tmp_path / "extra.csv"
    file.write_text("id,name,email,phone,vip,zip_code,age,city\n")
    done = stack.rowgate("run", "users", "--source", file)
    assert done.returncode == 1
    assert "generate failed" in done.stderr
    assert "vip" in done.stderr


def test_a_missing_source_is_told_at_once(stack):
    done = stack.rowgate("run", "users", "--source", "/no/such/file.csv")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_contract_that_is_not_there_is_told_at_once(stack, project):
    done = stack.rowgate("run", "nobody")
    assert done.returncode == 2
    assert all(name in done.stderr for name in ("nobody", *catalog.names(project / "contracts")))


def test_two_contracts_run_at_once(new_stack, tmp_path):
    """In a new state folder, where both have everything to prepare."""
    fresh = new_stack()
    started = []
    for name in ("till_orders", "transactions"):
        file = tmp_path / f"{name}.csv"
        assert fresh.rowgate("generate", name, "--rows", 50, "--seed", 1, "--out", file).returncode == 0
        started.append(fresh.start("run", name, "--source", file, "--engine", "duckdb"))
    ends = [(run.communicate()[1], run.returncode) for run in started]
    assert [code for _, code in ends] == [0, 0], ends
    assert fresh.sql(
        "SELECT (SELECT count(*) FROM warehouse.till_orders), (SELECT count(*) FROM warehouse.transactions)"
    ) == [["50", "50"]]
