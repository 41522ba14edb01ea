"""The logical and physical types of the standard as the contract's own."""

import re

from rowgate.contract.odcs_fields import OdcsFields
from rowgate.contract.type_names import PhysicalType, physical_type
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.contract.yaml_document import shown

_LOGICAL = ("string", "date", "timestamp", "number", "integer", "boolean")
INTEGER_BITS = {"i8": 32, "i16": 32, "u8": 32, "u16": 32, "i32": 32, "u32": 64, "i64": 64}
"""The bits of the integer that holds each of the standard's formats; the others have none."""
_DATE_FORMATS = frozenset({"yyyy-mm-dd", "uuuu-mm-dd", "iso_local_date", "iso8601", "iso-8601"})
_TIME_OF_DAY = re.compile(r"[Hh]{2}")
_TIMESTAMP_FORMAT = re.compile(r"(yyyy|uuuu)-MM-dd( |T|'T'|\"T\")HH:mm(:ss(\.S{1,6})?)?(Z|'Z'|X{1,3}|xxx|VV)?")


_TEXT_LIKE = frozenset(
    {"uuid", "uniqueidentifier", "guid", "enum", "citext", "ntext", "nclob", "inet", "cidr", "macaddr"}
)
"""What databases store where the standard says string; beside that word they are texts."""


def physical(fields: OdcsFields) -> PhysicalType | None:
    """The physical type, None when there is none, or none that the contract has."""
    stored = " ".join((fields.text("physicalType") or "").casefold().split())
    if fields.text("logicalType") == "string" and (
        stored in _TEXT_LIKE or (stored.startswith("enum(") and "enum" in fields)
    ):
        return PhysicalType(Text())
    return fields.made("physicalType", physical_type)


def read_type(fields: OdcsFields) -> ColumnType | None:
    """The type of a property, None when it has none that the contract has. A property without any type is text."""
    logical = fields.text("logicalType")
    stored = physical(fields)
    if logical is None:
        return (stored.kind if stored else None) if "physicalType" in fields else Text()
    if logical not in _LOGICAL:
        fields.problem(
            "logicalType",
            f"is {shown(logical)!r}, which is not supported; a field of a CSV file is one of {', '.join(_LOGICAL)}.",
        )
        return None
    if "physicalType" in fields and stored is None:
        return None
    kind = _both(fields, logical, stored)
    if kind is not None and stored is not None and stored.length is not None and not isinstance(kind, Text):
        fields.problem(
            "physicalType", f"has a greatest length, which is not supported for a column that is {type_name(kind)}."
        )
    return kind


def _both(fields: OdcsFields, logical: str, stored: PhysicalType | None) -> ColumnType | None:  # noqa: PLR0911 - a table
    """The type that both say. A physical text may hold anything, since a file is text."""
    kind = stored.kind if stored else Text()
    match logical, kind:
        case "string", Text():
            return kind
        case "boolean", Boolean() | Text():
            return Boolean()
        case "date", Date() | Text():
            return _date(fields)
        case (("date" | "timestamp"), Timestamp()):
            return _timestamp(fields)
        case "timestamp", Text():
            return _timestamp(fields)
        case "integer", Integer() | Text():
            return _integer(fields, kind if isinstance(kind, Integer) else None)
        case "integer", Decimal(_, 0):
            return kind
        case "number", Integer() | Decimal():
            return _number(fields, kind)
        case "number", Text():
            fields.problem("logicalType", "is 'number', and numbers are exact here; add physicalType: decimal(p,s).")
        case _:
            fields.problem(
                "physicalType", f"is {type_name(kind)}, and the logicalType is {logical}; let both say the same."
            )
    return None


def _format(fields: OdcsFields) -> str | None:
    options = fields.inner("logicalTypeOptions")
    return options.text("format") if options else None


def _refuse_format(fields: OdcsFields, why: str) -> None:
    options = fields.inner("logicalTypeOptions")
    if options:
        options.problem("format", f"is {shown(options.text('format') or '')!r}, which is not supported; {why}")


def _date(fields: OdcsFields) -> ColumnType | None:
    written = _format(fields)
    if written is None or written.casefold() in _DATE_FORMATS:
        return Date()
    if _TIME_OF_DAY.search(written):
        return _timestamp(fields)
    _refuse_format(fields, "dates are yyyy-MM-dd.")
    return None


def _timestamp(fields: OdcsFields) -> ColumnType | None:
    written = _format(fields)
    if written is None or _TIMESTAMP_FORMAT.fullmatch(written) or written.casefold() in ("iso8601", "iso-8601"):
        return Timestamp()
    _refuse_format(fields, "timestamps are yyyy-MM-dd HH:mm:ss.")
    return None


def _integer(fields: OdcsFields, stored: Integer | None) -> ColumnType | None:
    written = _format(fields)
    if written is None:
        return stored or Integer(64)
    if written not in INTEGER_BITS:
        _refuse_format(fields, f"whole numbers are {', '.join(INTEGER_BITS)}.")
        return None
    return Integer(INTEGER_BITS[written])


def _number(fields: OdcsFields, kind: ColumnType) -> ColumnType | None:
    if _format(fields) is None:
        return kind
    _refuse_format(fields, "numbers are exact; leave the format out.")
    return None
