"""The contract on DuckDB: SQL that types, judges and shapes the records.

Inside a query the contract's columns have internal names, `c0`, `c1`, … for the texts and `v0`, `v1`, … for the
values, so that no name a contract can give means anything else. A row's verdict is a bit for each reason, in the order
of `Contract.reasons`, kept in as many integers (`m0`, `m1`, …) as are needed: one pass over the records makes the
verdicts, and every count and every zone comes from them.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import assert_never

from rowgate.contract import checks, expressions, patterns
from rowgate.contract.model import MALFORMED, Contract, FieldRule, SurrogateKey
from rowgate.contract.types import ColumnType, Text, Timestamp
from rowgate.targets.duckdb_expressions import to_duckdb
from rowgate.targets.duckdb_types import literal, nullable, parquet, quoted, text_literal, typed

VERDICTS = "verdicts"
"""The table of a row for each record: `record_number`, the bits, and the values that rules about the file look at."""

_BITS = 62  # of a BIGINT, so that no sum of them comes near its end


Keys = Mapping[checks.References, tuple[Sequence[str], str]]
"""For each reference the paths of the Parquet files of loaded keys, and their column; one without is not evaluated."""


def verdicts(contract: Contract, file: str, now: dt.datetime, keys: Keys = MappingProxyType({})) -> str:
    """The query of `VERDICTS`, before the rules about the whole file are judged.

    Args:
        contract: the contract.
        file: the path of the records' Parquet.
        now: the frozen moment of `current_date` and `current_timestamp`.
        keys: what references look at.
    """
    broken = {rule.reason: _broken(contract, rule, now, keys) for rule in contract.rules}
    masks = []
    for at, bits in enumerate(_bits(contract)):
        parts = [f"CASE WHEN {broken[reason]} THEN {bit} ELSE 0 END" for reason, bit in bits if broken.get(reason)]
        malformed = next((bit for reason, bit in bits if reason == MALFORMED), 0)
        found = " + ".join(parts) or "0"
        masks.append(f"CAST(CASE WHEN malformed THEN {malformed} ELSE {found} END AS BIGINT) AS m{at}")
    compared = [f"{_values(contract)[name]} AS k{at}" for at, name in enumerate(_keys(contract))]
    columns = ", ".join(["record_number", *masks, *compared])
    return f"SELECT {columns} FROM {_prepared(contract, file)}"  # noqa: S608 - names are quoted


def repeats_judged(contract: Contract) -> list[str]:
    """The statements that judge the rules about the whole file on `VERDICTS`, one rule after the other."""
    return [
        _repeats_judged(contract, rule, rule.check) for rule in contract.rules if isinstance(rule.check, checks.Unique)
    ]


def tally(contract: Contract) -> str:
    """The query that counts the rows of each verdict: the masks, then the rows."""
    masks = ", ".join(_masks(contract))
    return f"SELECT {masks}, count(*) FROM {VERDICTS} GROUP BY {masks}"  # noqa: S608 - names of our own


def reasons_of(contract: Contract, masks: Sequence[int]) -> list[str]:
    """The reasons of one verdict, in declaration order: those that reject, or where there are none, those that warn."""
    found = [reason for bits, mask in zip(_bits(contract), masks, strict=True) for reason, bit in bits if mask & bit]
    rejecting = set(contract.rejecting_reasons)
    return [reason for reason in found if reason in rejecting] or found


def accepted_rows(contract: Contract, file: str, run_id: str | None) -> str:
    """The query of the rows that would load, as the clean zone has them, but timestamps without a zone, in UTC."""
    values = [
        f"{value} AS {quoted(column.name)}"
        for column, value in zip(contract.columns, _values(contract).values(), strict=True)
        if column.loaded
    ]
    key = [_surrogate(contract, contract.key)] if isinstance(contract.key, SurrogateKey) else []
    rejected = f"SELECT record_number FROM {VERDICTS} WHERE {rejected_rows(contract)}"  # noqa: S608 - names of our own
    return (
        f"SELECT {', '.join([*key, *values])}, record_number, {_run_id(run_id)} "  # noqa: S608 - names are quoted
        f"FROM {_prepared(contract, file)} ANTI JOIN ({rejected}) USING (record_number)"
    )


def clean_rows(contract: Contract, accepted: str) -> str:
    """The query of the clean zone, in file order.

    Args:
        contract: the contract.
        accepted: the name of a view of `accepted_rows`.
    """
    moments = [quoted(column.name) for column in contract.loaded if isinstance(column.type, Timestamp)]
    # By the number of microseconds, which means one moment whatever the session's time zone.
    zoned = ", ".join(f"make_timestamptz(epoch_us({name})) AS {name}" for name in moments)
    replaced = f" REPLACE ({zoned})" if zoned else ""
    return f"{nullable(f'SELECT *{replaced} FROM {accepted}')} ORDER BY record_number"  # noqa: S608 - names are quoted


def rejects_rows(contract: Contract, file: str, run_id: str | None, now: dt.datetime) -> str:
    """The query of the rejects zone, in file order: the texts as normalised, then what is known about the rejection."""
    texts = [f"r.{quoted(column.name)}" for column in contract.columns]
    found = [
        f"CASE WHEN {_has(contract, reason)} THEN {text_literal(reason)} END" for reason in contract.rejecting_reasons
    ]
    reasons = f"string_split(concat_ws('|', {', '.join(found)}), '|') AS reasons"
    rejected = f"SELECT record_number, {reasons} FROM {VERDICTS} WHERE {rejected_rows(contract)}"  # noqa: S608 - names are quoted
    micros = (now - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)
    rows = (
        f"SELECT {', '.join(texts)}, v.reasons[1] AS rejection_reason, v.reasons AS rejection_reasons, r.raw_record, "  # noqa: S608 - names are quoted
        f"r.record_number, {_run_id(run_id)}, make_timestamptz({micros}) AS rejected_at FROM {parquet(file)} AS r "
        f"JOIN ({rejected}) AS v ON r.record_number = v.record_number"
    )
    return f"{nullable(rows)} ORDER BY record_number"


def rejected_rows(contract: Contract) -> str:
    """The condition on `VERDICTS` that is true of rejected rows."""
    rejecting = set(contract.rejecting_reasons)
    sums = [sum(bit for reason, bit in bits if reason in rejecting) for bits in _bits(contract)]
    return " OR ".join(f"m{at} & {bits} <> 0" for at, bits in enumerate(sums) if bits)


def _prepared(contract: Contract, file: str) -> str:
    """A subquery of the records under internal names, with the value of every column that is not text."""
    texts = [f"{quoted(column.name)} AS c{at}" for at, column in enumerate(contract.columns)]
    values = [
        f"{typed(f'c{at}', column.type)} AS v{at}"
        for at, column in enumerate(contract.columns)
        if not isinstance(column.type, Text)
    ]
    read = f"SELECT {', '.join(texts)}, raw_record IS NOT NULL AS malformed, record_number FROM {parquet(file)}"  # noqa: S608 - quoted
    return f"(SELECT {', '.join(['*', *values])} FROM ({read}))"  # noqa: S608 - names of our own


def _bits(contract: Contract) -> list[list[tuple[str, int]]]:
    """For each mask the reasons it holds, each with its bit."""
    reasons = contract.reasons
    starts = range(0, len(reasons), _BITS)
    return [[(reason, 1 << at) for at, reason in enumerate(reasons[start : start + _BITS])] for start in starts]


def _masks(contract: Contract) -> list[str]:
    return [f"m{at}" for at in range(len(_bits(contract)))]


def _place(contract: Contract, reason: str) -> tuple[str, int]:
    at, bit = divmod(contract.reasons.index(reason), _BITS)
    return f"m{at}", 1 << bit


def _has(contract: Contract, reason: str) -> str:
    mask, bit = _place(contract, reason)
    return f"{mask} & {bit} <> 0"


def _values(contract: Contract) -> Mapping[str, str]:
    """Each column's internal name of its value."""
    return {
        column.name: f"c{at}" if isinstance(column.type, Text) else f"v{at}"
        for at, column in enumerate(contract.columns)
    }


