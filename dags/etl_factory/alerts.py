"""Telling a contract's owner, from the DAG's callbacks. `ROWGATE_ALERTS` says where: a secret, never logged."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from structlog.contextvars import bound_contextvars

from etl_factory.work import lake_of, settings
from rowgate.errors import RowgateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rowgate.contract.model import Contract
    from rowgate.stages.report import Report

log = logging.getLogger("rowgate.alerts")


def when_it_fails(contract: Contract) -> Callable[[Any], None]:
    """The callback of a contract's DAG: Airflow calls it once for each run that fails."""

    def tell_owner(context: Any) -> None:
        from rowgate.stages.messages import about_run  # noqa: PLC0415 - for callbacks, not for parsing

        instance = context.get("ti")
        run_id = context["run_id"] if "run_id" in context else context["dag_run"].run_id
        with bound_contextvars(contract=contract.name, run_id=run_id):
            message = about_run(
                contract.name, run_id, _report(contract, run_id), instance.task_id if instance is not None else None
            )
            tell(contract.owner, message.title, message.body)

    return tell_owner


def tell(owner: str, title: str, body: str) -> bool:
    """Tell an owner, or the log where no address is configured or takes it. Whether somebody was reached."""
    from rowgate.adapters import alerts  # noqa: PLC0415 - for callbacks, not for parsing

    try:
        urls = alerts.addresses(os.environ.get("ROWGATE_ALERTS", ""), owner)
    except RowgateError as error:
        log.error("%s", error)  # noqa: TRY400 - one sentence, no traceback
        urls = ()
    told = alerts.tell(urls, title, body)
    if not urls:
        log.warning("ROWGATE_ALERTS has no address for %s, who would be told: %s. %s", owner, title, _line(body))
    elif told.reached < told.of:
        log.warning("%d of %d addresses of %s took the alert: %s. %s", told.reached, told.of, owner, title, _line(body))
    return told.reached > 0


def _report(contract: Contract, run_id: str) -> Report | None:
    """The run's report, found by its id alone: Airflow does not always tell a callback when the run was."""
    from rowgate.stages.report import parse_report  # noqa: PLC0415
    from rowgate.stages.run import path_id  # noqa: PLC0415

    try:
        lake = lake_of(settings())
        name = f"/{path_id(run_id)}.json"
        key = next((key for key in reversed(lake.list(f"quality/{contract.name}")) if key.endswith(name)), None)
        return parse_report(lake.read_bytes(key)) if key else None
    except RowgateError as error:
        log.warning("The alert about %s goes without its report: %s", run_id, error)
        return None


def _line(body: str) -> str:
    return " ".join(body.splitlines())
