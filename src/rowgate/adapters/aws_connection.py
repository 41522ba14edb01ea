"""An Airflow connection to AWS, read without Airflow: for the command line, which opens the lake on its own.

Both forms that Airflow takes in `AIRFLOW_CONN_AWS_DEFAULT` are read, JSON and URI. Format:
https://airflow.apache.org/docs/apache-airflow-providers-amazon/stable/connections/aws.html
"""

import json
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from rowgate.adapters.aws import Aws
from rowgate.errors import UnusableError

_FIELDS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token", "region_name", "endpoint_url")
_ROLES = ("role_arn", "profile_name", "assume_role_method")


def aws_of(connection: str) -> Aws:
    """Who a connection says we are, and where; what it leaves out boto3 finds by itself.

    Args:
        connection: its JSON or its URI.

    Raises:
        UnusableError: it is neither, or it names a role or a profile, which only Airflow resolves.
    """
    try:
        login, password, extra = _json(connection) if connection.lstrip().startswith("{") else _uri(connection)
        found = {name: str(extra.get(name) or "") for name in _FIELDS}
        service = extra.get("service_config", {}).get("s3", {})
        endpoint = str(service.get("endpoint_url") or found["endpoint_url"])
    except (ValueError, TypeError, AttributeError):
        raise UnusableError("AIRFLOW_CONN_AWS_DEFAULT is neither JSON nor a URI of a connection; correct it.") from None
    for name in _ROLES:
        if extra.get(name):
            raise UnusableError(
                f"AIRFLOW_CONN_AWS_DEFAULT names a {name}, which the command line does not follow; give it keys, or "
                "leave it to AWS_PROFILE."
            )
    key, secret = (login, password) if login and password else (found[_FIELDS[0]], found[_FIELDS[1]])
    return Aws(key, secret, found["aws_session_token"], found["region_name"], endpoint)


def _json(text: str) -> tuple[str, str, dict[str, Any]]:
    found = json.loads(text)
    extra = found.get("extra") or {}
    return found.get("login") or "", found.get("password") or "", json.loads(extra) if isinstance(extra, str) else extra


def _uri(text: str) -> tuple[str, str, dict[str, Any]]:
    parts = urlsplit(text)
    if not parts.scheme:
        raise ValueError
    extra: dict[str, Any] = dict(parse_qsl(parts.query))
    if "__extra__" in extra:
        extra |= json.loads(extra.pop("__extra__"))
    return unquote(parts.username or ""), unquote(parts.password or ""), extra
