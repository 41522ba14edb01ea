"""Text in Markdown (GitHub's, GFM 0.29): whatever a contract holds is shown as it is, and breaks no table."""

import re
from collections.abc import Iterable, Sequence

_MARKS = re.compile(r"([\\`*\[\]~|$#]|(?<![^\W_])_|_(?![^\W_]))")  # `_` within a word marks nothing
_BULLET = re.compile(r"^[-+=]")
_NUMBER = re.compile(r"^([0-9]+)([.)])(?=\s|$)")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LONGEST_CODE = re.compile(r"`+")


def text(plain: str) -> str:
    """Plain text as one line of Markdown in which nothing is a mark, a tag or a link."""
    line = _MARKS.sub(r"\\\1", " ".join(plain.split())).translate(_HTML)
    return _NUMBER.sub(r"\1\\\2", _BULLET.sub(r"\\\g<0>", line))


def code(plain: str) -> str:
    """Text in the letters of code, also within a table."""
    if re.search(r"[|\r\n\t]|^\s|\s$|\s\s|^$|`", plain):
        # A bar ends a table's cell whatever stands around it, and a code span loses blanks: references keep all.
        kept = "".join(each if each.isalnum() or each in " ,;:-./()" else f"&#{ord(each)};" for each in plain)
        return f"<code>{kept.replace('  ', ' &#32;')}</code>"
    return f"`{plain}`"


def block(plain: str, language: str = "") -> str:
    """Text as a block of code."""
    fence = "`" * max(3, 1 + max((len(found) for found in _LONGEST_CODE.findall(plain)), default=0))
    return f"{fence}{language}\n{plain.strip()}\n{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
