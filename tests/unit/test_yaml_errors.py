"""What is wrong with a contract in YAML is told in sentences with lines, all together, and never as a traceback."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rowgate.contract.yaml_document import MOST_BYTES
from rowgate.contract.yaml_reader import read, read_yaml
from rowgate.errors import ContractError, UnusableError

TOY = """\
name: payments
version: 1.0.0
owner: till-team
policy: quarantine
columns:
  - name: payment_id
    type: bigint
    required: true
    unique: true
  - name: amount
    type: decimal(10,2)
    required: true
    min: 0.01
    max: 100
    checks:
      - "amount <> 13"
  - name: status
    type: string
    required: true
    allowed_values: [open, paid]
  - name: currency
    type: string
    pattern: "[A-Z]{3}"
  - {name: day, type: date, min: 2020-01-01}
key: [payment_id]
max_reject_rate: 5%
quality_rules:
  - {name: doubles, sql: "SELECT COUNT(*) FROM {table}", threshold: 9}
sla:
  freshness: 1 hour
"""

EDITS = [
    ("columns:", "colums:", "5: colums is no key here; did you mean columns?"),
    (
        "allowed_values:",
        "alowed_values:",
        "20: columns.status.alowed_values is no key here; did you mean allowed_values?",
    ),
    ("type: bigint", "type: bigit", "7: columns.payment_id.type is 'bigit': that is no type; did you mean bigint?"),
    (
        "decimal(10,2)",
        "double",
        "11: columns.amount.type is 'double': numbers are exact here; write decimal(p,s), as in decimal(18,6).",
    ),
    (
        "decimal(10,2)",
        "decimal",
        "11: columns.amount.type is 'decimal': write how many digits it has, and how many of them are",
    ),
    (
        "required: true\n    unique",
        "required: maybe\n    unique",
        "8: columns.payment_id.required is 'maybe'; it is true or false.",
    ),
    ("min: 0.01", "min: 0.001", "13: columns.amount.min holds '0.001', which is not a value of type decimal(10,2)."),
    (
        "max: 100",
        "max: 0",
        "13: columns.amount.min cannot be: The range is upside down: 0.01 is greater than 0.00.",
    ),
    ("max: 100", "max: lots", "14: columns.amount.max holds 'lots', which is not a value of type decimal(10,2)."),
    ("amount <> 13", "amont <> 13", "16: columns.amount.checks.1: The expression 'amont <> 13' cannot be used: "),
    (
        "[open, paid]",
        "[open, open]",
        "20: columns.status.allowed_values cannot be: A list of allowed values names one value twice.",
    ),
    (
        "[open, paid]",
        "[]",
        "20: columns.status.allowed_values cannot be: A list of allowed values is empty",
    ),
    ("[open, paid]", "open", "20: columns.status.allowed_values must be a list, not a single value."),
    ('"[A-Z]{3}"', '"(?=[A-Z])"', "23: columns.currency.pattern cannot be: "),
    ("2020-01-01", "2020-02-30", "24: columns.day.min holds '2020-02-30', which is not a value of type date."),
    ("key: [payment_id]", "key: [paymentid]", "25: key names 'paymentid', which is no column."),
    (
        "key: [payment_id]",
        "key: [currency]",
        "25: Contract payments: the key names currency, which may be missing; make it required.",
    ),
    (
        "max_reject_rate: 5%",
        "max_reject_rate: 500%",
        "26: max_reject_rate must be a share from 0 to 1, or from 0% to 100%.",
    ),
    ("threshold: 9", "threshold: few", "28: quality_rules.doubles.threshold is 'few'; it must be a number."),
    (
        ", threshold: 9",
        "",
        "28: quality_rules.doubles has no threshold; name the greatest value that is right, or with min the least.",
    ),
    (
        "SELECT COUNT",
        "SELEC COUNT",
        "28: Contract payments, dataset rule doubles: the query cannot be read as one query",
    ),
    ("SELECT COUNT(*) FROM", "DROP TABLE", "28: Contract payments, dataset rule doubles: the query is no query; write"),
    ("COUNT(*) FROM", "1; SELECT 2 FROM", "28: Contract payments, dataset rule doubles: the query is no query"),
    (
        "COUNT(*)",
        "MAX(amont)",
        "28: Contract payments, dataset rule doubles: the query names 'amont', which is no column; did you mean",
    ),
    ("threshold: 9}", "threshold: 9, min: 10}", "28: Contract payments, dataset rule doubles: no value lies between"),
    (
        "    pattern:",
        "    min_length: -1\n    pattern:",
        "23: columns.currency.min_length cannot be: A length is at least 0",
    ),
    (
        "min: 2020-01-01",
        "min: 2020-01-01, max: 2019-01-01",
        "24: columns.day.min cannot be: The range is upside down: 2020-01-01 is greater than 2019-01-01.",
    ),
    (
        "type: date, min: 2020-01-01",
        "type: timestamp, min: 2020-01-01 10:00, max: 2020-01-01 09:00",
        "24: columns.day.min cannot be: The range is upside down: 2020-01-01 10:00:00+00:00 is greater than",
    ),
    ("name: currency", 'name: "a\\nz"', "21: Contract payments: the column name 'a\\nz' holds what cannot be printed."),
    (
        "till-team",
        "*nope",
        "3: The alias *nope names nothing: no value has the anchor &nope; a text that begins with * needs quotes.",
    ),
    ("till-team", "&a [*a]", "3: The alias *a stands before the end of what it names"),
    ("FROM {table}", "FROM t", "28: Contract payments, dataset rule doubles: the query does not read {table}."),
    (
        "1 hour",
        "1 month",
        "30: sla.freshness is '1 month': a length of time is written like 1 hour, 26h, 2 days or PT1H.",
    ),
    ("policy: quarantine", "policy: reject", "4: policy is 'reject'; it is one of: quarantine, fail, warn."),
    ("policy: quarantine", "policy: quarantin", "4: policy is 'quarantin'; did you mean quarantine?"),
    ("version: 1.0.0", "version: one", "2: version is 'one'; it must be like 1.0.0."),
    (
        "name: payments",
        "name: Payments",
        "1: name is 'Payments'; it must be 1 to 40 characters of a-z, 0-9 and _, beginning with a letter.",
    ),
    ("owner: till-team\n", "", "1: The contract has no owner; name who is told when it is breached."),
    ("owner: till-team", "owner:", "3: owner has no value; give it one, or leave the key out."),
    ("  - name: amount\n", "  - nam: amount\n", "10: columns.2.nam is no key here; did you mean name?"),
    ("name: status", "name: amount", "17: The column amount stands twice, first on line 10."),
    ("    max: 100", "    max: 100\n    min: 1", "15: The key min stands twice, first on line 13."),
    ("    max: 100", "\tmax: 100", "14: The line is indented with a tab; YAML takes blanks only."),
    ("    max: 100", "   max: 100", "14: The file is not YAML: "),
    ("[open, paid]", "[open, paid", "21: The file is not YAML: "),
    ("sla:", "---\nsla:", "29: The file holds a second document; keep one contract a file."),
    (
        "1 hour",
        "!!python/object:os.system 1h",
        "30: The tag tag:yaml.org,2002:python/object:os.system is not read; write the value without it.",
    ),
    ("1 hour", "*later", "30: The alias *later names nothing: no value has the anchor &later; a text that begins"),
    (
        "  - name: currency\n    type: string\n",
        "  - name: status\n    type: string\n",
        "21: The column status stands twice, first on line 17.",
    ),
    ("policy: quarantine", "zzz: true", "4: zzz is no key here; it is one of: name, version, owner, "),
    (
        "required: true\n    allowed",
        "nullable: false\n    required: true\n    allowed",
        "19: columns.status.nullable says the same as required; keep one of them.",
    ),
    (
        "type: string\n    pattern",
        "type: int\n    pattern",
        "23: columns.currency.pattern: Matches looks at text, and the column is int.",
    ),
    (
        "    pattern:",
        "    rules: {range: {reason: odd}}\n    pattern:",
        "23: columns.currency.rules.range is about nothing that the column says.",
    ),
    (
        "    pattern:",
        "    rules: {pattern: {reason: missing_status}}\n    pattern:",
        "24: columns.currency.pattern gives the reason missing_status, which line 19 gives too; name another reason.",
    ),
]


def told(text: str) -> list[str]:
    with pytest.raises(ContractError) as caught:
        read_yaml(text, "p.yaml")
    return str(caught.value).split("\n")


@pytest.mark.parametrize(("old", "new", "sentence"), EDITS, ids=[f"{old!r}-to-{new!r}"[:70] for old, new, _ in EDITS])
def test_a_wrong_edit_is_told_with_its_line_and_path(old, new, sentence):
    assert old in TOY
    sentences = told(TOY.replace(old, new, 1))
    assert len(sentences) == 1, sentences
    assert sentences[0].startswith(f"p.yaml:{sentence}"), sentences


def test_the_contract_without_an_edit_is_good():
    assert read_yaml(TOY, "p.yaml").name == "payments"


def test_several_problems_are_told_together_in_the_order_of_the_file():
    text = TOY.replace("bigint", "bigit").replace("min: 0.01", "mim: 0.01").replace("1 hour", "soon")
    assert [line.split(" ")[0] for line in told(text)] == ["p.yaml:7:", "p.yaml:13:", "p.yaml:30:"]


def test_more_than_twenty_problems_are_counted():
    sentences = told(TOY + "".join(f"odd{number}: 1\n" for number in range(30)))
    assert len(sentences) == 21
    assert sentences[-1] == "p.yaml: and 10 more problems."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "1: The file is empty."),
        ("# nothing\n", "1: The file is empty."),
        ("null\n", "1: The file is empty."),
        ("- a\n- b\n", "1: The file must be a mapping of keys, such as `name: orders`."),
        ("just words\n", "1: The file must be a mapping of keys, such as `name: orders`."),
        ("contract: [a]\n", "1: contract must be a mapping of keys, not a list."),
        ("contract: {}\nname: x\n", "2: name is no key here; it is one of: contract."),
        ("? [a]\n: b\n", "1: A key is a list or a mapping; keys are words."),
        ("a: &x {b: 1}\nc: {<<: *x}\n", "2: The merge key << is not read; repeat the keys."),
        ("a: \x07\n", "1: The file holds a control character, which YAML does not allow."),
        ("[" * 40 + "]" * 40, "1: The file is nested deeper than 32 levels."),
        ("dataContractSpecification: 1.1.0\n", "1: This is a Data Contract Specification; turn it into"),
        ("columns: 3\n", "1: columns must be a list, not a single value."),
        ("columns: [a]\n", "1: columns.1 must be a mapping of keys, not a single value."),
        ("columns: []\n", "1: columns lists no column."),
    ],
)
def test_a_file_of_another_shape_is_told(text, sentence):
    assert any(line.startswith(f"p.yaml:{sentence}") for line in told(text)), told(text)


def test_aliases_that_multiply_are_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert told("\n".join(lines))[-1].endswith("The file holds more than 50000 values, aliases counted.")


def test_an_alias_is_read_as_what_it_names():
    text = TOY.replace("[open, paid]", "&words [open, paid]").replace(
        "type: date, min: 2020-01-01", "type: string, allowed_values: *words"
    )
    assert read_yaml(text, "p.yaml").rules[-1].reason == "day_not_allowed"


def test_a_file_that_is_not_utf_8_is_told_with_its_line(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_bytes(b"name: payments\nowner: Ren\xe9\n")
    with pytest.raises(ContractError, match=r"p\.yaml:2: The file is not UTF-8; save it as UTF-8\."):
        read(path)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(ContractError, match="larger than 1 MiB"):
        read(path)


def test_a_folder_is_no_contract(tmp_path):
    with pytest.raises(UnusableError, match="cannot be read"):
        read(tmp_path)


def _contract_or_sentences(text: str) -> None:
    sentences = ""
    try:
        read_yaml(text, "p.yaml")
    except ContractError as error:
        sentences = str(error)
    assert all(line.startswith("p.yaml:") for line in sentences.split("\n") if sentences)


@given(st.text(st.characters(codec="utf-8"), max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_contract_or_sentences(text):
    _contract_or_sentences(text)


WORDS = [
    "null",
    "[]",
    "{}",
    "true",
    "[1, 2]",
    "{a: b}",
    "*x",
    "&x y",
    "1e999",
    "9" * 25,
    "-1",
    '"\\0"',
    "date",
    "decimal(99,1)",
    "(?=x)",
    "'",
]
ODCS = """\
apiVersion: v3.1.0
kind: DataContract
id: x
version: 1.0.0
name: toy
team: {name: us}
schema:
  - name: toy
    properties:
      - name: a
        logicalType: integer
        logicalTypeOptions: {minimum: 1, maximum: 5}
        quality: [{metric: nullValues, mustBe: 0}]
    quality:
      - {metric: rowCount, mustBeGreaterThan: 5}
