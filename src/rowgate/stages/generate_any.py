"""A file for any contract, made from its rules: good rows, and as many that break one as are asked for.

Every draw goes through `Random.random`, so that a contract, a seed, a day and the keys that other contracts have loaded
give one file under any Python. The day
counts since dates reach up to it, and since rules may look at the clock. Records are well-formed always: what a rule
says nothing of is not tried.
"""

import datetime as dt
from collections.abc import Iterator
from random import Random
from typing import BinaryIO

from rowgate.contract.model import Contract
from rowgate.errors import UnusableError
from rowgate.stages.generate import MAX_ROWS, write_records
from rowgate.stages.good_rows import GoodRows, Keys, Rules
from rowgate.stages.plausible import written
from rowgate.stages.spoil import Spoiler


def write_any(
    out: BinaryIO,
    contract: Contract,
    *,
    rows: int,
    dirty: float,
    seed: int,
    now: dt.datetime,
    keys: Keys | None = None,
) -> None:
    """Write a CSV file of rows that keep the contract's row rules, a share of them with one rule broken.

    Rules are broken in turn, each on its own where it can be. Rules about the whole file (dataset rules, `min_rows`)
    are not looked at.

    Args:
        out: where the bytes go; it is left open.
        contract: whose columns and rules.
        rows: records to write, the header not counted; 0 to `MAX_ROWS`.
        dirty: the share of rows that break a rule, 0 to 1.
        seed: any integer.
        now: the moment that the rules take for now, aware.
        keys: the loaded keys that references look at. Where they are not known, a value is plausible and no more.

    Raises:
        UnusableError: an argument is out of its range; or no row could be found that keeps every rule, or that breaks
            one. What was written until then is worth nothing.
        OSError: `out` cannot be written; the caller knows its name.
    """
    if not 0 <= rows <= MAX_ROWS:
        raise UnusableError(f"The number of rows to generate is {rows}, and must be between 0 and {MAX_ROWS:,}.")
    if not 0 <= dirty <= 1:
        raise UnusableError(f"The share of dirty rows is {dirty}, and must be between 0 and 1.")
    header = [column.name for column in contract.columns]
    write_records(out, header, _records(Rules(contract, now, keys), rows, dirty, Random(seed), now))  # noqa: S311 - a reproducible file, not a secret


def _records(rules: Rules, rows: int, dirty: float, rng: Random, now: dt.datetime) -> Iterator[list[str]]:
    good = GoodRows(rules, rng, rows, now)
    spoiler = Spoiler(rules, good, rng)
    for _ in range(rows):
        spoilt = rng.random() < dirty
        values = good.row()
        if spoilt:
            texts = spoiler.spoil(values)
            if texts is None:
                raise UnusableError(
                    f"The contract {rules.contract.name} has no rule that a row could be made to break; "
                    "leave --dirty out."
                )
            yield [text or "" for text in texts.values()]
        else:
            if spoiler.recent is None or rng.random() < 0.2:  # noqa: PLR2004 - often enough for repeats to vary
                spoiler.recent = values
            yield ["" if value is None else written(value) for value in values.values()]
