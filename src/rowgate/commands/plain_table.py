"""Rows as aligned text, without colours or boxes: the same on a terminal and in a pipe, but for what does not fit."""

import decimal
import math
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, TextIO

from rowgate.commands.plain_values import text_of

Rows = Iterable[Sequence[Any]]

_LOOKED_AT = 500  # rows that the widths are taken from
_GAP = "  "


def room(out: TextIO) -> float:
    """The places of a line: a terminal's, or without end in a pipe or a file."""
    return shutil.get_terminal_size().columns if out.isatty() else math.inf


def lines(columns: Sequence[str], rows: Rows) -> Iterator[str]:
    """A table's lines: the names, a rule, and one for each row; numbers stand at the right."""
    first, others = _looked_at(rows)
    texts = [_shown(row) for row in first]
    widths = [max(map(_width, column)) for column in zip(columns, *texts, strict=True)]
    right = {at for row in first for at, value in enumerate(row) if _is_number(value)}
    yield _line(columns, widths, right)
    yield _GAP.join("-" * width for width in widths)
    for row in chain(texts, map(_shown, others)):
        yield _line(row, widths, right)


def write(columns: Sequence[str], rows: Rows, out: TextIO) -> None:
    """Print a table; on a terminal that is too narrow for it, a line for each value."""
    first, others = _looked_at(rows)
    fits = max(map(_width, lines(columns, first))) <= room(out)
    form = lines if fits else _records
    out.writelines(f"{line}\n" for line in form(columns, chain(first, others)))


def _looked_at(rows: Rows) -> tuple[list[Sequence[Any]], Iterator[Sequence[Any]]]:
    """The rows that decide on the form, and those behind them, which are not read yet."""
    others = iter(rows)
    return list(islice(others, _LOOKED_AT)), others


def _records(columns: Sequence[str], rows: Rows) -> Iterator[str]:
    widest = max(map(_width, columns), default=0)
    for number, row in enumerate(rows, 1):
        yield f"-[ {number} ]-"
        for name, text in zip(columns, _shown(row), strict=True):
            yield f"{_padded(name, widest)}{_GAP}{text}".rstrip()


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | decimal.Decimal) and not isinstance(value, bool)


def _shown(row: Sequence[Any]) -> list[str]:
    """A row's texts, on one line each."""
    return ["" if value is None else _printable(text_of(value, ", ")) for value in row]


def _printable(text: str) -> str:
    """A text that cannot steer a terminal, nor break its line."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def _line(texts: Sequence[str], widths: Sequence[int], right: set[int]) -> str:
    sized = enumerate(zip(texts, widths, strict=True))
    return _GAP.join(_padded(text, width, right=at in right) for at, (text, width) in sized).rstrip()


def _padded(text: str, width: int, *, right: bool = False) -> str:
    space = " " * (width - _width(text))
    return f"{space}{text}" if right else f"{text}{space}"


def _width(text: str) -> int:
    """The places that a text takes on a terminal, where some characters take two and some none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415 - for such texts alone

    return cell_len(text)
