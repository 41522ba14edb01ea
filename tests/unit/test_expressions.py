"""What an expression may hold, and what it means."""

import datetime as dt
import re

import pytest

from rowgate.contract import expressions
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.contract.values import typed
from rowgate.errors import ContractError
from rowgate.targets.postgres_expressions import to_postgres
from rowgate.targets.reference_expressions import evaluate
from rowgate.targets.spark_expressions import to_spark
from rowgate.targets.support import NotEnforcedError

COLUMNS = {
    "n": Integer(32),
    "big": Integer(64),
    "amount": Decimal(18, 2),
    "long": Decimal(38, 0),
    "word": Text(),
    "day": Date(),
    "at": Timestamp(),
    "ok": Boolean(),
}
NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def result(sql: str, **texts: str) -> bool | None:
    values = {name: typed(texts[name], kind) if name in texts else None for name, kind in COLUMNS.items()}
    return evaluate(expressions.parse(sql, COLUMNS), values, NOW)


@pytest.mark.parametrize(
    ("sql", "texts", "expected"),
    [
        # three-valued logic
        ("n > 0", {}, None),
        ("n > 0 OR ok", {"ok": "true"}, True),
        ("n > 0 AND ok", {"ok": "false"}, False),
        ("n > 0 AND ok", {"ok": "true"}, None),
        ("NOT n > 0", {}, None),
        ("n IS NULL", {}, True),
        ("n IS NOT NULL", {"n": "1"}, True),
        ("n IN (1, big)", {"n": "1"}, True),
        ("n IN (2, big)", {"n": "1"}, None),
        ("n NOT IN (2, 3)", {"n": "1"}, True),
        ("n BETWEEN 1 AND big", {"n": "0"}, False),
        ("n NOT BETWEEN 1 AND 3", {"n": "4"}, True),
        # numbers
        ("n / 2 = 2.5", {"n": "5"}, True),
        ("1 / n = 0.333333333333333333", {"n": "3"}, True),
        ("-2 / n = -0.666666666666666667", {"n": "3"}, True),
        ("n / 0 > 0", {"n": "3"}, None),
        ("n % 0 > 0", {"n": "3"}, None),
        ("n % 2 = -1", {"n": "-3"}, True),
        ("big + 1 > 0", {"big": "9223372036854775807"}, None),
        ("big - 1 < 0", {"big": "-9223372036854775808"}, None),
        ("big * big > 0", {"big": "9000000000"}, None),
        ("-big > 0", {"big": "-9223372036854775808"}, None),
        ("abs(big) > 0", {"big": "-9223372036854775808"}, None),
        ("n * n > 0", {"n": "2147483647"}, True),
        ("long + 1 > 0", {"long": "9" * 38}, None),
        ("abs(long) = 99999999999999999999999999999999999999", {"long": "-" + "9" * 38}, True),
        ("long > 0.5", {"long": "9" * 38}, None),
        ("amount * amount = 0.0001", {"amount": "0.01"}, True),
        ("amount + 0.001 = 0.011", {"amount": "0.01"}, True),
        ("amount = 7", {"amount": "7"}, True),
        ("amount < 1e3", {"amount": "999.99"}, True),
        ("abs(n - 3) = 4", {"n": "-1"}, True),
        # texts
        ("length(word) = 2", {"word": "a\U0001f926"}, True),
        ("upper(word) = 'ΑΣΣ'", {"word": "ασς"}, True),
        ("lower(word) = 'ασ'", {"word": "ΑΣ"}, True),  # noqa: RUF001 - Greek
        ("upper(word) = 'STRAßE'", {"word": "straße"}, True),
        ("substring(word, 2, 2) = 'bc'", {"word": "abcd"}, True),
        ("substring(word, 3) = 'cd'", {"word": "abcd"}, True),
        ("substring(word, 9) = ''", {"word": "abcd"}, True),
        ("word LIKE 'a%'", {"word": "a\nb"}, True),
        ("word LIKE 'a_'", {"word": "abc"}, False),
        (r"word LIKE 'a\\_'", {"word": "ab"}, False),
        (r"word LIKE 'a\\_'", {"word": "a_"}, True),
        ("word NOT LIKE 'a%'", {"word": "b"}, True),
        ("word < 'a'", {"word": "Z"}, True),
        ("word = 'it''s'", {"word": "it's"}, True),
        ("CASE word WHEN 'x' THEN 1 ELSE n END = 1", {"word": "x"}, True),
        ("CASE WHEN n > 0 THEN 'pos' END = 'pos'", {"n": "0"}, None),
        ("coalesce(n, amount, 0) = 1.5", {"amount": "1.5"}, True),
        # dates
        ("day >= '2020-01-01'", {"day": "2020-01-01"}, True),
        ("'2020-01-01' <= day", {"day": "2019-12-31"}, False),
        ("day = DATE '2020-02-29'", {"day": "2020-02-29"}, True),
        ("day <= current_date()", {"day": "2026-12-01"}, False),
        ("day <= current_date", {"day": "2026-11-30"}, True),
        ("at <= current_timestamp()", {"at": "2026-11-30 12:00"}, True),
        ("at < current_date", {"at": "2026-11-29 23:59:59.999999"}, True),
        ("at >= '2020-01-01'", {"at": "2020-01-01T01:00+01:00"}, True),
        ("at = '2020-01-01 00:00:00.5Z'", {"at": "2020-01-01T00:00:00.5"}, True),
        ("day - '2020-01-01' = 59", {"day": "2020-02-29"}, True),
        ("datediff(current_date(), day) = 1", {"day": "2026-11-29"}, True),
        ("datediff(DAY, day, current_date()) = 1", {"day": "2026-11-29"}, True),
        ("datediff(current_date(), at) = 0", {"at": "2026-11-30T23:30:00+00:00"}, True),
        ("date_add(day, 1) = '2020-03-01'", {"day": "2020-02-29"}, True),
        ("date_sub(day, n) = '2020-02-28'", {"day": "2020-02-29", "n": "1"}, True),
        ("day + INTERVAL 1 DAY = '2020-03-01'", {"day": "2020-02-29"}, True),
        ("day - INTERVAL '29' DAYS = '2020-01-31'", {"day": "2020-02-29"}, True),
        ("day + 1 = '2020-03-01'", {"day": "2020-02-29"}, True),
        ("day + 1 > day", {"day": "9999-12-31"}, None),
        ("day - big < day", {"day": "2020-01-01", "big": "9223372036854775807"}, None),
        ("DAY > '2020-01-01'", {"day": "2020-01-02"}, True),
    ],
)
def test_an_expression_gives(sql, texts, expected):
    assert result(sql, **texts) is expected


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("sum(n) > 0", "SUM is not among"),
        ("my_own(n) > 0", "the function my_own"),
        ("round(amount) = 1", "ROUND"),
        ("CAST(n AS STRING) = 'a'", "CAST"),
        ("n::string = 'a'", "CAST"),
        ("word || 'a' = 'b'", "'||'"),
        ("n DIV 2 = 1", "DIV"),
        ("n <=> 1", "'<=>'"),
        ("word RLIKE 'a'", "RLIKE"),
        ("word ILIKE 'a'", "ILIKE"),
        ("word LIKE 'a' ESCAPE '!'", "ESCAPE"),
        ("word LIKE word", "LIKE"),
        (r"word LIKE 'a\\b'", "backslash"),
        ("n IN (SELECT 1)", "a query inside"),
        ("n IN ()", "empty list"),
        ("n = NULL", "IS NULL"),
        ("n IN (1, NULL)", "IS NULL"),
        ("ok IS TRUE", "[NOT] NULL"),
        ("t.n > 0", "table's name"),
        ("if(ok, 1, 2) = 1", "IF"),
        ("substring(word, 0) = 'a'", "from 1"),
        ("substring(word, -1) = 'a'", "from 1"),
        ("datediff(month, day, day) > 1", "month"),
        ("day + INTERVAL 1 MONTH > day", "days"),
        ("at + INTERVAL 1 DAY > at", "timestamp"),
        ("current_user = 'a'", "CURRENT_USER"),
        ("word = 'a' 'b'", "side by side"),
        ("word = 5", "the number 5 beside text"),
        ("n > '5'", "text"),
        ("n + word > 1", "number"),
        ("length(n) > 1", "length needs a text"),
        ("abs(word) > 1", "abs needs a number"),
        ("n AND ok", "AND needs a condition"),
        ("NOT n", "NOT needs a condition"),
        ("n + 1", "needs a condition"),
        ("ok < TRUE", "order"),
        ("day > 5", "date"),
        ("word > day", "date"),
        ("day >= '2020-13-01'", "2020-13-01"),
        ("day >= 'yesterday'", "write it like"),
        ("amout > 0", "did you mean amount"),
        ("\"word\" <> 'x'", '"word" is a text here; for the column write `word` in backticks'),
        ('"WORD" <> word', '"WORD" is a text here'),
        ("\"amount paid\" <> 'x'", "compares no column; a column's name stands alone or in backticks"),
        ("n > 1 AND 'a' IN ('a', 'b')", "'a' IN ('a', 'b') compares no column"),
        ("1 = 1", "1 = 1 compares no column"),
        ("n > 1 OR 1 BETWEEN 0 AND 2", "compares no column"),
        ("current_date() > '2020-01-01'", "compares no column"),
        ("TRUE", "it names no column"),
        ("zzz > 0", "no column"),
        ("amount * 1e-37 > 0", "decimals"),
        ("n > 1e-50", "38 digits"),
        ("n >", "cannot be read"),
        ("", "cannot be read"),
        ("SELECT 1", "cannot be read"),
        ("n > 1; n < 2", "BLOCK"),
        ("(n > 1", "cannot be read"),
        ("word = 'a", "cannot be read"),
        ("(" * 3000 + "ok" + ")" * 3000, "too deep"),
    ],
)
def test_what_an_expression_cannot_hold_is_named(sql, why):
    with pytest.raises(ContractError, match=re.escape(why)):
        expressions.parse(sql, COLUMNS)


