"""The PromQL of the dashboards: what several panels ask for.

Gauges and counters have the names of `monitoring/statsd_mapping.yml`; names with a colon are kept by the rules in
`monitoring/alerts/`, those with `rowgate_contract_` say what the contracts promise. A series is asked for by the labels
that are meant: Airflow sends a metric in up to two forms, and every server adds labels of its own.
"""

CHOSEN = 'contract="$contract"'
"""The contract that is looked at."""

LAST_GOOD = "max by (contract) (contract:airflow_dq_last_good_run_timestamp_seconds:max)"
"""When each contract's last good run ended (passed and loaded), in seconds since 1970."""

AGE = f"time() - {LAST_GOOD}"
"""Seconds since each contract's last good run."""

PROMISE_USED = f"({AGE}) / on (contract) max by (contract) (rowgate_contract_freshness_seconds)"
"""The share of the promised freshness that has gone by, for the contracts that promise one; over 1 is late."""


def of_chosen(expression: str) -> str:
    """What an expression with the label `contract` has of the chosen contract."""
    return f"({expression}) and on (contract) max by (contract) (rowgate_contract_info{{{CHOSEN}}})"


def rows(outcome: str) -> str:
    """The chosen contract's rows with an outcome (total, accepted, rejected, ...) in its last run."""
    return f'max by (contract) (airflow_dq_rows{{{CHOSEN}, outcome="{outcome}"}})'


def by_reason(figure: str) -> str:
    """Rows of the chosen contract's last run by reason; the figure is `rejected`, `violations` or `warnings`."""
    return f"max by (contract, reason) (airflow_dq_{figure}_by_reason{{{CHOSEN}}})"


def share_of_reason() -> str:
    """Rows by first reason as a share of all rows of the last run, 0 to 1; nothing where there were no rows."""
    return f"{by_reason('rejected')} / on (contract) group_left () ({rows('total')} > 0)"


def change_of_reason() -> str:
    """By how much a reason's share differs from the good run before the last run; nothing before the second run."""
    kept = "contract_reason:airflow_dq_rejected_share:past"
    newest, before = (f'max by (contract, reason) ({kept}{{{CHOSEN}, run="{run}"}})' for run in (1, 2))
    last = f"max by (contract) (airflow_dq_last_run_timestamp_seconds{{{CHOSEN}}})"
    # A run that stopped, or is not loaded yet, is not on the rules' shelf: there the one before it is the first.
    return (
        f"{share_of_reason()} - on (contract, reason) (({newest} and on (contract) {last} > {LAST_GOOD}) or {before})"
    )


def grew(series: str, window: str) -> str:
    """By how much a counter grew in a window.

    A counter of the StatsD exporter begins with its first event, not with 0, so that `increase` misses that one: a
    series that is younger than the window counts in full.
    """
    return f"(({series} unless {series} offset {window}) or increase({series}[{window}]))"
