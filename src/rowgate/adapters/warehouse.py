"""The warehouse: a Postgres database, reached with psycopg2."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import psycopg2
from psycopg2 import errors, sql
from psycopg2.extensions import connection as PostgresConnection  # noqa: N812 - the driver's class has a small name
from psycopg2.extensions import cursor as Cursor  # noqa: N812 - the same

from rowgate.errors import RowgateError, UnusableError

_CONNECT_TIMEOUT = 10  # seconds
_MAINTENANCE = "postgres"
_OPENING = "SET standard_conforming_strings = on; SET TIME ZONE 'UTC'; SET DateStyle = ISO"

TLS_OPTIONS = ("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl")
"""What a connection can say of its encryption (PostgreSQL manual 32.1.2)."""

__all__ = ["Connection", "Cursor", "PostgresConnection", "connect", "transaction"]


@dataclass(frozen=True)
class Connection:
    """Where the warehouse is and how to be let in.

    Attributes:
        options: how the connection is encrypted, by libpq's names (`TLS_OPTIONS`).
    """

    host: str
    port: int
    user: str
    password: str = field(repr=False)
    database: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """The server as an error names it."""
        return f"{self.host}:{self.port}"


@contextmanager
def connect(settings: Connection, *, read_only: bool = False) -> Iterator[PostgresConnection]:
    """Open a connection, closed when the block ends; the database is created when the server has none of that name.

    Args:
        settings: the warehouse.
        read_only: every transaction of the connection refuses to write, and a missing database stays missing.

    Raises:
        RowgateError: nobody answers.
        UnusableError: the server refuses the user, or the database cannot be created or does not hold UTF-8.
    """
    try:
        opened = _open(settings)
    except psycopg2.OperationalError as error:
        if read_only:
            raise _refused(settings, error) from None
        _create_missing_database(settings, error)
        try:
            opened = _open(settings)
        except psycopg2.OperationalError as again:
            raise _refused(settings, again) from None
    try:
        encoding = opened.get_parameter_status("server_encoding")
        if encoding != "UTF8":
            raise UnusableError(
                f"The database {settings.database} at {settings.where} holds {encoding} and cannot take every name; "
                "use one made with ENCODING 'UTF8'."
            )
        if read_only:
            opened.set_session(readonly=True)
        yield opened
    finally:
        with suppress(psycopg2.Error):
            opened.close()


@contextmanager
def transaction(connection: PostgresConnection, doing: str, lock_timeout: str = "10s") -> Iterator[Cursor]:
    """One transaction: committed when the block ends, undone when it raises.

    Args:
        connection: the connection, with no transaction open.
        doing: what the block does, for a sentence: "loading users".
        lock_timeout: how long to wait for another session's lock, as Postgres writes times.

    Raises:
        RowgateError: the server failed or refused; the sentence never quotes a value.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, true)", [lock_timeout])
            yield cursor
        connection.commit()
    except psycopg2.Error as error:
        _undo(connection)
        # The driver's own message can hold a row ("Failing row contains ..."), so it is not kept as the cause.
        raise problem(error, doing) from None
    except BaseException:
        _undo(connection)
        raise


def problem(error: psycopg2.Error, doing: str) -> RowgateError:
    """The sentence for what the server said, without the values it may have quoted."""
    state, kind = error.pgcode or "", type(error).__name__
    lasting = _lasting(error, state, doing)
    if lasting:
        return UnusableError(lasting)
    if not state or state.startswith(("08", "57P")):
        return RowgateError(f"The warehouse went away while {doing}; see that it runs, then run the task again.")
    if state.startswith("53"):
        return RowgateError(
            f"The warehouse ran out of room while {doing} ({kind}); make some, then run the task again."
        )
    if isinstance(error, errors.LockNotAvailable):
        return RowgateError(f"Another session kept a table locked while {doing}; run the task again when it is done.")
    return RowgateError(f"The warehouse failed while {doing} ({kind}, {state}); its log says why.")


