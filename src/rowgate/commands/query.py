"""`rowgate query`: Athena's tables and saved queries on the lake, without an account."""

import re
from collections.abc import Callable, Mapping, Sequence

from rowgate.contract import catalog
from rowgate.errors import UnusableError
from rowgate.settings import Settings
from rowgate.targets import athena_tables, saved_queries
from rowgate.targets.athena_tables import PARTITION, Table

_SHOW = re.compile(r"\s*SHOW\s+TABLES(\s+(IN|FROM)\s+`?\w+`?)?\s*;?\s*", re.IGNORECASE)
_DESCRIBE = re.compile(
    r"\s*(?:DESCRIBE|DESC|SHOW\s+COLUMNS\s+(?:IN|FROM))\s+[`\"\w.]*?(\w+)[`\"]?\s*;?\s*", re.IGNORECASE
)


def query(
    settings: Settings,
    sql: str | None,
    *,
    saved: str | None,
    listed: bool,
    values: Sequence[str],
    as_json: bool,
    as_csv: bool,
) -> int:
    """Answer a question on standard output.

    Args:
        settings: where contracts and lake are.
        sql: a question in Athena's SQL, or None.
        saved: a saved query's name, or None.
        listed: list the saved queries.
        values: for each `?` a text.
        as_json: one JSON object in a line for each row.
        as_csv: CSV with a header.

    Returns:
        0.

    Raises:
        UnusableError: an argument or the query cannot be used.
        RowgateError: the lake cannot be read.
    """
    if sum((sql is not None, saved is not None, listed)) != 1:
        raise UnusableError("Ask one thing: a query in quotes, --saved and the name of a saved query, or --list.")
    if as_json and as_csv:
        raise UnusableError("An answer is JSON or CSV, not both; leave --json or --csv out.")
    contracts = catalog.load_all(settings.contracts)
    from rowgate.commands.query_output import printer  # noqa: PLC0415 - after the arguments were looked at

    show = printer(as_json=as_json, as_csv=as_csv)
    queries = {query.name: query for contract in contracts for query in saved_queries.of_contract(contract)}
    tables = {table.name: table for contract in contracts for table in athena_tables.tables(contract)}
    if listed:
        show(
            ("name", "asks for", "description"), ((q.name, ", ".join(q.asks), q.description) for q in queries.values())
        )
    elif sql is not None and _answered_without_lake(sql, tables, show):
        pass
    else:
        _ask(settings, sql if sql is not None else _saved(saved or "", queries, values), tables, values, show)
    return 0


_Show = Callable[..., None]


def _ask(settings: Settings, text: str, tables: Mapping[str, Table], values: Sequence[str], show: _Show) -> None:
    from rowgate.stages.query import asked  # noqa: PLC0415 - DuckDB and sqlglot

    with asked(text, tables, settings.open_lake(), values=values) as answer:
        show(answer.columns, answer.rows)


def _saved(name: str, queries: Mapping[str, saved_queries.SavedQuery], values: Sequence[str]) -> str:
    """The text of a saved query; the end of its name is enough where only one ends so."""
    ending = [name] if name in queries else [found for found in queries if found.endswith(f"_{name}")]
    if len(ending) > 1:
        raise UnusableError(f"Several saved queries end in {name}: {', '.join(ending)}; name one of them.")
    if not ending:
        raise UnusableError(f"There is no saved query {name}; `rowgate query --list` shows those there are.")
    found = queries[ending[0]]
    if len(found.asks) != len(values):
        asks = f"asks for {' and '.join(found.asks)}: give that by --value" if found.asks else "takes no --value"
        raise UnusableError(f"The saved query {found.name} {asks}.")
    return found.sql


def _answered_without_lake(sql: str, tables: Mapping[str, Table], show: _Show) -> bool:
    """SHOW TABLES and DESCRIBE, which the contracts answer. Whether it was one of them."""
    if _SHOW.fullmatch(sql):
        show(("tab_name", "description"), ((table.name, table.description) for table in tables.values()))
        return True
    described = _DESCRIBE.fullmatch(sql)
    if not described:
        return False
    name = described[1].lower()
    if name not in tables:
        from rowgate.stages.query_sql import unknown  # noqa: PLC0415 - sqlglot

        raise unknown(name, tables)
    columns = (*tables[name].columns, PARTITION)
    show(("col_name", "data_type", "comment"), ((column.name, column.kind, column.comment) for column in columns))
    return True
