"""`rowgate psql`: the embedded server's own psql, let in."""

import os
from collections.abc import Mapping, Sequence

from rowgate.embedded import postgres
from rowgate.embedded.postgres_process import binaries
from rowgate.settings import Settings


def open_psql(settings: Settings, environ: Mapping[str, str], arguments: Sequence[str]) -> None:
    """Become psql on the embedded warehouse; the password goes by the environment.

    Raises:
        RowgateError: the server does not come up.
    """
    settings.make_state()
    server = postgres.start(settings.state / "postgres")
    address = {
        "PGHOST": server.host,
        "PGPORT": str(server.port),
        "PGUSER": server.user,
        "PGPASSWORD": server.password,
        "PGDATABASE": "warehouse",
    }
    program = str(binaries() / "psql")
    os.execve(program, [program, *arguments], {**environ, **address})  # noqa: S606 - no shell is wanted
