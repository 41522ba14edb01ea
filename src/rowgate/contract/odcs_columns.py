"""The properties of an object of the standard, as columns with their rules."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rowgate.contract import checks
from rowgate.contract.compact_columns import PII
from rowgate.contract.draft import Draft, Said, safe
from rowgate.contract.model import NAME, Column, NaturalKey, Pii
from rowgate.contract.odcs_fields import OdcsFields
from rowgate.contract.odcs_library import never_null
from rowgate.contract.odcs_options import read_options
from rowgate.contract.odcs_quality import read_column_quality
from rowgate.contract.odcs_types import read_type
from rowgate.contract.types import Text
from rowgate.contract.yaml_document import Scalar, shown

INFORMATIVE_COLUMN = (
    *("id", "businessName", "description", "deprecated", "synonyms", "authoritativeDefinitions", "tags"),
    *("customProperties", "partitioned", "partitionKeyPosition", "encryptedName", "transformSourceObjects"),
    *("transformLogic", "transformDescription", "examples", "criticalDataElement"),
)
"""Keys of a property that are accepted and not looked at, but for the description and `rowgate…`."""

_READ = (
    *("name", "physicalName", "logicalType", "physicalType", "logicalTypeOptions", "required", "unique", "primaryKey"),
    *("primaryKeyPosition", "classification", "enum", "quality", "semanticType", "relationships"),
)
_OPEN = frozenset(
    {"public", "internal", "none", "unclassified", "unrestricted", "open", "general", "non-personal", "no"}
)
_CLASSES = {name.replace(" ", "-"): pii for name, pii in PII.items()}
_SPACES = re.compile(r"[\s_]+")


@dataclass(frozen=True)
class OdcsColumn:
    """A column and what the file calls it.

    Attributes:
        name: as other parts of the file refer to it.
        known: its type could be read.
    """

    name: str
    column: Column
    fields: OdcsFields
    known: bool


def read_columns(table: OdcsFields, draft: Draft) -> list[OdcsColumn]:
    """Add an object's columns, their rules and its primary key to the draft."""
    found = [_column(fields, draft) for fields in table.listed("properties")]
    keys = sorted((each for each in found if each.fields.flag("primaryKey")), key=_position)
    if keys and draft.key is not None:
        keys[0].fields.problem("primaryKey", "gives a second key, beside rowgateSurrogateKey; keep one of them.")
    elif keys:
        draft.key = NaturalKey(tuple(each.column.name for each in keys))
        draft.lines[": the key "] = keys[0].fields.line_of("primaryKey")
    for each in found:
        _rules(each, alone=len(keys) == 1, table=table, draft=draft)
    if len(keys) > 1 and draft.order is None:
        first, *others = keys
        names = [each.column.name for each in keys]
        line, path = first.fields.line_of("primaryKey"), first.fields.at("primaryKey")
        said = Said("unique", checks.Unique(tuple(each.column.name for each in others)), line, path)
        draft.add_rule(first.column.name, first.column.type, said, f"duplicate_{'_'.join(map(safe, names))}")
    return found


def _position(column: OdcsColumn) -> int:
    return column.fields.whole("primaryKeyPosition") or 0


def _column(fields: OdcsFields, draft: Draft) -> OdcsColumn:
    fields.refuse_others(*_READ, *INFORMATIVE_COLUMN)
    if fields.text("semanticType") not in (None, "column"):
        fields.problem("semanticType", "is not supported: it is no column of a file.")
    name = fields.needed("name", "the column as the header spells it")
    kind = read_type(fields)
    draft.untyped |= kind is None
    pii, words = _classified(fields)
    loaded = True
    for own in fields.listed("customProperties"):
        called = own.text("property") or ""
        if called == "rowgatePii":
            pii, words = own.choice("value", PII) or pii, ""
        elif called == "rowgateLoaded":
            loaded = own.flag("value") is not False
        elif called.startswith("rowgate"):
            own.problem("property", f"is {shown(called)!r}, which is none of rowgate's properties of a column.")
    column = Column(
        fields.text("physicalName") or name,
        kind or Text(),
        pii,
        " ".join(filter(None, [fields.text("description"), words])),
        required=bool(fields.flag("required") or fields.flag("primaryKey") or never_null(fields)),
        loaded=loaded,
    )
    return OdcsColumn(name, column, fields, kind is not None)


def _classified(fields: OdcsFields) -> tuple[Pii, str]:
    """The class of a classification, which can be any word: one that is not known counts as personal, to be safe."""
    text = fields.text("classification")
    if text is None:
        return Pii.NONE, ""
    word = _SPACES.sub("-", text.casefold())
    if word in _OPEN:
        return Pii.NONE, ""
    return _CLASSES.get(word, Pii.DIRECT), f"Classification: {shown(text)}."


def _foreign_key(fields: OdcsFields, own: Mapping[str, str]) -> Iterator[Said]:
    """The one relationship that a contract has: the value is a key of another one, called like the object, or its own.

    Args:
        fields: the property.
        own: the name of the file's object, and the contract's.
    """
    relationships = list(fields.listed("relationships"))
    if "relationships" not in fields or not relationships:
        return
    one = relationships[0]
    to = one.text("to") if isinstance(one.node("to"), Scalar) else None
    other, _, column = (to or "").partition(".")
    plain = NAME.fullmatch(other) and column and "/" not in column and "." not in column
    if len(relationships) > 1 or (one.text("type") or "foreignKey") != "foreignKey" or "from" in one or not plain:
        fields.problem("relationships", "is not supported, other than one foreignKey to one object.property.")
        return
    yield Said("in", checks.References(own.get(other, other), column), one.line_of("to"), one.at("to"))


def _rules(each: OdcsColumn, *, alone: bool, table: OdcsFields, draft: Draft) -> None:
    fields, column = each.fields, each.column
    if not column.name or not each.known:
        return
    said = list(read_column_quality(fields, column, table, draft))
    whole = draft.order is not None  # the quality rules are all of them
    if column.required and not whole and not any(one.thing == "required" for one in said):
        key = "required" if fields.flag("required") else "primaryKey"
        said.append(Said("required", checks.NotBlank(), fields.line_of(key), fields.at(key)))
    if not isinstance(column.type, Text) and not whole:
        key = "logicalType" if "logicalType" in fields else "physicalType"
        said.append(Said("type", checks.Typed(), fields.line_of(key), fields.at(key)))
    if (fields.flag("unique") or (alone and not whole and fields.flag("primaryKey"))) and not any(
        one.thing == "unique" for one in said
    ):
        key = "unique" if fields.flag("unique") else "primaryKey"
        said.append(Said("unique", checks.Unique(), fields.line_of(key), fields.at(key)))
    known = [one.check for one in said] if whole else []
    more = (*read_options(fields, column), *_foreign_key(fields, {table.text("name") or "": draft.name}))
    said.extend(one for one in more if one.check not in known)
    draft.add_column(column, said, fields.line)
