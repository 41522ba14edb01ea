"""The lake: a folder of files under keys, behind an interface that an object store can meet as well."""

import errno
import io
import os
import shutil
import stat
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from rowgate.errors import RowgateError, UnusableError

_REMOVABLE = ("records", "clean", "rejects")
_BUFFER = 1 << 20  # bytes
# What a person can do about it, where the system's own words do not say.
_TODO = {
    errno.ENOTDIR: "; a file stands where a folder is needed, so move it away",
    errno.EEXIST: "; a file stands where a folder is needed, so move it away",
    errno.EACCES: "; give this user access",
    errno.EPERM: "; give this user access",
    errno.EROFS: "; give this user access, or name another place",
    errno.ENOSPC: "; make room",
}
_GIVEN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
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


def open_lake(uri: str) -> Lake:
    """Open the lake at an address; nothing is read or created yet.

    Args:
        uri: `file://` and an absolute folder, written as it is (no percent-encoding).

    Raises:
        UnusableError: another kind of address, or a folder that Spark cannot address.
    """
    scheme, separator, rest = uri.partition("://")
    if separator and scheme == "file" and rest.startswith("/"):
        if any(character in rest for character in _GLOB):
            raise UnusableError(
                f"The lake cannot be at {uri}: Spark reads *, ?, [, ], {{, }} and \\ in a path as wildcards; "
                "choose a folder without them."
            )
        return LocalLake(Path(rest))
    if separator and scheme == "s3":
        raise UnusableError(f"The lake cannot be at {uri}: this version keeps its lake in a folder, file:///...")
    raise UnusableError(f"The lake's address {uri!r} is not one: write file:// and an absolute folder.")


def open_local(path: Path) -> BinaryIO:
    """Open a file of this machine for reading; what goes wrong then, or while it is read, is a `RowgateError`.

    A pipe is taken only where this process was given it open, as standard input or by `<(…)`: to open one by its name
    waits for whoever may write.
    """
    given = str(path).startswith(_GIVEN)
    with _told("read", path):
        mode = path.stat().st_mode
    if not (given or stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise RowgateError(f"{path} cannot be read: it is a pipe or a device; name a file, or give it as /dev/stdin.")
    return cast("BinaryIO", io.BufferedReader(_File(path, "r"), _BUFFER))


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
        if not _is_key(key):
            raise UnusableError(f"{key!r} is not a key of the lake: it is a relative path without empty parts or dots.")
        return self._root / key

    def open(self, key: str) -> BinaryIO:
        return open_local(self.local(key))

    @contextmanager
    def create(self, key: str) -> Iterator[BinaryIO]:
        path = self.local(key)
        temporary = path.with_name(f".{path.name}.tmp-{uuid.uuid4().hex}")
        with _told("written", path):
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with io.BufferedWriter(_File(temporary, "x", shown=path), _BUFFER) as file:
                yield cast("BinaryIO", file)
                file.flush()
                with _told("written", path):
                    os.fsync(file.fileno())
            with _told("written", path):
                temporary.replace(path)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()

    def exists(self, key: str) -> bool:
        path = self._root / key
        with _told("read", path):
            return _is_key(key) and path.is_file()

    def entries(self, prefix: str) -> list[Entry]:
        folder = self.local(prefix)
        found: list[Entry] = []
        with _told("listed", folder):
            for parent, folders, files in os.walk(folder, onerror=_raise_unless_missing):
                folders[:] = [name for name in folders if not _is_temporary(name)]
                for name in files:
                    if _is_temporary(name):
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
        if prefix.split("/", maxsplit=1)[0] not in _REMOVABLE:
            raise RowgateError(f"{prefix} is not for the pipeline to delete; that is {', '.join(_REMOVABLE)} alone.")
        with _told("deleted", folder):
            if folder.exists():
                shutil.rmtree(folder)

    def read_bytes(self, key: str) -> bytes:
        with self.open(key) as file:
            return file.read()

    def write_bytes(self, key: str, data: bytes) -> None:
        with self.create(key) as file:
            file.write(data)


def _is_key(key: str) -> bool:
    return all(part not in ("", ".", "..") for part in key.split("/")) and "\0" not in key


def _is_temporary(name: str) -> bool:
    return name.startswith(".") or name == "_temporary"


def _raise_unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


@contextmanager
def _told(done: str, path: Path) -> Iterator[None]:
    """Turn what the file system refuses into one sentence; everything that touches it goes through here."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        todo = _TODO.get(error.errno or 0, "")
        raise RowgateError(f"{path} cannot be {done}: {why[:1].lower()}{why[1:]}{todo}.") from error


class _File(io.FileIO):
    """A file that fails in sentences, whoever reads or writes it."""

    def __init__(self, path: Path, mode: str, shown: Path | None = None) -> None:
        self._shown = shown or path
        self._done = "read" if mode == "r" else "written"
        with _told(self._done, self._shown):
            super().__init__(path, mode)

    def readinto(self, buffer: Any, /) -> int | None:  # noqa: ANN401 - any buffer
        with _told(self._done, self._shown):
            return super().readinto(buffer)

    def readall(self) -> bytes:
        with _told(self._done, self._shown):
            return super().readall() or b""

    def write(self, data: Any, /) -> int | None:  # type: ignore[override]  # noqa: ANN401 - any buffer
        with _told(self._done, self._shown):
            return super().write(data)
