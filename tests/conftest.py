"""What tests of several kinds share: the real servers they talk to, and what happens where one cannot be had."""

import os
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
CASES = Path(os.environ.get("ROWGATE_CASES", PROJECT.parent / "shared" / "cases"))

SERVERS = runpy.run_path(str(PROJECT / "tests" / "servers" / "s3.py"))


def missing(name: str, why: str) -> None:
    """Skip the test since `name` cannot be had here, or fail it where ROWGATE_REQUIRE names it."""
    if name in os.environ.get("ROWGATE_REQUIRE", "").replace(",", " ").split():
        pytest.fail(f"ROWGATE_REQUIRE demands {name}: {why}")
    pytest.skip(f"needs {name}: {why}")


@pytest.fixture(scope="session")
def project() -> Path:
    return PROJECT


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of the shared cases."""
    if not (CASES / "cases.py").is_file():
        missing("cases", f"there is no {CASES / 'cases.py'}; name the folder in ROWGATE_CASES")
    return CASES


@pytest.fixture(scope="session")
def warehouse_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """A private Postgres for the whole session."""
    from rowgate.embedded import postgres
    from rowgate.errors import RowgateError

    folder = tmp_path_factory.mktemp("postgres")
    try:
        server = postgres.start(folder, fsync=False)
    except RowgateError as error:
        missing("postgres", str(error))
    yield server
    postgres.stop(folder)


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """A durable S3 server of this machine, for the whole session: a `Server` of tests/servers/s3.py."""
    if why := SERVERS["why_no_gateway"]():
        missing("s3", why)
    with SERVERS["durable"](tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="session")
def moto_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """An S3 server that enforces IAM once told to, for the whole session."""
    with SERVERS["moto"](tmp_path_factory.mktemp("moto")) as server:
        yield server


@pytest.fixture(scope="session")
def spark_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """A standalone Spark cluster of two workers, for the session: a `Cluster` of tests/servers/spark_cluster.py."""
    from rowgate.embedded.java import java_home
    from rowgate.errors import RowgateError

    folder = tmp_path_factory.mktemp("cluster")
    try:
        home = java_home(folder, os.environ)
    except RowgateError as error:
        missing("spark", str(error))
    start = runpy.run_path(str(PROJECT / "tests" / "servers" / "spark_cluster.py"))["cluster"]
    with start(folder, home) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Iterator[dict[str, str]]:
    """What `rowgate run` prepares for airflow, spark-submit and dbt, with a state folder of its own."""
    from rowgate.embedded import postgres
    from rowgate.embedded.environment import prepare

    state = tmp_path_factory.mktemp("state")
    said: list[str] = []
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "ROWGATE_LAKE"))}
    yield prepare(project, kept | {"ROWGATE_STATE": str(state)}, progress=said.append)
    postgres.stop(state / "postgres")


@pytest.fixture(scope="session")
def node() -> str:
    """An ECMAScript engine, which judges what the project writes in that language's terms."""
    import shutil

    found = shutil.which("node")
    if found is None:
        missing("node", "no ECMAScript engine is installed")
    return str(found)


@pytest.fixture(scope="session")
def run_cli(project: Path) -> Callable[..., object]:
    """Run `.venv/bin/rowgate` with arguments, and return what `subprocess.run` does."""
    import subprocess

    def run(*arguments: object, env: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
        command = [str(project / ".venv" / "bin" / "rowgate"), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, env=env or dict(os.environ), check=False)

    return run


@pytest.fixture(scope="session")
def spark_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Spark's Java says, from the start of the session `spark`."""
    return tmp_path_factory.mktemp("spark") / "spark.log"


@pytest.fixture(scope="session")
def spark(spark_log: Path) -> Iterator[object]:
    """One Spark session for every test that judges with Spark in this process."""
    from rowgate.embedded.java import java_home
    from rowgate.errors import RowgateError
    from rowgate.stages.spark_session import local_session

    folder = spark_log.parent
    try:
        os.environ["JAVA_HOME"] = str(java_home(folder, os.environ))
    except RowgateError as error:
        missing("spark", str(error))
    with local_session(spark_log, master="local[2]", scratch=folder) as session:
        yield session
