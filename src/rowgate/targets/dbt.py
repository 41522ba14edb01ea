"""dbt's source for a contract's table, with the contract's rules as data tests (dbt 1.11 syntax, no packages)."""

from collections.abc import Iterator
from typing import Any, assert_never

import yaml

from rowgate.contract import checks, patterns
from rowgate.contract.model import Contract
from rowgate.targets import postgres
from rowgate.targets.postgres_sql import identifier, literal

_Test = dict[str, dict[str, Any]]


def render(contract: Contract) -> str:
    """The YAML of the contract's source: its table, each column's type, PII class and tests.

    A test has the name of the contract and the reason, so that a red test names the rule. Rules that only warn have
    none.

    Raises:
        UnusableError: the contract has no key.
        ContractError: Postgres cannot have a column of that name.
    """
    table = postgres.table(contract)
    described: dict[str, Any] = {"name": table.name, "description": _plain(table.comment)}
    if len(table.key) > 1:
        columns = {"columns": [identifier(name) for name in table.key]}
        described["data_tests"] = [_test("unique_together", contract, "key_repeated", **columns)]
    described["columns"] = [_column(contract, table, column) for column in table.columns]
    source = {"name": postgres.SCHEMA, "schema": table.schema, "tables": [described]}
    head = f"# {postgres.rendered_from(contract)}\n"
    not_said = "".join(f"# not tested here: {sentence}\n" for sentence in table.not_enforced)
    body = yaml.safe_dump({"version": 2, "sources": [source]}, sort_keys=False, allow_unicode=True, width=100_000)
    return f"{head}{not_said}\n{body}"


def staging(contract: Contract) -> str:
    """The SQL of the contract's staging model: the table as loaded, column by column.

    Raises:
        UnusableError: the contract has no key.
        ContractError: Postgres cannot have a column of that name.
    """
    table = postgres.table(contract)
    columns = ",\n".join(f"    {identifier(column.name)}" for column in table.columns)
    source = f"{{{{ source('{postgres.SCHEMA}', '{table.name}') }}}}"
    return f"-- {postgres.rendered_from(contract)}\nselect\n{columns}\nfrom {source}\n"


def _column(contract: Contract, table: postgres.Table, column: postgres.TableColumn) -> dict[str, Any]:
    # Quoted always: a column may have the name of a word of SQL's own.
    found: dict[str, Any] = {"name": column.name, "quote": True, "data_type": column.sql_type}
    if column.description:
        found["description"] = _plain(column.description)
    found["config"] = {"meta": {"pii": column.pii.value}}
    tests = list(_tests(contract, table, column))
    if tests:
        found["data_tests"] = tests
    return found


def _tests(contract: Contract, table: postgres.Table, column: postgres.TableColumn) -> Iterator[_Test]:
    if column.required:
        yield _test("not_null", contract, f"{column.name}_missing")
    if table.key == (column.name,):
        yield _test("unique", contract, f"{column.name}_repeated")
    for check in table.checks:
        if check.field == column.name:
            yield _of_check(contract, check)


def _of_check(contract: Contract, check: postgres.TableCheck) -> _Test:
    if check.rule is None:
        return _test("satisfies", contract, check.name, condition=check.condition)
    match check.rule.check:
        case checks.Matches(pattern):
            return _test("matches", contract, check.name, pattern=patterns.parse(pattern).render("postgres"))
        case checks.Between(low, high) if "NaN" not in check.condition:
            ends = {end: literal(value) for end, value in (("low", low), ("high", high)) if value is not None}
            return _test("in_range", contract, check.name, **ends)
        case checks.OneOf(values) if all(isinstance(value, str) and not _jinja(value) for value in values):
            return _test("accepted_values", contract, check.name, values=list(values))
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
            return _test("satisfies", contract, check.name, condition=check.condition)
        case _:
            assert_never(check.rule.check)


def _test(kind: str, contract: Contract, name: str, **arguments: Any) -> _Test:  # noqa: ANN401 - what YAML can hold
    for argument, value in arguments.items():
        if isinstance(value, str) and _jinja(value):
            # dbt reads arguments as Jinja; a string constant of Jinja's own stands for the text as it is.
            arguments[argument] = "{{ " + repr(value) + " }}"
    body: dict[str, Any] = {"name": f"{contract.name}_{name}"}
    return {kind: {**body, "arguments": arguments} if arguments else body}


def _jinja(value: object) -> bool:
    return isinstance(value, str) and any(sign in value for sign in ("{{", "{%", "{#"))


def _plain(text: str) -> str:
    """A description that Jinja takes as it is."""
    for sign in ("{{", "{%", "{#"):
        text = text.replace(sign, f"{sign[0]} {sign[1]}")
    return text
