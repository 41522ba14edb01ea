"""Whether the query of a dataset rule can be run at all, as far as that can be told without an engine."""

from collections.abc import Collection, Iterator

from sqlglot import errors, exp, parse_one

from rowgate.contract.expression_reader import SparkSql
from rowgate.contract.yaml_fields import near
from rowgate.errors import ContractError

_TABLE = "rowgate_rows"


def verify(sql: str, columns: Collection[str]) -> None:
    """See that a query over `{table}` is one query, and names columns that are there.

    Args:
        sql: the query, in Spark's SQL.
        columns: the names that the rows have, in any case.

    Raises:
        ContractError: it cannot be read, is no query, or names an unknown column; the message goes on after the name of
            the rule.
    """
    try:
        query = parse_one(sql.replace("{table}", _TABLE), dialect=SparkSql)
    except (errors.SqlglotError, RecursionError):
        raise ContractError("the query cannot be read as one query in Spark's SQL.") from None
    if not isinstance(query, exp.Query):
        raise ContractError("the query is no query; write SELECT, and one number after it.")
    made = {name.casefold() for name in _made(query)}
    if {table.name for table in query.find_all(exp.Table)} - made - {_TABLE}:
        return  # it reads what is not known here
    known = {name.casefold() for name in columns} | made
    for column in query.find_all(exp.Column):
        if isinstance(column.this, exp.Identifier) and column.name.casefold() not in known:
            meant = near(column.name, columns)
            hint = f"; did you mean {meant}?" if meant else "."
            raise ContractError(f"the query names {column.name!r}, which is no column{hint}")


def _made(query: exp.Expr) -> Iterator[str]:
    """The names that a query gives itself: to results, tables and their columns."""
    for part in query.walk():
        if isinstance(part, (exp.Alias, exp.CTE)):
            yield part.alias
        elif isinstance(part, (exp.Aliases, exp.Lambda, exp.TableAlias)):
            yield from (inner.name for inner in part.find_all(exp.Identifier))
