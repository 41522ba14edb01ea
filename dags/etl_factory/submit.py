"""The task that judges: a spark-submit to wherever `spark_default` points, or DuckDB in the task's own process."""

import os
import re
from functools import partial
from pathlib import Path
from typing import Any

from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
from airflow.sdk.exceptions import AirflowException

from etl_factory.lineage import TellsLineage
from etl_factory.work import PROJECT, Work, announce, aws, clock, lake_of, work
from rowgate.errors import BreachError, RowgateError, UnusableError
from rowgate.stages.report import Report

DRIVER_OPTIONS = "-Xss64m"
"""Java's regular expressions recurse on a repeated group; a stack of the usual size ends the driver on a long value."""

_HERE = "127.0.0.1"  # what `rowgate run` sets, for a driver that nobody else calls
_SENTENCE = re.compile(r"^rowgate: (.+)$", re.MULTILINE)
_KILLED = re.compile(r"Error code is: -(\d+)\.")
_LASTING = "Error code is: 3."  # scripts/transform.py ends with 3 when trying again changes nothing


class TransformOperator(TellsLineage, SparkSubmitOperator):
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
        from rowgate.stages.report import parse_report  # noqa: PLC0415

        with work(self.contract_name, context) as at_work:
            if at_work.params.get("engine") == "duckdb":
                _judge_here(at_work)
            else:
                self._submit(at_work, context)
            report = parse_report(lake_of(at_work.settings).read_bytes(at_work.run.report))
            announce(report)
            at_work.done.update(reported=True)
            if report.outcome == "stopped":
                raise _breach(report)

    def _submit(self, at_work: Work, context: Any) -> None:
        self.application_args = _arguments(at_work)
        self.driver_class_path = ":".join(_jars(at_work)) or None
        hook = self._hook = self._get_hook()
        # Not the operator's env_vars: they are rendered for Airflow's page, and a --conf on YARN and Kubernetes.
        hook.submit = partial(hook.submit, env=_environment(at_work, hook._connection["master"]))  # noqa: SLF001 - the hook tells it in no other way
        try:
            super().execute(context)
        except AirflowException as error:
            raise _plain(str(error)) from None


def _judge_here(at_work: Work) -> None:
    from rowgate.stages.judge_duckdb import transform_duckdb  # noqa: PLC0415

    lake = lake_of(at_work.settings)
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
    if _jars(at_work):
        named["jars"] = str(_folder())
    return [f"--{name}={value}" for name, value in named.items()]  # one word: a run id may begin with a dash


def _folder() -> Path:
    return Path(os.environ.get("ROWGATE_JARS") or PROJECT / ".rowgate" / "jars") / "s3"


def _jars(at_work: Work) -> list[str]:
    """What Spark lacks for a lake on S3. Where `make jars` brought nothing, Spark has its own, or says so."""
    from rowgate.stages.spark_s3 import s3_jars  # noqa: PLC0415 - for tasks, not for parsing

    return s3_jars(_folder()) if at_work.on_s3 else []


def _environment(at_work: Work, master: str) -> dict[str, str]:
    """The whole environment of spark-submit, keys included."""
    environment = dict(os.environ)
    if not master.startswith("local") and environment.get("SPARK_LOCAL_IP") == _HERE:
        del environment["SPARK_LOCAL_IP"]  # executors on other machines could not reach the driver
    if at_work.on_s3:
        environment |= aws(at_work).environment()
    return environment


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
