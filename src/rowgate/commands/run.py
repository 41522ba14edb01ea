"""`rowgate run`: a contract's DAG with `airflow dags test`, watched, and a summary of what came of it."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from rowgate.commands.events import Events
from rowgate.commands.progress import watch
from rowgate.commands.summary import failure, summary
from rowgate.contract import catalog
from rowgate.contract.model import Contract
from rowgate.embedded.environment import prepare
from rowgate.embedded.processes import end_group, ended_by
from rowgate.errors import RowgateError, UnusableError
from rowgate.settings import Settings, read_settings
from rowgate.stages.check import ENGINES
from rowgate.stages.generate import GENERATED
from rowgate.stages.report import parse_report

_INTERRUPTED = 130  # what a shell gives a program that Ctrl-C ended


def run_dag(
    settings: Settings,
    environ: Mapping[str, str],
    contract_name: str,
    *,
    rows: int | None,
    seed: int | None,
    source: Path | None,
    engine: str,
) -> int:
    """Run `<contract>_etl` and print what came of it.

    Returns:
        The exit status: 0 when every task was green.

    Raises:
        UnusableError: the contract, the source or the environment cannot be used; nothing was started.
        RowgateError: the embedded services did not come up.
    """
    contract = _contract(settings, contract_name)
    params = _params(contract, rows=rows, seed=seed, source=source) | {"engine": _engine(engine)}
    console, talk = Console(soft_wrap=True), Console(stderr=True, soft_wrap=True)
    with _interruptible(talk), _alone(settings, contract.name):
        environment = prepare(
            settings.project,
            environ,
            progress=lambda line: talk.print(line, style="dim", markup=False),
            database=f"runs-{contract.name}",
        )
        log, events = _files(settings, contract.name)
        environment |= {"ROWGATE_EVENTS": str(events.file), "ROWGATE_RETRIES": "0"}
        status = _dags_test(f"{contract.name}_etl", params, environment, settings, log, events, talk)
        settings = read_settings(settings.project, environment)
        green = status == 0 and events.finished()
        if green or events.judged():
            console.print(summary(contract, events, settings, _page(contract, events, settings, talk)))
        if not green:
            talk.print(failure(events, log))
    return 0 if green else 1


def _page(contract: Contract, events: Events, settings: Settings, talk: Console) -> Path | None:
    """Leave the run's page; where that does not work, say so: the run is what it is all the same."""
    from rowgate.commands.report import write_page  # noqa: PLC0415 - DuckDB and templates, while Airflow starts

    try:
        lake = settings.open_lake()
        return write_page(settings, lake, parse_report(lake.read_bytes(events.run_of(contract.name).report)))
    except RowgateError as error:
        talk.print(f"rowgate: the run has no page: {error}", markup=False)
        return None


def _contract(settings: Settings, name: str) -> Contract:
    if os.sep in name or name.endswith((".py", ".yaml", ".yml")):
        raise UnusableError(f"{name} is a path; a DAG runs a contract of {settings.contracts}, by its name.")
    return catalog.find(name, settings.contracts)


def _engine(name: str) -> str:
    if name not in ENGINES:
        raise UnusableError(f"There is no engine {name!r}; the engines are: {', '.join(ENGINES)}.")
    return name


def _params(contract: Contract, *, rows: int | None, seed: int | None, source: Path | None) -> dict[str, Any]:
    """The DAG's params. Options that would do nothing are refused."""
    if source is None:
        if contract.name not in GENERATED and (rows, seed) != (None, None):
            raise UnusableError(
                f"No file is generated for {contract.name}, so --rows and --seed have nothing to do; name a file with "
                f"--source, or make one with `rowgate generate {contract.name}`."
            )
        return {name: value for name, value in (("rows", rows), ("seed", seed)) if value is not None}
    if rows is not None or seed is not None:
        raise UnusableError("--source runs a file as it is, so --rows and --seed have nothing to do; leave them out.")
    if source.is_dir():
        raise UnusableError(f"{source} is a folder; give --source a CSV file in it.")
    if not source.is_file():
        raise UnusableError(f"There is no file {source}; give --source a CSV file.")
    return {"source": str(source.resolve())}


def _files(settings: Settings, contract: str) -> tuple[Path, Events]:
    settings.logs.mkdir(parents=True, exist_ok=True)
    name = f"run-{contract}-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"
    return settings.logs / f"{name}.log", Events(settings.logs / f"{name}.events.jsonl")


def _dags_test(
    dag: str,
    params: dict[str, Any],
    environment: dict[str, str],
    settings: Settings,
    log: Path,
    events: Events,
    talk: Console,
) -> int:
    command = [str(settings.project / ".venv" / "bin" / "airflow"), "dags", "test", dag, "--conf", json.dumps(params)]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            env=environment,
            cwd=settings.project,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            watch(process, events, talk)
            return process.wait()
        finally:
            # Spark's Java and dbt too, also where Airflow died and left them. A task in Airflow's own process does not
            # heed a request to end; what it has not committed or renamed by then counts for nothing.
            end_group(process, patience=5.0)


@contextmanager
def _interruptible(talk: Console) -> Iterator[None]:
    """End what the block started on Ctrl-C or a request to end, and say so."""
    try:
        with ended_by(signal.SIGTERM, signal.SIGHUP):
            yield
    except KeyboardInterrupt:
        talk.print("rowgate: stopped before its end, as asked; what was loaded stays, and a new run starts anew.")
        sys.exit(_INTERRUPTED)


@contextmanager
def _alone(settings: Settings, contract: str) -> Iterator[None]:
    """Keep two runs of one contract apart: they would build in the same candidate schema.

    Raises:
        UnusableError: another run of the contract is going on.
    """
    folder = settings.state / "locks"
    try:
        settings.make_state()
        folder.mkdir(exist_ok=True)
        lock = (folder / f"run-{contract}").open("w")
    except OSError as error:
        raise UnusableError(f"{folder} cannot be written ({error.strerror}); give this user the folder.") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UnusableError(f"Another run of {contract} is going on in this project; wait until it ends.") from None
        yield
