"""The Athena tables of a contract: one definition, which the DDL, Glue's JSON and `rowgate query` are made from.

Each table reads a zone of the lake, whose folders are `<zone>/<contract>/dt=<day>/…`. The types are those that the
pipeline's files have (Hive's names for them, as Glue keeps them).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, assert_never

from rowgate.contract.model import Contract, Pii, SurrogateKey
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.targets import names
from rowgate.targets.support import sentence

DATABASE = "rowgate"
"""The database of every table, in Glue and in Athena."""

Zone = Literal["records", "clean", "rejects", "quality"]
Storage = Literal["parquet", "json"]

_LONGEST_COMMENT = 255  # characters; Glue's API, data type Column
_LONGEST_DESCRIPTION = 2048  # characters; Glue's API, data type TableInput
_STRONGEST = (Pii.DIRECT, Pii.QUASI, Pii.PSEUDONYM, Pii.NONE)
_RULES = "array<struct<name:string,value:double,threshold:double,state:string,low:double,allowed:string>>"
_COUNTS = "map<string,bigint>"


@dataclass(frozen=True)
class TableColumn:
    """One column.

    Attributes:
        name: in Athena, lower case, not quoted.
        kind: Hive's name of the type.
        description: a sentence, or nothing.
        pii: how it identifies a person.
        source: its name in the files.
    """

    name: str
    kind: str
    description: str
    pii: Pii = Pii.NONE
    source: str = ""

    @property
    def comment(self) -> str:
        """The description and the PII class, in one line of at most 255 characters, as Glue takes it."""
        said = f"PII: {self.pii.value}."
        description = " ".join(sentence(self.description).split())
        room = _LONGEST_COMMENT - len(said) - 1
        if len(description) > room:
            description = f"{description[: room - 3].rstrip()}..."
        return f"{description} {said}".strip()


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        name: in Athena.
        contract: the contract's name, a folder of the zone.
        zone: what it reads.
        columns: in the order of the files, without the partition.
        storage: what the files are; JSON has one object in a line.
        by_place: a column is found by its place in the files, since its name there is another.
        description: one line of at most 2048 characters.
    """

    name: str
    contract: str
    zone: Zone
    columns: tuple[TableColumn, ...]
    storage: Storage
    by_place: bool
    description: str

    @property
    def folder(self) -> str:
        """The key of its folder in the lake."""
        return f"{self.zone}/{self.contract}"


PARTITION = TableColumn("dt", "string", "The UTC date of the run, YYYY-MM-DD.")
"""The one partition column of every table."""


def tables(contract: Contract) -> tuple[Table, ...]:
    """The tables of a contract: `<contract>_records`, `_clean`, `_rejects` and `_quality`.

    Raises:
        ContractError: Athena cannot have a column of that name, or two would have one name.
    """
    legal = names.athena(contract)
    return (
        _table(contract, "records", _records(contract, legal), "Every record of every file, as text, trimmed."),
        _table(contract, "clean", _clean(contract, legal), "The accepted rows, typed."),
        _table(contract, "rejects", _rejects(contract, legal), "The rejected rows, as text, each with its reasons."),
        _table(contract, "quality", quality_columns(), "One row a run: its report."),
    )


def _table(contract: Contract, zone: Zone, columns: Iterable[TableColumn], about: str) -> Table:
    said = " ".join(f"{about} {sentence(contract.description)}".split())
    whose = f"Contract {contract.name} {contract.version}, owner {' '.join(contract.owner.split())}."
    return Table(
        name=f"{contract.name}_{zone}",
        contract=contract.name,
        zone=zone,
        columns=tuple(columns),
        storage="json" if zone == "quality" else "parquet",
        by_place=zone != "quality" and names.athena_by_place(contract),
        description=f"{said[: _LONGEST_DESCRIPTION - len(whose) - 1].rstrip()} {whose}",
    )


