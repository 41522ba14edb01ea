"""A value that a query gave, as JSON has it and as a text.

A decimal keeps its full scale and is a text in JSON; a date is ISO 8601, and a moment too, in UTC with a `Z`.
"""

import datetime as dt
import decimal
import json
import math
from typing import Any


def plain(value: Any) -> Any:  # noqa: ANN401, PLR0911 - whatever a query gives; one for each kind of value
    """A value as `json.dumps` takes it; a number that is not finite is a text."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case None | bool() | int() | float() | str():
            return value
        case decimal.Decimal():
            return f"{value:f}"
        case dt.datetime():
            moment = value.astimezone(dt.UTC) if value.tzinfo else value
            return f"{moment.replace(tzinfo=None).isoformat()}Z"
        case dt.date() | dt.time():
            return value.isoformat()
        case dict():
            return {str(plain(key)): plain(one) for key, one in value.items()}
        case list() | tuple():
            return [plain(one) for one in value]
        case bytes():
            return value.hex()
    return str(value)


def text_of(value: Any, between: str) -> str:  # noqa: ANN401 - whatever a query gives
    """A value that is not NULL as a text.

    Args:
        value: the value.
        between: what stands between the texts of a list of texts; what else is made of parts is JSON.
    """
    found = plain(value)
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, list) and all(isinstance(one, str) for one in found):
        return between.join(found)
    return json.dumps(found, ensure_ascii=False) if isinstance(found, dict | list) else str(found)
