"""The DAGs as Airflow reads them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def parse(folder: Path, environment: dict[str, str]) -> dict:
    command = [sys.executable, str(HERE / "describe.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def bag(environment, project) -> dict:
    return parse(project / "dags", {name: value for name, value in environment.items() if name != "ROWGATE_RETRIES"})


@pytest.fixture(scope="module")
def users(bag) -> dict:
    return bag["dags"]["users_etl"]


def test_the_dag_files_import_without_an_error(bag):
    assert bag["errors"] == {}


def test_the_five_tasks_stand_in_one_row(users):
    assert users["edges"] == sorted(
        [
            ["generate", "transform"],
            ["transform", "load"],
            ["load", "dbt_run"],
            ["dbt_run", "dbt_test"],
        ]
    )


def test_every_contract_has_a_dag(bag, project):
    from rowgate.contract import catalog

    found = [name for name in bag["dags"] if name != "rowgate_freshness"]
    assert sorted(found) == sorted(f"{contract.name}_etl" for contract in catalog.load_all(project / "contracts"))


def test_a_run_is_started_by_hand_alone_and_one_at_a_time(users):
    assert (users["schedule"], users["catchup"], users["max_active_runs"]) == (None, False, 1)


def test_what_may_heal_is_tried_again_ever_later(users):
    assert (users["retries"], users["backoff"]) == ([2], [2.0])


def test_transform_is_a_spark_submit_of_the_provider(users):
    assert "SparkSubmitOperator" in users["operators"]["transform"]


def test_the_load_announces_the_warehouse_table(users):
    assert {task: assets for task, assets in users["outlets"].items() if assets} == {"load": ["warehouse.users"]}


def test_the_page_of_the_dag_names_every_rule_and_the_owner(users):
    assert all(part in users["doc"] for part in ("invalid_email", "invalid_city", "data-platform"))


def test_the_form_of_a_manual_run_asks_for_rows_seed_and_source(users):
    assert {name: (param.get("type"), param["default"]) for name, param in users["params"].items()} == {
        "rows": ("integer", 1000),
        "seed": (["null", "integer"], None),
        "source": (["null", "string"], None),
        "engine": (None, "spark"),
    }


def test_parsing_imports_nothing_heavy(bag):
    assert bag["modules"] == []


def test_a_contract_that_cannot_be_used_breaks_no_other_dag(environment, project, tmp_path):
    for name in ("dags", "contracts"):
        shutil.copytree(project / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "contracts" / "bad.py").write_text("CONTRACT = 1\n")
    found = parse(tmp_path / "dags", environment | {"PYTHONPATH": os.pathsep.join([str(project / "src")])})
    assert found["dags"]["bad_etl"]["tasks"] == ["contract"]
    assert "bad.py" in found["dags"]["bad_etl"]["doc"]
    assert found["dags"]["users_etl"]["tasks"] == ["generate", "transform", "load", "dbt_run", "dbt_test"]
