"""The Delta table, rendered."""

import datetime as dt
from decimal import Decimal as Number

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
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, NaturalKey, Pii, Policy, SurrogateKey
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.targets import delta


def toy(*columns: Column, rules: tuple[FieldRule, ...] = (), **more) -> Contract:
    code = Column("code", Text(), required=True)
    ruled = (FieldRule("code", Matches("[A-Z]{3}"), "bad_code"), *rules)
    return Contract(columns=(code, *columns), rules=ruled, **{"name": "toy", "version": "1.0.0", "owner": "us"} | more)


def conditions(contract: Contract) -> dict[str, str]:
    return {each.name: each.condition for each in delta.constraints(contract)}


def test_the_whole_text_of_a_table_with_one_column_beside_its_code():
    contract = toy(
        Column("age", Integer(32), Pii.QUASI, "It's in years."),
        rules=(FieldRule("age", Between(18, 99), "bad_age"),),
        description="A toy",
    )
    assert delta.render(contract) == (
        "-- Rendered from the contract toy 1.0.0: change that, then run `make render`.\n"
        "CREATE SCHEMA IF NOT EXISTS `warehouse`;\n"
        "CREATE TABLE IF NOT EXISTS `warehouse`.`toy` (\n"
        "    `code` STRING NOT NULL COMMENT 'PII: none.',\n"
        "    `age` INT COMMENT 'It\\'s in years. PII: quasi-identifier.',\n"
        "    `record_number` BIGINT NOT NULL COMMENT 'The record in its file, counted from 1.',\n"
        "    `run_id` STRING NOT NULL COMMENT 'The run that brought the row.'\n"
        ")\n"
        "USING DELTA\n"
        "COMMENT 'A toy. Contract toy 1.0.0, owner us.';\n"
        "ALTER TABLE `warehouse`.`toy` DROP CONSTRAINT IF EXISTS `bad_code`;\n"
        "ALTER TABLE `warehouse`.`toy` ADD CONSTRAINT `bad_code` CHECK (`code` RLIKE '^(?:[A-Z]{3})\\\\z');\n"
        "ALTER TABLE `warehouse`.`toy` DROP CONSTRAINT IF EXISTS `bad_age`;\n"
        "ALTER TABLE `warehouse`.`toy` ADD CONSTRAINT `bad_age` CHECK (`age` IS NULL OR (`age` BETWEEN 18L AND 99L));\n"
    )


def test_each_check_has_a_condition_that_a_missing_optional_value_passes():
    kinds = {"n": Integer(64), "t": Text(), "d": Decimal(5, 2), "day": Date()}
    rules = (
        FieldRule("n", OneOf((1, 2)), "n_value"),
        FieldRule("n", Expression("n % 2 = 0"), "n_even"),
        FieldRule("t", Matches("a'b"), "t_pattern"),
        FieldRule("t", LengthBetween(None, 3), "t_length"),
        FieldRule("d", Between(0, Number("9.5")), "d_range"),
        FieldRule("day", Between(dt.date(2020, 1, 1), None), "day_from"),
    )
    contract = toy(*(Column(name, kind) for name, kind in kinds.items()), rules=rules)
    assert {name: asked for name, asked in conditions(contract).items() if name in {rule.reason for rule in rules}} == {
        "n_value": "`n` IS NULL OR (`n` IN (1L, 2L))",
        "n_even": "`n` IS NULL OR ((try_mod(CAST(`n` AS BIGINT), 2L) = 0L))",
        "t_pattern": "`t` IS NULL OR (`t` RLIKE '^(?:a\\\\\\'b)\\\\z')",
        "t_length": "`t` IS NULL OR (char_length(`t`) <= 3L)",
        "d_range": "`d` IS NULL OR (`d` BETWEEN 0BD AND 9.5BD)",
        "day_from": "`day` IS NULL OR (`day` >= DATE '2020-01-01')",
    }


def test_a_missing_value_is_refused_under_the_reason_of_the_rule_about_it():
    rules = (FieldRule("n", NotBlank(), "missing_n"), FieldRule("n", Between(1, None), "bad_n"))
    found = conditions(toy(Column("n", Integer(), required=True), rules=rules))
    assert found["missing_n"] == "`n` IS NOT NULL"
    assert found["bad_n"] == "`n` IS NULL OR (`n` >= 1L)"


def test_a_text_that_no_rule_keeps_from_white_space_is_held_to_what_the_reader_leaves():
    found = conditions(toy(Column("note", Text()), null_markers=("n/a",)))
    assert list(found) == ["bad_code", "note_normalised"]
    assert found["note_normalised"].startswith("`note` IS NULL OR (`note` RLIKE '^(?:[^\\\\t-\\\\r ")
    assert found["note_normalised"].endswith(" AND `note` NOT IN ('n/a'))")


