"""The text of a drafted contract: the compact YAML, with a comment on every line that a person should confirm."""

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rowgate.contract.draft import safe
from rowgate.contract.model import Pii
from rowgate.contract.spark_text import name_in_sql
from rowgate.contract.types import Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.stages import guess
from rowgate.stages.plausible import written
from rowgate.stages.profile import Facts

CONFIRM = "# confirm: "

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*( [A-Za-z0-9_]+)*")
_TAKEN = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_LONGEST_REASON = 90  # characters of a column's name that fit in a reason
_PII = {Pii.DIRECT: "direct", Pii.QUASI: "quasi"}


@dataclass(frozen=True)
class Finding:
    """What a file was found to be.

    Attributes:
        name: the contract's.
        source: the file's name, for a comment.
        columns: what each column holds, in order.
        markers: the texts that stand for a missing value.
        unique: the columns whose values are all different, and could be meant so.
        pair: two columns that are so together, where no column is alone.
        malformed: records that could not be read.
    """

    name: str
    source: str
    columns: Sequence[Facts]
    markers: Sequence[str]
    unique: Sequence[Facts]
    pair: tuple[Facts, Facts] | None
    malformed: int


def draft(found: Finding, now: dt.datetime) -> str:
    """The contract as YAML. No value of a column that seems personal stands in it."""
    labels = _labels([facts.name for facts in found.columns])
    lines = [*_head(found), "columns:"]
    for facts, label in zip(found.columns, labels, strict=True):
        lines += _Column(facts, label, unique=facts in found.unique, now=now).lines()
    return "\n".join([*lines, *_key(found)]) + "\n"


