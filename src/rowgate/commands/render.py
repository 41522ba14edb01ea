"""`rowgate render`: the artefacts of every contract, written or compared."""

from collections.abc import Sequence

import typer

from rowgate.contract import catalog
from rowgate.contract.model import Contract
from rowgate.errors import UnusableError
from rowgate.settings import Settings
from rowgate.targets import artifacts, rendered_files


def render_artifacts(settings: Settings, contract: str | None, *, check: bool) -> int:
    """Write the artefacts of one contract or of all, or name the stale ones with their differences. The exit status.

    What an artefact about all contracts says is about those in the project's folder; a contract at a path elsewhere
    gets its own artefacts alone. Files of contracts that are gone are looked for where every contract is rendered.

    Raises:
        UnusableError: there is no such contract, or one elsewhere has the name of one in the folder.
        ContractError: a contract cannot be, or a target cannot say it.
    """
    contracts = catalog.load_all(settings.contracts)
    only = None if contract is None else _chosen(contract, contracts, settings)
    orphans = artifacts.orphans(settings.project, contracts) if only is None else []
    if check:
        return _compare(settings, contracts, only, orphans)
    for path in artifacts.write(settings.project, contracts, only=only):
        typer.echo(f"written: {path}")
    for path in orphans:
        rendered_files.remove(settings.project, path)
        typer.echo(f"removed: {path}")
    return 0


def _chosen(name: str, contracts: Sequence[Contract], settings: Settings) -> Contract:
    chosen = catalog.find(name, settings.contracts)
    if chosen not in contracts and chosen.name in {each.name for each in contracts}:
        raise UnusableError(
            f"{name} holds a contract called {chosen.name}, as {settings.contracts} does, whose files it would "
            "replace; rename one."
        )
    return chosen


def _compare(settings: Settings, contracts: Sequence[Contract], only: Contract | None, orphans: Sequence[str]) -> int:
    stale = artifacts.stale(settings.project, contracts, only=only)
    for path, difference in stale:
        typer.echo(f"stale: {path}\n{difference}")
    for path in orphans:
        typer.echo(f"left over: {path}: nothing renders it any more")
    if not stale and not orphans:
        return 0
    typer.echo(
        "rowgate: the contracts and these files disagree; run `make render` and commit what it writes.", err=True
    )
    return 1
