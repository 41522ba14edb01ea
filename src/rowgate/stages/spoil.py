"""Ways in which a good row comes to break one rule: changes by the kind of rule, tried until one does."""

import datetime as dt
import decimal
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from rowgate.contract import checks
from rowgate.contract.model import Column, FieldRule
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import Value
from rowgate.stages.dirt import BLANKS, pick
from rowgate.stages.good_rows import GoodRows, Rules, Texts, Values
from rowgate.stages.plausible import written
from rowgate.stages.sampling import letters

_TRIES = 40  # changes tried before another rule is broken in its place
_NONES = ("n/a", "N/A", "unknown", "NaN", "null", "-", "none")

Change = Callable[[Random, str], str]
"""What a good value's text becomes."""

_TEXT: tuple[Change, ...] = (
    lambda _, v: v[:-1],
    lambda _, v: v + v[-1:],
    lambda rng, v: v + pick(rng, (".", ",", "?", "0", "x")),
    lambda rng, v: pick(rng, ("#", "+", "0", "x", "-")) + v,
    lambda _, v: v.swapcase(),
    lambda _, v: v.lower(),
    lambda _, v: v.upper(),
    lambda rng, v: f"{v[: len(v) // 2]}{pick(rng, (' ', '-', '.', '_'))}{v[len(v) // 2 :]}",
    lambda _, v: v.replace("0", "O").replace("1", "l"),
    lambda rng, _: pick(rng, _NONES),
    lambda rng, v: letters(rng, max(1, len(v))),
    lambda rng, v: v + letters(rng, 1 + int(rng.random() * 30)),
)
_NUMBER: tuple[Change, ...] = (
    lambda rng, v: v + pick(rng, (" EUR", " kg", "%", "x")),
    lambda _, v: v.replace(".", ",") if "." in v else v + ",5",
    lambda _, v: f"{v}e3",
    lambda rng, _: pick(rng, (*_NONES, "thirty-four", "Infinity")),
    lambda _, v: f"1,{v.rjust(3, '0')}",
    lambda _, v: v + ".123456789012345678901234567890123456789",
    lambda _, v: v + "0" * 40,
)
_DAY: tuple[Change, ...] = (
    lambda _, v: "/".join(reversed(v[:10].split("-"))) + v[10:],
    lambda _, v: v[:10].replace("-", ""),
    lambda _, v: v[:5] + "02-30" + v[10:],
    lambda _, v: v[:4] + "-13" + v[7:],
    lambda _, v: v[2:],
    lambda rng, _: pick(rng, (*_NONES, "yesterday", "0000-00-00")),
)
_MOMENT: tuple[Change, ...] = (*_DAY, lambda _, v: v[:11] + "25:61:00", lambda _, v: v[:10], lambda _, v: v + " PM")
_FLAG: tuple[Change, ...] = (lambda rng, _: pick(rng, ("yes", "no", "Y", "N", "1", "0", "t", *_NONES)),)
_UNTYPED: dict[type[ColumnType], tuple[Change, ...]] = {
    Integer: (*_NUMBER, lambda _, v: v + ".5"),
    Decimal: _NUMBER,
    Date: _DAY,
    Timestamp: _MOMENT,
    Boolean: _FLAG,
}


@dataclass
class _Row:
    texts: Texts
    values: Values


