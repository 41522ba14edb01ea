"""What the columns of a file hold: counts, types, ends and forms, measured with DuckDB on its records.

Memory is bounded: DuckDB gets a limit and a folder to spill to. What is costly to ask of every value is first asked of
the file's beginning, and then only where the answer was yes.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import duckdb

from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import Value
from rowgate.stages.forms import DIGITS, FORMS, LIKENESSES
from rowgate.targets.duckdb_types import parquet, quoted, text_literal

FEW = 12
"""The most different values that make a list of allowed ones."""

_BEGINNING = 20_000  # rows
_MEMORY = "400MB"
_DIGITS = 38  # of a decimal
_NINE_DIGITS = 10**9  # beyond this an integer is a bigint, though it may fit in 32 bits
_ROUGHLY = 0.9  # approx_count_distinct errs by a few percent


@dataclass(frozen=True)
class Facts:
    """What one column holds.

    Attributes:
        name: as the header spells it.
        rows: records of the file that could be read.
        present: values that are not missing.
        distinct: different values, roughly.
        type: the narrowest type that every value is of.
        low: the smallest value, for numbers and moments that can be put in order.
        high: the greatest one.
        shortest: the fewest characters.
        longest: the most characters.
        forms: the keys of `FORMS` that every value has.
        shape: what every value has in common, digits written 9 and letters of ASCII A or a; None where they differ.
        few: the different values, where they are at most `FEW`.
        likeness: for each key of `LIKENESSES` and `DIGITS` the share of values, at the file's beginning, that look so.
    """

    name: str
    rows: int
    present: int
    distinct: int
    type: ColumnType
    low: Value | None
    high: Value | None
    shortest: int
    longest: int
    forms: frozenset[str]
    shape: str | None
    few: tuple[str, ...]
    likeness: dict[str, float]


class Profiler:
    """Asks one file's records. Use it in a `with` block."""

    def __init__(self, records: Path, scratch: Path) -> None:
        """Open the Parquet of `read_records`; `scratch` is a folder for what does not fit in memory."""
        self.connection = duckdb.connect(
            config={
                "memory_limit": _MEMORY,
                "threads": 2,
                "temp_directory": str(scratch),
                "preserve_insertion_order": True,
            }
        )
        self.connection.execute(
            f"CREATE VIEW records AS SELECT * FROM {parquet(str(records))} WHERE raw_record IS NULL"  # noqa: S608 - a quoted path
        )
        (self.rows,) = self._one("SELECT count(*) FROM records")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def occurring(self, name: str, texts: Iterable[str]) -> frozenset[str]:
        """Which of the texts are values of the column."""
        listed = ", ".join(map(text_literal, texts))
        sql = f"SELECT DISTINCT {quoted(name)} FROM records WHERE {quoted(name)} IN ({listed})"  # noqa: S608 - quoted
        return frozenset(text for (text,) in self.connection.execute(sql).fetchall())

    def facts(self, name: str, missing: Iterable[str]) -> Facts:
        """Measure a column, with some texts taken for missing values."""
        column = _column(name, missing)
        begun = self._begun(column)
        forms = self._forms(column, begun)
        shape = "min(shape(x)), max(shape(x))" if begun["shape"] else "NULL, NULL"
        present, distinct, shortest, longest, first, last = self._one(
            f"SELECT count(x), approx_count_distinct(x), min(length(x)), max(length(x)), {shape} FROM ({column})"  # noqa: S608 - quoted
        )
        kind = self._type(column, forms, present)
        low, high = self._ends(column, kind, forms)
        return Facts(
            name,
            self.rows,
            present,
            distinct,
            kind if not isinstance(kind, Integer) else _integer(low, high),
            low,
            high,
            shortest or 0,
            longest or 0,
            forms,
            first if first == last else None,
            self._few(column) if distinct <= FEW * 2 else (),
            begun["likeness"],
        )

    def all_different(self, columns: Sequence[Facts], missing: Iterable[str]) -> bool:
        """Whether no two records have the same values in the columns; exact, on typed values."""
        most = 1
        for each in columns:
            most *= max(1, each.distinct)
        if most < self.rows * _ROUGHLY or any(each.present < self.rows for each in columns):
            return False
        keys = ", ".join(_typed(_blanked(quoted(each.name), missing), each.type) for each in columns)
        sql = f"SELECT 1 FROM records GROUP BY {keys} HAVING count(*) > 1 LIMIT 1"  # noqa: S608 - quoted
        return not self.connection.execute(sql).fetchall()

    def _one(self, sql: str) -> Any:  # noqa: ANN401 - a row of whatever was asked for
        return self.connection.execute(sql).fetchone()

    def _begun(self, column: str) -> dict[str, Any]:
        """What the file's beginning says: the forms that are possible, one shape or several, and likenesses."""
        self.connection.execute(
            "CREATE OR REPLACE MACRO shape(x) AS regexp_replace(regexp_replace(regexp_replace("
            "x, '[0-9]', '9', 'g'), '[A-Z]', 'A', 'g'), '[a-z]', 'a', 'g')"
        )
        forms = ", ".join(f"bool_and(regexp_full_match(x, {text_literal(form)}))" for form in FORMS.values())
        likenesses = {**{word: (form, "true") for word, form in LIKENESSES.items()}, **DIGITS}
        looks = ", ".join(
            f"avg(CASE WHEN regexp_full_match(x, {text_literal(form)}) THEN ({also})::INT ELSE 0 END)"
            for form, also in likenesses.values()
        )
        first = f"SELECT x FROM ({column}) WHERE x IS NOT NULL LIMIT {_BEGINNING}"  # noqa: S608 - quoted
        row = self._one(f"SELECT min(shape(x)) = max(shape(x)), {forms}, {looks} FROM ({first})")  # noqa: S608 - quoted
        return {
            "shape": row[0],
            "forms": [form for form, held in zip(FORMS, row[1:], strict=False) if held],
            "likeness": dict(zip(likenesses, (share or 0.0 for share in row[1 + len(FORMS) :]), strict=True)),
        }

    def _forms(self, column: str, begun: dict[str, Any]) -> frozenset[str]:
        possible: list[str] = begun["forms"]
        if not possible:
            return frozenset()
        asked = ", ".join(f"bool_and(regexp_full_match(x, {text_literal(FORMS[form])}))" for form in possible)
        found = self._one(f"SELECT {asked} FROM ({column}) WHERE x IS NOT NULL")  # noqa: S608 - quoted
        return frozenset(form for form, held in zip(possible, found, strict=True) if held)

    def _type(self, column: str, forms: frozenset[str], present: int) -> ColumnType:
        if "boolean" in forms:
            return Boolean()
        if forms & {"date", "timestamp"}:
            exist = "bool_and(try_cast(left(x, 10) AS DATE) IS NOT NULL AND x >= '0002' AND x < '9999')"
            (held,) = self._one(f"SELECT {exist} FROM ({column}) WHERE x IS NOT NULL")  # noqa: S608 - quoted
            return (Date() if "date" in forms else Timestamp()) if held else Text()
        if not forms >= {"decimal", "no_leading_zero"} or not present:
            return Text()
        return self._number(column, forms)

    def _number(self, column: str, forms: frozenset[str]) -> ColumnType:
        digits, scale = self._one(
            "SELECT max(length(ltrim(split_part(x, '.', 1), '+-0'))), max(length(split_part(x, '.', 2))) "  # noqa: S608 - quoted
            f"FROM ({column})"
        )
        if digits + scale > _DIGITS:
            return Text()
        if "integer" in forms:
            (high,) = self._one(f"SELECT max(abs(x::HUGEINT)) FROM ({column})")  # noqa: S608 - quoted
            return Integer(64) if high <= Integer(64).high else Text()
        return Decimal(min(_DIGITS, digits + scale + 2), scale)

    def _ends(self, column: str, kind: ColumnType, forms: frozenset[str]) -> tuple[Value | None, Value | None]:
        if isinstance(kind, Text | Boolean) or (isinstance(kind, Timestamp) and "no_offset" not in forms):
            return None, None
        typed = _typed("x", kind)
        low, high = self._one(f"SELECT min({typed}), max({typed}) FROM ({column})")  # noqa: S608 - quoted
        if isinstance(kind, Timestamp):
            return low.replace(tzinfo=dt.UTC), high.replace(tzinfo=dt.UTC)
        return low, high

    def _few(self, column: str) -> tuple[str, ...]:
        sql = f"SELECT x FROM ({column}) WHERE x IS NOT NULL GROUP BY x ORDER BY count(*) DESC, x LIMIT {FEW + 1}"  # noqa: S608 - quoted
        found = tuple(text for (text,) in self.connection.execute(sql).fetchall())
        return found if len(found) <= FEW else ()


def _integer(low: Value | None, high: Value | None) -> Integer:
    small = all(isinstance(end, int) and abs(end) < _NINE_DIGITS for end in (low, high))
    return Integer(32 if small else 64)


def _typed(text: str, kind: ColumnType) -> str:
    """SQL for a text's value, in a type that is equal where the contract's values are; offsets stay apart."""
    match kind:
        case Integer():
            return f"{text}::HUGEINT"
        case Decimal(precision, scale):
            return f"{text}::DECIMAL({precision}, {scale})"
        case Date():
            return f"{text}::DATE"
        case Timestamp():
            return f"{text}::TIMESTAMP"
    return text


def _column(name: str, missing: Iterable[str]) -> str:
    return f"SELECT {_blanked(quoted(name), missing)} AS x FROM records"  # noqa: S608 - quoted


def _blanked(name: str, missing: Iterable[str]) -> str:
    listed = ", ".join(map(text_literal, missing))
    return f"CASE WHEN {name} IN ({listed}) THEN NULL ELSE {name} END" if listed else name
