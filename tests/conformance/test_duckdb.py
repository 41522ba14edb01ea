"""DuckDB gives the verdicts that the tables of the other tests here say."""

import datetime as dt
import decimal
import runpy
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rowgate.contract import expressions
from rowgate.contract.types import Decimal, Timestamp
from rowgate.targets import reference
from rowgate.targets.duckdb_expressions import to_duckdb
from rowgate.targets.duckdb_types import literal, quoted, type_of, typed
from rowgate.targets.reference_expressions import evaluate

TYPES = runpy.run_path(str(Path(__file__).with_name("test_types.py")))
NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
CONTRACTS = runpy.run_path(str(Path(__file__).with_name("random_contracts.py")))
VERDICTS = runpy.run_path(str(Path(__file__).with_name("test_verdicts.py")))
EXPRESSIONS = runpy.run_path(str(Path(__file__).with_name("test_expressions.py")))


@pytest.fixture(scope="module", params=["Etc/UTC", "America/New_York", "Pacific/Kiritimati"])
def typed_by_duckdb(request):
    """What DuckDB makes of every line of the table of types, in sessions of several time zones."""
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = '{request.param}'")
        connection.execute("CREATE TABLE texts (line INTEGER, text VARCHAR)")
        connection.executemany(
            "INSERT INTO texts VALUES (?, ?)", [(at, row[1]) for at, row in enumerate(TYPES["TABLE"])]
        )
        kinds = list(dict.fromkeys(kind for kind, _, _ in TYPES["TABLE"]))
        columns = ", ".join(f"CAST({typed('text', kind)} AS VARCHAR)" for kind in kinds)
        rows = connection.execute(f"SELECT line, {columns} FROM texts").fetchall()
    found = {at: dict(zip(kinds, values, strict=True)) for at, *values in rows}
    return [_told(found[at][kind], kind) for at, (kind, _, _) in enumerate(TYPES["TABLE"])]


def _told(text: str | None, kind: object) -> str | None:
    """A value as the table writes it."""
    if text is None:
        return None
    if kind == Timestamp():
        return f"{dt.datetime.fromisoformat(text).isoformat()}Z"
    return f"0{text}" if text.startswith(".") else text


@pytest.mark.parametrize("at", range(len(TYPES["TABLE"])), ids=TYPES["IDS"])
def test_duckdb_reads_a_text_as_the_table_says(typed_by_duckdb, at):
    assert typed_by_duckdb[at] == TYPES["TABLE"][at][2]


@pytest.fixture(scope="module")
def by_duckdb(judged_by_duckdb):
    """DuckDB's verdicts; the records stand in the file in another order than their numbers'."""
    return judged_by_duckdb(VERDICTS["CONTRACT"], VERDICTS["RECORDS"][::-1], VERDICTS["NOW"])


@pytest.mark.parametrize("at", range(len(VERDICTS["TABLE"])), ids=VERDICTS["IDS"])
def test_duckdb_judges_a_row_as_the_table_says(by_duckdb, at):
    assert by_duckdb[at + 1] == VERDICTS["TABLE"][at][1:]


@pytest.fixture(scope="module")
def evaluated_by_duckdb():
    """For each expression what it is for each row."""
    kinds = EXPRESSIONS["KINDS"]

    def constant(name, value):
        written = "NULL" if value is None else literal(value, kinds[name])
        return f"CAST({written} AS {type_of(kinds[name])}) AS {quoted(name)}"

    def row(at, values):
        return f"SELECT {at} AS row, {', '.join(constant(*each) for each in values.items())}"

    rows = " UNION ALL ".join(row(at, values) for at, values in enumerate(EXPRESSIONS["VALUES"]))
    names = {name: quoted(name) for name in kinds}
    columns = [to_duckdb(tree, names, EXPRESSIONS["NOW"]) for tree in EXPRESSIONS["TREES"].values()]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE rows AS {rows}")
        found = connection.execute(f"SELECT {', '.join(columns)} FROM rows ORDER BY row").fetchall()
    return {sql: [row[at] for row in found] for at, sql in enumerate(EXPRESSIONS["TREES"])}


@pytest.mark.parametrize("sql", EXPRESSIONS["EXPRESSIONS"])
def test_duckdb_gives_what_plain_python_gives(evaluated_by_duckdb, sql):
    tree = EXPRESSIONS["TREES"][sql]
    assert evaluated_by_duckdb[sql] == [evaluate(tree, row, EXPRESSIONS["NOW"]) for row in EXPRESSIONS["VALUES"]]


@settings(max_examples=40, deadline=None)
@given(scale=st.sampled_from([0, 2, 18, 38]), data=st.data())
def test_duckdb_divides_decimals_exactly(scale, data):
    numbers = st.builds(
        lambda sign, digits: decimal.Decimal((sign, tuple(map(int, digits)), -scale)),
        st.integers(0, 1),
        st.from_regex(r"[0-9]{1,38}|9{1,38}|10{0,37}", fullmatch=True),
    )
    pairs = data.draw(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=50))
    kind = Decimal(38, scale)
    tree = expressions.parse("coalesce(a / b, -7) = q", {"a": kind, "b": kind, "q": Decimal(38, 18)})
    quotients = [_quotient(*pair) for pair in pairs]
    rows = ", ".join(
        f"({literal(a, kind)}, {literal(b, kind)}, {literal(q, Decimal(38, 18))})"
        for (a, b), q in zip(pairs, quotients, strict=True)
    )
    names = {name: name for name in "abq"}
    with duckdb.connect() as connection:
        wrong = f"SELECT a, b, q FROM (VALUES {rows}) AS t(a, b, q) WHERE NOT {to_duckdb(tree, names, NOW)}"
        assert connection.execute(wrong).fetchall() == []


def _quotient(left: decimal.Decimal, right: decimal.Decimal) -> decimal.Decimal:
    """With 18 decimals, rounded half away from zero; -7 where there is none of 38 digits."""
    if not right:
        return decimal.Decimal(-7)
    top, bottom = (int("".join(map(str, side.as_tuple().digits))) * (-1) ** side.is_signed() for side in (left, right))
    whole, rest = divmod(abs(top) * 10**18, abs(bottom))
    whole += rest * 2 >= abs(bottom)
    with decimal.localcontext(prec=200):
        value = decimal.Decimal(whole if (top < 0) == (bottom < 0) else -whole).scaleb(-18)
    return value if whole < 10**38 else decimal.Decimal(-7)


@pytest.fixture(scope="module")
def random_keys(key_files):
    return key_files(CONTRACTS["REFERENCES"])


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_contract_gives_any_records_the_reference_s_verdicts(judged_by_duckdb, random_keys, data):
    contract = data.draw(CONTRACTS["contracts"]())
    records = data.draw(CONTRACTS["records"](contract))
    expected = {
        each.record_number: (list(each.reasons), list(each.warnings))
        for each in reference.judge(contract, records, NOW, CONTRACTS["KEYS"])
    }
    assert judged_by_duckdb(contract, records, NOW, random_keys) == expected
