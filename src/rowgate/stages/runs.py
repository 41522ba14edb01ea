"""The runs that there were, newest first, from their reports in the lake."""

from dataclasses import dataclass
from itertools import groupby

from rowgate.adapters.lake import Lake
from rowgate.errors import RowgateError
from rowgate.stages.report import Report, parse_report


@dataclass(frozen=True)
class Runs:
    """What was found.

    Attributes:
        reports: the newest first.
        unreadable: the keys of reports that are damaged.
    """

    reports: tuple[Report, ...]
    unreadable: tuple[str, ...]


def newest(lake: Lake, contract: str | None, limit: int, until: Report | None = None) -> Runs:
    """The newest runs; only the reports of as many days are read as it takes.

    Args:
        lake: where the reports are.
        contract: the contract's name; None for the runs of every contract.
        limit: how many at most.
        until: leave out the runs that began after this one.

    Raises:
        RowgateError: the lake cannot be read.
    """
    keys = lake.list(f"quality/{contract}" if contract else "quality")
    last = f"dt={until.dt}" if until else "dt=~"
    keys = sorted((key for key in keys if key.endswith(".json") and _day(key) <= last), key=_day, reverse=True)
    found: list[Report] = []
    unreadable: list[str] = []
    for _, day in groupby(keys, key=_day):
        if len(found) >= limit:
            break
        reports = []
        for key in day:
            content = lake.read_bytes(key)
            try:
                reports.append(parse_report(content))
            except RowgateError:
                unreadable.append(key)
        if until:
            reports = [report for report in reports if report.dt != until.dt or _order(report) <= _order(until)]
        found += sorted(reports, key=_order, reverse=True)
    return Runs(tuple(found[:limit]), tuple(unreadable))


def _order(report: Report) -> tuple[str, str]:
    return report.started_at, report.finished_at


def _day(key: str) -> str:
    """The folder `dt=…` of `quality/<contract>/dt=…/<run>.json`."""
    return key.split("/")[2]
