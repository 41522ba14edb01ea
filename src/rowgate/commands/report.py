"""`rowgate report`: the page of one run, made from the lake, and from what `rowgate run` kept of its tasks."""

import difflib
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import typer

from rowgate.adapters.lake import Lake
from rowgate.commands.events import Events
from rowgate.contract import catalog, words
from rowgate.embedded.environment import write_private
from rowgate.errors import UnusableError
from rowgate.settings import Settings
from rowgate.stages.report import Report, parse_report
from rowgate.stages.run import Run, path_id
from rowgate.stages.run_page import TaskTime, gather
from rowgate.stages.run_page_html import render
from rowgate.stages.runs import newest

_LOOKED_AT = 200  # the newest runs, among which an id that was mistyped is looked for
_NAMED = 3


def make_report(settings: Settings, contract_name: str | None, run_id: str | None, out: str | None) -> int:
    """Make a run's page, and print where it is.

    Args:
        settings: where contracts, lake and state are.
        contract_name: a contract's name or path; None for every contract's runs.
        run_id: the run's id, as Airflow or a path in the lake writes it; None for the newest run.
        out: the file; `-` for standard output; None for the project's state folder.

    Returns:
        0.

    Raises:
        UnusableError: there is no such contract or run, or the file cannot be written.
        RowgateError: the lake cannot be read.
    """
    name = catalog.find(contract_name, settings.contracts).name if contract_name else None
    lake = settings.open_lake()
    report = _find(lake, name, run_id)
    if out == "-":
        sys.stdout.write(_html(settings, lake, report))
        return 0
    typer.echo(write_page(settings, lake, report, Path(out) if out else None))
    return 0


def write_page(settings: Settings, lake: Lake, report: Report, file: Path | None = None) -> Path:
    """Write a run's page, for its owner alone, in place of one that is there.

    Args:
        settings: where contracts and state are.
        lake: where the run's zones are.
        report: the run's report.
        file: where to; `reports/<contract>/<run>.html` in the state folder if left out.

    Returns:
        The file.

    Raises:
        UnusableError: it cannot be written.
        RowgateError: the lake cannot be read.
    """
    html = _html(settings, lake, report)
    try:
        if file is None:
            settings.make_state()
            folder = settings.state / "reports" / report.contract
            folder.parent.mkdir(mode=0o700, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            file = folder / f"{path_id(report.run_id or '')}.html"
        write_private(file, html)
    except OSError as error:
        raise UnusableError(f"The page {file or settings.state} cannot be written ({error.strerror}).") from None
    return file


def _html(settings: Settings, lake: Lake, report: Report) -> str:
    try:
        contract = catalog.find(report.contract, settings.contracts)
    except UnusableError:
        contract = None  # gone or broken since; the report is there all the same
    return render(gather(report, _run(report), lake, contract, _tasks(settings, report)))


def _run(report: Report) -> Run:
    """The run, whose folders are found by its date alone."""
    return Run(report.contract, report.run_id or "", datetime.fromisoformat(report.dt or "").replace(tzinfo=UTC))


def _tasks(settings: Settings, report: Report) -> list[TaskTime] | None:
    """What the tasks said while `rowgate run` watched; None where it did not."""
    for file in sorted(settings.logs.glob(f"run-{report.contract}-*.events.jsonl"), reverse=True):
        events = Events(file)
        with suppress(OSError, ValueError, KeyError):  # a file that was cut or is no longer ours to read tells nothing
            events.refresh()
        if events.run and events.run[0] == report.run_id:
            return [
                TaskTime(
                    task.name,
                    {"running": "not ended", "success": "done"}.get(task.state, task.state),
                    task.seconds,
                    task.details.get("tests"),
                )
                for task in events.tasks.values()
            ]
    return None


def _find(lake: Lake, contract: str | None, run_id: str | None) -> Report:
    whose = f" of {contract}" if contract else ""
    if run_id is None:
        found = newest(lake, contract, 1).reports
        if not found:
            raise UnusableError(f"There is no run{whose} in {lake.uri} yet; `rowgate run` makes one.")
        return found[0]
    names = (f"/{path_id(run_id)}.json", f"/{run_id}.json")
    keys = [key for key in lake.list(f"quality/{contract}" if contract else "quality") if key.endswith(names)]
    if len(keys) > 1:
        several = words.listed([key.split("/")[1] for key in keys])
        raise UnusableError(f"{several} each have a run {run_id}; name the contract too.")
    if keys:
        return parse_report(lake.read_bytes(keys[0]))
    ids = [report.run_id or "" for report in newest(lake, contract, _LOOKED_AT).reports]
    near = difflib.get_close_matches(run_id, ids, _NAMED, 0.0)
    hint = f"the nearest {'is' if len(near) == 1 else 'are'} {words.listed(near)}" if near else "there is none yet"
    raise UnusableError(f"There is no run {run_id}{whose} in {lake.uri}; {hint}.")
