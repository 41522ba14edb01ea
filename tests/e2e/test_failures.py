"""When something fails, the run is red, one sentence says why, and a later run is right."""

import functools
import json
import re
import shutil
import signal
from pathlib import Path

import psutil
import pyarrow.parquet as pq
import pytest

from rowgate.embedded.postgres_process import free_port
from rowgate.stages.run import path_id

RUN = ("run", "users", "--rows", 60, "--seed", 5)


@pytest.fixture(scope="module")
def stack(new_stack):
    return new_stack()


@pytest.fixture(scope="module")
def run_until(stack, until):
    """Begin a run, wait until it comes to a task, do something to it; its exit status, output and errors."""

    def run(task, action, *arguments, when=lambda: True):
        others = stack.began(task)
        process = stack.start(*(arguments or RUN))
        try:
            until(lambda: (stack.began(task) > others and when()) or process.poll() is not None)
            action(process)
            said, errors = process.communicate(timeout=240)
        finally:
            process.kill()
        return process.returncode, said, errors

    return run


@pytest.fixture(scope="module")
def copied(project, tmp_path_factory):
    """Make copies of the project whose contracts and models may be spoilt."""

    def copy() -> Path:
        place = tmp_path_factory.mktemp("copy")
        for folder in ("contracts", "dags", "dbt", "scripts"):
            shutil.copytree(project / folder, place / folder)
        for kept in ("src", ".venv"):
            (place / kept).symlink_to(project / kept)
        return place

    return copy


@pytest.fixture(scope="module")
def outcome(stack, run_until, copied, tmp_path_factory):
    """Make one of the things fail, once, and return the run's exit status, output and errors."""

    def ran(there=stack):
        done = there.rowgate(*RUN)
        return done.returncode, done.stdout, done.stderr

    def elsewhere(**different):
        stack.rowgate("psql", "-c", "select 1")  # there is a server, whose address is told in part
        server = json.loads((stack.state / "postgres" / "server.json").read_text())
        connection = {"conn_type": "postgres", "host": "127.0.0.1", "port": server["port"], "login": "rowgate"}
        connection |= {"password": server["password"], "schema": "warehouse", **different}
        return ran(stack.having(AIRFLOW_CONN_POSTGRES_DEFAULT=json.dumps(connection)))

    def no_lake():
        file = tmp_path_factory.mktemp("lake") / "standing"
        file.touch()
        return ran(stack.having(ROWGATE_LAKE=f"file://{file}/lake"))

    def driver():
        """The script that Spark's Java has started."""
        return [each for each in stack.processes() if Path(each.cmdline()[1]).name == "transform.py"]

    def spark_killed():
        return run_until("transform", lambda _: [each.parent().kill() for each in driver()], when=driver)

    def database_stopped():
        return run_until("transform", lambda _: stack.rowgate("stop"))

    def bad_model():
        project = copied()
        (project / "dbt" / "models" / "marts" / "users" / "users_by_city.sql").write_text(
            "select city, count(*) as users frum {{ ref('stg_users') }} group by city"
        )
        return ran(stack.having(ROWGATE_PROJECT=str(project)))

    def hard_contract():
        project = copied()
        contract = project / "contracts" / "users.py"
        text = contract.read_text().replace(
            "from rowgate.contract.model import ", "from rowgate.contract.model import Policy, "
        )
        contract.write_text(re.sub(r'(\n    name="users",\n)', r"\1    policy=Policy.FAIL,\n", text))
        return ran(stack.having(ROWGATE_PROJECT=str(project)))

    scenarios = {
        "the lake cannot be written": no_lake,
        "Spark's Java is killed": spark_killed,
        "the database stops meanwhile": database_stopped,
        "nobody listens where the database should be": lambda: elsewhere(port=free_port(0)),
        "the password is wrong": lambda: elsewhere(password="wr0ng-s3cret"),
        "a model has a syntax error": bad_model,
        "a hard contract is broken": hard_contract,
    }
    return functools.cache(lambda name: scenarios[name]())


SENTENCES = {
    "the lake cannot be written": r"generate failed: .*/standing/lake/raw/\S+ cannot be written: not a directory; .*",
    "Spark's Java is killed": r"transform failed: Spark was ended from outside by signal 9, .*",
    "the database stops meanwhile": r"load failed: Nothing listens at 127\.0\.0\.1:\d+, where .*",
    "nobody listens where the database should be": r"load failed: Nothing listens at 127\.0\.0\.1:\d+, where .*",
    "the password is wrong": r"load failed: The warehouse at \S+ does not let the user rowgate in; correct .*",
    "a model has a syntax error": r"dbt_run failed: dbt could not build users_by_city; the marts stay as they were.*",
    "a hard contract is broken": (
        r"transform failed: The contract users stopped the load: \d+ rows broke [^.]*; its report has 5 more breaches\."
    ),
}


