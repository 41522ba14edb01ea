"""The Airflow DAG that watches how long ago each contract's last good run was."""

from etl_factory.freshness import build

dag = build()
