"""Athena's `CREATE EXTERNAL TABLE` is Hive's SQL, which Trino does not read: the same table in Trino's SQL.

Every property is carried over by name (Trino's documentation, "Hive connector", has those of tables and of partition
projection); one that has no counterpart here is an error, so nothing that Athena would heed is left out.
"""

from collections.abc import Iterator

import sqlglot
from sqlglot import exp

FORMATS = {
    "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe": "PARQUET",
    "org.apache.hive.hcatalog.data.JsonSerDe": "JSON",
}
NUMBERS = ("interval",)  # of partition projection; the rest are texts, and `range` is a list of them


def statements(text: str, lake: str) -> Iterator[str]:
    """Trino's statements for a rendered file of Athena's, with the lake's address in its place."""
    for found in sqlglot.parse(text.replace("${lake}", lake), dialect="athena"):
        yield _table(found) if found.kind == "TABLE" else f"CREATE SCHEMA IF NOT EXISTS {found.this.name}"


def _table(found: exp.Create) -> str:
    """One table."""
    table: dict[str, str] = {}
    projection: dict[str, str] = {}
    partitions: list[exp.ColumnDef] = []
    comment = ""
    for each in found.args["properties"].expressions:
        match each:
            case exp.ExternalProperty() | exp.FileFormatProperty():
                pass  # a table with a location of its own; the serde says the format
            case exp.SchemaCommentProperty():
                comment = f"COMMENT {each.this.sql(dialect='trino')}"
            case exp.PartitionedByProperty():
                partitions = each.this.expressions
            case exp.RowFormatSerdeProperty():
                table["format"] = f"'{FORMATS[each.this.name]}'"
            case exp.LocationProperty():
                table["external_location"] = each.this.sql(dialect="trino")
            case exp.Property():
                _property(each.name, each.args["value"].name, table, projection)
            case _:
                raise ValueError(f"{type(each).__name__} has no counterpart")
    [partition] = partitions
    table["partitioned_by"] = f"ARRAY['{partition.name}']"
    columns = [_column(column) for column in found.this.expressions]
    columns.append(_column(partition, {f"partition_projection_{name}": value for name, value in projection.items()}))
    return (
        f"CREATE TABLE {found.this.this.sql(dialect='trino')} (\n  "
        + ",\n  ".join(columns)
        + f"\n) {comment}\nWITH ({_listed(table)})"
    )


def _property(name: str, value: str, table: dict[str, str], projection: dict[str, str]) -> None:
    if name == "classification":
        return  # Glue's word for the format
    if name == "projection.enabled":
        table["partition_projection_enabled"] = value
        return
    projected, column, what = name.split(".", 2)
    if (projected, column) != ("projection", "dt"):
        raise ValueError(f"{name} has no counterpart")
    if what == "range":
        value = "ARRAY[" + ", ".join(f"'{end}'" for end in value.split(",")) + "]"
    elif what == "type":
        value = f"'{value.upper()}'"
    elif what not in NUMBERS:
        value = f"'{value}'"
    projection[what.replace(".", "_")] = value


def _column(column: exp.ColumnDef, properties: dict[str, str] | None = None) -> str:
    [comment] = [each.kind.this.sql(dialect="trino") for each in column.args["constraints"]]
    told = f" WITH ({_listed(properties)})" if properties else ""
    return f'"{column.name}" {column.args["kind"].sql(dialect="trino")} COMMENT {comment}{told}'


def _listed(properties: dict[str, str]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in properties.items())