def _keys(contract: Contract) -> list[str]:
    """The columns whose values the rules about the whole file look at."""
    names = [
        name
        for rule in contract.rules
        if isinstance(rule.check, checks.Unique)
        for name in (rule.field, *rule.check.others)
    ]
    return list(dict.fromkeys(names))


def _broken(contract: Contract, rule: FieldRule, now: dt.datetime, keys: Keys) -> str | None:
    """Whether a row breaks a rule, as far as the row alone can tell; NULL counts as no. None where no row can."""
    column = contract.column(rule.field)
    text, value = f"c{contract.columns.index(column)}", _values(contract)[rule.field]
    found = []
    if contract.missing_rule(column) is rule:
        found.append(f"{text} IS NULL")
    if contract.untyped_rule(column) is rule and not isinstance(column.type, Text):
        found.append(f"{text} IS NOT NULL AND {value} IS NULL")
    met = _met(contract, rule.check, value, column.type, now, keys)
    if met is not None:
        found.append(f"{value} IS NOT NULL AND NOT {met}")
    return " OR ".join(f"({each})" for each in found) or None


def _met(  # noqa: PLR0911 - one for each check
    contract: Contract, check: checks.Check, value: str, kind: ColumnType, now: dt.datetime, keys: Keys
) -> str | None:
    """Whether a value that is there passes, or None where being there is all that is asked."""
    match check:
        case checks.NotBlank() | checks.Typed() | checks.Unique():
            return None
        case checks.Matches(pattern):
            return f"regexp_matches({value}, {text_literal(patterns.parse(pattern).render('re2'))})"
        case checks.Between(low, high):
            return _between(value, *(None if end is None else literal(end, kind) for end in (low, high)))
        case checks.LengthBetween(low, high):
            return _between(f"length({value})", *(None if end is None else str(end) for end in (low, high)))
        case checks.OneOf(allowed):
            return f"({value} IN ({', '.join(literal(one, kind) for one in allowed)}))"
        case checks.References():
            return _known(value, kind, *keys[check]) if check in keys else None
        case checks.Expression(sql):
            tree = expressions.parse(sql, {column.name: column.type for column in contract.columns})
            return f"coalesce({to_duckdb(tree, _values(contract), now)}, false)"
        case _:
            assert_never(check)


