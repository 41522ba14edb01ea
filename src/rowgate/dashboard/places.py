"""What the page reads: the project's contracts, its lake and its warehouse, as the environment says at this moment."""

from collections.abc import Mapping

from rowgate.adapters.postgres_connection import postgres_of
from rowgate.adapters.warehouse import Connection
from rowgate.embedded import postgres
from rowgate.embedded.environment import WAREHOUSE
from rowgate.errors import RowgateError
from rowgate.settings import Settings

KEY = "ROWGATE_DASHBOARD_KEY"
"""Holds the key that the printed address ends in: every user of this machine reaches a port, and personal data is shown
to nobody who does not have it."""

DEMO = "ROWGATE_DASHBOARD_DEMO"
"""Set in the environment of a page that shows made-up data."""


def warehouse(settings: Settings, environ: Mapping[str, str]) -> Connection:
    """The warehouse of `AIRFLOW_CONN_POSTGRES_DEFAULT`, else the private one that runs now.

    Raises:
        UnusableError: the connection is none.
        RowgateError: there is no connection, and the private Postgres does not run.
    """
    named = environ.get("AIRFLOW_CONN_POSTGRES_DEFAULT")
    if named:
        return postgres_of(named)
    folder = settings.state / "postgres"
    server = postgres.running(folder)
    if server is None:
        raise RowgateError(
            "The private Postgres does not run; `make dashboard` or `make run` starts it again."
            if (folder / "server.json").exists()
            else "There is no warehouse yet; `make run` makes one."
        )
    return Connection(server.host, server.port, server.user, server.password, WAREHOUSE)