class Spoiler:
    """Breaks the rules of a contract in turn, so that each is broken at some time, on its own where it can be."""

    def __init__(self, rules: Rules, good: GoodRows, rng: Random) -> None:
        self.rules, self.good, self.rng = rules, good, rng
        self.turn = 0
        self.recent: Values | None = None
        """A good row that was written; later rows repeat its unique values."""

    def spoil(self, values: Values) -> Texts | None:
        """What a good row becomes; None where no rule could be broken."""
        row = _Row({name: None if value is None else written(value) for name, value in values.items()}, values)
        rules = self.rules.contract.rules
        for _ in rules:
            rule = rules[self.turn % len(rules)]
            self.turn += 1
            found = self._break(rule, row)
            if found is not None:
                return found
        return None

    def _break(self, rule: FieldRule, row: _Row) -> Texts | None:
        if isinstance(rule.check, checks.Unique):
            return self._repeat(rule, row)
        second: Texts | None = None
        for _ in range(_TRIES):
            texts = self._alone(rule, self._changed(rule, row))
            trimmed, values = self.rules.read(texts)
            broken = self.rules.broken(trimmed, values)
            if broken == {rule.reason}:
                self.good.keep(values)
                return texts
            if rule.reason in broken:
                second = texts
        if second is not None:
            self.good.keep(self.rules.read(second)[1])
        return second

    def _alone(self, rule: FieldRule, texts: Texts) -> Texts:
        """The row without the optional values whose rules it breaks besides."""
        broken = self.rules.broken(*self.rules.read(texts))
        fields = {each.field for each in self.rules.contract.rules if each.reason in broken} - {rule.field}
        return texts | dict.fromkeys(fields & self.good.optional)

    def _repeat(self, rule: FieldRule, row: _Row) -> Texts | None:
        names = self.rules.named[rule.reason]
        if self.recent is None or any(self.recent[name] is None for name in names):
            return None
        copied = {name: written(value) for name in names if (value := self.recent[name]) is not None}
        texts = row.texts | copied
        # A row that breaks another rule as well takes no part in uniqueness, so that the repeat would not show.
        return texts if not self.rules.broken(*self.rules.read(texts)) else None

    def _changed(self, rule: FieldRule, row: _Row) -> Texts:
        contract = self.rules.contract
        column = contract.column(rule.field)
        kinds: list[Callable[[], Texts]] = []
        if column.required and contract.missing_rule(column) == rule:
            kinds.append(lambda: self._set(rule, row, pick(self.rng, BLANKS + contract.null_markers)))
        if contract.untyped_rule(column) == rule and not isinstance(column.type, Text):
            kinds.append(lambda: self._untyped(rule, column, row))
        if not isinstance(rule.check, checks.NotBlank | checks.Typed):
            kinds.append(lambda: self._wrong(rule, column, row))
        return pick(self.rng, kinds)() if kinds else row.texts

    def _untyped(self, rule: FieldRule, column: Column, row: _Row) -> Texts:
        change = pick(self.rng, _UNTYPED[type(column.type)])
        return self._set(rule, row, change(self.rng, self._text(column, row)))

    def _wrong(self, rule: FieldRule, column: Column, row: _Row) -> Texts:
        match rule.check:
            case checks.Between(low, high):
                ends = [(end, sign) for end, sign in ((low, -1), (high, 1)) if end is not None]
                return self._set(rule, row, _outside(self.rng, column.type, *pick(self.rng, ends)))
            case checks.LengthBetween(low, high):
                text = self._text(column, row)
                longer = "" if high is None else text + letters(self.rng, high - len(text) + 1)
                return self._set(rule, row, pick(self.rng, (longer or text[:1], text[: (low or 1) - 1] or longer)))
            case checks.Expression():
                return row.texts | {name: self._other(name, row) for name in self.rules.named[rule.reason]}
            case _ if isinstance(column.type, Text):
                return self._set(rule, row, pick(self.rng, _TEXT)(self.rng, self._text(column, row)))
        return row.texts | {column.name: self._other(column.name, row)}

    def _other(self, name: str, row: _Row) -> str | None:
        """Another value: one that keeps the column's own rules, one just beyond them, a changed text, or any at all."""
        way, hints, kind = self.rng.random(), self.good.hints[name], self.rules.types[name]
        ends = [(end, sign) for end, sign in ((hints.low, -1), (hints.high, 1)) if end is not None]
        if way < 0.4:  # noqa: PLR2004 - most rules are about columns together
            value = self.good.value(name, wild=True)
            return None if value is None else written(value)
        if ends and way < 0.8:  # noqa: PLR2004 - or about one
            return _outside(self.rng, kind, *pick(self.rng, ends))
        if isinstance(kind, Text) and way < 0.8:  # noqa: PLR2004 - the same
            return pick(self.rng, _TEXT)(self.rng, self._text(self.rules.contract.column(name), row))
        return _any(self.rng, kind, self.good.now)

    def _text(self, column: Column, row: _Row) -> str:
        text = row.texts[column.name]
        if text is None:
            value = None
            while value is None:
                value = self.good.value(column.name, wild=False)
            text = written(value)
        return text

    def _set(self, rule: FieldRule, row: _Row, text: str) -> Texts:
        return row.texts | {rule.field: text}


def _outside(rng: Random, kind: ColumnType, end: Value, sign: int) -> str:
    """A value beyond an end: just, by some, or by far."""
    steps = sign * pick(rng, (1, 1 + int(rng.random() * 10), 1 + int(rng.random() * 1000)))
    try:
        match end:
            case dt.datetime():
                return written(end + dt.timedelta(seconds=steps))
            case dt.date():
                return written(end + dt.timedelta(days=steps))
            case int() | decimal.Decimal():
                scale = kind.scale if isinstance(kind, Decimal) else 0
                wide = decimal.Context(prec=80)
                return written(wide.add(decimal.Decimal(end), decimal.Decimal(steps).scaleb(-scale)))
    except OverflowError:  # beyond the years 0001 to 9999; another try finds another way
        pass
    return ""


def _any(rng: Random, kind: ColumnType, now: dt.datetime) -> str | None:  # noqa: PLR0911 - one case for each type
    """Any value of a type, or none."""
    if rng.random() < 0.1:  # noqa: PLR2004 - one in ten
        return None
    size = int(10 ** (rng.random() * 6)) * pick(rng, (1, 1, -1))
    match kind:
        case Integer():
            return str(size)
        case Decimal(precision, scale):
            most = 10**precision - 1
            return written(decimal.Decimal(max(-most, min(most, size))).scaleb(-scale))
        case Date():
            return written(now.date() + dt.timedelta(days=size // 50))
        case Timestamp():
            return written(now.replace(microsecond=0) + dt.timedelta(minutes=size))
        case Boolean():
            return pick(rng, ("true", "false"))
    return letters(rng, 1 + int(rng.random() * 12))
