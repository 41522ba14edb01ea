"""The adapter: who is let in, and what a failure says."""

import socket
import traceback
from dataclasses import replace

import pytest

from rowgate.adapters import warehouse as warehouse_module
from rowgate.adapters.warehouse import connect, transaction
from rowgate.errors import RowgateError, UnusableError


def failure(settings) -> RowgateError:
    with pytest.raises(RowgateError) as caught, connect(settings):
        pass
    return caught.value


def test_a_missing_database_is_created_in_utf8(settings):
    with connect(settings) as connection, transaction(connection, "asking") as cursor:
        cursor.execute("SELECT current_database(), getdatabaseencoding()")
        assert cursor.fetchone() == (settings.database, "UTF8")


def test_a_database_with_an_odd_name_is_created(settings):
    odd = replace(settings, database=f'{settings.database}"; drop — ü')
    with connect(odd) as connection, transaction(connection, "asking") as cursor:
        cursor.execute("SELECT current_database()")
        assert cursor.fetchone() == (odd.database,)


def test_a_database_that_another_makes_meanwhile_is_used(settings, monkeypatch):
    """Two first runs at once: the one finds it missing, and there a moment later."""
    really_open = warehouse_module._open

    def open_just_before_it_is_made(where):
        monkeypatch.setattr(warehouse_module, "_open", really_open)
        try:
            return really_open(where)
        finally:
            with connect(settings):
                pass

    monkeypatch.setattr(warehouse_module, "_open", open_just_before_it_is_made)
    with connect(settings) as connection:
        assert connection.info.dbname == settings.database


def test_a_wrong_password_is_one_sentence_without_the_password(settings):
    error = failure(replace(settings, password="not-the-secret"))
    assert isinstance(error, UnusableError)
    assert "does not let the user rowgate in" in str(error)
    assert "not-the-secret" not in "".join(traceback.format_exception(error))


def test_an_unknown_host_is_one_sentence(settings):
    error = failure(replace(settings, host="no-such-host.invalid"))
    assert str(error).startswith("The warehouse's host no-such-host.invalid is not known")


def test_a_port_where_nobody_listens_is_one_sentence(settings):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert str(failure(replace(settings, port=port))).startswith(f"Nothing listens at 127.0.0.1:{port}")


def test_encryption_that_the_connection_demands_is_demanded_of_the_server(settings):
    """The private server offers none."""
    said = str(failure(replace(settings, database="postgres", options={"sslmode": "require"})))
    assert "does not support SSL" in said


def test_the_password_is_not_in_the_settings_text(settings):
    assert settings.password not in repr(settings)


def test_a_database_that_does_not_hold_utf8_is_refused(settings, ask):
    latin = replace(settings, database=f"{settings.database}_latin")
    with connect(settings) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(
                f"CREATE DATABASE {latin.database} ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0"
            )
    assert "holds LATIN1" in str(failure(latin))


def test_a_user_that_may_not_create_the_database_is_told_so(settings, ask):
    role = f"r_{settings.database}"
    ask(f"CREATE ROLE {role} LOGIN PASSWORD 'x'")
    error = failure(replace(settings, user=role, password="x", database=f"{settings.database}_2"))
    ask(f"DROP ROLE {role}")
    assert "is missing and cannot be created" in str(error)


def test_a_transaction_that_raises_leaves_nothing(warehouse, ask):
    def fail(cursor):
        cursor.execute("CREATE TABLE left_behind ()")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), transaction(warehouse, "trying") as cursor:
        fail(cursor)
    assert ask("SELECT to_regclass('left_behind')") == [(None,)]


def test_a_refused_row_is_told_by_its_constraint_without_its_values(warehouse, ask):
    ask("CREATE TABLE t (a text CONSTRAINT short_a CHECK (length(a) < 3))")
    with pytest.raises(UnusableError) as caught, transaction(warehouse, "trying") as cursor:
        cursor.execute("INSERT INTO t VALUES ('secret-value')")
    assert "public.t forbids it by short_a" in str(caught.value)
    assert "secret-value" not in "".join(traceback.format_exception(caught.value))


def test_a_value_that_a_message_quotes_is_not_repeated(warehouse):
    with pytest.raises(RowgateError) as caught, transaction(warehouse, "trying") as cursor:
        cursor.execute("SELECT 'secret-value'::integer")
    assert "InvalidTextRepresentation" in str(caught.value)
    assert "secret-value" not in "".join(traceback.format_exception(caught.value))


def test_a_session_that_is_cut_off_is_one_sentence(warehouse, settings):
    with connect(settings) as other, transaction(other, "ending") as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s)", [warehouse.info.backend_pid])
    with (
        pytest.raises(RowgateError, match="The warehouse went away while trying"),
        transaction(warehouse, "trying") as cursor,
    ):
        cursor.execute("SELECT 1")
