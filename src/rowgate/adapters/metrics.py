"""The report's figures as StatsD gauges, `airflow.dq.<contract>.…`."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

_LOG = logging.getLogger(__name__)
_FIGURES = ("total", "accepted", "rejected", "accept_rate", "inserted", "updated", "unchanged", "repeated")


@dataclass(frozen=True)
class StatsdAddress:
    """Where gauges go, over UDP."""

    host: str
    port: int


def gauges(report: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The gauges of a report, in the form of `Report.to_dict()`: names without a prefix's last dot, and values.

    The load's figures are there once the report has them. Rows are counted in rows, the rate is a share from 0 to 1,
    the time is in seconds since 1970 (UTC).
    """
    prefix = f"airflow.dq.{report['contract']}"
    found = [(f"{prefix}.{figure}", float(report[figure])) for figure in _FIGURES if figure in report]
    finished = datetime.fromisoformat(report["finished_at"]).timestamp()
    found.append((f"{prefix}.last_run_timestamp", finished))
    found += [
        (f"{prefix}.rejected_by_reason.{reason}", float(rows)) for reason, rows in report["rejected_by_reason"].items()
    ]
    return found


def send(address: StatsdAddress, figures: Iterable[tuple[str, float]]) -> None:
    """Send gauges. A name that cannot be resolved is said in the log: figures that are not seen stop no load."""
    from statsd import StatsClient  # noqa: PLC0415 - only what sends needs it

    try:
        client = StatsClient(address.host, address.port)
    except OSError as error:
        _LOG.warning("No gauges were sent: %s:%d cannot be reached (%s).", address.host, address.port, error.strerror)
        return
    with client.pipeline() as batch:
        for name, value in figures:
            batch.gauge(name, value)
    client.close()
