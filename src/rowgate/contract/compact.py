"""The compact form of a contract in YAML. The guide `contracts-in-yaml` has every key in a table."""

from collections.abc import Mapping
from typing import Literal

from rowgate.contract import checks
from rowgate.contract.compact_columns import COLUMN_KEYS, POLICIES, read_column, read_rule
from rowgate.contract.draft import Draft, Said, safe
from rowgate.contract.durations import duration
from rowgate.contract.model import DatasetRule, NaturalKey, Policy, ServiceLevels, SurrogateKey
from rowgate.contract.yaml_document import Entries, Items, Scalar
from rowgate.contract.yaml_fields import Fields

KEYS = (
    *("name", "version", "owner", "description", "policy", "columns", "schema", "unique", "key", "on_conflict"),
    *("null_markers", "max_reject_rate", "min_rows", "quality_rules", "sla", "arrives"),
)
ON_CONFLICT: Mapping[str, Literal["nothing", "update"]] = {"nothing": "nothing", "update": "update"}

_SENTENCES = {
    "The contract's name": "name",
    ": the version": "version",
    "has no owner": "owner",
    ": the key ": "key",
    ": the surrogate key ": "key",
    "max_reject_rate": "max_reject_rate",
    "min_rows": "min_rows",
    "null marker": "null_markers",
    "freshness": "sla",
}
"""Words of the sentences about a finished contract, and the key that they are about."""


def read_compact(root: Entries, draft: Draft) -> None:
    """Fill a draft from the file; what is wrong goes to the draft's problems."""
    top = Fields(root, "", draft.problems, None)
    if "contract" in top:
        top = Fields(root, "", draft.problems, ("contract",))
        inner = top.mapping("contract", KEYS)
        if inner is not None:
            _read(inner, draft)
        return
    _read(Fields(root, "", draft.problems, (*KEYS, "contract")), draft)


def _read(top: Fields, draft: Draft) -> None:
    draft.name = top.needed("name", "it in small letters, digits and _")
    draft.version = top.needed("version", "it like 1.0.0")
    draft.owner = top.needed("owner", "who is told when it is breached")
    draft.description = top.text("description") or ""
    draft.policy = top.choice("policy", POLICIES) or Policy.QUARANTINE
    draft.on_conflict = top.choice("on_conflict", ON_CONFLICT) or "nothing"
    draft.null_markers = tuple(marker.text for marker in _markers(top))
    draft.max_reject_rate = top.number("max_reject_rate", percent=True)
    draft.min_rows = top.whole("min_rows")
    for words, key in _SENTENCES.items():
        draft.lines[words] = top.line_of(key)
    _read_columns(top, draft)
    _read_unique(top, draft)
    draft.key = _key(top)
    draft.dataset_rules = [
        rule for fields in top.mappings("quality_rules", _DATASET_KEYS) if (rule := _dataset(fields, draft))
    ]
    draft.service_levels = _service_levels(top)


def _markers(top: Fields) -> tuple[Scalar, ...]:
    """Here alone `null` without quotes is a word: what files hold where they have nothing."""
    return top.scalars("null_markers") or ()


def _read_columns(top: Fields, draft: Draft) -> None:
    key = top.first_of("columns", "schema")
    if top.lacks("columns") and top.lacks("schema"):
        top.problems.add(
            top.line, f"{top.path or 'The contract'} has no columns; list them in the order of the file's header."
        )
    columns = top.mappings(key, COLUMN_KEYS)
    draft.nameless = not columns or any(not fields.text("name") for fields in columns)
    if key in top and top.node(key) is not None and not columns:
        top.problem(key, "lists no column.")
    for fields in columns:
        read_column(fields, draft)


def _read_unique(top: Fields, draft: Draft) -> None:
    """`unique: [[a, b]]`, or with a reason: `unique: [{columns: [a, b], reason: twice}]`."""
    kinds = {column.name: column.type for column in draft.columns}
    for place, item in enumerate(top.items("unique"), start=1):
        path = f"{top.at('unique')}.{place}"
        if isinstance(item, Items):
            item = Entries({"columns": (item.line, item)}, item.line)  # noqa: PLW2901 - the short form of the long one
        if not isinstance(item, Entries):
            top.problems.add(item.line, f"{path} must be a list of columns.")
            continue
        fields = Fields(item, path, top.problems, ("columns", "reason", "policy", "description"))
        names = [scalar.text for scalar in fields.scalars("columns") or ()]
        if draft.nameless:
            continue
        unknown = [name for name in names if name not in kinds]
        if unknown or not names or len(set(names)) < len(names):
            what = f"names {unknown[0]!r}, which is no column." if unknown else "must list columns, each once."
            fields.problem("columns", what)
            continue
        check = checks.Unique(tuple(names[1:]))
        said = Said("unique", check, fields.line, path, **read_rule(fields))
        draft.add_rule(names[0], kinds[names[0]], said, f"duplicate_{'_'.join(map(safe, names))}")


def _key(top: Fields) -> NaturalKey | SurrogateKey | None:
    node = top.node("key")
    if node is None:
        return None
    if not isinstance(node, Entries):
        names = top.scalars("key", alone=True) or ()
        return NaturalKey(tuple(name.text for name in names))
    fields = Fields(node, top.at("key"), top.problems, ("name", "sources", "separator", "description"))
    name, sources = fields.needed("name", "the key's column"), fields.scalars("sources")
    if sources is None and fields.lacks("sources"):
        fields.problems.add(fields.line, f"{fields.path} has no sources; list the columns it is made of.")
    separator = fields.scalar("separator")
    return SurrogateKey(
        name,
        tuple(source.text for source in sources or ()),
        separator.text if separator else "||",
        fields.text("description") or "",
    )


_DATASET_KEYS = ("name", "sql", "min", "threshold", "description")


def _dataset(fields: Fields, draft: Draft) -> DatasetRule | None:
    name, sql = fields.needed("name", "it, for the report"), fields.needed("sql", "the query over {table}")
    low, threshold = fields.number("min"), fields.number("threshold")
    if fields.lacks("threshold") and fields.lacks("min"):
        what = "has no threshold; name the greatest value that is right, or with min the least."
        fields.problems.add(fields.line, f"{fields.path} {what}")
    draft.lines[f"dataset rule {name}:"] = draft.lines[f"dataset rule {name!r}"] = fields.line
    draft.lines[f"dataset rules {name}."] = fields.line
    if low is None and threshold is None:
        return None
    return DatasetRule(name, sql, threshold, fields.text("description") or "", low=low)


def _service_levels(top: Fields) -> ServiceLevels:
    sla = top.mapping("sla", ("freshness", "availability"))
    arrives = top.text("arrives") or ""
    if sla is None:
        return ServiceLevels(arrives=arrives)
    return ServiceLevels(sla.made("freshness", duration), sla.text("availability") or "", arrives)
