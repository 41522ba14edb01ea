"""Rows that keep every rule of a contract, drawn until they do."""

import datetime as dt
import re
from collections.abc import Callable, Collection, Mapping
from random import Random

from rowgate.contract import checks, expressions, patterns
from rowgate.contract.model import Contract, FieldRule
from rowgate.contract.types import Text
from rowgate.contract.values import Value, normalise, typed
from rowgate.errors import UnusableError
from rowgate.stages.dirt import pick
from rowgate.stages.hints import Hints, read_hints
from rowgate.stages.plausible import Draw, known, source, written
from rowgate.targets.reference_expressions import evaluate

Texts = dict[str, str | None]
"""For each column what the file says; None is nothing."""
Values = dict[str, Value | None]
"""For each column its typed value; None when missing or untyped."""
Keys = Mapping[checks.References, Collection[Value]]
"""The loaded keys that references look at; any value keeps one that is not in it."""
Holds = Callable[[Mapping[str, Value | None]], bool]

MISSING_SHARE = 0.1  # of an optional column's values
_TRIES = 2_000  # for a value or a row, before the generator gives up
_TAME = 25  # of them, with plausible values


class Rules:
    """A contract's rules, made ready to be asked often."""

    def __init__(self, contract: Contract, now: dt.datetime, keys: Keys | None = None) -> None:
        self.contract = contract
        self.keys = {check: frozenset(known) for check, known in (keys or {}).items()}
        self.types = {column.name: column.type for column in contract.columns}
        self.named: dict[str, tuple[str, ...]] = {rule.reason: self._columns(rule) for rule in contract.rules}
        self.holds: dict[str, Holds] = {rule.reason: self._holds(rule, now) for rule in contract.rules}
        self.of = {column.name: contract.rules_of(column.name) for column in contract.columns}
        self.uniques = [
            (rule, (rule.field, *rule.check.others)) for rule in contract.rules if isinstance(rule.check, checks.Unique)
        ]

    def read(self, texts: Texts) -> tuple[Texts, Values]:
        """What the reader makes of a row: the normalised texts, and the typed values."""
        markers = self.contract.null_markers
        trimmed = {name: None if text is None else normalise(text, markers) for name, text in texts.items()}
        return trimmed, {
            name: None if text is None else typed(text, self.types[name]) for name, text in trimmed.items()
        }

    def broken(self, texts: Texts, values: Values) -> set[str]:
        """The reasons of the rules that a row breaks by itself; it must be read already."""
        found: set[str] = set()
        for column in self.contract.columns:
            if texts[column.name] is None:
                rule = self.contract.missing_rule(column)
                found |= {rule.reason} if rule else set()
            elif values[column.name] is None:
                rule = self.contract.untyped_rule(column)
                found |= {rule.reason} if rule else set()
            else:
                found |= {rule.reason for rule in self.of[column.name] if not self.holds[rule.reason](values)}
        return found

    def _columns(self, rule: FieldRule) -> tuple[str, ...]:
        match rule.check:
            case checks.Expression(sql):
                return tuple(dict.fromkeys((rule.field, *expressions.parse(sql, self.types).columns)))
            case checks.Unique(others):
                return (rule.field, *others)
        return (rule.field,)

    def _holds(self, rule: FieldRule, now: dt.datetime) -> Holds:  # noqa: PLR0911 - one for each check
        name = rule.field
        match rule.check:
            case checks.Matches(pattern):
                search = re.compile(patterns.parse(pattern).render("python")).search
                return lambda row: search(str(row[name])) is not None
            case checks.Between(low, high):
                return lambda row: (low is None or low <= row[name]) and (high is None or row[name] <= high)  # type: ignore[operator]  # of one kind
            case checks.LengthBetween(low, high):
                return lambda row: (low or 0) <= len(str(row[name])) and (high is None or len(str(row[name])) <= high)
            case checks.OneOf(allowed):
                return lambda row: row[name] in allowed
            case checks.References() if rule.check in self.keys:
                known = self.keys[rule.check]
                return lambda row: row[name] in known
            case checks.Expression(sql):
                tree = expressions.parse(sql, self.types)
                return lambda row: evaluate(tree, row, now) is True
        return lambda _: True


