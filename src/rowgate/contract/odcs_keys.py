"""Whether a file has the shape of the Open Data Contract Standard: known keys, and values of the right kind."""

from collections.abc import Collection, Iterator
from typing import Any, get_args

from open_data_contract_standard.model import DataQuality, OpenDataContractStandard, Server, TeamMember
from pydantic import BaseModel, ValidationError

from rowgate.contract.yaml_document import Entries, Items, Node, Problems, Scalar, shown
from rowgate.contract.yaml_fields import near

_OLD_KEYS: dict[type[BaseModel], tuple[str, ...]] = {TeamMember: ("comment",), DataQuality: ("validValues",)}
"""Keys of v3.0 that later versions have dropped."""


_OPPOSITES = frozenset({"nullable", "isnullable", "notnull"})


def check_shape(root: Entries, problems: Problems) -> None:
    """Keep a problem for every key the standard does not know, and every value of a wrong kind."""
    _unknown_keys(root, OpenDataContractStandard, "", problems)
    try:
        OpenDataContractStandard.model_validate(_plain(root))
    except ValidationError as error:
        for finding in error.errors(include_url=False, include_context=False, include_input=False):
            if finding["type"] != "extra_forbidden":  # told above, with the nearest key
                line, path = _locate(root, finding["loc"])
                problems.add(line, f"{path}: {finding['msg']}.")


def label(item: Node, place: int) -> str:
    """How a path names an item of a list: by its name, or by its place from 1."""
    if isinstance(item, Entries):
        for key in ("name", "server", "property"):
            _, named = item.entries.get(key, (0, None))
            if isinstance(named, Scalar) and named.text:
                return shown(named.text)
    return str(place)


def _unknown_keys(node: Node, model: type[BaseModel], path: str, problems: Problems) -> None:
    if isinstance(node, Items):
        for place, item in enumerate(node.items, start=1):
            _unknown_keys(item, model, f"{path}.{label(item, place)}", problems)
    if not isinstance(node, Entries):
        return
    known = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    known |= dict.fromkeys(_OLD_KEYS.get(model, ()))
    for key, (line, value) in node.entries.items():
        here = f"{path}.{shown(key)}" if path else shown(key)
        if key not in known:
            if model is not Server:  # each kind of server has keys of its own, and those read here say which
                problems.add(line, f"{here} is no key of the standard here{_hint(key, known)}")
            continue
        models = set(_models(known[key]))
        if len(models) > 1:  # a team: one mapping, or the list of its members
            models = {each for each in models if (each is TeamMember) == isinstance(value, Items)}
        for inner in models:
            _unknown_keys(value, inner, here, problems)


def _hint(key: str, known: Collection[str]) -> str:
    folded = key.casefold().replace("_", "")
    if folded in _OPPOSITES and "required" in known:
        return "; write required: true where no value may be missing."
    meant = near(key, known)
    return f"; did you mean {meant}?" if meant else "."


def _models(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - an annotation has no type of its own
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def _plain(node: Node) -> object:
    """What the model reads: texts, which it types by their keys."""
    match node:
        case Scalar():
            return None if node.empty else node.text
        case Items(items):
            return [_plain(item) for item in items]
        case Entries(entries):
            return {key: _plain(value) for key, (_, value) in entries.items()}


def _locate(root: Entries, steps: tuple[int | str, ...]) -> tuple[int, str]:
    """The line and the path of what the model names by keys and places (from 0)."""
    node: Node = root
    line, path = 1, ""
    for step in steps:
        if isinstance(node, Entries) and step in node.entries:
            line, node = node.entries[str(step)]
            path = f"{path}.{shown(str(step))}" if path else shown(str(step))
        elif isinstance(node, Items) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            line, path = node.line, f"{path}.{label(node, step + 1)}"
    return line, path or "The file"
