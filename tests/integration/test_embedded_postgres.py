"""The private Postgres, really started."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg2
import pytest

from rowgate.embedded import postgres, unprivileged
from rowgate.embedded.postgres_process import binaries
from rowgate.errors import RowgateError


@pytest.fixture
def folder(tmp_path):
    """A folder with a blank and letters of another alphabet, whose server is stopped after the test."""
    place = tmp_path / "a b κ" / "postgres"
    yield place
    postgres.stop(place)


def ask(server, query):
    """The first value that the server answers."""
    connection = psycopg2.connect(server.url("postgres"))
    try:
        with connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchone()[0]
    finally:
        connection.close()


def process_of(folder):
    """The number of the server's first process."""
    return int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])


def test_a_started_server_answers(folder):
    assert ask(postgres.start(folder, fsync=False), "SELECT 1") == 1


def test_starting_twice_gives_the_same_server(folder):
    first = postgres.start(folder, fsync=False)
    number = process_of(folder)
    assert (postgres.start(folder), process_of(folder)) == (first, number)


def test_two_starters_at_once_get_one_server(folder):
    program = (
        "import sys; from pathlib import Path; from rowgate.embedded import postgres; "
        "print(postgres.start(Path(sys.argv[1]), fsync=False).port)"
    )
    command = [sys.executable, "-c", program, str(folder)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with ThreadPoolExecutor(4) as pool:
        ports = pool.map(lambda _: subprocess.check_output(command, env=environ), range(4))
        assert len(set(ports)) == 1


def test_the_server_outlives_its_starter_and_holds_none_of_its_pipes(folder):
    program = (
        "import sys; from pathlib import Path; from rowgate.embedded import postgres; "
        "postgres.start(Path(sys.argv[1]), fsync=False)"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    # check_output returns when every holder of the pipe has closed it.
    subprocess.check_output([sys.executable, "-c", program, str(folder)], env=environ, timeout=60)
    assert ask(postgres.running(folder), "SELECT 1") == 1


def test_port_and_password_stay_over_a_restart(folder):
    first = postgres.start(folder, fsync=False)
    postgres.stop(folder)
    assert postgres.start(folder, fsync=False) == first


def test_a_taken_port_is_exchanged_for_a_free_one(folder, tmp_path):
    first = postgres.start(folder, fsync=False)
    postgres.stop(folder)
    other = tmp_path / "other"
    try:
        # The other server is told to prefer the very port that the first had.
        postgres.start(other, fsync=False)
        postgres.stop(other)
        (other / "server.json").write_text(
            (other / "server.json").read_text().replace(str(postgres._remembered(other).port), str(first.port))
        )
        postgres.start(other, fsync=False)
        second = postgres.start(folder, fsync=False)
        assert (second.port == first.port, ask(second, "SELECT 1")) == (False, 1)
    finally:
        postgres.stop(other)


def test_a_killed_server_comes_back_with_its_data(folder):
    server = postgres.start(folder)
    connection = psycopg2.connect(server.url("postgres"))
    connection.autocommit = True
    connection.cursor().execute("CREATE TABLE kept AS SELECT 7 AS n")
    os.kill(process_of(folder), signal.SIGKILL)
    assert ask(postgres.start(folder), "SELECT n FROM kept") == 7
    connection.close()


def test_a_process_number_left_by_a_crash_does_not_stop_a_start(folder):
    postgres.start(folder, fsync=False)
    lines = (folder / "data" / "postmaster.pid").read_text().splitlines()
    postgres.stop(folder)
    lines[0] = str(os.getpid())
    (folder / "data" / "postmaster.pid").write_text("\n".join(lines) + "\n")
    assert ask(postgres.start(folder, fsync=False), "SELECT 1") == 1


def test_an_interrupted_initdb_is_begun_again(folder):
    (folder / "data.new").mkdir(parents=True)
    (folder / "data.new" / "half").touch()
    assert ask(postgres.start(folder, fsync=False), "SELECT 1") == 1


def test_stopping_is_told_apart_from_nothing_to_stop(folder):
    postgres.start(folder, fsync=False)
    assert (postgres.stop(folder), postgres.stop(folder), postgres.running(folder)) == (True, False, None)


def test_only_the_owner_can_read_the_password(folder):
    postgres.start(folder, fsync=False)
    assert (folder / "server.json").stat().st_mode & 0o777 == 0o600


def test_the_password_is_on_no_command_line_and_in_no_representation(folder):
    server = postgres.start(folder, fsync=False)
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
    assert not any(server.password.encode() in command for command in commands)
    assert server.password not in repr(server)


def test_nobody_enters_without_the_password(folder):
    server = postgres.start(folder, fsync=False)
    with pytest.raises(psycopg2.OperationalError, match="password"):
        psycopg2.connect(host=server.host, port=server.port, user=server.user, dbname="postgres", password="wrong")


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("SELECT current_setting('server_encoding')", "UTF8"),
        ("SELECT current_setting('TimeZone')", "UTC"),
        ("SELECT datlocale FROM pg_database WHERE datname = 'template1'", "C.UTF-8"),
        ("SELECT upper('σπύρος')", "ΣΠΎΡΟΣ"),
        ("SELECT current_setting('unix_socket_directories')", ""),
    ],
)
def test_the_server_speaks_utf8_and_utc_whatever_the_machine_does(folder, monkeypatch, query, answer):
    monkeypatch.setenv("LC_ALL", "el_GR.ISO-8859-7")
    monkeypatch.setenv("TZ", "Europe/Athens")
    connection = psycopg2.connect(postgres.start(folder, fsync=False).url("postgres"))
    connection.set_client_encoding("UTF8")
    with connection.cursor() as cursor:
        cursor.execute(query)
        assert cursor.fetchone()[0] == answer
    connection.close()


def test_a_refused_row_is_not_written_to_the_log(folder):
    server = postgres.start(folder, fsync=False)
    with pytest.raises(psycopg2.errors.CheckViolation):
        ask(server, "CREATE TEMP TABLE t (v text CHECK (v = '')); INSERT INTO t VALUES ('Anna Lee'); SELECT 1")
    assert "Anna Lee" not in (folder / "server.log").read_text()


def test_a_server_that_does_not_come_up_names_its_log(folder):
    postgres.start(folder, fsync=False)
    postgres.stop(folder)
    (folder / "data" / "postgresql.conf").write_text("no such setting\n")
    with pytest.raises(RowgateError, match=r"does not start: its log, .*server\.log"):
        postgres.start(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_root_without_namespaces_has_a_system_user_run_it_and_says_so(folder, monkeypatch):
    monkeypatch.setattr(unprivileged, "NAMESPACE", ("false",))
    said = []
    server = postgres.start(folder, fsync=False, progress=said.append)
    home = (folder / "data").resolve().parent
    try:
        assert ask(server, "SELECT 1") == 1
        assert said == [f"Postgres does not run as root: the user {home.owner()} runs it, with its data in {home}"]
        postgres.stop(folder)
        assert postgres.start(folder, fsync=False) == server
    finally:
        postgres.stop(folder)
        subprocess.run(["rm", "-r", str(home)], check=True)


def test_a_user_other_than_root_runs_it_directly(tmp_path):
    assert unprivileged.runner(tmp_path, binaries(), print, root=False).command(["postgres"]) == ["postgres"]
