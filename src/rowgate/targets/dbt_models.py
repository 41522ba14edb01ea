"""What dbt's models of a project show of a contract, as their own files say it (dbt 1.11's `models:` in YAML)."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rowgate.contract.model import Pii
from rowgate.errors import UnusableError

Layer = Literal["staging", "marts"]
_LAYERS: tuple[Layer, ...] = ("staging", "marts")
_NOT_CODE = re.compile(r"--[^\n]*|/\*.*?\*/|\{#.*?#\}", re.DOTALL)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Model:
    """One model.

    Attributes:
        contract: the contract in whose folder it is.
        layer: the folder above that, which is also the schema in which it is published.
        name: the view's or table's name.
        columns: the columns that its YAML declares, in order, with their classes.
        sql: its query without comments; empty where there is none.
    """

    contract: str
    layer: Layer
    name: str
    columns: Mapping[str, Pii]
    sql: str = ""

    def reads(self, column: str) -> bool:
        """Whether the query names the column, in any case. A name that is no plain word is looked for as it is."""
        if not _WORD.fullmatch(column):
            return column.casefold() in self.sql.casefold()
        return column.casefold() in {word.casefold() for word in _WORD.findall(self.sql)}


def read(project: Path, but: Collection[str] = ()) -> tuple[Model, ...]:
    """The models in `dbt/models/{staging,marts}/<contract>/`, in alphabetical order; none where there is no folder.

    Args:
        project: the project's folder.
        but: paths in the project of files to leave out.

    Raises:
        UnusableError: a file cannot be read, or names a class of personal data that there is not.
    """
    return tuple(model for layer in _LAYERS for model in _layer(project, layer, but))


def _layer(project: Path, layer: Layer, but: Collection[str]) -> Iterator[Model]:
    folder = project / "dbt" / "models" / layer
    for inner in sorted(each for each in folder.glob("*") if each.is_dir()):
        files = [file for file in sorted(inner.iterdir()) if file.relative_to(project).as_posix() not in but]
        documents = [file for file in files if file.suffix in (".yml", ".yaml")]
        declared = {name: columns for file in documents for name, columns in _declared(file)}
        queries = {file.stem: _NOT_CODE.sub(" ", _text(file)) for file in files if file.suffix == ".sql"}
        for name in sorted({*declared, *queries}):
            yield Model(inner.name, layer, name, declared.get(name, {}), queries.get(name, ""))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnusableError(f"{file} is not UTF-8.") from error


def _declared(file: Path) -> Iterator[tuple[str, dict[str, Pii]]]:
    import yaml  # noqa: PLC0415 - who reads no models does not need it

    try:
        found = yaml.safe_load(_text(file)) or {}
        models = [(model["name"], model.get("columns") or []) for model in found.get("models") or []]
        for name, columns in models:
            yield name, {str(column["name"]): _pii(file, column) for column in columns}
    except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
        raise UnusableError(f"{file} cannot be read as dbt's models ({type(error).__name__}).") from error


def _pii(file: Path, column: Mapping[str, Any]) -> Pii:
    said = ((column.get("config") or {}).get("meta") or column.get("meta") or {}).get("pii", Pii.NONE.value)
    try:
        return Pii(said)
    except ValueError:
        known = ", ".join(pii.value for pii in Pii)
        raise UnusableError(f"{file}: the column {column['name']} has pii {said!r}; it is one of: {known}.") from None
