"""The report of one run: the same in the lake, the log, the gauges and on the command line."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

from rowgate.errors import ReconciliationError, RowgateError

State = Literal["met", "breached", "not_evaluated"]


@dataclass(frozen=True)
class QualityRule:
    """What a rule about the whole file said.

    Attributes:
        value: what was measured; None where it was not evaluated, or was NULL.
        threshold: the greatest value that is right (of `min_rows` the least), None where there is no such end.
        low: the least one of a dataset rule, None where there is no such end.
        allowed: which values are right, in words.
    """

    name: str
    value: float | None
    threshold: float | None
    state: State
    low: float | None = None
    allowed: str = ""


@dataclass(frozen=True)
class Counts:
    """How an engine judged the records, in rows.

    Attributes:
        total: records, from the manifest.
        accepted: rows that broke no rule that rejects.
        rejected: the others.
        first: rows by the first reason.
        violations: rows by every reason that rejects; a row counts under each.
        warnings: accepted rows by every reason that only warns.
    """

    total: int
    accepted: int
    rejected: int
    first: Mapping[str, int]
    violations: Mapping[str, int]
    warnings: Mapping[str, int]


@dataclass(frozen=True)
class Load:
    """What the load did with the accepted rows; the four add up to them."""

    inserted: int
    updated: int
    unchanged: int
    repeated: int


@dataclass(frozen=True)
class Report:
    """One run, or one check (then `run_id` and `dt` are None). It never holds a row's value."""

    contract: str
    version: str
    run_id: str | None
    dt: str | None
    source: str
    outcome: Literal["passed", "stopped"]
    total: int
    accepted: int
    rejected: int
    accept_rate: float
    rejected_by_reason: dict[str, int]
    violations_by_reason: dict[str, int]
    warnings_by_reason: dict[str, int]
    quality_rules: list[QualityRule] = field(default_factory=list)
    breaches: list[str] = field(default_factory=list)
    started_at: str = ""
    finished_at: str = ""
    load: Load | None = None

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it: the load's figures stand beside the others, once there are any."""
        found = asdict(self)
        load = found.pop("load")
        return {**found, **(load or {})}

    @property
    def rate(self) -> str:
        """The accept rate for a person, never rounded to all or nothing."""
        rate = f"{self.accept_rate:.1%}"
        if self.rejected and rate == "100.0%":
            return "> 99.9%"
        return "< 0.1%" if self.accepted and rate == "0.0%" else rate

    @property
    def judged(self) -> bool:
        """Whether any row was looked at: a file that is stopped at the gate has none to count."""
        return bool(self.total or not self.breaches)

    @property
    def ending(self) -> str:
        """The outcome for a person: a run that passed may not have been loaded."""
        return "passed, not loaded" if self.outcome == "passed" and self.load is None else self.outcome

    def to_json(self) -> str:
        """The report as one line of JSON, without a newline."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def loaded(self, load: Load, finished_at: datetime) -> "Report":
        """The report with the load's figures.

        Raises:
            ReconciliationError: the figures do not add up to the accepted rows.
        """
        loaded = load.inserted + load.updated + load.unchanged + load.repeated
        if loaded != self.accepted:
            raise ReconciliationError(
                f"The load of {self.contract} accounts for {loaded} rows, but {self.accepted} were accepted; clear "
                "'transform' to judge the run again."
            )
        return replace(self, load=load, finished_at=moment(finished_at))


def parse_report(text: str | bytes) -> Report:
    """Read a report that `to_json` wrote; bytes are UTF-8.

    Raises:
        RowgateError: it is not a report.
    """
    try:
        found = json.loads(text)
        rules = [QualityRule(**rule) for rule in found.pop("quality_rules")]
        figures = {name: found.pop(name) for name in ("inserted", "updated", "unchanged", "repeated") if name in found}
        return Report(**found, quality_rules=rules, load=Load(**figures) if figures else None)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise RowgateError(f"The report cannot be read ({type(error).__name__}); run the pipeline again.") from error


def moment(when: datetime) -> str:
    """An aware moment in ISO 8601, in UTC, ending in `Z`."""
    return when.astimezone(UTC).isoformat().replace("+00:00", "Z")
