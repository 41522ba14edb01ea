"""An answer on standard output: a table for a person, JSON lines, or CSV; each row is printed as it comes."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, TextIO

from rowgate.commands import plain_table
from rowgate.commands.plain_table import Rows
from rowgate.commands.plain_values import plain, text_of

Printer = Callable[[Sequence[str], Rows], None]


def printer(*, as_json: bool, as_csv: bool) -> Printer:
    """What prints an answer on standard output: it takes the columns' names and the rows."""
    write = json_lines if as_json else csv_lines if as_csv else plain_table.write

    def show(columns: Sequence[str], rows: Rows) -> None:
        with _until_read_enough():
            write(columns, rows, sys.stdout)
            sys.stdout.flush()

    return show


@contextmanager
def _until_read_enough() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:  # whoever reads has read enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def json_lines(columns: Sequence[str], rows: Rows, out: TextIO) -> None:
    """Write one object in a line for each row."""
    names = _apart(columns)
    for row in rows:
        found = {name: plain(value) for name, value in zip(names, row, strict=True)}
        out.write(f"{json.dumps(found, ensure_ascii=False)}\n")


def _apart(columns: Sequence[str]) -> list[str]:
    """The names, made different where two are the same, since an object has each once."""
    names: list[str] = []
    for name in columns:
        again = 2
        found = name
        while found in names:
            found, again = f"{name}_{again}", again + 1
        names.append(found)
    return names


def csv_lines(columns: Sequence[str], rows: Rows, out: TextIO) -> None:
    """Write RFC 4180 with LF; NULL is nothing, an empty text is two quotes, texts of a list are joined by `|`."""
    out.writelines(",".join(map(_cell, row)) + "\n" for row in chain([columns], rows))


def _cell(value: Any) -> str:  # noqa: ANN401 - whatever a query gives
    text = "" if value is None else text_of(value, "|")
    if (value is not None and not text) or any(character in text for character in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text
