"""The warehouse's table, rendered."""

import datetime as dt
from decimal import Decimal as Number

import pytest

from rowgate.contract.checks import (
    Between,
    Expression,
    LengthBetween,
    Matches,
    NotBlank,
    OneOf,
    References,
    Typed,
    Unique,
)
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey, Pii, Policy, SurrogateKey
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.errors import ContractError, UnusableError
from rowgate.targets import postgres
from rowgate.targets.postgres_sql import escaped, identifier, literal


def toy(*columns: Column, rules: tuple[FieldRule, ...] = (), **more) -> Contract:
    code = Column("code", Text(), required=True)
    ruled = (FieldRule("code", Matches("[A-Z]{3}"), "bad_code"), *rules)
    settings = {"name": "toy", "version": "1.0.0", "owner": "us", "key": NaturalKey(("code",))} | more
    return Contract(columns=(code, *columns), rules=ruled, **settings)


def conditions(contract: Contract) -> dict[str, str]:
    return {check.name: check.condition for check in postgres.table(contract).checks}


def test_the_whole_text_of_a_table_with_one_column_beside_its_key():
    contract = toy(
        Column("age", Integer(32), Pii.QUASI, "Age in years.", required=True),
        rules=(FieldRule("age", Between(18, 99), "bad_age"),),
        description="It's a toy.",
    )
    assert postgres.render(contract) == (
        "-- Rendered from the contract toy 1.0.0: change that, then run `make render`.\n"
        'CREATE SCHEMA IF NOT EXISTS "warehouse";\n'
        'CREATE TABLE IF NOT EXISTS "warehouse"."toy" (\n'
        '    "code" text NOT NULL,\n'
        '    "age" integer NOT NULL,\n'
        '    "first_run_id" text NOT NULL,\n'
        '    "last_run_id" text NOT NULL,\n'
        '    "loaded_at" timestamp with time zone NOT NULL,\n'
        '    PRIMARY KEY ("code"),\n'
        '    CONSTRAINT "bad_code" CHECK ("code" ~ \'^(?:[A-Z]{3})$\'),\n'
        '    CONSTRAINT "bad_age" CHECK ("age" >= 18 AND "age" <= 99)\n'
        ");\n"
        "COMMENT ON TABLE \"warehouse\".\"toy\" IS 'It''s a toy. Contract toy 1.0.0, owner us.';\n"
        'COMMENT ON COLUMN "warehouse"."toy"."code" IS \'PII: none.\';\n'
        'COMMENT ON COLUMN "warehouse"."toy"."age" IS \'Age in years. PII: quasi-identifier.\';\n'
        'COMMENT ON COLUMN "warehouse"."toy"."first_run_id" IS \'The run that inserted the row. PII: none.\';\n'
        'COMMENT ON COLUMN "warehouse"."toy"."last_run_id" IS \'The run that last wrote the row. PII: none.\';\n'
        'COMMENT ON COLUMN "warehouse"."toy"."loaded_at" IS \'When that run wrote it. PII: none.\';\n'
    )


def test_a_surrogate_key_comes_first_and_has_the_form_of_an_md5():
    contract = toy(key=SurrogateKey("toy_id", ("code",)))
    table = postgres.table(contract)
    assert table.columns[0].name == "toy_id"
    assert table.key == ("toy_id",)
    assert conditions(contract)["toy_id_format"] == 'octet_length("toy_id") = 32 AND "toy_id" ~ \'^[0-9a-f]*$\''


def test_a_description_without_a_full_stop_gets_one_before_the_next_sentence():
    assert postgres.table(toy(Column("n", Text(), description="A note"))).columns[1].comment == "A note. PII: none."


def test_a_blank_needs_no_constraint_where_a_list_of_values_refuses_it():
    rules = (FieldRule("n", NotBlank(), "no_n"), FieldRule("n", OneOf(("a",)), "bad_n"))
    assert list(conditions(toy(Column("n", Text(), required=True), rules=rules))) == ["bad_code", "bad_n"]


