"""How Postgres spells identifiers and values."""

import datetime as dt
import decimal

from rowgate.contract.checks import Value
from rowgate.errors import ContractError

LONGEST = 63
"""The most bytes of an identifier (NAMEDATALEN - 1; PostgreSQL manual 4.1.1)."""


def identifier(name: str) -> str:
    """A quoted identifier.

    Raises:
        ContractError: Postgres cannot have one of that name.
    """
    if not name or "\0" in name or len(name.encode()) > LONGEST:
        raise ContractError(f"Postgres cannot name a thing {name!r}; use 1 to {LONGEST} bytes.")
    return '"' + name.replace('"', '""') + '"'


def literal(value: Value) -> str:
    """A value as a constant of its type; texts as `standard_conforming_strings` reads them.

    Raises:
        ContractError: the value is text that holds a NUL character.
    """
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            if "\0" in value:
                raise ContractError("Postgres has no text that holds a NUL character.")
            return "'" + value.replace("'", "''") + "'"
        case dt.datetime():
            return f"TIMESTAMPTZ '{value.astimezone(dt.UTC).replace(tzinfo=None).isoformat(sep=' ')}+00'"
        case dt.date():
            return f"DATE '{value.isoformat()}'"
        case decimal.Decimal():
            return f"{value:f}"
        case int():
            return str(value)


def escaped(text: str) -> str:
    """A text constant in which every character that is not plain ASCII is written as its code point."""
    return "E'" + "".join(_escape(character) for character in text) + "'"


def _escape(character: str) -> str:
    if character.isascii() and character.isprintable() and character not in "'\\":
        return character
    return f"\\u{ord(character):04X}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08X}"  # noqa: PLR2004 - four hex digits
