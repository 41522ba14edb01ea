"""What targets share."""

from collections.abc import Iterator

from rowgate.contract.model import Column, Contract
from rowgate.contract.types import Text


class NotEnforcedError(Exception):
    """A target cannot say a rule. The message is one sentence for the artefact's reader; the engines still judge it."""


def rendered_from(contract: Contract) -> str:
    """The sentence at the top of a rendered file."""
    return f"Rendered from the contract {contract.name} {contract.version}: change that, then run `make render`."


def sentence(text: str) -> str:
    """The text with a full stop, so that another sentence can follow; nothing stays nothing."""
    return text if not text or text.rstrip().endswith((".", "!", "?")) else f"{text.rstrip()}."


def about(contract: Contract) -> str:
    """What a table's comment says: the contract's description, name, version and owner."""
    said = f"Contract {contract.name} {contract.version}, owner {contract.owner}."
    return f"{sentence(contract.description)} {said}".strip()


def may_be_null(contract: Contract, column: Column) -> bool:
    """Whether a clean row can have no value there: the column is optional, or what a missing value breaks only warns.

    So it is where an untyped value breaks a rule that only warns, since such a value loads as NULL.
    """
    missing, untyped = contract.missing_rule(column), contract.untyped_rule(column)
    loads_untyped = not isinstance(column.type, Text) and untyped is not None and not contract.rejects(untyped)
    return missing is None or not contract.rejects(missing) or loads_untyped


def beyond_the_table(contract: Contract) -> Iterator[str]:
    """What the contract asks and no condition on a table of clean rows can say, a sentence each.

    These are the rules of columns that are not loaded, the rules that only warn, the missing values that the table must
    let in, and what is asked of a whole run. What a target cannot say for reasons of its own is not among them.
    """
    for rule in contract.rules:
        if not contract.column(rule.field).loaded:
            yield f"{rule.reason}: {rule.field} is not loaded."
        elif not contract.rejects(rule):
            yield f"{rule.reason}: it only warns."
    for column in contract.loaded:
        missing = contract.missing_rule(column)
        if missing is not None and contract.rejects(missing) and may_be_null(contract, column):
            yield f"{missing.reason}: a value that only warns for its type loads as NULL."
    yield from beyond_rows(contract)


def beyond_rows(contract: Contract) -> Iterator[str]:
    """What the contract asks of a whole run, which no condition on a row can say: a sentence each."""
    for rule in contract.dataset_rules:
        yield f"{rule.name}: it looks at all rows of a run."
    if contract.max_reject_rate is not None:
        yield "max_reject_rate: it looks at all rows of a run."
    if contract.min_rows is not None:
        yield "min_rows: it looks at all rows of a run."
