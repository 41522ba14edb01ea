"""What the page says of runs: figures, tables and a trend, made of their reports."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rowgate.contract.model import Contract
from rowgate.dashboard.pieces import Cell, Figure, Head, figures, table
from rowgate.stages.report import Report

if TYPE_CHECKING:
    import altair as alt

MOST_SOURCES = 20
_BAR = "#4c86c6"
_DAY, _TIME = "%d %b", "%H:%M"
_MOMENTS = {"seconds": "%H:%M:%S", "minutes": _TIME, "hours": _TIME, "day": _DAY, "date": _DAY, "week": _DAY}
"""How the time axis names a moment, by how fine it is, so that no two have one name."""
_BAD = "#c8553d"


def label(report: Report) -> str:
    """A run, for somebody who picks one."""
    return f"{report.started_at[:16].replace('T', ' ')}, {report.ending}, {report.total:,} rows, {report.rate} accepted"


def run_figures(report: Report, before: Report | None) -> str:
    """A run's figures, beside those of the run before."""
    found = [
        Figure("outcome", report.ending, bad=report.ending != "passed"),
        Figure("rows in", f"{report.total:,}"),
        Figure("accepted", f"{report.accepted:,}"),
        Figure("rejected", f"{report.rejected:,}"),
        Figure("accept rate", report.rate, _change(report, before)),
    ]
    if report.load is not None:
        found += [
            Figure("inserted", f"{report.load.inserted:,}"),
            Figure("updated", f"{report.load.updated:,}"),
            Figure("already present", f"{report.load.unchanged:,}"),
            Figure("repeated in the file", f"{report.load.repeated:,}"),
        ]
    return figures(found)


def _change(report: Report, before: Report | None) -> str:
    if before is None:
        return ""
    points = 100 * (report.accept_rate - before.accept_rate)
    return f"{points:+.1f} points since the run before" if round(points, 1) else "as in the run before"


def reasons(contract: Contract, report: Report) -> str:
    """How many rows each reason rejected: first, as the one that decided, and in all."""
    fields = {rule.reason: rule.field for rule in contract.rules}
    most = max([1, *report.rejected_by_reason.values()])
    rows: list[Sequence[Cell]] = [
        (
            reason,
            fields.get(reason, ""),
            number,
            _share(number, report.total),
            number / most,
            report.violations_by_reason.get(reason, 0),
        )
        for reason, number in report.rejected_by_reason.items()
    ]
    return table(
        "Rejected rows by the first rule that they broke, and by every rule",
        (
            Head("first reason", wide=True),
            Head("column", extra=True),
            Head("rows", number=True),
            Head("share", number=True),
            Head("", bar=True, bad=True),
            Head("all breaks", number=True),
        ),
        rows,
    )


def warnings(report: Report) -> str:
    """How many accepted rows broke a rule that only warns; empty where none did."""
    found = {reason: number for reason, number in report.warnings_by_reason.items() if number}
    if not found:
        return ""
    heads = (Head("warning", wide=True), Head("accepted rows", number=True))
    return table("Rows that were loaded with a warning", heads, list(found.items()))


def sources(reports: Sequence[Report]) -> str:
    """How the rows of each source fared, the source with most rejected rows first."""
    names = list(dict.fromkeys(report.source for report in reports))
    found = [(name, [report for report in reports if report.source == name]) for name in names]
    found.sort(key=lambda each: -sum(report.rejected for report in each[1]))
    most = max([1, *(sum(report.rejected for report in of) for _, of in found)])
    rows = [_source(name, of, most) for name, of in found[:MOST_SOURCES]]
    shown = f"the {MOST_SOURCES} of {len(found)} sources with most of them" if len(found) > MOST_SOURCES else "all runs"
    return table(
        f"Rejected rows by source, {shown} on this page",
        (
            Head("source", wide=True),
            Head("runs", number=True, extra=True),
            Head("rows", number=True),
            Head("rejected", number=True),
            Head("share", number=True),
            Head("", bar=True, bad=True),
            Head("most frequent reason", wide=True),
        ),
        rows,
    )


def _source(name: str, of: Sequence[Report], most: int) -> Sequence[Cell]:
    rows, rejected = sum(report.total for report in of), sum(report.rejected for report in of)
    by_reason = Counter[str]()
    for report in of:
        by_reason.update(report.rejected_by_reason)
    top = max(by_reason, key=by_reason.__getitem__, default="")
    reason = top if by_reason[top] else ""
    return name, len(of), rows, rejected, _share(rejected, rows), rejected / most, reason


def _share(number: int, total: int) -> str:
    return f"{number / total:.1%}" if total else ""


def trend(contract: Contract, reports: Sequence[Report]) -> "alt.LayerChart | alt.FacetChart":
    """The accept rate of the runs over time, with the contract's floor if it has one."""
    import altair as alt  # noqa: PLC0415 - half a second, for the page alone

    points = [
        {
            "when": report.started_at,
            "started": f"{report.started_at[:16].replace('T', ' ')} UTC",
            "rate": report.accept_rate,
            "outcome": report.outcome,
            "rows": report.total,
            "accepted": report.accepted,
            "source": report.source,
        }
        for report in reports
    ]
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X(
            "when:T",
            title=None,
            scale=alt.Scale(type="utc"),
            axis=alt.Axis(labelOverlap=True, tickCount=5, format=_MOMENTS),
        ),
        y=alt.Y("rate:Q", title=None, axis=alt.Axis(format=".0%"), scale=alt.Scale(domain=[0, 1])),
    )
    tooltip = [
        alt.Tooltip("started:N"),
        alt.Tooltip("rate:Q", title="accept rate", format=".1%"),
        alt.Tooltip("accepted:Q", format=","),
        alt.Tooltip("rows:Q", format=","),
        alt.Tooltip("outcome:N"),
        alt.Tooltip("source:N"),
    ]
    shape = alt.Color(
        "outcome:N",
        scale=alt.Scale(domain=["passed", "stopped"], range=[_BAR, _BAD]),
        legend=alt.Legend(title=None, orient="top"),
    )
    layers: list[alt.Chart] = [
        base.mark_line(color=_BAR, opacity=0.5),
        base.mark_point(filled=True, size=70, opacity=1).encode(color=shape, tooltip=tooltip),
    ]
    if contract.max_reject_rate is not None:
        floor = alt.Chart(alt.InlineData(values=[{"rate": 1 - contract.max_reject_rate}]))
        layers.append(floor.mark_rule(color=_BAD, strokeDash=[4, 4]).encode(y="rate:Q"))
    return alt.layer(*layers).properties(height=240)
