"""The data contract: one frozen definition from which every engine, table and document is made."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Literal

from rowgate.contract.checks import Check, needs_type
from rowgate.contract.types import ColumnType

MALFORMED = "malformed_record"

NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""A contract's name becomes a table, a metric, a DAG and a folder."""


class Policy(Enum):
    """What a row that breaks a rule does to the load."""

    QUARANTINE = "quarantine"
    """The row goes to rejects, the rest loads."""
    FAIL = "fail"
    """One such row stops the load."""
    WARN = "warn"
    """The row loads; the breach is counted."""


class Pii(Enum):
    """How a column identifies a person (the classes of ISO/IEC 20889)."""

    NONE = "none"
    DIRECT = "direct identifier"
    QUASI = "quasi-identifier"
    PSEUDONYM = "pseudonymised"


@dataclass(frozen=True)
class Column:
    """One column of the file.

    Attributes:
        name: as the header spells it.
        type: which texts are values.
        pii: how it identifies a person.
        required: a missing value breaks the column's first rule.
        loaded: it goes to the warehouse. A column that does not is still carried to the rejects.
    """

    name: str
    type: ColumnType
    pii: Pii = Pii.NONE
    description: str = ""
    required: bool = False
    loaded: bool = True


@dataclass(frozen=True)
class FieldRule:
    """One thing a field must be, and the reason a row is given when it is not.

    Attributes:
        field: the column.
        check: what is checked.
        reason: the last part of a metric's name, `[A-Za-z0-9_]{1,120}`; unique in the contract, whatever the case.
        policy: None takes the contract's.
    """

    field: str
    check: Check
    reason: str
    description: str = ""
    policy: Policy | None = None


@dataclass(frozen=True)
class SurrogateKey:
    """Lower-case hex MD5 of the sources' normalised texts, joined by the separator. A pseudonym, not anonymisation."""

    name: str
    sources: tuple[str, ...]
    separator: str = "||"
    description: str = ""


@dataclass(frozen=True)
class NaturalKey:
    """The loaded columns that identify a row in the warehouse."""

    columns: tuple[str, ...]


@dataclass(frozen=True)
class DatasetRule:
    """A query in Spark SQL over `{table}`, the rows that would load. NULL, or a value outside its limits, breaks it.

    Attributes:
        threshold: the greatest value that is right; None leaves that end open.
        low: the least one; None leaves that end open. One of the two ends is there.
        above_low: `low` itself is wrong.
        below_threshold: `threshold` itself is wrong.
        outside: the other way round: a value within the two ends breaks the rule, and any other is right.
    """

    name: str
    sql: str
    threshold: float | None
    description: str = ""
    low: float | None = None
    above_low: bool = False
    below_threshold: bool = False
    outside: bool = False

    def allows(self, value: float) -> bool:
        """Whether a value that the query gives is right."""
        low, high = self.low, self.threshold
        above = low is None or (value > low if self.above_low else value >= low)
        below = high is None or (value < high if self.below_threshold else value <= high)
        return (above and below) is not self.outside

    @property
    def allowed(self) -> str:
        """Which values are right, in words: `at most 5`, `more than 0 and less than 9`."""
        low = "" if self.low is None else f"{'more than' if self.above_low else 'at least'} {self.low:.15g}"
        high = (
            ""
            if self.threshold is None
            else f"{'less than' if self.below_threshold else 'at most'} {self.threshold:.15g}"
        )
        if self.low == self.threshold:
            return f"{'anything but' if self.outside else 'exactly'} {self.low:.15g}"
        inside = f"{low} and {high}" if low and high else low or high
        return f"anything but {inside}" if self.outside else inside


@dataclass(frozen=True)
class ServiceLevels:
    """What the owner promises about runs, not rows.

    Attributes:
        freshness: the longest time between two good runs.
        availability: a share, as the owner writes it ("99.9%").
        arrives: when and where files come, in words.
    """

    freshness: timedelta | None = None
    availability: str = ""
    arrives: str = ""


@dataclass(frozen=True)
class Contract:
    """A data contract. Construction checks the whole of it.

    Raises:
        ContractError: the contract cannot be; the sentence names the column or the rule.
    """

    name: str
    version: str
    owner: str
    columns: tuple[Column, ...]
    rules: tuple[FieldRule, ...]
    description: str = ""
    key: SurrogateKey | NaturalKey | None = None
    on_conflict: Literal["nothing", "update"] = "nothing"
    dataset_rules: tuple[DatasetRule, ...] = ()
    service_levels: ServiceLevels = field(default_factory=ServiceLevels)
    policy: Policy = Policy.QUARANTINE
    null_markers: tuple[str, ...] = ()
    max_reject_rate: float | None = None
    min_rows: int | None = None

    def __post_init__(self) -> None:
        from rowgate.contract.validate import validate  # noqa: PLC0415 - it reads this module's classes

        validate(self)

    def column(self, name: str) -> Column:
        """The column of that name; KeyError when there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def rules_of(self, name: str) -> tuple[FieldRule, ...]:
        """The rules of one column, in declaration order."""
        return tuple(rule for rule in self.rules if rule.field == name)

    def missing_rule(self, column: Column) -> FieldRule | None:
        """The rule that a missing value of the column breaks: the first one, or none where the column is optional."""
        return next(iter(self.rules_of(column.name)), None) if column.required else None

    def untyped_rule(self, column: Column) -> FieldRule | None:
        """The rule that a value which is not of the column's type breaks: the first that needs the type."""
        return next((rule for rule in self.rules_of(column.name) if needs_type(rule.check)), None)

    def policy_of(self, rule: FieldRule) -> Policy:
        """The rule's own policy, or the contract's."""
        return rule.policy or self.policy

    def rejects(self, rule: FieldRule) -> bool:
        """Whether a row that breaks the rule is rejected."""
        return self.policy_of(rule) is not Policy.WARN

    @property
    def loaded(self) -> tuple[Column, ...]:
        """The columns that go to the warehouse."""
        return tuple(column for column in self.columns if column.loaded)

    @property
    def key_columns(self) -> tuple[str, ...]:
        """The names of the warehouse's key, empty when the contract has none."""
        match self.key:
            case SurrogateKey(name):
                return (name,)
            case NaturalKey(columns):
                return columns
            case None:
                return ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Every reason a row can be given: `malformed_record`, then the rules', in declaration order."""
        return (MALFORMED, *(rule.reason for rule in self.rules))

    @property
    def rejecting_reasons(self) -> tuple[str, ...]:
        """The reasons that reject a row: `malformed_record`, then those of rules that do more than warn."""
        return (MALFORMED, *(rule.reason for rule in self.rules if self.rejects(rule)))
