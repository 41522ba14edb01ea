"""What a run tells OpenLineage and the log, as a real run sends it to a real server and writes it."""

import http.server
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from rowgate.stages.run import path_id

ROWS = 200


@dataclass
class Told:
    """One run of `users_etl`: its events, its log's lines, its report and its state folder."""

    done: "subprocess.CompletedProcess"
    events: list[dict]
    lines: list[dict]
    report: dict
    state: Path

    def parquet(self, zone: str) -> Path:
        """The one file of the run in a zone."""
        folder = self.state / "lake" / zone / "users" / f"dt={self.report['dt']}" / path_id(self.report["run_id"])
        (file,) = folder.glob("*.parquet")
        return file

    def completed(self, task: str) -> dict:
        """The one event that a task ended well."""
        name = f"users_etl.{task}"
        (event,) = [each for each in self.events if each["job"]["name"] == name and each["eventType"] == "COMPLETE"]
        return event


class Receiver(http.server.BaseHTTPRequestHandler):
    """OpenLineage's endpoint: it keeps every event."""

    def do_POST(self):
        self.server.events.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture(scope="module")
def told(environment, run_cli) -> Told:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.events = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state = Path(environment["ROWGATE_STATE"])
    env = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "OPENLINEAGE"))}
    env |= {
        "ROWGATE_STATE": str(state),
        "AIRFLOW__LOGGING__JSON_LOGS": "True",
        "AIRFLOW__OPENLINEAGE__NAMESPACE": "tests",
        "AIRFLOW__OPENLINEAGE__TRANSPORT": json.dumps(
            {"type": "http", "url": f"http://127.0.0.1:{server.server_port}"}
        ),
    }
    try:
        done = run_cli("run", "users", "--rows", ROWS, "--seed", 7, "--engine", "duckdb", env=env)
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 0, done.stderr[-2000:]
    # Other tests' runs lie in the same lake.
    report = max((state / "lake" / "quality" / "users").rglob("*.json"), key=lambda file: file.stat().st_mtime)
    (log,) = (state / "logs").glob("run-users-*.log")
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return Told(done, server.events, lines, json.loads(report.read_text()), state)


def only(datasets: list[dict], ending: str) -> dict:
    (found,) = [each for each in datasets if each["name"].endswith(ending)]
    return found


def columns(dataset: dict) -> list[tuple[str, str]]:
    return [(field["name"], field["type"]) for field in dataset["facets"]["schema"]["fields"]]


def test_the_datasets_lead_from_the_raw_file_to_the_marts(told):
    edges = {
        task: tuple(
            [each["name"].removeprefix(str(told.state)) for each in told.completed(task)[side]]
            for side in ("inputs", "outputs")
        )
        for task in ("generate", "transform", "load", "dbt_run", "dbt_test")
    }
    assert edges == {
        "generate": ([], ["/lake/raw/users"]),
        "transform": (["/lake/raw/users"], ["/lake/rejects/users", "/lake/clean/users"]),
        "load": (["/lake/clean/users"], ["warehouse.warehouse.users"]),
        "dbt_run": (["warehouse.warehouse.users"], []),
        "dbt_test": (
            ["warehouse.warehouse.users"],
            ["warehouse.staging.stg_users", "warehouse.marts.users_by_age_band", "warehouse.marts.users_by_city"],
        ),
    }


def test_the_assertions_are_the_reports_violations(told):
    raw = only(told.completed("transform")["inputs"], "raw/users")
    said = {each["name"]: each for each in raw["inputFacets"]["dataQualityAssertions"]["assertions"]}
    assert said.pop("file")["success"] is True
    assert {name: int(each["actual"]) for name, each in said.items()} == told.report["violations_by_reason"]
    assert {name for name, each in said.items() if not each["success"]} == {
        name for name, rows in told.report["violations_by_reason"].items() if rows
    }


def test_an_assertion_names_its_column_and_what_is_checked(told):
    raw = only(told.completed("transform")["inputs"], "raw/users")
    said = {each["name"]: each for each in raw["inputFacets"]["dataQualityAssertions"]["assertions"]}
    age = said["invalid_age"]
    assert (age["column"], age["assertion"], age["severity"]) == ("age", "between", "error")


def test_the_rows_written_are_the_reports(told):
    outputs = told.completed("transform")["outputs"] + told.completed("load")["outputs"]
    rows = {each["name"].split("/")[-2:][0]: each["outputFacets"]["outputStatistics"]["rowCount"] for each in outputs}
    assert rows == {
        "rejects": told.report["rejected"],
        "clean": told.report["accepted"],
        "warehouse.warehouse.users": told.report["inserted"],
    }


