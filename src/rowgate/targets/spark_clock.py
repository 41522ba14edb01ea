"""A query in Spark's SQL with the clock stopped."""

import datetime as dt

from sqlglot.dialects.spark import Spark
from sqlglot.tokenizer_core import Token, TokenType

from rowgate.targets.spark_types import micros

_DATES = frozenset({"CURRENT_DATE", "CURDATE"})
_MOMENTS = frozenset({"CURRENT_TIMESTAMP", "NOW"})
_BARE = frozenset({"CURRENT_DATE", "CURRENT_TIMESTAMP"})


def frozen(sql: str, now: dt.datetime) -> str:
    """The query with every mention of the current date or moment replaced by `now`; the rest stays as it was written.

    Args:
        sql: a query that Spark understands.
        now: an aware moment.
    """
    tokens = Spark().tokenize(sql)
    parts, end = list[str](), 0
    for at, token in enumerate(tokens):
        called = [each.token_type for each in tokens[at + 1 : at + 3]] == [TokenType.L_PAREN, TokenType.R_PAREN]
        constant = _constant(token, now, called=called)
        if constant is None or (at and tokens[at - 1].token_type is TokenType.DOT):
            continue
        parts += [sql[end : token.start], constant]
        end = (tokens[at + 2] if called else token).end + 1
    return "".join([*parts, sql[end:]])


def _constant(token: Token, now: dt.datetime, *, called: bool) -> str | None:
    name = token.text.upper()
    if token.token_type in (TokenType.STRING, TokenType.IDENTIFIER) or not (called or name in _BARE):
        return None
    if name in _DATES:
        return f"DATE'{now.astimezone(dt.UTC).date()}'"
    return f"timestamp_micros({micros(now)}L)" if name in _MOMENTS else None
