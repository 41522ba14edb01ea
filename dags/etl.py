"""One Airflow DAG for every contract in `contracts/`."""

from airflow.sdk import DAG
from etl_factory.pipeline import broken, build
from etl_factory.work import settings

from rowgate.contract import catalog
from rowgate.errors import UnusableError


def _dag(name: str) -> DAG:
    """The contract's DAG, or, for a contract that cannot be used, one that says so and lets the others run."""
    try:
        return build(catalog.find(name, settings().contracts))
    except UnusableError as error:
        return broken(name, str(error))


for _name in catalog.names(settings().contracts):
    globals()[f"{_name}_etl"] = _dag(_name)
