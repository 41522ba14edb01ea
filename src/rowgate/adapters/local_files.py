"""Files of this machine that fail in sentences, whoever reads or writes them."""

import errno
import io
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from rowgate.errors import RowgateError

BUFFER = 1 << 20
"""Bytes that are read or written at once."""

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


def open_local(path: Path) -> BinaryIO:
    """Open a file of this machine for reading; what goes wrong then, or while it is read, is a `RowgateError`.

    A pipe is taken only where this process was given it open, as standard input or by `<(…)`: to open one by its name
    waits for whoever may write.
    """
    given = str(path).startswith(_GIVEN)
    with told("read", path):
        mode = path.stat().st_mode
    if not (given or stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise RowgateError(f"{path} cannot be read: it is a pipe or a device; name a file, or give it as /dev/stdin.")
    return cast("BinaryIO", io.BufferedReader(TellingFile(path, "r"), BUFFER))


@contextmanager
def told(done: str, path: Path) -> Iterator[None]:
    """Turn what the file system refuses into one sentence; everything that touches it goes through here."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        todo = _TODO.get(error.errno or 0, "")
        raise RowgateError(f"{path} cannot be {done}: {why[:1].lower()}{why[1:]}{todo}.") from error


class TellingFile(io.FileIO):
    """A file that fails in sentences, whoever reads or writes it."""

    def __init__(self, path: Path, mode: str, shown: Path | None = None) -> None:
        self._shown = shown or path
        self._done = "read" if mode == "r" else "written"
        with told(self._done, self._shown):
            super().__init__(path, mode)

    def readinto(self, buffer: Any, /) -> int | None:  # noqa: ANN401 - any buffer
        with told(self._done, self._shown):
            return super().readinto(buffer)

    def readall(self) -> bytes:
        with told(self._done, self._shown):
            return super().readall() or b""

    def write(self, data: Any, /) -> int | None:  # type: ignore[override]  # noqa: ANN401 - any buffer
        with told(self._done, self._shown):
            return super().write(data)
