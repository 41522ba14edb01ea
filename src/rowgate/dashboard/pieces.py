"""Pieces of HTML for the page. Every text is escaped here: values come from files of other people."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from rowgate.stages.rejected_rows import Hidden

Cell = str | int | float | Hidden | None


@dataclass(frozen=True)
class Head:
    """A column of a table.

    Attributes:
        name: what stands above it.
        number: its cells are numbers.
        wide: its texts are long.
        extra: a narrow page leaves it out.
        bar: its cells are shares of the longest bar, 0 to 1.
        bad: its bars count what was rejected.
    """

    name: str
    number: bool = False
    wide: bool = False
    extra: bool = False
    bar: bool = False
    bad: bool = False


@dataclass(frozen=True)
class Figure:
    """A number with its name, what else is to be said of it, and whether it is bad news."""

    name: str
    value: str
    note: str = ""
    bad: bool = False


def table(caption: str, heads: Sequence[Head], rows: Iterable[Sequence[Cell]]) -> str:
    """A table whose first column names the row. It scrolls in itself, also by keyboard, where it finds no room."""
    above = "".join(f'<th scope="col"{_class(head)}>{_text(head.name)}</th>' for head in heads)
    body = "".join(f"<tr>{''.join(_cells(heads, row))}</tr>" for row in rows)
    return (
        f'{small(caption)}<div class="rg-scroll" role="region" tabindex="0" aria-label="{_text(caption)}">'
        f"<table><thead><tr>{above}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def figures(found: Iterable[Figure]) -> str:
    """Numbers side by side, as many as find room."""
    parts = (
        f"<div><dt>{_text(each.name)}</dt><dd{_bad(each.bad)}>{_text(each.value)}{_note(each.note)}</dd></div>"
        for each in found
    )
    return f'<dl class="rg-figures">{"".join(parts)}</dl>'


def _bad(bad: bool) -> str:  # noqa: FBT001 - a private helper
    return ' class="rg-bad"' if bad else ""


def _note(said: str) -> str:
    return f'<span class="rg-note">{_text(said)}</span>' if said else ""


def notice(*sentences: str, bad: bool = False) -> str:
    """Sentences that stand out."""
    told = (
        _text(sentences[0]) if len(sentences) == 1 else f"<ul>{''.join(f'<li>{_text(s)}</li>' for s in sentences)}</ul>"
    )
    return f'<div class="rg-notice{" rg-bad" if bad else ""}" role="status">{told}</div>'


def small(sentence: str) -> str:
    """A sentence that stands back."""
    return f'<p class="rg-small">{_text(sentence)}</p>'


def _cells(heads: Sequence[Head], row: Sequence[Cell]) -> Iterable[str]:
    for position, (head, cell) in enumerate(zip(heads, row, strict=True)):
        tag = 'th scope="row"' if position == 0 else "td"
        yield f"<{tag}{_class(head)}>{_cell(head, cell)}</{tag[:2]}>"


def _cell(head: Head, cell: Cell) -> str:
    if head.bar:
        width = min(max(float(cell), 0.0), 1.0) * 100 if isinstance(cell, int | float) else 0.0
        bad = " rg-bad" if head.bad else ""
        return f'<div class="rg-bar{bad}" style="width:{width:.1f}%"></div>' if width else ""
    match cell:
        case None:
            return '<span class="rg-missing">missing</span>'
        case Hidden.HIDDEN:
            return '<span class="rg-hidden">hidden</span>'
        case int():
            return f"{cell:,}" if head.number else str(cell)
        case float():
            return f"{cell:,.6g}"
        case _:
            return _text(str(cell))


def _class(head: Head) -> str:
    said = {"rg-number": head.number, "rg-barred": head.bar, "rg-wide": head.wide, "rg-extra": head.extra}
    names = [name for name, so in said.items() if so]
    return f' class="{" ".join(names)}"' if names else ""


def _text(plain: str) -> str:
    """Text in which nothing is a tag, and what cannot be seen is written out."""
    return escape("".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in plain))
