"""What a person reads when a run has ended."""

import re
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rowgate.adapters.lake import Lake
from rowgate.commands.events import Events
from rowgate.contract import words
from rowgate.contract.model import Contract
from rowgate.settings import Settings
from rowgate.stages.report import Report, parse_report
from rowgate.stages.run import Run, Zone

_BAR = 24
_TAIL = 12
_FOLDERS: tuple[Zone, ...] = ("records", "rejects", "clean")
_CHATTER = re.compile(r" \[(info|debug) +\] |^Traceback ")
_MATTERS = re.compile(r"error|exception|fatal|refused|denied|cannot|failed", re.IGNORECASE)


def summary(contract: Contract, events: Events, settings: Settings, page: Path | None = None) -> RenderableType:
    """The summary of a run that left a report, and perhaps a page."""
    run = events.run_of(contract.name)
    lake = settings.open_lake()
    report = parse_report(lake.read_bytes(run.report))
    failed = events.failed()
    # A report that passed is not yet a run that did.
    outcome = f"failed in {failed.name}" if failed and report.outcome == "passed" else report.outcome
    parts: list[RenderableType] = [
        Text(
            f"\n{contract.name} {contract.version}: {outcome}",
            style="bold green" if outcome == "passed" else "bold red",
        ),
        # Of a file that was stopped at the gate no row was judged, so there is nothing to count.
        *([_counts(report, events), reasons(report)] if report.judged else []),
        *(Text(f"BREACH  {sentence}", style="red") for sentence in report.breaches),
        _times(events),
        Text.assemble("\nZones in ", (lake.uri.removeprefix("file://"), "cyan")),
        Text(f"  {words.listed(_zones(run, lake))}, in each of them"),
        Text(f"  {_place(run)}"),
        *([Text.assemble("\nThis run's page: ", (str(page), "cyan"))] if page else []),
    ]
    # A file that was refused has no records to ask about.
    if report.judged:
        parts += [Text("\nNext"), *(Text(f"  {line}") for line in _next(contract, finished=events.finished()))]
    return Group(*parts)


def reasons(report: Report) -> RenderableType:
    """A bar for each reason: by the first one, with every break beside it."""
    table = Table(box=None, padding=(0, 2, 0, 0), title="Rejected by reason", title_justify="left", title_style="")
    table.add_column("first reason")
    table.add_column("rows", justify="right")
    table.add_column("share", justify="right")
    table.add_column("", no_wrap=True)
    table.add_column("all breaks", justify="right")
    most = max(report.rejected_by_reason.values(), default=0)
    for reason, rows in report.rejected_by_reason.items():
        bar = "█" * round(_BAR * rows / most) if most else ""
        share = f"{rows / report.total:.1%}" if report.total else "-"
        table.add_row(reason, f"{rows:,}", share, Text(bar, style="red"), f"{report.violations_by_reason[reason]:,}")
    for reason, rows in report.warnings_by_reason.items():
        table.add_row(f"{reason} (warns)", f"{rows:,}", "", "", "")
    return Group(Text(""), table)


def failure(events: Events, log: Path) -> RenderableType:
    """One sentence on what failed, the lines of the log that matter, and where the rest is."""
    task = events.failed()
    if task is not None:
        sentence = f"{task.name} failed: {task.details.get('sentence', 'its log says why.')}"
    else:
        sentence = f"Airflow ended {_how_far(events)}; see the end of its log, then run it again."
    # A task that tells no lines ended in a way that nobody foresaw, or never began.
    lines = task.details["lines"] if task is not None and "lines" in task.details else _tail(log)
    return Group(
        Text(f"rowgate: {sentence}", style="bold red"),
        *(Text(f"  {line}", style="dim") for line in lines),
        Text(f"The whole log: {log}"),
    )


def _how_far(events: Events) -> str:
    running = [task.name for task in events.tasks.values() if task.seconds is None]
    if running:
        return f"while {running[-1]} was running"
    return "before its last task" if events.tasks else "before its first task began"


def _counts(report: Report, events: Events) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_row("rows in", f"{report.total:,}")
    table.add_row("accepted", f"{report.accepted:,}")
    table.add_row("rejected", f"{report.rejected:,}")
    table.add_row("accept rate", report.rate)
    if report.load is not None:
        table.add_row("inserted", f"{report.load.inserted:,}")
        table.add_row("updated", f"{report.load.updated:,}")
        table.add_row("already present", f"{report.load.unchanged:,}")
        table.add_row("repeated in the file", f"{report.load.repeated:,}")
    tested = events.tasks.get("dbt_test")
    if tested is not None and "tests" in tested.details:
        table.add_row("dbt tests passed", f"{tested.details['tests']:,}")
    return table


def _times(events: Events) -> RenderableType:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    for task in events.tasks.values():
        table.add_row(
            task.name, f"{task.seconds or 0:.1f} s", "" if task.state == "success" else Text(task.state, style="red")
        )
    return Group(Text("\nTime"), table)


def _place(run: Run) -> str:
    """Where a run lies below each zone."""
    return run.folder("records").partition("/")[2]


def _zones(run: Run, lake: Lake) -> list[str]:
    """The zones in which the run left something: a stopped one has nothing in `clean`."""
    folders = [zone for zone in _FOLDERS if lake.list(run.folder(zone))]
    return ["raw", *folders, "quality"]


def _next(contract: Contract, *, finished: bool) -> list[str]:
    """What to type next; after a run that did not end well, only what shows why."""
    name = contract.name
    why = f".venv/bin/rowgate query --saved {name}_why_not_in_warehouse --value ID"
    dashboard = "make dashboard                                   # every run, in the browser"
    if not finished:
        return [why, dashboard]
    return [
        f".venv/bin/rowgate run {name} --source FILE.csv   # your own file",
        why,
        f".venv/bin/rowgate psql -c 'table warehouse.{name} limit 5'",
        dashboard,
        "make airflow                                     # Airflow's page",
        "make stop                                        # end the Postgres",
    ]


def _tail(log: Path) -> list[str]:
    """The last lines of a log, the ones that speak of an error before the others."""
    lines = [line.rstrip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    lines = [line for line in lines if not _CHATTER.search(line)]
    telling = [line for line in lines if _MATTERS.search(line)]
    return (telling or lines)[-_TAIL:]
