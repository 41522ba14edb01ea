"""The page of one run as one HTML file: no script, no network, nothing beside it."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from rowgate.stages.report import Report
from rowgate.stages.run_page import RunPage

_LOWEST = (0.99, 0.9, 0.5, 0.0)  # where the axis of rates may begin: all near one are told apart
_NEEDS_QUOTES = re.compile(r"[\s'*;()]")
_OPEN = re.compile(r'["$`\\!]')  # what a shell reads also between double quotes
_ROOM = 4.0  # of a hundred, at either end of an axis


@dataclass(frozen=True)
class Dot:
    """One run in the trend, in hundredths of the chart's width and height from its upper left corner."""

    x: float
    y: float
    report: Report
    this: bool


@dataclass(frozen=True)
class Trend:
    """The chart of the accept rate.

    Attributes:
        lowest: the rate at the axis' lower end; the upper one is 1.
        dots: a run each, oldest first.
        floor: the height of the contract's floor; None where it has none or lies below the chart.
    """

    lowest: float
    dots: tuple[Dot, ...]
    floor: float | None

    @property
    def path(self) -> str:
        """The line through the dots, as SVG's `d`."""
        return "M" + " L".join(f"{dot.x:g} {dot.y:g}" for dot in self.dots)


def trend_of(page: RunPage) -> Trend:
    """Where the chart's marks are."""
    rates = [report.accept_rate for report in page.trend] + ([page.floor] if page.floor is not None else [])
    lowest = next(low for low in _LOWEST if low <= min(rates, default=0.0))

    def height(rate: float) -> float:
        return round(_ROOM + (1 - rate) / (1 - lowest) * (100 - 2 * _ROOM), 2)

    step = (100 - 2 * _ROOM) / max(1, len(page.trend) - 1)
    dots = [
        Dot(round(_ROOM + place * step, 2), height(report.accept_rate), report, report.run_id == page.report.run_id)
        for place, report in enumerate(page.trend)
    ]
    return Trend(lowest, tuple(dots), None if page.floor is None else height(page.floor))


def render(page: RunPage) -> str:
    """The HTML. The same facts give the same text; every word of the data is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - who gathers facts needs it not

    environment = Environment(
        loader=PackageLoader("rowgate.stages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"number": _number, "percent": _percent, "size": _size, "day": _day, "change": _change}
    return environment.get_template("run_page.html.j2").render(
        page=page,
        report=page.report,
        trend=trend_of(page),
        compared=any(reason.before is not None for reason in page.reasons),
        most=_most([reason.every for reason in page.reasons]),
        longest=_most([task.seconds or 0 for task in page.tasks or ()]),
        ask=_command("query", _rejects(page.report)),
        again=_command("report", page.report.contract, "--run", page.report.run_id or ""),
    )


def _command(*arguments: str) -> str:
    words = [
        f'"{each}"' if _NEEDS_QUOTES.search(each) and not _OPEN.search(each) else shlex.quote(each)
        for each in arguments
    ]
    return " ".join([".venv/bin/rowgate", *words])


def _rejects(report: Report) -> str:
    run_id = (report.run_id or "").replace("'", "''")
    return f"SELECT * FROM {report.contract}_rejects WHERE dt = '{report.dt}' AND run_id = '{run_id}'"  # noqa: S608 - shown, and asked of a lake that is read


def _most(figures: Sequence[float]) -> float:
    return max(figures, default=0) or 1


def _number(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:,}" if isinstance(figure, int) else f"{figure:,.4g}"


def _percent(part: float, whole: float = 1) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _change(now: int, before: int | None) -> str:
    """How a count changed since the run before, with a sign that is a letter's width."""
    if before is None:
        return ""
    sign = "+" if now > before else "\N{MINUS SIGN}"
    return "same" if now == before else f"{sign}{abs(now - before):,}"


def _size(size: int) -> str:
    """Bytes in the unit that a person would take; a kilobyte is 1,000 bytes."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:  # noqa: PLR2004 - what the unit is made of
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} TB"


def _day(moment: str) -> str:
    """An ISO moment in UTC, to the second, as a person reads it."""
    return f"{moment[:19].replace('T', ' ')} UTC" if moment else "-"
