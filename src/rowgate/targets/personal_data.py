"""The page of all personal data: which fields of all contracts are about a person, and where each of them lives."""

from collections.abc import Iterator, Sequence

from rowgate.contract import words
from rowgate.contract.model import Contract, Pii, SurrogateKey
from rowgate.targets import postgres
from rowgate.targets.dbt_models import Model
from rowgate.targets.markdown_text import code, table, text
from rowgate.targets.support import sentence

_CLASSES = {
    Pii.DIRECT: "tells who a person is by itself",
    Pii.QUASI: "tells who a person is together with others",
    Pii.PSEUDONYM: "stands for a person; who knows what it was made of, or has the list behind it, knows for whom",
}
_ALL_ZONES = "raw, records, rejects"
_EVERYWHERE = """\
- `raw/` holds the whole file as it came, and is never deleted; `raw_record` in `records/` and `rejects/` holds the text
  of a record that cannot be read. Either may hold what no column is meant to.
- `keys/` holds the keys of the rows that were loaded; rules of other contracts refer to them.
- `quality/`, the gauges, the logs and the alerts hold names and counts, never values.
- A mart that only reads a column shows something made of it: a count, a band, a share. A small count can still tell who
  a person is."""


def render(contracts: Sequence[Contract], models: Sequence[Model]) -> str:
    """The page.

    Args:
        contracts: all that there are.
        models: dbt's models, which say where the marts have personal data.
    """
    parts = [
        "<!-- Rendered from all contracts and dbt's models: change those, then run `make render`. -->",
        "# Personal data",
        "Every column of every contract that is about a person, and every place in which it is.",
        table(("class", "what it is", "columns"), _classes(contracts, models)),
        *(part for contract in contracts for part in _contract(contract, models)),
        "## Everywhere",
        _EVERYWHERE,
    ]
    return "\n\n".join(parts) + "\n"


def _classes(contracts: Sequence[Contract], models: Sequence[Model]) -> Iterator[tuple[str, str, str]]:
    found = [pii for contract in contracts for _, pii, *_ in _fields(contract, models)]
    for pii, meaning in _CLASSES.items():
        yield pii.value, meaning, str(found.count(pii))


def _contract(contract: Contract, models: Sequence[Model]) -> Iterator[str]:
    yield f"## {text(contract.name)}"
    fields = list(_fields(contract, models))
    owner = f"Owner: {text(sentence(contract.owner))}"
    if not fields:
        yield f"{owner} No column is about a person."
        return
    yield owner
    head = ("column", "class", "zones of the lake", "warehouse", "marts that show it", "marts that only read it")
    rows = [
        (code(name), pii.value, zones, _listed(tables), *map(_listed, _marts(contract, name, models)))
        for name, pii, zones, tables in fields
    ]
    yield table(head, rows)


def _fields(contract: Contract, models: Sequence[Model]) -> Iterator[tuple[str, Pii, str, list[str]]]:
    """Each personal column: its name, its class, the zones and the warehouse's tables and views that have it."""
    tables = [f"{postgres.SCHEMA}.{contract.name}", f"staging.stg_{contract.name}"] if contract.key else []
    if isinstance(contract.key, SurrogateKey):
        yield contract.key.name, Pii.PSEUDONYM, "clean, keys", tables
    for column in contract.columns:
        if column.pii is not Pii.NONE:
            zones = ", ".join(
                [
                    _ALL_ZONES,
                    *(["clean"] if column.loaded else []),
                    *(["keys"] if column.name in contract.key_columns else []),
                ]
            )
            yield column.name, column.pii, zones, tables if column.loaded else []
    known = {name.casefold() for name in (*contract.key_columns, *(column.name for column in contract.columns))}
    derived: dict[str, tuple[Pii, list[str]]] = {}
    for model in models:
        for name, pii in model.columns.items() if model.contract == contract.name else ():
            if pii is not Pii.NONE and name.casefold() not in known:
                _, places = derived.setdefault(name, (pii, []))
                if model.layer == "staging":
                    places.append(f"{model.layer}.{model.name}")
    for name, (pii, places) in derived.items():
        yield name, pii, "none: made by dbt", places


def _marts(contract: Contract, name: str, models: Sequence[Model]) -> tuple[list[str], list[str]]:
    """The marts that have a column of that name, and those whose query names it without showing it."""
    show: list[str] = []
    read: list[str] = []
    for model in models:
        if model.layer == "marts" and (model.contract == contract.name or model.reads(f"stg_{contract.name}")):
            place = f"{model.layer}.{model.name}"
            if name.casefold() in {column.casefold() for column in model.columns}:
                show.append(place)
            elif model.reads(name):  # what a mart that declares no columns reads, it may show
                (read if model.columns else show).append(place)
    return show, read


def _listed(places: Sequence[str]) -> str:
    return words.listed([code(place) for place in places]) or "none"
