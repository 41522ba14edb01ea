"""The file gate: what is decided about a file as a whole, before any of its rows is judged.

A breach is told in plain sentences. They may name columns, and so cells of a header, but only where the first line
is a header at all; a first line that is somebody's data is never quoted.
"""

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from rowgate.contract.values import WHITE_SPACE
from rowgate.errors import BreachError

_QUOTED_NAMES = 10  # A header may hold thousands of cells; a sentence is for reading.
_QUOTED_LENGTH = 40


class FileBreach(BreachError):  # noqa: N818 - a breach is no error of the program's
    """The file as a whole broke the contract.

    Attributes:
        sentences: what is wrong, one plain sentence each.
        header: the cells of the first line, trimmed; empty where it is no header.
    """

    def __init__(self, sentences: Sequence[str], header: Sequence[str] = ()) -> None:
        """Keep the sentences; the message is all of them."""
        self.sentences = tuple(sentences)
        self.header = tuple(header)
        super().__init__(self.sentences, self.header)  # So that a copy sent to another process is equal.

    def __str__(self) -> str:
        """Return the sentences, one after the other."""
        return " ".join(self.sentences)


def check_header(cells: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Compare a file's first line with the columns of a contract.

    Args:
        cells: the cells of the first line.
        columns: the contract's columns, in order.

    Returns:
        The cells, trimmed, which are then equal to the columns.

    Raises:
        FileBreach: the first line is not the contract's header; missing, extra, renamed, repeated and reordered
            columns each have their own sentence.
    """
    header = tuple(cell.strip(WHITE_SPACE) for cell in cells)
    if header == tuple(columns):
        return header
    if not set(header) & set(columns):
        sentence = (
            f"The file has no header: no cell of its first line is a column of the contract{_hint(header, columns)}; "
            f"begin the file with the line {','.join(columns)}."
        )
        raise FileBreach([sentence])
    raise FileBreach(_differences(header, columns), header)


def _hint(header: Sequence[str], columns: Sequence[str]) -> str:
    """What the first line looks like, where that tells what went wrong. It quotes nothing."""
    if {cell.casefold() for cell in header} & {column.casefold() for column in columns}:
        return ", though some differ from one in upper and lower case alone"
    for sign, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if {part.strip(WHITE_SPACE) for cell in header for part in cell.split(sign)} & set(columns):
            return f"; it seems to be separated by {name}, and a comma is needed"
    return ""


def _differences(header: Sequence[str], columns: Sequence[str]) -> list[str]:
    renamed = _renamed(header, columns)
    counts = Counter(header)
    missing = [column for column in columns if column not in counts and column not in renamed]
    extra = [name for name in counts if name not in columns and name not in renamed.values()]
    repeated = [name for name, count in counts.items() if count > 1 and name in columns]
    sentences = [
        f"The header says {_quote([new])} where the contract has the column {_quote([old])}; rename it."
        for old, new in list(renamed.items())[:_QUOTED_NAMES]
    ]
    if missing:
        sentences.append(f"The header lacks {_names(missing)} of the contract; add what is missing.")
    if extra:
        sentences.append(f"The header has {_names(extra)} that the contract does not know; remove it from the file.")
    if repeated:
        sentences.append(f"The header repeats {_names(repeated)}; each column may stand there once.")
    misplaced = _misplaced([name for name in counts if name in columns], columns)
    if misplaced:
        order = ", ".join(columns)
        sentences.append(f"The header has {_names(misplaced)} out of order; the contract's order is {order}.")
    return sentences


def _renamed(header: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    """Pair each missing column with the unknown cell that stands in its place, or differs from it in case alone."""
    unknown = [name for name in dict.fromkeys(header) if name not in columns]
    pairs: dict[str, str] = {}
    for column in (column for column in columns if column not in header):
        same = next((name for name in unknown if name.casefold() == column.casefold()), None)
        if same is None and len(header) == len(columns):
            other = header[columns.index(column)]
            same = other if other and other in unknown else None
        if same is not None:
            pairs[column] = same
            unknown.remove(same)
    return pairs


def _misplaced(present: Sequence[str], columns: Sequence[str]) -> list[str]:
    expected = [column for column in columns if column in present]
    blocks = SequenceMatcher(None, expected, present, autojunk=False).get_opcodes()
    moved = {name for tag, i, j, m, n in blocks if tag != "equal" for name in (*expected[i:j], *present[m:n])}
    # Two neighbours that changed places are both out of order, though moving one of them would do.
    moved |= {name for name, other in zip(present, expected, strict=True) if moved and name != other}
    return [name for name in present if name in moved]


def _names(names: Sequence[str]) -> str:
    return f"the column {_quote(names)}" if len(names) == 1 else f"the columns {_quote(names)}"


def _quote(names: Sequence[str]) -> str:
    shown = ", ".join(_shorten(name) for name in names[:_QUOTED_NAMES])
    more = len(names) - _QUOTED_NAMES
    return f"{shown} and {more} more" if more > 0 else shown


def _shorten(name: str) -> str:
    if not name:
        return "without a name"
    cut = name if len(name) <= _QUOTED_LENGTH else f"{name[:_QUOTED_LENGTH]}..."
    return "'" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut) + "'"
