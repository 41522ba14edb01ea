"""A clean row as a JSON Schema, read by `jsonschema`."""

import datetime as dt
import json
import re
import runpy
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from rowgate.contract import catalog, patterns
from rowgate.contract.checks import Between, LengthBetween, Matches, NotBlank, OneOf, References, Typed, Unique
from rowgate.contract.model import Column, Contract, FieldRule, Pii, Policy
from rowgate.contract.types import ColumnType, Decimal, Integer, Text
from rowgate.contract.values import normalise
from rowgate.contract.yaml_reader import read_yaml
from rowgate.targets import json_schema, reference

RANDOM = runpy.run_path(str(Path(__file__).parents[1] / "conformance" / "random_contracts.py"))
TOY = Contract(
    "toy",
    "1.2.0",
    "us",
    (Column("code", Text(), Pii.DIRECT, "A code.", required=True), Column("size", Integer(32))),
    (
        FieldRule("code", Matches(r"[A-Z-]+\d"), "bad_code"),
        FieldRule("size", Typed(), "odd_size"),
        FieldRule("size", References("sizes"), "no_size"),
        FieldRule("size", Unique(), "twice"),
    ),
)
TEXT = r"""{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$comment": "Rendered from the contract toy 1.2.0: change that, then run `make render`. not enforced here: no_size: it looks at the keys of sizes, and a schema sees one row. not enforced here: twice: it looks at the whole file, and a schema sees one row.",
  "title": "toy 1.2.0: a clean row",
  "type": "object",
  "properties": {
    "code": {
      "description": "A code. PII: direct identifier.",
      "type": "string",
      "$ref": "#/$defs/text",
      "pattern": "^(?:[\\-A-Z]+[0-9])$"
    },
    "size": {
      "description": "PII: none.",
      "type": [
        "integer",
        "null"
      ],
      "minimum": -2147483648,
      "maximum": 2147483647
    },
    "record_number": {
      "type": "integer",
      "minimum": 1,
      "description": "Where the record stood, from 1."
    },
    "run_id": {
      "type": [
        "string",
        "null"
      ],
      "description": "The run; null in a check."
    }
  },
"""  # noqa: E501 - a line is a line
EVERY_KIND = r"""
name: kinds
version: 1.0.0
owner: us
null_markers: [n/a]
columns:
  - {name: text, type: string, required: true}
  - {name: code, type: string, required: true, pattern: '\w+', min_length: 2, max_length: 3}
  - {name: word, type: string, allowed_values: [yes, it's]}
  - {name: small, type: int, required: true, min: 1, max: 9}
  - {name: big, type: bigint}
  - {name: sum, type: "decimal(5,2)", required: true, min: 0}
  - {name: share, type: "decimal(2,2)", allowed_values: [0.5, -0.25]}
  - {name: whole, type: "decimal(3,0)"}
  - {name: day, type: date, required: true, max: 2026-12-31}
  - {name: at, type: timestamp, allowed_values: ["2026-03-01 23:30:00.5", "0001-01-01 00:00"]}
  - {name: flag, type: boolean, required: true}
  - {name: soft, type: int, min: 5, policy: warn}
  - {name: odd, type: int, checks: ["odd % 2 = 1"]}
"""
ROWS = """\
text,code,word,small,big,sum,share,whole,day,at,flag,soft,odd
a,ab,it's,1,-9223372036854775808,0,0.5,+12,0001-01-01,2026-03-01 23:30:00.500,TRUE,1,1
é\u2028b,a_1,,9,9223372036854775807,999.99,0.50,-999,2024-02-29,2026-03-02T01:30:00.5+02:00,false,x,3
\u03a9,A1,yes,+5,,1.1,-0.25,0,2026-12-31,0001-01-01T00:00,true,,
"\U0001f600
 z",zzz,,5,0,-0,,-0,2026-01-01,,true,7,
"""


def schema_of(contract) -> dict:
    return json.loads(json_schema.render(contract))


def written_by_check(run_cli, folder, contract: str, rows: str) -> list[dict]:
    """The clean rows of a file, as the command line writes them."""
    source, clean = folder / "in.csv", folder / "out.jsonl"
    source.write_text(rows, encoding="utf-8")
    done = run_cli("check", contract, source, "--clean", clean)
    assert done.returncode == 0, done.stdout + done.stderr
    return [json.loads(line) for line in clean.read_text(encoding="utf-8").split("\n") if line]


@pytest.fixture(scope="module")
def validator():
    return Draft202012Validator(schema_of(read_yaml(EVERY_KIND, "it")))