def test_a_column_that_is_not_loaded_is_not_in_the_table():
    contract = toy(Column("id", Text(), loaded=False))
    assert "id" not in [column.name for column in postgres.table(contract).columns]


@pytest.mark.parametrize(
    ("kind", "spelt"),
    [
        (Text(), "text"),
        (Integer(32), "integer"),
        (Integer(64), "bigint"),
        (Decimal(10, 2), "numeric(10,2)"),
        (Date(), "date"),
        (Timestamp(), "timestamp with time zone"),
        (Boolean(), "boolean"),
    ],
)
def test_each_type_has_its_spelling(kind, spelt):
    assert postgres.sql_type(kind) == spelt


@pytest.mark.parametrize(
    ("kind", "check", "condition"),
    [
        (Integer(64), Between(low=-5), '"c" >= -5'),
        (Decimal(10, 2), Between(low=Number("0.01")), '"c" >= 0.01 AND "c" <> \'NaN\''),
        (Decimal(10, 2), Between(high=5), '"c" <= 5'),
        (Date(), Between(low=dt.date(2020, 1, 1)), "\"c\" >= DATE '2020-01-01'"),
        (
            Timestamp(),
            Between(high=dt.datetime(2020, 1, 1, 3, tzinfo=dt.timezone(dt.timedelta(hours=2)))),
            "\"c\" <= TIMESTAMPTZ '2020-01-01 01:00:00+00'",
        ),
        (Text(), LengthBetween(2, 5), 'char_length("c") >= 2 AND char_length("c") <= 5'),
        (Text(), OneOf(("a", "it's")), "\"c\" IN ('a', 'it''s')"),
        (Boolean(), OneOf((True,)), '"c" IN (TRUE)'),
        (Text(), Matches("it's|[0-9]"), "\"c\" ~ '^(?:it\\''s|[0-9])$'"),
    ],
)
def test_each_check_has_its_condition(kind, check, condition):
    assert conditions(toy(Column("c", kind), rules=(FieldRule("c", check, "bad_c"),)))["bad_c"] == condition


def test_an_expression_that_gives_null_is_refused_where_its_own_field_is_present():
    contract = toy(
        Column("n", Integer()), rules=(FieldRule("n", Typed(), "t"), FieldRule("n", Expression("n > 1"), "e"))
    )
    assert conditions(contract)["e"].startswith('"n" IS NULL OR (')
    assert conditions(contract)["e"].endswith(") IS TRUE")


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        (Expression("day <= current_date"), "bad: a constraint cannot look at the clock, and the expression does."),
        (Expression("id = 'x'"), "bad: it names id, which is not loaded."),
        (Unique(), "bad: it looks at one file; the warehouse keeps rows of many."),
        (References("days"), "bad: it looks at the keys of days, whose rows may be loaded later."),
    ],
)
def test_what_a_constraint_cannot_say_is_said_at_the_top(check, sentence):
    columns = (Column("day", Date()), Column("id", Text(), loaded=False))
    contract = toy(*columns, rules=(FieldRule("day", Typed(), "untyped"), FieldRule("day", check, "bad")))
    assert postgres.table(contract).not_enforced == (sentence,)
    assert f"\n-- not enforced here: {sentence}\n" in postgres.render(contract)
    assert "bad" not in conditions(contract)


def test_a_check_that_no_rule_asks_for_leaves_the_name_of_a_reason_to_its_rule():
    rules = (FieldRule("b", Matches("[a-z]+"), "a_normalised"),)
    found = {
        check.name: check.field
        for check in postgres.table(toy(Column("a", Text()), Column("b", Text()), rules=rules)).checks
    }
    assert found["a_normalised"] == "b"


def test_a_number_that_is_a_pseudonym_and_the_key_has_no_collation():
    columns = (Column("person", Integer(64), Pii.PSEUDONYM, required=True),)
    contract = toy(*columns, rules=(FieldRule("person", Typed(), "no_person"),), key=NaturalKey(("person",)))
    assert '    "person" bigint NOT NULL,\n' in postgres.render(contract)


