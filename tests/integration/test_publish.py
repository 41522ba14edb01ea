"""The swap of the marts."""

import pytest

from rowgate.adapters.warehouse import connect, transaction
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages.publish import publish


@pytest.fixture
def candidate(ask):
    """Makes a candidate of users: a view and two tables, one of which reads the view's table."""

    def make(value: int) -> None:
        ask("CREATE SCHEMA IF NOT EXISTS warehouse; CREATE TABLE IF NOT EXISTS warehouse.users (age integer)")
        ask("CREATE SCHEMA marts_users__candidate")
        ask("CREATE VIEW marts_users__candidate.stg_users AS SELECT * FROM warehouse.users")
        ask(f"CREATE TABLE marts_users__candidate.users_by_city AS SELECT 'Oia' AS city, {value} AS users")
        ask(f"CREATE TABLE marts_users__candidate.users_by_age_band AS SELECT '18-24' AS age_band, {value} AS users")

    return make


NAMES = ["stg_users", "users_by_age_band", "users_by_city"]
PUBLISHED = "SELECT (SELECT users FROM marts.users_by_city), (SELECT users FROM marts.users_by_age_band)"


@pytest.fixture
def reader(ask, warehouse):
    """A role of its own."""
    role = f"reader_{warehouse.info.dbname}"
    ask(f"CREATE ROLE {role}")
    yield role
    ask(f"DROP OWNED BY {role}; DROP ROLE {role}")


def test_a_first_candidate_is_moved(users, warehouse, ask, candidate):
    candidate(1)
    assert publish(users, warehouse) == NAMES
    assert ask(PUBLISHED) == [(1, 1)]


def test_the_candidates_schema_is_gone_afterwards(users, warehouse, ask, candidate):
    candidate(1)
    publish(users, warehouse)
    assert ask("SELECT to_regnamespace('marts_users__candidate')") == [(None,)]


def test_a_later_candidate_takes_the_place_of_the_published(users, warehouse, ask, candidate):
    for value in (1, 2):
        candidate(value)
        publish(users, warehouse)
    assert ask(PUBLISHED) == [(2, 2)]


def test_without_a_candidate_nothing_changes(users, warehouse, ask, candidate):
    candidate(1)
    publish(users, warehouse)
    assert publish(users, warehouse) == []
    assert ask(PUBLISHED) == [(1, 1)]


def test_marts_of_other_contracts_stay(users, warehouse, ask, candidate):
    ask("CREATE SCHEMA marts; CREATE TABLE marts.orders_by_day AS SELECT 7 AS orders")
    candidate(1)
    publish(users, warehouse)
    assert ask("SELECT orders FROM marts.orders_by_day") == [(7,)]


def test_grants_go_over_to_the_new_relations(users, warehouse, ask, candidate, reader):
    candidate(1)
    publish(users, warehouse)
    ask(
        f"GRANT SELECT ON marts.users_by_city TO {reader} WITH GRANT OPTION; "
        "GRANT SELECT ON staging.stg_users TO PUBLIC"
    )
    ask(f"GRANT SELECT (users) ON marts.users_by_age_band TO {reader}")
    candidate(2)
    publish(users, warehouse)
    assert ask(
        "SELECT has_table_privilege(%(r)s, 'marts.users_by_city', 'SELECT WITH GRANT OPTION'), "
        "has_table_privilege(%(r)s, 'staging.stg_users', 'SELECT'), "
        "has_column_privilege(%(r)s, 'marts.users_by_age_band', 'users', 'SELECT'), "
        "has_column_privilege(%(r)s, 'marts.users_by_age_band', 'age_band', 'SELECT')",
        {"r": reader},
    ) == [(True, True, True, False)]


def test_a_grant_on_a_column_that_is_gone_stops_nothing(users, warehouse, ask, candidate, reader):
    candidate(1)
    publish(users, warehouse)
    ask("ALTER TABLE marts.users_by_city ADD COLUMN old integer")
    ask(f"GRANT SELECT (old) ON marts.users_by_city TO {reader}")
    candidate(2)
    assert publish(users, warehouse) == NAMES


def test_somebody_elses_view_on_a_mart_is_named_and_stays_with_the_old_marts(users, warehouse, ask, candidate):
    candidate(1)
    publish(users, warehouse)
    ask("CREATE VIEW public.theirs AS SELECT * FROM marts.users_by_city")
    candidate(2)
    with pytest.raises(UnusableError, match=r"view theirs depends on table marts\.users_by_city"):
        publish(users, warehouse)
    assert ask("SELECT users FROM public.theirs") == [(1,)]
    assert ask(PUBLISHED) == [(1, 1)]


def test_a_table_may_become_a_view_and_back(users, warehouse, ask, candidate):
    candidate(1)
    publish(users, warehouse)
    ask("CREATE SCHEMA marts_users__candidate; CREATE VIEW marts_users__candidate.users_by_city AS SELECT 5 AS users")
    publish(users, warehouse)
    candidate(3)
    publish(users, warehouse)
    assert ask(PUBLISHED) == [(3, 3)]


def test_a_reader_who_does_not_end_cannot_hang_the_swap(users, warehouse, ask, candidate, settings):
    candidate(1)
    publish(users, warehouse)
    candidate(2)
    with connect(settings) as other, transaction(other, "reading") as cursor:
        cursor.execute("SELECT * FROM marts.users_by_city")
        with pytest.raises(
            RowgateError, match="Another session kept a table locked while publishing the marts of users"
        ):
            publish(users, warehouse, lock_timeout="50ms")
    assert ask(PUBLISHED) == [(1, 1)]
    assert publish(users, warehouse) == NAMES


def test_a_reader_sees_all_of_the_old_marts_until_all_of_the_new_ones(users, warehouse, settings, ask, candidate):
    candidate(1)
    publish(users, warehouse)
    candidate(2)
    seen = set()
    with connect(settings) as other:
        other.autocommit = True
        for _ in range(20):
            with other.cursor() as cursor:
                cursor.execute(PUBLISHED)
                seen.add(cursor.fetchone())
            publish(users, warehouse)
    assert seen == {(1, 1), (2, 2)}


def test_other_things_in_the_candidates_schema_stop_the_swap(users, warehouse, ask, candidate):
    candidate(1)
    ask("CREATE FUNCTION marts_users__candidate.f() RETURNS integer LANGUAGE sql RETURN 1")
    with pytest.raises(UnusableError, match=r"function marts_users__candidate\.f\(\) depends on schema"):
        publish(users, warehouse)
    assert ask("SELECT to_regnamespace('marts')") == [(None,)]
