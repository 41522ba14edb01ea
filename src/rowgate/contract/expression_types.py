"""Which kinds of value meet in an expression, and what becomes of them."""

import datetime as dt
import decimal
from collections.abc import Sequence

from rowgate.contract.expression_nodes import (
    DIGITS,
    QUOTIENT_SCALE,
    Absolute,
    Arithmetic,
    Constant,
    DayOf,
    Negate,
    Node,
    Operator,
    Widen,
)
from rowgate.contract.types import Boolean, ColumnType, Date, Decimal, Integer, Text, Timestamp, type_name
from rowgate.contract.values import Value, typed
from rowgate.errors import ContractError

Number = Integer | Decimal
_BIG = Integer(64)
_DIGITS_OF = {32: 10, 64: 19}


def number(text: str) -> Constant:
    """A number as the expression writes it.

    Raises:
        ContractError: it has more than 38 digits.
    """
    value = decimal.Decimal(text)
    _, digits, exponent = value.as_tuple()
    scale = max(0, -int(exponent))
    if max(len(digits) + int(exponent), 0) + scale > DIGITS or int(exponent) > DIGITS:
        raise ContractError(f"the number {text} has more than {DIGITS} digits.")
    whole = int(value)
    if scale == 0 and _BIG.low <= whole <= _BIG.high:
        return Constant(whole, _BIG)
    with decimal.localcontext(prec=DIGITS):
        return Constant(value.quantize(decimal.Decimal(1).scaleb(-scale)), _decimal(len(digits) + int(exponent), scale))


def meet(nodes: Sequence[Node], what: str) -> tuple[list[Node], ColumnType]:
    """The operands brought to one kind, and that kind. Text constants become dates where dates are; NULL becomes any.

    Raises:
        ContractError: they do not fit together; `what` says what is done to them.
    """
    kinds = [node.kind for node in nodes if not is_null(node)]
    if not kinds:
        raise ContractError(f"{what} has nothing but NULL.")
    if any(isinstance(kind, Timestamp) for kind in kinds):
        kind: ColumnType = Timestamp()
    elif any(isinstance(kind, Date) for kind in kinds):
        kind = Date()
    elif all(isinstance(kind, Number) for kind in kinds):
        kind = _widest([kind for kind in kinds if isinstance(kind, Number)])
    else:
        kind = kinds[0]
    return [become(node, kind, what) for node in nodes], kind


def become(node: Node, kind: ColumnType, what: str) -> Node:
    """The node as one of this kind; see `meet`."""
    if is_null(node):
        return Constant(None, kind)
    match node.kind, kind:
        case Text(), Text() | Date() | Timestamp() if isinstance(node, Constant):
            return Constant(_moment(str(node.value), kind), kind)
        case (Integer(), Integer()) | (Text(), Text()) | (Date(), Date()) | (Boolean(), Boolean()):
            return node
        case Timestamp(), Timestamp():
            return node
        case Date(), Timestamp():
            return Widen(node, kind)
        case (Integer() | Decimal(), Decimal()):
            return _rescale(node, kind.scale)
    raise ContractError(f"{what} puts {_told(node)} beside {_word(kind)}.")


def as_date(node: Node, what: str) -> Node:
    """The node as a date; a timestamp gives its day in UTC."""
    return DayOf(node) if isinstance(node.kind, Timestamp) else become(node, Date(), what)


def integer(node: Node, what: str) -> Node:
    if not isinstance(node.kind, Integer):
        raise ContractError(f"{what} needs a whole number, not {_told(node)}.")
    return node


def numeric(node: Node, what: str) -> Node:
    if is_null(node) or not isinstance(node.kind, Number):
        raise ContractError(f"{what} needs a number, not {_told(node)}.")
    return node


def text(node: Node, what: str) -> Node:
    if is_null(node) or not isinstance(node.kind, Text):
        raise ContractError(f"{what} needs a text, not {_told(node)}.")
    return node


def condition(node: Node, what: str) -> Node:
    if is_null(node) or not isinstance(node.kind, Boolean):
        raise ContractError(f"{what} needs a condition, not {_told(node)}.")
    return node


