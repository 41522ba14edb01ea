"""An expression gives the same in plain Python, Spark and Postgres."""

import datetime as dt

import psycopg2
import pytest

from rowgate.contract import expressions
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import typed
from rowgate.targets import postgres_expressions, spark_expressions
from rowgate.targets.reference_expressions import evaluate

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)

COLUMNS = {
    "n": (Integer(32), "INT", "integer"),
    "big": (Integer(64), "BIGINT", "bigint"),
    "amount": (Decimal(18, 2), "DECIMAL(18,2)", "numeric(18,2)"),
    "long": (Decimal(38, 10), "DECIMAL(38,10)", "numeric(38,10)"),
    "whole": (Decimal(38, 0), "DECIMAL(38,0)", "numeric(38,0)"),
    "part": (Decimal(38, 38), "DECIMAL(38,38)", "numeric(38,38)"),
    "word": (Text(), "STRING", "text"),
    "other": (Text(), "STRING", "text"),
    "day": (Date(), "DATE", "date"),
    "at": (Timestamp(), "TIMESTAMP", "timestamptz"),
    "ok": (Boolean(), "BOOLEAN", "boolean"),
}
KINDS = {name: kind for name, (kind, _, _) in COLUMNS.items()}
NINES = "9" * 28 + "." + "9" * 10

ROWS = [
    (
        "1",
        "7",
        "0.01",
        "0.0000000001",
        "12",
        "0." + "0" * 37 + "1",
        "a",
        "ab",
        "2020-02-29",
        "2020-01-01T00:00Z",
        "true",
    ),
    ("0", "0", "0", "0", "0", "0", "Ab%", "a_b", "0001-01-01", "0001-01-01T00:00Z", "false"),
    ("-1", "-7", "-2.5", "-3.3333333333", "-5", "-0.5", "ß", "ΑΣ", "1969-12-31", "1969-12-31T23:59:59.5Z", "true"),
    (
        "2147483647",
        "9223372036854775807",
        "9999999999999999.99",
        NINES,
        "9" * 38,
        "0." + "9" * 38,
        "ας",
        "\U0001f926x",
        "9999-12-31",
        "9999-12-31T23:59:59.999999Z",
        "false",
    ),
    (
        "-2147483648",
        "-9223372036854775808",
        "-9999999999999999.99",
        "-" + NINES,
        "-" + "9" * 38,
        "-0." + "9" * 38,
        "a\\b",
        "a\nb",
        "1582-10-10",
        "2020-01-01T00:00:00.000001Z",
        None,
    ),
    (None,) * 11,
    ("3", None, "7", None, "3", None, "Z", "it's", None, "2026-11-29T23:00", "true"),
]
VALUES = [
    {name: None if text is None else typed(text, KINDS[name]) for name, text in zip(COLUMNS, row, strict=True)}
    for row in ROWS
]

