"""Athena's tables of a contract as `CREATE EXTERNAL TABLE`, with partition projection on `dt` alone.

A partition column that is injected would demand an equality in every query, so the run is a column of the data. Athena
reads a partition's folders below it, and ignores files whose names begin with `_`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rowgate.contract.model import Contract
from rowgate.targets.athena_tables import DATABASE, PARTITION, Storage, Table, TableColumn, tables
from rowgate.targets.support import rendered_from

LAKE = "${lake}"
"""Stands for the lake's address, `s3://bucket` or `s3://bucket/prefix`, in what is rendered."""

NOT_ENFORCED = "any rule; Athena only reads, and the rows it sees have been judged by the pipeline."
"""What these tables say of the contract's rules."""


@dataclass(frozen=True)
class Format:
    """How Athena reads files, by the names of Hive's Java classes (Athena's user guide, "Supported SerDes")."""

    serde: str
    reader: str
    writer: str


FORMATS: Mapping[Storage, Format] = {
    "parquet": Format(
        "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
        "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
        "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
    ),
    # Hive's own, since OpenX's makes the keys of a map lower case, and a reason may have capitals.
    "json": Format(
        "org.apache.hive.hcatalog.data.JsonSerDe",
        "org.apache.hadoop.mapred.TextInputFormat",
        "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
    ),
}


def parameters(table: Table) -> dict[str, str]:
    """The table's properties: its partitions are computed from the days, never registered.

    Where there is no `storage.location.template`, Athena looks for a day in `<location>/dt=<day>/` (its user guide,
    "Set up partition projection").
    """
    return {
        "EXTERNAL": "TRUE",
        "classification": table.storage,
        "projection.enabled": "true",
        f"projection.{PARTITION.name}.type": "date",
        f"projection.{PARTITION.name}.format": "yyyy-MM-dd",
        f"projection.{PARTITION.name}.range": "2025-01-01,NOW+1DAYS",
        f"projection.{PARTITION.name}.interval": "1",
        f"projection.{PARTITION.name}.interval.unit": "DAYS",
    }


def serde_parameters(table: Table) -> dict[str, str]:
    """What the reader of the files is told."""
    return {"parquet.column.index.access": "true"} if table.by_place else {}


def render(contract: Contract) -> str:
    """The DDL of a contract's tables; `${lake}` stands for the lake's address.

    Raises:
        ContractError: Athena cannot have a column of that name, or two would have one name.
    """
    head = [
        f"-- {rendered_from(contract)}",
        f"-- not enforced here: {NOT_ENFORCED}",
        f"-- Put the lake's address, s3://bucket or s3://bucket/prefix, in the place of {LAKE}.",
        "-- Athena runs one statement at a time.",
        f"CREATE DATABASE IF NOT EXISTS {DATABASE};",
    ]
    return "\n\n".join(["\n".join(head), *map(_statement, tables(contract))]) + "\n"


def _statement(table: Table) -> str:
    form, told = FORMATS[table.storage], serde_parameters(table)
    return "\n".join(
        [
            f"CREATE EXTERNAL TABLE IF NOT EXISTS {DATABASE}.{table.name} (",
            ",\n".join(f"  {_column(column)}" for column in table.columns),
            ")",
            f"COMMENT {_literal(table.description)}",
            f"PARTITIONED BY ({_column(PARTITION)})",
            f"ROW FORMAT SERDE {_literal(form.serde)}",
            *([f"WITH SERDEPROPERTIES ({_properties(told)})"] if told else []),
            f"STORED AS INPUTFORMAT {_literal(form.reader)}",
            f"OUTPUTFORMAT {_literal(form.writer)}",
            f"LOCATION {_literal(f'{LAKE}/{table.folder}/')}",
            "TBLPROPERTIES (",
            _properties({k: v for k, v in parameters(table).items() if k != "EXTERNAL"}, ",\n  ", "  "),
            ");",
        ]
    )


def _column(column: TableColumn) -> str:
    return f"`{column.name}` {column.kind} COMMENT {_literal(column.comment)}"


def _properties(found: Mapping[str, str], between: str = ", ", before: str = "") -> str:
    return before + between.join(f"{_literal(name)} = {_literal(value)}" for name, value in found.items())


def _literal(text: str) -> str:
    """A text in Hive's SQL, where a backslash escapes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
