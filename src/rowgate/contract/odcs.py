"""The Open Data Contract Standard v3 (https://bitol-io.github.io/open-data-contract-standard), read as a contract.

What the standard says and a contract cannot is a problem that names it by path. `INFORMATIVE` lists the keys that tell
people something and no engine; they are accepted and not looked at.
"""

import re
from collections.abc import Iterator

from rowgate.contract.draft import Draft
from rowgate.contract.durations import duration
from rowgate.contract.model import NAME, ServiceLevels
from rowgate.contract.odcs_columns import read_columns
from rowgate.contract.odcs_fields import OdcsFields
from rowgate.contract.odcs_keys import check_shape
from rowgate.contract.odcs_own import put_in_order, read_own_properties
from rowgate.contract.odcs_quality import read_object_quality
from rowgate.contract.yaml_document import Entries, Items, Problems, shown
from rowgate.errors import ContractError

INFORMATIVE = (
    *("id", "status", "tenant", "tags", "dataProduct", "domain", "price", "roles", "authoritativeDefinitions"),
    *("customProperties", "context", "contractCreatedTs", "slaDefaultElement", "support"),
)
"""Keys of the whole file that are accepted and not looked at, but for the first name of an owner, and `rowgate…`."""

INFORMATIVE_SLA = ("generalavailability", "ga", "endofsupport", "es", "endoflife", "el", "retention", "re")
"""Promises about the data set's life, not about its rows or runs."""

_READ_OBJECT = ("name", "physicalName", "physicalType", "logicalType", "description", "properties", "quality")
_INFORMATIVE_OBJECT = (
    *("id", "businessName", "deprecated", "synonyms", "authoritativeDefinitions", "tags", "customProperties"),
    *("dataGranularityDescription", "context"),
)
_SERVER_KEYS = {
    "local": ("path", "format", "encoding"),
    "s3": ("location", "endpointUrl", "format", "encoding", "delimiter"),
}
_SERVER_ANY = ("id", "server", "type", "description", "environment", "roles", "customProperties")
_OWNERS = frozenset({"owner", "data owner", "product owner", "data product owner"})
_OWNER_PROPERTIES = frozenset({"owner", "owneremail", "dataowner"})
_VERSIONS = re.compile(r"v?3\.[0-9]+(\.[0-9]+)?")


def read_odcs(root: Entries, draft: Draft) -> None:
    """Fill a draft from the file; what is wrong goes to the draft's problems."""
    top = OdcsFields(root, "", draft.problems)
    version = top.text("apiVersion") or ""
    if not _VERSIONS.fullmatch(version):
        what = f"is {shown(version)!r}" if version else "is not there"
        draft.problems.fatal(top.line_of("apiVersion"), f"apiVersion {what}; rowgate reads v3.0, v3.1 and later v3.")
    check_shape(root, draft.problems)
    if top.text("kind") != "DataContract":
        draft.problems.add(top.line_of("kind"), "kind must be DataContract.")
    tables = list(top.listed("schema"))
    if len(tables) != 1:
        draft.problems.fatal(
            top.line_of("schema"), f"schema lists {len(tables)} objects; a contract is about one file."
        )
    table = tables[0]
    _head(top, table, draft)
    draft.service_levels = _service_levels(top, draft.problems)
    read_own_properties(top, draft)
    _object(table, draft)
    put_in_order(draft, top.line_of("customProperties"))
    for words, key in {"The contract's name": "name", ": the version": "version", "has no owner": "team"}.items():
        draft.lines[words] = top.line_of(key)


