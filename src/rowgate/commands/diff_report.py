"""What a person reads when two contracts were compared."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from rowgate.contract import diff_version
from rowgate.contract.diff import Diff
from rowgate.contract.diff_kinds import Change, Kind, Step

_GROUPS = (
    (True, True, "Breaking for producers and consumers", "red"),
    (True, False, "Breaking for producers", "red"),
    (False, True, "Breaking for consumers", "red"),
    (False, False, "Compatible", "green"),
)
_WHERE = 32  # columns that the name of a part may take


def show(found: Diff) -> None:
    """Print the changes of one contract, those that break most first, and what its version should be."""
    _show(Console(highlight=False), found)


def show_all(
    since: str, found: Sequence[Diff], added: Sequence[str], gone: Sequence[str], unsaid: Sequence[str]
) -> None:
    """Print the changes of many contracts.

    Args:
        since: what they are compared with.
        found: the contracts that are on both sides.
        added: the names of those that are new.
        gone: the names of those that are no more.
        unsaid: those of them that nobody said were to go.
    """
    console = Console(highlight=False)
    console.print(Text(f"Contracts since {since}"))
    for each in found:
        if each.changes:
            console.print()
            _show(console, each)
    console.print()
    same = [each.contract for each in found if not each.changes]
    if same:
        console.print(Text(f"no change: {', '.join(same)}"))
    for name in added:
        console.print(Text(f"{name}: added (compatible)"))
    for name in gone:
        console.print(Text(f"{name}: removed (breaking for producers and consumers)", style="red"))
    for name in unsaid:
        console.print(
            Text(f"No version can say that {name} is gone; if it is to go, add --removed {name}.", style="red")
        )


def _show(console: Console, found: Diff) -> None:
    if not found.changes:
        console.print(Text(f"{found.contract} {found.new_version}: no change"))
        return
    console.print(Text(f"{found.contract} {found.old_version} -> {found.new_version}", style="bold"))
    for producers, consumers, title, style in _GROUPS:
        changes = [each for each in found.changes if (each.producers, each.consumers) == (producers, consumers)]
        told = [each for each in changes if each.kind is not Kind.VERSION_CHANGED]
        if told:
            console.print()
            console.print(Text(title, style=f"bold {style}"))
            console.print(_table(told))
    console.print()
    console.print(Text(_verdict(found), style="green" if found.said else "bold red"))


def _table(changes: Sequence[Change]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=False, max_width=_WHERE, overflow="fold")
    table.add_column(overflow="fold", ratio=1)
    table.add_column(no_wrap=True)
    for each in changes:
        table.add_row(Text(f"  {each.where}"), Text(each.what), each.step.name.lower())
    return table


def _verdict(found: Diff) -> str:
    """Whether the version says so, in one sentence or two."""
    if found.lowered:
        return f"The version goes back from {found.old_version} to {found.new_version}; it may only rise."
    if found.step is Step.NONE:
        return "Nothing changed but the version."
    early = f" ({diff_version.EARLY})" if diff_version.early(found.old_version) else ""
    need = f"These changes need a {found.step.name.lower()} step{early}: {found.least_version} or higher."
    return f"{need} The version says so." if found.said else f"{need} The contract says {found.new_version}."
