"""A question in Athena's SQL as DuckDB runs it: one query over the contracts' tables that does nothing but read."""

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from sqlglot import Dialect, errors, exp, parse_one

from rowgate.errors import UnusableError
from rowgate.targets.athena_tables import DATABASE, Table

_CATALOG = "awsdatacatalog"
# A query may hold none of these, at whatever depth.
_WRITES = (
    *(exp.DML, exp.DDL, exp.Into, exp.Command, exp.Set, exp.Use, exp.Copy, exp.Attach, exp.Detach, exp.Pragma),
    *(exp.Drop, exp.Alter, exp.TruncateTable, exp.Describe, exp.Show, exp.Install, exp.Lock),
)
_BEGINNINGS = frozenset({"SELECT", "WITH", "TABLE", "("})
_ONLY_READS = "ask with SELECT or WITH, SHOW TABLES, or DESCRIBE and a table"


@dataclass(frozen=True)
class Question:
    """A query for DuckDB.

    Attributes:
        sql: DuckDB's SQL, over views called as the tables.
        tables: the tables that it names.
        values: how many `?` it has.
    """

    sql: str
    tables: tuple[Table, ...]
    values: int


def translated(text: str, tables: Mapping[str, Table]) -> Question:
    """The query for DuckDB.

    Args:
        text: one query in Athena's SQL; a semicolon at its end is allowed.
        tables: what there is, by name.

    Raises:
        UnusableError: it cannot be read, does more than read, or names a table that there is not.
    """
    query = _read(text)
    if not isinstance(query, exp.Query) or any(True for _ in query.find_all(*_WRITES)):
        raise UnusableError(f"The query does more than read, which is all that is possible here; {_ONLY_READS}.")
    wanted = list(dict.fromkeys(_tables(query, tables)))
    for unnest in list(query.find_all(exp.Unnest)):
        _unnest_map(unnest, {column.name for table in wanted for column in table.columns if _is_map(column.kind)})
    _name_columns(query)
    try:
        sql = query.sql(dialect="duckdb", unsupported_level=errors.ErrorLevel.RAISE)
    except errors.SqlglotError as error:
        raise UnusableError(f"DuckDB cannot say what the query asks for: {_one_line(error)}.") from error
    return Question(sql, tuple(wanted), sum(1 for _ in query.find_all(exp.Placeholder)))


def unknown(name: str, tables: Collection[str]) -> UnusableError:
    """The error that there is no such table."""
    near = difflib.get_close_matches(name, tables, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    return UnusableError(f"There is no table {name}; {hint}the tables there are: {', '.join(sorted(tables))}.")


def _read(text: str) -> exp.Expr:
    try:
        tokens = [token.text.upper() for token in Dialect.get_or_raise("athena").tokenize(text)]
        while tokens and tokens[-1] == ";":
            tokens.pop()
        if not tokens or ";" in tokens:
            raise UnusableError(f"There is one query at a time, no more and no less; {_ONLY_READS}.")
        # Before it is parsed, since sqlglot takes a statement that it does not know as it is, with a warning.
        if tokens[0] not in _BEGINNINGS:
            word = tokens[0] or text.split(maxsplit=1)[0].upper()  # the token of some statements has no text
            raise UnusableError(
                f"The query begins with {word[:40]}, and all that is possible is to read; {_ONLY_READS}."
            )
        return parse_one(text, dialect="athena")
    except errors.SqlglotError as error:
        raise UnusableError(f"The query cannot be read as Athena's SQL{_place(error)}.") from error


def _place(error: errors.SqlglotError) -> str:
    found = error.errors[0] if isinstance(error, errors.ParseError) and error.errors else {}
    near = str(found.get("highlight") or "").strip()
    return f": line {found['line']}, at {near!r}" if found.get("line") and near else ""


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")


def _tables(query: exp.Query, known: Mapping[str, Table]) -> Iterable[Table]:
    """The tables that the query names; their names are left as DuckDB's views are called."""
    made = {cte.alias.lower() for cte in query.find_all(exp.CTE)}
    for node in query.find_all(exp.Table):
        if not isinstance(node.this, exp.Identifier):
            raise UnusableError(f"A query reads the contracts' tables, and no {_called(node)}(...).")
        name = node.name.lower()
        if (node.db.lower() or DATABASE) != DATABASE or (node.catalog.lower() or _CATALOG) != _CATALOG:
            raise UnusableError(f"The tables are in the database {DATABASE}, and there is none called {node.db}.")
        if name in known:
            yield known[name]
        elif name not in made or node.db:
            raise unknown(node.name, known)
        node.set("catalog", None)
    for column in query.find_all(exp.Column):
        column.set("catalog", None)


def _called(node: exp.Table) -> str:
    function = node.this
    if isinstance(function, exp.Anonymous):
        return function.name.lower()
    return function.sql_name().lower() if isinstance(function, exp.Func) else function.key


def _is_map(kind: str) -> bool:
    return kind.startswith("map<")


def _unnest_map(unnest: exp.Unnest, maps: Collection[str]) -> None:
    """Trino unnests a map into two columns; DuckDB takes a subquery for that.

    sqlglot leaves the form as it is, since it does not know which columns are maps.
    """
    arguments, alias = unnest.expressions, unnest.args.get("alias")
    names = alias.columns if alias is not None else []
    if alias is None or len(arguments) != 1 or len(names) != 2:  # noqa: PLR2004 - a key and its value
        return
    [source] = arguments
    if not (isinstance(source, exp.Column) and source.name.lower() in maps):
        return
    pairs = [
        exp.alias_(exp.func("unnest", exp.func(part, source.copy())), name.copy())
        for part, name in zip(("map_keys", "map_values"), names, strict=True)
    ]
    unnest.replace(exp.select(*pairs).subquery(alias.this.copy()))


def _name_columns(query: exp.Expr) -> None:
    """Call a column without a name as Athena does, by its place."""
    match query:
        case exp.Select():
            for at, projection in enumerate(query.expressions):
                if not (isinstance(projection, exp.Alias | exp.Column | exp.Dot) or projection.is_star):
                    projection.replace(exp.alias_(projection.copy(), f"_col{at}"))
        case exp.Subquery() | exp.SetOperation():
            _name_columns(query.this)
