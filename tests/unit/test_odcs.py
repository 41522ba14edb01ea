"""The Open Data Contract Standard: what its words become, and which of them are refused by path."""

import datetime as dt
from decimal import Decimal

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
from rowgate.contract.model import NaturalKey, Pii, Policy, ServiceLevels
from rowgate.contract.types import Boolean, Date, Integer, Text, Timestamp
from rowgate.contract.types import Decimal as Exact
from rowgate.contract.yaml_reader import read_yaml
from rowgate.errors import ContractError

HEAD = """\
apiVersion: {version}
kind: DataContract
id: toy-1
version: 1.0.0
name: toy
team: {{name: us}}
{more}
schema:
  - name: toys
    properties:
{columns}
"""


def text_of(*columns: str, more: str = "", version: str = "v3.1.0") -> str:
    return HEAD.format(version=version, more=more, columns="\n".join(f"      - {column}" for column in columns))


def toy(*columns: str, more: str = "", version: str = "v3.1.0"):
    return read_yaml(text_of(*columns, more=more, version=version), "toy.yaml")


def refused(*columns: str, more: str = "", version: str = "v3.1.0") -> str:
    with pytest.raises(ContractError) as caught:
        toy(*columns, more=more, version=version)
    return str(caught.value)


def checks(column: str, version: str = "v3.1.0"):
    return {rule.reason: rule.check for rule in toy(column, version=version).rules}


@pytest.mark.parametrize(("to", "check"), [("b.c", References("b", "c")), ("toys.a", References("toy", "a"))])
def test_one_foreign_key_is_a_reference_to_the_contract_called_like_the_object(to, check):
    found = checks(f"{{name: a, logicalType: string, relationships: [{{type: foreignKey, to: {to}}}]}}")
    assert found == {f"a_not_in_{check.contract}": check}


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("logicalType: string", Text()),
        ("physicalType: varchar", Text()),
        ("description: no type at all", Text()),
        ("logicalType: integer", Integer(64)),
        ("logicalType: string, physicalType: uuid", Text()),
        ("logicalType: string, physicalType: UniqueIdentifier", Text()),
        ("logicalType: string, physicalType: enum", Text()),
        ("logicalType: string, physicalType: \"enum('x','y')\", enum: [{value: x}, {value: y}]", Text()),
        ("logicalType: string, physicalType: text", Text()),
        ("logicalType: integer, physicalType: int", Integer(32)),
        ("logicalType: integer, logicalTypeOptions: {format: i32}", Integer(32)),
        ("logicalType: integer, physicalType: 'number(10,0)'", Exact(10, 0)),
        ("logicalType: number, physicalType: 'NUMERIC(12, 2)'", Exact(12, 2)),
        ("logicalType: number, physicalType: bigint", Integer(64)),
        ("logicalType: boolean, physicalType: bit", Boolean()),
        ("logicalType: date, logicalTypeOptions: {format: yyyy-MM-dd}", Date()),
        ("logicalType: date, physicalType: timestamp", Timestamp()),
        ("logicalType: date, logicalTypeOptions: {format: 'yyyy-MM-dd HH:mm:ss'}", Timestamp()),
        ("logicalType: timestamp, physicalType: timestamp with time zone", Timestamp()),
        ("logicalType: timestamp, physicalType: 'timestamp(6) without time zone'", Timestamp()),
        ("logicalType: date, physicalType: varchar", Date()),
    ],
)
def test_logical_and_physical_types_together_make_the_type(words, kind):
    assert toy(f"{{name: a, {words}}}").columns[0].type == kind


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("semanticType: measure, transformLogic: SUM(b)", "schema.toys.properties.a.semanticType is not supported"),
        ("logicalType: array", "schema.toys.properties.a.logicalType is 'array', which is not supported"),
        ("logicalType: time", "schema.toys.properties.a.logicalType is 'time', which is not supported"),
        (
            "logicalType: number",
            "a.logicalType is 'number', and numbers are exact here; add physicalType: decimal(p,s).",
        ),
        ("logicalType: number, physicalType: double", "a.physicalType is 'double': numbers are exact here"),
        ("logicalType: string, physicalType: int", "a.physicalType is int, and the logicalType is string"),
        ("logicalType: string, physicalType: \"enum('x','y')\"", "a.physicalType is \"enum('x','y')\""),
        ("physicalType: uuid", "a.physicalType is 'uuid': the contract has no such type"),
        ("logicalType: string, physicalType: geometry", "a.physicalType is 'geometry': the contract has no such type"),
        (
            "logicalType: integer, physicalType: varchar(5)",
            "a.physicalType has a greatest length, which is not supported",
        ),
        (
            "logicalType: date, logicalTypeOptions: {format: dd/MM/yyyy}",
            "a.logicalTypeOptions.format is 'dd/MM/yyyy', which is not",
        ),
        (
            "logicalType: integer, logicalTypeOptions: {format: i128}",
            "a.logicalTypeOptions.format is 'i128', which is not supported",
        ),
        (
            "logicalType: string, logicalTypeOptions: {format: ipv6}",
            "a.logicalTypeOptions.format is 'ipv6', which is not supported",
        ),
        (
            "logicalType: string, logicalTypeOptions: {minimum: 1}",
            "a.logicalTypeOptions.minimum is no option of a column that is string",
        ),
        (
            "logicalType: timestamp, logicalTypeOptions: {timezone: true}",
            "a.logicalTypeOptions.timezone is not supported",
        ),
        (
            "logicalType: integer, logicalTypeOptions: {minimum: low}",
            "a.logicalTypeOptions.minimum is 'low', which is not a value",
        ),
        ("logicalType: string, relationships: [{to: b.c}, {to: d.e}]", "a.relationships is not supported, other than"),
        ("logicalType: string, relationships: [{to: [b.c, b.d]}]", "a.relationships is not supported, other than"),
        (
            "logicalType: string, relationships: [{to: b.c, type: other}]",
            "a.relationships is not supported, other than",
        ),
        ("logicalType: string, relationships: [{to: f.yaml/schema/b}]", "a.relationships is not supported, other than"),
        ("logicalType: string, items: {logicalType: string}", "schema.toys.properties.a.items is not supported"),
        ("logicalType: string, requird: true", "a.requird is no key of the standard here; did you mean required?"),
        ("logicalType: string, required: 7", "schema.toys.properties.a.required: Input should be a valid boolean"),
    ],
)
def test_what_a_column_cannot_be_is_named_by_path_and_line(words, sentence):
    told = refused(f"{{name: a, {words}}}")
    assert sentence in told
    assert told.startswith("toy.yaml:11: ")


