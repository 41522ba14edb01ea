"""Airflow as a person meets it: its page's REST API, a run by form, each task cleared and run again."""

import json
import re
import urllib.parse
import urllib.request
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rowgate.embedded.postgres_process import free_port
from rowgate.stages.run import path_id

TASKS = ("generate", "transform", "load", "dbt_run", "dbt_test")
FIRST, SECOND = "a:b+c", "a_3Ab_2Bc"
"""Two run ids that would be one, were `:` and `+` only replaced."""


class Api:
    """Airflow's REST API, as the user admin."""

    def __init__(self, address: str, password: str) -> None:
        self.address = address
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        self.token = ""
        self.token = self("POST", "/auth/token", username="admin", password=password)["access_token"]

    def __call__(self, method: str, path: str, **body: object) -> dict:
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.address + path, data=data, headers=headers, method=method)  # noqa: S310 - http
        with self.opener.open(request, timeout=60) as answer:
            return json.load(answer)

    def run(self, run_id: str, rest: str = "") -> str:
        return f"/api/v2/dags/users_etl/dagRuns/{urllib.parse.quote(run_id, safe='')}{rest}"


@pytest.fixture(scope="module")
def stack(new_stack):
    return new_stack()


@pytest.fixture(scope="module")
def api(stack, until):
    port = free_port(0)
    process = stack.having(AIRFLOW__API__PORT=str(port), ROWGATE_RETRIES="0").start("airflow")
    try:
        # The end of the pipe ends the loop, where Airflow does not come up.
        told = next(line for line in process.stderr if line.startswith("Airflow is at "))
        passwords = Path(re.search(r"password in (.*)\); Ctrl-C", told).group(1))
        made = Api(f"http://127.0.0.1:{port}", json.loads(passwords.read_text())["admin"])
        until(lambda: any(dag["dag_id"] == "users_etl" for dag in made("GET", "/api/v2/dags")["dags"]))
        yield made
    finally:
        process.terminate()
        process.communicate(timeout=90)


@pytest.fixture(scope="module")
def ended(api, until):
    """Wait until a run has ended, and return its state."""

    def wait(run_id):
        return until(lambda: (state := api("GET", api.run(run_id))["state"]) in ("success", "failed") and state)

    return wait


@pytest.fixture(scope="module")
def first(api, ended):
    """The state of a run with the form's values."""
    conf = {"rows": 80, "seed": 3}
    api("POST", "/api/v2/dags/users_etl/dagRuns", dag_run_id=FIRST, conf=conf, logical_date=None)
    return ended(FIRST)


@pytest.fixture(scope="module")
def second(api, ended, first, tmp_path_factory):
    """The state of a run of a user's own file, which is gone afterwards."""
    file = tmp_path_factory.mktemp("own") / "my users.csv"
    good = "1,Anna Lee,anna@mail.gr,6912345678,01234,34,Athens\n"
    file.write_text(f"id,name,email,phone,zip_code,age,city\n{good}2,,x,,,,\n")
    conf = {"source": str(file)}
    api("POST", "/api/v2/dags/users_etl/dagRuns", dag_run_id=SECOND, conf=conf, logical_date=None)
    state = ended(SECOND)
    file.unlink()
    return state


@pytest.fixture(scope="module")
def cleared(api, until, ended, second):
    """Clear one task of a run, let it run again, and return the run's state."""

    def clear(run_id, task):
        path = api.run(run_id, f"/taskInstances/{task}")
        before = api("GET", path)["try_number"]
        api(
            "POST",
            "/api/v2/dags/users_etl/clearTaskInstances",
            dry_run=False,
            only_failed=False,
            dag_run_id=run_id,
            task_ids=[task],
        )
        until(lambda: (now := api("GET", path))["try_number"] > before and now["state"] in ("success", "failed"))
        return ended(run_id)

    return clear


def files(stack, run_id=None) -> dict[str, bytes]:
    """The lake's files, of one run or of all, and what is in them."""
    mine = "" if run_id is None else f"/{path_id(run_id)}"
    found = ((file.relative_to(stack.lake).as_posix(), file) for file in stack.lake.rglob("*") if file.is_file())
    return {key: file.read_bytes() for key, file in found if mine in key}


