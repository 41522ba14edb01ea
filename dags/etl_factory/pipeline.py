"""The factory: the five tasks of a contract's DAG, wired to the stages. It holds no logic of its own."""

import os
from datetime import timedelta
from functools import partial
from typing import Any

from airflow.sdk import DAG, Asset, Param, chain, task
from airflow.sdk.exceptions import AirflowFailException

from etl_factory.alerts import when_it_fails
from etl_factory.lineage import StageOperator
from etl_factory.submit import TransformOperator
from etl_factory.tasks import enter, load, run_dbt, test_dbt
from rowgate.contract.model import Contract
from rowgate.stages.generate import GENERATED

RETRIES = int(os.environ.get("ROWGATE_RETRIES", "2"))
"""How often a task is tried again after what may heal. `rowgate run` asks for none: a person is waiting."""

DOC = """
### {name} {version}

{description}

Owner: **{owner}**. Policy: **{policy}**.

`{first}` brings a file into the lake, `transform` judges its records against the contract, `load` upserts the accepted
ones into `warehouse.{name}`, `dbt_run` builds the marts in a candidate schema, and `dbt_test` tests them there and
swaps them in when they are green. A rejected record lies under `rejects/{name}/` with every rule it broke.

| column | rule | reason |
|---|---|---|
{rules}
"""


def build(contract: Contract) -> DAG:
    """The DAG `<contract>_etl`."""
    generated = contract.name in GENERATED
    with DAG(
        dag_id=f"{contract.name}_etl",
        description=f"{contract.name}: from a file to tested marts, judged by its contract.",
        doc_md=_doc(contract, "generate" if generated else "ingest"),
        schedule=None,
        catchup=False,
        max_active_runs=1,
        params=_params(generated=generated),
        tags=["rowgate", contract.owner],
        on_failure_callback=when_it_fails(contract),
        default_args={
            "owner": contract.owner,
            "retries": RETRIES,
            "retry_delay": timedelta(seconds=30),
            "retry_exponential_backoff": 2.0,
            "max_retry_delay": timedelta(minutes=10),
        },
    ) as dag:
        stage = partial(StageOperator, contract_name=contract.name)
        chain(
            stage(python_callable=enter, task_id="generate" if generated else "ingest"),
            TransformOperator(contract_name=contract.name, task_id="transform"),
            stage(python_callable=load, task_id="load", outlets=[warehouse_table(contract)]),
            stage(python_callable=run_dbt, task_id="dbt_run"),
            stage(python_callable=test_dbt, task_id="dbt_test"),
        )
    return dag


def broken(name: str, sentence: str) -> DAG:
    """A DAG in the place of one whose contract cannot be used: its page and its only task say why."""

    def say() -> None:
        raise AirflowFailException(sentence)

    with DAG(
        dag_id=f"{name}_etl", description=sentence, doc_md=sentence, schedule=None, tags=["rowgate", "broken"]
    ) as dag:
        task(say, task_id="contract")()
    return dag


def warehouse_table(contract: Contract) -> Asset:
    """The asset that other DAGs can be scheduled on: `rowgate://warehouse/<contract>`, new after each load."""
    return Asset(name=f"warehouse.{contract.name}", uri=f"rowgate://warehouse/{contract.name}", group="rowgate")


def _params(*, generated: bool) -> dict[str, Any]:
    source = Param(
        None,
        type=["null", "string"],
        title="Source",
        description="A CSV file (also gzip) on the worker's disk, or a key in the lake. "
        + ("Empty: generate one." if generated else "Empty: the oldest new file in the landing folder."),
    )
    engine = Param(
        "spark",
        enum=["spark", "duckdb"],
        title="Engine",
        description="What judges: Spark, where spark_default points, or DuckDB in the task itself.",
    )
    if not generated:
        return {"source": source, "engine": engine}
    return {
        "rows": Param(
            1000, type="integer", minimum=0, maximum=100_000_000, title="Rows", description="Rows to generate."
        ),
        "seed": Param(
            None,
            type=["null", "integer"],
            title="Seed",
            description="The same seed gives the same file. Empty: a seed made from the run's id.",
        ),
        "source": source,
        "engine": engine,
    }


def _doc(contract: Contract, first: str) -> str:
    rules = "\n".join(f"| `{rule.field}` | {rule.description or '-'} | `{rule.reason}` |" for rule in contract.rules)
    return DOC.format(
        name=contract.name,
        version=contract.version,
        description=contract.description,
        owner=contract.owner,
        policy=contract.policy.value,
        first=first,
        rules=rules,
    )
