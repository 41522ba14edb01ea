"""Conditions in SQL that mean the same in every engine.

An expression is parsed by sqlglot (Spark's SQL) and turned into the closed tree of `expression_nodes`. It may hold:
comparison, AND OR NOT, IN lists, [NOT] BETWEEN, IS [NOT] NULL, [NOT] LIKE, + - * / %, CASE, coalesce, abs, length,
lower, upper, substring, current_date, current_timestamp, differences of dates in days (`a - b`, `datediff(a, b)`) and
dates some days on (`date_add`, `date_sub`, `+ INTERVAL n DAY`, `+ n`). Anything else is refused by name.

NULL is SQL's (three-valued logic). Texts compare by code points. Numbers:

- Columns of integers, and whole numbers written in the expression, are 64-bit integers; other numbers are decimals with
  a scale that is known before any row is seen. A decimal has 38 digits at most.
- Where numbers meet (a comparison, + - / %, IN, CASE, coalesce) and one is a decimal, all become decimals of the
  largest of their scales. `+`, `-` and `%` keep that scale, `*` has the sum of its operands' scales; both are exact.
- `/` is never integer division: its result has 18 decimals, rounded half away from zero.
- `%` has the sign of its left side.
- A result that needs more than 64 bits or 38 digits, and a division by zero, are NULL.

A text written beside a date or a timestamp is one. A date beside a timestamp is its midnight in UTC. `lower` and
`upper` change the letters of `letter_case` one for one, since engines disagree about the others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from rowgate.contract.expression_nodes import Node
from rowgate.contract.types import ColumnType


@dataclass(frozen=True)
class Tree:
    """A parsed expression.

    Attributes:
        root: its condition; the kind is `Boolean`.
        columns: the columns it names, each once, in the order it names them.
        clock: whether it looks at the run's start.
    """

    root: Node
    columns: tuple[str, ...]
    clock: bool


def parse(sql: str, columns: Mapping[str, ColumnType]) -> Tree:
    """Read a condition over the columns.

    Raises:
        ContractError: it cannot be read, holds what is not in the list above, names a column that is not there, mixes
            types that do not fit, or is not a condition. The sentence names the part.
    """
    return _parse(sql, tuple(columns.items()))


@lru_cache(maxsize=1024)
def _parse(sql: str, columns: tuple[tuple[str, ColumnType], ...]) -> Tree:
    from rowgate.contract.expression_reader import read  # noqa: PLC0415 - it imports sqlglot, half a second

    return read(sql, dict(columns))
