"""`rowgate dictionary`: what a contract says, or where all personal data is, in Markdown."""

import typer

from rowgate.contract import catalog
from rowgate.settings import Settings
from rowgate.targets import dbt_models, markdown, personal_data


def print_dictionary(settings: Settings, contract: str | None) -> int:
    """Print the data dictionary of one contract, or the page of all contracts' personal data. The exit status.

    Raises:
        UnusableError: there is no such contract, or a contract or a model cannot be read.
    """
    if contract is None:
        contracts = catalog.load_all(settings.contracts)
        page = personal_data.render(contracts, dbt_models.read(settings.project))
    else:
        page = markdown.render(catalog.find(contract, settings.contracts))
    typer.echo(page, nl=False)
    return 0
