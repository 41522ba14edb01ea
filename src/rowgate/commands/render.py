"""`rowgate render`: the artefacts of every contract, written or compared."""

import typer

from rowgate.contract import catalog
from rowgate.settings import Settings
from rowgate.targets import artifacts


def render_artifacts(settings: Settings, contract: str | None, *, check: bool) -> int:
    """Write the artefacts of one contract or of all, or name the stale ones with their differences. The exit status."""
    if contract is None:
        contracts = catalog.load_all(settings.contracts)
    else:
        contracts = [catalog.find(contract, settings.contracts)]
    if not check:
        for path in artifacts.write(settings.project, contracts):
            typer.echo(f"written: {path}")
        return 0
    stale = artifacts.stale(settings.project, contracts)
    for path, difference in stale:
        typer.echo(f"stale: {path}\n{difference}")
    if stale:
        typer.echo(
            "rowgate: the contracts and these files disagree; run `make render` and commit what it writes.", err=True
        )
    return 1 if stale else 0
