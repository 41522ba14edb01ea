"""A dataset rule gives one number in Spark and in DuckDB, or is refused for DuckDB."""

import datetime as dt
import re

import duckdb
import pytest

from rowgate.errors import UnusableError
from rowgate.targets.duckdb_queries import translated

NOW = dt.datetime(2026, 3, 1, 12, 30, tzinfo=dt.UTC)

ANSWERS = [
    ("SELECT count(*) FROM t", 4),
    ("SELECT COUNT(*) FILTER(WHERE amount IS NULL) / COUNT(*) FROM t", 0.25),
    ("SELECT COUNT(*) - COUNT(DISTINCT word) FROM t", 1),
    ("SELECT count(DISTINCT word, day) FROM t", 3),
    ("SELECT count_if(word = 'a') FROM t", 2),
    ("SELECT sum(CAST(amount IS NULL AS INT)) FROM t", 1),
    ("SELECT count(*) FROM t WHERE word RLIKE '^a'", 2),
    ("SELECT count(*) FROM t WHERE word = 'it''s'", 1),
    ("SELECT DATEDIFF(hour, MAX(day), current_date()) FROM t", 24),
    ("SELECT DATEDIFF(hour, MAX(moment), current_timestamp()) FROM t", 1),
    ("SELECT timestampdiff(MINUTE, max(moment), now()) FROM t", 90),
    ("SELECT datediff(current_date, min(day)) FROM t", 59),
    ("SELECT count(*) FROM t WHERE day >= date_sub(current_date(), 1)", 1),
    ("SELECT count(*) FROM t WHERE moment < TIMESTAMP '2026-03-01 11:00:00'", 1),
    ("SELECT sum(again) FROM (SELECT row_number() OVER (PARTITION BY word ORDER BY day) - 1 AS again FROM t)", 1),
    ("WITH u AS (SELECT word FROM t GROUP BY word HAVING count(*) > 1) SELECT count(*) FROM u", 1),
    ("SELECT count(DISTINCT CURRENT_DATE) FROM t WHERE CURRENT_DATE = DATE '2026-03-01'", 1),
]


ROWS = """VALUES
    (CAST(1.5 AS DECIMAL(8,2)), 'a', DATE '2026-02-28', TIMESTAMP '2026-03-01 11:00:00'),
    (NULL, 'a', DATE '2026-02-01', TIMESTAMP '2026-03-01 10:59:59'),
    (2, 'its', DATE '2026-01-01', NULL), (2, 'é', NULL, NULL)"""
COLUMNS = "amount, word, day, moment"


@pytest.fixture(scope="module", params=["Etc/UTC", "Pacific/Kiritimati"])
def connection(request):
    with duckdb.connect() as made:
        made.execute(f"SET TimeZone = '{request.param}'")
        made.execute(f"CREATE TABLE t AS SELECT * FROM ({ROWS}) AS v({COLUMNS})")
        made.execute("UPDATE t SET word = 'it''s' WHERE word = 'its'")
        yield made


@pytest.mark.parametrize(("sql", "value"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_duckdb_gives_the_number(connection, sql, value):
    assert float(connection.execute(translated(sql, NOW)).fetchone()[0]) == value


@pytest.fixture(scope="module")
def session(spark):
    spark.sql(f"SELECT * FROM {ROWS} AS t({COLUMNS})").replace("its", "it's", ["word"]).createOrReplaceTempView("t")
    yield spark
    spark.catalog.dropTempView("t")


@pytest.mark.parametrize(("sql", "value"), ANSWERS, ids=[sql for sql, _ in ANSWERS])
def test_spark_gives_the_number(session, sql, value):
    from rowgate.targets.spark_clock import frozen

    assert float(session.sql(frozen(sql, NOW)).collect()[0][0]) == value


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT max(dayofweek(day)) FROM t", "DAY_OF_WEEK"),
        ("SELECT approx_count_distinct(word) FROM t", "APPROX_DISTINCT"),
        ("SELECT my_udf(word) FROM t", "my_udf"),
        ("SELECT max(CAST(amount AS INT)) FROM t", "a cast to whole numbers"),
        ("SELECT max(datediff(MONTH, day, moment)) FROM t", "a difference in months"),
        ("SELECT max(amount DIV 2) FROM t", "DIV"),
        ("SELECT count(*) FROM t WHERE word LIKE 'a\\\\_b'", "LIKE with a backslash"),
    ],
)
def test_what_duckdb_means_otherwise_is_refused_by_name(sql, said):
    with pytest.raises(UnusableError, match=re.escape(f"DuckDB does not have {said} as Spark means it")):
        translated(sql, NOW)


@pytest.mark.parametrize("sql", ["DROP TABLE t", "SELECT 1; SELECT 2", "SELECT FROM WHERE"])
def test_what_is_no_query_is_refused(sql):
    with pytest.raises(UnusableError, match=r"it is not a query|cannot be read as one query"):
        translated(sql, NOW)
