"""Fixtures of the container stack: its files, and the stack itself started without containers."""

import os
import runpy
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from graphlib import TopologicalSorter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

HERE = Path(__file__).parent
missing = runpy.run_path(str(HERE.parent / "conftest.py"))["missing"]


@pytest.fixture(scope="session")
def reader() -> SimpleNamespace:
    """The functions of compose_file.py."""
    return SimpleNamespace(**runpy.run_path(str(HERE / "compose_file.py")))


@pytest.fixture(scope="session")
def env_maker(project: Path) -> SimpleNamespace:
    """The functions of scripts/make_env.py."""
    return SimpleNamespace(**runpy.run_path(str(project / "scripts" / "make_env.py")))


@pytest.fixture(scope="session")
def env_text(project: Path, env_maker: SimpleNamespace) -> str:
    """A `.env` as `make env` writes it."""
    return env_maker.completed((project / ".env.example").read_text(encoding="utf-8"), "")


@pytest.fixture(scope="session")
def compose_text(project: Path) -> str:
    return (project / "docker-compose.yml").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def stack(
    project: Path, compose_text: str, env_text: str, reader: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SimpleNamespace]:
    """Every service that can be had here, started in the file's order; `absent` says why one is not among them."""
    from rowgate.embedded.java import java_home

    natively = runpy.run_path(str(HERE / "natively.py"))
    given = reader.variables(env_text) | {"SPARK_MASTER": "spark://spark-master:7077"}
    services = reader.interpolated(reader.read(compose_text), given)["services"]
    absent = natively["why_not"]()
    if "" in absent:
        missing("compose", absent[""])
    folder = tmp_path_factory.mktemp("stack")
    image = reader.image_environment(project / "Dockerfile") | {"JAVA_HOME": str(java_home(folder, os.environ))}
    with natively["Stack"](services, image, folder) as running:
        for names in in_order(services):
            with ThreadPoolExecutor() as together:
                list(together.map(running.start, names - set(absent)))
        yield SimpleNamespace(running=running, given=given, absent=absent, services=services)


def in_order(services: dict[str, Any]) -> Iterator[set[str]]:
    """The services' names by the batch, each after those it depends on."""
    order = TopologicalSorter({name: set(service.get("depends_on", {})) for name, service in services.items()})
    order.prepare()
    while order.is_active():
        names = order.get_ready()
        yield set(names)
        order.done(*names)
