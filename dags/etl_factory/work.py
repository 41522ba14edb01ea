"""What every task needs: its run, its contract, its clients, and a plain sentence when it fails."""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airflow.sdk import conf, get_current_context
from airflow.sdk.exceptions import AirflowException, AirflowFailException
from structlog import get_logger
from structlog.contextvars import bind_contextvars

from rowgate.contract import catalog
from rowgate.contract.model import Contract
from rowgate.errors import BreachError, ReconciliationError, RowgateError, UnusableError
from rowgate.settings import Settings, read_settings
from rowgate.stages.report import Report
from rowgate.stages.run import Run

if TYPE_CHECKING:
    import boto3

    from rowgate.adapters.aws import Aws
    from rowgate.adapters.lake import Lake

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

    @property
    def on_s3(self) -> bool:
        """Whether the lake is on S3."""
        return _on_s3(self.settings)


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
    # Not undone when the task ends: Airflow's own line about how it ended is to carry them as well.
    bind_contextvars(contract=contract_name, run_id=context["dag_run"].run_id)
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
    get_logger("rowgate.tasks").info(f"The task {task} is done", **done)


def announce(report: Report) -> None:
    """Put a report into the task's log, and send its figures to where Airflow itself sends its metrics, if it does."""
    from rowgate.adapters.metrics import StatsdAddress, gauges, send  # noqa: PLC0415 - for tasks, not for parsing

    log.info("Report: %s", report.to_json())
    if conf.getboolean("metrics", "statsd_on", fallback=False):
        address = StatsdAddress(conf.get("metrics", "statsd_host"), conf.getint("metrics", "statsd_port"))
        send(address, gauges(report.to_dict()))


def lake_of(places: Settings) -> "Lake":
    """The project's lake; one on S3 is reached as the connection `aws_default` says.

    Raises:
        UnusableError: the lake's address, or the connection, cannot be used.
    """
    from rowgate.adapters.lake import open_lake  # noqa: PLC0415 - for tasks, not for parsing

    if not _on_s3(places):
        return open_lake(places.lake)
    session, aws = _aws_default()
    return open_lake(places.lake, session, aws.endpoint or None)


def aws(at_work: Work) -> "Aws":
    """Who a task is to AWS, for a child process's environment; nobody where the lake is not on S3.

    Keys that the connection names, or that a role it names gave, stand in it; where the connection names neither, the
    child finds its own as this process does: in the environment, or by the machine's role.

    Raises:
        UnusableError: the connection cannot be used.
    """
    from rowgate.adapters.aws import Aws  # noqa: PLC0415 - for tasks, not for parsing

    return _aws_default()[1] if at_work.on_s3 else Aws()


def _on_s3(places: Settings) -> bool:
    return places.lake.startswith("s3://")


def _aws_default() -> "tuple[boto3.Session, Aws]":
    from airflow.providers.amazon.aws.hooks.base_aws import AwsBaseHook  # noqa: PLC0415 - takes a second

    from rowgate.adapters.aws import Aws, told  # noqa: PLC0415 - for tasks, not for parsing

    with told("reached", "AWS"):
        hook = AwsBaseHook("aws_default", client_type="s3")
        try:
            found = hook.conn_config
            session = hook.get_session()
        except AirflowException as error:
            raise UnusableError(
                f"The connection aws_default cannot be used ({type(error).__name__}); correct its extra."
            ) from None
        endpoint = found.get_service_endpoint_url("s3") or ""
        region = session.region_name or ""
        if not (found.aws_access_key_id or found.role_arn or found.profile_name):
            return session, Aws(region=region, endpoint=endpoint)
        keys = session.get_credentials()
        if keys is None:
            raise UnusableError("The profile that the connection aws_default names has no keys; name another.")
        keys = keys.get_frozen_credentials()
    return session, Aws(keys.access_key, keys.secret_key, keys.token or "", region, endpoint)


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
