"""The tasks that run in Airflow's own process. Each makes its clients, calls one stage, and tells what came of it."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from airflow.sdk import BaseHook
from airflow.sdk.exceptions import AirflowNotFoundException

from etl_factory.work import Work, announce, clock, lake_of, work
from rowgate.errors import UnusableError
from rowgate.stages.generate import GENERATED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rowgate.adapters.lake import Lake
    from rowgate.adapters.warehouse import Connection
    from rowgate.stages.ingest import Source


def enter(contract_name: str) -> None:
    """Bring the run's file into the lake: raw/, records/ and the manifest."""
    from rowgate.stages.evidence import keep_report  # noqa: PLC0415
    from rowgate.stages.filegate import FileBreach  # noqa: PLC0415
    from rowgate.stages.ingest import ingest  # noqa: PLC0415
    from rowgate.stages.outcome import stopped_at_gate  # noqa: PLC0415

    with work(contract_name) as at_work:
        lake = lake_of(at_work.settings)
        started = clock()
        with _source(at_work, lake) as source:
            try:
                manifest = ingest(at_work.contract, at_work.run, source, lake)
            except FileBreach as breach:
                report = stopped_at_gate(
                    at_work.contract,
                    at_work.run,
                    source.name,
                    breach.sentences,
                    started_at=started,
                    finished_at=clock(),
                )
                announce(keep_report(report, at_work.run, lake))
                at_work.done.update(reported=True)
                raise
        at_work.done.update(records=manifest.records, malformed=manifest.malformed, source=manifest.source)


def load(contract_name: str) -> None:
    """Upsert the accepted rows, and complete the report."""
    from rowgate.adapters.warehouse import connect  # noqa: PLC0415
    from rowgate.stages.evidence import keep_report  # noqa: PLC0415
    from rowgate.stages.load import load as load_clean  # noqa: PLC0415
    from rowgate.stages.report import parse_report  # noqa: PLC0415

    with work(contract_name) as at_work:
        lake = lake_of(at_work.settings)
        report = parse_report(lake.read_bytes(at_work.run.report))
        with connect(warehouse()) as connection:
            figures = load_clean(at_work.contract, at_work.run, lake, connection, now=clock())
        announce(keep_report(report.loaded(figures, clock()), at_work.run, lake))
        at_work.done.update(inserted=figures.inserted)


def run_dbt(contract_name: str) -> None:
    """Build the contract's models in the candidate schema."""
    with work(contract_name) as at_work:
        at_work.done.update(models=_dbt(at_work, "run", warehouse()))


def test_dbt(contract_name: str) -> None:
    """Test the candidate, and publish it when it is green."""
    from rowgate.adapters.warehouse import connect  # noqa: PLC0415 - for tasks, not for parsing
    from rowgate.stages.publish import publish  # noqa: PLC0415

    with work(contract_name) as at_work:
        server = warehouse()
        at_work.done.update(tests=_dbt(at_work, "test", server))
        with connect(server) as connection:
            publish(at_work.contract, connection)


def warehouse() -> Connection:
    """The warehouse that `postgres_default` names.

    Raises:
        UnusableError: there is no such connection, or its extra is not understood.
    """
    from rowgate.adapters.postgres_connection import postgres_from  # noqa: PLC0415 - for tasks, not for parsing

    try:
        found = BaseHook.get_connection("postgres_default")
    except AirflowNotFoundException:
        raise UnusableError(
            "Airflow has no connection postgres_default; declare it as AIRFLOW_CONN_POSTGRES_DEFAULT."
        ) from None
    return postgres_from(
        host=found.host,
        port=found.port,
        login=found.login,
        password=found.password,
        schema=found.schema,
        extra=found.extra_dejson,
    )


@contextmanager
def _source(at_work: Work, lake: Lake) -> Iterator[Source]:
    """The run's file: what it took before, else what its parameter names, else a generated one or one that landed."""
    from rowgate.stages.ingest import Source, next_landing, open_source, read_manifest  # noqa: PLC0415 - for tasks

    if lake.exists(at_work.run.manifest):  # the source may be gone by now, and what landed since is another run's
        manifest = read_manifest(lake, at_work.run)
        yield Source(manifest.source, lambda: lake.open(manifest.raw))
    elif at_work.params.get("source"):
        yield open_source(at_work.params["source"], lake)
    elif at_work.contract.name in GENERATED:
        with TemporaryDirectory(prefix="rowgate-") as folder:
            yield _generated(at_work, Path(folder) / "generated.csv")
    else:
        name = at_work.contract.name
        landed = next_landing(name, lake)
        if landed is None:
            raise UnusableError(
                f"There is no new file in {lake.uri_of(f'landing/{name}')}; put one there, or name one as source."
            )
        yield open_source(landed, lake)


def _generated(at_work: Work, file: Path) -> Source:
    """A generated file. A seed that nobody chose comes from the run's id, so that a retry makes the same file."""
    from rowgate.adapters.local_files import open_local  # noqa: PLC0415 - for tasks, not for parsing
    from rowgate.stages.generate import write_users  # noqa: PLC0415
    from rowgate.stages.ingest import Source  # noqa: PLC0415

    rows, seed = at_work.params["rows"], at_work.params.get("seed")
    if seed is None:
        seed = int.from_bytes(hashlib.sha256(at_work.run.run_id.encode()).digest()[:4], "big")
    with file.open("wb") as out:
        write_users(out, rows=rows, seed=seed)
    return Source(f"generated, {rows} rows, seed {seed}", lambda: open_local(file))


def _dbt(at_work: Work, command: Literal["run", "test"], server: Connection) -> int:
    """Run dbt for the contract's models alone. How many models or tests went well."""
    from rowgate.stages import dbt  # noqa: PLC0415 - for tasks, not for parsing

    places = at_work.settings
    result = dbt.run(
        at_work.contract,
        server,
        project=places.project / "dbt",
        state=places.state,
        dbt=Path(sys.prefix) / "bin" / "dbt",
        environ=os.environ,
        command=command,
        log=places.logs / f"dbt-{command}-{at_work.contract.name}.log",
    )
    return result.passed
