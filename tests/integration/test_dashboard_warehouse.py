"""Which warehouse the dashboard reads."""

import pytest

from rowgate.adapters.warehouse import Connection
from rowgate.dashboard.places import warehouse
from rowgate.dashboard.server import _wake
from rowgate.embedded import postgres
from rowgate.errors import RowgateError
from rowgate.settings import Settings


def test_a_connection_of_the_environment_comes_first(tmp_path):
    settings = Settings(tmp_path, tmp_path, "file:///lake")
    found = warehouse(settings, {"AIRFLOW_CONN_POSTGRES_DEFAULT": "postgres://me:pw@db/dwh"})
    assert found == Connection("db", 5432, "me", "pw", "dwh")


def test_the_private_server_that_was_there_is_started_again(tmp_path):
    settings, folder = Settings(tmp_path, tmp_path, "file:///lake"), tmp_path / "postgres"
    postgres.start(folder, fsync=False)
    postgres.stop(folder)
    with pytest.raises(RowgateError, match=r"does not run; `make dashboard` or `make run` starts it again\.$"):
        warehouse(settings, {})
    try:
        _wake(folder, lambda _: None)
        assert warehouse(settings, {}).database == "warehouse"
    finally:
        postgres.stop(folder)


def test_no_private_server_is_made_where_there_was_none(tmp_path):
    _wake(tmp_path / "postgres", lambda _: None)
    assert not (tmp_path / "postgres").exists()
