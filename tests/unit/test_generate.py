"""The generator of dirty people, judged by a small reading of the users rules that shares no code with the package."""

import csv
import os
import re
import subprocess
import sys
from collections import Counter
from io import BytesIO, StringIO
from random import Random

import pytest

from rowgate.errors import UnusableError
from rowgate.stages.dirt import HARMFUL, HARMLESS
from rowgate.stages.generate import MAX_ROWS, _People, write_users

WHITE_SPACE = "\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\u200b\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)
RULES = {
    "name": lambda v: v != "",
    "email": re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}").fullmatch,
    "phone": re.compile("69[0-9]{8}").fullmatch,
    "zip_code": re.compile("[0-9]{5}").fullmatch,
    "age": lambda v: re.fullmatch("[+-]?[0-9]+", v) and 18 <= int(v) <= 99,
    "city": lambda v: v != "",
}

EXPECTED = """\
id,name,email,phone,zip_code,age,city
1,"
Βαγιανή Παπαδημητροπούλου",vagiani.papadimitropoulou724@@inbox.example,6936568891,14407,1966,Αγ. Νικόλαος
2,Μαύρος Κονδυλίδης,mauros.kondylidis5477@post.example,6905960116,5652.0,73,Πύργος
"""  # noqa: RUF001 Greek names


def good(field, value):
    return bool(RULES[field](value.strip(WHITE_SPACE)))


def generate(rows, seed):
    out = BytesIO()
    write_users(out, rows=rows, seed=seed)
    return out.getvalue()


def parse(data):
    return list(csv.reader(StringIO(data.decode(), newline=""), strict=True))


@pytest.fixture(scope="module")
def people():
    header, *records = parse(generate(30_000, 7))
    return [dict(zip(header, record, strict=True)) for record in records]


@pytest.fixture(scope="module")
def accepted(people):
    return [row for row in people if all(good(field, row[field]) for field in RULES)]


def test_a_seed_gives_the_same_bytes_in_another_process_whatever_its_hash_seed():
    code = (
        "import sys; from rowgate.stages.generate import write_users; write_users(sys.stdout.buffer, rows=500, seed=3)"
    )
    written = [
        subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for hash_seed in ("1", "2")
    ]
    assert written == [generate(500, 3)] * 2


def test_a_seed_keeps_its_file_from_one_version_to_the_next():
    assert generate(2, 7).decode() == EXPECTED


def test_another_seed_gives_another_file():
    assert generate(100, 1) != generate(100, 2)


def test_a_longer_file_begins_with_the_shorter_one_of_the_same_seed():
    assert generate(12_000, 5).startswith(generate(9_000, 5))


def test_no_rows_are_a_header():
    assert generate(0, 1) == b"id,name,email,phone,zip_code,age,city\n"


@pytest.mark.parametrize("rows", [-1, MAX_ROWS + 1])
def test_an_impossible_number_of_rows_is_refused_in_a_sentence(rows):
    with pytest.raises(UnusableError, match=rf"rows to generate is {rows}, and must be between 0 and 100,000,000"):
        generate(rows, 1)


def test_the_stream_is_left_open():
    out = BytesIO()
    write_users(out, rows=1, seed=1)
    assert not out.closed


def test_every_record_is_well_formed_and_numbered():
    _, *records = parse(generate(20_001, 4))
    assert [(record[0], len(record)) for record in records] == [(str(n), 7) for n in range(1, 20_002)]


def test_no_control_character_changes_what_a_record_is():
    assert not re.search(rb"[\0\r]", generate(30_000, 7))


@pytest.mark.parametrize("seed", [0, 1, 42])
def test_some_16_percent_meet_the_contract(seed):
    header, *records = parse(generate(20_000, seed))
    rows = [dict(zip(header, record, strict=True)) for record in records]
    assert 0.15 < sum(all(good(f, row[f]) for f in RULES) for row in rows) / len(rows) < 0.17


@pytest.mark.parametrize("field", RULES)
def test_a_field_breaks_its_rule_at_its_own_rate(field, people):
    broken = sum(not good(field, row[field]) for row in people) / len(people)
    assert broken == pytest.approx(HARMFUL[field].rate, abs=0.015)


def test_fields_break_independently(people):
    both = sum(not good("email", row["email"]) and not good("age", row["age"]) for row in people) / len(people)
    assert both == pytest.approx(HARMFUL["email"].rate * HARMFUL["age"].rate, abs=0.012)


def changed(field, kind):
    rng, people = Random(1), _People()  # noqa: S311 the same people in every run
    return [kind.change(rng, people.person(rng)[field]) for _ in range(300)]


@pytest.mark.parametrize(
    ("field", "kind"), [pytest.param(f, k, id=f"{f}: {k.name}") for f, c in HARMFUL.items() for k in c.kinds]
)
def test_a_harmful_kind_always_breaks_the_rule_of_its_field(field, kind):
    assert not [value for value in changed(field, kind) if good(field, value)]


@pytest.mark.parametrize(
    ("field", "kind"), [pytest.param(f, k, id=f"{f}: {k.name}") for f, c in HARMLESS.items() for k in c.kinds]
)
def test_a_harmless_kind_never_breaks_the_rule_of_its_field(field, kind):
    assert not [value for value in changed(field, kind) if not good(field, value)]


@pytest.mark.parametrize(
    ("field", "pattern"),
    [
        ("name", '"'),
        ("name", r"\w\n\w"),
        ("name", "^\u00a0"),
        ("name", "\u200b$"),
        ("email", "[a-z][A-Z]|[A-Z][a-z]"),
        ("zip_code", "^0"),
        ("age", r"^\+"),
        ("city", "^\n"),
    ],
)
def test_odd_but_good_values_are_among_the_accepted(field, pattern, accepted):
    assert any(re.search(pattern, row[field]) for row in accepted)


def test_a_few_percent_of_the_accepted_are_people_sent_again(accepted):
    keys = Counter((row["name"], row["email"], row["phone"]) for row in accepted)
    assert 0.02 < 1 - len(keys) / len(accepted) < 0.06


def test_some_people_are_sent_again_with_another_city(accepted):
    cities = {}
    for row in accepted:
        cities.setdefault((row["name"], row["email"], row["phone"]), set()).add(row["city"].strip(WHITE_SPACE))
    assert any(len(towns) > 1 for towns in cities.values())
