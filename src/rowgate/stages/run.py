"""One run of a pipeline and the places in the lake that belong to it."""

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

Zone = Literal["raw", "records", "clean", "rejects", "quality", "keys"]

_LONGEST = 120  # A file name holds 255 bytes; the rest is for a digest, ".manifest.json" and a temporary name.


@dataclass(frozen=True)
class Run:
    """Who is running, and when.

    Attributes:
        contract: the contract's name.
        run_id: the id as Airflow knows it; any text.
        run_after: the moment the run belongs to, aware; its UTC date is the partition.
    """

    contract: str
    run_id: str
    run_after: datetime

    @property
    def dt(self) -> str:
        """The UTC date of the run, `YYYY-MM-DD`."""
        return self.run_after.astimezone(UTC).date().isoformat()

    def folder(self, zone: Zone) -> str:
        """The key of this run's folder in `records`, `clean` or `rejects`, without a slash at its end."""
        return f"{zone}/{self.contract}/dt={self.dt}/{path_id(self.run_id)}"

    def file(self, zone: Zone, suffix: str) -> str:
        """The key of this run's file in `raw`, `quality` or `keys`; `suffix` begins with a dot."""
        return f"{self.folder(zone)}{suffix}"

    @property
    def manifest(self) -> str:
        """The key of this run's manifest."""
        return self.file("raw", ".manifest.json")

    @property
    def report(self) -> str:
        """The key of this run's report."""
        return self.file("quality", ".json")


def path_id(run_id: str) -> str:
    """Write a run id with the characters `[A-Za-z0-9_.-]` alone, one to one.

    Every other character becomes `_XX` for each byte of its UTF-8 form, and `_` itself `__`. Hadoop and Athena take a
    name that begins with `_` or `.` for hidden, so those get an `x` in front, and so does a name that begins with `x`.
    An id too long for a file name keeps its beginning and ends in its SHA-256.
    """
    escaped = re.sub(r"[^A-Za-z0-9.-]", _escape, run_id)
    if escaped[:1] in ("", "_", ".", "x"):
        escaped = f"x{escaped}"
    if len(escaped) > _LONGEST:
        return f"{escaped[:_LONGEST]}-{hashlib.sha256(run_id.encode()).hexdigest()}"
    return escaped


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    return "__" if character == "_" else "".join(f"_{byte:02X}" for byte in character.encode())
