"""Everything that is rendered from contracts: one literal registry of paths and renderers."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from rowgate.contract.model import Contract
from rowgate.targets import dbt, postgres

_WAREHOUSE: Mapping[str, Callable[[Contract], str]] = {
    "infra/postgres/{name}.sql": postgres.render,
    "dbt/models/staging/{name}/_{name}__sources.yml": dbt.render,
}
"""What a contract with a key gets: path in the project -> renderer."""

_STAGING: Mapping[str, Callable[[Contract], str]] = {"dbt/models/staging/{name}/stg_{name}.sql": dbt.staging}
_STAGED_BY_HAND = frozenset({"users"})
"""Contracts whose staging model adds columns of its own, so that it is written by hand."""


def render_all(contracts: Iterable[Contract]) -> dict[str, str]:
    """Every artefact of every contract: path in the project -> text.

    Raises:
        ContractError: a contract that a target cannot say.
    """
    return {
        path.format(name=contract.name): renderer(contract)
        for contract in contracts
        if contract.key is not None
        for path, renderer in (_WAREHOUSE if contract.name in _STAGED_BY_HAND else {**_WAREHOUSE, **_STAGING}).items()
    }


def write(project: Path, contracts: Iterable[Contract]) -> list[str]:
    """Write every artefact that is not as it should be. The paths written, relative to the project."""
    written = []
    for path, text in render_all(contracts).items():
        file = project / path
        if _read(file) != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
    return written


def stale(project: Path, contracts: Iterable[Contract]) -> list[tuple[str, str]]:
    """Every artefact that is missing or not as it should be: path and unified difference."""
    found = []
    for path, text in render_all(contracts).items():
        there = _read(project / path)
        if there != text:
            lines = difflib.unified_diff(
                (there or "").splitlines(), text.splitlines(), f"{path} (there)", f"{path} (rendered)", lineterm=""
            )
            found.append((path, "\n".join(lines)))
    return found


def _read(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None