slaProperties: [{property: freshness, value: 1, unit: d}]
servers: [{server: here, type: local, path: x.csv, format: csv}]
"""


@given(st.sampled_from([TOY, ODCS]), st.data())
@settings(max_examples=400, deadline=None)
def test_any_change_to_a_contract_gives_a_contract_or_sentences(text, data):
    lines = text.split("\n")
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        how = data.draw(st.sampled_from(["value", "drop", "repeat", "indent", "word"]))
        if how == "value":
            lines[at] = lines[at].split(":")[0] + ": " + data.draw(st.sampled_from(WORDS))
        elif how == "drop":
            lines[at] = ""
        elif how == "repeat":
            lines.insert(at, lines[at])
        elif how == "indent":
            lines[at] = "  " + lines[at]
        else:
            lines[at] += data.draw(st.sampled_from(WORDS))
    _contract_or_sentences("\n".join(lines))


@pytest.mark.parametrize("old", ["columns:", "name: payment_id"])
def test_a_misspelt_key_makes_no_noise_after_it(old):
    with pytest.raises(ContractError) as caught:
        read_yaml(TOY.replace(old, old.replace("m", "", 1)) + "unique: [[payment_id, status]]\n", "toy.yaml")
    assert len(str(caught.value).splitlines()) == 1
    assert "did you mean" in str(caught.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(*) FROM {table}",
        "SELECT MAX(r.Amount) FROM {table} AS r JOIN {table} s ON r.payment_id = s.payment_id",
        "SELECT MAX(n) FROM (SELECT status, COUNT(*) AS n FROM {table} GROUP BY status)",
        "WITH u AS (SELECT status AS word FROM {table}) SELECT COUNT(DISTINCT word) FROM u",
        "WITH u (word) AS (SELECT status FROM {table}) SELECT COUNT(DISTINCT u.word) FROM u",
        "SELECT COUNT(*) FROM {table} LATERAL VIEW explode(split(status, 'a')) e AS part WHERE part = ''",
        "SELECT MAX(size(filter(split(status, 'a'), each -> each = ''))) FROM {table}",
        "SELECT MAX(record_number) - MIN(record_number) FROM {table}",
        "SELECT DATEDIFF(HOUR, MAX(day), current_timestamp()) FROM {table}",
        "SELECT COUNT_IF(`amount` > 1) / COUNT(*) FROM {table} WHERE day > DATE '2020-01-01' - INTERVAL 1 DAY",
        "SELECT MAX(whatever) FROM other JOIN {table}",
    ],
)
def test_a_query_whose_names_are_its_own_or_columns_is_taken(sql):
    text = TOY.replace("SELECT COUNT(*) FROM {table}", sql)
    assert read_yaml(text, "toy.yaml").dataset_rules[0].sql == sql