def calculate(operator: Operator, left: Node, right: Node) -> Arithmetic:
    """Two numbers under an operator, with the kind of the result.

    Raises:
        ContractError: one is no number, or the product would have more than 38 decimals.
    """
    for node in (left, right):
        numeric(node, operator)
    if isinstance(left.kind, Integer) and isinstance(right.kind, Integer) and operator != "/":
        return Arithmetic(operator, left, right, _BIG)
    if operator == "*":
        left, right = (_rescale(node, _size(node)[1]) for node in (left, right))
    else:
        scale = max(_size(left)[1], _size(right)[1])
        left, right = _rescale(left, scale), _rescale(right, scale)
    (whole, scale), (other, other_scale) = _size(left), _size(right)
    match operator:
        case "+" | "-":
            kind = _decimal(max(whole, other) + 1, scale)
        case "%":
            kind = _decimal(min(whole, other), scale)
        case "/":
            kind = _decimal(DIGITS - QUOTIENT_SCALE, QUOTIENT_SCALE)
        case "*":
            if scale + other_scale > DIGITS:
                raise ContractError(f"a product would have {scale + other_scale} decimals, and a number has {DIGITS}.")
            kind = _decimal(whole + other, scale + other_scale)
    return Arithmetic(operator, left, right, kind)


def negate(node: Node) -> Node:
    """The number with the other sign; one that is written out stays a constant."""
    if isinstance(node, Constant) and isinstance(node.value, int | decimal.Decimal):
        opposite = node.value.copy_negate() if isinstance(node.value, decimal.Decimal) else -node.value
        return Constant(opposite, node.kind)
    return Negate(node, _signed(node))


def absolute(node: Node) -> Node:
    """The number without its sign."""
    return Absolute(node, _signed(node))


def _signed(node: Node) -> ColumnType:
    return node.kind if isinstance(node.kind, Decimal) else _BIG


def is_null(node: Node) -> bool:
    return isinstance(node, Constant) and node.value is None


def _size(node: Node) -> tuple[int, int]:
    """How many digits stand before and behind the point, at most."""
    match node:
        case Constant(int() as value, Integer()):
            return len(str(abs(value))), 0
    match node.kind:
        case Integer(bits):
            return _DIGITS_OF[bits], 0
        case Decimal(precision, scale):
            return precision - scale, scale
    raise ContractError(f"{_told(node)} is no number.")


def _widest(kinds: Sequence[Number]) -> Number:
    scales = [kind.scale for kind in kinds if isinstance(kind, Decimal)]
    return Decimal(DIGITS, max(scales)) if scales else _BIG


def _rescale(node: Node, scale: int) -> Node:
    whole, old = _size(node)
    kind = _decimal(whole, scale)
    if isinstance(node, Constant) and whole + scale <= DIGITS:
        with decimal.localcontext(prec=DIGITS):
            return Constant(decimal.Decimal(str(node.value)).quantize(decimal.Decimal(1).scaleb(-scale)), kind)
    return node if isinstance(node.kind, Decimal) and old == scale else Widen(node, kind)


def _decimal(whole: int, scale: int) -> Decimal:
    return Decimal(min(DIGITS, max(1, max(0, whole) + scale)), scale)


def _moment(written: str, kind: ColumnType) -> Value:
    if isinstance(kind, Text):
        return written
    value = typed(written, kind)
    if value is None and isinstance(kind, Timestamp):
        day = typed(written, Date())
        value = None if not isinstance(day, dt.date) else dt.datetime.combine(day, dt.time(), dt.UTC)
    if value is None:
        form = "2020-01-31" if isinstance(kind, Date) else "2020-01-31 10:00:00"
        raise ContractError(f"{written!r} stands beside a {type_name(kind)} and is none; write it like '{form}'.")
    return value


def _told(node: Node) -> str:
    if isinstance(node, Constant):
        return "NULL" if node.value is None else f"the {_word(node.kind)} {node.value!r}".replace("Decimal", "")
    return f"a {_word(node.kind)}" if not isinstance(node.kind, Number) else "a number"


def _word(kind: ColumnType) -> str:
    match kind:
        case Integer() | Decimal():
            return "number"
        case Text():
            return "text"
        case Boolean():
            return "condition"
    return type_name(kind)
