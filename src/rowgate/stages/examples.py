"""A few of the values that were rejected, for a person to read; never of a column that tells of a person."""

from collections.abc import Sequence
from pathlib import Path

import duckdb

from rowgate.adapters.lake import Lake
from rowgate.contract.model import Contract, Pii
from rowgate.errors import RowgateError
from rowgate.stages.query_files import LakeFiles, address
from rowgate.targets.duckdb_types import parquet, quoted, text_literal

MOST = 3
"""Values shown of a reason."""
_LOOKED_AT = 50  # rows of a reason, the first ones, among which different values are looked for
_LONGEST = 32  # characters


def examples_of_run(contract: Contract, lake: Lake, folder: str) -> dict[str, list[str]]:
    """The examples of one run, wherever the lake is; see `examples`.

    Args:
        contract: the contract.
        lake: where the rejects are.
        folder: the key of the run's folder in `rejects/`.

    Raises:
        RowgateError: the files cannot be read.
    """
    entries = [entry for entry in lake.entries(folder) if entry.key.endswith(".parquet")]
    if all(lake.local(entry.key) for entry in entries):
        return examples(contract, [path for entry in entries if (path := lake.local(entry.key))])
    files = LakeFiles(lake)
    files.add(entries)
    return examples(contract, [address(entry.key) for entry in entries], files)


def examples(contract: Contract, rejects: Sequence[Path | str], files: LakeFiles | None = None) -> dict[str, list[str]]:
    """For each rejecting reason of a column without personal data, the first different values that broke it.

    They are shortened, and characters that a terminal would obey are escaped. A reason is left out where no value can
    be shown: the column is personal, or the value was missing.

    Args:
        contract: the contract.
        rejects: the Parquet files of the rejects: paths, or addresses in `files`.
        files: the lake as a file system, where it is no folder of this machine.

    Raises:
        RowgateError: the files cannot be read.
    """
    shown = {
        rule.reason: rule.field
        for rule in contract.rules
        if contract.rejects(rule) and contract.column(rule.field).pii is Pii.NONE
    }
    if not shown or not rejects:
        return {}
    # The few first rows of each reason, each with its number, so that the order is the file's.
    wanted = ", ".join(
        f"min({{'n': record_number, 'v': {quoted(field)}[:{_LONGEST + 1}]}}, {_LOOKED_AT}) FILTER "
        f"(WHERE list_contains(rejection_reasons, {text_literal(reason)}) AND {quoted(field)} IS NOT NULL)"
        for reason, field in shown.items()
    )
    query = f"SELECT {wanted} FROM {parquet(*map(str, rejects))}"  # noqa: S608 - names are quoted
    try:
        with duckdb.connect() as connection:
            if files is not None:
                connection.register_filesystem(files)
            found = connection.execute(query).fetchone() or ()
    except duckdb.Error as error:
        raise RowgateError(f"The rejected rows cannot be read again: {type(error).__name__}.") from error
    values = {
        reason: list(dict.fromkeys(_told(row["v"]) for row in rows or ()))[:MOST]
        for reason, rows in zip(shown, found, strict=True)
    }
    return {reason: told for reason, told in values.items() if told}


def _told(value: str) -> str:
    cut = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
