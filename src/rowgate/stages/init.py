"""A draft of a contract from a real file."""

import datetime as dt
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from rowgate.adapters.local_files import open_local
from rowgate.contract.model import NAME
from rowgate.contract.validate import OWN_COLUMNS
from rowgate.contract.yaml_document import shown
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages import guess
from rowgate.stages.draft_yaml import Finding, draft
from rowgate.stages.filegate import FileBreach
from rowgate.stages.profile import Profiler
from rowgate.stages.records import Tally, read_header, read_records

_DATA = re.compile(r"[^@ ]+@[^@ ]+\.[A-Za-z]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[+-]?[0-9]+[.,][0-9]+|\+?[0-9]{5,}|-[0-9]+")
_NUMBER = re.compile(r"[0-9]{1,4}")
_YEAR = re.compile(r"(1[89]|20)[0-9]{2}")
_NO_HEADER = "the first line looks like data; put a line with the columns' names before it."
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Drafted:
    """A drafted contract, and what its reader should be told.

    Attributes:
        text: the YAML.
        records: how many records the file holds, good or malformed.
        malformed: how many of them could not be read.
    """

    text: str
    records: int
    malformed: int


def contract_name(file: Path) -> str:
    """A contract's name from a file's: what is before the first dot, in small letters, digits and `_`.

    Raises:
        UnusableError: nothing is left of it that could be a name.
    """
    stem = re.sub(r"[^a-z0-9]+", "_", file.name.split(".", 1)[0].lower()).strip("_")[:40].rstrip("_")
    if not NAME.fullmatch(stem):
        raise UnusableError(f"No name for a contract can be made of {file.name}; give one with --name.")
    return stem


def draft_contract(file: Path, name: str, now: dt.datetime) -> Drafted:
    """Draft a contract that the file meets, malformed records aside.

    Args:
        file: a CSV file, also gzip.
        name: the contract's.
        now: today, aware; days after it are no reason for a rule against the future.

    Raises:
        UnusableError: the name cannot be one, or the file cannot be read, or its header cannot be a contract's columns.
        RowgateError: it could not be measured.
    """
    if not NAME.fullmatch(name):
        raise UnusableError(f"A contract cannot be called {name!r}; use 1 to 40 of a-z, 0-9 and _, a letter first.")
    columns = _columns(file)
    with tempfile.TemporaryDirectory(prefix="rowgate-init-") as folder:
        records = Path(folder, "records.parquet")
        tally = _read(file, columns, records)
        try:
            with Profiler(records, Path(folder, "spill")) as profiler:
                _require_header(file, profiler, columns)
                found = _measure(profiler, name, file.name, columns, tally.malformed)
        except duckdb.Error as error:
            raise RowgateError(f"{file} could not be measured ({type(error).__name__}); try a part of it.") from error
    return Drafted(draft(found, now), tally.records, tally.malformed)


def _require_header(file: Path, profiler: Profiler, columns: Sequence[str]) -> None:
    """See that the header is none of the rows: its cells are no values of their columns, or most are not."""
    found = sum(1 for column in columns if profiler.occurring(column, [column]))
    if found * 2 > len(columns):
        raise UnusableError(f"{file}: {_NO_HEADER}")


def _measure(profiler: Profiler, name: str, source: str, columns: Sequence[str], malformed: int) -> Finding:
    markers = guess.null_markers(profiler, columns)
    facts = [profiler.facts(column, markers) for column in columns]
    unique = guess.unique_columns(profiler, facts, markers)
    pair = None if unique else guess.unique_pair(profiler, facts, markers)
    return Finding(name, source, facts, markers, unique, pair, malformed)


def _columns(file: Path) -> tuple[str, ...]:
    if file.is_dir():
        raise UnusableError(f"{file} is a folder; name a file in it.")
    try:
        with open_local(file) as source:
            header = read_header(source)
    except FileBreach as breach:
        raise UnusableError(f"{file}: {breach}") from None
    except RowgateError as error:
        raise UnusableError(str(error)) from None
    _judge(file, header)
    return header


def _judge(file: Path, header: Sequence[str]) -> None:
    """See that the first line can be the columns of a contract. What may be somebody's data is not quoted."""
    if len(header) == 1 and any(sign in header[0] for sign in _SEPARATORS):
        named = next(word for sign, word in _SEPARATORS.items() if sign in header[0])
        raise UnusableError(f"{file} is separated by {named}; save it as CSV, with commas.")
    if _is_data(header):
        raise UnusableError(f"{file}: {_NO_HEADER}")
    blank = [place for place, cell in enumerate(header, start=1) if not cell]
    if blank:
        raise UnusableError(f"{file}: column {blank[0]} of the header has no name; give it one.")
    seen: dict[str, str] = {}
    for cell in header:
        twin = seen.setdefault(cell.casefold(), cell)
        if list(header).count(cell) > 1 or twin != cell:
            also = "" if twin == cell else f" (also as {shown(twin)!r})"
            raise UnusableError(f"{file}: the header has the column {shown(cell)!r} twice{also}; rename one of them.")
        if not cell.isprintable() or cell.strip() != cell:
            raise UnusableError(f"{file}: the column name {shown(cell)!r} holds what cannot be printed; rename it.")
        if cell.casefold() in OWN_COLUMNS:
            raise UnusableError(f"{file}: the column name {shown(cell)!r} is one that rowgate adds itself; rename it.")


def _is_data(header: Sequence[str]) -> bool:
    if any(_DATA.fullmatch(cell) for cell in header):
        return True
    numbers = [cell for cell in header if _NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell)]
    counted = [int(cell) for cell in numbers]
    if len(numbers) == len(header):
        return True
    return len(numbers) * 2 > len(header) and counted != list(range(counted[0], counted[0] + len(counted)))


def _read(file: Path, columns: Sequence[str], out: Path) -> Tally:
    try:
        with open_local(file) as source, out.open("wb") as records:
            return read_records(source, columns=columns, null_markers=(), run_id="init", out=records)
    except FileBreach as breach:
        raise UnusableError(f"{file}: {breach}") from None
    except OSError as error:
        raise RowgateError(f"{out} cannot be written: {error.strerror or error}.") from None
