"""Loads that cannot be, and loads that meet: nothing is left behind, and every row is accounted for."""

import datetime as dt
import threading

import pyarrow as pa
import pytest

from rowgate.adapters.warehouse import Connection, connect
from rowgate.embedded import postgres as server
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages import load as stage
from rowgate.stages.load import load
from rowgate.stages.report import Load
from rowgate.targets import postgres

NOW = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)
INT = pa.int32()


def rows(codes: str, counts: list[int | None]) -> dict:
    return {"code": list(codes), "count": pa.array(counts, INT)}


def test_a_contract_without_a_key_is_refused(items, clean, lake, warehouse):
    with pytest.raises(UnusableError, match="The contract items has no key"):
        load(items(key=None), clean(items(), "one"), lake, warehouse, now=NOW)


def test_a_clean_zone_without_success_is_refused(items, clean, lake, warehouse):
    run = clean(items(), "one", rows("A", [1]))
    lake.local(f"{run.folder('clean')}/_SUCCESS").unlink()
    with pytest.raises(RowgateError, match="are missing or not whole; clear 'transform'"):
        load(items(), run, lake, warehouse, now=NOW)


def test_a_clean_zone_without_a_column_is_refused_by_its_name(items, clean, lake, warehouse):
    run = clean(items(), "one", {"code": ["A"]})
    with pytest.raises(RowgateError, match="have no column count"):
        load(items(), run, lake, warehouse, now=NOW)


def test_a_file_that_is_not_parquet_is_refused_and_leaves_nothing(items, clean, lake, warehouse, ask):
    run = clean(items(), "one", rows("A", [1]))
    lake.write_bytes(f"{run.folder('clean')}/part-1.parquet", b"no parquet")
    with pytest.raises(RowgateError, match="is not whole Parquet"):
        load(items(), run, lake, warehouse, now=NOW)
    assert ask("SELECT to_regclass('warehouse.items'), to_regnamespace('warehouse')") == [(None, None)]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("DROP COLUMN count", "has no column count"),
        ("ALTER COLUMN count TYPE text", "has a column count of type text, not integer"),
        ("ADD COLUMN colour text NOT NULL", "demands a column colour, which the contract does not load"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_by_its_column(items, clean, lake, warehouse, ask, change, what):
    ask(postgres.render(items()))
    ask("ALTER TABLE warehouse.items DROP CONSTRAINT bad_count")
    ask(f"ALTER TABLE warehouse.items {change}")
    with pytest.raises(UnusableError, match=what):
        load(items(), clean(items(), "one", rows("A", [1])), lake, warehouse, now=NOW)


def test_a_table_with_a_column_more_that_may_be_null_takes_the_load(items, clean, lake, warehouse, ask):
    ask(postgres.render(items()))
    ask("ALTER TABLE warehouse.items ADD COLUMN note text")
    assert load(items(), clean(items(), "one", rows("A", [1])), lake, warehouse, now=NOW) == Load(1, 0, 0, 0)


def test_a_row_that_the_table_refuses_undoes_the_whole_load(items, clean, lake, warehouse, ask):
    load(items(), clean(items(), "one", rows("A", [1])), lake, warehouse, now=NOW)
    run = clean(items(), "two", rows("BC", [5, 500]))
    with pytest.raises(UnusableError, match=r"warehouse\.items forbids it by bad_count"):
        load(items(), run, lake, warehouse, now=NOW)
    assert ask("SELECT code FROM warehouse.items") == [("A",)]


def test_two_loads_of_the_same_keys_at_once_both_end_and_account_for_every_row(items, clean, lake, settings, ask):
    contract = items("update")
    codes = [chr(65 + i // 26 % 26) + chr(65 + i % 26) + "X" * (i // 676) for i in range(4000)]
    counts = pa.array([1] * 4000, INT)
    runs = [
        clean(contract, "up", {"code": codes, "count": counts}),
        clean(contract, "down", {"code": codes[::-1], "count": pa.array([2] * 4000, INT)}),
    ]
    figures: dict[str, Load] = {}

    def work(run):
        with connect(settings) as connection:
            figures[run.run_id] = load(contract, run, lake, connection, now=NOW)

    threads = [threading.Thread(target=work, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((each.inserted, each.updated) for each in figures.values()) == [(0, 4000), (4000, 0)]
    assert ask("SELECT count(*) FROM warehouse.items") == [(4000,)]


def test_two_contracts_that_both_make_the_schema_at_once_both_load(items, clean, lake, settings):
    others = [items(), items(), items()]
    for number, contract in enumerate(others):
        object.__setattr__(contract, "name", f"items_{number}")
    runs = [clean(contract, "one", rows("A", [1])) for contract in others]
    figures = []

    def work(contract, run):
        with connect(settings) as connection:
            figures.append(load(contract, run, lake, connection, now=NOW))

    threads = [threading.Thread(target=work, args=pair) for pair in zip(others, runs, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert figures == [Load(1, 0, 0, 0)] * 3


def test_a_server_that_stops_in_the_middle_is_one_sentence_and_the_next_load_is_right(
    items, clean, lake, tmp_path, monkeypatch
):
    folder = tmp_path / "server"
    found = server.start(folder, fsync=False)
    try:
        run = clean(items(), "one", rows("AB", [1, 2]))
        upsert = stage._upsert

        def stopping(*arguments):
            server.stop(folder)
            return upsert(*arguments)

        monkeypatch.setattr(stage, "_upsert", stopping)
        settings = settings_of(found)
        with (
            pytest.raises(RowgateError, match="The warehouse went away while loading items"),
            connect(settings) as connection,
        ):
            load(items(), run, lake, connection, now=NOW)
        monkeypatch.undo()
        with connect(settings_of(server.start(folder, fsync=False))) as connection:
            assert load(items(), run, lake, connection, now=NOW) == Load(2, 0, 0, 0)
    finally:
        server.stop(folder)


def settings_of(found):
    return Connection(found.host, found.port, found.user, found.password, "warehouse")
