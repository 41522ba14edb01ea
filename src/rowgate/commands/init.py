"""`rowgate init`: a draft of a contract from a file."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import typer

from rowgate.contract import catalog
from rowgate.contract.yaml_reader import read_yaml
from rowgate.errors import UnusableError
from rowgate.settings import Settings
from rowgate.stages.draft_yaml import CONFIRM
from rowgate.stages.init import contract_name, draft_contract


def init_contract(settings: Settings, file: Path, *, name: str | None, out: str | None, force: bool) -> int:
    """Write the draft, and say on stderr what to do with it.

    Args:
        settings: where contracts are kept.
        file: a CSV file, also gzip.
        name: the contract's; made of the name of `out`, or of the file's, where it is left out.
        out: where the draft goes; `-` is standard output. Left out: `contracts/NAME.yaml` of the project.
        force: replace a contract that is there.

    Returns:
        The exit status, 0.

    Raises:
        UnusableError: the file, the name or the place cannot be used; or a contract is there already.
    """
    if out not in (None, "-") and Path(str(out)).suffix not in (".yaml", ".yml"):
        raise UnusableError(f"The draft is YAML, so --out must end in .yaml, not as {out}.")
    name = name or contract_name(Path(out) if out and out != "-" else file)
    place = None if out == "-" else Path(out) if out else settings.contracts / f"{name}.yaml"
    if place is not None:
        _free(settings, place, name, force=force)
    drafted = draft_contract(file, name, datetime.now(UTC))
    read_yaml(drafted.text, str(place or "-"))  # a draft that cannot be read is never written
    if place is None:
        typer.echo(drafted.text, nl=False)
    else:
        _write(place, drafted.text)
    if drafted.malformed:
        typer.echo(
            f"{drafted.malformed:,} of the {drafted.records:,} records are malformed, and a check will reject them.",
            err=True,
        )
    if place is not None:
        marks = drafted.text.count(CONFIRM)
        typer.echo(f"{place}: a draft, with {marks} lines to confirm. Then: rowgate check {place} {file}", err=True)
    return 0


def _free(settings: Settings, place: Path, name: str, *, force: bool) -> None:
    if place.exists() and not force:
        raise UnusableError(f"There is a contract {place} already; replace it with --force, or give another --out.")
    if place.parent.resolve() != settings.contracts.resolve():
        return
    for other in place.parent.glob(f"{name}.*"):
        if other != place and other.suffix in catalog.SUFFIXES:
            raise UnusableError(f"There is a contract {name} in {other} already; give this one another --name.")


def _write(place: Path, text: str) -> None:
    temporary = place.with_name(f".{place.name}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(place)
    except OSError as error:
        raise UnusableError(f"{place} cannot be written: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            temporary.unlink()
