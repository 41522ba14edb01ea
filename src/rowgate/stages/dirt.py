"""What happens to good values on their way here: a table for each field, of how often it does and in what kinds.

Every draw goes through `Random.random`, the one method whose sequence Python promises for a seed, so that one seed
gives one file under any Python.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

T = TypeVar("T")
Change = Callable[[Random, str], str]


def pick(rng: Random, values: Sequence[T]) -> T:
    """Draw one of `values`, each as likely as another."""
    return values[int(rng.random() * len(values))]


@dataclass(frozen=True)
class Kind:
    """One way in which a good value arrives changed; `weight` is its share among the kinds of its field."""

    name: str
    weight: int
    change: Change


class Changes:
    """What may happen to one field: with probability `rate` (0 to 1), one of `kinds`."""

    def __init__(self, rate: float, *kinds: Kind) -> None:
        self.rate = rate
        self.kinds = kinds
        self._drawn = tuple(kind.change for kind in kinds for _ in range(kind.weight))

    def change(self, rng: Random, value: str) -> str:
        """Change the value by one kind, drawn by weight."""
        return pick(rng, self._drawn)(rng, value)


def one_of(*texts: str) -> Change:
    """A change that replaces the value by one of `texts`."""
    return lambda rng, _: pick(rng, texts)


BLANKS = ("", "", "", "", " ", "   ", "\t", "\u00a0", "\u3000", "\u200b", "\n", " \u00a0 ")
SPACES = (" ", " ", "  ", "\t", "\n", "\u00a0", "\u2003", "\u202f", "\u3000", "\u200b", "\ufeff")


def _surround(rng: Random, value: str) -> str:
    spaces = pick(rng, SPACES)
    return pick(rng, (spaces + value, value + spaces, spaces + value + pick(rng, SPACES)))


def _nickname(rng: Random, value: str) -> str:
    first, _, last = value.partition(" ")
    return f'{first} "{first[: 2 + int(rng.random() * 3)]}" {last}'


def _mixed_case(rng: Random, value: str) -> str:
    return "".join(letter.upper() if rng.random() < 0.3 else letter for letter in value)  # noqa: PLR2004 a share


def _spaced_email(rng: Random, value: str) -> str:
    cut = 1 + int(rng.random() * (len(value) - 1))
    return value[:cut] + pick(rng, (" ", "\u00a0", "\n")) + value[cut:]


def _land_line(rng: Random, value: str) -> str:
    return (pick(rng, ("210", "210", "2310", "2610")) + value[2:])[:10]


def _birth_date(rng: Random, value: str) -> str:
    year = 2025 - int(value)
    return pick(rng, (str(year), f"{1 + int(rng.random() * 28):02}/{1 + int(rng.random() * 12):02}/{year}"))


# Kinds that leave the value good, once it is trimmed.
HARMLESS: Mapping[str, Changes] = {
    "name": Changes(
        0.15,
        Kind("white space around", 6, _surround),
        Kind("a nickname in quotes", 3, _nickname),
        Kind("a newline inside", 2, lambda _, v: v.replace(" ", "\n", 1)),
        Kind("the family name first, after it a comma", 2, lambda _, v: ", ".join(reversed(v.split(" ", 1)))),
        Kind("upper case", 2, lambda _, v: v.upper()),
    ),
    "email": Changes(
        0.15,
        Kind("white space around", 4, _surround),
        Kind("mixed case", 4, _mixed_case),
        Kind("upper case", 2, lambda _, v: v.upper()),
        Kind("a tag", 1, lambda _, v: v.replace("@", "+news@")),
    ),
    "phone": Changes(0.10, Kind("white space around", 1, _surround)),
    "zip_code": Changes(
        0.12, Kind("white space around", 2, _surround), Kind("a leading zero", 1, lambda _, v: "0" + v[1:])
    ),
    "age": Changes(
        0.10,
        Kind("white space around", 6, _surround),
        Kind("a leading zero", 1, lambda _, v: "0" + v),
        Kind("a plus sign", 1, lambda _, v: "+" + v),
    ),
    "city": Changes(0.12, Kind("white space around", 5, _surround), Kind("upper case", 1, lambda _, v: v.upper())),
}

# Kinds that break the field's rule in contracts/users.py. The rates leave 0.85 x 0.7 x 0.65 x 0.7 x 0.7 x 0.85 = 16 %.
HARMFUL: Mapping[str, Changes] = {
    "name": Changes(0.15, Kind("blank", 1, one_of(*BLANKS))),
    "email": Changes(
        0.30,
        Kind("blank", 4, one_of(*BLANKS)),
        Kind("no @", 3, lambda _, v: v.replace("@", "")),
        Kind("a blank inside", 3, _spaced_email),
        Kind("no top-level domain", 3, lambda _, v: v.partition(".example")[0]),
        Kind("a word for none", 2, one_of("n/a", "N/A", "none", "-", "δεν έχει")),
        Kind("two @", 2, lambda _, v: v.replace("@", "@@")),
        Kind("two addresses", 1, lambda _, v: f"{v};{v}"),
        Kind("a trailing dot", 2, lambda _, v: v + "."),
        Kind("a comma for a dot", 1, lambda _, v: v.replace(".example", ",example")),
        Kind("(at) for @", 1, lambda _, v: v.replace("@", "(at)")),
        Kind("as a mail program shows it", 1, lambda _, v: f"<{v}>"),
        Kind("typed on a Greek keyboard", 1, lambda _, v: v.replace("e", "ε")),
        Kind("no local part", 1, lambda _, v: v[v.index("@") :]),
    ),
    "phone": Changes(
        0.35,
        Kind("blank", 4, one_of(*BLANKS)),
        Kind("+30 in front", 4, lambda _, v: "+30" + v),
        Kind("+30 and blanks", 3, lambda _, v: f"+30 {v[:3]} {v[3:6]} {v[6:]}"),
        Kind("0030 in front", 3, lambda _, v: "0030" + v),
        Kind("dashes", 3, lambda _, v: f"{v[:3]}-{v[3:6]}-{v[6:]}"),
        Kind("blanks inside", 3, lambda _, v: f"{v[:4]} {v[4:]}"),
        Kind("parentheses", 1, lambda _, v: f"({v[:4]}) {v[4:]}"),
        Kind("a land line", 4, _land_line),
        Kind("too short", 3, lambda _, v: v[:-1]),
        Kind("too long", 1, lambda _, v: v + v[-1]),
        Kind("another country", 2, lambda rng, v: pick(rng, ("+44 7", "+49 15", "+357 9", "07", "001")) + v[2:]),
        Kind("a spreadsheet's decimal", 2, lambda _, v: v + ".0"),
        Kind("a spreadsheet's exponent", 1, lambda _, v: f"{v[0]}.{v[1:3]}E+09"),
        Kind("a letter for a digit", 1, lambda _, v: f"{v[:3]}O{v[4:]}"),
        Kind("a word for none", 1, one_of("n/a", "-", "0000000000", "unknown")),
    ),
    "zip_code": Changes(
        0.30,
        Kind("blank", 4, one_of(*BLANKS)),
        Kind("four digits", 5, lambda _, v: v[1:]),
        Kind("a blank inside", 5, lambda _, v: f"{v[:3]} {v[3:]}"),
        Kind("a spreadsheet's decimal", 3, lambda _, v: v[1:] + ".0"),
        Kind("six digits", 1, lambda _, v: v + v[-1]),
        Kind("ΤΚ or GR in front", 3, lambda rng, v: pick(rng, ("ΤΚ ", "T.K. ", "GR-")) + v),  # noqa: RUF001 Greek letters, as typed
        Kind("a letter for a digit", 2, lambda _, v: v[:4] + "O"),
        Kind("another country", 2, one_of("SW1A 1AA", "K1A 0B1", "1010 AB", "D-10115", "00-950")),
        Kind("a word for none", 1, one_of("n/a", "-", "ABCDE", "unknown")),
    ),
    "age": Changes(
        0.30,
        Kind("blank", 4, one_of(*BLANKS)),
        Kind("too young", 4, lambda rng, _: str(int(rng.random() * 18))),
        Kind("too old", 3, lambda rng, _: str(100 + int(rng.random() * 120))),
        Kind("999", 1, one_of("999", "2147483648")),
        Kind("negative", 2, lambda _, v: "-" + v),
        Kind("decimals", 3, lambda rng, v: v + pick(rng, (".0", ".5", ",5"))),
        Kind("in words", 3, one_of("thirty-four", "forty two", "Fifty", "τριάντα", "σαράντα δύο", "eighteen")),
        Kind("with a unit", 2, lambda rng, v: v + pick(rng, (" years", "y", " ετών"))),
        Kind("a range", 1, lambda _, v: f"{v}-{int(v) + 4}"),
        Kind("a date or year of birth", 2, _birth_date),
        Kind("a word for none", 3, one_of("n/a", "N/A", "unknown", "NaN", "null", "-")),
    ),
    "city": Changes(0.15, Kind("blank", 1, one_of(*BLANKS))),
}
