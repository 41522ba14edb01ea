"""The tables and queries that are rendered for Athena, on the engine Athena is made of."""

import datetime as dt
import decimal
from collections import Counter
from pathlib import Path

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.contract import catalog
from rowgate.stages.query import asked
from rowgate.targets import athena_tables, saved_queries

CONTRACTS = {each.name: each for each in catalog.load_all(Path(__file__).parents[2] / "contracts")}
QUERIES = [(name, query) for name, contract in CONTRACTS.items() for query in saved_queries.of_contract(contract)]


def added(reports, counts):
    """One of the counts by reason, over every run, without the reasons that nothing broke."""
    total = Counter()
    for report in reports:
        total.update(report[counts])
    return {reason: number for reason, number in total.items() if number}


def plain(value):
    """A value of DuckDB as Trino's JSON has it."""
    match value:
        case dt.datetime():
            rounded = value + dt.timedelta(microseconds=500)  # Trino's timestamps of Hive have milliseconds
            return rounded.isoformat(sep=" ", timespec="milliseconds")
        case dt.date() | decimal.Decimal():
            return str(value)
        case list():
            return [plain(each) for each in value]
        case _:
            return value


@pytest.fixture(scope="session")
def answer(trino):
    """What Trino answers to a saved query of a contract, by its name without the contract's."""

    def ask(contract, name, *values):
        [query] = [each for each in saved_queries.of_contract(CONTRACTS[contract]) if each.name == f"{contract}_{name}"]
        return trino.ask(query.sql, *values)

    return ask


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("zone", ["records", "clean", "rejects", "quality"])
def test_a_table_holds_what_the_reports_say(trino, reports, contract, zone):
    runs = reports[contract]
    [(rows,)] = trino.ask(f"SELECT count(*) FROM {contract}_{zone}")
    assert (
        rows
        == {
            "records": sum(report["total"] for report in runs),
            "clean": sum(report["accepted"] for report in runs if report["outcome"] == "passed"),
            "rejects": sum(report["rejected"] for report in runs),
            "quality": len(runs),
        }[zone]
    )


@pytest.mark.parametrize("contract", CONTRACTS)
@pytest.mark.parametrize("zone", ["records", "clean", "rejects", "quality"])
def test_every_column_of_a_table_can_be_read(trino, contract, zone):
    [table] = [each for each in athena_tables.tables(CONTRACTS[contract]) if each.zone == zone]
    rows = trino.ask(f"SELECT * FROM {table.name} LIMIT 5")
    assert rows
    assert {len(row) for row in rows} == {len(table.columns) + 1}


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_day_is_read_alone(trino, contract):
    """A projected partition: its files are read, and those of another day are not."""
    [(dt_,)] = trino.ask(f"SELECT DISTINCT dt FROM {contract}_records")
    plan = "\n".join(row[0] for row in trino.ask(f"EXPLAIN SELECT * FROM {contract}_records WHERE dt = '{dt_}'"))
    assert f":: [[{dt_}]]" in plan


@pytest.mark.parametrize(("contract", "query"), QUERIES, ids=[query.name for _, query in QUERIES])
def test_a_saved_query_says_the_same_here_as_in_rowgate_query(trino, state, reports, contract, query):
    values = ()
    if query.asks == ("the reason",):
        values = (max(added(reports[contract], "rejected_by_reason").items(), key=lambda each: each[1])[0],)
    elif query.asks:
        column = query.asks[0].removeprefix("the ")
        values = trino.ask(f'SELECT max("{column}") FROM {contract}_rejects')[0]
    tables = {table.name: table for table in athena_tables.tables(CONTRACTS[contract])}
    with asked(query.sql, tables, open_lake(f"file://{state / 'lake'}"), values=values) as here:
        expected = [tuple(map(plain, row)) for row in here.rows]
    found = trino.ask(query.sql, *values)
    assert found == expected
    broken, rejected = (
        sum(added(reports[contract], name).values()) for name in ("violations_by_reason", "rejected_by_reason")
    )
    assert found or (query.name == f"{contract}_broke_several_rules" and broken == rejected)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_rejections_by_reason_are_the_reports(answer, reports, contract):
    found = {reason: (first, every) for reason, first, every in answer(contract, "rejections_by_reason")}
    first = added(reports[contract], "rejected_by_reason")
    every = added(reports[contract], "violations_by_reason")
    assert found == {reason: (first.get(reason, 0), number) for reason, number in every.items()}


@pytest.mark.parametrize("contract", CONTRACTS)
def test_rejections_by_day_are_the_reports(answer, reports, contract):
    found = Counter()
    for _, reason, number in answer(contract, "rejections_by_day"):
        found[reason] += number
    assert found == added(reports[contract], "rejected_by_reason")


@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_accept_rate_is_the_reports(answer, reports, contract):
    runs = reports[contract]
    rows = answer(contract, "accept_rate_over_time")
    assert [sum(column) for column in list(zip(*rows, strict=True))[1:6]] == [
        len(runs),
        sum(report["outcome"] == "stopped" for report in runs),
        *(sum(report[name] for report in runs) for name in ("total", "accepted", "rejected")),
    ]
    assert all(rate == pytest.approx(accepted / total) for _, _, _, total, accepted, _, rate in rows)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_trend_adds_up_to_the_reports(answer, reports, contract):
    found = {(source, total, rejected) for source, _, total, rejected, *_ in answer(contract, "trend_by_source")}
    sources = {report["source"] for report in reports[contract]}
    assert found == {
        (
            source,
            sum(report["total"] for report in reports[contract] if report["source"] == source),
            sum(report["rejected"] for report in reports[contract] if report["source"] == source),
        )
        for source in sources
    }


@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_rejected_records_of_a_reason_are_as_many_as_the_reports_say(answer, reports, contract):
    for reason, number in added(reports[contract], "rejected_by_reason").items():
        assert len(answer(contract, "rejected_records", reason)) == min(number, 1000)


def test_a_record_of_a_stopped_run_was_accepted_and_is_not_in_the_warehouse(answer, trino):
    [(order,)] = trino.ask(
        "SELECT min(records.order_id) FROM till_orders_records AS records JOIN till_orders_quality AS quality "
        "ON quality.run_id = records.run_id AND quality.outcome = 'stopped' LEFT JOIN till_orders_rejects AS rejects "
        "ON rejects.run_id = records.run_id AND rejects.record_number = records.record_number "
        "WHERE rejects.run_id IS NULL"
    )
    outcomes = {row[3] for row in answer("till_orders", "why_not_in_warehouse", order)}
    assert "accepted, but the run was stopped" in outcomes
