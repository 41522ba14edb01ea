"""The columns of the compact form."""

from collections.abc import Callable, Mapping
from typing import TypedDict

from rowgate.contract import checks
from rowgate.contract.draft import Draft, Said, Thing
from rowgate.contract.model import Column, Pii, Policy
from rowgate.contract.references import reference
from rowgate.contract.type_names import column_type
from rowgate.contract.types import Boolean, Text, type_name
from rowgate.contract.values import Value, typed
from rowgate.contract.yaml_document import Entries, Scalar, shown
from rowgate.contract.yaml_fields import Fields
from rowgate.errors import ContractError

COLUMN_KEYS = (
    *("name", "type", "description", "required", "nullable", "unique", "min", "max", "min_length", "max_length"),
    *("allowed_values", "pattern", "in", "checks", "pii", "loaded", "policy", "rules"),
)
RULE_KEYS = ("required", "type", "range", "length", "allowed_values", "pattern", "in", "unique")
POLICIES: Mapping[str, Policy] = {policy.value: policy for policy in Policy}
PII: Mapping[str, Pii] = {pii.value: pii for pii in Pii} | {
    "direct": Pii.DIRECT,
    "quasi": Pii.QUASI,
    "pseudonym": Pii.PSEUDONYM,
}


class RuleWords(TypedDict, total=False):
    """What a rule can say of itself."""

    reason: str
    policy: Policy | None
    description: str


def read_rule(fields: Fields) -> RuleWords:
    """A rule's own reason, policy and description."""
    return RuleWords(
        reason=fields.text("reason") or "",
        policy=fields.choice("policy", POLICIES),
        description=fields.text("description") or "",
    )


def read_column(fields: Fields, draft: Draft) -> None:
    """Add one column and its rules to the draft."""
    name = fields.needed("name", "the column as the header spells it")
    if fields.lacks("type"):
        fields.problems.add(fields.line, f"{fields.path} has no type; write one such as string, int or decimal(10,2).")
    kind = fields.made("type", column_type)
    required = _required(fields)
    column = Column(
        name,
        kind or Text(),
        fields.choice("pii", PII) or Pii.NONE,
        fields.text("description") or "",
        required=required,
        loaded=fields.flag("loaded") is not False,
    )
    said = _Things(fields, column, typed=kind is not None).read()
    draft.untyped |= kind is None
    if name:
        draft.add_column(column, said, fields.line)


def _required(fields: Fields) -> bool:
    key = fields.first_of("required", "nullable")
    flag = fields.flag(key)
    return False if flag is None else flag is (key == "required")


class _Things:
    """Reads what a column says; `typed` is False where its type is unknown, and then values cannot be read."""

    def __init__(self, fields: Fields, column: Column, *, typed: bool) -> None:
        self.fields, self.column, self.typed = fields, column, typed
        self.said: list[Said] = []
        self.own = fields.mapping("rules", RULE_KEYS)
        self.used: set[str] = set()

    def read(self) -> list[Said]:  # noqa: C901 - one step for each key
        fields, kind = self.fields, self.column.type
        if self.column.required:
            self.say("required", fields.first_of("required", "nullable"), checks.NotBlank)
        if not isinstance(kind, Text):
            self.say("type", "type", checks.Typed)
        if "min" in fields or "max" in fields:
            self.read_range()
        if "min_length" in fields or "max_length" in fields:
            low, high = fields.whole("min_length"), fields.whole("max_length")
            self.say(
                "length",
                "min_length" if "min_length" in fields else "max_length",
                lambda: checks.LengthBetween(low, high),
            )
        if "allowed_values" in fields:
            self.read_allowed()
        pattern = fields.text("pattern")
        if pattern is not None:
            self.say("pattern", "pattern", lambda: checks.Matches(pattern))
        other = fields.text("in")
        if other is not None:
            self.say("in", "in", lambda: reference(other))
        self.read_checks()
        if fields.flag("unique"):
            self.say("unique", "unique", checks.Unique)
        for thing in self.own or ():
            if thing in RULE_KEYS and thing not in self.used and self.own is not None:
                self.own.problem(thing, "is about nothing that the column says.")
        return self.said

    def say(self, thing: Thing, key: str, make: Callable[[], checks.Check]) -> None:
        fields = self.fields
        self.used.add(thing)
        words: RuleWords = {}
        if self.own is not None and thing in self.own:
            own = self.own.mapping(thing, ("reason", "policy", "description"))
            words = read_rule(own) if own else {}
        try:
            check = make()
        except ContractError as error:
            fields.problem(key, f"cannot be: {error}")
            return
        words["policy"] = words.get("policy") or self.policy
        if self.typed:
            self.said.append(Said(thing, check, fields.line_of(key), fields.at(key), **words))

    @property
    def policy(self) -> Policy | None:
        return self.fields.choice("policy", POLICIES)

    def read_range(self) -> None:
        key = "min" if "min" in self.fields else "max"
        self.used.add("range")
        kind = self.column.type
        if isinstance(kind, Text | Boolean):
            hint = "use min_length and max_length." if isinstance(kind, Text) else "leave it out."
            if self.typed:
                self.fields.problem(
                    key, f"needs a number, a date or a timestamp, and the column is {type_name(kind)}; {hint}"
                )
            return
        low, high = (self.value(self.fields.scalar(end), end) for end in ("min", "max"))
        if low is not None or high is not None:
            self.say("range", key, lambda: checks.Between(low, high))

    def read_allowed(self) -> None:
        self.used.add("allowed_values")
        scalars = self.fields.scalars("allowed_values")
        if scalars is None:
            return
        values = [self.value(scalar, "allowed_values") for scalar in scalars]
        present = tuple(value for value in values if value is not None)
        if self.typed and len(present) == len(values):
            self.say("allowed_values", "allowed_values", lambda: checks.OneOf(present))

    def value(self, scalar: Scalar | None, key: str) -> Value | None:
        """The value that a text of the file is, by the column's type."""
        if scalar is None or not self.typed:
            return None
        if scalar.empty:
            self.fields.problems.add(
                scalar.line,
                f"{self.fields.at(key)} holds no value; an optional column may be missing anyway, a word needs quotes.",
            )
            return None
        value = typed(scalar.text, self.column.type)
        if value is None:
            kind = type_name(self.column.type)
            self.fields.problems.add(
                scalar.line, f"{self.fields.at(key)} holds {shown(scalar.text)!r}, which is not a value of type {kind}."
            )
        return value

    def read_checks(self) -> None:
        """Each is a condition in SQL, or a mapping of `sql`, `reason`, `policy`, `description`."""
        for place, item in enumerate(self.fields.items("checks"), start=1):
            path = f"{self.fields.at('checks')}.{place}"
            words: RuleWords = {}
            if isinstance(item, Entries):
                own = Fields(item, path, self.fields.problems, ("sql", "reason", "policy", "description"))
                sql, words = own.needed("sql", "the condition"), read_rule(own)
            else:
                sql = item.text.strip() if isinstance(item, Scalar) and not item.empty else ""
            if not sql:
                self.fields.problems.add(
                    item.line, f'{path} must be a condition in SQL, such as "{self.column.name} > 0".'
                )
                continue
            words["policy"] = words.get("policy") or self.policy
            self.said.append(Said("checks", checks.Expression(sql), item.line, path, **words))
