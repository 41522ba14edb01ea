"""Athena's tables and saved queries of a contract as JSON, for Terraform to read.

The shape follows `aws_glue_catalog_table` and `aws_athena_named_query`. The lake's address is not in it: a table's
location is that address, a slash and `location_suffix`.
"""

import json
from typing import Any

from rowgate.contract.model import Contract
from rowgate.targets import athena, saved_queries
from rowgate.targets.athena_tables import DATABASE, PARTITION, Table, TableColumn, tables
from rowgate.targets.support import rendered_from


def render(contract: Contract) -> str:
    """The JSON of a contract's tables and saved queries.

    Raises:
        ContractError: Athena cannot have a column of that name, or two would have one name.
    """
    found = {
        "rendered_from": rendered_from(contract),
        "not_enforced_here": athena.NOT_ENFORCED,
        "contract": contract.name,
        "version": contract.version,
        "owner": contract.owner,
        "database": DATABASE,
        "tables": {table.name: _table(table) for table in tables(contract)},
        "saved_queries": {
            query.name: {"description": query.description, "sql": query.sql}
            for query in saved_queries.of_contract(contract)
        },
    }
    # The sentence on where the file comes from stands in its first line, as in every rendered file.
    return json.dumps(found, indent=2, ensure_ascii=False).replace("{\n  ", "{ ", 1) + "\n"


def _table(table: Table) -> dict[str, Any]:
    form = athena.FORMATS[table.storage]
    return {
        "description": table.description,
        "location_suffix": f"{table.folder}/",
        "columns": [_column(column) for column in table.columns],
        "partition_keys": [_column(PARTITION)],
        "parameters": athena.parameters(table),
        "input_format": form.reader,
        "output_format": form.writer,
        "serde": {"serialization_library": form.serde, "parameters": athena.serde_parameters(table)},
    }


def _column(column: TableColumn) -> dict[str, str]:
    return {"name": column.name, "type": column.kind, "comment": column.comment, "pii": column.pii.value}