def kind_of(kind: ColumnType) -> str:
    """The type as Hive, Glue and Athena's DDL call it."""
    match kind:
        case Text():
            return "string"
        case Integer(bits):
            return "int" if bits == 32 else "bigint"  # noqa: PLR2004 - the two sizes of an integer
        case Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case Date():
            return "date"
        case Timestamp():
            return "timestamp"
        case Boolean():
            return "boolean"
        case _:
            assert_never(kind)


def _texts(contract: Contract, legal: dict[str, str]) -> Iterable[TableColumn]:
    for column in contract.columns:
        yield TableColumn(legal[column.name], "string", column.description, column.pii, column.name)


def _own(name: str, kind: str, description: str) -> TableColumn:
    return TableColumn(name, kind, description, source=name)


def _whose() -> Iterable[TableColumn]:
    yield _own("record_number", "bigint", "The record's number in its file, from 1.")
    yield _own("run_id", "string", "The run that read the file.")


def _malformed(contract: Contract) -> TableColumn:
    """The text of a malformed record: as personal as the most personal column, since it may hold any of them."""
    classes = {column.pii for column in contract.columns}
    strongest = next(pii for pii in _STRONGEST if pii in classes)
    about = "The text of a malformed record, else null."
    return TableColumn("raw_record", "string", about, strongest, "raw_record")


def _records(contract: Contract, legal: dict[str, str]) -> Iterable[TableColumn]:
    yield from _texts(contract, legal)
    yield _malformed(contract)
    yield from _whose()


def _clean(contract: Contract, legal: dict[str, str]) -> Iterable[TableColumn]:
    if isinstance(contract.key, SurrogateKey):
        key = contract.key
        yield TableColumn(legal[key.name], "string", key.description, Pii.PSEUDONYM, key.name)
    for column in contract.loaded:
        yield TableColumn(legal[column.name], kind_of(column.type), column.description, column.pii, column.name)
    yield from _whose()


def _rejects(contract: Contract, legal: dict[str, str]) -> Iterable[TableColumn]:
    yield from _texts(contract, legal)
    yield _own("rejection_reason", "string", "The first rule that the record broke.")
    yield _own("rejection_reasons", "array<string>", "Every rule that the record broke, in the contract's order.")
    yield _malformed(contract)
    yield from _whose()
    yield _own("rejected_at", "timestamp", "When the run judged, UTC.")


def quality_columns() -> tuple[TableColumn, ...]:
    """The columns of the reports, in the order of their JSON, without `dt`, which the partition has."""
    return tuple(
        _own(name, kind, description)
        for name, kind, description in (
            ("contract", "string", "The contract."),
            ("version", "string", "Its version."),
            ("run_id", "string", "The run."),
            ("source", "string", "What the file was called."),
            ("outcome", "string", "passed, or stopped."),
            ("total", "bigint", "Records in the file."),
            ("accepted", "bigint", "Rows that broke no rule that rejects."),
            ("rejected", "bigint", "The others."),
            ("accept_rate", "double", "accepted / total, from 0 to 1; 1 for a file without rows."),
            ("rejected_by_reason", _COUNTS, "Rejected rows by their first reason."),
            ("violations_by_reason", _COUNTS, "Rejected rows by each of their reasons."),
            ("warnings_by_reason", _COUNTS, "Accepted rows by the rules that only warn."),
            ("quality_rules", _RULES, "What the rules about the whole file measured."),
            ("breaches", "array<string>", "Why the run was stopped, in sentences."),
            ("started_at", "string", "When the judging began, ISO 8601 in UTC."),
            ("finished_at", "string", "When it ended, or the load did, ISO 8601 in UTC."),
            ("inserted", "bigint", "Rows that were new to the warehouse; null before the load."),
            ("updated", "bigint", "Rows that replaced one of the warehouse; null before the load."),
            ("unchanged", "bigint", "Rows that the warehouse had; null before the load."),
            ("repeated", "bigint", "Rows whose key another row of the file has; null before the load."),
        )
    )
