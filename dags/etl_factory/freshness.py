"""The check of every contract's freshness, as a DAG of one task: an alert, never a gate."""

import logging
import os
from datetime import timedelta

import pendulum
from airflow.sdk import DAG, task
from airflow.sdk.exceptions import AirflowException
from structlog.contextvars import bind_contextvars, unbind_contextvars

from etl_factory.work import clock, lake_of, settings

log = logging.getLogger("rowgate.freshness")

DOC = """
### Freshness

Once an hour, looks at each contract that promises a `freshness`, and tells its owner when its last good run (passed and
loaded) is longer ago than that: once, until there is a good run again. It loads nothing and stops nothing.
"""


def build() -> DAG:
    """The DAG `rowgate_freshness`."""
    with DAG(
        dag_id="rowgate_freshness",
        description="Tells owners whose last good run is longer ago than their contract promises.",
        doc_md=DOC,
        schedule="@hourly",
        start_date=pendulum.datetime(2026, 1, 1, tz="UTC"),
        catchup=False,
        max_active_runs=1,
        tags=["rowgate"],
        default_args={"retries": int(os.environ.get("ROWGATE_RETRIES", "2")), "retry_delay": timedelta(seconds=30)},
    ) as dag:
        task(look, task_id="look")()
    return dag


def look() -> list[str]:
    """Tell each owner of a stale contract once. The names of the contracts that are stale.

    Raises:
        AirflowException: the lake cannot be reached, or a contract's reports could not be read; the others were looked
            at.
    """
    from etl_factory.alerts import tell  # noqa: PLC0415 - for tasks, not for parsing
    from rowgate.contract import catalog  # noqa: PLC0415
    from rowgate.errors import RowgateError  # noqa: PLC0415
    from rowgate.stages.freshness import Memory, stale  # noqa: PLC0415

    places, found, failed = settings(), list[str](), list[str]()
    try:
        lake, memory = lake_of(places), Memory(places.state / "freshness.json")
    except RowgateError as error:
        raise AirflowException(str(error)) from None
    for name in catalog.names(places.contracts):
        bind_contextvars(contract=name)  # what is logged until the next one is about this one
        try:
            contract = catalog.find(name, places.contracts)
            late = stale(contract, lake, clock())
        except RowgateError as error:
            log.error("%s", error)  # noqa: TRY400 - one sentence, no traceback
            failed.append(name)
            continue
        if late is None:
            continue
        found.append(contract.name)
        if not memory.knows(late) and tell(contract.owner, f"{contract.name}: the source is stale", late.sentence):
            memory.remember(late)
    unbind_contextvars("contract")
    if failed:
        raise AirflowException(f"The freshness of {', '.join(failed)} could not be looked at; the log says why.")
    return found
