"""What the page of one run says, gathered from the lake: the facts alone, no HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rowgate.adapters.lake import Lake
from rowgate.contract.model import MALFORMED, Contract, FieldRule, Pii, Policy
from rowgate.contract.words import rule_in_words
from rowgate.errors import RowgateError
from rowgate.stages.examples import examples_of_run
from rowgate.stages.ingest import Manifest, read_manifest
from rowgate.stages.report import Report
from rowgate.stages.run import Run, Zone
from rowgate.stages.runs import newest

TREND = 30
"""Runs in the trend, this one the last."""

_ZONES: tuple[tuple[Zone, str], ...] = (
    ("raw", "the bytes as they came"),
    ("records", "every record, as text"),
    ("rejects", "the rejected rows, each with every rule it broke"),
    ("clean", "the accepted rows, typed"),
    ("quality", "the report"),
)
_MALFORMED = "A record that is no record: a wrong number of fields, an open quote, bytes that are not UTF-8."


@dataclass(frozen=True)
class TaskTime:
    """How one task of the run went.

    Attributes:
        name: the task.
        state: as Airflow calls it, in words.
        seconds: how long it took; None while it ran.
        tests: dbt tests that were green; None where the task made none.
    """

    name: str
    state: str
    seconds: float | None
    tests: int | None = None


@dataclass(frozen=True)
class Reason:
    """One reason.

    Attributes:
        name: the reason.
        field: the column that its rule is about; empty where none is.
        asks: what the rule asks of the column, to be read after its name.
        policy: what a row that breaks it does to the load.
        first: rows by this as their first reason; of a rule that warns, accepted rows that broke it.
        every: rows that broke it.
        before: `first` in the contract's run before this one; None where there is none.
        examples: different values that broke it.
        hidden: the column is about a person, so that no value is shown.
    """

    name: str
    field: str
    asks: str
    policy: str
    first: int
    every: int
    before: int | None
    examples: tuple[str, ...]
    hidden: bool


@dataclass(frozen=True)
class Place:
    """What the run left in a zone.

    Attributes:
        zone: the zone.
        about: what it holds.
        key: where.
        link: an address that a browser can open; empty where the lake is no folder of this machine.
        files: how many.
        size: bytes.
    """

    zone: str
    about: str
    key: str
    link: str
    files: int
    size: int


@dataclass(frozen=True)
class RunPage:
    """The facts.

    Attributes:
        report: the run's report.
        contract: the contract as it is now; None where there is none of that name any more.
        reasons: those that reject.
        warnings: those that only warn.
        trend: the contract's runs up to this one, oldest first.
        tasks: None where nothing was kept of them.
        places: zone by zone.
        lake: the lake's address.
        manifest: what came; None where no file did.
        examples_missing: why no example can be shown, a sentence; empty where they can.
    """

    report: Report
    contract: Contract | None
    reasons: tuple[Reason, ...]
    warnings: tuple[Reason, ...]
    trend: tuple[Report, ...]
    tasks: tuple[TaskTime, ...] | None
    places: tuple[Place, ...]
    lake: str
    manifest: Manifest | None
    examples_missing: str = ""

    @property
    def outcome(self) -> str:
        """How the run ended: a report that passed is not yet a run that did."""
        failed = next((task.name for task in self.tasks or () if task.state == "failed"), None)
        if self.report.outcome == "passed" and failed:
            return f"failed in {failed}"
        return self.report.ending

    @property
    def floor(self) -> float | None:
        """The accept rate under which the contract stops a load; None where it names none."""
        most = self.contract.max_reject_rate if self.contract else None
        return None if most is None else 1 - most


def gather(
    report: Report, run: Run, lake: Lake, contract: Contract | None, tasks: Sequence[TaskTime] | None
) -> RunPage:
    """Gather the page of a run.

    Args:
        report: the run's report.
        run: the run.
        lake: where its zones are.
        contract: the contract as it is now, which says which columns are about a person.
        tasks: what is known of the run's tasks; None for nothing.

    Raises:
        RowgateError: the lake cannot be read.
    """
    trend = tuple(reversed(newest(lake, run.contract, TREND, until=report).reports))
    earlier = [each for each in trend if each.run_id != report.run_id]
    rejected, warned = (earlier[-1].rejected_by_reason, earlier[-1].warnings_by_reason) if earlier else (None, None)
    shown: dict[str, list[str]] = {}
    missing = "" if contract else "the contract is not there any more, so nothing says which columns are personal"
    if contract and report.rejected:
        try:
            shown = examples_of_run(contract, lake, run.folder("rejects"))
        except RowgateError:
            missing = "the rejected rows are not there any more, or not as the contract is now"
    # A report counts a reason that only warns, with 0, among those that reject as well.
    rejecting = {
        name: rows for name, rows in report.rejected_by_reason.items() if name not in report.warnings_by_reason
    }
    return RunPage(
        report=report,
        contract=contract,
        reasons=_reasons(report, contract, rejecting, rejected, shown),
        warnings=_reasons(report, contract, report.warnings_by_reason, warned, {}),
        trend=trend,
        tasks=None if tasks is None else tuple(tasks),
        places=tuple(_place(run, lake, zone, about) for zone, about in _ZONES),
        lake=lake.uri,
        manifest=read_manifest(lake, run) if lake.exists(run.manifest) else None,
        examples_missing=missing,
    )


def _reasons(
    report: Report,
    contract: Contract | None,
    figures: Mapping[str, int],
    before: Mapping[str, int] | None,
    shown: Mapping[str, Sequence[str]],
) -> tuple[Reason, ...]:
    rules = {rule.reason: rule for rule in contract.rules} if contract else {}
    found = []
    for name, rows in figures.items():
        rule = rules.get(name)
        personal = contract is not None and rule is not None and contract.column(rule.field).pii is not Pii.NONE
        policy = contract.policy_of(rule) if contract and rule else None
        found.append(
            Reason(
                name=name,
                field=rule.field if rule else "",
                asks=_asks(contract, rule) if contract and rule else _MALFORMED if name == MALFORMED else "",
                policy="stops the load" if policy is Policy.FAIL else "",
                first=rows,
                every=report.violations_by_reason.get(name, rows),
                before=None if before is None else before.get(name),
                examples=() if personal else tuple(shown.get(name, ())),
                hidden=personal,
            )
        )
    return tuple(found)


def _asks(contract: Contract, rule: FieldRule) -> str:
    return f": {rule.description}" if rule.description else f" {rule_in_words(contract, rule, str)}"


def _place(run: Run, lake: Lake, zone: Zone, about: str) -> Place:
    if zone in ("raw", "quality"):
        folder = run.folder(zone)
        entries = [each for each in lake.entries(folder.rpartition("/")[0]) if each.key.startswith(f"{folder}.")]
        key = next((each.key for each in entries if ".csv" in each.key.removeprefix(folder)), run.file(zone, ".json"))
    else:
        key = run.folder(zone)
        entries = [each for each in lake.entries(key) if each.key.endswith(".parquet")]
    local = lake.local(key)
    link = local.as_uri() if local and entries else ""
    return Place(zone, about, key, link, len(entries), sum(each.size for each in entries))
