"""What files of the standard that rowgate writes say beyond it.

Rules that the standard has no words for are quality rules of `type: custom, engine: rowgate`. The custom property
`rowgateRules` lists the reasons of all rules in the order of rejection; where it stands, the quality rules are all the
rules there are, and what else a column says (a range, a pattern, a relationship) must be said by one of them too.
"""

from collections.abc import Callable, Mapping

from rowgate.contract import checks
from rowgate.contract.compact import ON_CONFLICT
from rowgate.contract.compact_columns import POLICIES
from rowgate.contract.draft import Draft, Said, Thing, safe
from rowgate.contract.model import Column, DatasetRule, Policy, ServiceLevels, SurrogateKey
from rowgate.contract.odcs_fields import OdcsFields
from rowgate.contract.odcs_library import policy, refuse_others
from rowgate.contract.odcs_options import allowed, scalars_of
from rowgate.contract.yaml_document import shown
from rowgate.contract.yaml_fields import nearest
from rowgate.errors import ContractError

ENGINE = "rowgate"
_WORDS: Mapping[str, tuple[Thing, tuple[str, ...]]] = {
    "typed": ("type", ()),
    "matches": ("pattern", ("pattern",)),
    "between": ("range", ("low", "high")),
    "length": ("length", ("low", "high")),
    "one_of": ("allowed_values", ("values",)),
    "references": ("in", ("contract", "column")),
    "expression": ("checks", ("sql",)),
}
"""What `check` can name in the implementation of a rule: what that is of a column, and its other keys."""
_DATASET_KEYS = ("sql", "threshold", "low", "above_low", "below_threshold", "outside")


def is_own(fields: OdcsFields) -> bool:
    """Whether a quality rule is one that rowgate alone checks."""
    return fields.text("type") == "custom" and fields.text("engine") == ENGINE


def read_own_rule(fields: OdcsFields, column: Column) -> Said | None:
    """A rule of a column; None, and a problem, where it cannot be read."""
    inner = _implementation(fields)
    if inner is None:
        return None
    word = inner.choice("check", {word: word for word in _WORDS})
    if word is None:
        if "check" not in inner:
            inner.problem("check", f"is not there; {nearest('', _WORDS)}")
        return None
    thing, keys = _WORDS[word]
    _refuse_unknown(inner, ("check", *keys))
    try:
        check = _CHECKS[word](inner, column)
    except ContractError as error:
        inner.problem("check", f"cannot be: {error}")
        return None
    if check is None:
        return None
    reason, told = safe(fields.text("name") or ""), fields.text("description") or ""
    return Said(thing, check, fields.line, fields.path, reason, policy(fields), told)


def read_own_dataset_rule(fields: OdcsFields, draft: Draft) -> None:
    """A rule of the whole file, as the attributes of a `DatasetRule`."""
    inner = _implementation(fields)
    if inner is None:
        return
    _refuse_unknown(inner, _DATASET_KEYS)
    name, sql = fields.needed("name", "the rule"), _exact(inner, "sql")
    for words in (f"dataset rule {name}:", f"dataset rule {name!r}"):
        draft.lines[words] = fields.line
    draft.dataset_rules.append(
        DatasetRule(
            name,
            sql,
            inner.number("threshold"),
            fields.text("description") or "",
            low=inner.number("low"),
            above_low=bool(inner.flag("above_low")),
            below_threshold=bool(inner.flag("below_threshold")),
            outside=bool(inner.flag("outside")),
        )
    )


def read_own_properties(top: OdcsFields, draft: Draft) -> None:
    """What the standard has no key for: custom properties whose names begin with `rowgate`."""
    for own in top.listed("customProperties"):
        name = own.text("property") or ""
        if name == "rowgatePolicy":
            draft.policy = own.choice("value", POLICIES) or Policy.QUARANTINE
        elif name == "rowgateOnConflict":
            draft.on_conflict = own.choice("value", ON_CONFLICT) or "nothing"
        elif name == "rowgateNullMarkers":
            draft.null_markers = tuple(marker.text for marker in own.scalars("value") or ())
        elif name == "rowgateMaxRejectRate":
            draft.max_reject_rate = own.number("value", percent=True)
        elif name == "rowgateRules":
            draft.order = tuple(reason.text for reason in own.scalars("value") or ())
        elif name == "rowgateSurrogateKey":
            _surrogate_key(own, draft)
        elif name == "rowgateServiceLevels":
            _service_levels(own, draft)
        elif name.startswith("rowgate"):
            own.problem("property", f"is {shown(name)!r}, which is none of rowgate's properties of a contract.")