class GoodRows:
    """Draws rows that keep every rule. What was drawn counts as seen, so that unique values stay so."""

    def __init__(self, rules: Rules, rng: Random, rows: int, now: dt.datetime) -> None:
        self.rules, self.rng, self.now = rules, rng, now
        contract = rules.contract
        self.own = {
            column.name: [rule for rule in rules.of[column.name] if rules.named[rule.reason] == (column.name,)]
            for column in contract.columns
        }
        self.hints, self.equations = read_hints(contract, now, rules.keys)
        self.draws = {name: self._draw(name, each, rows) for name, each in self.hints.items()}
        self.across = [rule for rule in contract.rules if len(rules.named[rule.reason]) > 1]
        self.optional = {column.name for column in contract.columns if not column.required}
        self.seen: dict[str, set[tuple[Value | None, ...]]] = {rule.reason: set() for rule, _ in rules.uniques}

    def _draw(self, name: str, hints: Hints, rows: int) -> Draw:
        """What draws a column's values; more of them where they should differ."""
        alone = any(names == (name,) for _, names in self.rules.uniques)
        among = any(name in names for _, names in self.rules.uniques)
        drawn = source(name, hints, unique=alone, rows=rows if among else 0, now=self.now)
        words = () if among or hints.options or not isinstance(hints.kind, Text) else known(name)
        if words and all(self._readable(word) and self._kept(name, word) for word in words):
            return lambda rng, wild: drawn(rng, wild) if wild else pick(rng, words)
        return drawn

    def row(self) -> Values:
        """Draw one row.

        Raises:
            UnusableError: no row was found that keeps every rule; the sentence names the one that stood in the way.
        """
        values = {name: self.value(name, wild=False) for name in self.draws}
        for attempt in range(_TRIES):
            rule = self._broken(values)
            if rule is None:
                self.keep(values)
                return values
            for name in self.rules.named[rule.reason]:
                values[name] = self.value(name, wild=attempt > _TAME)
            self._solve(values)
        raise self._stuck(rule)

    def value(self, name: str, *, wild: bool) -> Value | None:
        """Draw a value that keeps the column's own rules; sometimes none where the column is optional."""
        if name in self.optional and self.rng.random() < MISSING_SHARE:
            return None
        broken = None
        for attempt in range(_TRIES):
            value = self.draws[name](self.rng, wild or attempt > _TAME)
            if self._readable(value):
                broken = next(
                    (rule for rule in self.own[name] if not self.rules.holds[rule.reason]({name: value})), None
                )
                if broken is None:
                    return value
        raise self._stuck(broken or next(iter(self.own[name]), None))

    def _kept(self, name: str, value: Value) -> bool:
        return all(self.rules.holds[rule.reason]({name: value}) for rule in self.own[name])

    def keep(self, values: Mapping[str, Value | None]) -> None:
        """Count a row's unique values as seen."""
        for rule, names in self.rules.uniques:
            key = tuple(values[name] for name in names)
            if None not in key:
                self.seen[rule.reason].add(key)

    def _readable(self, value: Value) -> bool:
        """Whether the value is the same when it is read again; a bare CR would need quotes that Python does not set."""
        if not isinstance(value, str):
            return not self.rules.contract.null_markers or written(value) not in self.rules.contract.null_markers
        return "\r" not in value and normalise(value, self.rules.contract.null_markers) == value

    def _broken(self, values: Mapping[str, Value | None]) -> FieldRule | None:
        for rule in self.across:
            if values[rule.field] is not None and not self.rules.holds[rule.reason](values):
                return rule
        for rule, names in self.rules.uniques:
            if tuple(values[name] for name in names) in self.seen[rule.reason]:
                return rule
        return None

    def _solve(self, values: Values) -> None:
        """Set each column that must equal what is made of others."""
        for equation in self.equations:
            if values[equation.target] is None or any(values[name] is None for name in equation.columns):
                continue
            solved = equation.solve(values, self.now)
            value = None if solved is None else typed(_plain(solved), self.rules.types[equation.target])
            if value is not None and self._kept(equation.target, value):
                values[equation.target] = value

    def _stuck(self, rule: FieldRule | None) -> UnusableError:
        contract = self.rules.contract.name
        named = f"the rule {rule.reason}" if rule else "its null markers"
        return UnusableError(
            f"No more rows were found that keep {named} of the contract {contract}; "
            "ask for fewer rows, or loosen the rule."
        )


def _plain(value: Value) -> str:
    """The value as text; a number without needless decimals, so that one with a smaller scale can take it."""
    text = written(value)
    return text.rstrip("0").rstrip(".") if "." in text and not isinstance(value, str | dt.date) else text
