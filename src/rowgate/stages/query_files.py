"""The lake as a file system of fsspec, for DuckDB to read where the lake is no folder of this machine."""

import datetime as dt
from collections.abc import Iterable
from typing import Any, BinaryIO

from fsspec import AbstractFileSystem  # type: ignore[import-untyped]  # it has no types

from rowgate.adapters.lake import Entry, Lake
from rowgate.errors import RowgateError

PROTOCOL = "rowgate"
"""A file's address is `rowgate://` and its key."""


def address(key: str) -> str:
    """The address of a key in the file system."""
    return f"{PROTOCOL}://{key}"


class LakeFiles(AbstractFileSystem):  # type: ignore[misc]  # the same
    """Some files of a lake, to be read, whose sizes are known from the listing."""

    protocol = PROTOCOL
    cachable = False  # two lakes are two file systems

    def __init__(self, lake: Lake) -> None:
        """Take the lake; no file is known yet."""
        super().__init__()
        self.failure: RowgateError | None = None
        self._lake = lake
        self._entries: dict[str, Entry] = {}

    def add(self, entries: Iterable[Entry]) -> None:
        """Let files be read."""
        self._entries.update({entry.key: entry for entry in entries})

    def info(self, path: str, **_: object) -> dict[str, Any]:
        """A file's name, size in bytes and time, without asking the lake.

        Raises:
            FileNotFoundError: it is none of those that were listed.
        """
        key = self._strip_protocol(path)
        entry = self._entries.get(key)
        if entry is None:
            raise FileNotFoundError(key)
        return {"name": key, "size": entry.size, "type": "file", "mtime": entry.modified}

    def modified(self, path: str) -> dt.datetime:
        """When a file was last written, aware."""
        return dt.datetime.fromtimestamp(self.info(path)["mtime"], dt.UTC)

    def ls(self, path: str, detail: bool = True, **_: object) -> list[Any]:  # noqa: FBT001, FBT002 - fsspec's signature
        """The file itself; folders are not walked."""
        found = self.info(path)
        return [found if detail else found["name"]]

    def open(self, path: str, mode: str = "rb", **_: object) -> BinaryIO:
        """Open a file that was listed, for reading.

        Raises:
            FileNotFoundError: it was not listed.
            PermissionError: it should be written.
        """
        if mode != "rb":
            raise PermissionError("This file system is read.")
        try:
            return self._lake.open(self.info(path)["name"])
        except RowgateError as error:
            self.failure = error  # DuckDB passes on no more than its text
            raise