def _lasting(error: psycopg2.Error, state: str, doing: str) -> str:
    """The sentence for what no retry mends, else nothing."""
    # A message about names (class 42) and a list of dependants quote no data; other messages can.
    said = error.diag.message_primary
    if isinstance(error, errors.DependentObjectsStillExist):
        first = (error.diag.message_detail or said or "").splitlines()[0]
        return f"Something else in the warehouse stood in the way while {doing}: {first}; drop or move it."
    if state.startswith("23"):
        what = error.diag.constraint_name or error.diag.column_name or "a constraint"
        return (
            f"The warehouse refused a row while {doing}: {_table(error)} forbids it by {what}; the table was made from "
            "another version of the contract, so alter it, or move it away to have it made again."
        )
    if state.startswith("42"):
        return f"The warehouse refused what {doing} needs: {said}."
    return ""


def _table(error: psycopg2.Error) -> str:
    diag = error.diag
    return f"{diag.schema_name}.{diag.table_name}" if diag.table_name else "the table"


def _undo(connection: PostgresConnection) -> None:
    with suppress(psycopg2.Error):
        if connection.info.transaction_status == psycopg2.extensions.TRANSACTION_STATUS_ACTIVE:
            connection.cancel()
        connection.rollback()


def _open(settings: Connection) -> PostgresConnection:
    options: Mapping[str, Any] = settings.options
    opened: PostgresConnection = psycopg2.connect(
        host=settings.host,
        port=settings.port,
        user=settings.user,
        password=settings.password,
        dbname=settings.database,
        application_name="rowgate",
        client_encoding="UTF8",
        connect_timeout=_CONNECT_TIMEOUT,
        keepalives=1,
        keepalives_idle=30,  # seconds, as the next one
        keepalives_interval=10,
        keepalives_count=3,
        **options,
    )
    with opened.cursor() as cursor:
        cursor.execute(_OPENING)
    opened.commit()
    return opened


def _create_missing_database(settings: Connection, error: psycopg2.OperationalError) -> None:
    """Create the database if that is what was missing; what else keeps us out is raised as it was said."""
    if settings.database == _MAINTENANCE:
        raise _refused(settings, error) from None
    try:
        opened = _open(replace(settings, database=_MAINTENANCE))
    except psycopg2.OperationalError:
        raise _refused(settings, error) from None
    try:
        opened.autocommit = True
        with opened.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.database])
            if cursor.fetchone():
                return  # somebody else made it in between, or another attempt to open it says what is wrong
            create = sql.SQL("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0")
            cursor.execute(create.format(sql.Identifier(settings.database)))
    except (errors.DuplicateDatabase, errors.UniqueViolation):
        pass  # somebody else made it in between
    except psycopg2.Error as failure:
        raise UnusableError(
            f"The database {settings.database} at {settings.where} is missing and cannot be created by {settings.user} "
            f"({type(failure).__name__}); create it, or grant CREATEDB."
        ) from None
    finally:
        opened.close()


def _refused(settings: Connection, error: psycopg2.OperationalError) -> RowgateError:
    # A connection that was never made has no SQLSTATE, only libpq's text; it names no password.
    said = str(error)
    if "authentication failed" in said or "no password supplied" in said or "no pg_hba.conf entry" in said:
        return UnusableError(
            f"The warehouse at {settings.where} does not let the user {settings.user} in; correct the user or the "
            "password of the connection postgres_default."
        )
    if "could not translate host name" in said:
        return RowgateError(
            f"The warehouse's host {settings.host} is not known; correct it in the connection postgres_default."
        )
    if "Connection refused" in said:
        return RowgateError(
            f"Nothing listens at {settings.where}, where the warehouse should be; start it and try again."
        )
    last = (said.strip().splitlines() or ["it gave no reason"])[-1].replace("FATAL:", "").strip(" .")
    return RowgateError(f"The warehouse at {settings.where} does not answer ({last}); see that it runs and try again.")
