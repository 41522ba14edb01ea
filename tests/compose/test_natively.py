"""The stack as docker-compose.yml has it, started without containers: it becomes ready, and a run goes through it."""

import json
import runpy
import subprocess
import time
from pathlib import Path

import pytest

missing = runpy.run_path(str(Path(__file__).parents[1] / "conftest.py"))["missing"]

CALL = """
import json, sys, urllib.request
path, body, token = json.load(sys.stdin)
request = urllib.request.Request("http://127.0.0.1:" + path, data=None if body is None else json.dumps(body).encode())
request.add_header("Content-Type", "application/json")
if token:
    request.add_header("Authorization", "Bearer " + token)
with urllib.request.urlopen(request, timeout=60) as answer:
    print(answer.read().decode())
"""
BUCKET = """
import boto3, json, os, sys
told = json.loads(os.environ["AIRFLOW_CONN_AWS_DEFAULT"])
s3 = boto3.client("s3", aws_access_key_id=told["login"], aws_secret_access_key=told["password"], **told["extra"])
"""


def call(stack, path, body=None, token=None):
    """What a page of the stack answers: a port and a path."""
    asked = subprocess.run(
        stack.running.inside(["python", "-c", CALL]),
        input=json.dumps([path, body, token]),
        capture_output=True,
        text=True,
        check=False,
        env=stack.running.environment("api-server"),
    )
    assert asked.returncode == 0, asked.stderr
    return json.loads(asked.stdout)


def as_service(stack, name, code):
    """Run Python as a service would, with its environment and no other."""
    return stack.running.run(["python", "-c", code], stack.running.environment(name))


SERVICES = [
    *("api-server", "scheduler", "dag-processor", "triggerer", "postgres", "lake", "spark-master", "spark-worker"),
    *("statsd-exporter", "prometheus", "alertmanager", "dashboard"),
]


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_that_is_started_by_its_own_command_is_healthy_by_its_own_check(stack, name):
    if name in stack.absent:
        missing("monitoring" if "stats" in name or "prom" in name or "alert" in name else "s3", stack.absent[name])
    assert stack.running.healthy(name)


def test_only_grafana_is_never_started_without_a_container(stack):
    from_elsewhere = {"statsd-exporter", "prometheus", "alertmanager", "lake", "prepare-lake"}
    assert set(stack.absent) - from_elsewhere == {"grafana"}
    assert {*SERVICES, "prepare-airflow", "prepare-lake", "grafana"} == set(stack.services)


def test_a_health_check_of_airflow_is_red_where_the_part_does_not_run(stack):
    command = ["python", "scripts/healthy.py", "http://127.0.0.1:8081/json/", "status"]
    told = stack.running.run(command, stack.running.environment("scheduler"))
    assert told.returncode == 1
    nobody = ["python", "scripts/healthy.py", "http://127.0.0.1:1/"]
    assert stack.running.run(nobody, stack.running.environment("scheduler")).returncode == 1


@pytest.fixture(scope="module")
def finished(stack, project):
    """A run of `users`, asked for over Airflow's API as the page's user, judged on the Spark cluster."""
    if "lake" in stack.absent or not list((project / ".rowgate" / "jars" / "s3").glob("*.jar")):
        missing("s3", stack.absent.get("lake", "Spark's jars are not there; run `make jars`"))
    who = {"username": "admin", "password": stack.given["AIRFLOW_ADMIN_PASSWORD"]}
    token = call(stack, "8080/auth/token", who)["access_token"]
    runs = "8080/api/v2/dags/users_etl/dagRuns"
    run = call(stack, runs, {"logical_date": None, "conf": {"rows": 300, "seed": 7}}, token)["dag_run_id"]
    deadline = time.monotonic() + 600
    while (state := call(stack, f"{runs}/{run}", token=token)["state"]) in ("queued", "running"):
        assert time.monotonic() < deadline, stack.running.log("scheduler").read_text(encoding="utf-8")[-3000:]
        time.sleep(1)  # between two looks at a condition
    tasks = call(stack, f"{runs}/{run}/taskInstances", token=token)["task_instances"]
    assert state == "success", {task["task_id"]: task["state"] for task in tasks}
    told = as_service(
        stack,
        "dashboard",
        BUCKET + "keys = [each['Key'] for each in s3.list_objects_v2(Bucket='rowgate-lake')['Contents']]\n"
        "report = next(key for key in keys if key.startswith('quality/'))\n"
        "print(json.dumps([keys, json.load(s3.get_object(Bucket='rowgate-lake', Key=report)['Body'])]))",
    )
    assert told.returncode == 0, told.stderr
    return json.loads(told.stdout)


