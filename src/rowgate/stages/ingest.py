"""Take a file into the lake: the bytes as they came, their records, and a manifest that says what came.

`raw/` is evidence: once a run has its manifest, its raw file is only ever read again.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from rowgate.adapters.lake import Lake
from rowgate.adapters.local_files import open_local
from rowgate.errors import ReconciliationError, RowgateError, UnusableError
from rowgate.stages.filegate import FileBreach
from rowgate.stages.framing import is_gzip
from rowgate.stages.run import Run

_COPIED = 1 << 20  # bytes at a time
_UNFINISHED = (".tmp", ".part", ".partial", ".filepart", ".crdownload", "~")


class NamedColumn(Protocol):
    """What ingesting needs to know of a column."""

    @property
    def name(self) -> str:
        """The column's name, as the header says it."""


class Readable(Protocol):
    """What ingesting needs to know of a contract."""

    @property
    def name(self) -> str:
        """The contract's name."""

    @property
    def columns(self) -> Sequence[NamedColumn]:
        """The input columns, in order."""

    @property
    def null_markers(self) -> Sequence[str]:
        """Texts that mean a missing value."""


@dataclass(frozen=True)
class Source:
    """A file that may be opened.

    Attributes:
        name: what the report calls it.
        open: opens it for reading, from its beginning.
    """

    name: str
    open: Callable[[], BinaryIO]


@dataclass(frozen=True)
class Manifest:
    """What came in one run. It is written as one JSON object beside the raw file.

    Attributes:
        contract: the contract's name.
        run_id: the run's id.
        source: where the bytes came from.
        raw: the key of the raw file.
        header: the cells of the first line, trimmed; empty where the file has no header.
        bytes: the size of the raw file.
        sha256: the SHA-256 of the raw file, lower-case hex.
        records: how many records follow the header; 0 if the file broke the contract.
        malformed: how many of them are malformed.
        breaches: why the file as a whole was refused, a sentence each.
    """

    contract: str
    run_id: str
    source: str
    raw: str
    header: tuple[str, ...]
    bytes: int
    sha256: str
    records: int
    malformed: int
    breaches: tuple[str, ...] = ()


def open_source(location: str, lake: Lake | None = None) -> Source:
    """Find a file by its key in the lake, or by its path on this machine.

    Args:
        location: a key, if `lake` has a file of that key, else a path.
        lake: where a key is looked for; without it only a path will do.

    Raises:
        UnusableError: there is no such file, or it cannot be read.
    """
    if lake is not None and lake.exists(location):
        return Source(location, lambda: lake.open(location))
    path = Path(location)
    if path.is_dir():
        raise UnusableError(f"{location} is a folder; name a file in it.")
    try:
        open_local(path).close()
    except RowgateError as error:
        raise UnusableError(str(error)) from error
    return Source(location, lambda: open_local(path))


def ingest(contract: Readable, run: Run, source: Source, lake: Lake) -> Manifest:
    """Copy a file into `raw/`, read its records into `records/`, and write the manifest.

    A run that has its manifest already (its task was retried or cleared) leaves `raw/` as it is, whatever the source
    says now, and makes its records again.

    Raises:
        FileBreach: the file as a whole broke the contract; raw file and manifest are there, records are not.
        ReconciliationError: the raw file of a run with a manifest is not what the manifest says.
        RowgateError: the source or the lake failed.
    """
    folder = run.folder("records")
    lake.delete_tree(folder)
    known = read_manifest(lake, run) if lake.exists(run.manifest) else None
    if known is None:
        raw, size, digest = _keep(run, source, lake)
        name = source.name
    else:
        raw, name = known.raw, known.source
        size, digest = _digest(lake, raw)
        if (size, digest) != (known.bytes, known.sha256):
            raise ReconciliationError(f"{raw} is not the file its manifest describes; start a new run.")
    manifest = _read(contract, run, lake, Manifest(contract.name, run.run_id, name, raw, (), size, digest, 0, 0))
    if known is None:
        lake.write_bytes(run.manifest, json.dumps(asdict(manifest), ensure_ascii=False, indent=2).encode())
    elif manifest != known:
        lake.delete_tree(folder)
        raise ReconciliationError(
            f"{raw} reads otherwise than its manifest says, as after a change of the contract; start a new run."
        )
    if manifest.breaches:
        lake.delete_tree(folder)
        raise FileBreach(manifest.breaches, manifest.header)
    lake.write_bytes(f"{folder}/_SUCCESS", b"")
    return manifest


