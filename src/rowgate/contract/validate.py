"""What makes a contract impossible. Each finding is one sentence that names the column or the rule."""

import math
import re
from collections.abc import Callable, Iterable

from rowgate.contract import checks, patterns
from rowgate.contract.model import (
    MALFORMED,
    NAME,
    Column,
    Contract,
    DatasetRule,
    FieldRule,
    NaturalKey,
    SurrogateKey,
)
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.contract.values import WHITE_SPACE
from rowgate.errors import ContractError

OWN_COLUMNS = frozenset(
    {"record_number", "run_id", "raw_record", "rejection_reason", "rejection_reasons", "rejected_at", "dt"}
    | {"first_run_id", "last_run_id", "loaded_at"}
)
"""Columns that rowgate adds; a contract's column cannot have their names."""

_VERSION = re.compile(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}")
_REASON = re.compile(r"[A-Za-z0-9_]{1,120}")
_TEXT_OF: dict[type[ColumnType], str] = {
    Integer: "+-0123456789",
    Decimal: "+-.0123456789",
    Date: "-0123456789",
    Timestamp: "+-.:TZ 0123456789",
    Boolean: "truefalsTRUEFALS",
}


def validate(contract: Contract) -> None:
    """See that a contract can be.

    Raises:
        ContractError: the first thing that is impossible.
    """
    for check in (_head, _columns, _rules, _coverage, _key, _dataset_rules, _limits):
        check(contract)


def _head(contract: Contract) -> None:
    if not NAME.fullmatch(contract.name):
        raise ContractError(
            f"The contract's name {contract.name!r} must be 1 to 40 characters of a-z, 0-9 and _, a letter first."
        )
    if not _VERSION.fullmatch(contract.version):
        raise ContractError(f"Contract {contract.name}: the version {contract.version!r} is not like 1.0.0.")
    if not contract.owner.strip():
        raise ContractError(f"Contract {contract.name} has no owner; name who is told when it is breached.")
    if contract.on_conflict not in ("nothing", "update"):
        raise ContractError(f"Contract {contract.name}: on_conflict is 'nothing' or 'update'.")


def _columns(contract: Contract) -> None:
    where = f"Contract {contract.name}"
    if not contract.columns:
        raise ContractError(f"{where} has no columns.")
    if not contract.loaded:
        raise ContractError(f"{where} loads no column.")
    for column in contract.columns:
        if not column.name.isprintable():
            raise ContractError(f"{where}: the column name {column.name!r} holds what cannot be printed.")
        if not column.name or column.name.strip() != column.name:
            raise ContractError(f"{where}: the column name {column.name!r} is empty or has blanks at its ends.")
        if column.name.casefold() in OWN_COLUMNS:
            raise ContractError(f"{where}: the column name {column.name} is one that rowgate adds itself.")
    _no_twins(where, "columns", (column.name for column in contract.columns), str.casefold)


def _rules(contract: Contract) -> None:
    where = f"Contract {contract.name}"
    names = {column.name for column in contract.columns}
    for rule in contract.rules:
        if not _REASON.fullmatch(rule.reason):
            raise ContractError(
                f"{where}: the reason {rule.reason!r} names a metric: write it with A-Z, a-z, 0-9 and _."
            )
        if rule.reason == MALFORMED:
            raise ContractError(f"{where}: the reason {MALFORMED} is kept for records that cannot be read.")
        for name in (rule.field, *(rule.check.others if isinstance(rule.check, checks.Unique) else ())):
            if name not in names:
                raise ContractError(f"{where}: rule {rule.reason} is about {name!r}, which is no column.")
        _rule(contract, rule)
    _no_twins(where, "rules with the reason", (rule.reason for rule in contract.rules), str.casefold)


def _rule(contract: Contract, rule: FieldRule) -> None:
    column = contract.column(rule.field)
    try:
        checks.verify(rule.check, column.type)
        if isinstance(rule.check, checks.Expression):
            from rowgate.contract import expressions  # noqa: PLC0415 - sqlglot, which most contracts do not need

            expressions.parse(rule.check.sql, {each.name: each.type for each in contract.columns})
        _not_blank(contract, rule, column)
    except ContractError as error:
        raise ContractError(f"Contract {contract.name}, rule {rule.reason}: {error}") from None


def _not_blank(contract: Contract, rule: FieldRule, column: Column) -> None:
    if not isinstance(rule.check, checks.NotBlank):
        return
    if not column.required:
        raise ContractError("NotBlank stands on a column that is not required.")
    if contract.rules_of(rule.field)[0] != rule:
        raise ContractError("NotBlank must be the column's first rule, since a missing value breaks the first.")


def _coverage(contract: Contract) -> None:
    """A value that is missing or untyped must have a rule to break."""
    for column in contract.columns:
        where = f"Contract {contract.name}, column {column.name}"
        missing, untyped = contract.missing_rule(column), contract.untyped_rule(column)
        if column.required and (missing is None or isinstance(missing.check, checks.Unique)):
            raise ContractError(f"{where} is required, but no rule comes first that gives the reason; add NotBlank.")
        if not isinstance(column.type, Text) and (untyped is None or isinstance(untyped.check, checks.Unique)):
            raise ContractError(
                f"{where} is {type_name(column.type)}, but no rule gives the reason for a value that is not; add Typed."
            )


