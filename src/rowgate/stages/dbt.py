"""dbt, as a program of its own: a contract's models, built and tested in the contract's candidate schema."""

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from psycopg2 import sql

from rowgate.adapters.warehouse import Connection, connect, transaction
from rowgate.contract.model import Contract
from rowgate.errors import BreachError, RowgateError
from rowgate.stages.publish import PUBLISHED, STAGING, candidate_schema, candidates

Command = Literal["run", "test"]

_GOOD = ("success", "pass")
_NAMED = 5  # names in one sentence
_SHOWN = 12  # lines below it
_STAMP = re.compile(r"^\d\d:\d\d:\d\d +")
# What dbt and Postgres say of a query; what they say of the data in it can quote a row.
_OF_THE_QUERY = re.compile(
    r"syntax error|LINE \d+: |Got \d+ results?|(Compilation|Parsing|Database) Error|.*(does not exist|is ambiguous)$"
)

# A sentence of the tests of the marts (dbt/tests/generic/marts_*.sql): they look while dbt compiles them.
_OF_A_MART = re.compile(r"The mart \S+ (shows|declares|does not declare) .*\.$")
_ENFORCED = "This model has an enforced contract that failed."


@dataclass(frozen=True)
class DbtResult:
    """What dbt did: models built, or tests made.

    Attributes:
        passed: models or tests that went well.
        warned: tests that warned.
    """

    passed: int
    warned: int


def run(
    contract: Contract,
    settings: Connection,
    *,
    project: Path,
    state: Path,
    dbt: Path,
    environ: Mapping[str, str],
    command: Command,
    log: Path,
) -> DbtResult:
    """Build the contract's models in its candidate schema, or test them there.

    Where nothing waits in the candidate schema, the published marts are tested: a test run again after its candidate
    was published.

    Args:
        contract: whose models: those below `models/staging/<name>` and `models/marts/<name>`.
        settings: the warehouse.
        project: dbt's project folder.
        state: where dbt may write; the contract gets a folder of its own there.
        dbt: the program.
        environ: the environment it gets, to which the warehouse is added.
        command: build or test.
        log: a file that takes what dbt says.

    Raises:
        BreachError: a test is red.
        RowgateError: the warehouse cannot be reached, dbt cannot start, or a model cannot be built.
    """
    folder = state / "dbt" / contract.name
    results = folder / "target" / "run_results.json"
    try:
        for needed in (folder, log.parent):
            needed.mkdir(parents=True, exist_ok=True)
        results.unlink(missing_ok=True)
    except OSError as error:
        raise RowgateError(
            f"dbt cannot write to {error.filename} ({error.strerror}); make room or give access."
        ) from None
    schema = _schema(contract, settings, command)
    line = _command_line(contract, project, folder, dbt, command)
    before = log.stat().st_size if log.exists() else 0
    status = _execute(line, project, {**environ, **_environment(settings, schema)}, log)
    nodes = _nodes(results)
    bad = [node for node in nodes if node["status"] not in (*_GOOD, "warn", "skipped", "no-op")]
    if bad or status or not nodes:
        failure = _failure(contract, command, bad, log)
        failure.lines = _lines(bad, log, before)
        raise failure
    return DbtResult(
        passed=sum(node["status"] in _GOOD for node in nodes), warned=sum(node["status"] == "warn" for node in nodes)
    )


def _schema(contract: Contract, settings: Connection, command: Command) -> str:
    candidate = candidate_schema(contract)
    with connect(settings) as connection, transaction(connection, f"preparing dbt for {contract.name}") as cursor:
        if command == "run":
            # What an earlier run left unpublished must not be published with this one.
            cursor.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(candidate)))
            cursor.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(candidate)))
            return candidate
        return candidate if candidates(contract, cursor) else PUBLISHED


def _command_line(contract: Contract, project: Path, folder: Path, dbt: Path, command: Command) -> list[str]:
    selected = [f"path:models/{layer}/{contract.name}" for layer in ("staging", "marts")]
    return [
        str(dbt),
        *("--no-use-colors", "--log-format", "text", "--log-level", "info", "--log-level-file", "none"),
        *("--log-path", str(folder / "logs")),
        command,
        *("--project-dir", str(project), "--profiles-dir", str(project)),
        *("--target-path", str(folder / "target")),
        *("--select", *selected),
    ]


