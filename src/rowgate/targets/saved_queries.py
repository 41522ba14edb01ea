"""The questions that are asked of every contract's tables, saved as queries in Athena's SQL (plain Trino).

Each looks at the last thirty days, which it says with `dt`, so that older folders are not read.
"""

from dataclasses import dataclass

from rowgate.contract.model import Contract, NaturalKey
from rowgate.targets import names

DAYS = 30
"""How far back the queries look."""

_SINCE = f"date_format(current_date - INTERVAL '{DAYS}' DAY, '%Y-%m-%d')"
_SAMPLE = 100


@dataclass(frozen=True)
class SavedQuery:
    """A named query.

    Attributes:
        name: begins with the contract's.
        description: one sentence.
        sql: Athena's SQL, without a semicolon; each `?` takes a value, a text.
        asks: what each value is, in words.
    """

    name: str
    description: str
    sql: str
    asks: tuple[str, ...] = ()


def of_contract(contract: Contract) -> tuple[SavedQuery, ...]:
    """The saved queries of a contract.

    Raises:
        ContractError: Athena cannot have a column of that name, or two would have one name.
    """
    return (
        _rejections_by_reason(contract.name),
        _rejections_by_day(contract.name),
        _accept_rate(contract.name),
        _trend_by_source(contract.name),
        _rejected_records(contract.name),
        _raw_sample(contract.name),
        _several_rules(contract.name, _identifier(contract)),
        _why_not_loaded(contract.name, _identifier(contract)),
    )


def _identifier(contract: Contract) -> str:
    """The column by which people name a record, quoted: the first of the natural key, or of the file."""
    key = contract.key
    column = key.columns[0] if isinstance(key, NaturalKey) else contract.columns[0].name
    return f'"{names.athena(contract)[column]}"'


def _rejections_by_reason(name: str) -> SavedQuery:
    return SavedQuery(
        f"{name}_rejections_by_reason",
        f"Records of {name} that each rule stopped in the last {DAYS} days: as the first they broke, and in all.",
        f"""\
SELECT reason, count_if(reason = rejection_reason) AS stopped_first, count(*) AS broken_in_all
FROM {name}_rejects
CROSS JOIN UNNEST(rejection_reasons) AS each_of (reason)
WHERE dt >= {_SINCE}
GROUP BY reason
ORDER BY stopped_first DESC, broken_in_all DESC, reason""",  # noqa: S608 - a contract's name is [a-z0-9_]
    )


def _rejections_by_day(name: str) -> SavedQuery:
    return SavedQuery(
        f"{name}_rejections_by_day",
        f"Rejected records of {name} by day and first reason, from the reports of the last {DAYS} days.",
        f"""\
SELECT dt, reason, sum(rows_stopped) AS rejected
FROM {name}_quality
CROSS JOIN UNNEST(rejected_by_reason) AS each_of (reason, rows_stopped)
WHERE dt >= {_SINCE}
GROUP BY dt, reason
HAVING sum(rows_stopped) > 0
ORDER BY dt DESC, rejected DESC, reason""",  # noqa: S608 - a contract's name is [a-z0-9_]
    )


def _accept_rate(name: str) -> SavedQuery:
    return SavedQuery(
        f"{name}_accept_rate_over_time",
        f"Runs, records and accept rate of {name} by day, of the last {DAYS} days.",
        f"""\
SELECT dt, count(*) AS runs, count_if(outcome = 'stopped') AS stopped, sum(total) AS total,
    sum(accepted) AS accepted, sum(rejected) AS rejected,
    CAST(sum(accepted) AS double) / nullif(sum(total), 0) AS accept_rate
FROM {name}_quality
WHERE dt >= {_SINCE}
GROUP BY dt
ORDER BY dt DESC""",  # noqa: S608 - a contract's name is [a-z0-9_]
    )


