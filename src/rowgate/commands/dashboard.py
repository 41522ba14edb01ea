"""`rowgate dashboard`: the page that shows runs, rejections and marts, on this machine."""

import signal
from collections.abc import Mapping
from datetime import UTC, datetime

import typer

from rowgate.dashboard.demo import demo
from rowgate.dashboard.places import DEMO
from rowgate.dashboard.server import serve
from rowgate.embedded.processes import ended_by
from rowgate.settings import Settings


def open_dashboard(
    settings: Settings, environ: Mapping[str, str], *, made_up: bool, host: str, port: int | None
) -> int:
    """Serve the page until Ctrl-C, of the project's own lake and warehouse or of made-up data.

    Returns:
        The exit status, 0.

    Raises:
        UnusableError: the address, the port or the state folder cannot be used.
        RowgateError: the server ended by itself, or the made-up data could not be made.
    """
    settings.make_state()
    log = settings.logs / "dashboard.log"
    if not made_up:
        return serve(settings, environ, log=log, host=host, port=port, progress=_tell)
    try:
        with (
            ended_by(signal.SIGTERM, signal.SIGHUP),
            demo(settings, environ, datetime.now(UTC), _tell) as shown,
        ):
            kept = {name: value for name, value in environ.items() if name != "AIRFLOW_CONN_POSTGRES_DEFAULT"}
            return serve(shown, {**kept, DEMO: "1"}, log=log, host=host, port=port, progress=_tell)
    except KeyboardInterrupt:
        return 0


def _tell(line: str) -> None:
    typer.echo(line, err=True)
