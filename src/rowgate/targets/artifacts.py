"""Everything that is rendered from contracts: one literal registry of paths and renderers."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rowgate.contract.model import Contract
from rowgate.targets import (
    athena,
    dbt,
    dbt_models,
    delta,
    glue,
    great_expectations,
    iam,
    json_schema,
    lakeflow,
    markdown,
    names,
    odcs,
    personal_data,
    postgres,
    prometheus,
    rendered_files,
)

_EVERY: Mapping[str, Callable[[Contract], str]] = {
    "docs/contracts/{name}.md": markdown.render,
    "docs/contracts/{name}.odcs.yaml": odcs.render,
    "docs/contracts/{name}.schema.json": json_schema.render,
    "infra/athena/{name}.sql": athena.render,
    "infra/delta/{name}.sql": delta.render,
    "infra/lakeflow/{name}.py": lakeflow.render,
    "infra/terraform/rendered/{name}.json": glue.render,
}
"""What every contract gets: path in the project -> renderer."""

_WAREHOUSE: Mapping[str, Callable[[Contract], str]] = {
    "infra/postgres/{name}.sql": postgres.render,
    "infra/great_expectations/{name}.json": great_expectations.render,
    "dbt/models/staging/{name}/_{name}__sources.yml": dbt.render,
}
"""What a contract with a key gets."""

_STAGING: Mapping[str, Callable[[Contract], str]] = {
    "dbt/models/staging/{name}/stg_{name}.sql": dbt.staging,
    "dbt/models/staging/{name}/_{name}__models.yml": dbt.models,
}
_STAGED_BY_HAND = frozenset({"users"})
"""Contracts whose staging model adds columns of its own, so that it is written by hand."""

_TOGETHER: Mapping[str, Callable[[Sequence[Contract]], str]] = {
    "infra/terraform/pipeline-policy.json": iam.render,
    "monitoring/alerts/contracts.yml": prometheus.render,
}
"""What is about all contracts: path in the project -> renderer."""

_WITH_MODELS: Mapping[str, Callable[[Sequence[Contract], Sequence[dbt_models.Model]], str]] = {
    "docs/contracts/personal-data.md": personal_data.render,
}
"""What is about all contracts and dbt's models: path in the project -> renderer."""


def render_all(
    contracts: Sequence[Contract], models: Sequence[dbt_models.Model] = (), *, only: Contract | None = None
) -> dict[str, str]:
    """Every artefact of every contract: path in the project -> text.

    Args:
        contracts: all that there are.
        models: dbt's models in the project.
        only: its artefacts and those about all contracts, without those of the others; its own alone where it is none
            of the contracts.

    Raises:
        ContractError: a contract that a target cannot say, or two that cannot be there together.
    """
    found: dict[str, str] = {}
    if only is None or only in contracts:
        names.relations(contracts)
        found |= {path: renderer(contracts) for path, renderer in _TOGETHER.items()}
        found |= {path: renderer(contracts, models) for path, renderer in _WITH_MODELS.items()}
    for contract in contracts if only is None else (only,):
        found |= {path: renderer(contract) for path, renderer in _renderers(contract).items()}
    return found


def write(project: Path, contracts: Sequence[Contract], *, only: Contract | None = None) -> list[str]:
    """Write every artefact that is not as it should be, see `render_all`. The paths written in the project."""
    written = []
    for path, text in render_all(contracts, _models(project, contracts), only=only).items():
        if rendered_files.difference(project, path, text) is not None:
            file = project / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
            written.append(path)
    return written


def stale(project: Path, contracts: Sequence[Contract], *, only: Contract | None = None) -> list[tuple[str, str]]:
    """Every artefact that is missing or not as it should be, see `render_all`: path and unified difference."""
    return compare(project, render_all(contracts, _models(project, contracts), only=only))


def compare(project: Path, rendered: Mapping[str, str]) -> list[tuple[str, str]]:
    """Of what was rendered, the files that are missing or not as they should be: path and unified difference."""
    found = ((path, rendered_files.difference(project, path, text)) for path, text in rendered.items())
    return [(path, difference) for path, difference in found if difference is not None]


def orphans(project: Path, contracts: Sequence[Contract]) -> list[str]:
    """The files that say they are rendered and that none of the contracts renders any more: paths in the project."""
    by_hand = {path.format(name=name) for path in _STAGING for name in _STAGED_BY_HAND}  # whatever they say on top
    rendered = {*_TOGETHER, *_WITH_MODELS, *by_hand}.union(*map(_renderers, contracts))
    return rendered_files.orphans(project, (*_EVERY, *_WAREHOUSE, *_STAGING, *_TOGETHER, *_WITH_MODELS), rendered)


def _renderers(contract: Contract) -> dict[str, Callable[[Contract], str]]:
    """What one contract gets: path in the project -> renderer."""
    renderers = dict(_EVERY)
    if contract.key is not None:
        renderers |= _WAREHOUSE
        if contract.name not in _STAGED_BY_HAND:
            renderers |= _STAGING
    return {path.format(name=contract.name): renderer for path, renderer in renderers.items()}


def _models(project: Path, contracts: Sequence[Contract]) -> tuple[dbt_models.Model, ...]:
    """The models written by hand: what is rendered may be stale, and says nothing that the contracts do not."""
    return dbt_models.read(project, {path for contract in contracts for path in _renderers(contract)})
