"""Each load leaves the keys of its rows in the lake."""

import datetime as dt
from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rowgate.errors import RowgateError
from rowgate.stages.load import load

NOW = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)


def rows(codes: str) -> dict:
    return {"code": list(codes), "count": pa.array([1] * len(codes), pa.int32())}


def test_a_load_leaves_the_keys_of_its_rows_known_ones_too(items, clean, lake, warehouse):
    load(items(), clean(items(), "one", rows("A")), lake, warehouse, now=NOW)
    run = clean(items(), "two", rows("AB"))
    load(items(), run, lake, warehouse, now=NOW)
    table = pq.read_table(lake.local(run.file("keys", ".parquet")), partitioning=None)
    assert table.to_pydict() == {"code": ["A", "B"]}


def test_a_load_that_is_made_again_leaves_the_same_keys(items, clean, lake, warehouse):
    run = clean(items(), "one", rows("AB"))
    load(items(), run, lake, warehouse, now=NOW)
    before = lake.read_bytes(run.file("keys", ".parquet"))
    load(items(), run, lake, warehouse, now=NOW + dt.timedelta(days=1))
    assert lake.list("keys") == [run.file("keys", ".parquet")]
    assert lake.read_bytes(run.file("keys", ".parquet")) == before


def test_a_load_that_failed_leaves_no_keys(items, clean, lake, warehouse):
    run = clean(items(), "one", rows("a"))  # the table refuses it
    with pytest.raises(RowgateError):
        load(items(), run, lake, warehouse, now=NOW)
    assert lake.list("keys") == []


def test_a_load_whose_keys_could_not_be_written_leaves_them_when_made_again(items, clean, lake, warehouse):
    run = clean(items(), "one", rows("AB"))
    lake.write_bytes("keys", b"a file where the folder should be")
    with suppress(RowgateError):
        load(items(), run, lake, warehouse, now=NOW)
    lake.local("keys").unlink()
    load(items(), run, lake, warehouse, now=NOW)
    assert lake.list("keys") == [run.file("keys", ".parquet")]
