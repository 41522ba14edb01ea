"""What every task needs: its run, its contract, its clients, and a plain sentence when it fails."""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from airflow.sdk import conf, get_current_context
from airflow.sdk.exceptions import AirflowException, AirflowFailException

from rowgate.contract import catalog
from rowgate.contract.model import Contract
from rowgate.errors import BreachError, ReconciliationError, RowgateError, UnusableError
from rowgate.settings import Settings, read_settings
from rowgate.stages.report import Report
from rowgate.stages.run import Run

PROJECT = Path(__file__).parents[2]

log = logging.getLogger("rowgate.tasks")


def settings() -> Settings:
    """The project's places, as this process's environment says."""
    return read_settings(PROJECT, os.environ)


def clock() -> datetime:
    """Now, aware."""
    return datetime.now(UTC)


@dataclass
class Work:
    """One task's run and contract. `done` takes what the person who waits is told."""

    contract: Contract
    run: Run
    params: dict[str, Any]
    settings: Settings
    done: dict[str, Any]


@contextmanager
def work(contract_name: str, context: Any = None) -> Iterator[Work]:
    """Do a task's work, and end it as Airflow should see it.

    Raises:
        AirflowFailException: a breach, a wrong setting or numbers that do not add up: trying again changes nothing.
        AirflowException: another thing that a `RowgateError` says; the task is tried again.
    """
    context = context or get_current_context()
    task = context["ti"].task_id
    places = settings()
    _tell(context, task, "running")
    done: dict[str, Any] = {}
    try:
        contract = catalog.find(contract_name, places.contracts)
        run = Run(contract.name, context["dag_run"].run_id, context["dag_run"].run_after)
        yield Work(contract, run, dict(context["params"]), places, done)
    except RowgateError as error:
        lasting = isinstance(error, BreachError | UnusableError | ReconciliationError)
        _tell(context, task, "failed", sentence=str(error), lines=error.lines, **done)
        raise (AirflowFailException if lasting else AirflowException)(str(error)) from None
    except BaseException as error:
        _tell(
            context,
            task,
            "failed",
            sentence=f"The task {task} ended with {type(error).__name__}; its log has the cause.",
        )
        raise
    _tell(context, task, "success", **done)


def announce(report: Report) -> None:
    """Put a report into the task's log, and send its figures to where Airflow itself sends its metrics, if it does."""
    from rowgate.adapters.metrics import StatsdAddress, gauges, send  # noqa: PLC0415 - for tasks, not for parsing

    log.info("Report: %s", report.to_json())
    if conf.getboolean("metrics", "statsd_on", fallback=False):
        address = StatsdAddress(conf.get("metrics", "statsd_host"), conf.getint("metrics", "statsd_port"))
        send(address, gauges(report.to_dict()))


def _run(context: Any) -> dict[str, str]:
    run = context["dag_run"]
    return {"run_id": run.run_id, "run_after": run.run_after.isoformat()}


def _tell(context: Any, task: str, state: str, **details: Any) -> None:
    """Append a line to the file that `rowgate run` watches, when it does."""
    file = os.environ.get("ROWGATE_EVENTS")
    if not file:
        return
    event = {"task": task, "state": state, "at": clock().isoformat(), **_run(context), **details}
    with Path(file).open("a", encoding="utf-8") as events:
        events.write(json.dumps(event) + "\n")
