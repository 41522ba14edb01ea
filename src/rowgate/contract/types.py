"""The types a column can have. A type says which texts are values of it, never how an engine casts."""

from dataclasses import dataclass

from rowgate.errors import ContractError


@dataclass(frozen=True)
class Text:
    """Any text."""


@dataclass(frozen=True)
class Integer:
    """`[+-]?[0-9]+` within a signed range of `bits` bits (32 or 64)."""

    bits: int = 64

    def __post_init__(self) -> None:
        if self.bits not in (32, 64):
            raise ContractError(f"An integer has 32 or 64 bits, not {self.bits}.")

    @property
    def low(self) -> int:
        """The smallest value."""
        return -(1 << (self.bits - 1))

    @property
    def high(self) -> int:
        """The greatest value."""
        return (1 << (self.bits - 1)) - 1


@dataclass(frozen=True)
class Decimal:
    r"""`[+-]?[0-9]+(\.[0-9]+)?` with at most `scale` decimals and `precision - scale` integer digits, never rounded."""

    precision: int
    scale: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.precision <= 38:  # noqa: PLR2004 - what Spark, DuckDB and Parquet hold in one decimal
            raise ContractError(f"A decimal's precision is 1 to 38, not {self.precision}.")
        if not 0 <= self.scale <= self.precision:
            raise ContractError(f"A decimal's scale is 0 to its precision ({self.precision}), not {self.scale}.")


@dataclass(frozen=True)
class Date:
    """`YYYY-MM-DD`, a day that exists, years 0001 to 9999."""


@dataclass(frozen=True)
class Timestamp:
    """A date, `T` or a blank, `HH:MM[:SS[.f]]` with at most six digits of fraction, then nothing, `Z` or `±HH:MM`.

    Without an offset it is UTC. Offsets reach from -14:00 to +14:00, as in XML Schema 1.1 (part 2, 3.3.7). The moment
    in UTC must lie in the years 0001 to 9999.
    """


@dataclass(frozen=True)
class Boolean:
    """`true` or `false`, in any case."""


ColumnType = Text | Integer | Decimal | Date | Timestamp | Boolean


def type_name(kind: ColumnType) -> str:
    """The type as people write it in a contract: `string`, `int`, `bigint`, `decimal(p,s)`, `date`, and so on."""
    match kind:
        case Text():
            return "string"
        case Integer(bits):
            return "int" if bits == 32 else "bigint"  # noqa: PLR2004 - the two sizes of an integer
        case Decimal(precision, scale):
            return f"decimal({precision},{scale})"
        case Date() | Timestamp() | Boolean():
            return type(kind).__name__.lower()
