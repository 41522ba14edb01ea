"""The errors a user reads: one plain sentence, saying what is wrong, where, and what to do."""


class RowgateError(Exception):
    """Something a user can act on. The message is one plain sentence; it never quotes a row's values.

    A `RowgateError` may heal on a retry (a server that is down, a disk that is full). Its subclasses below never do,
    so a task that meets one fails at once.

    Attributes:
        lines: what another program said about it, for below the sentence; no row's values either.
    """

    lines: tuple[str, ...] = ()


class UnusableError(RowgateError):
    """A contract, file, setting or argument that cannot be used as it is. Exit status 2 on the command line."""


class ContractError(UnusableError):
    """A contract that cannot be: it names the field or the rule that is impossible."""


class BreachError(RowgateError):
    """The data broke the contract. The report holds the sentences."""


class ReconciliationError(RowgateError):
    """Numbers that must add up do not."""
