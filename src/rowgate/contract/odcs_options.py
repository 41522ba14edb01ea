"""The options of a logical type, and its list of values, as things that a column says."""

import datetime as dt
import decimal
from collections.abc import Iterator
from typing import Any

from rowgate.contract import checks
from rowgate.contract.draft import Said, safe
from rowgate.contract.model import Column
from rowgate.contract.odcs_fields import OdcsFields
from rowgate.contract.odcs_types import physical
from rowgate.contract.spark_text import name_in_sql
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.contract.values import Value, typed
from rowgate.contract.yaml_document import Entries, Items, Scalar, shown
from rowgate.errors import ContractError

FORMATS = {
    "email": r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}",
    "uuid": r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "ipv4": r"((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])\.){3}(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])",
    "hostname": r"([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+",
}
"""Formats of a string that are checked: RFC 4122, RFC 1123 and RFC 3986 as far as a pattern can say them."""

_ENDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
_KEYS: dict[type[ColumnType], tuple[str, ...]] = {
    Text: ("minLength", "maxLength", "pattern", "format"),
    Integer: (*_ENDS, "multipleOf", "format"),
    Decimal: (*_ENDS, "multipleOf", "format"),
    Date: (*_ENDS, "format"),
    Timestamp: (*_ENDS, "format", "timezone", "defaultTimezone"),
    Boolean: (),
}
_End = tuple[Any, OdcsFields, str]  # a value of the column's type, and the key it came from
_UTC = frozenset({"utc", "etc/utc", "z", "gmt", "etc/gmt"})


def read_options(fields: OdcsFields, column: Column) -> Iterator[Said]:
    """What the options, the physical type's size and the list of values say."""
    options = fields.inner("logicalTypeOptions") or OdcsFields(Entries({}, fields.line), fields.path, fields.problems)
    known = _KEYS[type(column.type)]
    for key in options:
        if key not in known and key in options:
            hint = f"its options are {', '.join(known)}." if known else "it has no options."
            options.problem(key, f"is no option of a column that is {type_name(column.type)}; {hint}")
    if isinstance(column.type, Text):
        yield from _text(fields, options, column)
    elif not isinstance(column.type, Boolean):
        yield from _range(fields, options, column.type)
        yield from _multiple(options, column)
    if isinstance(column.type, Timestamp):
        _zone(options)
    yield from _enum(fields, column)


def _text(fields: OdcsFields, options: OdcsFields, column: Column) -> Iterator[Said]:
    stored = physical(fields)
    low, high = options.whole("minLength") or None, options.whole("maxLength")
    size = stored.length if stored else None
    longest = min((each for each in (high, size) if each is not None), default=None)
    if low is not None or longest is not None:
        holder, key = (
            (options, "minLength" if low else "maxLength")
            if "minLength" in options or high
            else (fields, "physicalType")
        )
        try:
            yield Said("length", checks.LengthBetween(low, longest), holder.line_of(key), holder.at(key))
        except ContractError as error:
            holder.problem(key, f"cannot be: {error}")
    pattern = options.text("pattern")
    if pattern is not None:
        try:
            yield Said("pattern", checks.Matches(pattern), options.line_of("pattern"), options.at("pattern"))
        except ContractError as error:
            options.problem("pattern", f"cannot be: {error}")
    written = options.text("format")
    if written in FORMATS:
        reason = f"{safe(column.name)}_not_{written}"
        yield Said("pattern", checks.Matches(FORMATS[written]), options.line_of("format"), options.at("format"), reason)
    elif written is not None:
        options.problem(
            "format", f"is {shown(written)!r}, which is not supported; what is checked is {', '.join(FORMATS)}."
        )


def _range(fields: OdcsFields, options: OdcsFields, kind: ColumnType) -> Iterator[Said]:
    lows: list[_End] = []
    highs: list[_End] = []
    for key in _ENDS:
        text = options.text(key)
        if text is None or text.casefold() in ("true", "false"):
            continue  # v3.0 wrote `exclusiveMinimum: true` beside the minimum
        value = _value(text, kind)
        step = _step(options, key)
        value = _next(value, kind, step) if value is not None else None
        if value is None:
            options.problem(key, f"is {shown(text)!r}, which is not a value of type {type_name(kind)}.")
        else:
            (lows if key.endswith("inimum") else highs).append((value, options, key))
    for (smallest, greatest), holder, key in _sizes(fields, options):
        lows.append((smallest, holder, key))
        highs.append((greatest, holder, key))
    if not lows and not highs:
        return
    low: Value | None = max((end[0] for end in lows), default=None)
    high: Value | None = min((end[0] for end in highs), default=None)
    _, holder, key = (lows or highs)[0]
    try:
        yield Said("range", checks.Between(low, high), holder.line_of(key), holder.at(key))
    except ContractError as error:
        holder.problem(key, f"cannot be: {error}")