def _trend_by_source(name: str) -> SavedQuery:
    return SavedQuery(
        f"{name}_trend_by_source",
        f"What became of the files of {name} by where they came from, day by day, in the last {DAYS} days.",
        f"""\
SELECT source, dt, sum(total) AS total, sum(rejected) AS rejected,
    CAST(sum(accepted) AS double) / nullif(sum(total), 0) AS accept_rate,
    CAST(sum(accepted) AS double) / nullif(sum(total), 0)
        - lag(CAST(sum(accepted) AS double) / nullif(sum(total), 0)) OVER (PARTITION BY source ORDER BY dt) AS change
FROM {name}_quality
WHERE dt >= {_SINCE}
GROUP BY source, dt
ORDER BY source, dt DESC""",  # noqa: S608 - a contract's name is [a-z0-9_]
    )


def _rejected_records(name: str) -> SavedQuery:
    return SavedQuery(
        f"{name}_rejected_records",
        f"The records of {name} rejected for one reason in the last {DAYS} days, the newest first; with personal data.",
        f"""\
SELECT *
FROM {name}_rejects
WHERE dt >= {_SINCE} AND rejection_reason = ?
ORDER BY dt DESC, run_id DESC, record_number
LIMIT 1000""",  # noqa: S608 - a contract's name is [a-z0-9_]
        ("the reason",),
    )


def _raw_sample(name: str) -> SavedQuery:
    return SavedQuery(
        f"{name}_raw_sample",
        f"The first {_SAMPLE} records of the newest files of {name}, good and bad, as text; with personal data.",
        f"""\
SELECT *
FROM {name}_records
WHERE dt >= {_SINCE}
ORDER BY dt DESC, run_id DESC, record_number
LIMIT {_SAMPLE}""",  # noqa: S608 - a contract's name is [a-z0-9_]
    )


def _several_rules(name: str, identifier: str) -> SavedQuery:
    return SavedQuery(
        f"{name}_broke_several_rules",
        f"The records of {name} that broke more than one rule in the last {DAYS} days, the worst first.",
        f"""\
SELECT dt, run_id, record_number, {identifier}, cardinality(rejection_reasons) AS rules_broken,
    array_join(rejection_reasons, ', ') AS reasons
FROM {name}_rejects
WHERE dt >= {_SINCE} AND cardinality(rejection_reasons) > 1
ORDER BY rules_broken DESC, dt DESC, run_id, record_number
LIMIT 1000""",  # noqa: S608 - a contract's name is [a-z0-9_], a column is quoted
    )


def _why_not_loaded(name: str, identifier: str) -> SavedQuery:
    return SavedQuery(
        f"{name}_why_not_in_warehouse",
        f"What became of the records of {name} with one {identifier.strip(chr(34))}, in the last {DAYS} days: "
        "a malformed record is found by a part of its text.",
        f"""\
WITH wanted AS (
    SELECT CAST(? AS varchar) AS value
),
found AS (
    SELECT records.dt, records.run_id, records.record_number
    FROM {name}_records AS records
    CROSS JOIN wanted
    WHERE records.dt >= {_SINCE}
        AND (records.{identifier} = wanted.value OR strpos(records.raw_record, wanted.value) > 0)
)
SELECT found.dt, found.run_id, found.record_number,
    CASE
        WHEN rejects.record_number IS NOT NULL THEN 'rejected'
        WHEN quality.outcome IS NULL THEN 'not judged yet'
        WHEN quality.outcome = 'stopped' THEN 'accepted, but the run was stopped'
        WHEN quality.inserted IS NULL THEN 'accepted, not loaded yet'
        ELSE 'accepted and loaded'
    END AS outcome,
    array_join(rejects.rejection_reasons, ', ') AS reasons,
    array_join(quality.breaches, ' ') AS why_stopped
FROM found
LEFT JOIN {name}_rejects AS rejects
    ON rejects.dt = found.dt AND rejects.run_id = found.run_id AND rejects.record_number = found.record_number
    AND rejects.dt >= {_SINCE}
LEFT JOIN {name}_quality AS quality
    ON quality.dt = found.dt AND quality.run_id = found.run_id AND quality.dt >= {_SINCE}
ORDER BY found.dt DESC, found.run_id DESC, found.record_number""",  # noqa: S608 - a contract's name is [a-z0-9_], a column is quoted
        (f"the {identifier.strip(chr(34))}",),
    )
