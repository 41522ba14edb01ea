"""What the tasks tell OpenLineage: Airflow's provider asks for it, once that is configured."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from airflow.providers.standard.operators.python import PythonOperator

if TYPE_CHECKING:
    from airflow.providers.openlineage.extractors import OperatorLineage

log = logging.getLogger("rowgate.lineage")


class TellsLineage:
    """An operator of a contract's DAG, whose datasets OpenLineage's provider asks for when the task has ended."""

    contract_name: str
    task_id: str

    def get_openlineage_facets_on_complete(self, task_instance: Any) -> OperatorLineage | None:
        """The datasets that the task read and wrote, with their facets; also of a task that failed.

        They come from the contract, the report and the manifest, and so hold names and counts, never a row's values.
        """
        from etl_factory.lineage_facets import lineage_of  # noqa: PLC0415 - OpenLineage's client, where it is asked for
        from rowgate.errors import RowgateError  # noqa: PLC0415

        run = task_instance.get_template_context()["dag_run"]
        try:
            return lineage_of(self.contract_name, self.task_id, run.run_id, run.run_after)
        except RowgateError as error:
            log.warning("OpenLineage is told of no datasets: %s", error)
            return None


class StageOperator(TellsLineage, PythonOperator):
    """A task of a contract's DAG that calls a function of `etl_factory.tasks` with the contract's name."""

    def __init__(self, *, contract_name: str, **kwargs: Any) -> None:
        super().__init__(op_args=[contract_name], **kwargs)
        self.contract_name = contract_name