@pytest.fixture(scope="module")
def clean(run_cli, tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    (folder / "kinds.yaml").write_text(EVERY_KIND, encoding="utf-8")
    return written_by_check(run_cli, folder, str(folder / "kinds.yaml"), ROWS)


def test_a_schema_is_rendered_with_what_it_cannot_say():
    assert json_schema.render(TOY).startswith(TEXT)


def test_clean_rows_of_every_type_are_valid(clean, validator):
    assert len(clean) == 4
    assert [error.message for row in clean for error in validator.iter_errors(row)] == []


def test_clean_rows_of_the_users_contract_are_valid(run_cli, tmp_path, project):
    rows = "id,name,email,phone,zip_code,age,city\n1,\u0391\u03bd\u03bd\u03b1,a@b.gr,6912345678,01234,18,\u0394\n"
    clean = written_by_check(run_cli, tmp_path, "users", rows)
    schema = schema_of(catalog.find("users", project / "contracts"))
    assert [error.message for row in clean for error in Draft202012Validator(schema).iter_errors(row)] == []
    assert len(clean) == 1


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        *(("text", bad) for bad in (None, "", " a", "a\n", "a\u200b", "\ufeffa", "n/a", 1)),
        *(("code", bad) for bad in ("a", "abcd", "a-", "ab\n", "\u00e9\u00e9", "\u0661\u0661", "n/a")),
        *(("word", bad) for bad in ("no", "Yes", "")),
        *(("small", bad) for bad in (0, 10, None, "5", 5.5, True)),
        *(("big", bad) for bad in (2**63, -(2**63) - 1)),
        *(("sum", bad) for bad in (1.5, "1.5", "1.500", "1000.00", "01.00", ".50", "+1.00", "1.00\n", "NaN", None)),
        *(("share", bad) for bad in ("0.51", "1.00", ".50", "0.5", "0.500")),
        *(("whole", bad) for bad in ("1000", "1.", "1.0", "00")),
        *(("day", bad) for bad in ("2026-13-01", "2026-1-1", "2026-01-32", "20260101", "2026-01-01\n", None)),
        *(("at", bad) for bad in ("2026-03-01T23:30:00Z", "2026-03-01 23:30:00.5Z", "2026-03-01T23:30:00.5")),
        *(("flag", bad) for bad in ("true", 1, None)),
        *(("soft", bad) for bad in ("x", 2**31)),
        *(("record_number", bad) for bad in (0, None)),
        *(("more", bad) for bad in (1,)),
    ],
)
def test_a_row_with_one_bad_value_is_refused_for_that_value(clean, validator, field, bad):
    errors = list(validator.iter_errors(clean[0] | {field: bad}))
    assert {error.path[0] if error.path else "more" for error in errors} == {field}


def test_a_row_without_a_field_is_refused(clean, validator):
    assert not validator.is_valid({name: value for name, value in clean[0].items() if name != "big"})


def test_what_it_cannot_say_is_in_its_comment(validator):
    assert re.findall(r"not enforced here: (\w+): ([^.]*)\.", validator.schema["$comment"]) == [
        ("sum_out_of_range", "it is a range, and the value is a text in JSON"),
        ("day", "that the day exists, where a validator does not check formats"),
        ("day_out_of_range", "it is a range, and the value is a text in JSON"),
        ("at", "that the day exists, where a validator does not check formats"),
        ("odd_check_1", "it is a condition in SQL"),
        ("invalid_type_soft", "it only warns"),
        ("soft_out_of_range", "it only warns"),
    ]


@settings(max_examples=100, deadline=None)
@given(RANDOM["contracts"]())
def test_the_schema_of_any_contract_is_one(contract):
    schema = schema_of(contract)
    validator_for(schema).check_schema(schema)


def in_json(value: object, kind: ColumnType) -> object:
    """A typed value as a clean row has it."""
    match value, kind:
        case None, _:
            return None
        case _, Decimal(_, scale):
            return f"{value:.{scale}f}"
        case dt.datetime(), _:
            return re.sub(r"(\.[0-9]*?)0+$", r"\1", value.replace(tzinfo=None).isoformat()) + "Z"
        case dt.date(), _:
            return value.isoformat()
    return value


def is_seen(contract: Contract, reason: str, row: dict[str, object]) -> bool:
    """Whether the schema has words for the rule and the row a value for it to see."""
    rule = next(rule for rule in contract.rules if rule.reason == reason)
    whole = isinstance(contract.column(rule.field).type, Integer)
    said = isinstance(rule.check, (Matches, LengthBetween, OneOf)) or (isinstance(rule.check, Between) and whole)
    return said and row[rule.field] is not None


