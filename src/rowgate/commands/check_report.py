"""What a person reads when a file was checked."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rowgate.contract.model import Contract, Pii, Policy
from rowgate.contract.references import references_of
from rowgate.stages.report import QualityRule, Report

_FIGURES = 36  # columns that the figures of a line take
_LEAST = 15  # columns for examples, however narrow the terminal


def show(contract: Contract, report: Report, examples: Mapping[str, Sequence[str]]) -> None:
    """Print a report.

    Args:
        contract: the contract.
        report: the report.
        examples: for each reason a few values that broke it; see `stages.examples`.
    """
    console = Console(soft_wrap=True, highlight=False)
    meets = not report.rejected and not report.breaches
    verdict = "meets" if meets else "breaches"
    style = "bold green" if meets else "bold red"
    console.print(Text(f"{report.source}: {verdict} the contract {report.contract} {report.version}", style=style))
    if report.total or not report.breaches:
        console.print(_counts(report))
    if report.rejected or any(report.warnings_by_reason.values()):
        console.print()
        console.print(_reasons(contract, report, examples, console.width))
    if report.quality_rules:
        console.print()
        console.print(_rules(contract, report.quality_rules))
    if report.breaches:
        console.print()
    for sentence in report.breaches:
        console.print(Text(f"BREACH  {sentence}", style="red"))


def _counts(report: Report) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column()
    table.add_column(justify="right")
    for name, value in (("rows in", report.total), ("accepted", report.accepted), ("rejected", report.rejected)):
        table.add_row(name, f"{value:,}")
    table.add_row("accept rate", report.rate)
    return table


def _reasons(contract: Contract, report: Report, examples: Mapping[str, Sequence[str]], width: int) -> Table:
    """A line for each reason that some row was given, in the contract's order; examples as far as they fit."""
    left = max(_LEAST, width - max(map(len, report.rejected_by_reason)) - _FIGURES)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("reason", no_wrap=True)
    table.add_column("rows", justify="right")
    table.add_column("first", justify="right")
    table.add_column("share", justify="right")
    table.add_column("examples")
    rules = {rule.reason: rule for rule in contract.rules}
    for reason, first in report.rejected_by_reason.items():
        rule = rules.get(reason)
        rows = report.violations_by_reason[reason] or report.warnings_by_reason.get(reason, 0)
        if not rows:
            continue
        warns = rule is not None and contract.policy_of(rule) is Policy.WARN
        table.add_row(
            reason,
            f"{rows:,}",
            "warns" if warns else f"{first:,}",
            f"{rows / report.total:.1%}",
            _examples(contract, reason, examples, left),
        )
    return table


def _examples(contract: Contract, reason: str, examples: Mapping[str, Sequence[str]], width: int) -> Text:
    field = next((rule.field for rule in contract.rules if rule.reason == reason), None)
    if field is not None and contract.column(field).pii is not Pii.NONE:
        return Text("(personal data)", style="dim")
    found = Text(", ".join(examples.get(reason, ())))
    found.truncate(width, overflow="ellipsis")
    return found


def _rules(contract: Contract, rules: Sequence[QualityRule]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("dataset rule")
    table.add_column("value", justify="right")
    table.add_column("allowed")
    table.add_column("")
    references = {rule.reason for rule, _ in references_of(contract)}
    for rule in rules:
        value = "NULL" if rule.value is None else f"{rule.value:g}"
        evaluated = rule.state != "not_evaluated"
        style = "red" if rule.state == "breached" else ""
        state = rule.state.replace("_", " ") + (": no keys are loaded yet" if rule.name in references else "")
        table.add_row(rule.name, value if evaluated else "-", rule.allowed, Text(state, style))
    return table