@pytest.mark.parametrize(
    ("words", "reason", "check"),
    [
        ("logicalType: string, logicalTypeOptions: {minLength: 2, maxLength: 5}", "a_bad_length", LengthBetween(2, 5)),
        ("logicalType: string, physicalType: varchar(18)", "a_bad_length", LengthBetween(None, 18)),
        (
            "logicalType: string, physicalType: char(3), logicalTypeOptions: {maxLength: 9}",
            "a_bad_length",
            LengthBetween(None, 3),
        ),
        ("logicalType: string, logicalTypeOptions: {pattern: 'ACC[0-9]{8}'}", "a_bad_format", Matches("ACC[0-9]{8}")),
        (
            "logicalType: integer, logicalTypeOptions: {minimum: 18, exclusiveMaximum: 100}",
            "a_out_of_range",
            Between(18, 99),
        ),
        ("logicalType: integer, physicalType: smallint", "a_out_of_range", Between(-32768, 32767)),
        ("logicalType: integer, logicalTypeOptions: {format: u8, maximum: 99.0}", "a_out_of_range", Between(0, 99)),
        (
            "logicalType: number, physicalType: 'decimal(9,2)', logicalTypeOptions: {exclusiveMinimum: 0}",
            "a_out_of_range",
            Between(Decimal("0.01")),
        ),
        (
            "logicalType: date, logicalTypeOptions: {exclusiveMinimum: '2020-01-01'}",
            "a_out_of_range",
            Between(dt.date(2020, 1, 2)),
        ),
        (
            "logicalType: timestamp, logicalTypeOptions: {maximum: '2020-01-01 00:00:00'}",
            "a_out_of_range",
            Between(None, dt.datetime(2020, 1, 1, tzinfo=dt.UTC)),
        ),
        ("logicalType: integer, logicalTypeOptions: {multipleOf: 5}", "a_not_multiple", Expression("`a` % 5 = 0")),
        ("logicalType: integer, enum: [{value: 1}, {value: 2, label: Two}]", "a_not_allowed", OneOf((1, 2))),
        ("logicalType: integer, unique: true", "duplicate_a", Unique()),
        ("logicalType: integer", "invalid_type_a", Typed()),
        ("required: true", "missing_a", NotBlank()),
    ],
)
def test_options_become_rules(words, reason, check):
    assert checks(f"{{name: a, {words}}}")[reason] == check


