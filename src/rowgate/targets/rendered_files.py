"""Rendered files on disk: how they differ from what is rendered, and which of them nothing renders any more."""

import difflib
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

_MARK = (b"Rendered from ", b"`make render`")
_TOP = 1_000  # bytes in which a file says that it is rendered


def difference(project: Path, path: str, text: str) -> str | None:
    """How the file differs from its text, byte for byte, as a unified difference; None where it does not.

    Args:
        project: the project's folder.
        path: the file's path in it, with slashes.
        text: what the file should hold, in UTF-8.
    """
    there = _bytes(project / path)
    if there == text.encode():
        return None
    held = [] if there is None else _lines(there.decode(errors="backslashreplace"))
    lines = difflib.unified_diff(held, _lines(text), f"{path} (there)", f"{path} (rendered)", lineterm="")
    return "\n".join(lines)


def orphans(project: Path, places: Iterable[str], rendered: Collection[str]) -> list[str]:
    """The files that say they are rendered and that nothing renders: their contract or their target is gone.

    Args:
        project: the project's folder.
        places: paths of rendered files in it, with `{name}` for a contract's name. The folders above that, and those
            of files about all contracts, are searched; the project's own folder is not.
        rendered: the paths of the files that are rendered.

    Returns:
        Their paths in the project, with slashes, in alphabetical order.
    """
    folders = {PurePosixPath(place.split("{")[0] + "_").parent for place in places} - {PurePosixPath()}
    files = {file for folder in folders for file in (project / folder).rglob("*") if file.is_file()}
    paths = {file.relative_to(project).as_posix(): file for file in files}
    hidden = {path for path in paths if any(part.startswith(".") for part in PurePosixPath(path).parts)}
    return sorted(path for path in paths.keys() - rendered - hidden if _is_marked(paths[path]))


def remove(project: Path, path: str) -> None:
    """Remove a file, and its folder where that is left empty."""
    file = project / path
    file.unlink()
    if not any(file.parent.iterdir()):
        file.parent.rmdir()


def _is_marked(file: Path) -> bool:
    with file.open("rb") as opened:
        top = opened.read(_TOP)
    start = top.find(_MARK[0])
    return start >= 0 and _MARK[1] in top[start:].split(b"\n")[0]


def _lines(text: str) -> list[str]:
    """The lines, with a last empty one where the text ends in a newline, and carriage returns to be seen."""
    return text.replace("\r", "\\r").split("\n")


def _bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
