"""The lake: a folder of files under keys, behind an interface that an object store can meet as well."""

import io
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from rowgate.adapters.local_files import BUFFER, TellingFile, open_local, told
from rowgate.errors import RowgateError, UnusableError

if TYPE_CHECKING:
    import boto3

REMOVABLE = ("records", "clean", "rejects")
"""The zones in which the pipeline may delete."""
WHOLE = "_SUCCESS"
"""The file that says that a folder is whole; it is written last and deleted first."""
_GLOB = "*?[]{}\\"


@dataclass(frozen=True)
class Entry:
    """One file of the lake.

    Attributes:
        key: its key.
        size: bytes.
        modified: when it was last written, seconds since 1970, UTC.
    """

    key: str
    size: int
    modified: float


class Lake(Protocol):
    """Files under keys. A key is relative, its parts are joined by `/`, and none of them is empty, `.` or `..`.

    A prefix is a folder's key, without a slash at its end; it stands for every key below it. Whatever the store
    refuses is raised as `RowgateError`, one sentence that names the place.
    """

    @property
    def uri(self) -> str:
        """The lake's address, as `open_lake` takes it, without a slash at its end."""

    def uri_of(self, key: str) -> str:
        """Return the address Spark reads and writes; characters stand as they are, nothing is percent-encoded."""

    def local(self, key: str) -> Path | None:
        """Return the file's place on this machine, or `None` where the lake is elsewhere."""

    def open(self, key: str) -> BinaryIO:
        """Open a file for reading."""

    def create(self, key: str) -> AbstractContextManager[BinaryIO]:
        """Open a file for writing; it appears whole when the block ends, and not at all when the block raises."""

    def exists(self, key: str) -> bool:
        """Whether there is a file of exactly this key; false for what cannot be a key."""

    def entries(self, prefix: str) -> list[Entry]:
        """Return the files below a prefix, by key, without hidden and temporary ones; none if nothing is there."""

    def list(self, prefix: str) -> list[str]:
        """Return the keys of `entries`."""

    def delete_tree(self, prefix: str) -> None:
        """Delete everything below a prefix, if there is anything; only of `records/`, `clean/` and `rejects/`."""

    def read_bytes(self, key: str) -> bytes:
        """Return a small file's content."""

    def write_bytes(self, key: str, data: bytes) -> None:
        """Write a small file, whole or not at all."""


def open_lake(uri: str, session: "boto3.Session | None" = None, endpoint_url: str | None = None) -> Lake:
    """Open the lake at an address; nothing is read or created yet.

    Args:
        uri: `file://` and an absolute folder, or `s3://bucket[/prefix]`, written as it is (no percent-encoding).
        session: what reaches S3; without one, what boto3 finds by itself: the environment, a profile, or the machine's
            own role.
        endpoint_url: where an S3 that is not Amazon's listens; where the environment says, if left out.

    Raises:
        UnusableError: another kind of address, or a place that Spark cannot address.
    """
    scheme, separator, rest = uri.partition("://")
    if any(character in rest for character in _GLOB):
        raise UnusableError(
            f"The lake cannot be at {uri}: Spark reads *, ?, [, ], {{, }} and \\ in a path as wildcards; "
            "choose a place without them."
        )
    if separator and scheme == "file" and rest.startswith("/"):
        return LocalLake(Path(rest))
    if separator and scheme == "s3":
        from rowgate.adapters.s3_lake import S3Lake  # noqa: PLC0415 - boto3, which a folder does not need

        bucket, _, prefix = rest.rstrip("/").partition("/")
        return S3Lake(bucket, prefix, session, endpoint_url)
    raise UnusableError(
        f"The lake's address {uri!r} is not one: write file:// and an absolute folder, or s3:// and a bucket."
    )


class LocalLake:
    """A lake in a folder."""

    def __init__(self, root: Path) -> None:
        """Keep the folder's path; the folder is made when something is written."""
        self._root = root

    @property
    def uri(self) -> str:
        return f"file://{self._root}"

    def uri_of(self, key: str) -> str:
        return f"file://{self.local(key)}"

    def local(self, key: str) -> Path:
        require_key(key)
        return self._root / key

    def open(self, key: str) -> BinaryIO:
        return open_local(self.local(key))

    @contextmanager
    def create(self, key: str) -> Iterator[BinaryIO]:
        path = self.local(key)
        temporary = path.with_name(f".{path.name}.tmp-{uuid.uuid4().hex}")
        with told("written", path):
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with io.BufferedWriter(TellingFile(temporary, "x", shown=path), BUFFER) as file:
                yield cast("BinaryIO", file)
                file.flush()
                with told("written", path):
                    os.fsync(file.fileno())
            with told("written", path):
                temporary.replace(path)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()

    def exists(self, key: str) -> bool:
        path = self._root / key
        with told("read", path):
            return is_key(key) and path.is_file()

    def entries(self, prefix: str) -> list[Entry]:
        folder = self.local(prefix)
        found: list[Entry] = []
        with told("listed", folder):
            for parent, folders, files in os.walk(folder, onerror=_raise_unless_missing):
                folders[:] = [name for name in folders if not is_temporary(name)]
                for name in files:
                    if is_temporary(name):
                        continue
                    path = Path(parent, name)
                    with suppress(FileNotFoundError):  # Deleted since it was listed.
                        stat = path.stat()
                        found.append(Entry(path.relative_to(self._root).as_posix(), stat.st_size, stat.st_mtime))
        return sorted(found, key=lambda entry: entry.key)

    def list(self, prefix: str) -> list[str]:
        return [entry.key for entry in self.entries(prefix)]

    def delete_tree(self, prefix: str) -> None:
        folder = self.local(prefix)
        require_removable(prefix)
        with told("deleted", folder):
            if folder.exists():
                (folder / WHOLE).unlink(missing_ok=True)
                shutil.rmtree(folder)

    def read_bytes(self, key: str) -> bytes:
        with self.open(key) as file:
            return file.read()

    def write_bytes(self, key: str, data: bytes) -> None:
        with self.create(key) as file:
            file.write(data)


def is_key(key: str) -> bool:
    """Whether a text can be a file's or a folder's key."""
    return all(part not in ("", ".", "..") for part in key.split("/")) and "\0" not in key


def require_key(key: str) -> None:
    """See that a text is a key.

    Raises:
        UnusableError: it is not.
    """
    if not is_key(key):
        raise UnusableError(f"{key!r} is not a key of the lake: it is a relative path without empty parts or dots.")


def require_removable(prefix: str) -> None:
    """See that the pipeline may delete what is below a prefix.

    Raises:
        RowgateError: it may not.
    """
    if prefix.split("/", maxsplit=1)[0] not in REMOVABLE:
        raise RowgateError(f"{prefix} is not for the pipeline to delete; that is {', '.join(REMOVABLE)} alone.")


def is_temporary(name: str) -> bool:
    """Whether a file or folder of this name is no part of the data: hidden, or of a write that was never committed."""
    return name.startswith((".", "__magic")) or name == "_temporary"


def _raise_unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error