def _step(options: OdcsFields, key: str) -> int:
    """How many values an end lies inside of what the file writes: 1 or -1 where the end is left out."""
    direction = 1 if key.endswith("inimum") else -1
    old = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}.get(key)
    left_out = old is None or (options.text(old) or "").casefold() == "true"
    return direction if left_out else 0


def _sizes(fields: OdcsFields, options: OdcsFields) -> Iterator[tuple[tuple[int, int], OdcsFields, str]]:
    """The ranges of whole numbers that are smaller than the type which holds them."""
    stored, written = physical(fields), options.text("format") or ""
    if stored and stored.bits and stored.bits < 32:  # noqa: PLR2004 - the smallest integer of a contract
        yield (-(2 ** (stored.bits - 1)), 2 ** (stored.bits - 1) - 1), fields, "physicalType"
    if written in ("i8", "i16"):
        bits = int(written[1:])
        yield (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1), options, "format"
    elif written in ("u8", "u16", "u32"):
        yield (0, 2 ** int(written[1:]) - 1), options, "format"


def _value(text: str, kind: ColumnType) -> Value | None:
    """An end of a range. A number may be written with more than its digits need: `18.0`, `1e3`."""
    if not isinstance(kind, Integer | Decimal):
        return typed(text, kind)
    try:
        number = decimal.Decimal(text)
        return typed(f"{number.normalize():f}", kind) if number.is_finite() and abs(number.adjusted()) < 40 else None  # noqa: PLR2004 - more digits than a decimal has
    except decimal.InvalidOperation:
        return None


def _next(value: Value, kind: ColumnType, step: int) -> Value | None:
    """The value one step on: every type has a smallest step, so an end that is left out is the next value."""
    try:
        match kind, value:
            case Integer(), int():
                return value + step
            case Decimal(_, scale), decimal.Decimal():
                return value + step * decimal.Decimal(1).scaleb(-scale)
            case Timestamp(), dt.datetime():
                return value + step * dt.timedelta(microseconds=1)
            case Date(), dt.date():
                return value + step * dt.timedelta(days=1)
            case _:
                return None
    except OverflowError:  # beyond the years 0001 to 9999
        return None


def _multiple(options: OdcsFields, column: Column) -> Iterator[Said]:
    text = options.text("multipleOf")
    if text is None:
        return
    number = _value(text, Decimal(38, 18))
    if not isinstance(number, decimal.Decimal) or number <= 0:
        options.problem("multipleOf", f"is {shown(text)!r}; it must be a number above 0.")
        return
    sql = f"{name_in_sql(column.name)} % {number.normalize():f} = 0"
    reason = f"{safe(column.name)}_not_multiple"
    yield Said("checks", checks.Expression(sql), options.line_of("multipleOf"), options.at("multipleOf"), reason)


def _zone(options: OdcsFields) -> None:
    if options.flag("timezone"):
        options.problem("timezone", "is not supported: a timestamp without an offset is UTC, and cannot be refused.")
    if (options.text("defaultTimezone") or "utc").casefold() not in _UTC:
        options.problem("defaultTimezone", "is not supported: a timestamp without an offset is UTC.")


def _enum(fields: OdcsFields, column: Column) -> Iterator[Said]:
    """The standard's `enum` (v3.2)."""
    scalars = [node for each in fields.listed("enum") if isinstance(node := each.node("value"), Scalar)]
    values = allowed(fields, "enum", scalars, column.type)
    if values is not None and "enum" in fields:
        try:
            yield Said("allowed_values", checks.OneOf(values), fields.line_of("enum"), fields.at("enum"))
        except ContractError as error:
            fields.problem("enum", f"cannot be: {error}")


def allowed(fields: OdcsFields, key: str, scalars: list[Scalar], kind: ColumnType) -> tuple[Value, ...] | None:
    """The values of a list, None when one of them is none of the type."""
    values = []
    for scalar in scalars:
        value = _value(scalar.text, kind)
        if value is None:
            sentence = f"{fields.at(key)} holds {shown(scalar.text)!r}, which is not a value of type {type_name(kind)}."
            fields.problems.add(scalar.line, sentence)
            return None
        values.append(value)
    return tuple(values)


def scalars_of(fields: OdcsFields, key: str) -> list[Scalar]:
    """The single values of a list, those that are null too."""
    node = fields.node(key)
    return [item for item in node.items if isinstance(item, Scalar)] if isinstance(node, Items) else []