def _environment(settings: Connection, schema: str) -> dict[str, str]:
    return {
        "ROWGATE_DBT_HOST": settings.host,
        "ROWGATE_DBT_PORT": str(settings.port),
        "ROWGATE_DBT_USER": settings.user,
        "ROWGATE_DBT_DATABASE": settings.database,
        "ROWGATE_DBT_SCHEMA": schema,
        "ROWGATE_DBT_STAGING_SCHEMA": STAGING if schema == PUBLISHED else schema,
        "DBT_ENV_SECRET_WAREHOUSE_PASSWORD": settings.password,
        # libpq's own variables: the profile would have to name every option, and an empty one is none.
        **{f"PG{name.upper()}": value for name, value in settings.options.items()},
        "PYTHONUTF8": "1",
    }


def _execute(line: Sequence[str], project: Path, environ: Mapping[str, str], log: Path) -> int:
    try:
        with (
            log.open("ab") as out,
            subprocess.Popen(
                line, cwd=project, env=dict(environ), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
            ) as child,
        ):
            try:
                return child.wait()
            except BaseException:
                child.terminate()  # a task that is ended must not leave dbt at work
                raise
    except OSError as error:
        raise RowgateError(f"dbt cannot be started ({error.strerror}: {error.filename}); run `make setup`.") from None


def _nodes(results: Path) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = json.loads(results.read_text(encoding="utf-8"))["results"]
    except (FileNotFoundError, ValueError, KeyError):
        return []
    return found


def _failure(contract: Contract, command: Command, bad: Sequence[Mapping[str, Any]], log: Path) -> RowgateError:
    if not bad:
        return RowgateError(f"dbt {command} of {contract.name} ended before it did anything; {log} says why.")
    names = [_name(node["unique_id"]) for node in bad]
    shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    if command == "run":
        return RowgateError(f"dbt could not build {shown}; the marts stay as they were, and {log} says why.")
    shows = [sentence for node in bad for sentence in _of_a_mart(node)]
    if all(node["status"] == "fail" or _of_a_mart(node) for node in bad):
        red = f"The dbt tests {shown} are red; the marts stay as they were, and {log} has the details."
        return BreachError(" ".join([*shows[:_NAMED], red]))
    return RowgateError(
        f"The dbt tests {shown} could not be made or are red; the marts stay as they were, and {log} says why."
    )


def _lines(bad: Sequence[Mapping[str, Any]], log: Path, before: int) -> tuple[str, ...]:
    """What dbt said of what went wrong; where it came to nothing, no data was looked at, and all that it logged."""
    if not bad:
        said = log.read_bytes()[before:].decode(errors="replace").splitlines()
        return tuple(line for line in (_STAMP.sub("", line).rstrip() for line in said) if line)[-_SHOWN:]
    lines = []
    for node in bad:
        told = _told(node)
        table = told[0].startswith("Compilation Error") and _ENFORCED in told  # columns and types, no data
        lines += [
            f"{_name(node['unique_id'])}: {line}"
            for line in told
            if _OF_THE_QUERY.match(line) or (table and (line == _ENFORCED or line.startswith("| ")))
        ]
    return tuple(lines[:_SHOWN])


def _told(node: Mapping[str, Any]) -> list[str]:
    return [line.strip() for line in (node["message"] or "").splitlines()] or [""]


def _of_a_mart(node: Mapping[str, Any]) -> list[str]:
    """What a test of the marts said: the mart and the column, never a value."""
    first, *rest = _told(node)
    return [line for line in rest if _OF_A_MART.match(line)] if first.startswith("Compilation Error in test ") else []


def _name(unique_id: str) -> str:
    """The name in `model.rowgate.x`, `test.rowgate.x.<digest>` or `unit_test.rowgate.<model>.x`."""
    kind, _, *rest = unique_id.split(".")
    return rest[-1] if kind == "unit_test" else rest[0]
