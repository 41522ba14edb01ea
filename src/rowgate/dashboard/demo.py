"""Made-up data for the page: some days of runs of every contract, by the stages that a run goes through.

The files come from the generator; they are read, judged by DuckDB, loaded into a private Postgres and built into marts
by dbt as any others are.
"""

import io
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rowgate.adapters.lake import Lake
from rowgate.adapters.warehouse import Connection, connect
from rowgate.contract import catalog
from rowgate.contract.model import Contract
from rowgate.contract.references import references_of
from rowgate.embedded import postgres
from rowgate.embedded.environment import BIN, DEFAULTS, WAREHOUSE
from rowgate.settings import Settings
from rowgate.stages import dbt
from rowgate.stages.evidence import keep_report
from rowgate.stages.generate_any import write_any
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.keys import find_keys, values_of
from rowgate.stages.load import load
from rowgate.stages.publish import publish
from rowgate.stages.run import Run
from rowgate.targets import dbt_models

DIRT = (0.05, 0.11, 0.0, 0.26, 0.08)
"""The share of dirty rows of each run, the oldest first; a day lies between two of them."""
_ROWS = (380, 420, 400, 460, 440)
_SOURCES = ("web-shop.csv", "branch-north.csv", "web-shop.csv", "branch-south.csv", "branch-north.csv")
_KEYS = 10_000  # of each contract that is referred to


@contextmanager
def demo(
    settings: Settings, environ: Mapping[str, str], now: datetime, progress: Callable[[str], None]
) -> Iterator[Settings]:
    """A state of its own with runs of every contract, gone when the block ends.

    Args:
        settings: the project whose contracts and models are shown.
        environ: the caller's environment.
        now: when the newest run is said to have been, aware.
        progress: told what takes time.

    Raises:
        RowgateError: a stage failed.
    """
    folder = Path(tempfile.mkdtemp(prefix="rowgate-demo-"))
    made = replace(settings, state=folder, lake=f"file://{folder / 'lake'}", aws="")
    try:
        progress("making up some days of runs, which takes a moment")
        server = postgres.start(folder / "postgres", fsync=False, progress=progress)
        warehouse = Connection(server.host, server.port, server.user, server.password, WAREHOUSE)
        contracts = sorted(catalog.load_all(settings.contracts), key=lambda each: any(references_of(each)))
        for contract in contracts:
            for number in range(len(DIRT)):
                _run(contract, made.open_lake(), warehouse, number, now)
        marts = {model.contract for model in dbt_models.read(settings.project) if model.layer == "marts"}
        for contract in contracts:
            if contract.name in marts:
                _build(contract, made, warehouse, environ)
        yield made
    finally:
        postgres.stop(folder / "postgres")
        data = folder / "postgres" / "data"
        if data.is_symlink():  # as root its data may lie in a folder of another user's
            shutil.rmtree(data.resolve().parent, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


def _run(contract: Contract, lake: Lake, warehouse: Connection, number: int, now: datetime) -> None:
    """One run from a made-up file to the warehouse, as far as the contract lets it."""
    when = now - timedelta(days=len(DIRT) - 1 - number)
    run = Run(contract.name, f"demo-{number + 1}", when)
    keys = {check: set(values_of(files, _KEYS)) for check, files in find_keys(contract, lake).items()}
    file = io.BytesIO()
    today = datetime(when.year, when.month, when.day, tzinfo=UTC)
    write_any(file, contract, rows=_ROWS[number], dirty=DIRT[number], seed=number + 1, now=today, keys=keys)
    ingest(contract, run, Source(_SOURCES[number], lambda: io.BytesIO(file.getvalue())), lake)
    report = transform_duckdb(contract, run, lake, now=when)
    if report.outcome == "passed" and contract.key is not None:
        with connect(warehouse) as connection:
            figures = load(contract, run, lake, connection, now=when)
        keep_report(report.loaded(figures, when), run, lake)


def _build(contract: Contract, made: Settings, warehouse: Connection, environ: Mapping[str, str]) -> None:
    """Build the contract's marts, test them, and publish them."""
    for command in ("run", "test"):
        dbt.run(
            contract,
            warehouse,
            project=made.project / "dbt",
            state=made.state,
            dbt=BIN / "dbt",
            environ={**DEFAULTS, **environ},
            command=command,
            log=made.logs / f"dbt-{command}-{contract.name}.log",
        )
    with connect(warehouse) as connection:
        publish(contract, connection)