def _key(contract: Contract) -> None:
    match contract.key:
        case SurrogateKey():
            _surrogate(contract, contract.key)
        case NaturalKey(columns):
            where = f"Contract {contract.name}: the key"
            if not columns:
                raise ContractError(f"{where} has no columns.")
            _no_twins(where, "columns", columns, str)
            for name in columns:
                if not _key_column(contract, name, where).loaded:
                    raise ContractError(f"{where} names {name}, which is not loaded.")


def _surrogate(contract: Contract, key: SurrogateKey) -> None:
    where = f"Contract {contract.name}: the surrogate key {key.name}"
    if key.name.casefold() in {column.name.casefold() for column in contract.columns} | OWN_COLUMNS:
        raise ContractError(f"{where} has the name of a column.")
    if not NAME.fullmatch(key.name):
        raise ContractError(f"{where} must be 1 to 40 characters of a-z, 0-9 and _, beginning with a letter.")
    if not key.sources or not key.separator:
        raise ContractError(f"{where} needs at least one source and a separator.")
    _no_twins(where, "sources", key.sources, str)
    columns = [_key_column(contract, name, where) for name in key.sources]
    holders = [column.name for column in columns if _may_hold(contract, column, key.separator)]
    if len(holders) > 1:
        raise ContractError(
            f"{where}: {' and '.join(holders)} could each hold a character of the separator {key.separator!r}, so that "
            "two different rows could get one key; give all but one of them a pattern that cannot."
        )


def _key_column(contract: Contract, name: str, where: str) -> Column:
    try:
        column = contract.column(name)
    except KeyError:
        raise ContractError(f"{where} names {name!r}, which is no column.") from None
    if not column.required:
        raise ContractError(f"{where} names {name}, which may be missing; make it required.")
    for rule in (contract.missing_rule(column), contract.untyped_rule(column)):
        if rule is not None and not contract.rejects(rule):
            raise ContractError(f"{where} names {name}, whose rule {rule.reason} only warns.")
    return column


def _may_hold(contract: Contract, column: Column, separator: str) -> bool:
    """Whether an accepted value's text could hold a character of the separator."""
    if not isinstance(column.type, Text):
        return any(character in _TEXT_OF[type(column.type)] for character in separator)
    for rule in contract.rules_of(column.name):
        if not contract.rejects(rule):
            continue
        match rule.check:
            case checks.Matches(pattern) if not patterns.parse(pattern).may_hold(separator):
                return False
            case checks.OneOf(values) if not any(
                character in str(value) for value in values for character in separator
            ):
                return False
    return True


def _dataset_rules(contract: Contract) -> None:
    where = f"Contract {contract.name}"
    for rule in contract.dataset_rules:
        _dataset_rule(where, rule)
        try:
            verify_query(rule, contract)
        except ContractError as error:
            raise ContractError(f"{where}, dataset rule {rule.name}: {error}") from None
    _no_twins(where, "dataset rules", (rule.name for rule in contract.dataset_rules), str.casefold)


def verify_query(rule: DatasetRule, contract: Contract) -> None:
    """See that a dataset rule's query can be run on the contract's rows.

    Raises:
        ContractError: it cannot; the message goes on after the name of the rule.
    """
    from rowgate.contract import dataset_sql  # noqa: PLC0415 - sqlglot, which most contracts do not need

    dataset_sql.verify(rule.sql, [*(column.name for column in contract.columns), *contract.key_columns, *OWN_COLUMNS])


def _dataset_rule(where: str, rule: DatasetRule) -> None:
    if not _REASON.fullmatch(rule.name):
        raise ContractError(f"{where}: the dataset rule {rule.name!r} must be made of A-Z, a-z, 0-9 and _.")
    if "{table}" not in rule.sql:
        raise ContractError(f"{where}, dataset rule {rule.name}: the query does not read {{table}}.")
    ends = [end for end in (rule.low, rule.threshold) if end is not None]
    if not ends:
        raise ContractError(f"{where}, dataset rule {rule.name}: it has neither a threshold nor a least value.")
    if not all(map(math.isfinite, ends)):
        raise ContractError(f"{where}, dataset rule {rule.name}: the threshold must be a finite number.")
    empty = ends[0] == ends[-1] and len(ends) > 1 and (rule.above_low or rule.below_threshold)
    if ends[0] > ends[-1] or empty:
        raise ContractError(f"{where}, dataset rule {rule.name}: no value lies between its two limits.")


def _limits(contract: Contract) -> None:
    where = f"Contract {contract.name}"
    if contract.max_reject_rate is not None and not 0 <= contract.max_reject_rate <= 1:
        raise ContractError(f"{where}: max_reject_rate is a share from 0 to 1, not {contract.max_reject_rate}.")
    if contract.min_rows is not None and contract.min_rows < 0:
        raise ContractError(f"{where}: min_rows is at least 0, not {contract.min_rows}.")
    freshness = contract.service_levels.freshness
    if freshness is not None and freshness.total_seconds() <= 0:
        raise ContractError(f"{where}: freshness must be longer than nothing.")
    for marker in contract.null_markers:
        if not marker or marker.strip(WHITE_SPACE) != marker:
            raise ContractError(f"{where}: the null marker {marker!r} is empty or has blanks at its ends.")


def _no_twins(where: str, what: str, names: Iterable[str], fold: Callable[[str], str]) -> None:
    seen: set[str] = set()
    for name in names:
        if fold(name) in seen:
            raise ContractError(f"{where} has two {what} {name}.")
        seen.add(fold(name))