def _keep(run: Run, source: Source, lake: Lake) -> tuple[str, int, str]:
    """Copy the source's bytes to `raw/`; return the key, the size in bytes and the SHA-256."""
    digest, size = hashlib.sha256(), 0
    with source.open() as file:
        block = file.read(_COPIED)
        raw = run.file("raw", ".csv.gz" if is_gzip(block) else ".csv")
        with lake.create(raw) as copy:
            while block:
                digest.update(block)
                size += len(block)
                copy.write(block)
                block = file.read(_COPIED)
    return raw, size, digest.hexdigest()


def _digest(lake: Lake, key: str) -> tuple[int, str]:
    """Return a file's size in bytes and its SHA-256."""
    digest, size = hashlib.sha256(), 0
    with lake.open(key) as file:
        while block := file.read(_COPIED):
            digest.update(block)
            size += len(block)
    return size, digest.hexdigest()


def _read(contract: Readable, run: Run, lake: Lake, unread: Manifest) -> Manifest:
    """Read the raw file's records into `records/`, and fill in what they say."""
    from rowgate.stages.records import read_records  # noqa: PLC0415 - Arrow; `next_landing` needs none of it

    facts = asdict(unread)
    try:
        with lake.open(unread.raw) as raw, lake.create(f"{run.folder('records')}/records.parquet") as out:
            tally = read_records(
                raw,
                columns=[column.name for column in contract.columns],
                null_markers=contract.null_markers,
                run_id=run.run_id,
                out=out,
            )
    except FileBreach as breach:
        return Manifest(**{**facts, "header": breach.header, "breaches": breach.sentences})
    return Manifest(**{**facts, "header": tally.header, "records": tally.records, "malformed": tally.malformed})


def read_manifest(lake: Lake, run: Run) -> Manifest:
    """Return a run's manifest.

    Raises:
        RowgateError: there is none, or it cannot be read.
    """
    return _manifest(lake, run.manifest)


def _manifest(lake: Lake, key: str) -> Manifest:
    try:
        facts = json.loads(lake.read_bytes(key))
        return Manifest(**{**facts, "header": tuple(facts["header"]), "breaches": tuple(facts["breaches"])})
    except (ValueError, TypeError, KeyError) as error:
        raise RowgateError(f"The manifest {key} is damaged; restore it from a copy.") from error


def next_landing(contract: str, lake: Lake) -> str | None:
    """Return the key of the oldest file in `landing/<contract>/` that no run has taken, or `None`.

    A file is taken when a manifest of the contract holds its SHA-256, also where the run refused it. Files still being
    sent, which are hidden or have the ending of a temporary file, do not count.
    """
    waiting = [
        entry
        for entry in lake.entries(f"landing/{contract}")
        if not entry.key.endswith(_UNFINISHED) and not entry.key.rsplit("/", 1)[-1].startswith("_")
    ]
    if not waiting:
        return None
    keys = [key for key in lake.list(f"raw/{contract}") if key.endswith(".manifest.json")]
    taken = {(manifest.bytes, manifest.sha256) for manifest in (_manifest(lake, key) for key in keys)}
    sizes = {size for size, _ in taken}
    for entry in sorted(waiting, key=lambda entry: (entry.modified, entry.key)):
        if entry.size not in sizes or _digest(lake, entry.key) not in taken:
            return entry.key
    return None