def _known(value: str, kind: ColumnType, files: Sequence[str], column: str) -> str:
    key = f"make_timestamp(epoch_us({quoted(column)}))" if isinstance(kind, Timestamp) else quoted(column)
    return f"({value} IN (SELECT {key} FROM {parquet(*files)} WHERE {quoted(column)} IS NOT NULL))"  # noqa: S608 - quoted


def _between(value: str, low: str | None, high: str | None) -> str:
    ends = [f"{value} >= {low}" if low is not None else "", f"{value} <= {high}" if high is not None else ""]
    return f"({' AND '.join(filter(None, ends)) or 'true'})"


def _repeats_judged(contract: Contract, rule: FieldRule, check: checks.Unique) -> str:
    """The statement that judges a rule about the file: of equal rows that are still accepted, the first stays."""
    keys = [f"k{_keys(contract).index(name)}" for name in (rule.field, *check.others)]
    accepted = f"NOT ({rejected_rows(contract)})"
    takes_part = " AND ".join([accepted, *(f"{key} IS NOT NULL" for key in keys)])
    mask, bit = _place(contract, rule.reason)
    # Only the few keys that are there twice are joined, not sorted windows of all.
    twice = (
        f"SELECT {', '.join(keys)}, min(record_number) AS first FROM {VERDICTS} "  # noqa: S608 - names of our own
        f"WHERE {takes_part} GROUP BY {', '.join(keys)} HAVING count(*) > 1"
    )
    same = " AND ".join(f"{VERDICTS}.{key} = twice.{key}" for key in keys)
    return (
        f"UPDATE {VERDICTS} SET {mask} = {mask} | {bit} FROM ({twice}) AS twice "  # noqa: S608 - names of our own
        f"WHERE {accepted} AND {same} AND record_number > first"
    )


def _surrogate(contract: Contract, key: SurrogateKey) -> str:
    names = [column.name for column in contract.columns]
    texts = ", ".join(f"c{names.index(source)}" for source in key.sources)
    return f"md5(concat_ws({text_literal(key.separator)}, {texts})) AS {quoted(key.name)}"


def _run_id(run_id: str | None) -> str:
    return f"CAST({'NULL' if run_id is None else text_literal(run_id)} AS VARCHAR) AS run_id"