def test_unique_on_the_key_needs_no_word_since_the_primary_key_says_it():
    contract = toy(rules=(FieldRule("code", Unique(), "again"),))
    assert postgres.table(contract).not_enforced == ()


def test_a_rule_that_only_warns_renders_nothing():
    column = Column("age", Integer(), required=True)
    contract = toy(column, rules=(FieldRule("age", Between(18, 99), "bad_age", policy=Policy.WARN),))
    assert "bad_age" not in conditions(contract)
    assert '"age" bigint,\n' in postgres.render(contract)


def test_a_column_whose_untyped_values_load_as_null_takes_null_and_says_which_rule_it_cannot_hold():
    rules = (FieldRule("age", NotBlank(), "missing_age"), FieldRule("age", Typed(), "untyped_age", policy=Policy.WARN))
    contract = toy(Column("age", Integer(), required=True), rules=rules)
    assert '"age" bigint,\n' in postgres.render(contract)
    assert postgres.table(contract).not_enforced == (
        "untyped_age: it only warns.",
        "missing_age: a value that only warns for its type loads as NULL.",
    )


def test_text_that_a_rule_lets_be_blank_is_still_normalised():
    assert "note_normalised" in conditions(toy(Column("note", Text())))


@pytest.mark.parametrize("check", [NotBlank(), Matches("[a-z]+"), OneOf(("a b",))])
def test_a_rule_that_refuses_blanks_by_itself_brings_no_second_constraint(check):
    contract = toy(Column("note", Text(), required=True), rules=(FieldRule("note", check, "bad_note"),))
    assert "note_normalised" not in conditions(contract)


@pytest.mark.parametrize("pattern", ["[a-z]*", ".+", "[a-z ]+"])
def test_a_pattern_that_lets_blanks_through_brings_a_second_constraint(pattern):
    contract = toy(Column("note", Text()), rules=(FieldRule("note", Matches(pattern), "bad_note"),))
    assert "note_normalised" in conditions(contract)


def test_two_reasons_that_would_be_cut_to_one_name_get_two():
    rules = tuple(FieldRule("code", LengthBetween(1, end), "r" * 70 + str(end)) for end in (7, 8))
    names = [check.name for check in postgres.table(toy(rules=rules)).checks]
    assert len(set(names)) == len(names)
    assert all(len(name.encode()) <= 63 for name in names)


def test_a_column_name_over_63_bytes_is_refused():
    with pytest.raises(ContractError, match="takes 64 bytes"):
        postgres.render(toy(Column("é" * 32, Text())))


def test_a_column_named_as_one_of_postgres_own_is_refused():
    with pytest.raises(ContractError, match="xmin is one of Postgres's own"):
        postgres.render(toy(Column("xmin", Text())))


def test_a_contract_without_a_key_has_no_table():
    with pytest.raises(UnusableError, match="The contract toy has no key"):
        postgres.render(toy(key=None))


@pytest.mark.parametrize(("name", "quoted"), [("a", '"a"'), ('a"b', '"a""b"'), ("a; drop", '"a; drop"')])
def test_an_identifier_is_quoted(name, quoted):
    assert identifier(name) == quoted


@pytest.mark.parametrize("name", ["", "a\0", "é" * 32])
def test_what_cannot_name_a_thing_is_refused(name):
    with pytest.raises(ContractError):
        identifier(name)


@pytest.mark.parametrize(
    ("value", "spelt"),
    [("it's", "'it''s'"), (True, "TRUE"), (1, "1"), (Number("1E+2"), "100"), (Number("1E-9"), "0.000000001")],
)
def test_a_value_is_spelt_as_a_constant(value, spelt):
    assert literal(value) == spelt


def test_what_is_not_plain_ascii_is_written_as_code_points():
    assert escaped("a'\\\n\u00a0\U0001f600") == "E'a\\u0027\\u005C\\u000A\\u00A0\\U0001F600'"
