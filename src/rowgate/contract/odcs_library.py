"""The words of one quality rule of the standard: its metric, its threshold, its severity."""

from dataclasses import dataclass

from rowgate.contract import checks
from rowgate.contract.compact_columns import POLICIES
from rowgate.contract.draft import Said, Thing, safe
from rowgate.contract.model import Policy
from rowgate.contract.odcs_fields import OdcsFields
from rowgate.contract.odcs_threshold import Threshold, read_threshold
from rowgate.contract.yaml_document import shown
from rowgate.contract.yaml_fields import nearest

INFORMATIVE_QUALITY = (
    *("id", "authoritativeDefinitions", "businessImpact", "customProperties", "dimension", "method", "schedule"),
    *("scheduler", "tags"),
)
"""Keys of a quality rule that are accepted and not looked at: a contract is judged at every run."""

METRICS = {
    "nullValues": "column",
    "missingValues": "column",
    "invalidValues": "column",
    "duplicateValues": "both",
    "rowCount": "object",
}
"""The library's metrics, and where each can stand."""

_OLD_NAMES = {
    **dict.fromkeys(("nullCheck", "notNull"), "nullValues"),
    "validValues": "invalidValues",
    "duplicateCount": "duplicateValues",
}
_READ = ("description", "name", "severity", "type", "unit", "metric", "rule", "arguments", "query", "validValues")
_OPERATORS = (
    *("mustBe", "mustNotBe", "mustBeGreaterThan", "mustBeGreaterOrEqualTo", "mustBeLessThan", "mustBeLessOrEqualTo"),
    *("mustBeBetween", "mustNotBeBetween"),
)
_WARN = frozenset({"info", "information", "warning", "warn", "low", "minor"})
_REJECT = frozenset({"error", "critical", "high", "medium", "major", "blocker", "fatal"})
_OWN_POLICIES: dict[str, Policy | None] = {"contract": None, **POLICIES}
_THINGS: dict[type[checks.Check], Thing] = {
    checks.NotBlank: "required",
    checks.OneOf: "allowed_values",
    checks.Matches: "pattern",
    checks.Unique: "unique",
}
_ARGUMENTS = {
    "missingValues": ("missingValues",),
    "invalidValues": ("validValues", "pattern"),
    "duplicateValues": ("properties",),
}


@dataclass(frozen=True)
class LibraryRule:
    """One library rule whose words are understood.

    Attributes:
        metric: one of `METRICS`.
    """

    fields: OdcsFields
    metric: str
    threshold: Threshold

    def said(self, check: checks.Check) -> Said:
        """The rule as one thing that a column says: this check."""
        fields = self.fields
        reason, told = safe(fields.text("name") or ""), fields.text("description") or ""
        return Said(_THINGS.get(type(check), "checks"), check, fields.line, fields.path, reason, policy(fields), told)


def never_null(fields: OdcsFields) -> bool:
    """Whether a library rule says that no value of a property may be missing."""
    return any(_metric(rule) in ("nullValues", "missingValues") and _is_zero(rule) for rule in fields.listed("quality"))


def policy(fields: OdcsFields) -> Policy | None:
    """The policy of a severity: a warning loads the row and counts it. A custom property `rowgatePolicy` says more."""
    for own in fields.listed("customProperties"):
        if own.text("property") == "rowgatePolicy":
            return own.choice("value", _OWN_POLICIES)
    word = (fields.text("severity") or "error").casefold()
    if word not in _WARN | _REJECT:
        fields.problem(
            "severity", f"is {shown(word)!r}, which is not supported; it is error, or warning (the row loads)."
        )
    return Policy.WARN if word in _WARN else None


def _metric(fields: OdcsFields) -> str:
    name = fields.text("metric") or fields.text("rule") or ""
    return _OLD_NAMES.get(name, name)


def _is_zero(fields: OdcsFields) -> bool:
    threshold = read_threshold(fields)
    return threshold is not None and threshold.zero


def read_library(fields: OdcsFields, level: str) -> LibraryRule | None:
    """A library rule of a `column` or an `object`; None, and a problem, where it cannot be read."""
    kind = fields.text("type") or "library"
    if kind != "library":
        fields.problem(
            "type", f"is {shown(kind)!r}, which is not supported; rules that can be checked are library and sql."
        )
        return None
    refuse_others(fields)
    metric = _metric(fields)
    key = "metric" if "metric" in fields else "rule"
    if metric not in METRICS:
        fields.problem(key, f"is {shown(metric)!r}, which is not supported; {nearest(metric, METRICS)}")
        return None
    if METRICS[metric] not in (level, "both"):
        where = {"column": "an object", "object": "a property"}[METRICS[metric]]
        fields.problem(key, f"is {metric}, which cannot be a rule of {where}.")
        return None
    arguments = fields.inner("arguments")
    for name in arguments or ():
        if arguments is not None and name not in _ARGUMENTS.get(metric, ()):
            arguments.problem(name, f"is no argument of {metric}; {nearest(name, _ARGUMENTS.get(metric, ('none',)))}")
    threshold = read_threshold(fields)
    if threshold is None:
        return None
    return LibraryRule(fields, metric, threshold)


def refuse_others(fields: OdcsFields, *more: str) -> None:
    """Keep a problem for each key that is neither read nor informative; `more` are read too."""
    fields.refuse_others(*more, *_READ, *_OPERATORS, *INFORMATIVE_QUALITY)
