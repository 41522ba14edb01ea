"""What a quality rule of the standard compares its number with."""

import math
from dataclasses import dataclass
from typing import Required, TypedDict

from rowgate.contract.odcs_fields import OdcsFields
from rowgate.contract.yaml_document import Items, Scalar, shown
from rowgate.contract.yaml_fields import number_of

_SIGNS = {
    "mustBe": "=",
    "mustNotBe": "<>",
    "mustBeGreaterThan": ">",
    "mustBeGreaterOrEqualTo": ">=",
    "mustBeLessThan": "<",
    "mustBeLessOrEqualTo": "<=",
}
_PAIRS = ("mustBeBetween", "mustNotBeBetween")
_OUTSIDE = "outside"
_WITHOUT = frozenset({"nullCheck", "notNull", "validValues", "duplicateCount"})
"""Names of rules in v3.0 that count something wrong: without an operator there may be none."""


class Limits(TypedDict, total=False):
    """The limits of a `DatasetRule`, by the names of its attributes."""

    threshold: Required[float | None]
    low: float | None
    above_low: bool
    below_threshold: bool
    outside: bool


@dataclass(frozen=True)
class Threshold:
    """Conditions on a number that must all hold: a sign and one number, or `outside` and two.

    The standard says that between is the same as greater than the first and less than the second, so the ends are out
    (https://bitol-io.github.io/open-data-contract-standard/latest/data-quality/, valid properties for operator).
    """

    conditions: tuple[tuple[str, tuple[float, ...]], ...]
    percent: bool = False

    @property
    def zero(self) -> bool:
        """Whether a count must be 0, so that every single row must be right."""
        if len(self.conditions) != 1:
            return False
        sign, numbers = self.conditions[0]
        return (sign in ("=", "<=") and numbers == (0,)) or (sign == "<" and numbers == (1,) and not self.percent)

    def over_table(self, measure: str) -> str:
        """The query of a measure over `{table}`."""
        if self.percent:
            measure = f"100.0 * {measure} / COUNT(*)"
        return f"SELECT {measure} FROM {{table}}"  # noqa: S608 - a contract's own words

    def limits(self) -> list[Limits]:
        """The limits of the measured value: the range that the operators give together, then what it must not be."""
        lows = [(numbers[0], sign == ">") for sign, numbers in self.conditions if sign in (">", ">=", "=")]
        highs = [(numbers[0], sign != "<") for sign, numbers in self.conditions if sign in ("<", "<=", "=")]
        found: list[Limits] = []
        if lows or highs:
            low, above = max(lows, default=(None, False))
            high, reached = min(highs, default=(None, True))
            found.append(Limits(threshold=high, low=low, above_low=above, below_threshold=not reached))
        for sign, numbers in self.conditions:
            if sign == "<>":
                found.append(Limits(threshold=numbers[0], low=numbers[0], outside=True))
            elif sign == _OUTSIDE:
                ends = Limits(threshold=numbers[1], low=numbers[0], above_low=True, below_threshold=True, outside=True)
                found.append(ends)
        return found

    def split_least(self) -> "tuple[int | None, Threshold | None]":
        """The least whole number that is right, and what else must hold of it."""
        least: list[int] = []
        rest: list[tuple[str, tuple[float, ...]]] = []
        for sign, numbers in self.conditions:
            if sign in (">", ">=", "="):
                least.append(math.floor(numbers[0]) + 1 if sign == ">" else math.ceil(numbers[0]))
            if sign == "=":
                rest.append(("<=", numbers))
            elif sign not in (">", ">="):
                rest.append((sign, numbers))
        return max(least, default=None), Threshold(tuple(rest)) if rest else None


def read_threshold(fields: OdcsFields) -> Threshold | None:
    """The operators of a quality rule; None, and a problem, where there is none that can be read."""
    conditions: list[tuple[str, tuple[float, ...]]] = []
    for key in (*_SIGNS, *_PAIRS):
        if key not in fields:
            continue
        pair = key in _PAIRS
        node = fields.node(key)
        items = node.items if isinstance(node, Items) else (node,)
        numbers = [number_of(item.text) if isinstance(item, Scalar) else None for item in items]
        read = tuple(number for number in numbers if number is not None)
        if len(read) < len(items) or len(read) != (2 if pair else 1) or isinstance(node, Items) is not pair:
            fields.problem(key, "must be two numbers." if pair else "must be a number.")
            return None
        if pair and read[0] > read[1]:
            fields.problem(key, "is upside down: the smaller number comes first.")
            return None
        if key == "mustBeBetween":
            conditions += [(">", read[:1]), ("<", read[1:])]
        else:
            conditions.append((_SIGNS.get(key, _OUTSIDE), read))
    if not conditions and (fields.text("rule") or "") in _WITHOUT:
        conditions.append(("=", (0.0,)))
    if not conditions and not any(key.casefold().startswith("must") for key in fields):  # a misspelt one is told
        fields.problems.add(
            fields.line, f"{fields.path} has no operator; say what the number must be, as in mustBe: 0."
        )
        return None
    if not conditions:
        return None
    unit = (fields.text("unit") or "rows").casefold()
    if unit not in ("rows", "row", "percent", "%"):
        fields.problem("unit", f"is {shown(unit)!r}, which is not supported; it is rows or percent.")
    return Threshold(tuple(conditions), unit in ("percent", "%"))
