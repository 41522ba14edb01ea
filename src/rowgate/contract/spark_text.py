"""Names and values as Spark's SQL writes them."""

import datetime as dt
import decimal

from rowgate.contract.values import Value


def name_in_sql(name: str) -> str:
    """A column's name, quoted whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def value_in_sql(value: Value) -> str:
    """A value: a text, a number, a date, a timestamp or a boolean."""
    if isinstance(value, str):
        # A `${` would be taken for one of the session's variables.
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("${", "\\u0024{") + "'"
    if isinstance(value, dt.datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, dt.date):
        return f"DATE '{value.isoformat()}'"
    return f"{value:f}" if isinstance(value, decimal.Decimal) else str(value).lower()
