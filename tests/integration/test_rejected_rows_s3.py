"""A look at rejected rows on a lake that is on S3."""

import datetime as dt
import io

from rowgate.contract.checks import Between
from rowgate.contract.model import Column, Contract, FieldRule
from rowgate.contract.types import Integer
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.rejected_rows import RejectedRow, rejected_rows
from rowgate.stages.run import Run

TOY = Contract("toy", "1.0.0", "us", (Column("n", Integer(32)),), (FieldRule("n", Between(0, 9), "bad_n"),))


def test_rejected_rows_on_s3_are_read_like_those_in_a_folder(s3_server):
    lake = s3_server.lake(f"s3://{s3_server.bucket()}/a lake")
    run = Run("toy", "a run", dt.datetime(2026, 5, 1, tzinfo=dt.UTC))
    ingest(TOY, run, Source("toy.csv", lambda: io.BytesIO(b"n\n1\n10\n")), lake)
    transform_duckdb(TOY, run, lake, now=run.run_after)
    assert rejected_rows(TOY, run, lake).rows == (RejectedRow(2, ("bad_n",), ("10", None)),)