EXPRESSIONS = [
    "n + 2147483647 > 2147483648",
    "big + 1 > 0",
    "big - 1 < 0",
    "big * big > 0",
    "-big > 0",
    "abs(big) > 0",
    "abs(n) > 0",
    "big % 2 = -1",
    "big / 2 > 3",
    "n / big < 1",
    "1 / n = 0.333333333333333333",
    "-2 / n = -0.666666666666666667",
    "amount / (n - 1) > 1",
    "amount / amount = 1",
    "amount / long > 0",
    "amount * amount > 0",
    "amount * long * amount > 0",
    "long + long > 0",
    "long + 0.0000000001 > 0",
    "-long < 0",
    "abs(long) > 1",
    "-whole < 0",
    "abs(whole) > 1",
    "whole > 0.5",
    "whole / 3 > 1",
    "whole % 7 > 0",
    "whole = n",
    "-part < 0",
    "abs(part) > 0.5",
    "n IN (part, 1, 2.5)",
    "n BETWEEN part AND whole",
    "amount > 0 AND amount < 1000000 OR ok",
    "NOT (ok AND n > 0)",
    "ok IS NULL OR NOT ok",
    "CASE WHEN n > 0 THEN amount WHEN ok THEN 0 END >= 0",
    "CASE n WHEN 1 THEN 'one' WHEN 3 THEN word ELSE other END = word",
    "coalesce(amount, n, 0.5) > 0.25",
    "length(word) = 2",
    "upper(word) <> word",
    "lower(other) = 'ασ'",  # noqa: RUF001 - Greek
    "substring(other, 2, 1) = 'b'",
    "substring(word, 2) = ''",
    "word LIKE 'a%'",
    "word LIKE '_'",
    r"other LIKE 'a\\_b'",
    r"word LIKE 'a\\\\b'",
    "other NOT LIKE '%b'",
    "word < other",
    "word < 'a'",
    "other = 'it''s'",
    "word IN ('a', 'Z', other)",
    "day >= '2020-01-01'",
    "at >= '2020-01-01'",
    "at > '2020-01-01 00:00:00Z'",
    "at < day",
    "day - '2020-01-01' > 0",
    "datediff(at, day) > 0",
    "day + 1 > day",
    "day - n < day",
    "date_add(day, big) > day",
    "date_sub(day, 1) < day",
    "day + INTERVAL 30 DAYS > '2020-03-29'",
    "day <= current_date()",
    "at <= current_timestamp()",
    "at < current_date - 1",
    "datediff(current_date(), at) = 1",
]
TREES = {sql: expressions.parse(sql, KINDS) for sql in EXPRESSIONS}


@pytest.fixture(scope="module")
def plain():
    return {sql: [evaluate(tree, row, NOW) for row in VALUES] for sql, tree in TREES.items()}


@pytest.fixture(scope="module", params=["compiled", "interpreted"])
def in_spark(spark, request):
    def literal(name, value):
        written = "NULL" if value is None else spark_expressions.literal(value)
        return f"CAST({written} AS {COLUMNS[name][1]})"

    rows = ", ".join(
        f"({number}, {', '.join(literal(name, value) for name, value in row.items())})"
        for number, row in enumerate(VALUES)
    )
    values = spark.sql(f"SELECT * FROM VALUES {rows} AS t(number, {', '.join(COLUMNS)}) ORDER BY number").coalesce(1)
    if request.param == "compiled":  # rows that stand in the query are computed while it is planned
        values = values.cache()
    names = {name: name for name in COLUMNS}
    columns = [f"{spark_expressions.to_spark(tree, names, NOW)} AS c{n}" for n, tree in enumerate(TREES.values())]
    found = values.selectExpr(*columns).collect()
    return {sql: [row[n] for row in found] for n, sql in enumerate(TREES)}


@pytest.fixture(scope="module")
def in_postgres(warehouse_server):
    def literal(value):
        return "NULL" if value is None else postgres_expressions.literal(value)

    names = {name: f'"{name}"' for name in COLUMNS}
    clear = {sql: tree for sql, tree in TREES.items() if not tree.clock}
    columns = ", ".join(postgres_expressions.to_postgres(tree, names) for tree in clear.values())
    rows = ", ".join(f"({number}, {', '.join(map(literal, row.values()))})" for number, row in enumerate(VALUES))
    types = ", ".join(f'"{name}" {written}' for name, (_, _, written) in COLUMNS.items())
    connection = psycopg2.connect(warehouse_server.url("postgres"))
    try:
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE TEMP TABLE t (number int, {types}); INSERT INTO t VALUES {rows}")
            cursor.execute(f"SELECT {columns} FROM t ORDER BY number")
            found = cursor.fetchall()
    finally:
        connection.close()
    return {sql: [row[n] for row in found] for n, sql in enumerate(clear)}


@pytest.mark.parametrize("sql", EXPRESSIONS)
def test_spark_gives_what_plain_python_gives(sql, plain, in_spark):
    assert in_spark[sql] == plain[sql]


@pytest.mark.parametrize("sql", [sql for sql, tree in TREES.items() if not tree.clock])
def test_postgres_gives_what_plain_python_gives(sql, plain, in_postgres):
    assert in_postgres[sql] == plain[sql]


@pytest.mark.parametrize("sql", EXPRESSIONS)
def test_each_expression_tells_rows_apart(sql, plain):
    assert len(set(plain[sql])) > 1
