"""Trino over a lake that the pipeline wrote. Not part of an ordinary run: `make test-athena`."""

import json
import os
import runpy
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

HERE = Path(__file__).parent
missing = runpy.run_path(str(HERE.parent / "conftest.py"))["missing"]
SERVER = SimpleNamespace(**runpy.run_path(str(HERE / "trino.py")))
DDL = SimpleNamespace(**runpy.run_path(str(HERE / "ddl.py")))
RUNS = (  # contract, share of broken rows, what judges
    ("users", None, "spark"),
    ("transactions", "0.1", "duckdb"),
    ("till_orders", "0", "duckdb"),
    ("till_orders", "0.1", "duckdb"),
)


@pytest.fixture(scope="session", autouse=True)
def wanted() -> None:
    """Skip unless these tests were asked for."""
    if os.environ.get("ROWGATE_ATHENA") != "1":
        pytest.skip("asked for by `make test-athena`")
    if why := SERVER.why_not():
        missing("athena", why)


@pytest.fixture(scope="session")
def state(wanted: None, run_cli: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with a lake, after four runs: among them a hard contract's good file and its bad one."""
    folder = tmp_path_factory.mktemp("state")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "ROWGATE_LAKE"))}
    environ["ROWGATE_STATE"] = str(folder)
    try:
        for number, (contract, dirt, engine) in enumerate(RUNS):
            source: list[object] = ["--rows", 1000, "--seed", number]
            if dirt is not None:
                file = tmp_path_factory.mktemp("files") / f"{contract}-{number}.csv"
                made = run_cli("generate", contract, *source, "--dirty", dirt, "--out", file, env=environ)
                assert made.returncode == 0, made.stderr
                source = ["--source", file]
            run_cli("run", contract, *source, "--engine", engine, env=environ)  # a breach's exit is not 0: it is a run
    finally:
        run_cli("stop", env=environ)
    return folder


@pytest.fixture(scope="session")
def reports(state: Path) -> dict[str, list[dict[str, Any]]]:
    """The reports of each contract's runs, the newest first."""
    found: dict[str, list[dict[str, Any]]] = {}
    for file in (state / "lake" / "quality").rglob("*.json"):
        report = json.loads(file.read_text(encoding="utf-8"))
        found.setdefault(report["contract"], []).append(report)
    assert sum(map(len, found.values())) == len(RUNS)
    return {name: sorted(each, key=lambda report: report["run_id"], reverse=True) for name, each in found.items()}


@pytest.fixture(scope="session")
def trino(
    state: Path, project: Path, reports: dict[str, list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """A Trino that has every table that is rendered for Athena."""
    root = tmp_path_factory.mktemp("trino")
    shutil.copytree(state / "lake", root / "lake")
    port = runpy.run_path(str(project / "tests" / "servers" / "s3.py"))["free_port"]()
    with SERVER.running(tmp_path_factory.mktemp("server"), root, port) as server:
        for file in sorted((project / "infra" / "athena").glob("*.sql")):
            for zone in ("records", "clean", "rejects"):  # Trino wants a table's folder to be there, Athena does not
                (root / "lake" / zone / file.stem).mkdir(parents=True, exist_ok=True)
            for statement in DDL.statements(file.read_text(encoding="utf-8"), "local:///lake"):
                server.ask(statement)
        yield server
