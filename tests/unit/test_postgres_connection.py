"""Airflow's connection to the warehouse, read without Airflow."""

import json

import pytest

from rowgate.adapters.postgres_connection import postgres_of
from rowgate.adapters.warehouse import Connection
from rowgate.errors import UnusableError

JSON = {"conn_type": "postgres", "host": "db", "port": 6000, "login": "me", "password": "p/w", "schema": "dwh"}

ENCRYPTED = Connection("db", 6000, "me", "p/w", "dwh", {"sslmode": "require"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (json.dumps(JSON), Connection("db", 6000, "me", "p/w", "dwh")),
        ("postgres://me:p%2Fw@db:6000/dwh", Connection("db", 6000, "me", "p/w", "dwh")),
        ('{"conn_type": "postgres"}', Connection("localhost", 5432, "", "", "warehouse")),
        ("postgres://db", Connection("db", 5432, "", "", "warehouse")),
        (json.dumps(JSON | {"extra": {"sslmode": "require"}}), ENCRYPTED),
        (json.dumps(JSON | {"extra": '{"sslmode": "require"}'}), ENCRYPTED),
        ("postgres://me:p%2Fw@db:6000/dwh?sslmode=require", ENCRYPTED),
        ("postgres://me:p%2Fw@db:6000/dwh?__extra__=%7B%22sslmode%22%3A+%22require%22%7D", ENCRYPTED),
    ],
)
def test_both_forms_are_read_with_the_defaults_of_the_tasks(text, expected):
    assert postgres_of(text) == expected


@pytest.mark.parametrize("text", ["{", "[]", "nothing", "postgres://db:port/x"])
def test_what_is_no_connection_is_refused_without_being_quoted(text):
    with pytest.raises(UnusableError, match=r"^AIRFLOW_CONN_POSTGRES_DEFAULT is neither JSON nor a URI of a conn"):
        postgres_of(text)


@pytest.mark.parametrize("extra", [{"sslmode": "require", "iam": True}, ["sslmode"], {"options": "-c x=y"}])
def test_an_extra_that_would_be_ignored_is_refused_without_being_quoted(extra):
    with pytest.raises(UnusableError, match=r"^The extra of the connection postgres_default holds what"):
        postgres_of(json.dumps(JSON | {"extra": extra}))
