"""A run's report in `quality/`: written once, and anew only where a task that ran again found something else."""

from contextlib import suppress
from dataclasses import replace

from rowgate.adapters.lake import Lake
from rowgate.errors import RowgateError
from rowgate.stages.report import Report, parse_report
from rowgate.stages.run import Run


def keep_report(report: Report, run: Run, lake: Lake) -> Report:
    """Write a run's report, unless the lake has one that differs in its times alone.

    A run that is judged again with the same outcome keeps the load's figures: its rows are in the warehouse.

    Args:
        report: what the task found.
        run: whose report it is.
        lake: where it goes.

    Returns:
        The report that the lake has now.

    Raises:
        RowgateError: the lake cannot be written.
    """
    earlier = _earlier(run, lake)
    if earlier and _judgement(earlier) == _judgement(report) and report.load in (None, earlier.load):
        return earlier
    lake.write_bytes(run.report, f"{report.to_json()}\n".encode())
    return report


def _earlier(run: Run, lake: Lake) -> Report | None:
    if lake.exists(run.report):
        with suppress(RowgateError):  # one that is damaged says nothing, and is written anew
            return parse_report(lake.read_bytes(run.report))
    return None


def _judgement(report: Report) -> Report:
    return replace(report, started_at="", finished_at="", load=None)
