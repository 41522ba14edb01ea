"""What the readers of every part of an expression share: columns, constants, refusals."""

import difflib
from collections.abc import Mapping
from typing import NoReturn

from sqlglot import exp

from rowgate.contract import expression_types as types
from rowgate.contract.expression_nodes import Constant, Name, Node
from rowgate.contract.types import Boolean, ColumnType, Date, Text, Timestamp
from rowgate.errors import ContractError

_LITERAL_TYPES: dict[exp.DType, ColumnType] = {
    exp.DType.DATE: Date(),
    exp.DType.TIMESTAMP: Timestamp(),
    exp.DType.TIMESTAMPTZ: Timestamp(),
}


_WRITTEN: dict[type[exp.Expr], str] = {
    exp.Cast: "CAST",
    exp.TryCast: "CAST",
    exp.DPipe: "'||'",
    exp.IntDiv: "DIV",
    exp.NullSafeEQ: "'<=>'",
    exp.RegexpLike: "RLIKE",
    exp.Interval: "an interval that is not of days",
    exp.Subquery: "a query inside",
    exp.Select: "a query inside",
    exp.Column: "a column with a table's name before it",
    exp.Concat: "two texts side by side",
    exp.Bracket: "'[]'",
}


def refuse(part: exp.Expr) -> NoReturn:
    """Name what an expression cannot hold.

    Raises:
        ContractError: always.
    """
    if isinstance(part, exp.Anonymous):
        named = f"the function {part.name}"
    elif type(part) in _WRITTEN:
        named = _WRITTEN[type(part)]
    else:
        named = part.sql_name() if isinstance(part, exp.Func) else type(part).__name__.upper()
    raise ContractError(f"{named} is not among what expressions can hold.")


class Reader:
    """Reads columns and constants, and sees that nothing a part says is overlooked."""

    names: dict[str, None]
    """The columns named so far, in order."""
    clock: bool
    """Whether the run's start was named."""

    def __init__(self, columns: Mapping[str, ColumnType]) -> None:
        self.columns = columns
        self.folded = {name.casefold(): name for name in columns}
        self.names = {}
        self.clock = False

    def read(self, part: exp.Expr) -> Node:
        raise NotImplementedError

    def only(self, part: exp.Expr, *known: str) -> None:
        """See that the part says nothing besides these arguments."""
        for key, value in part.args.items():
            if value not in (None, False, []) and key not in known:
                refuse(value if isinstance(value, exp.Expr) and key == "query" else part)

    def under(self, part: exp.Expr, *known: str) -> Node:
        self.only(part, "this", *known)
        return self.read(part.this)

    def pair(self, part: exp.Expr) -> tuple[Node, Node]:
        # What sqlglot knows of a dialect's division says nothing that the writer of the expression did.
        self.only(part, "this", "expression", *(("typed", "safe") if isinstance(part, exp.Div) else ()))
        return self.read(part.this), self.read(part.expression)

    def paren(self, part: exp.Expr) -> Node:
        return self.under(part)

    def column(self, part: exp.Expr) -> Node:
        self.only(part, "this")
        if not isinstance(part.this, exp.Identifier):
            refuse(part)
        name = self.folded.get(part.name.casefold())
        if name is None:
            near = difflib.get_close_matches(part.name, self.columns, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(self.columns)}."
            raise ContractError(f"{part.name!r} is no column of the contract{hint}")
        self.names[name] = None
        return Name(name, self.columns[name])

    def literal(self, part: exp.Expr) -> Node:
        return Constant(part.name, Text()) if part.args["is_string"] else types.number(part.name)

    def boolean(self, part: exp.Expr) -> Node:
        return Constant(bool(part.this), Boolean())

    def null(self, _: exp.Expr) -> Node:
        return Constant(None, Text())

    def cast(self, part: exp.Expr) -> Node:
        """`DATE '…'` and `TIMESTAMP '…'`, which sqlglot shows as casts."""
        kind = _LITERAL_TYPES.get(part.args["to"].this)
        if kind is None or not (isinstance(part.this, exp.Literal) and part.this.is_string):
            refuse(part)
        return types.become(self.read(part.this), kind, "a literal")
