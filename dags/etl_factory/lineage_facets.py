"""OpenLineage's datasets and facets of each task, from the contract, the report and the manifest.

Names follow OpenLineage's naming rules (openlineage.io/docs/spec/naming): `file` and a path, `s3://bucket` and a key,
`postgres://host:port` and `database.schema.table`. A zone is one dataset for all runs, and a run is its version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airflow.providers.openlineage.extractors import OperatorLineage
from openlineage.client.event_v2 import InputDataset, OutputDataset
from openlineage.client.facet_v2 import (
    data_quality_assertions_dataset,
    dataset_version_dataset,
    documentation_dataset,
    input_statistics_input_dataset,
    output_statistics_output_dataset,
    schema_dataset,
    tags_dataset,
)

from etl_factory.lineage_assertions import assertions
from etl_factory.tasks import warehouse
from etl_factory.work import lake_of, settings
from rowgate.contract import catalog
from rowgate.contract.model import Contract, Pii
from rowgate.stages.ingest import Manifest, read_manifest
from rowgate.stages.report import Report, parse_report
from rowgate.stages.run import Run, path_id
from rowgate.targets import athena_tables, dbt_models, postgres

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from rowgate.adapters.lake import Lake
    from rowgate.settings import Settings


@dataclass(frozen=True)
class _Field:
    name: str
    kind: str
    description: str = ""
    pii: Pii = Pii.NONE


@dataclass(frozen=True)
class _Told:
    """What is known of a run once a task has ended."""

    places: Settings
    contract: Contract
    run: Run
    lake: Lake
    manifest: Manifest | None
    report: Report | None


def lineage_of(contract_name: str, task: str, run_id: str, run_after: datetime) -> OperatorLineage:
    """The datasets of a task that has ended, well or not.

    Args:
        contract_name: the contract.
        task: `generate`, `ingest`, `transform`, `load`, `dbt_run` or `dbt_test`.
        run_id: the run's id.
        run_after: the moment the run belongs to.

    Raises:
        RowgateError: the contract, the lake or the warehouse's connection cannot be used.
    """
    places = settings()
    contract, lake = catalog.find(contract_name, places.contracts), lake_of(places)
    run = Run(contract.name, run_id, run_after)
    manifest = read_manifest(lake, run) if lake.exists(run.manifest) else None
    report = parse_report(lake.read_bytes(run.report)) if lake.exists(run.report) else None
    told = _Told(places, contract, run, lake, manifest, report)
    tell = {"transform": _transformed, "load": _loaded, "dbt_run": _built, "dbt_test": _published}.get(task, _entered)
    return tell(told)


def _entered(told: _Told) -> OperatorLineage:
    """From the file to `raw/`; a file that was refused is what the task looked at, and the assertion says so."""
    manifest = told.manifest
    if manifest is None:
        return OperatorLineage()
    if manifest.breaches:
        return OperatorLineage(inputs=[_raw(told)])
    inputs = []
    if manifest.source.startswith("/"):
        inputs.append(InputDataset("file", manifest.source))
    elif told.lake.exists(manifest.source):
        inputs.append(InputDataset(*_named(told.lake.uri_of(manifest.source))))
    statistics = _written(manifest.records, manifest.bytes)
    return OperatorLineage(
        inputs=inputs,
        outputs=[OutputDataset(*_zone(told, "raw"), facets=_facets(told, _text(told)), outputFacets=statistics)],
    )


def _transformed(told: _Told) -> OperatorLineage:
    """From `raw/` to `rejects/` and `clean/`."""
    if told.manifest is None or told.report is None:
        return OperatorLineage()
    rows = {"rejects": told.report.rejected}
    if told.report.outcome == "passed":
        rows["clean"] = told.report.accepted
    tables = {table.zone: table for table in athena_tables.tables(told.contract)}
    outputs = [
        OutputDataset(
            *_zone(told, zone),
            facets=_facets(
                told, [_Field(each.source, each.kind, each.description, each.pii) for each in tables[zone].columns]
            ),
            outputFacets=_written(count),
        )
        for zone, count in rows.items()
    ]
    return OperatorLineage(inputs=[_raw(told)], outputs=outputs)


def _loaded(told: _Told) -> OperatorLineage:
    """From `clean/` to the warehouse's table, once the load has its figures."""
    inputs = [InputDataset(*_zone(told, "clean"))]
    if told.report is None or told.report.load is None:
        return OperatorLineage(inputs=inputs)
    load = told.report.load
    table = postgres.table(told.contract)
    fields = [_Field(each.name, each.sql_type, each.description, each.pii) for each in table.columns]
    statistics = _written(load.inserted + load.updated)
    facets = _facets(told, fields, version=False)
    return OperatorLineage(
        inputs=inputs,
        outputs=[OutputDataset(*_table(table.schema, table.name), facets=facets, outputFacets=statistics)],
    )


