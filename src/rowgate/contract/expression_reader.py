"""From SQL, as sqlglot parses it, to the tree of `expression_nodes`."""

from collections.abc import Callable, Mapping
from typing import ClassVar

from sqlglot import errors, exp, parse_one
from sqlglot.dialects.spark import Spark
from sqlglot.tokenizer_core import TokenType

from rowgate.contract import expression_types as types
from rowgate.contract.expression_arithmetic import ArithmeticReader
from rowgate.contract.expression_nodes import (
    And,
    Case,
    ChangeCase,
    Coalesce,
    Compare,
    Constant,
    In,
    IsNull,
    Length,
    Like,
    Node,
    Not,
    Now,
    Operator,
    Or,
    Sign,
    Slice,
    Today,
)
from rowgate.contract.expression_parts import refuse
from rowgate.contract.expressions import Tree
from rowgate.contract.types import Boolean, ColumnType, Text
from rowgate.errors import ContractError

_SIGNS: dict[type[exp.Expr], Sign] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_OPERATORS: dict[type[exp.Expr], Operator] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}


class SparkSql(Spark):
    """Spark's SQL as Spark 4 reads it: two quotes inside a text are one quote, not the end of one text and another."""

    class Tokenizer(Spark.Tokenizer):
        STRING_ESCAPES: ClassVar[list[str]] = ["'", "\\"]


def read(sql: str, columns: Mapping[str, ColumnType]) -> Tree:
    """Read a condition; see `expressions.parse`.

    Raises:
        ContractError: as `expressions.parse` says.
    """
    try:
        parsed = parse_one(sql, into=exp.Condition, dialect=SparkSql)
        _refuse_double_quotes(sql, columns)
        _refuse_constant(parsed)
        reader = _Reader(columns)
        root = types.condition(reader.read(parsed), "the whole of it")
    except errors.SqlglotError:
        raise ContractError(f"The expression {sql!r} cannot be read as a condition in SQL.") from None
    except RecursionError:
        raise ContractError(f"The expression {sql[:40]!r}… is nested too deep to be read.") from None
    except ContractError as error:
        raise ContractError(f"The expression {sql!r} cannot be used: {error}") from None
    return Tree(root, tuple(reader.names), reader.clock)


def _refuse_double_quotes(sql: str, columns: Mapping[str, ColumnType]) -> None:
    """Spark reads a text between double quotes, where other databases read a name."""
    known = {name.casefold() for name in columns}
    for token in SparkSql().tokenize(sql):
        if token.token_type is TokenType.STRING and sql[token.start] == '"' and token.text.casefold() in known:
            raise ContractError(
                f'"{token.text}" is a text here; for the column write `{token.text}` in backticks, '
                "for a text single quotes."
            )


def _refuse_constant(parsed: exp.Expr) -> None:
    """A condition over no column is a slip: every row passes it, or none."""
    for part in parsed.find_all(exp.Predicate):
        if part.find(exp.Column) is None and not isinstance(part, exp.Boolean):
            hint = next((f"`{text.name}`" for text in part.find_all(exp.Literal) if text.is_string), "`name`")
            raise ContractError(
                f"{part.sql(SparkSql)} compares no column; a column's name stands alone or in backticks, as in {hint}."
            )
    if parsed.find(exp.Column) is None:
        raise ContractError("it names no column, so that it says the same of every row.")


