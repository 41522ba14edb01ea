"""What every engine's judging has in common: its outcome, and the order in which a run's zones are written."""

import datetime as dt
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from rowgate.adapters.lake import Lake
from rowgate.contract.model import Contract, DatasetRule
from rowgate.contract.references import unevaluated
from rowgate.errors import ReconciliationError, RowgateError, UnusableError
from rowgate.stages import zones
from rowgate.stages.evidence import keep_report
from rowgate.stages.ingest import read_manifest
from rowgate.stages.keys import Keys, find_keys
from rowgate.stages.outcome import judged
from rowgate.stages.report import Counts, Report
from rowgate.stages.run import Run


@dataclass(frozen=True)
class Judgement:
    """How the records were judged, before anything about it is decided.

    Attributes:
        counts: how many rows met which end.
        values: what each dataset rule returned; empty where no row would load.
        write_clean: writes the accepted rows and sees that they are as many as were counted.
    """

    counts: Counts
    values: dict[str, float | None]
    write_clean: Callable[[], None]


class Judge(Protocol):
    """An engine: it writes the rejects of a run's records and counts."""

    def __call__(
        self, contract: Contract, run: Run, lake: Lake, *, keys: Keys, total: int, run_id: str | None, now: dt.datetime
    ) -> Judgement:
        """Judge the records of a run.

        Args:
            contract: the contract.
            run: whose folders are read and replaced.
            lake: where they are.
            keys: the loaded keys that references look at.
            total: the records, as the reader counted them.
            run_id: what the rows' `run_id` column holds.
            now: the frozen moment of `current_date` and `current_timestamp`.

        Raises:
            RowgateError: the records are not there, or the engine failed.
            UnusableError: the engine's settings do not fit, or a dataset rule cannot be run.
        """


def write_zones(
    judge: Judge,
    contract: Contract,
    run: Run,
    lake: Lake,
    *,
    now: dt.datetime,
    source: str | None = None,
    clock: Callable[[], dt.datetime] | None = None,
) -> Report:
    """Judge the records of a run, write its zones and its report.

    Args:
        judge: the engine.
        contract: the contract.
        run: whose records, and whose folders are replaced.
        lake: where they are.
        now: aware; the frozen moment of `current_date` and `current_timestamp`, and of the rejections.
        source: what the report calls the file; what the manifest calls it if left out.
        clock: tells when the work began and ended; `now` if left out.

    Returns:
        The report that `quality/` has: the one of the run's first judging, where judging again found the same. A
        stopped run has nothing under `clean/`.

    Raises:
        RowgateError: the records are not there.
        ReconciliationError: what was written does not add up to the manifest.
        UnusableError: the engine's settings do not fit, a dataset rule cannot be run, or the keys that a rule refers to
            are of another version of their contract.
    """
    started = clock() if clock else now
    manifest = read_manifest(lake, run)
    keys = find_keys(contract, lake, run)
    judgement = judge(contract, run, lake, keys=keys, total=manifest.records, run_id=run.run_id, now=now)
    finish = partial(
        judged,
        contract,
        run,
        source or manifest.source,
        judgement.counts,
        judgement.values,
        unevaluated=unevaluated(contract, keys),
        started_at=started,
    )
    report = finish(finished_at=clock() if clock else now)
    if report.outcome == "passed":
        judgement.write_clean()
        report = finish(finished_at=clock() if clock else now)
    return keep_report(report, run, lake)


def cleared(run: Run, lake: Lake) -> tuple[str, str, str]:
    """The keys of a run's folders of records, rejects and clean rows, the latter two emptied.

    Raises:
        RowgateError: the records are not there.
    """
    records, rejects, clean = run.folder("records"), run.folder("rejects"), run.folder("clean")
    if not lake.exists(f"{records}/_SUCCESS"):
        raise RowgateError(
            f"The records of this run are not in {lake.uri_of(records)}; clear its first task to read them again."
        )
    for folder in (rejects, clean):
        lake.delete_tree(folder)
    return records, rejects, clean


def require_total(contract: Contract, manifest: int, seen: int) -> None:
    """See that the records in the lake are as many as the manifest says.

    Raises:
        ReconciliationError: they are not.
    """
    if seen != manifest:
        raise ReconciliationError(
            f"{contract.name}: the manifest counts {manifest} records, but {seen} are in the lake; clear the "
            "run's first task to read them again."
        )


def require_written(lake: Lake, folder: str, expected: int) -> None:
    """See that a clean folder has as many rows as were accepted.

    Raises:
        ReconciliationError: it has not.
    """
    written = zones.count_rows(lake, folder)
    if written != expected:
        raise ReconciliationError(
            f"{expected} rows were accepted, but {written} are in {lake.uri_of(folder)}; clear 'transform' to judge "
            "the run again."
        )


def rule_name(contract: Contract, rule: DatasetRule) -> str:
    """How a sentence names a dataset rule."""
    return f"Contract {contract.name}, dataset rule {rule.name}"


def rule_value(contract: Contract, rule: DatasetRule, rows: Sequence[Sequence[Any]]) -> float | None:
    """The number in a dataset rule's result; None for NULL and for what is not finite, which no threshold can judge.

    Args:
        contract: the contract.
        rule: the rule.
        rows: the first rows of the result, two at most.

    Raises:
        UnusableError: the result is not one number.
    """
    where = rule_name(contract, rule)
    if len(rows) > 1 or any(len(row) != 1 for row in rows):
        raise UnusableError(f"{where} must return one number: one row of one column.")
    value = rows[0][0] if rows else None
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UnusableError(f"{where} must return a number, not a {type(value).__name__}.") from None
    return number if math.isfinite(number) else None