def records_of(contract: Contract, chance: Random) -> list[reference.Record]:
    """Sixty records of texts that a column of its type could hold, few of them missing."""
    pools = {each.name: [normalise(text) for text in RANDOM["TEXTS"][type(each.type)]] for each in contract.columns}
    rows = ({name: chance.choice([*pool, None]) for name, pool in pools.items()} for _ in range(60))
    return [reference.Record(row, None, number) for number, row in enumerate(rows, start=1)]


@settings(max_examples=80, deadline=None)
@given(RANDOM["contracts"](), st.randoms(use_true_random=False))
def test_the_schema_takes_what_the_contract_accepts_and_refuses_what_breaks_a_rule_it_can_say(contract, chance):
    validator = Draft202012Validator(schema_of(contract))
    for verdict in reference.judge(contract, records_of(contract, chance), RANDOM["NOW"]):
        row = {each.name: in_json(verdict.values[each.name], each.type) for each in contract.loaded}
        valid = validator.is_valid(row | {"record_number": verdict.record_number, "run_id": None})
        assert valid or verdict.reasons, row
        assert not (valid and any(is_seen(contract, reason, row) for reason in verdict.reasons)), row


def test_a_value_that_only_warns_may_be_null_where_it_cannot_be_typed():
    rules = (FieldRule("a", NotBlank(), "no_a"), FieldRule("a", Typed(), "odd_a", policy=Policy.WARN))
    contract = Contract("toy", "1.0.0", "us", (Column("a", Integer(), required=True),), rules)
    assert schema_of(contract)["properties"]["a"]["type"] == ["integer", "null"]


def test_two_rules_of_one_kind_are_both_said():
    rules = (
        FieldRule("a", Matches("[a-c]+"), "r1"),
        FieldRule("a", Matches("a.*"), "r2"),
        FieldRule("a", OneOf(("a", "ab", "b", "ad")), "r3"),
        FieldRule("a", OneOf(("ab", "b", "ad", "abcb")), "r4"),
        FieldRule("a", LengthBetween(2, 9), "r5"),
        FieldRule("a", LengthBetween(None, 3), "r6"),
    )
    validator = Draft202012Validator(schema_of(Contract("toy", "1.0.0", "us", (Column("a", Text()),), rules)))
    rows = [{"a": value, "record_number": 1, "run_id": None} for value in ("a", "ab", "b", "ad", "abcb", None)]
    assert [row["a"] for row in rows if validator.is_valid(row)] == ["ab", None]


CHARACTERS = "ab1_-./@\n\t \u00e9\u0661\u017f\u2028\U0001f600]^$\\"
PATTERNS = [
    *RANDOM["PATTERNS"],
    r"[^\x00-\x7f]+",
    r"[\w.%+-]+@[a-z.-]+",
    r"[\]\[^$\\-]+",
    r"[\S\s]",
    r"\u2028|\^\$|-/",
    ".{2,}|[^a-z]",
]


def test_patterns_match_in_ecmascript_what_they_match_here(node):
    """With the flag `u`, as JSON Schema asks; ECMAScript's own engine judges."""
    values = ["", *CHARACTERS, *(one + other for one in CHARACTERS for other in CHARACTERS)]
    values += ["a@b.c", "ab\n", "\nab", "abab", "123", "1234"]
    rendered = [patterns.parse(pattern).render("ecma") for pattern in PATTERNS]
    script = (
        "const [patterns, values] = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        "console.log(JSON.stringify(patterns.map(p => values.map(v => new RegExp(p, 'u').test(v)))))"
    )
    told = subprocess.run(
        [node, "-e", script], input=json.dumps([rendered, values]), capture_output=True, text=True, check=True
    )
    here = [re.compile(patterns.parse(pattern).render("python")) for pattern in PATTERNS]
    assert json.loads(told.stdout) == [[bool(pattern.search(value)) for value in values] for pattern in here]


@given(st.sampled_from(PATTERNS), st.text(st.sampled_from(CHARACTERS), max_size=4).map(str.strip))
def test_patterns_match_in_the_validator_what_they_match_here(pattern, value):
    """But for a last newline, which Python's `$` lets through; a clean value has none."""
    ecma, here = (patterns.parse(pattern).render(dialect) for dialect in ("ecma", "python"))
    assert bool(re.search(ecma, value)) == bool(re.search(here, value))
