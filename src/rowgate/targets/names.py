"""The names that a contract's columns and tables have in each target: legal, and no two of them one name.

A name is kept as it is wherever the target can quote it. What it cannot have is changed where the target reads by
place (Athena), and is an error of rendering elsewhere. Names that become one by that are an error that names both.

| target | kept | changed | refused |
|---|---|---|---|
| Postgres | everything, quoted | nothing | over 63 bytes; system columns; a table called like another's index |
| Athena, Glue | letters and digits of any alphabet, `_` | to lower case; other characters to `_` | over 255 bytes |
| Spark, Delta, DuckDB | everything, quoted | nothing | nothing |
| dbt's models | everything, quoted | nothing | as Postgres; quotation marks; `{{`, `{%`, `{#` |
| dbt's tests | letters and digits of any alphabet, `_` | other characters to `_`, with a digest | nothing |
| metrics | all: they are made of contract names and reasons | nothing | nothing |
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from rowgate.contract.model import Contract
from rowgate.contract.validate import OWN_COLUMNS
from rowgate.errors import ContractError
from rowgate.targets.postgres_sql import LONGEST

GLUE_BYTES = 255
"""The most bytes of a column's name in Glue (Athena's user guide, "Name databases, tables, and columns")."""

_SYSTEM_COLUMNS = frozenset({"tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"})  # PostgreSQL manual 5.6
_NEEDS_MAPPING = frozenset(" ,;{}()\n\t=")  # Delta's and Parquet's rule for tables without column mapping
_NOT_IN_DBT = ('"', "{{", "{%", "{#")  # dbt 1.11 quotes a name without doubling, and reads Jinja anywhere


def postgres(contract: Contract) -> dict[str, str]:
    """The name in Postgres, not quoted yet, of the surrogate key and of every loaded column.

    Raises:
        ContractError: Postgres cannot have a column of that name.
    """
    named = [*_surrogate(contract), *(column.name for column in contract.loaded)]
    for name in named:
        _fits(contract, name, name, LONGEST, "Postgres")
        if name in _SYSTEM_COLUMNS:
            raise ContractError(
                f"Contract {contract.name}: the column name {name} is one of Postgres's own; rename it."
            )
    return dict(zip(named, named, strict=True))


def athena(contract: Contract) -> dict[str, str]:
    """The name in Glue and Athena of the surrogate key and of every column, in lower case, not quoted yet.

    Where `athena_by_place` says so, the files' columns have other names, and must be read by their place.

    Raises:
        ContractError: Glue cannot have a column of that name, or two would have one name.
    """
    named = {name: _plain(name.lower()) for name in _all(contract)}
    for name, legal in named.items():
        _fits(contract, name, legal, GLUE_BYTES, "Glue")
    _apart(contract, named, "Athena")
    return named


def athena_by_place(contract: Contract) -> bool:
    """Whether Athena must read Parquet files by the place of a column (`parquet.column.index.access`).

    By its name, which Athena compares in lower case, it would not find a column that has another name in the file.
    """
    return any(legal != name.lower() for name, legal in athena(contract).items())


def delta(contract: Contract) -> dict[str, str]:
    """The name in Spark and Delta, not quoted yet, of the surrogate key and of every column: the same.

    Both compare names without regard to case; a contract has no two that differ in case alone.
    """
    return {name: name for name in _all(contract)}


def delta_mapped(contract: Contract) -> tuple[str, ...]:
    """The columns that a Delta table can have under `delta.columnMapping.mode = 'name'` only."""
    return tuple(name for name in delta(contract) if _NEEDS_MAPPING & set(name))


def dbt(contract: Contract) -> dict[str, str]:
    """The name in dbt's models, not quoted yet, of the surrogate key and of every loaded column: as in Postgres.

    Raises:
        ContractError: Postgres cannot have a column of that name, or dbt cannot quote it.
    """
    named = postgres(contract)
    for name in named:
        if any(sign in name for sign in _NOT_IN_DBT):
            raise ContractError(
                f"Contract {contract.name}: dbt cannot have the column name {name!r}: it does not double quotation "
                "marks, and reads {{, {% and {# as its own; rename the column."
            )
    return named


def dbt_test(wanted: str) -> str:
    """The name of a dbt test: dbt takes no blanks, and what reads its results splits names at dots.

    Another character than a letter, a digit or `_` becomes `_`; a digest tells names apart that are the same then.
    """
    plain = _plain(wanted)
    return plain if plain == wanted else f"{plain}_{hashlib.sha256(wanted.encode()).hexdigest()[:8]}"


def relations(contracts: Sequence[Contract]) -> None:
    """See that the tables of several contracts, and the indexes Postgres makes for their keys, have different names.

    Raises:
        ContractError: the table of one has the name of another's index, so that it could not be made.
    """
    keyed = [contract for contract in contracts if contract.key is not None]
    indexes = {f"{contract.name}_pkey": contract for contract in keyed}  # PostgreSQL manual, CREATE TABLE
    for contract in keyed:
        owner = indexes.get(contract.name)
        if owner is not None:
            raise ContractError(
                f"The contracts {owner.name} and {contract.name} cannot share a warehouse: Postgres calls the index of "
                f"the key of {owner.name} {contract.name}; rename one."
            )


def _surrogate(contract: Contract) -> Iterable[str]:
    names = {column.name for column in contract.columns}
    return (name for name in contract.key_columns if name not in names)


def _all(contract: Contract) -> list[str]:
    return [*_surrogate(contract), *(column.name for column in contract.columns)]


def _plain(name: str) -> str:
    return "".join(character if character.isalnum() else "_" for character in name)


def _fits(contract: Contract, name: str, legal: str, most: int, target: str) -> None:
    size = len(legal.encode())
    if size > most:
        raise ContractError(
            f"Contract {contract.name}: the column name {name} takes {size} bytes, and {target} keeps {most}; "
            "shorten it."
        )


def _apart(contract: Contract, named: Mapping[str, str], target: str) -> None:
    """See that no two columns, and none of rowgate's own, have one name in the target."""
    taken: dict[str, str] = {}
    for name, legal in named.items():
        if legal in OWN_COLUMNS:
            raise ContractError(
                f"Contract {contract.name}: the column {name} would be {legal} in {target}, which rowgate adds itself; "
                "rename it."
            )
        if legal in taken:
            raise ContractError(
                f"Contract {contract.name}: the columns {taken[legal]} and {name} would be one name in {target}, "
                f"{legal}; rename one."
            )
        taken[legal] = name