def test_an_excluded_end_of_version_3_0_stands_beside_the_end():
    options = "{minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false}"
    column = f"{{name: a, logicalType: integer, logicalTypeOptions: {options}}}"
    assert checks(column, "v3.0.0")["a_out_of_range"] == Between(2, 9)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("email", "a.b@mail.gr", "a.b@mail"),
        ("uuid", "53581432-6c55-4ba2-a65f-72344a91553a", "53581432-6c55-4ba2-a65f-72344a91553"),
        ("ipv4", "127.0.0.1", "256.0.0.1"),
        ("hostname", "a-b.example.com", "-a.example.com"),
        ("uri", "https://example.com/x?y=1", "example.com"),
    ],
)
def test_a_format_is_checked_by_a_pattern(name, good, bad):
    import re

    check = checks(f"{{name: a, logicalType: string, logicalTypeOptions: {{format: {name}}}}}")[f"a_not_{name}"]
    assert re.fullmatch(check.pattern, good)
    assert not re.fullmatch(check.pattern, bad)


def test_primary_keys_are_the_key_required_and_unique_together():
    contract = toy(
        "{name: a, logicalType: string, primaryKey: true, primaryKeyPosition: 2}",
        "{name: b, logicalType: string, primaryKey: true, primaryKeyPosition: 1}",
    )
    assert contract.key == NaturalKey(("b", "a"))
    assert [(rule.reason, rule.check) for rule in contract.rules] == [
        ("missing_a", NotBlank()),
        ("missing_b", NotBlank()),
        ("duplicate_b_a", Unique(("a",))),
    ]


def test_one_primary_key_is_unique_once():
    assert list(checks("{name: a, logicalType: string, primaryKey: true, unique: true, required: true}")) == [
        "missing_a",
        "duplicate_a",
    ]


def test_a_physical_name_is_what_the_header_says():
    contract = toy("{name: amount, physicalName: amt, logicalType: integer}")
    assert (contract.columns[0].name, contract.rules[0].reason) == ("amt", "invalid_type_amt")


@pytest.mark.parametrize(
    ("word", "pii"),
    [
        ("public", Pii.NONE),
        ("Quasi Identifier", Pii.QUASI),
        ("pseudonymised", Pii.PSEUDONYM),
        ("restricted", Pii.DIRECT),
        ("4", Pii.DIRECT),
    ],
)
def test_a_classification_that_is_not_known_counts_as_personal(word, pii):
    assert toy(f"{{name: a, logicalType: string, classification: {word}}}").columns[0].pii is pii


@pytest.mark.parametrize(
    ("more", "owner"),
    [
        ("", "us"),
        ("domain: seller", "us"),
    ],
)
def test_the_teams_name_is_the_owner(more, owner):
    assert toy("{name: a}", more=more).owner == owner


@pytest.mark.parametrize(
    ("team", "owner"),
    [
        ("team: [{username: ann, role: Analyst}, {username: bob, role: Owner}]", "bob"),
        ("team: [{username: old, role: Owner, dateOut: '2020-01-01'}, {username: bob, name: Bob, role: Owner}]", "Bob"),
        ("team: {members: [{username: ann}]}", "ann"),
        ("support: [{channel: '#help', url: 'https://example.com'}]", "#help"),
        ("domain: seller", "seller"),
        ("dataProduct: web shop", "web shop"),
        ("customProperties: [{property: ownerEmail, value: a@example.com}]", "a@example.com"),
    ],
)
def test_the_owner_is_found_where_the_file_names_somebody(team, owner):
    assert read_yaml(text_of("{name: a}").replace("team: {name: us}", team), "toy.yaml").owner == owner


def test_a_file_that_names_nobody_has_no_owner():
    with pytest.raises(ContractError, match=r"team is not there, .*; name who is told of breaches in team\.name\."):
        read_yaml(text_of("{name: a}").replace("team: {name: us}", ""), "toy.yaml")


def test_service_levels_and_servers_are_read():
    more = """
slaProperties:
  - {property: latency, value: 4, unit: d, element: toys.a}
  - {property: availability, value: 99.9, unit: percent}
  - {property: frequency, value: 1, unit: d}
  - {property: retention, value: 3, unit: y}
servers:
  - {server: in, type: s3, location: "s3://lake/toys/*.csv", format: csv}
"""
    assert toy("{name: a}", more=more).service_levels == ServiceLevels(
        dt.timedelta(days=4), "99.9%", "files at s3://lake/toys/*.csv; frequency 1 d"
    )


def test_rowgates_own_properties_say_what_the_standard_has_no_key_for():
    more = """
customProperties:
  - {property: rowgatePolicy, value: fail}
  - {property: rowgateOnConflict, value: update}
  - {property: rowgateNullMarkers, value: [NULL, n/a]}
  - {property: rowgateMaxRejectRate, value: 5%}
  - {property: someoneElses, value: [1, {a: b}]}
"""
    contract = toy(
        "{name: a, customProperties: [{property: rowgatePii, value: quasi}, {property: rowgateLoaded, value: false}]}",
        "{name: b}",
        more=more,
    )
    assert (contract.policy, contract.on_conflict, contract.null_markers) == (Policy.FAIL, "update", ("NULL", "n/a"))
    assert contract.max_reject_rate == pytest.approx(0.05)
    assert (contract.columns[0].pii, contract.columns[0].loaded) == (Pii.QUASI, False)