def test_a_run_leaves_its_zones_in_the_bucket(finished):
    keys, report = finished
    assert {key.split("/")[0] for key in keys} >= {"raw", "records", "clean", "rejects", "quality"}
    assert report["total"] == report["accepted"] + report["rejected"] == 300


def test_the_cluster_did_the_work(stack, finished):
    assert [each["name"] for each in call(stack, "8081/json/")["completedapps"]] == ["rowgate users"]


def test_the_rows_are_in_the_warehouse_and_its_reader_sees_them_but_cannot_change_them(stack, finished):
    code = """
import json, os, psycopg2
told = json.loads(os.environ["AIRFLOW_CONN_POSTGRES_DEFAULT"])
link = psycopg2.connect(host="postgres", dbname=told["schema"], user=told["login"], password=told["password"])
cursor = link.cursor()
cursor.execute("SELECT count(*), (SELECT sum(users) FROM marts.users_by_city) FROM warehouse.users")
print(json.dumps([int(each) for each in cursor.fetchone()]))
link.rollback()
for change in ("SET default_transaction_read_only = off", "DELETE FROM warehouse.users"):
    try:
        cursor.execute(change)
        link.commit()
    except psycopg2.Error as error:
        link.rollback()
        print(error.pgcode)
try:
    psycopg2.connect(host="postgres", dbname="airflow", user=told["login"], password=told["password"])
except psycopg2.OperationalError as error:
    print("permission denied for database" in str(error))
"""
    told = as_service(stack, "dashboard", code)
    inserted = finished[1]["inserted"]
    assert told.stdout.splitlines() == [json.dumps([inserted, inserted]), "42501", "True"], told.stderr


ATTEMPTS = {
    "scheduler": [
        "s3.delete_object(Bucket='rowgate-lake', Key='raw/x')",
        "s3.put_object(Bucket='rowgate-lake', Key='landing/x', Body=b'')",
        "s3.create_bucket(Bucket='another')",
        "s3.delete_bucket_policy(Bucket='rowgate-lake')",
    ],
    "dashboard": ["s3.put_object(Bucket='rowgate-lake', Key='rejects/x', Body=b'')"],
}
TRY = """
def answer(attempt):
    try:
        eval(attempt)
    except s3.exceptions.ClientError as error:
        return error.response["Error"]["Code"]
"""


@pytest.mark.parametrize("name", ATTEMPTS)
def test_the_lake_refuses_what_the_policy_for_aws_refuses(stack, name):
    if "lake" in stack.absent:
        missing("s3", stack.absent["lake"])
    told = as_service(stack, name, f"{BUCKET}\n{TRY}\nprint(json.dumps([answer(each) for each in {ATTEMPTS[name]}]))")
    assert json.loads(told.stdout) == ["AccessDenied"] * len(ATTEMPTS[name])


def test_preparing_again_changes_nothing_and_takes_a_new_password(stack):
    running = stack.running
    assert running.run(["python", "scripts/prepare_lake.py"], running.environment("prepare-lake")).returncode == 0
    file = running.environment("api-server")["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"]
    assert json.loads(Path(file).read_text(encoding="utf-8")) == {"admin": stack.given["AIRFLOW_ADMIN_PASSWORD"]}


def test_the_runs_figures_reach_prometheus(stack, finished):
    if "prometheus" in stack.absent or "statsd-exporter" in stack.absent:
        missing("monitoring", "there is no Prometheus with its StatsD exporter")
    deadline = time.monotonic() + 60
    query = '9090/api/v1/query?query=airflow_dq_accept_rate{contract="users"}'
    while not (found := call(stack, query)["data"]["result"]):
        assert time.monotonic() < deadline
        time.sleep(1)  # between two scrapes
    assert float(found[0]["value"][1]) == pytest.approx(finished[1]["accept_rate"])


def test_no_log_of_the_stack_holds_a_secret(stack, finished):
    secrets = {name: value for name, value in stack.given.items() if name.endswith(("SECRET", "PASSWORD", "_KEY"))}
    logs = [path for path in stack.running.folder.rglob("*.log") if path.is_file()]
    assert logs
    found = [
        (name, path.name)
        for path in logs
        for name, value in secrets.items()
        if not name.startswith("LAKE_") or name.endswith("SECRET")
        if value in path.read_text(encoding="utf-8", errors="replace")
    ]
    assert found == []
