"""The report's figures as StatsD gauges, `airflow.dq.<contract>.…`."""

import logging
import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

_LOG = logging.getLogger(__name__)
_FIGURES = ("total", "accepted", "rejected", "accept_rate", "inserted", "updated", "unchanged", "repeated")
_BY_REASON = ("rejected_by_reason", "violations_by_reason", "warnings_by_reason")
PATIENCE = 0.3
"""How long a name may take to resolve, in seconds: a run sends twice, and may lose a second at most."""


@dataclass(frozen=True)
class StatsdAddress:
    """Where gauges go, over UDP."""

    host: str
    port: int


def gauges(report: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The gauges of a report, in the form of `Report.to_dict()`: names without a prefix's last dot, and values.

    The load's figures are there once the report has them. Rows are counted in rows, the rate is a share from 0 to 1,
    times are in seconds since 1970 (UTC). `last_good_run_timestamp` is there for a run that passed and was loaded, and
    comes last: who sees it move on has seen the run's other figures.
    """
    prefix = f"airflow.dq.{report['contract']}"
    found = [(f"{prefix}.{figure}", float(report[figure])) for figure in _FIGURES if figure in report]
    found += [
        (f"{prefix}.{figure}.{reason}", float(rows)) for figure in _BY_REASON for reason, rows in report[figure].items()
    ]
    finished = datetime.fromisoformat(report["finished_at"]).timestamp()
    found.append((f"{prefix}.last_run_timestamp", finished))
    if report["outcome"] == "passed" and "inserted" in report:
        found.append((f"{prefix}.last_good_run_timestamp", finished))
    return found


def send(address: StatsdAddress, figures: Iterable[tuple[str, float]]) -> None:
    """Send gauges. A name that does not resolve soon is said in the log: figures that are not seen stop no load."""
    from statsd import StatsClient  # noqa: PLC0415 - only what sends needs it

    try:
        client = StatsClient(resolve(address), address.port)
    except OSError as error:
        _LOG.warning("No gauges were sent: %s:%d cannot be reached (%s).", address.host, address.port, error.strerror)
        return
    with client.pipeline() as batch:
        for name, value in figures:
            batch.gauge(name, value)
    client.close()


def resolve(address: StatsdAddress) -> str:
    """The IP address behind a StatsD host, within `PATIENCE`.

    The system's resolver takes no deadline and may need many seconds, so that it is asked in a thread that nobody waits
    for when the process ends.

    Raises:
        OSError: the name does not resolve, or not in time.
    """
    answers: SimpleQueue[str | OSError] = SimpleQueue()

    def look() -> None:
        try:
            answers.put(str(ask(address.host, address.port)[0]))
        except OSError as error:
            answers.put(error)

    Thread(target=look, daemon=True, name="statsd-name").start()
    try:
        answer = answers.get(timeout=PATIENCE)
    except Empty:
        raise socket.gaierror(socket.EAI_AGAIN, f"its name took over {PATIENCE} s to resolve") from None
    if isinstance(answer, OSError):
        raise answer
    return answer


def ask(host: str, port: int, family: socket.AddressFamily = socket.AF_INET) -> tuple[Any, ...]:
    """The socket address behind a host's name, however long the system's resolver takes.

    Raises:
        OSError: the name does not resolve.
    """
    try:
        return socket.getaddrinfo(host, port, family, socket.SOCK_DGRAM)[0][4]
    except UnicodeError:  # a label of more than 63 characters, which no name server can have
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known") from None