def quoted(text: str) -> str:
    """A text as YAML: plain where it stays the text it is, else in double quotes."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _TAKEN:
        return text
    return json.dumps(text, ensure_ascii=False)


def _head(found: Finding) -> Iterator[str]:
    rows = found.columns[0].rows + found.malformed
    source = "".join(character for character in found.source if character.isprintable())
    yield f"# Drafted from {source} ({rows:,} records). What is marked 'confirm' is a guess from this one file:"
    yield "# correct it, or leave it as it is, and take the mark away."
    if found.malformed:
        yield f"# {found.malformed:,} of the records are malformed; the contract rejects them."
    yield f"name: {found.name}"
    yield "version: 1.0.0"
    yield f"owner: to-be-named  {CONFIRM}the team that is told when the contract is breached"
    yield f"policy: quarantine  {CONFIRM}bad rows are set aside; fail would stop the load, warn would only count them"
    if found.markers:
        listed = ", ".join(map(json.dumps, found.markers))
        yield f"null_markers: [{listed}]  {CONFIRM}these texts stand where a value is missing, in every column"


def _key(found: Finding) -> Iterator[str]:
    if found.pair:
        names = ", ".join(quoted(facts.name) for facts in found.pair)
        yield f"unique: [[{names}]]  {CONFIRM}together they are different in every record"
        yield f"key: [{names}]  {CONFIRM}what tells one row of the warehouse from another"
    elif found.unique:
        first = min(found.unique, key=lambda facts: not guess.is_identifier(facts))
        yield f"key: [{quoted(first.name)}]  {CONFIRM}what tells one row of the warehouse from another"
    else:
        yield f"# key: []  {CONFIRM}no column tells the records apart; a run needs a key, a check does not"


def _labels(names: Sequence[str]) -> list[str]:
    """What stands for each column in reasons: its name, or its place where the name leaves nothing to tell it by."""
    plain = [safe(name).casefold() for name in names]
    return [
        safe(name)
        if plain.count(safe(name).casefold()) == 1 and re.search("[A-Za-z0-9]", name) and len(name) <= _LONGEST_REASON
        else f"column_{place}"
        for place, name in enumerate(names, start=1)
    ]


class _Column:
    """The lines of one column."""

    def __init__(self, facts: Facts, label: str, *, unique: bool, now: dt.datetime) -> None:
        self.facts, self.label, self.unique, self.now = facts, label, unique, now
        self.pii, self.why = guess.pii(facts)
        text = (guess.is_text(facts) or self.pii is Pii.DIRECT) and isinstance(facts.type, Integer)
        self.type = Text() if text else facts.type
        self.rules: list[tuple[str, str]] = []

    def lines(self) -> list[str]:
        facts = self.facts
        lines = [f"name: {quoted(facts.name)}", self.typed()]
        if facts.present == facts.rows > 0:
            lines.append(f"required: true  {CONFIRM}never missing in this file")
            self.rules.append(("required", f"missing_{self.label}"))
        if not isinstance(self.type, Text):
            self.rules.append(("type", f"invalid_type_{self.label}"))
        if self.unique:
            lines.append(f"unique: true  {CONFIRM}no two records of this file have the same")
            self.rules.append(("unique", f"duplicate_{self.label}"))
        lines += [*self.numbers(), *self.moments(), *self.texts()]
        if self.pii is not Pii.NONE:
            lines.append(f"pii: {_PII[self.pii]}  {CONFIRM}a guess, since {self.why}")
        return ["  - " + lines[0], *("    " + line for line in (*lines[1:], *self.reasons()))]

    def typed(self) -> str:
        facts = self.facts
        line = f"type: {type_name(self.type)}"
        if not facts.present:
            return f"{line}  {CONFIRM}no value was there to tell by"
        if isinstance(self.type, Decimal):
            return f"{line}  {CONFIRM}the most decimals in this file are {self.type.scale}"
        if self.type != facts.type:
            return f"{line}  {CONFIRM}digits only, but not a number to count with"
        if isinstance(self.type, Text) and facts.shape and re.search(r"9[/.]9", facts.shape):
            return f"{line}  {CONFIRM}if these are days, they are not written YYYY-MM-DD and stay a text"
        return line

    def numbers(self) -> Iterator[str]:
        if not isinstance(self.type, Integer | Decimal):
            return
        low, high = guess.ends(self.facts)
        low = None if low is not None and low > 0 and self.unique else low
        ends = [("min", low), ("max", None if self.unique else high)]
        for key, end in ends:
            if end is not None:
                yield f"{key}: {end:f}  {CONFIRM}{self.seen(key)}"
                self.once("range", f"{self.label}_out_of_range")

    def moments(self) -> Iterator[str]:
        first, high = guess.first_day(self.facts), self.facts.high
        if not isinstance(self.type, Date | Timestamp):
            return
        if first is not None:
            yield f"min: {first}{'' if isinstance(self.type, Date) else 'T00:00:00Z'}  {CONFIRM}{self.seen('min')}"
            self.once("range", f"{self.label}_out_of_range")
        clock = "current_timestamp()" if isinstance(self.type, Timestamp) else "current_date()"
        now = self.now if isinstance(high, dt.datetime) else self.now.date()
        if isinstance(high, dt.date) and high <= now:
            condition = f"{name_in_sql(self.facts.name)} <= {clock}"
            yield f"checks:  {CONFIRM}never in the future"
            yield f"  - {{sql: {json.dumps(condition, ensure_ascii=False)}, reason: {self.label}_in_the_future}}"

    def texts(self) -> Iterator[str]:
        if not isinstance(self.type, Text):
            return
        values = guess.allowed(self.facts) if self.pii is Pii.NONE else ()
        form = guess.pattern(self.facts) if self.type == self.facts.type else _digits(self.facts)
        if values:
            yield f"allowed_values: [{', '.join(map(quoted, values))}]  {CONFIRM}no other value is in this file"
            self.rules.append(("allowed_values", f"{self.label}_not_allowed"))
        elif form:
            yield f"pattern: {json.dumps(form, ensure_ascii=False)}  {CONFIRM}every value of this file has this form"
            self.rules.append(("pattern", f"{self.label}_bad_format"))

    def seen(self, key: str) -> str:
        """A remark on an end, of a column that seems not personal, since what was seen is a cell of the file."""
        value = self.facts.low if key == "min" else self.facts.high
        if value is None:
            return "rounded from what this file holds"
        return f"the {'smallest' if key == 'min' else 'greatest'} in this file is {written(value)}"

    def once(self, thing: str, reason: str) -> None:
        if (thing, reason) not in self.rules:
            self.rules.append((thing, reason))

    def reasons(self) -> Iterable[str]:
        """Reasons of their own for a column whose name cannot stand in one."""
        if self.label == safe(self.facts.name) or not self.rules:
            return []
        return ["rules:", *(f"  {thing}: {{reason: {reason}}}" for thing, reason in self.rules)]


def _digits(facts: Facts) -> str | None:
    """The form of texts that would pass as numbers."""
    if "digits" not in facts.forms:
        return None
    ends = str(facts.shortest) if facts.shortest == facts.longest else f"{facts.shortest},{facts.longest}"
    return f"[0-9]{{{ends}}}"
