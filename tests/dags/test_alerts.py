"""The DAGs tell owners: once for a run that fails, once for a source that is stale."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest


@pytest.fixture
def inbox() -> Iterator[tuple[list[dict], str]]:
    """What a web hook got, and its address."""
    got: list[dict] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield got, f"json://127.0.0.1:{server.server_port}/s3cret"
    server.shutdown()
    server.server_close()


def in_dags(code: str, project: Path, environment: dict[str, str]) -> str:
    """What Python prints where the DAG files are read."""
    program = f"import sys; sys.path.insert(0, {str(project / 'dags')!r})\n{code}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout + done.stderr


def dags_test(file: Path, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    command = ["airflow", "dags", "test", "users_etl", "--conf", json.dumps({"source": str(file)})]
    more = environment | {"ROWGATE_RETRIES": "0"}
    return subprocess.run(command, capture_output=True, text=True, env=more, check=False)


def test_a_run_that_the_contract_stops_is_told_once_and_without_a_value(environment, tmp_path, inbox):
    got, url = inbox
    file = tmp_path / "bad.csv"
    file.write_text("id,name,email,phone,zip_code,age,town\n1,Anna Lee,anna@mail.gr,6912345678,01234,34,Athens\n")
    done = dags_test(file, environment | {"ROWGATE_ALERTS": json.dumps({"data-platform": [url]})})
    assert done.returncode != 0
    assert [each["title"] for each in got] == ["users: the contract stopped a load"]
    assert "The header says 'town' where the contract has the column 'city'; rename it." in got[0]["message"]
    assert "Anna" not in got[0]["message"]
    assert "s3cret" not in done.stdout + done.stderr


def test_with_nothing_configured_the_log_has_the_alert(environment, project):
    code = (
        "import logging; logging.basicConfig(); from etl_factory.alerts import tell\n"
        "print(tell('till', 'orders: a run failed', 'Run x.\\nThe log says why.'))"
    )
    said = in_dags(code, project, environment)
    assert "False" in said
    assert "no address for till, who would be told: orders: a run failed. Run x. The log says why." in said


def test_a_stale_contract_is_told_once(environment, project, tmp_path, inbox):
    got, url = inbox
    contracts = tmp_path / "contracts"
    contracts.mkdir()
    (contracts / "toy.yaml").write_text(
        "name: toy\nversion: 1.0.0\nowner: bank\nsla: {freshness: 1 hour}\ncolumns: [{name: a, type: string}]\n"
    )
    (contracts / "calm.yaml").write_text(
        "name: calm\nversion: 1.0.0\nowner: bank\ncolumns: [{name: a, type: string}]\n"
    )
    code = (
        "import etl_factory.freshness as freshness; from pathlib import Path; from rowgate.settings import Settings\n"
        f"place = Path({str(tmp_path)!r})\n"
        "freshness.settings = lambda: Settings(place, place / 'state', f'file://{place}/lake')\n"
        "print(freshness.look(), freshness.look())"
    )
    said = in_dags(code, project, environment | {"ROWGATE_ALERTS": json.dumps({"*": [url]})})
    assert said.splitlines()[-1] == "['toy'] ['toy']"
    assert [each["message"] for each in got] == [
        "toy never had a good run, and the contract promises one every 1 hour."
    ]


def test_freshness_is_looked_at_every_hour(environment, project):
    code = "from etl_factory.freshness import build; dag = build(); print(dag.schedule, dag.task_ids, dag.catchup)"
    assert in_dags(code, project, environment).splitlines()[-1] == "@hourly ['look'] False"


def test_an_alert_goes_out_for_a_run_whose_report_cannot_be_had(environment, project, tmp_path, inbox):
    got, url = inbox
    code = (
        "from etl_factory.alerts import when_it_fails; from rowgate.contract import catalog; from pathlib import Path\n"
        f"contract = catalog.load(Path({str(project / 'contracts' / 'users.py')!r}))\n"
        "when_it_fails(contract)({'run_id': 'manual__x', 'dag': None, 'reason': 'task_failure'})"
    )
    more = {"ROWGATE_ALERTS": json.dumps({"*": [url]}), "ROWGATE_LAKE": f"file://{tmp_path}/none"}
    in_dags(code, project, environment | more)
    assert [each["message"] for each in got] == ["Run manual__x.\nThe log of its tasks says why."]
