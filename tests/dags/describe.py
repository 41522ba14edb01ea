"""Parse the DAG folder as Airflow does, and print what is in it as JSON."""

import json
import sys
from pathlib import Path

from airflow.dag_processing.dagbag import BundleDagBag

folder = Path(sys.argv[1])
HEAVY = {"pyspark", "pyarrow", "psycopg2", "faker", "duckdb"}
before = HEAVY & set(sys.modules)
bag = BundleDagBag(folder, bundle_path=folder, bundle_name="dags")
print(
    json.dumps(
        {
            "errors": bag.import_errors,
            "seconds": {stats.file: stats.duration.total_seconds() for stats in bag.dagbag_stats},
            "modules": sorted(HEAVY & set(sys.modules) - before),
            "dags": {
                dag.dag_id: {
                    "edges": sorted([task.task_id, after] for task in dag.tasks for after in task.downstream_task_ids),
                    "tasks": [task.task_id for task in dag.tasks],
                    "schedule": dag.schedule,
                    "catchup": dag.catchup,
                    "max_active_runs": dag.max_active_runs,
                    "doc": dag.doc_md,
                    "params": {name: param.schema | {"default": param.value} for name, param in dag.params.items()},
                    "owner": sorted({task.owner for task in dag.tasks}),
                    "retries": sorted({task.retries for task in dag.tasks}),
                    "backoff": sorted({float(task.retry_exponential_backoff) for task in dag.tasks}),
                    "operators": {task.task_id: [base.__name__ for base in type(task).__mro__] for task in dag.tasks},
                    "outlets": {task.task_id: [asset.name for asset in task.outlets] for task in dag.tasks},
                }
                for dag in bag.dags.values()
            },
        },
        default=str,
    )
)
