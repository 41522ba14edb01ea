"""The clock of a dataset rule stands still."""

import datetime as dt

import pytest

from rowgate.targets.spark_clock import frozen

NOW = dt.datetime(2026, 3, 1, 1, 30, tzinfo=dt.timezone(dt.timedelta(hours=2)))
MOMENT = "timestamp_micros(1772321400000000L)"


@pytest.mark.parametrize(
    ("sql", "stopped"),
    [
        (
            "SELECT datediff(HOUR, max(d), current_date()) FROM {table}",
            "SELECT datediff(HOUR, max(d), DATE'2026-02-28') FROM {table}",
        ),
        ("SELECT CURRENT_DATE - 1", "SELECT DATE'2026-02-28' - 1"),
        ("SELECT curdate(), 1", "SELECT DATE'2026-02-28', 1"),
        ("SELECT now( ) > current_timestamp", f"SELECT {MOMENT} > {MOMENT}"),
        ("SELECT now, t.current_date, 'now()', `current_date`", "SELECT now, t.current_date, 'now()', `current_date`"),
        ("SELECT 1 -- current_date", "SELECT 1 -- current_date"),
    ],
)
def test_only_the_clock_is_replaced(sql, stopped):
    assert frozen(sql, NOW) == stopped
