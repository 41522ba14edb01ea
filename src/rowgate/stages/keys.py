"""The keys of loaded rows, kept in the lake, so that the rules of other contracts can refer to them.

Each load leaves `keys/<contract>/dt=…/<run>.parquet`: the key's columns of the rows it brought. They can be made again
by loading the run again. Where a key is personal data, so are these files.
"""

from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import assert_never

import pyarrow as pa
import pyarrow.parquet as pq

from rowgate.adapters.lake import Lake
from rowgate.contract.checks import References, Value
from rowgate.contract.model import Contract
from rowgate.contract.references import key_type, references_of
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages import zones
from rowgate.stages.run import Run, Zone

_ZONE: Zone = "keys"
_BATCH = 1 << 16  # rows


@dataclass(frozen=True)
class KeyFiles:
    """Where the loaded keys are that one reference looks at.

    Attributes:
        lake: the lake that has them.
        files: keys of the lake, at least one, all Parquet.
        column: the column of these files; a whole number is one of 64 bits, a timestamp in microseconds of UTC.
    """

    lake: Lake
    files: tuple[str, ...]
    column: str


Keys = dict[References, KeyFiles]
"""What references look at. One that is not in it has no keys yet, and is not evaluated."""


def keep_keys(contract: Contract, run: Run, lake: Lake) -> None:
    """Write the keys of a run's clean rows; a load that is made again writes the same.

    Args:
        contract: the contract; without a key there is nothing to keep.
        run: whose clean rows, all of them loaded.
        lake: where they are, and where the keys go.

    Raises:
        RowgateError: the lake cannot be read or written.
    """
    names = list(contract.key_columns)
    if not names:
        return
    schema = pa.schema([(name, _stored(key_type(contract, name))) for name in names])
    with (
        lake.create(run.file(_ZONE, ".parquet")) as out,
        pq.ParquetWriter(out, schema, compression="zstd", compression_level=1, use_dictionary=False) as writer,
    ):
        for file in zones.parquet_files(lake, run.folder("clean")):
            with lake.open(file) as stream, closing(pq.ParquetFile(stream)) as clean:
                for batch in clean.iter_batches(_BATCH, columns=names, use_threads=False):
                    writer.write_table(pa.Table.from_batches([batch]).select(names).cast(schema))


def find_keys(contract: Contract, lake: Lake, run: Run | None = None) -> Keys:
    """The loaded keys that a contract's rules refer to, as they are now.

    Args:
        contract: the contract.
        lake: where loads left them.
        run: whose own keys are left out, so that a run judged again does not find itself.

    Raises:
        UnusableError: keys were left by another version of their contract, with other columns or types.
        RowgateError: a file of keys is damaged, or the lake cannot be read.
    """
    found: Keys = {}
    for rule, check in references_of(contract):
        kind = contract.column(rule.field).type
        own = run.file(_ZONE, ".parquet") if run else None
        files = tuple(file for file in zones.parquet_files(lake, f"{_ZONE}/{check.contract}") if file != own)
        if files:
            found[check] = KeyFiles(lake, files, _column(lake, files, check, kind))
    return found


def values_of(found: KeyFiles, most: int) -> Iterator[Value]:
    """Up to `most` of the keys, in the order of the loads."""
    for file in found.files:
        with found.lake.open(file) as stream, closing(pq.ParquetFile(stream)) as parquet:
            for batch in parquet.iter_batches(_BATCH, columns=[found.column], use_threads=False):
                yield from batch.column(0).slice(0, most).to_pylist()
                most -= batch.num_rows
                if most <= 0:
                    return


def _column(lake: Lake, files: Collection[str], check: References, kind: ColumnType) -> str:
    """The column of the files that a reference looks at, of the type of the column that refers."""
    wanted, name = _stored(kind), check.column
    for file in files:
        try:
            with lake.open(file) as stream:
                schema = pq.read_schema(stream)
        except pa.ArrowInvalid:
            raise RowgateError(
                f"{lake.uri_of(file)} is not whole Parquet; delete it, and clear 'load' of its run to make it again."
            ) from None
        name = name or (schema.names[0] if len(schema.names) == 1 else None)
        if name not in schema.names or schema.field(name).type != wanted:
            raise UnusableError(
                f"{lake.uri_of(file)} holds keys of {check.contract} as another version of that contract had them; "
                "delete it, and load its run again."
            )
    assert name is not None  # noqa: S101 - every file was seen to have it
    return name


def _stored(kind: ColumnType) -> pa.DataType:
    match kind:
        case Text():
            return pa.string()
        case Integer():
            return pa.int64()  # of both sizes, so that columns of either can refer to it
        case Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case Date():
            return pa.date32()
        case Timestamp():
            return pa.timestamp("us", "UTC")
        case Boolean():
            return pa.bool_()
        case _:
            assert_never(kind)