@pytest.fixture(scope="module", params=SENTENCES)
def failure(request, outcome):
    """What failed, and the exit status, output and errors."""
    return request.param, *outcome(request.param)


def test_a_failure_is_red_and_one_sentence_says_what_and_where(failure):
    name, status, _, errors = failure
    assert status == 1, errors
    assert [line for line in errors.splitlines() if line.startswith("rowgate: ")] == [
        line for line in errors.splitlines() if re.fullmatch(f"rowgate: {SENTENCES[name]}", line)
    ], errors
    assert errors.count("rowgate: ") == 1


def test_a_failure_names_the_whole_log(failure):
    (line,) = [line for line in failure[3].splitlines() if line.startswith("The whole log: ")]
    assert Path(line.removeprefix("The whole log: ")).is_file()


def test_a_failure_shows_neither_a_traceback_nor_a_secret_nor_a_value_of_a_row(failure, stack):
    said = failure[2] + failure[3]
    password = json.loads((stack.state / "postgres" / "server.json").read_text())["password"]
    values = {
        value
        for file in (stack.lake / "records").rglob("*.parquet")
        for row in pq.ParquetFile(file).read(["name", "email", "phone"]).to_pylist()
        for value in row.values()
        if value and len(value) > 8
    }
    assert [word for word in ("Traceback", "wr0ng-s3cret", password, *values) if word in said] == []


def test_a_failure_is_not_called_passed(failure):
    assert "users 1.0.0: passed" not in failure[2]


@pytest.mark.parametrize(
    ("number", "task", "rows"), [(signal.SIGINT, "generate", 3_000_000), (signal.SIGTERM, "transform", 60)]
)
def test_a_run_that_is_asked_to_end_takes_all_its_processes_along(stack, run_until, number, task, rows):
    started = []

    def end(process):
        started.extend(psutil.Process(process.pid).children(recursive=True))
        process.send_signal(number)

    status, _, errors = run_until(task, end, "run", "users", "--rows", rows)
    assert (status, errors.count("rowgate: "), "Traceback" in errors) == (130, 1, False)
    assert started
    assert [process.cmdline() for process in psutil.wait_procs(started, timeout=0)[1]] == []
    assert stack.processes() == []


@pytest.fixture(scope="module")
def later_run(stack):
    done = stack.rowgate(*RUN)
    return done, stack.reports()[-1]


def test_a_later_run_is_right(stack, later_run):
    done, report = later_run
    assert done.returncode == 0, done.stdout + done.stderr
    assert report["total"] == 60 == report["accepted"] + report["rejected"]
    assert report["accepted"] == sum(report[name] for name in ("inserted", "updated", "unchanged", "repeated"))
    assert stack.sql("SELECT count(*) FROM warehouse.users") == [[str(report["accepted"] - report["repeated"])]]


def test_a_broken_hard_contract_leaves_its_report_and_nothing_clean_or_loaded(outcome, stack, later_run):
    outcome("a hard contract is broken")
    (report,) = [report for report in stack.reports() if report["outcome"] == "stopped"]
    run = f"dt={report['dt']}/{path_id(report['run_id'])}"
    assert [(stack.lake / zone / "users" / run).exists() for zone in ("rejects", "clean")] == [True, False]
    assert stack.sql(f"SELECT count(*) FROM warehouse.users WHERE first_run_id = '{report['run_id']}'") == [["0"]]


MARTS = 'SELECT city, users FROM marts.users_by_city ORDER BY city COLLATE "C"'


@pytest.fixture(scope="module")
def bad_load(stack, later_run):
    """The marts of yesterday, and a run after a row that no test allows was put into the table."""
    before = stack.sql(MARTS)
    stack.sql("ALTER TABLE warehouse.users DROP CONSTRAINT invalid_age")
    stack.sql(
        "UPDATE warehouse.users SET age = 7, city = 'Nowhere' "
        "WHERE user_id = (SELECT min(user_id) FROM warehouse.users)"
    )
    return before, stack.rowgate("run", "users", "--rows", 60, "--seed", 6)


def test_red_tests_fail_the_run_and_are_named(bad_load):
    _, done = bad_load
    assert done.returncode == 1, done.stdout + done.stderr
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("rowgate: ")]
    assert re.match(
        r"rowgate: dbt_test failed: The dbt tests? .*invalid_age.* red; the marts stay as they were", sentence
    )


def test_red_tests_leave_yesterdays_marts(stack, bad_load):
    before, _ = bad_load
    assert stack.sql(MARTS) == before