def test_informative_keys_are_accepted():
    more = """
status: active
tenant: us
domain: toys
tags: [a, b]
price: {priceAmount: 9.95, priceCurrency: EUR, priceUnit: month}
roles: [{role: reader, access: read}]
authoritativeDefinitions: [{type: x, url: "https://example.com"}]
contractCreatedTs: "2022-11-15T02:59:43+00:00"
description: {purpose: To play., limitations: null}
"""
    words = (
        "businessName: A, tags: [], partitioned: true, partitionKeyPosition: 1, examples: [x, 1], transformLogic: none"
    )
    column = f"{{name: a, criticalDataElement: false, {words}}}"
    assert toy(column, more=more).description == "To play."


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (
            "servers: [{server: db, type: postgres, host: h, port: 5, database: d, schema: s}]",
            "servers.db.type is 'postgres', which is not supported",
        ),
        (
            "servers: [{server: f, type: local, path: x, format: parquet}]",
            "servers.f.format is not supported; a contract is about CSV files.",
        ),
        ("servers: [{server: f, type: local, path: x, format: csv, host: h}]", "servers.f.host is not supported"),
        (
            "slaProperties: [{property: throughput, value: 3}]",
            "slaProperties.throughput.property is 'throughput', which is not supported",
        ),
        (
            "slaProperties: [{property: freshness, value: 3, unit: y}]",
            "slaProperties.freshness.value is '3 y': a length of time",
        ),
        ("prise: 3", "prise is no key of the standard here; did you mean price?"),
        ("price: {priceAmonut: 3}", "price.priceAmonut is no key of the standard here; did you mean priceAmount?"),
        ("price: {priceAmount: much}", "price.priceAmount: Input should be a valid number"),
        ("tags: words", "tags: Input should be a valid list."),
        (
            "customProperties: [{property: rowgatePolcy, value: fail}]",
            "customProperties.rowgatePolcy.property is 'rowgatePolcy', which is none",
        ),
    ],
)
def test_what_the_contract_cannot_say_is_named_by_path(more, sentence):
    assert sentence in refused("{name: a}", more=more)


@pytest.mark.parametrize("version", ["v3.0.0", "v3.0.2", "v3.1.0", "v3.2.0"])
def test_every_version_3_is_read(version):
    assert toy("{name: a}", version=version).name == "toy"


@pytest.mark.parametrize("version", ["v2.2.2", "v4.0.0", "3"])
def test_another_version_is_refused(version):
    assert (
        refused("{name: a}", version=version)
        == f"toy.yaml:1: apiVersion is '{version}'; rowgate reads v3.0, v3.1 and later v3."
    )


def test_two_objects_are_no_contract():
    with pytest.raises(ContractError, match="schema lists 2 objects; a contract is about one file"):
        read_yaml(text_of("{name: a}") + "  - name: other\n", "toy.yaml")


def test_a_published_name_becomes_a_name_of_small_letters():
    text = text_of("{name: a}").replace("name: toy\n", "name: NYC Air-Quality\n")
    assert read_yaml(text, "toy.yaml").name == "nyc_air_quality"


@pytest.mark.parametrize("key", ["isNullable", "nullable", "is_nullable", "notNull"])
def test_a_word_for_missing_values_is_answered_with_required(key):
    assert refused(f"{{name: a, logicalType: string, {key}: true}}") == (
        f"toy.yaml:11: schema.toys.properties.a.{key} is no key of the standard here; "
        "write required: true where no value may be missing."
    )


def test_an_unknown_key_is_told_once_and_shortly():
    assert refused("{name: a, logicalType: string, zzz: 1, requird: true}") == (
        "toy.yaml:11: schema.toys.properties.a.requird is no key of the standard here; did you mean required?\n"
        "toy.yaml:11: schema.toys.properties.a.zzz is no key of the standard here."
    )


def test_several_problems_are_told_together():
    told = refused(
        "{name: a, logicalType: array}",
        "{name: b, logicalType: string, logicalTypeOptions: {pattern: '(?=x)'}}",
        more="tenat: x",
    )
    assert [line.split(" ")[0] for line in told.split("\n")] == ["toy.yaml:7:", "toy.yaml:11:", "toy.yaml:12:"]
