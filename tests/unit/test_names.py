"""Names are legal in each target, and no two become one."""

import pytest

from rowgate.contract.checks import NotBlank, Typed
from rowgate.contract.model import Column, Contract, FieldRule, NaturalKey, SurrogateKey
from rowgate.contract.types import Text
from rowgate.errors import ContractError
from rowgate.targets import artifacts, names


def contract_of(*columns: str, name: str = "toy", **more) -> Contract:
    """A contract of optional texts."""
    rules = tuple(FieldRule(column, Typed(), f"bad_{number}") for number, column in enumerate(columns))
    return Contract(name, "1.0.0", "us", tuple(Column(column, Text()) for column in columns), rules, **more)


def keyed(name: str) -> Contract:
    return Contract(
        name,
        "1.0.0",
        "us",
        (Column("k", Text(), required=True),),
        (FieldRule("k", NotBlank(), "no_k"),),
        key=NaturalKey(("k",)),
    )


ODD = ("a.b", "c d", "Ηλικία", "select", "q\"u`o'te", "naïve,x")


def test_postgres_keeps_every_name_that_it_can_quote():
    assert names.postgres(contract_of(*ODD)) == dict(zip(ODD, ODD, strict=True))


def test_postgres_keeps_a_name_of_63_bytes():
    assert names.postgres(contract_of("a" * 63)) == {"a" * 63: "a" * 63}


def test_a_name_over_63_bytes_is_no_name_in_postgres_though_its_characters_are_fewer():
    name = "η" * 32
    with pytest.raises(ContractError, match=rf"the column name {name} takes 64 bytes, and Postgres keeps 63"):
        names.postgres(contract_of(name))


def test_two_names_that_postgres_would_cut_to_one_are_an_error():
    with pytest.raises(ContractError, match="shorten it"):
        names.postgres(contract_of("a" * 63 + "b", "a" * 63 + "c"))


def test_a_system_column_of_postgres_is_no_name():
    with pytest.raises(ContractError, match=r"the column name ctid is one of Postgres's own; rename it\."):
        names.postgres(contract_of("ctid"))


def test_a_column_that_is_not_loaded_needs_no_name_in_postgres():
    columns = (Column("a", Text()), Column("b" * 64, Text(), loaded=False))
    assert names.postgres(Contract("toy", "1.0.0", "us", columns, ())) == {"a": "a"}


def test_athena_has_lower_case_letters_digits_and_underscores():
    assert names.athena(contract_of(*ODD, "Zip-2")) == {
        "a.b": "a_b",
        "c d": "c_d",
        "Ηλικία": "ηλικία",
        "select": "select",
        "q\"u`o'te": "q_u_o_te",
        "naïve,x": "naïve_x",
        "Zip-2": "zip_2",
    }


def test_athena_has_the_surrogate_key_as_well():
    contract = Contract(
        "toy",
        "1.0.0",
        "us",
        (Column("A", Text(), required=True),),
        (FieldRule("A", NotBlank(), "no_a"),),
        key=SurrogateKey("toy_id", ("A",)),
    )
    assert names.athena(contract) == {"toy_id": "toy_id", "A": "a"}


def test_two_names_that_are_one_in_athena_are_an_error_that_names_both():
    with pytest.raises(ContractError) as caught:
        names.athena(contract_of("a.b", "A_B"))
    assert str(caught.value) == ("Contract toy: the columns a.b and A_B would be one name in Athena, a_b; rename one.")


@pytest.mark.parametrize("name", ["record.number", "Run Id", "first-run-id"])
def test_a_name_that_becomes_one_of_rowgates_own_in_athena_is_an_error(name):
    with pytest.raises(ContractError, match=f"the column {name} would be .* in Athena, which rowgate adds itself"):
        names.athena(contract_of(name))


def test_glue_keeps_255_bytes():
    assert names.athena(contract_of("a" * 255))
    with pytest.raises(ContractError, match="takes 256 bytes, and Glue keeps 255"):
        names.athena(contract_of("a" * 256))


@pytest.mark.parametrize(("column", "by_place"), [("plain", False), ("Upper", False), ("ηλικία", False), ("a b", True)])
def test_athena_reads_by_place_where_a_name_is_another_than_in_the_files(column, by_place):
    assert names.athena_by_place(contract_of(column)) is by_place


def test_delta_keeps_every_name_and_says_which_need_column_mapping():
    contract = contract_of(*ODD)
    assert names.delta(contract) == dict(zip(ODD, ODD, strict=True))
    assert names.delta_mapped(contract) == ("c d", "naïve,x")


@pytest.mark.parametrize("name", ["a{{b}}", "a{%", "{#", 'size "'])
def test_a_name_that_dbt_cannot_quote_is_an_error(name):
    with pytest.raises(ContractError, match="dbt cannot have the column name"):
        names.dbt(contract_of(name))


def test_the_test_of_a_reason_has_its_name_in_dbt():
    assert names.dbt_test("users_invalid_email") == "users_invalid_email"


def test_names_of_dbt_tests_that_would_be_one_are_told_apart():
    first, second = names.dbt_test("toy_a b_missing"), names.dbt_test("toy_a.b_missing")
    assert first != second
    assert first.startswith("toy_a_b_missing_")


def test_a_table_called_like_the_index_of_another_is_an_error_that_names_both():
    with pytest.raises(ContractError, match=r"The contracts toy and toy_pkey cannot share a warehouse"):
        artifacts.render_all([keyed("toy"), keyed("toy_pkey")])


def test_a_contract_that_is_not_loaded_may_be_called_like_an_index():
    names.relations([keyed("toy"), contract_of("a", name="toy_pkey")])