def put_in_order(draft: Draft, line: int) -> None:
    """Put the rules into the order of `rowgateRules`, which must name each of them once."""
    if draft.order is None:
        return
    places = {reason: place for place, reason in enumerate(draft.order)}
    for rule in draft.rules:
        if rule.reason not in places:
            where = draft.lines.get(f"rule {rule.reason}:", line)
            draft.problems.add(where, f"The rule {rule.reason} is not in rowgateRules, which lists every rule.")
    missing = set(draft.order) - {rule.reason for rule in draft.rules}
    if not draft.problems:
        for reason in draft.order:
            if reason in missing:
                draft.problems.add(line, f"rowgateRules names {shown(reason)!r}, which is no rule.")
    draft.rules.sort(key=lambda rule: places.get(rule.reason, len(places)))


def _implementation(fields: OdcsFields) -> OdcsFields | None:
    refuse_others(fields, "engine", "implementation")
    inner = fields.inner("implementation")
    if inner is None:
        fields.problem("implementation", "is not there as a mapping of keys.")
    return inner


def _refuse_unknown(fields: OdcsFields, keys: tuple[str, ...]) -> None:
    for key in fields:
        if key not in keys:
            fields.problem(key, f"is no key here; {nearest(key, keys)}")


def _exact(fields: OdcsFields, key: str) -> str:
    """The text under a key as it is, since blanks at its ends may mean something."""
    scalar = fields.scalar(key)
    return scalar.text if scalar else ""


def _matches(fields: OdcsFields, _: Column) -> checks.Check:
    return checks.Matches(_exact(fields, "pattern"))


def _between(fields: OdcsFields, column: Column) -> checks.Check | None:
    ends = []
    for key in ("low", "high"):
        scalar = fields.scalar(key)
        values = allowed(fields, key, [scalar] if scalar else [], column.type)
        if values is None:
            return None
        ends.append(values[0] if values else None)
    return checks.Between(*ends)


def _one_of(fields: OdcsFields, column: Column) -> checks.Check | None:
    values = allowed(fields, "values", scalars_of(fields, "values"), column.type)
    return None if values is None else checks.OneOf(values)


_CHECKS: Mapping[str, Callable[[OdcsFields, Column], checks.Check | None]] = {
    "typed": lambda *_: checks.Typed(),
    "matches": _matches,
    "between": _between,
    "length": lambda fields, _: checks.LengthBetween(fields.whole("low"), fields.whole("high")),
    "one_of": _one_of,
    "references": lambda fields, _: checks.References(
        _exact(fields, "contract"), _exact(fields, "column") if "column" in fields else None
    ),
    "expression": lambda fields, _: checks.Expression(_exact(fields, "sql")),
}


def _surrogate_key(own: OdcsFields, draft: Draft) -> None:
    inner = own.inner("value")
    if inner is None:
        own.problem("value", "must be a mapping of name, sources, separator and description.")
        return
    _refuse_unknown(inner, ("name", "sources", "separator", "description"))
    sources = tuple(source.text for source in inner.scalars("sources") or ())
    separator = _exact(inner, "separator") if "separator" in inner else "||"
    name = inner.needed("name", "the key's column")
    draft.key = SurrogateKey(name, sources, separator, inner.text("description") or "")
    draft.lines[": the key "] = draft.lines[": the surrogate key "] = own.line


def _service_levels(own: OdcsFields, draft: Draft) -> None:
    """The words of a promise, which the standard's own properties would change."""
    inner = own.inner("value")
    if inner is None:
        own.problem("value", "must be a mapping of availability and arrives.")
        return
    _refuse_unknown(inner, ("availability", "arrives"))
    known = draft.service_levels
    draft.service_levels = ServiceLevels(
        known.freshness, inner.text("availability") or known.availability, inner.text("arrives") or known.arrives
    )