def _head(top: OdcsFields, table: OdcsFields, draft: Draft) -> None:
    name = top.text("name") or table.text("name") or ""
    draft.name = re.sub(r"[^a-z0-9_]+", "_", name.casefold()).strip("_")
    if not NAME.fullmatch(draft.name):
        line = top.line_of("name") if "name" in top else table.line_of("name")
        draft.problems.add(line, f"The name {shown(name)!r} gives no name of 1 to 40 characters of a-z, 0-9 and _.")
    draft.version = top.needed("version", "it like 1.0.0")
    draft.owner = next(filter(None, _owners(top)), "")
    if not draft.owner:
        others = "support, domain, dataProduct or tenant"
        draft.problems.add(top.line, f"team is not there, nor {others}; name who is told of breaches in team.name.")
    said = top.inner("description")
    purposes = [said.text(key) for key in ("purpose", "usage", "limitations")] if said else []
    draft.description = " ".join(text for text in (table.text("description"), *purposes) if text)


def _owners(top: OdcsFields) -> Iterator[str]:
    """Who is told, the best first; empty texts are nobody."""
    team = top.node("team")
    inner = top.inner("team") if isinstance(team, Entries) else None
    holder, key = (inner, "members") if inner else (top, "team")
    members = list(holder.listed(key)) if inner or isinstance(team, Items) else []
    for member in members:
        if (member.text("role") or "").casefold() in _OWNERS and not member.text("dateOut"):
            yield member.text("name") or member.text("username") or ""
    if inner:
        yield inner.text("name") or ""
    if len(members) == 1:
        yield members[0].text("name") or members[0].text("username") or ""
    for channel in top.listed("support"):
        yield channel.text("channel") or ""
    for own in top.listed("customProperties"):
        if (own.text("property") or "").casefold() in _OWNER_PROPERTIES:
            yield own.text("value") or ""
    for key in ("domain", "dataProduct", "tenant"):
        yield top.text(key) or ""


def _object(table: OdcsFields, draft: Draft) -> None:
    table.refuse_others(*_READ_OBJECT, *_INFORMATIVE_OBJECT)
    if (table.text("logicalType") or "object") != "object":
        table.problem("logicalType", "is not supported; a contract is about a table of rows.")
    columns = read_columns(table, draft)
    if not columns:
        draft.problems.add(table.line, f"{table.path} has no properties; list the columns in the order of the header.")
    read_object_quality(table, {each.name: each.column for each in columns}, draft)


def _service_levels(top: OdcsFields, problems: Problems) -> ServiceLevels:
    freshness = None
    availability = ""
    arrives = [words for server in top.listed("servers") for words in _server(server)]
    for sla in top.listed("slaProperties"):
        name = (sla.text("property") or "").casefold()
        value = " ".join(part for part in (sla.text("value"), sla.text("unit")) if part)
        if name in ("freshness", "latency", "ly"):
            if freshness is not None:
                sla.problem("property", "says how fresh the data is a second time; keep freshness or latency.")
            try:
                freshness = duration(value)
            except ContractError as error:
                problems.add(sla.line_of("value"), f"{sla.at('value')} is {shown(value)!r}: {error}")
        elif name in ("availability", "av"):
            availability = value.replace(" percent", "%").replace(" %", "%")
        elif name in ("frequency", "fy", "timeofavailability", "ta"):
            arrives.append(f"{sla.text('property')} {value}")
        elif name not in INFORMATIVE_SLA:
            sla.problem("property", f"is {shown(name)!r}, which is not supported: nothing here measures it.")
    return ServiceLevels(freshness, availability, "; ".join(arrives))


def _server(server: OdcsFields) -> Iterator[str]:
    kind = (server.text("type") or "").casefold()
    if kind not in _SERVER_KEYS:
        server.problem("type", f"is {shown(kind)!r}, which is not supported; files are read from local and s3 servers.")
        return
    server.refuse_others(*_SERVER_ANY, *_SERVER_KEYS[kind])
    if (server.text("format") or "csv").casefold() != "csv":
        server.problem("format", "is not supported; a contract is about CSV files.")
    if (server.text("encoding") or "utf-8").casefold().replace("-", "") not in ("utf8", "ascii", "usascii"):
        server.problem("encoding", "is not supported; files are UTF-8.")
    if server.text("delimiter") not in (None, ",", "comma"):
        server.problem("delimiter", "is not supported; fields are separated by commas.")
    place = server.text("path" if kind == "local" else "location")
    if place:
        yield f"files at {place}"
