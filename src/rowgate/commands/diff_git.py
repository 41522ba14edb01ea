"""Contracts as a git revision has them, laid out in a private folder for as long as they are read."""

import posixpath
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from rowgate.errors import UnusableError

_FILES = ("100644", "100755")  # the modes of what is neither a link nor another repository


@dataclass(frozen=True)
class Repository:
    """A git repository.

    Attributes:
        project: the project's folder, in the repository.
        prefix: where the project is in it, empty or ending in a slash.
    """

    project: Path
    prefix: str

    def commit(self, revision: str) -> str:
        """The hash of the commit that a revision names.

        Raises:
            UnusableError: there is no such revision.
        """
        if not revision:
            raise UnusableError("Before the colon stands a git revision, such as main: in main:contracts/users.py.")
        done = _git(self.project, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if done.returncode:
            raise UnusableError(
                f"There is no revision {revision!r} in the git repository of {self.project}; `git log` and `git branch "
                "--all` show what there is, and a shallow clone lacks what is older."
            )
        return done.stdout.decode().strip()

    def fork(self, revision: str) -> str:
        """The hash of the commit where HEAD left a revision; of the revision itself where they have no common one.

        Raises:
            UnusableError: there is no such revision.
        """
        commit = self.commit(revision)
        done = _git(self.project, "merge-base", commit, "HEAD")
        return commit if done.returncode else done.stdout.decode().strip()

    def place(self, commit: str, path: str) -> str | None:
        """A path in a commit from the repository's root, for one told from there or from the project; None if none."""
        for start in ("", self.prefix):
            found = posixpath.normpath(start + path)
            inside = not found.startswith(("../", "/")) and found != ".."
            if inside and _git(self.project, "cat-file", "-e", f"{commit}:{found}").returncode == 0:
                return found
        return None

    @contextmanager
    def laid_out(self, commit: str, *folders: str) -> Iterator[Path]:
        """The files of some folders of a commit, below a private folder that is removed when the block ends.

        Args:
            commit: its hash.
            folders: from the repository's root; one that is not there has no files. Links are left out.
        """
        with tempfile.TemporaryDirectory(prefix="rowgate-diff-") as temporary:
            root = Path(temporary)
            for folder in dict.fromkeys(folders):
                for blob, path in self._files(commit, folder):
                    place = root / path
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_bytes(_git(self.project, "cat-file", "blob", blob).stdout)
            yield root

    def _files(self, commit: str, folder: str) -> Iterator[tuple[str, str]]:
        """The hash and the path of each file of a folder, and of the folders in it; of the root, its own files."""
        below = ["-r", "--full-tree", commit, "--", f"{folder}/"] if folder else ["--full-tree", commit]
        for line in _git(self.project, "ls-tree", "-z", *below).stdout.decode(errors="surrogateescape").split("\0"):
            head, _, path = line.partition("\t")
            mode, _, blob = head.partition(" blob ")
            if mode in _FILES and not {"..", ".", ""} & set(PurePosixPath(path).parts):
                yield blob, path


def repository(project: Path) -> Repository:
    """The git repository that a project is in.

    Raises:
        UnusableError: there is none, or no git.
    """
    done = _git(project, "rev-parse", "--show-prefix")
    if done.returncode:
        said = (done.stderr.decode(errors="replace").splitlines() or ["git said nothing"])[0]
        raise UnusableError(f"{project} is in no git repository that can be read ({said.removeprefix('fatal: ')}).")
    return Repository(project, done.stdout.decode().removesuffix("\n"))


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise UnusableError("A revision needs git, and there is none on this machine; install it.") from None