class _Reader(ArithmeticReader):
    def read(self, part: exp.Expr) -> Node:
        kind = type(part)
        if kind in _SIGNS:
            return self.compare(_SIGNS[kind], *self.pair(part))
        if kind in _OPERATORS:
            return self.calculate(_OPERATORS[kind], part)
        reader = _READERS.get(kind)
        return reader(self, part) if reader is not None else refuse(part)

    def today(self, part: exp.Expr) -> Node:
        self.only(part)
        self.clock = True
        return Today()

    def now(self, part: exp.Expr) -> Node:
        self.only(part)
        self.clock = True
        return Now()

    def both(self, part: exp.Expr) -> Node:
        left, right = self.pair(part)
        return And(types.condition(left, "AND"), types.condition(right, "AND"))

    def either(self, part: exp.Expr) -> Node:
        left, right = self.pair(part)
        return Or(types.condition(left, "OR"), types.condition(right, "OR"))

    def negation(self, part: exp.Expr) -> Node:
        return Not(types.condition(self.under(part), "NOT"))

    def compare(self, sign: Sign, left: Node, right: Node) -> Node:
        if types.is_null(left) or types.is_null(right):
            raise ContractError("a comparison with NULL is never true; write IS NULL or IS NOT NULL.")
        (left, right), kind = types.meet((left, right), f"'{sign}'")
        if isinstance(kind, Boolean) and sign not in ("=", "<>"):
            raise ContractError(f"'{sign}' puts two conditions in an order they do not have.")
        return Compare(sign, left, right)

    def between(self, part: exp.Expr) -> Node:
        value = self.under(part, "low", "high")
        low, high = self.read(part.args["low"]), self.read(part.args["high"])
        return And(self.compare(">=", value, low), self.compare("<=", value, high))

    def is_null(self, part: exp.Expr) -> Node:
        if not isinstance(part.expression, exp.Null):
            raise ContractError("IS may be followed by [NOT] NULL only.")
        return IsNull(self.under(part, "expression"))

    def is_in(self, part: exp.Expr) -> Node:
        value = self.under(part, "expressions")
        options = [self.read(option) for option in part.expressions]
        if not options:
            raise ContractError("IN has an empty list.")
        if any(map(types.is_null, (value, *options))):
            raise ContractError("IN with NULL is never true of it; write IS NULL or IS NOT NULL.")
        (value, *options), _ = types.meet((value, *options), "IN")
        return In(value, tuple(options))

    def like(self, part: exp.Expr) -> Node:
        value = types.text(self.under(part, "expression", "negate"), "LIKE")
        if not (isinstance(part.expression, exp.Literal) and part.expression.is_string):
            raise ContractError("LIKE is followed by something other than a text in quotes.")
        pattern = part.expression.name
        rest = pattern.replace("\\\\", "").replace("\\%", "").replace("\\_", "")
        if "\\" in rest:
            raise ContractError("LIKE has a backslash before something other than %, _ or a backslash.")
        return Not(Like(value, pattern)) if part.args.get("negate") else Like(value, pattern)

    def minus(self, part: exp.Expr) -> Node:
        return types.negate(types.numeric(self.under(part), "'-'"))

    def absolute(self, part: exp.Expr) -> Node:
        return types.absolute(types.numeric(self.under(part), "abs"))

    def length(self, part: exp.Expr) -> Node:
        return Length(types.text(self.under(part), "length"))

    def lower(self, part: exp.Expr) -> Node:
        return ChangeCase(types.text(self.under(part), "lower"), "lower")

    def upper(self, part: exp.Expr) -> Node:
        return ChangeCase(types.text(self.under(part), "upper"), "upper")

    def slice(self, part: exp.Expr) -> Node:
        value = types.text(self.under(part, "start", "length"), "substring")
        start, length = (_count(part.args.get(key)) for key in ("start", "length"))
        if start is None or start < 1:
            raise ContractError("substring needs a start that is written out, from 1.")
        return Slice(value, start, length)

    def case(self, part: exp.Expr) -> Node:
        self.only(part, "this", "ifs", "default")
        subject = self.read(part.this) if part.this is not None else None
        conditions = [self.when(branch, subject) for branch in part.args["ifs"]]
        default = part.args.get("default")
        values = [self.read(branch.args["true"]) for branch in part.args["ifs"]]
        values.append(self.read(default) if default is not None else Constant(None, Text()))
        (*values, otherwise), kind = types.meet(values, "CASE")
        return Case(tuple(zip(conditions, values, strict=True)), otherwise, kind)

    def when(self, branch: exp.Expr, subject: Node | None) -> Node:
        value = self.read(branch.this)
        return types.condition(value, "WHEN") if subject is None else self.compare("=", subject, value)

    def coalesce(self, part: exp.Expr) -> Node:
        self.only(part, "this", "expressions")
        options, kind = types.meet([self.read(option) for option in (part.this, *part.expressions)], "coalesce")
        return Coalesce(tuple(options), kind)


def _count(part: exp.Expr | None) -> int | None:
    if part is None:
        return None
    if not isinstance(part, exp.Literal) or part.is_string or not part.name.isdecimal():
        raise ContractError("substring takes a start and a length that are written out as numbers, from 1 and from 0.")
    return min(int(part.name), 2**31 - 1)  # no text is longer


_READERS: dict[type[exp.Expr], Callable[[_Reader, exp.Expr], Node]] = {
    exp.Paren: _Reader.paren,
    exp.Column: _Reader.column,
    exp.Literal: _Reader.literal,
    exp.Boolean: _Reader.boolean,
    exp.Null: _Reader.null,
    exp.Cast: _Reader.cast,
    exp.TryCast: _Reader.cast,
    exp.CurrentDate: _Reader.today,
    exp.CurrentTimestamp: _Reader.now,
    exp.And: _Reader.both,
    exp.Or: _Reader.either,
    exp.Not: _Reader.negation,
    exp.Between: _Reader.between,
    exp.Is: _Reader.is_null,
    exp.In: _Reader.is_in,
    exp.Like: _Reader.like,
    exp.TsOrDsAdd: _Reader.date_add,
    exp.DateDiff: _Reader.date_difference,
    exp.Neg: _Reader.minus,
    exp.Abs: _Reader.absolute,
    exp.Length: _Reader.length,
    exp.Lower: _Reader.lower,
    exp.Upper: _Reader.upper,
    exp.Substring: _Reader.slice,
    exp.Case: _Reader.case,
    exp.Coalesce: _Reader.coalesce,
}
