"""dbt on a real warehouse: built and tested in the candidate schema, published when green."""

import datetime as dt
import os
import shutil
from dataclasses import replace

import pyarrow as pa
import pytest

from rowgate.adapters.warehouse import connect
from rowgate.errors import BreachError, RowgateError
from rowgate.stages import dbt
from rowgate.stages.load import load
from rowgate.stages.publish import publish

NOW = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
AGES = [18, 24, 25, 99]


@pytest.fixture
def loaded(users, clean, lake, warehouse):
    """Four people in two cities."""
    people = {
        "user_id": [f"{number:032x}" for number in range(4)],
        "name": ["Anna", "Bo", "Cy", "Di"],
        "email": ["anna@Mail.GR", "bo@mail.gr", "cy@sub.mail.gr", "di@mail.gr"],
        "phone": [f"691234567{number}" for number in range(4)],
        "zip_code": ["01234"] * 4,
        "age": pa.array(AGES, pa.int32()),
        "city": ["Oia", "Oia", "Oia", "Αθήνα"],
    }
    load(users, clean(users, "one", people), lake, warehouse, now=NOW)


@pytest.fixture
def run_dbt(users, settings, project, tmp_path):
    """Runs dbt for users, in a project of its own if one is given."""

    def run(command, folder=project / "dbt", to=settings):
        return dbt.run(
            users,
            to,
            project=folder,
            state=tmp_path / "state",
            dbt=project / ".venv" / "bin" / "dbt",
            environ={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            command=command,
            log=tmp_path / "dbt.log",
        )

    return run


@pytest.mark.usefixtures("loaded")
def test_a_good_load_is_built_tested_and_published(run_dbt, users, warehouse, ask, tmp_path):
    assert run_dbt("run").passed == 3
    assert ask("SELECT to_regnamespace('marts')") == [(None,)], "dbt run alone must publish nothing"
    tested = run_dbt("test")
    assert tested.passed > 30
    assert tested.warned == 0
    publish(users, warehouse)
    assert ask("SELECT city, users FROM marts.users_by_city ORDER BY users") == [("Αθήνα", 1), ("Oia", 3)]
    assert ask("SELECT age_band, users, cities FROM marts.users_by_age_band ORDER BY age_band") == [
        ("18-24", 2, 1),
        ("25-34", 1, 1),
        ("65-99", 1, 1),
    ]
    assert ask("SELECT email_domain FROM staging.stg_users ORDER BY name") == [
        ("mail.gr",),
        ("mail.gr",),
        ("sub.mail.gr",),
        ("mail.gr",),
    ]
    assert run_dbt("test").passed == tested.passed, "a test that is run again looks at what is published"
    log = (tmp_path / "dbt.log").read_text(encoding="utf-8")
    assert "deprecat" not in log.lower()


@pytest.fixture
def own_project(project, tmp_path):
    """A copy of dbt's project to change."""
    copy = tmp_path / "project" / "dbt"
    shutil.copytree(project / "dbt", copy, ignore=shutil.ignore_patterns("target", "logs"))
    return copy


PEOPLE = """
sources:
  - name: warehouse
    schema: warehouse
    tables:
      - name: people
        columns: [{name: nick, data_type: text, config: {meta: {pii: direct identifier}}}]
"""
CONTACTS = """
models:
  - name: users_contacts
    config: {contract: {enforced: true}}
    columns:
      - {name: town, data_type: text, config: {meta: {pii: quasi-identifier}}}
      - {name: contact, data_type: text, config: {meta: {pii: quasi-identifier}}}
      - {name: everybody, data_type: "text[]", config: {meta: {pii: quasi-identifier}}}
      - {name: domain, data_type: text, config: {meta: {pii: quasi-identifier}}}
      - {name: alias, data_type: text, config: {meta: {pii: none}}}
"""
MART = """
select city as town, lower(email) as contact, array_agg(name) over () as everybody,
    email_domain as domain, nick as alias
from {{ ref('stg_users') }} cross join {{ source('warehouse', 'people') }}
"""


@pytest.mark.usefixtures("loaded")
def test_a_mart_that_shows_an_identifier_by_another_name_is_red_and_no_value_is_told(
    run_dbt, own_project, ask, tmp_path
):
    """Also one of another contract; a city that is called like somebody is no identifier."""
    ask("UPDATE warehouse.users SET name = 'OIA' WHERE name = 'Bo'")
    ask("CREATE TABLE warehouse.people AS SELECT 'Zed' AS nick")
    (own_project / "models" / "staging" / "people.yml").write_text(PEOPLE, encoding="utf-8")
    marts = own_project / "models" / "marts" / "users"
    (marts / "users_contacts.sql").write_text(MART, encoding="utf-8")
    (marts / "users_contacts.yml").write_text(CONTACTS, encoding="utf-8")
    run_dbt("run", own_project)
    with pytest.raises(BreachError) as caught:
        run_dbt("test", own_project)
    log = tmp_path / "dbt.log"
    assert str(caught.value) == (
        "The mart users_contacts shows the direct identifier nick of people in its column alias; leave the column "
        "out. The mart users_contacts shows the direct identifier email of users in its column contact; leave the "
        "column out. The mart users_contacts shows the direct identifier name of users in its column everybody; leave "
        "the column out. The dbt tests users_marts_hide_identifiers are red; the marts stay as they were, and "
        f"{log} has the details."
    )
    said = log.read_text(encoding="utf-8").lower()
    assert [value for value in ("anna@mail.gr", "anna", "oia", "zed", "691234567") if value in said] == []


@pytest.mark.usefixtures("loaded")
def test_a_mart_with_a_column_that_says_nothing_of_persons_or_the_wrong_thing_is_red(run_dbt, own_project):
    marts = own_project / "models" / "marts" / "users"
    (marts / "users_list.sql").write_text(
        "select user_id, zip_code, 1 as n from {{ ref('stg_users') }}", encoding="utf-8"
    )
    (marts / "users_list.yml").write_text(
        "models: [{name: users_list, columns: [{name: n}, {name: zip_code, meta: {pii: direct identifier}}]}]",
        encoding="utf-8",
    )
    run_dbt("run", own_project)
    with pytest.raises(BreachError) as caught:
        run_dbt("test", own_project)
    assert str(caught.value).startswith(
        "The mart users_list does not declare how its column user_id identifies a person; add the column with meta.pii "
        "to its YAML: none, quasi-identifier, pseudonymised. The mart users_list declares its column zip_code a direct "
        "identifier; leave the column out. The mart users_list does not declare how its column n identifies"
    )


@pytest.mark.usefixtures("loaded")
def test_a_staging_column_of_another_type_than_the_contract_fails_the_build_in_one_sentence(run_dbt, own_project):
    model = own_project / "models" / "staging" / "users" / "stg_users.sql"
    model.write_text(
        model.read_text(encoding="utf-8").replace("    age,\n", "    age::text as age,\n"), encoding="utf-8"
    )
    with pytest.raises(RowgateError, match="dbt could not build stg_users; the marts stay as they were") as caught:
        run_dbt("run", own_project)
    assert "stg_users: | age         | TEXT            | INTEGER       | data type mismatch |" in caught.value.lines


@pytest.mark.usefixtures("loaded")
def test_a_red_test_names_its_rule_and_leaves_the_marts(run_dbt, users, warehouse, ask, tmp_path):
    run_dbt("run")
    publish(users, warehouse)
    ask("ALTER TABLE warehouse.users DROP CONSTRAINT invalid_phone")
    ask("UPDATE warehouse.users SET phone = '2101234567' WHERE name = 'Anna'")
    run_dbt("run")
    with pytest.raises(BreachError) as caught:
        run_dbt("test")
    log = tmp_path / "dbt.log"
    assert str(caught.value) == (
        f"The dbt tests users_invalid_phone are red; the marts stay as they were, and {log} has the details."
    )
    assert ask("SELECT sum(users) FROM marts.users_by_city") == [(4,)]


def test_a_model_that_cannot_be_built_is_named(run_dbt, tmp_path):
    with pytest.raises(RowgateError, match="dbt could not build stg_users; the marts stay as they were") as caught:
        run_dbt("run")
    assert not isinstance(caught.value, BreachError)


def test_a_project_that_cannot_be_read_points_to_the_log(run_dbt, project, tmp_path):
    copy = tmp_path / "dbt"
    shutil.copytree(project / "dbt", copy)
    (copy / "models" / "staging" / "users" / "_users__models.yml").write_text("models: [", encoding="utf-8")
    with pytest.raises(RowgateError, match=r"ended before it did anything; .*dbt\.log says why"):
        run_dbt("run", folder=copy)


def test_a_warehouse_that_is_not_there_is_one_sentence_before_dbt_starts(run_dbt, settings, tmp_path):
    with pytest.raises(RowgateError, match="Nothing listens at"):
        run_dbt("run", to=replace(settings, port=1))
    assert not (tmp_path / "dbt.log").exists()


def test_the_password_is_in_no_file_that_dbt_writes(run_dbt, settings, tmp_path):
    with pytest.raises(RowgateError):
        run_dbt("run")
    written = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(file.name == "dbt.log" for file in written)
    assert [file.name for file in written if settings.password.encode() in file.read_bytes()] == []


def test_what_an_earlier_run_left_unpublished_is_gone(run_dbt, settings, ask):
    ask("CREATE SCHEMA marts_users__candidate; CREATE TABLE marts_users__candidate.stale ()")
    with pytest.raises(RowgateError):
        run_dbt("run")
    with connect(settings) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('marts_users__candidate.stale')")
        assert cursor.fetchone() == (None,)
