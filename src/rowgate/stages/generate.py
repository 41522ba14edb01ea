"""Dirty files to try the stack with: people as they arrive from forms, spreadsheets and other systems.

Faker supplies the Greek names and cities as tables; it draws nothing, so that a file depends on its seed alone.
"""

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import islice
from random import Random
from typing import BinaryIO

from rowgate.errors import UnusableError
from rowgate.stages.dirt import HARMFUL, HARMLESS, pick

GENERATED = frozenset({"users"})
"""The contracts whose DAG makes its file, unless the run names one."""

USERS_COLUMNS = ("id", "name", "email", "phone", "zip_code", "age", "city")
MAX_ROWS = 100_000_000  # some 8 GB of people
RESENT_SHARE = 0.04  # of the records, how many bring a recent person again
RECENT = 5_000  # records among which such a person is found; bounds the memory
BATCH = 10_000  # records written at once


class _People:
    """Good people: Greek names and cities, mail addresses under the domains that RFC 2606 keeps for examples."""

    _DOMAINS = ("post.example", "mail.example", "inbox.example", "work.example", "uni.example")
    _BIG_CITIES = ("Αθήνα",) * 25 + ("Θεσσαλονίκη",) * 10 + ("Πάτρα", "Ηράκλειο") * 3

    def __init__(self) -> None:
        from faker.providers.address.el_GR import Provider as Places  # noqa: PLC0415 only the generator needs Faker
        from faker.providers.internet.el_GR import latinize  # noqa: PLC0415 the same
        from faker.providers.person.el_GR import Provider as Names  # noqa: PLC0415 the same

        self.cities = (*Places.cities, *self._BIG_CITIES)
        self._names = (
            (tuple(Names.first_names_female), tuple(Names.last_names_female)),
            (tuple(Names.first_names_male), tuple(Names.last_names_male)),
        )
        every = {name for pair in self._names for names in pair for name in names}
        self._latin = {name: "".join(c for c in latinize(name).lower() if "a" <= c <= "z") for name in every}

    def person(self, rng: Random) -> dict[str, str]:
        """Draw one person: the six fields of a users row, all good."""
        firsts, lasts = pick(rng, self._names)
        first, last = pick(rng, firsts), pick(rng, lasts)
        number = int(rng.random() * 10_000)
        return {
            "name": f"{first} {last}",
            "email": f"{self._latin[first]}.{self._latin[last]}{number}@{pick(rng, self._DOMAINS)}",
            "phone": f"69{int(rng.random() * 100_000_000):08}",
            "zip_code": f"{10_000 + int(rng.random() * 76_000)}",
            "age": f"{18 + int(rng.random() * 82)}",
            "city": pick(rng, self.cities),
        }


def _spoil(rng: Random, field: str, value: str) -> str:
    for changes in (HARMFUL[field], HARMLESS[field]):
        if rng.random() < changes.rate:
            return changes.change(rng, value)
    return value


def _dirty_users(rng: Random) -> Iterator[tuple[str, ...]]:
    """Yield people without end, each field spoilt on its own, some of them sent again as they were or after a move."""
    people = _People()
    recent: deque[dict[str, str]] = deque(maxlen=RECENT)
    while True:
        if recent and rng.random() < RESENT_SHARE:
            row = pick(rng, recent)
            if rng.random() < 0.5:  # noqa: PLR2004 half of them have moved
                row = row | {"city": _spoil(rng, "city", pick(rng, people.cities))}
        else:
            row = {field: _spoil(rng, field, value) for field, value in people.person(rng).items()}
            recent.append(row)
        yield tuple(row.values())


def write_records(out: BinaryIO, header: Sequence[str], records: Iterable[Sequence[str]]) -> None:
    """Write RFC 4180 CSV in UTF-8, with LF after every record, in batches. `out` is left open.

    Raises:
        OSError: `out` cannot be written; the caller knows its name.
    """
    waiting = iter(records)
    batch: list[Sequence[str]] = [header]
    while batch:
        text = StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(batch)
        out.write(text.getvalue().encode())
        batch = list(islice(waiting, BATCH))


def write_users(out: BinaryIO, *, rows: int, seed: int) -> None:
    """Write a CSV file of dirty people, in the columns of `contracts/users.py`; some 16 % of them meet that contract.

    The same rows and seed give the same bytes, and a longer file of the same seed begins with the shorter one.

    Args:
        out: where the bytes go; it is left open.
        rows: records to write, the header not counted; 0 to `MAX_ROWS`.
        seed: any integer.

    Raises:
        UnusableError: rows is out of its range.
        OSError: `out` cannot be written; the caller knows its name.
    """
    if not 0 <= rows <= MAX_ROWS:
        raise UnusableError(f"The number of rows to generate is {rows}, and must be between 0 and {MAX_ROWS:,}.")
    people = _dirty_users(Random(seed))  # noqa: S311 a reproducible file, not a secret
    numbered = ((str(number), *fields) for number, fields in enumerate(islice(people, rows), start=1))
    write_records(out, USERS_COLUMNS, numbered)
