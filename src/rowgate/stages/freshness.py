"""The service level `freshness`: how long ago a contract's last good run was, and whether its owner knows."""

import datetime as dt
import json
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from rowgate.adapters.lake import Lake
from rowgate.contract.model import Contract
from rowgate.errors import RowgateError
from rowgate.stages.report import moment, parse_report

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))


@dataclass(frozen=True)
class Stale:
    """A contract without a good run in the time that its owner promised.

    Attributes:
        contract: the contract's name.
        promised: the longest time between two good runs.
        last: when the last good run ended, aware; None where there was none.
    """

    contract: str
    promised: dt.timedelta
    last: dt.datetime | None

    @property
    def since(self) -> str:
        """What tells this staleness from a later one: the moment of the last good run."""
        return "never" if self.last is None else moment(self.last)

    @property
    def sentence(self) -> str:
        """What its owner is told."""
        promise = f"the contract promises one every {in_words(self.promised)}"
        if self.last is None:
            return f"{self.contract} never had a good run, and {promise}."
        return f"The last good run of {self.contract} ended at {moment(self.last)}, and {promise}."


def stale(contract: Contract, lake: Lake, now: dt.datetime) -> Stale | None:
    """Whether a contract's last good run is longer ago than it promises; None where it is not, or promises nothing.

    Raises:
        RowgateError: the lake or a report in it cannot be read.
    """
    promised = contract.service_levels.freshness
    if promised is None:
        return None
    last = last_good_run(contract.name, lake)
    return None if last is not None and now - last <= promised else Stale(contract.name, promised, last)


def last_good_run(contract: str, lake: Lake) -> dt.datetime | None:
    """When the last run ended that passed and was loaded, aware; None where there was none.

    Raises:
        RowgateError: the lake or a report in it cannot be read.
    """
    keys = sorted((key for key in lake.list(f"quality/{contract}") if key.endswith(".json")), reverse=True)
    for _, day in groupby(keys, key=lambda key: key.rsplit("/", 1)[0]):
        reports = [parse_report(lake.read_bytes(key)) for key in day]
        ended = [
            dt.datetime.fromisoformat(report.finished_at)
            for report in reports
            if report.outcome == "passed" and report.load is not None
        ]
        if ended:
            return max(ended)
    return None


class Memory:
    """Who was told of which staleness, in a small file, so that each is told once."""

    def __init__(self, file: Path) -> None:
        """Read the file, if there is one.

        Raises:
            RowgateError: it cannot be read.
        """
        self._file = file
        try:
            self._told: dict[str, str] = json.loads(file.read_bytes()) if file.exists() else {}
        except (OSError, ValueError) as error:
            raise RowgateError(f"{file} cannot be read ({type(error).__name__}); remove it.") from error

    def knows(self, found: Stale) -> bool:
        """Whether this staleness was told already."""
        return self._told.get(found.contract) == found.since

    def remember(self, found: Stale) -> None:
        """Take note that it was told.

        Raises:
            RowgateError: the file cannot be written.
        """
        self._told[found.contract] = found.since
        temporary = self._file.with_name(f".{self._file.name}.part")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(self._told), encoding="utf-8")
            temporary.replace(self._file)
        except OSError as error:
            raise RowgateError(f"{self._file} cannot be written: {error.strerror or error}.") from error


def in_words(length: dt.timedelta) -> str:
    """A length of time in the largest unit that leaves no rest: `26 hours`."""
    seconds = int(length.total_seconds())
    size, unit = next(((size, unit) for size, unit in _UNITS if seconds % size == 0), _UNITS[-1])
    count = seconds // size
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
