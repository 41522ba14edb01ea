"""dbt's source and staging model of a contract, with its rules as data tests (dbt 1.11 syntax, no packages)."""

from collections.abc import Iterator
from typing import Any, assert_never

import yaml

from rowgate.contract import checks, patterns
from rowgate.contract.model import Contract
from rowgate.targets import names, postgres
from rowgate.targets.postgres_sql import identifier, literal
from rowgate.targets.support import rendered_from

_Test = dict[str, dict[str, Any]]

_OF_THE_MARTS = ("marts_declare_personal_data", "marts_hide_identifiers")  # dbt/tests/generic


def render(contract: Contract) -> str:
    """The YAML of the contract's source: its table, each column's type, PII class and tests.

    A test has the name of the contract and the reason, so that a red test names the rule. Rules that only warn have
    none. Two tests of the table look at the contract's marts: every column says how it identifies a person, and none
    shows a direct identifier.

    Raises:
        UnusableError: the contract has no key.
        ContractError: Postgres or dbt cannot have a column of that name.
    """
    table = _table(contract)
    described: dict[str, Any] = {"name": table.name, "description": _plain(table.comment)}
    described["data_tests"] = [
        *_unique_together(table, f"{contract.name}_key_repeated"),
        *(_test(kind, f"{contract.name}_{kind}", contract=contract.name) for kind in _OF_THE_MARTS),
    ]
    described["columns"] = [
        {**_column(column), **_with(list(_tests(contract, table, column)))} for column in table.columns
    ]
    source = {"name": postgres.SCHEMA, "schema": table.schema, "tables": [described]}
    not_said = "".join(f"# not enforced here: {said}\n" for said in table.not_enforced)
    return f"{_head(contract)}{not_said}\n{_yaml(sources=[source])}"


def models(contract: Contract) -> str:
    """The YAML of the contract's staging model: an enforced dbt contract of its columns' types, and the key's tests.

    dbt compares the types while it builds, so that a table or a model that is otherwise fails the build.

    Raises:
        UnusableError: the contract has no key.
        ContractError: Postgres or dbt cannot have a column of that name.
    """
    table = _table(contract)
    name = f"stg_{table.name}"
    described: dict[str, Any] = {
        "name": name,
        "description": _plain(f"The table {table.qualified} as loaded, column by column."),
        "config": {"contract": {"enforced": True}},
        **_with(list(_unique_together(table, f"{name}_key_repeated"))),
    }
    described["columns"] = [
        {**_column(column), **_with(list(_key_tests(table, column, name) if column.name in table.key else ()))}
        for column in table.columns
    ]
    return f"{_head(contract)}\n{_yaml(models=[described])}"


def staging(contract: Contract) -> str:
    """The SQL of the contract's staging model: the table as loaded, column by column.

    Raises:
        UnusableError: the contract has no key.
        ContractError: Postgres or dbt cannot have a column of that name.
    """
    table = _table(contract)
    columns = ",\n".join(f"    {identifier(column.name)}" for column in table.columns)
    source = f"{{{{ source('{postgres.SCHEMA}', '{table.name}') }}}}"
    return f"-- {rendered_from(contract)}\nselect\n{columns}\nfrom {source}\n"


def _table(contract: Contract) -> postgres.Table:
    names.dbt(contract)
    return postgres.table(contract)


def _head(contract: Contract) -> str:
    return f"# {rendered_from(contract)}\n"


def _yaml(**content: Any) -> str:  # noqa: ANN401 - what YAML can hold
    return yaml.safe_dump({"version": 2, **content}, sort_keys=False, allow_unicode=True, width=100_000)


def _with(tests: list[_Test]) -> dict[str, Any]:
    return {"data_tests": tests} if tests else {}


def _column(column: postgres.TableColumn) -> dict[str, Any]:
    # Quoted always: a column may have the name of a word of SQL's own.
    found: dict[str, Any] = {"name": column.name, "quote": True, "data_type": column.sql_type}
    if column.description:
        found["description"] = _plain(column.description)
    return {**found, "config": {"meta": {"pii": column.pii.value}}}


def _unique_together(table: postgres.Table, name: str) -> Iterator[_Test]:
    if len(table.key) > 1:
        yield _test("unique_together", name, columns=[identifier(column) for column in table.key])


def _key_tests(table: postgres.Table, column: postgres.TableColumn, prefix: str) -> Iterator[_Test]:
    if column.required:
        yield _test("not_null", f"{prefix}_{column.name}_missing")
    if table.key == (column.name,):
        yield _test("unique", f"{prefix}_{column.name}_repeated")


def _tests(contract: Contract, table: postgres.Table, column: postgres.TableColumn) -> Iterator[_Test]:
    yield from _key_tests(table, column, contract.name)
    for check in table.checks:
        if check.field == column.name:
            yield _of_check(contract, check)


def _of_check(contract: Contract, check: postgres.TableCheck) -> _Test:
    name = f"{contract.name}_{check.name}"
    if check.rule is None:
        return _test("satisfies", name, condition=check.condition)
    match check.rule.check:
        case checks.Matches(pattern):
            return _test("matches", name, pattern=patterns.parse(pattern).render("postgres"))
        case checks.Between(low, high) if "NaN" not in check.condition:
            ends = {end: literal(value) for end, value in (("low", low), ("high", high)) if value is not None}
            return _test("in_range", name, **ends)
        case checks.OneOf(values) if all(isinstance(value, str) and not _odd(value) for value in values):
            return _test("accepted_values", name, values=list(values))
        case (
            checks.OneOf()
            | checks.Between()
            | checks.NotBlank()
            | checks.LengthBetween()
            | checks.Expression()
            | checks.Typed()
            | checks.Unique()
            | checks.References()
        ):
            return _test("satisfies", name, condition=check.condition)
        case _:
            assert_never(check.rule.check)


def _test(kind: str, name: str, **arguments: Any) -> _Test:  # noqa: ANN401 - what YAML can hold
    for argument, value in arguments.items():
        if isinstance(value, str) and _jinja(value):
            # dbt reads arguments as Jinja; a string constant of Jinja's own stands for the text as it is.
            arguments[argument] = "{{ " + repr(value) + " }}"
    body = {"name": names.dbt_test(name)}
    return {kind: {**body, "arguments": arguments} if arguments else body}


def _odd(value: str) -> bool:
    """Whether dbt's `accepted_values`, which puts values between apostrophes as they are, would read another one."""
    return "'" in value or _jinja(value)


def _jinja(value: object) -> bool:
    return isinstance(value, str) and any(sign in value for sign in ("{{", "{%", "{#"))


def _plain(text: str) -> str:
    """A description that Jinja takes as it is."""
    for sign in ("{{", "{%", "{#"):
        text = text.replace(sign, f"{sign[0]} {sign[1]}")
    return text
