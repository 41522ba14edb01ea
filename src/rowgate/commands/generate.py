"""`rowgate generate`: a file for a contract, good or dirty."""

import gzip
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, time
from pathlib import Path
from random import SystemRandom
from typing import BinaryIO, cast

import typer

from rowgate.contract import catalog
from rowgate.contract.model import Contract
from rowgate.contract.references import references_of
from rowgate.errors import UnusableError
from rowgate.settings import Settings
from rowgate.stages.generate import USERS_COLUMNS, write_users
from rowgate.stages.generate_any import write_any
from rowgate.stages.good_rows import Keys

_SEEDS = 1 << 32
_MOST_KEYS = 1_000_000  # of each contract that is referred to


def generate_file(
    settings: Settings, contract_name: str, *, rows: int, dirty: float | None, seed: int | None, out: str
) -> int:
    """Write the file and say on stderr how to make it again.

    The `users` contract has dirt of its own (people as real systems send them), unless `dirty` asks for a share.

    Args:
        settings: where the contracts are.
        contract_name: a name or a path.
        rows: records, the header not counted.
        dirty: the share of rows that break a rule, 0 to 1; None is none.
        seed: None draws one.
        out: a path, compressed where it ends in .gz; `-` is standard output.

    Returns:
        The exit status, 0.

    Raises:
        UnusableError: the contract, an argument or the place cannot be used, or the contract's rules cannot be kept.
    """
    contract = catalog.find(contract_name, settings.contracts)
    seed = SystemRandom().randrange(_SEEDS) if seed is None else seed
    today = datetime.combine(datetime.now(UTC).date(), time(), UTC)
    with _opened(out) as file:
        if dirty is None and contract.name == "users" and tuple(c.name for c in contract.columns) == USERS_COLUMNS:
            write_users(file, rows=rows, seed=seed)
        else:
            keys = _keys(contract, settings)
            write_any(file, contract, rows=rows, dirty=dirty or 0.0, seed=seed, now=today, keys=keys)
    where = "" if out == "-" else f" in {out}"
    typer.echo(f"{rows:,} rows for {contract.name}{where}, seed {seed}.", err=True)
    return 0


def _keys(contract: Contract, settings: Settings) -> Keys:
    """The loaded keys that the contract's references look at, as far as the project's lake has any."""
    if not any(references_of(contract)):
        return {}
    from rowgate.stages.keys import find_keys, values_of  # noqa: PLC0415 - the same

    found = find_keys(contract, settings.open_lake())
    return {check: set(values_of(files, _MOST_KEYS)) for check, files in found.items()}


@contextmanager
def _opened(out: str) -> Iterator[BinaryIO]:
    """Standard output, or a file that appears whole when the block ends."""
    if out == "-":
        try:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        except BrokenPipeError:  # whoever reads has read enough, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    path = Path(out)
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            if path.suffix == ".gz":
                # No name and no time inside, so that one seed gives the same bytes.
                with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
                    yield cast("BinaryIO", packed)
            else:
                yield file
        temporary.replace(path)
    except OSError as error:
        raise UnusableError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        with suppress(OSError):
            temporary.unlink()
