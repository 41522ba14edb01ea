"""The names that types have in contracts and in databases."""

import re
from dataclasses import dataclass

from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.yaml_fields import nearest
from rowgate.errors import ContractError

_NAMES: dict[str, ColumnType] = {
    "string": Text(),
    "text": Text(),
    "int": Integer(32),
    "integer": Integer(32),
    "bigint": Integer(64),
    "long": Integer(64),
    "date": Date(),
    "timestamp": Timestamp(),
    "boolean": Boolean(),
    "bool": Boolean(),
}
_WRITTEN = re.compile(r"([a-z][a-z0-9_]*(?: [a-z]+)*?)\s*(?:\(\s*([0-9]{1,9}|max)\s*(?:,\s*([0-9]{1,9})\s*)?\))?( .*)?")
_DECIMAL = "decimal", "numeric"
_FLOATS = (
    *("float", "float4", "float8", "float32", "float64", "double", "double precision", "real"),
    *("binary_float", "binary_double"),
)
_TEXTS = (
    *("string", "text", "varchar", "char", "character", "character varying", "nvarchar", "nchar", "varchar2"),
    *("nvarchar2", "bpchar", "tinytext", "mediumtext", "longtext", "clob"),
)
_BITS: dict[str, int] = {
    **dict.fromkeys(("tinyint", "int1"), 8),
    **dict.fromkeys(("smallint", "int2", "int16", "short", "smallserial"), 16),
    **dict.fromkeys(("int", "integer", "int4", "int32", "serial", "mediumint"), 32),
    **dict.fromkeys(("bigint", "int8", "int64", "long", "bigserial"), 64),
}
_TIMESTAMPS = (
    *("timestamp", "timestamptz", "timestamp_ntz", "timestamp_ltz", "timestamp_tz"),
    *("datetime", "datetime2", "datetimeoffset"),
)
_ZONES = ("", " with time zone", " without time zone", " with local time zone")


def column_type(text: str) -> ColumnType:
    """A type as the compact form writes it, in any case.

    Raises:
        ContractError: there is no such type; the sentence names the nearest one.
    """
    found = _WRITTEN.fullmatch(" ".join(text.casefold().split()))
    name, first, second, rest = found.groups() if found else (text, None, None, "?")
    if name in _DECIMAL and not rest and first is not None and first != "max":
        return Decimal(int(first), int(second or 0))
    if name in _DECIMAL:
        raise ContractError("write how many digits it has, and how many of them are decimals, as in decimal(10,2).")
    if name in _FLOATS:
        raise ContractError("numbers are exact here; write decimal(p,s), as in decimal(18,6).")
    if name not in _NAMES:
        raise ContractError(f"that is no type; {nearest(name, [*_NAMES, 'decimal(p,s)'])}")
    if first or rest:
        raise ContractError(f"write {name} alone; a greatest length is max_length.")
    return _NAMES[name]


@dataclass(frozen=True)
class PhysicalType:
    """A database's type: what it holds, the longest text (characters), and the bits of a whole number."""

    kind: ColumnType
    length: int | None = None
    bits: int | None = None


def physical_type(text: str) -> PhysicalType:
    """A type as a database writes it: Postgres, MySQL, SQL Server, Oracle, Snowflake, BigQuery, Spark.

    Raises:
        ContractError: the contract has none like it.
    """
    found = _WRITTEN.fullmatch(" ".join(text.casefold().split()))
    name, first, second, rest = found.groups() if found else (text, None, None, "?")
    rest = rest or ""
    if name in _TIMESTAMPS and rest in _ZONES and second is None:
        return PhysicalType(Timestamp())
    if found and not rest:
        size = None if first is None or first == "max" else int(first)
        if name in _TEXTS and second is None:
            return PhysicalType(Text(), length=size)
        if name in _BITS and second is None:
            return PhysicalType(Integer(64 if _BITS[name] > 32 else 32), bits=_BITS[name])  # noqa: PLR2004 - the two sizes
        if name in (*_DECIMAL, "number") and size is not None:
            return PhysicalType(Decimal(size, int(second or 0)))
        if name in ("date", "boolean", "bool", "bit") and first is None:
            return PhysicalType(Date() if name == "date" else Boolean())
    if name in (*_FLOATS, *_DECIMAL, "number"):
        raise ContractError("numbers are exact here; write decimal(p,s), as in decimal(18,6).")
    raise ContractError(
        "the contract has no such type; its types are texts, whole numbers, decimal(p,s), date, timestamp, boolean."
    )
