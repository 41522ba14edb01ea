"""The marts as tables with bars."""

from collections.abc import Sequence

from rowgate.dashboard.pieces import Cell, Head, small, table
from rowgate.stages.marts import Mart, Value

SHOWN = 100
"""Rows shown of a mart."""


def title(name: str) -> str:
    """A mart's name for a person: `users_by_city` is `Users by city`."""
    return name.replace("_", " ").strip().capitalize()


def show(mart: Mart) -> str:
    """A mart's rows, the greatest first, or in their own order where they are bands of numbers."""
    if not mart.columns:
        return small(f"Every column of {mart.name} identifies a person directly, so none is shown.")
    texts = [name for name in mart.columns if name not in mart.numbers]
    numbers = [name for name in mart.columns if name in mart.numbers]
    order = [mart.columns.index(name) for name in (*texts, *numbers)]
    rows = sorted(mart.rows, key=lambda row: _natural(row, order[0])) if _banded(mart, order) else mart.rows
    rows = rows[:SHOWN]
    greatest = max([1, *(_amount(row[mart.columns.index(numbers[0])]) for row in rows)]) if numbers else 1
    heads = [Head(name.replace("_", " "), number=name in mart.numbers) for name in (*texts, *numbers)]
    if numbers:
        heads.insert(len(texts) + 1, Head("", bar=True))
    return table(
        _caption(mart, numbers), heads, [_cells(row, order, len(texts), greatest, bool(numbers)) for row in rows]
    )


def _caption(mart: Mart, numbers: Sequence[str]) -> str:
    rows = "1 row" if mart.total == 1 else f"{mart.total:,} rows"
    shown = f", the first {SHOWN} shown" if mart.total > SHOWN else ""
    if not numbers or mart.total > len(mart.rows):
        return f"{rows}{shown}"
    first = mart.columns.index(numbers[0])
    total = sum(_amount(row[first]) for row in mart.rows)
    return f"{total:,.15g} {numbers[0].replace('_', ' ')} in {rows}{shown}"


def _cells(row: Sequence[Value], order: Sequence[int], texts: int, greatest: float, barred: bool) -> list[Cell]:  # noqa: FBT001 - a private helper
    cells: list[Cell] = [row[position] for position in order]
    if barred:
        cells.insert(texts + 1, _amount(row[order[texts]]) / greatest)
    return cells


def _banded(mart: Mart, order: Sequence[int]) -> bool:
    """Whether every row is named by something that begins with a digit, as bands and days do."""
    named = [str(row[order[0]]) for row in mart.rows if row[order[0]] is not None]
    return bool(named) and all(name[:1].isdigit() for name in named) and mart.total == len(mart.rows)


def _natural(row: Sequence[Value], position: int) -> tuple[int, str]:
    name = str(row[position] or "")
    digits = next((end for end, letter in enumerate(name) if not letter.isdigit()), len(name))
    return int(name[:digits] or 0), name


def _amount(value: Value) -> float:
    return value if isinstance(value, int | float) else 0
