"""The table of users in a real Postgres: it refuses by hand what the contract refuses in a file."""

import datetime as dt

import pytest

from rowgate.adapters.warehouse import transaction
from rowgate.contract.values import WHITE_SPACE
from rowgate.targets import postgres

GOOD = {
    "user_id": "0123456789abcdef0123456789abcdef",
    "name": "Anna Lee",
    "email": "anna@mail.gr",
    "phone": "6912345678",
    "zip_code": "01234",
    "age": 34,
    "city": "Oia",
    "first_run_id": "by hand",
    "last_run_id": "by hand",
    "loaded_at": dt.datetime(2026, 5, 1, tzinfo=dt.UTC),
}


@pytest.fixture
def users_table(warehouse, users):
    with transaction(warehouse, "making users") as cursor:
        cursor.execute(postgres.render(users))


@pytest.mark.usefixtures("users_table")
class TestUsers:
    def test_a_good_row_is_taken(self, insert):
        assert insert("users", GOOD) is None

    @pytest.mark.parametrize(
        ("field", "value", "refused_by"),
        [
            ("user_id", "0123456789ABCDEF0123456789ABCDEF", "user_id_format"),
            ("user_id", "0123456789abcdef0123456789abcde", "user_id_format"),
            ("user_id", None, "user_id"),
            ("name", None, "name"),
            ("name", "", "invalid_name"),
            ("name", "\u00a0\u200b", "invalid_name"),
            ("name", " Anna", "invalid_name"),
            ("name", "Anna\u3000", "invalid_name"),
            ("email", None, "email"),
            ("email", "anna", "invalid_email"),
            ("email", "anna@mail.gr ", "invalid_email"),
            ("email", "anna@mail.gr\n", "invalid_email"),
            ("email", "anna@mail.g", "invalid_email"),
            ("phone", None, "phone"),
            ("phone", "2101234567", "invalid_phone"),
            ("phone", "69123456789", "invalid_phone"),
            ("phone", "69\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668", "invalid_phone"),
            ("zip_code", None, "zip_code"),
            ("zip_code", "1234", "invalid_zip_code"),
            ("zip_code", "\uff11\uff12\uff13\uff14\uff15", "invalid_zip_code"),
            ("age", None, "age"),
            ("age", 17, "invalid_age"),
            ("age", 100, "invalid_age"),
            ("city", None, "city"),
            ("city", "\t", "invalid_city"),
            ("first_run_id", None, "first_run_id"),
            ("loaded_at", None, "loaded_at"),
        ],
    )
    def test_a_bad_row_is_refused_by_the_name_of_its_rule(self, insert, field, value, refused_by):
        assert insert("users", GOOD | {field: value}) == refused_by

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("name", "Anna\nLee"),
            ("name", 'a "b" \\ \\N'),
            ("name", "Ά"),
            ("email", "A.b+c%d_e-f@Sub-1.example.co"),
            ("age", 18),
            ("age", 99),
            ("city", "NULL"),
        ],
    )
    def test_an_odd_but_good_value_is_taken(self, insert, field, value):
        assert insert("users", GOOD | {field: value}) is None

    @pytest.mark.parametrize("character", WHITE_SPACE)
    def test_every_white_character_is_refused_at_either_end_and_taken_inside(self, insert, character):
        assert insert("users", GOOD | {"name": f"{character}a"}) == "invalid_name"
        assert insert("users", GOOD | {"name": f"a{character}"}) == "invalid_name"
        assert insert("users", GOOD | {"name": f"a{character}b"}) is None

    def test_the_same_person_twice_is_refused_by_the_key(self, insert, ask):
        ask("INSERT INTO warehouse.users VALUES %s", [tuple(GOOD.values())])
        assert insert("users", GOOD) == "users_pkey"

    def test_the_comments_carry_the_pii_class(self, ask):
        [(comment,)] = ask("SELECT col_description('warehouse.users'::regclass, 3)")
        assert comment == "E-mail address. PII: direct identifier."