def evidence(kept: dict[str, bytes]) -> dict[str, bytes]:
    return {key: value for key, value in kept.items() if key.startswith(("raw/", "quality/"))}


def numbers(stack, zone, run_id) -> list[int]:
    parts = sorted((stack.lake / zone).rglob(f"{path_id(run_id)}/*.parquet"))
    return sorted(number for part in parts for number in pq.ParquetFile(part).read(["record_number"])[0].to_pylist())


def test_a_run_triggered_over_rest_goes_green(first):
    assert first == "success"


def test_the_form_asks_for_rows_seed_and_source(api):
    params = api("GET", "/api/v2/dags/users_etl/details")["params"]
    assert {name: params[name]["value"] for name in ("rows", "seed", "source")} == {
        "rows": 1000,
        "seed": None,
        "source": None,
    }


def test_the_warehouse_table_is_announced_as_an_asset(api, first):
    events = api("GET", "/api/v2/assets/events?source_dag_id=users_etl")["asset_events"]
    assert ("rowgate://warehouse/users", FIRST) in [(each["uri"], each["source_run_id"]) for each in events]


def test_run_ids_that_look_alike_have_places_of_their_own(stack, second):
    assert second == "success"
    totals = Counter(report["run_id"] for report in stack.reports())
    assert totals == {FIRST: 1, SECOND: 1}
    assert [len(numbers(stack, "records", run_id)) for run_id in (FIRST, SECOND)] == [80, 2]


@pytest.fixture(scope="module", params=TASKS)
def again(request, stack, cleared):
    """The run's state, and what there was and is, after one task alone was cleared and run again."""
    counted = "SELECT count(*), max(loaded_at) FROM warehouse.users"
    before, rows = files(stack), stack.sql(counted)
    state = cleared(FIRST, request.param)
    return state, (before, rows), (files(stack), stack.sql(counted))


def test_a_task_cleared_and_run_again_goes_green(again):
    assert again[0] == "success"


def test_a_task_run_again_leaves_the_evidence_as_it_was(again):
    _, (before, _), (after, _) = again
    assert evidence(after) == evidence(before)


def test_a_task_run_again_leaves_no_stale_files(again, stack):
    together = numbers(stack, "clean", FIRST) + numbers(stack, "rejects", FIRST)
    assert sorted(together) == list(range(1, 81)) == numbers(stack, "records", FIRST)


def test_a_task_run_again_leaves_the_warehouse_as_it_was(again):
    _, (_, before), (_, after) = again
    assert after == before


def test_a_task_run_again_touches_no_other_run(again):
    _, (before, _), (after, _) = again
    others, others_now = (
        {key: value for key, value in each.items() if f"/{path_id(FIRST)}" not in key} for each in (before, after)
    )
    assert others_now == others


def test_a_first_task_run_again_needs_its_source_no_more(cleared, stack):
    before = evidence(files(stack))
    assert cleared(SECOND, "generate") == "success"
    assert (evidence(files(stack)), len(numbers(stack, "records", SECOND))) == (before, 2)


def test_the_scheduler_takes_no_part_in_a_run_of_the_command_line(api, stack, second):
    done = stack.rowgate("run", "users", "--rows", 20, "--seed", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    runs = api("GET", "/api/v2/dags/users_etl/dagRuns")["dag_runs"]
    assert {run["dag_run_id"] for run in runs} == {FIRST, SECOND}


def test_no_secret_is_in_what_airflow_shows_or_logs(api, stack, second):
    password = json.loads((stack.state / "postgres" / "server.json").read_text())["password"]
    shown = json.dumps(api("GET", api.run(FIRST, "/taskInstances")))
    xcoms = api("GET", api.run(FIRST, "/taskInstances/~/xcomEntries?limit=100"))
    logs = [file for file in (stack.state / "logs").rglob("*") if file.is_file()]
    assert "rendered_fields" in shown
    assert logs
    assert password not in shown + json.dumps(xcoms)
    assert [file.name for file in logs if password.encode() in file.read_bytes()] == []