def test_days_and_moments_stay_within_the_years_that_a_contract_knows():
    columns = (Column("day", Date()), Column("at", Timestamp()), Column("ok", Boolean()))
    found = conditions(
        toy(*columns, rules=tuple(FieldRule(each.name, Typed(), f"{each.name}_type") for each in columns))
    )
    assert found["day_calendar"] == "`day` IS NULL OR (`day` BETWEEN DATE '0001-01-01' AND DATE '9999-12-31')"
    assert "ok_calendar" not in found
    assert "at_calendar" in found


def test_a_rule_keeps_its_reason_as_a_name_where_the_table_s_own_constraint_would_have_it_too():
    rules = (FieldRule("n", Between(1, None), "Note_Normalised"),)
    assert list(conditions(toy(Column("note", Text()), Column("n", Integer()), rules=rules))) == [
        "bad_code",
        "Note_Normalised",
        "note_normalised_",
    ]


def test_a_surrogate_key_has_the_form_of_an_md5():
    contract = toy(key=SurrogateKey("toy_id", ("code",)))
    assert conditions(contract)["toy_id_format"] == "`toy_id` RLIKE '^[0-9a-f]{32}\\\\z'"
    assert "    `toy_id` STRING NOT NULL COMMENT 'PII: pseudonymised.',\n" in delta.render(contract)


def test_a_rule_that_only_warns_is_no_constraint_and_no_not_null():
    rules = (FieldRule("n", Between(1, 2), "bad_n", policy=Policy.WARN),)
    contract = toy(Column("n", Integer(), required=True), rules=rules)
    assert "bad_n" not in "".join(delta.statements(contract))
    assert "`n` BIGINT COMMENT" in delta.render(contract)


def test_the_header_names_what_is_not_enforced_and_why():
    rules = (
        FieldRule("day", Expression("day <= current_date()"), "future"),
        FieldRule("day", Expression("day > left"), "before"),
        FieldRule("n", References("others"), "unknown"),
        FieldRule("code", Unique(), "twice"),
        FieldRule("left", Typed(), "no_day"),
        FieldRule("price", Typed(), "no_price"),
    )
    columns = (
        Column("day", Date()),
        Column("n", Integer()),
        Column("left", Date(), loaded=False),
        Column("price", Decimal(5, 2)),
    )
    contract = toy(
        *columns,
        rules=rules,
        key=NaturalKey(("code",)),
        dataset_rules=(DatasetRule("rows", "SELECT count(*) FROM {table}", 10),),
        max_reject_rate=0.1,
        min_rows=1,
    )
    assert delta.not_enforced(contract) == [
        "code: Delta keeps rows that have one key.",
        "future: it looks at the clock, and rows are judged by the clock of their run.",
        "before: it names left, which is not loaded.",
        "unknown: it looks at the keys of others, and a condition sees one row.",
        "twice: it looks at every row of a file, and a condition sees one.",
        "price: more than 2 decimals are rounded, not refused.",
        "no_day: left is not loaded.",
        "rows: it looks at all rows of a run.",
        "max_reject_rate: it looks at all rows of a run.",
        "min_rows: it looks at all rows of a run.",
    ]
    header = [line for line in delta.render(contract).splitlines() if line.startswith("-- not enforced here: ")]
    assert header == [f"-- not enforced here: {said}" for said in delta.not_enforced(contract)]


def test_the_header_names_the_settings_that_an_expression_needs():
    rules = (FieldRule("n", Expression("n / 3 > 1"), "bad_n"),)
    text = delta.render(toy(Column("n", Integer()), rules=rules))
    assert "-- who writes to it needs spark.sql.session.timeZone = UTC\n" in text
    assert "-- who writes to it needs" not in delta.render(toy())


def test_a_name_that_delta_refuses_is_held_under_column_mapping():
    assert "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')" in delta.render(toy(Column("a b", Text())))
    assert "TBLPROPERTIES" not in delta.render(toy(Column("a b", Text(), loaded=False)))


def test_a_column_whose_untyped_values_load_as_null_takes_null_and_says_which_rule_it_cannot_hold():
    rules = (
        FieldRule("code", NotBlank(), "no_code"),
        FieldRule("age", NotBlank(), "missing_age"),
        FieldRule("age", Typed(), "untyped_age", policy=Policy.WARN),
        FieldRule("age", Between(1, 9), "bad_age"),
    )
    columns = (Column("code", Text(), required=True), Column("age", Integer(), required=True))
    contract = Contract("toy", "1.0.0", "us", columns, rules, key=NaturalKey(("code",)))
    assert "`age` BIGINT COMMENT" in delta.render(contract)
    assert "missing_age: a value that only warns for its type loads as NULL." in delta.not_enforced(contract)
    conditions = {each.name: each.condition for each in delta.constraints(contract)}
    assert "missing_age" not in conditions
    assert conditions["bad_age"].startswith("`age` IS NULL OR")