def test_a_zones_schema_is_that_of_its_files(told):
    import pyarrow.parquet as pq

    outputs = told.completed("transform")["outputs"]
    for zone in ("clean", "rejects"):
        schema = pq.read_schema(told.parquet(zone))
        assert [name for name, _ in columns(only(outputs, f"{zone}/users"))] == schema.names


def test_the_tables_schema_is_that_of_the_warehouse(told, run_cli):
    env = dict(os.environ) | {"ROWGATE_STATE": str(told.state)}
    query = (
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
        " WHERE attrelid = 'warehouse.users'::regclass AND attnum > 0 ORDER BY attnum"
    )
    there = run_cli("psql", "-X", "-A", "-t", "-F", "\t", "-c", query, env=env).stdout
    table = only(told.completed("load")["outputs"], "warehouse.users")
    assert columns(table) == [tuple(line.split("\t")) for line in there.splitlines()]


def test_columns_about_a_person_are_tagged(told):
    table = only(told.completed("load")["outputs"], "warehouse.users")
    tags = {tag["field"]: tag["value"] for tag in table["facets"]["tags"]["tags"]}
    assert tags["email"] == "direct identifier"
    assert tags["user_id"] == "pseudonymised"


def test_no_value_of_a_row_is_in_an_event(told):
    import pyarrow.parquet as pq

    text = json.dumps(told.events, ensure_ascii=False)
    emails = [value for value in pq.read_table(told.parquet("records"))["email"].to_pylist() if value and "@" in value]
    assert emails
    assert not [value for value in emails if value in text]


def test_every_line_of_ours_carries_the_contract_and_the_run_as_fields(told):
    ours = [line for line in told.lines if str(line.get("logger", "")).startswith("rowgate")]
    assert ours
    assert {(line.get("contract"), line.get("run_id")) for line in ours} == {("users", told.report["run_id"])}


def test_a_task_that_is_done_says_its_figures_as_fields(told):
    (line,) = [line for line in told.lines if line["event"] == "The task generate is done"]
    assert line["records"] == ROWS


def test_a_run_leaves_its_page_and_names_it(told):
    (page,) = (told.state / "reports" / "users").iterdir()
    assert f"This run's page: {page}" in told.done.stdout
    assert page.stat().st_mode & 0o777 == 0o600


def test_the_page_has_the_times_of_the_tasks_and_is_made_again_the_same(told, run_cli):
    (page,) = (told.state / "reports" / "users").iterdir()
    assert "dbt tests passed" in page.read_text()
    env = dict(os.environ) | {"ROWGATE_STATE": str(told.state)}
    again = run_cli("report", "users", "--run", told.report["run_id"], "--out", "-", env=env)
    assert again.stdout == page.read_text()


REFUSED = """
import datetime as dt, io, sys
sys.path.insert(0, sys.argv[1])
from contextlib import suppress
from etl_factory.lineage_facets import lineage_of
from etl_factory.work import lake_of, settings
from openlineage.client.serde import Serde
from rowgate.contract import catalog
from rowgate.stages.evidence import keep_report
from rowgate.stages.filegate import FileBreach
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.outcome import stopped_at_gate
from rowgate.stages.run import Run
now = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
contract, lake, run = catalog.find("users", settings().contracts), lake_of(settings()), Run("users", "r", now)
try:
    ingest(contract, run, Source("a.csv", lambda: io.BytesIO(b"id,name\\n1,Anna\\n")), lake)
except FileBreach as breach:
    keep_report(stopped_at_gate(contract, run, "a.csv", breach.sentences, started_at=now, finished_at=now), run, lake)
print("TOLD", Serde.to_json(lineage_of("users", "generate", "r", now)))
"""


def in_dags(code: str, environment: dict[str, str], project: Path, **more: str) -> str:
    command = [sys.executable, "-c", code, str(project / "dags")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment | more, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_of_a_file_refused_as_a_whole_only_that_is_asserted(environment, project, tmp_path):
    said = in_dags(REFUSED, environment, project, ROWGATE_LAKE=f"file://{tmp_path}/lake")
    found = json.loads(said.split("TOLD ")[1])
    assert found["outputs"] == []
    (raw,) = found["inputs"]
    (only_one,) = raw["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert (only_one["name"], only_one["success"]) == ("file", False)


PARSED = """
import sys
sys.path.insert(0, sys.argv[1])
import etl
print("LOADED", [name for name in sys.modules if name.startswith("etl_factory.lineage_")])
"""


def test_without_openlineage_configured_the_facets_are_not_imported(environment, project):
    assert "LOADED []" in in_dags(PARSED, environment, project)
