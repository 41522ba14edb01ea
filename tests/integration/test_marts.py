"""The published marts, read over a connection that cannot write."""

import psycopg2
import pytest

from rowgate.adapters.warehouse import connect, transaction
from rowgate.contract.model import Pii
from rowgate.errors import RowgateError
from rowgate.stages import marts
from rowgate.stages.marts import Mart, published
from rowgate.targets.dbt_models import Model


def model(name: str, **columns: Pii) -> Model:
    return Model("toy", "marts", name, columns)


@pytest.fixture
def by_city(ask, settings):
    """A mart of three cities."""
    ask("CREATE SCHEMA marts")
    ask("CREATE TABLE marts.by_city (email text, city text, users bigint, share numeric)")
    ask("INSERT INTO marts.by_city VALUES ('a@x.gr', 'Athens', 2, 0.5), ('b@x', 'Patras', 9, NULL), ('c', NULL, 1, 1)")
    with connect(settings, read_only=True) as connection:
        yield connection


def test_the_greatest_rows_come_first_without_direct_identifiers(by_city):
    found, absent = published([model("by_city", email=Pii.DIRECT, city=Pii.QUASI)], "toy", by_city)
    rows = (("Patras", 9, None), ("Athens", 2, 0.5), (None, 1, 1.0))
    assert found == [Mart("by_city", ("city", "users", "share"), frozenset({"users", "share"}), rows, 3)]
    assert absent == []


def test_a_mart_that_is_not_published_is_named(by_city):
    assert published([model("other"), Model("another", "marts", "by_city", {})], "toy", by_city) == ([], ["other"])


def test_a_large_mart_is_read_up_to_a_limit_and_counted_whole(by_city, monkeypatch):
    monkeypatch.setattr(marts, "LIMIT", 2)
    (found,), _ = published([model("by_city")], "toy", by_city)
    assert (len(found.rows), found.total) == (2, 3)


@pytest.mark.parametrize(
    "statement",
    ["INSERT INTO marts.by_city VALUES ('a', 'b', 1, 1)", "DROP TABLE marts.by_city", "CREATE TABLE public.mine ()"],
)
def test_a_read_only_connection_refuses_to_write(by_city, statement):
    with pytest.raises(psycopg2.errors.ReadOnlySqlTransaction), by_city.cursor() as cursor:
        cursor.execute(statement)
    by_city.rollback()


def test_a_read_only_connection_makes_no_database(settings, warehouse_server):
    from dataclasses import replace

    wanted = f'database "{settings.database}" does not exist'
    with pytest.raises(RowgateError, match=wanted), connect(settings, read_only=True):
        pass
    with connect(replace(settings, database="postgres")) as connection, transaction(connection, "asking") as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [settings.database])
        assert cursor.fetchone() is None