def _built(told: _Told) -> OperatorLineage:
    """The table, which dbt reads; what it builds is a candidate, which nobody reads before it is published."""
    return OperatorLineage(inputs=[InputDataset(*_table(postgres.SCHEMA, told.contract.name))])


def _published(told: _Told) -> OperatorLineage:
    """From the warehouse's table to the models that green tests publish."""
    models = [model for model in dbt_models.read(told.places.project) if model.contract == told.contract.name]
    outputs = [OutputDataset(*_table(model.layer, model.name)) for model in models]
    return OperatorLineage(inputs=_built(told).inputs, outputs=outputs)


def _raw(told: _Told) -> InputDataset:
    """The raw file as something judged: how much came, and what the report says of it."""
    facets: dict[str, Any] = {}
    if told.manifest is not None:
        facets["inputStatistics"] = input_statistics_input_dataset.InputStatisticsInputDatasetFacet(
            rowCount=told.manifest.records, size=told.manifest.bytes, fileCount=1
        )
    if told.report is not None:
        facets["dataQualityAssertions"] = data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet(
            assertions=assertions(told.contract, told.report)
        )
    return InputDataset(*_zone(told, "raw"), facets=_facets(told, _text(told)), inputFacets=facets)


def _text(told: _Told) -> list[_Field]:
    return [_Field(each.name, "string", each.description, each.pii) for each in told.contract.columns]


def _facets(told: _Told, fields: Iterable[_Field], *, version: bool = True) -> dict[str, Any]:
    """Schema, classes of personal data and description; of a zone also the run as its version."""
    columns = list(fields)
    found: dict[str, Any] = {
        "schema": schema_dataset.SchemaDatasetFacet(
            fields=[
                schema_dataset.SchemaDatasetFacetFields(
                    each.name, each.kind, each.description or None, ordinal_position=place
                )
                for place, each in enumerate(columns, 1)
            ]
        ),
        "tags": tags_dataset.TagsDatasetFacet(
            tags=[
                tags_dataset.TagsDatasetFacetFields("pii", each.pii.value, source="rowgate", field=each.name)
                for each in columns
                if each.pii is not Pii.NONE
            ]
        ),
    }
    if told.contract.description:
        found["documentation"] = documentation_dataset.DocumentationDatasetFacet(description=told.contract.description)
    if version:
        found["version"] = dataset_version_dataset.DatasetVersionDatasetFacet(datasetVersion=path_id(told.run.run_id))
    return found


def _written(rows: int, size: int | None = None) -> dict[str, Any]:
    return {
        "outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
            rowCount=rows, size=size
        )
    }


def _zone(told: _Told, zone: str) -> tuple[str, str]:
    return _named(told.lake.uri_of(f"{zone}/{told.contract.name}"))


def _named(uri: str) -> tuple[str, str]:
    """Namespace and name of a file or folder."""
    scheme, _, rest = uri.partition("://")
    if scheme == "file":
        return "file", rest
    bucket, _, key = rest.partition("/")
    return "s3://" + bucket, key


def _table(schema: str, name: str) -> tuple[str, str]:
    found = warehouse()
    return f"postgres://{found.where}", f"{found.database}.{schema}.{name}"
