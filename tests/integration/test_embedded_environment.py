"""The environment that a run's programs get."""

import json
import os
import subprocess

import pytest

from rowgate.embedded import postgres
from rowgate.embedded.environment import prepare
from rowgate.errors import UnusableError


@pytest.fixture
def place(tmp_path):
    """A state folder with a blank and letters of another alphabet; its Postgres is stopped after the test."""
    folder = tmp_path / "a b κ"
    yield folder
    postgres.stop(folder / "postgres")


def plain(place, **more):
    """The caller's environment with nothing of Airflow's or ours in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "ROWGATE"))}
    return {**kept, "ROWGATE_STATE": str(place), **more}


# Airflow's migration takes many seconds, so one test states everything that is seen on one prepared folder.
def test_a_second_time_nothing_is_made_and_the_environment_is_the_same(place, project):
    said = []
    first = prepare(project, plain(place), said.append)
    assert said[:2] == ["starting the private Postgres", "preparing Airflow's own database"]
    told = len(said)
    assert prepare(project, plain(place), said.append) == first
    assert len(said) == told
    check = subprocess.run(
        ["airflow", "db", "check-migrations", "--migration-wait-timeout", "0"], env=first, check=False
    )
    assert check.returncode == 0
    other = prepare(project, plain(place), said.append, database="other")
    assert len(said) == told, "another database is a copy of the first as it was when new"
    check = subprocess.run(
        ["airflow", "db", "check-migrations", "--migration-wait-timeout", "0"], env=other, check=False
    )
    assert check.returncode == 0
    modes = {path.name: path.stat().st_mode & 0o777 for path in (place, place / "airflow" / "secrets.json")}
    assert modes == {place.name: 0o700, "secrets.json": 0o600}


@pytest.fixture
def migrated(place):
    """The state folder as if Airflow's database were already there, by a `prepare` whose airflow does nothing."""

    def run(project, monkeypatch, **more):
        monkeypatch.setattr("rowgate.embedded.environment._first_time", lambda *_: None)
        return prepare(project, plain(place, **more), lambda _: None)

    return run


def test_the_private_server_becomes_airflows_connection(migrated, place, project, monkeypatch):
    connection = json.loads(migrated(project, monkeypatch)["AIRFLOW_CONN_POSTGRES_DEFAULT"])
    server = postgres.running(place / "postgres")
    assert connection == {
        "conn_type": "postgres",
        "host": "127.0.0.1",
        "port": server.port,
        "login": "rowgate",
        "password": server.password,
        "schema": "warehouse",
    }


def test_a_connection_of_the_users_replaces_the_private_server(migrated, place, project, monkeypatch):
    mine = "postgresql://me@elsewhere/dwh"
    made = migrated(project, monkeypatch, AIRFLOW_CONN_POSTGRES_DEFAULT=mine)
    assert (made["AIRFLOW_CONN_POSTGRES_DEFAULT"], postgres.running(place / "postgres")) == (mine, None)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AIRFLOW_CONN_SPARK_DEFAULT", "spark://master:7077"),
        ("AIRFLOW__METRICS__STATSD_HOST", "metrics"),
        ("AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "postgresql://airflow@elsewhere/airflow"),
        ("ROWGATE_LAKE", "s3://bucket/lake"),
    ],
)
def test_what_the_user_has_set_stays(migrated, project, monkeypatch, name, value):
    elsewhere = {"AIRFLOW_CONN_POSTGRES_DEFAULT": "postgresql://elsewhere/x"}
    assert migrated(project, monkeypatch, **elsewhere, **{name: value})[name] == value


def test_local_addresses_bypass_a_proxy(migrated, project, monkeypatch):
    made = migrated(project, monkeypatch, AIRFLOW_CONN_POSTGRES_DEFAULT="x", no_proxy="corp", NO_PROXY="corp")
    assert made["no_proxy"] == made["NO_PROXY"] == "corp,localhost,127.0.0.1"


def test_a_state_folder_that_cannot_be_is_one_sentence(place, project):
    place.write_text("a file where a folder should be")
    with pytest.raises(UnusableError, match=r"^The state folder .* cannot be used \(File exists: .*ROWGATE_STATE\.$"):
        prepare(project, plain(place), print)
    place.unlink()