def test_a_tree_names_each_column_once_as_the_contract_spells_it():
    assert expressions.parse("N > 0 AND amount > n", COLUMNS).columns == ("n", "amount")


@pytest.mark.parametrize(
    ("sql", "clock"), [("day < current_date", True), ("at < current_timestamp()", True), ("ok", False)]
)
def test_a_tree_knows_whether_it_looks_at_the_clock(sql, clock):
    assert expressions.parse(sql, COLUMNS).clock is clock


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("amount > 0", "((T.amount) > 0.00BD)"),
        ("n + 1 > 0", "(try_add(CAST(T.n AS BIGINT), 1L) > 0L)"),
        ("day <= current_date()", "((T.day) <= DATE '2026-11-30')"),
        ("at <= current_timestamp", "((T.at) <= TIMESTAMP_LTZ '2026-11-30 12:00:00.000000Z')"),
        ("word = 'it''s ${x}'", r"((T.word) = 'it\'s \u0024{x}')"),
        (
            "amount / n > 2",
            (
                "(try_divide(CAST((T.amount) AS DECIMAL(38,2)), CAST(TRY_CAST(CAST(T.n AS BIGINT) AS DECIMAL(12,2)) "
                "AS DECIMAL(38,2))) > 2.000000000000000000BD)"
            ),
        ),
    ],
)
def test_spark_is_told(sql, expected):
    assert to_spark(expressions.parse(sql, COLUMNS), {name: f"T.{name}" for name in COLUMNS}, NOW) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("amount > 0 AND amount < 1000000", "((amount > 0.00) AND (amount < 1000000.00))"),
        ("n + 1 > 0", "(((n)::numeric + (1)::numeric) > 0)"),
        ("word < 'it''s'", "(word COLLATE \"C\" < 'it''s')"),
        ("day >= '2020-01-01'", "(day >= DATE '2020-01-01')"),
        ("at >= '2020-01-01'", "(at >= TIMESTAMPTZ '2020-01-01 00:00:00+00:00')"),
        ("word LIKE 'a%' OR word IN ('b', 'c')", "((word LIKE 'a%') OR (word IN ('b', 'c')))"),
    ],
)
def test_postgres_is_told(sql, expected):
    assert to_postgres(expressions.parse(sql, COLUMNS), {name: name for name in COLUMNS}) == expected


@pytest.mark.parametrize("sql", ["day <= current_date()", " AND ".join(["upper(word) = 'A'"] * 40)])
def test_a_constraint_that_cannot_be_is_not_enforced(sql):
    with pytest.raises(NotEnforcedError):
        to_postgres(expressions.parse(sql, COLUMNS), {name: name for name in COLUMNS})
