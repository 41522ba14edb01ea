"""An Airflow connection to Postgres, read without Airflow: for the command line, which connects on its own.

Both forms that Airflow takes in `AIRFLOW_CONN_POSTGRES_DEFAULT` are read, JSON and URI. Format:
https://airflow.apache.org/docs/apache-airflow/stable/howto/connection.html
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from rowgate.adapters.warehouse import TLS_OPTIONS, Connection
from rowgate.errors import UnusableError

_PORT = 5432
_DATABASE = "warehouse"


def postgres_of(connection: str) -> Connection:
    """Where a connection says the warehouse is; what it leaves out is what the pipeline's tasks take.

    Args:
        connection: its JSON or its URI.

    Raises:
        UnusableError: it is neither, or asks for what is not understood.
    """
    try:
        parts = _json(connection) if connection.lstrip().startswith("{") else _uri(connection)
    except (ValueError, TypeError, AttributeError):
        raise UnusableError(
            "AIRFLOW_CONN_POSTGRES_DEFAULT is neither JSON nor a URI of a connection; correct it."
        ) from None
    return postgres_from(**parts)


def postgres_from(
    *, host: str | None, port: int | None, login: str | None, password: str | None, schema: str | None, extra: object
) -> Connection:
    """The warehouse from the parts of an Airflow connection; None stands for what it leaves out.

    Args:
        host: a name or an address; this machine if left out.
        port: 5432 if left out.
        login: the user.
        password: its password.
        schema: what Airflow calls a connection's database; `warehouse` if left out.
        extra: the connection's extra as a mapping; only libpq's options of encryption may be in it.

    Raises:
        UnusableError: the extra holds something else.
    """
    options = extra or {}
    if not isinstance(options, Mapping) or any(name not in TLS_OPTIONS for name in options):
        raise UnusableError(
            "The extra of the connection postgres_default holds what rowgate does not understand; it may say "
            f"{', '.join(TLS_OPTIONS)}, as JSON."
        )
    return Connection(
        host=host or "localhost",
        port=port or _PORT,
        user=login or "",
        password=password or "",
        database=schema or _DATABASE,
        options={name: str(value) for name, value in options.items()},
    )


def _json(text: str) -> dict[str, Any]:
    found = json.loads(text)
    extra = found.get("extra")
    return {
        "host": found.get("host"),
        "port": int(found.get("port") or _PORT),
        "login": found.get("login"),
        "password": found.get("password"),
        "schema": found.get("schema"),
        "extra": json.loads(extra) if isinstance(extra, str) and extra else extra,
    }


def _uri(text: str) -> dict[str, Any]:
    parts = urlsplit(text)
    if not parts.scheme:
        raise ValueError
    asked = dict(parse_qsl(parts.query, keep_blank_values=True))
    # Airflow writes an extra that holds more than texts as one JSON under this name.
    return {
        "host": unquote(parts.hostname or "") or None,
        "port": parts.port,
        "login": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "schema": unquote(parts.path.strip("/")) or None,
        "extra": json.loads(asked["__extra__"]) if "__extra__" in asked else asked,
    }
