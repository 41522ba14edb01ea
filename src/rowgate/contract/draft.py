"""A contract while it is read from a file: what its columns say, as rules in a fixed order, each with its line."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from rowgate.contract import checks
from rowgate.contract.model import (
    NAME,
    Column,
    Contract,
    DatasetRule,
    FieldRule,
    NaturalKey,
    Policy,
    ServiceLevels,
    SurrogateKey,
)
from rowgate.contract.types import ColumnType
from rowgate.contract.yaml_document import Problems, shown
from rowgate.errors import ContractError

Thing = Literal["required", "type", "range", "length", "allowed_values", "pattern", "in", "checks", "unique"]

REASONS: dict[Thing, str] = {
    "required": "missing_{}",
    "type": "invalid_type_{}",
    "range": "{}_out_of_range",
    "length": "{}_bad_length",
    "allowed_values": "{}_not_allowed",
    "pattern": "{}_bad_format",
    "in": "{}_not_in_{}",
    "checks": "{}_check_{}",
    "unique": "duplicate_{}",
}
"""What a column can say, in the order of its rules, and the reason of each.

The second blank is the contract that a reference names; of `checks` it counts from 1.
"""

_VERSION = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){0,2}")
_NAME_RULE = "1 to 40 characters of a-z, 0-9 and _, beginning with a letter"


@dataclass(frozen=True)
class Said:
    """One thing that a column says.

    Attributes:
        line: of the file.
        path: of the key, as messages name it.
        reason: empty takes the one of `REASONS`.
    """

    thing: Thing
    check: checks.Check
    line: int
    path: str
    reason: str = ""
    policy: Policy | None = None
    description: str = ""


@dataclass
class Draft:
    """The parts of a contract, to be filled by a reader.

    Attributes:
        lines: what a sentence about the finished contract can name, and where that stands in the file.
        order: the reasons of all rules in the order of rejection, where the file says so; None leaves the fixed order.
        nameless: the names of the columns are not all known, so that what names them cannot be looked at.
        untyped: the type of some column could not be read, so that expressions cannot be either.
    """

    problems: Problems
    name: str = ""
    version: str = ""
    owner: str = ""
    description: str = ""
    columns: list[Column] = field(default_factory=list)
    rules: list[FieldRule] = field(default_factory=list)
    dataset_rules: list[DatasetRule] = field(default_factory=list)
    key: SurrogateKey | NaturalKey | None = None
    on_conflict: Literal["nothing", "update"] = "nothing"
    service_levels: ServiceLevels = field(default_factory=ServiceLevels)
    policy: Policy = Policy.QUARANTINE
    null_markers: tuple[str, ...] = ()
    max_reject_rate: float | None = None
    min_rows: int | None = None
    order: tuple[str, ...] | None = None
    lines: dict[str, int] = field(default_factory=dict)
    untyped: bool = False
    nameless: bool = False
    _columns: dict[str, int] = field(default_factory=dict)
    _seen: dict[str, int] = field(default_factory=dict)
    _expressions: list[tuple[Said, FieldRule]] = field(default_factory=list)

    def add_column(self, column: Column, said: Iterable[Said], line: int) -> None:
        """Take a column, and one rule for each thing it says.

        The things include `required` and `type` where the column is required, or of another type than text.
        """
        folded = column.name.casefold()
        if folded in self._columns:
            self.problems.add(
                line, f"The column {shown(column.name)} stands twice, first on line {self._columns[folded]}."
            )
            return
        self._columns[folded] = line
        self.columns.append(column)
        for words in (f", column {column.name} ", f"column name {column.name} ", f"column name {column.name!r}"):
            self.lines[words] = line
        order = list(REASONS)
        things = sorted(said, key=lambda each: order.index(each.thing))
        counted = 0
        for each in things:
            counted += each.thing == "checks"
            second = safe(each.check.contract) if isinstance(each.check, checks.References) else counted
            self.add_rule(column.name, column.type, each, REASONS[each.thing].format(safe(column.name), second))

    def add_rule(self, name: str, kind: ColumnType, said: Said, reason: str) -> None:
        """Take one rule of the column of that name and type; `reason` is for a thing that names none."""
        rule = FieldRule(name, said.check, said.reason or reason, said.description, said.policy)
        try:
            checks.verify(said.check, kind)
        except ContractError as error:
            self.problems.add(said.line, f"{said.path}: {error}")
            return
        folded = rule.reason.casefold()
        if folded in self._seen:
            what = f"{said.path} gives the reason {rule.reason}, which line {self._seen[folded]} gives too"
            self.problems.add(said.line, f"{what}; name another reason.")
            return
        self._seen[folded] = said.line
        self.lines[f"rule {rule.reason}:"] = self.lines[f"rule {rule.reason} "] = self.lines[
            f"the reason {rule.reason!r}"
        ] = said.line
        self.rules.append(rule)
        if isinstance(said.check, checks.Expression):
            self._expressions.append((said, rule))

    def contract(self) -> Contract:
        """The finished contract.

        Raises:
            ContractError: something is wrong with it; the sentences say all that was found, with their lines.
        """
        self._read_expressions()
        self._read_head()
        self.problems.raise_any()
        try:
            return Contract(
                self.name,
                full_version(self.version),
                self.owner,
                tuple(self.columns),
                tuple(self.rules),
                self.description,
                self.key,
                self.on_conflict,
                tuple(self.dataset_rules),
                self.service_levels,
                self.policy,
                self.null_markers,
                self.max_reject_rate,
                self.min_rows,
            )
        except ContractError as error:
            self.problems.fatal(self.line_of(str(error)) or 1, str(error))

    def line_of(self, sentence: str) -> int | None:
        """The line of what a sentence about the finished contract names; None where it names nothing known."""
        return self.lines.get(max((words for words in self.lines if words in sentence), key=len, default=""))

    def _read_head(self) -> None:
        """What the finished contract would refuse one at a time."""
        if self.name and not NAME.fullmatch(self.name):
            self._told("The contract's name", f"name is {shown(self.name)!r}; it must be {_NAME_RULE}.")
        if self.version and not _VERSION.fullmatch(self.version):
            self._told(": the version", f"version is {shown(self.version)!r}; it must be like 1.0.0.")
        if self.max_reject_rate is not None and not 0 <= self.max_reject_rate <= 1:
            self._told("max_reject_rate", "max_reject_rate must be a share from 0 to 1, or from 0% to 100%.")
        if self.min_rows is not None and self.min_rows < 0:
            self._told("min_rows", "min_rows must be at least 0.")
        names = {column.name for column in self.columns}
        sources = self.key.sources if isinstance(self.key, SurrogateKey) else self.key.columns if self.key else ()
        for name in sources:
            if name not in names and not self.nameless:
                self._told(": the key ", f"key names {shown(name)!r}, which is no column.")

    def _told(self, words: str, sentence: str) -> None:
        self.problems.add(self.lines.get(words, 1), sentence)

    def _read_expressions(self) -> None:
        if not self._expressions or self.untyped or self.nameless:
            return
        from rowgate.contract import expressions  # noqa: PLC0415 - sqlglot, which most contracts do not need

        columns = {column.name: column.type for column in self.columns}
        for said, rule in self._expressions:
            if isinstance(rule.check, checks.Expression):
                try:
                    expressions.parse(rule.check.sql, columns)
                except ContractError as error:
                    self.problems.add(said.line, f"{said.path}: {error}")


def safe(name: str) -> str:
    """A column's name as part of a reason, which names a metric."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def full_version(text: str) -> str:
    """`2` and `2.1` as `2.0.0` and `2.1.0`; anything else as it is."""
    return text + ".0" * (2 - text.count(".")) if _VERSION.fullmatch(text) else text
