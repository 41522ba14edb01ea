"""References from one contract to the loaded keys of another."""

import difflib
from collections.abc import Callable, Container, Iterator

from rowgate.contract.checks import References
from rowgate.contract.model import Contract, FieldRule
from rowgate.contract.types import ColumnType, Integer, Text, type_name
from rowgate.errors import ContractError


def reference(text: str) -> References:
    """A reference as a contract in YAML writes it: `customers`, or `customers.customer_id`.

    Raises:
        ContractError: a name is empty.
    """
    contract, dot, column = text.partition(".")  # a contract's name holds no dot, a column's may
    return References(contract.strip(), column.strip() if dot else None)


def references_of(contract: Contract) -> Iterator[tuple[FieldRule, References]]:
    """The rules of a contract that refer to loaded keys, in declaration order."""
    for rule in contract.rules:
        if isinstance(rule.check, References):
            yield rule, rule.check


def unevaluated(contract: Contract, keys: Container[References]) -> list[str]:
    """The reasons of the rules that refer to keys of which there are none in `keys`."""
    return [rule.reason for rule, check in references_of(contract) if check not in keys]


def verify_references(contract: Contract, others: Callable[[], dict[str, Contract]]) -> None:
    """See that everything a contract refers to is there, is a key, and has the type of the column that refers.

    Args:
        contract: the contract.
        others: gives the contracts there are, by their own names; asked where a rule refers to another contract.

    Raises:
        ContractError: a reference does not fit; the sentence names the rule and, for a wrong name, the nearest one.
    """
    known = {contract.name: contract}
    for rule, check in references_of(contract):
        if check.contract not in known:
            known = {**others(), **known}
        try:
            _verify(contract.column(rule.field).type, check, known)
        except ContractError as error:
            raise ContractError(f"Contract {contract.name}, rule {rule.reason}: {error}") from None


def key_type(contract: Contract, name: str) -> ColumnType:
    """The type of a column of a contract's key; a surrogate is text."""
    return next((column.type for column in contract.columns if column.name == name), Text())


def _verify(kind: ColumnType, check: References, known: dict[str, Contract]) -> None:
    other = known.get(check.contract)
    if other is None:
        raise ContractError(f"there is no contract {check.contract!r}; {_hint(check.contract, sorted(known))}")
    keys = other.key_columns
    if not keys:
        raise ContractError(f"the contract {other.name} has no key, so that nothing can refer to it; give it one.")
    if check.column is None and len(keys) > 1:
        raise ContractError(f"the key of {other.name} has several columns; name one of them: {', '.join(keys)}.")
    name = check.column or keys[0]
    if name not in keys:
        raise ContractError(f"{name!r} is not in the key of {other.name}; {_hint(name, keys)}")
    wanted = key_type(other, name)
    if wanted != kind and not (isinstance(wanted, Integer) and isinstance(kind, Integer)):
        raise ContractError(
            f"{other.name}.{name} is {type_name(wanted)}, and the column that refers to it is {type_name(kind)}; "
            "give both one type."
        )


def _hint(word: str, words: list[str] | tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, words, 1)
    return f"did you mean {near[0]}?" if near else f"it is one of: {', '.join(words)}."
