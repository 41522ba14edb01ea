"""`rowgate runs`: the runs, newest first, with what became of their records."""

import sys
from collections.abc import Iterator, Sequence

import typer

from rowgate.commands.plain_table import lines, room
from rowgate.contract import catalog
from rowgate.settings import Settings
from rowgate.stages.report import Report
from rowgate.stages.runs import newest

_FIGURES = ("rows", "accepted", "rejected", "rate", "inserted", "updated", "unchanged", "repeated")
_COLUMNS = ("started", "contract", "outcome", *_FIGURES, "source", "run")
_FIRST = 7  # columns that fit beside each other into 80 places


def list_runs(settings: Settings, contract_name: str | None, *, limit: int, as_json: bool) -> int:
    """Print the newest runs.

    Args:
        settings: where contracts and lake are.
        contract_name: a contract's name or path; None for every contract's runs.
        limit: how many at most.
        as_json: print each report as one line of JSON.

    Returns:
        0.

    Raises:
        UnusableError: there is no such contract.
        RowgateError: the lake cannot be read.
    """
    contract = catalog.find(contract_name, settings.contracts).name if contract_name else None
    found = newest(settings.open_lake(), contract, limit)
    for key in found.unreadable:
        typer.echo(f"rowgate: {key} in the lake is no report that can be read; it is left out.", err=True)
    if as_json:
        for report in found.reports:
            typer.echo(report.to_json())
        return 0
    if not found.reports:
        whose = f" of {contract}" if contract else ""
        typer.echo(f"There is no run{whose} in {settings.lake} yet; `rowgate run` makes one.", err=True)
        return 0
    rows = [_row(report) for report in found.reports]
    whole = list(lines(_COLUMNS, rows))
    typer.echo("\n".join(whole if max(map(len, whole)) <= room(sys.stdout) else _narrow(rows)))
    return 0


def _narrow(rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """The runs with what does not fit beside the others in a second line."""
    head, rule, *found = lines(_COLUMNS[:_FIRST], [row[:_FIRST] for row in rows])
    yield from (head, rule)
    for line, row in zip(found, rows, strict=True):
        named = zip(_COLUMNS[_FIRST:], row[_FIRST:], strict=True)
        yield line
        yield "  " + "; ".join(f"{name} {value}" for name, value in named if value is not None)


def _row(report: Report) -> tuple[object, ...]:
    load = report.load
    figures = (load.inserted, load.updated, load.unchanged, load.repeated) if load else (None,) * 4
    return (
        report.started_at[:19].replace("T", " "),
        report.contract,
        report.outcome,
        *(report.total, report.accepted, report.rejected, report.rate),
        *figures,
        report.source,
        report.run_id,
    )
