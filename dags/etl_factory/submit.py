"""The task that judges: a spark-submit to wherever `spark_default` points, or DuckDB in the task's own process."""

import re
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk.exceptions import AirflowException

from etl_factory.work import PROJECT, Work, announce, clock, work
from rowgate.errors import BreachError, RowgateError, UnusableError
from rowgate.stages.report import Report

DRIVER_OPTIONS = "-Xss64m"
"""Java's regular expressions recurse on a repeated group; a stack of the usual size ends the driver on a long value."""

_SENTENCE = re.compile(r"^rowgate: (.+)$", re.MULTILINE)
_KILLED = re.compile(r"Error code is: -(\d+)\.")
_LASTING = "Error code is: 3."  # scripts/transform.py ends with 3 when trying again changes nothing


class TransformOperator(SparkSubmitOperator):
    """Judge a run's records with the engine its parameter names, then read the report and act on it."""

    def __init__(self, *, contract_name: str, **kwargs: Any) -> None:
        super().__init__(
            application=str(PROJECT / "scripts" / "transform.py"),
            conn_id="spark_default",
            name=f"rowgate-{contract_name}",
            conf={"spark.driver.defaultJavaOptions": DRIVER_OPTIONS},
            **kwargs,
        )
        self.contract_name = contract_name

    def execute(self, context: Any) -> None:
        """Judge the run's records.

        Raises:
            AirflowFailException: the contract stopped the load, or a setting is wrong.
            AirflowException: Spark failed; the first line says how.
        """
        from rowgate.adapters.lake import open_lake  # noqa: PLC0415 - for tasks, not for parsing
        from rowgate.stages.report import parse_report  # noqa: PLC0415

        with work(self.contract_name, context) as at_work:
            if at_work.params.get("engine") == "duckdb":
                _judge_here(at_work)
            else:
                self._submit(at_work, context)
            report = parse_report(open_lake(at_work.settings.lake).read_bytes(at_work.run.report))
            announce(report)
            at_work.done.update(reported=True)
            if report.outcome == "stopped":
                raise _breach(report)

    def _submit(self, at_work: Work, context: Any) -> None:
        self.application_args = _arguments(at_work)
        try:
            super().execute(context)
        except AirflowException as error:
            raise _plain(str(error)) from None


def _judge_here(at_work: Work) -> None:
    from rowgate.adapters.lake import open_lake  # noqa: PLC0415 - for tasks, not for parsing
    from rowgate.stages.judge_duckdb import transform_duckdb  # noqa: PLC0415

    lake = open_lake(at_work.settings.lake)
    transform_duckdb(at_work.contract, at_work.run, lake, now=at_work.run.run_after, clock=clock)


def _arguments(at_work: Work) -> list[str]:
    run = at_work.run
    named = {
        "project": str(at_work.settings.project),
        "contract": run.contract,
        "lake": at_work.settings.lake,
        "run-id": run.run_id,
        "run-after": run.run_after.isoformat(),
        "now": run.run_after.isoformat(),  # so that a task tried again judges by the same clock
    }
    return [f"--{name}={value}" for name, value in named.items()]  # one word: a run id may begin with a dash


def _breach(report: Report) -> BreachError:
    first, *others = (breach.rstrip(".") for breach in report.breaches)
    more = f"; its report has {len(others)} more {'breach' if len(others) == 1 else 'breaches'}" if others else ""
    error = BreachError(f"The contract {report.contract} stopped the load: {first[:1].lower()}{first[1:]}{more}.")
    error.lines = tuple(report.breaches) if others else ()
    return error


def _plain(submitted: str) -> RowgateError:
    """The sentence that the script printed, or that Spark never came so far."""
    said, killed = _SENTENCE.findall(submitted), _KILLED.search(submitted)
    if said:
        sentence = said[-1]
    elif killed:
        sentence = (
            f"Spark was ended from outside by signal {killed[1]}, as when the machine runs out of memory; make room "
            "and run it again."
        )
    else:
        sentence = "Spark ended before it could say why; the end of its output in the log does."
    return UnusableError(sentence) if _LASTING in submitted else RowgateError(sentence)
