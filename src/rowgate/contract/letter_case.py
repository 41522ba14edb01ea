"""Which letters `lower` and `upper` change in an expression: those below U+0530 with one letter for the other case.

Engines disagree about the rest (the German sharp s, the Greek final sigma by its place in a word, the Turkish i).
"""

from typing import Final

_END = 0x530  # Latin, Greek, Cyrillic


def _table(upper: bool) -> dict[int, str]:  # noqa: FBT001 - private
    pairs = ((chr(point), chr(point).upper() if upper else chr(point).lower()) for point in range(_END))
    return {ord(letter): other for letter, other in pairs if other != letter and len(other) == 1 and ord(other) < _END}


LOWER: Final = _table(upper=False)
"""Code point -> small letter; for `str.translate`."""
UPPER: Final = _table(upper=True)
"""Code point -> capital letter; for `str.translate`."""
