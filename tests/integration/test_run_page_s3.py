"""The page of a run whose lake is on S3."""

import datetime as dt
import io

from rowgate.contract.checks import Between
from rowgate.contract.model import Column, Contract, FieldRule
from rowgate.contract.types import Integer
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.run import Run
from rowgate.stages.run_page import gather

TOY = Contract("toy", "1.0.0", "us", (Column("n", Integer(32)),), (FieldRule("n", Between(0, 9), "n_wrong"),))


def test_examples_are_read_from_s3_and_zones_are_named_without_a_link(s3_server):
    lake = s3_server.lake(f"s3://{s3_server.bucket()}/a lake")
    run = Run("toy", "r1", dt.datetime(2026, 3, 1, tzinfo=dt.UTC))
    ingest(TOY, run, Source("toy.csv", lambda: io.BytesIO(b"n\n1\n99\n")), lake)
    page = gather(transform_duckdb(TOY, run, lake, now=run.run_after), run, lake, TOY, None)
    assert page.reasons[1].examples == ("99",)
    assert [(place.zone, place.files, place.link) for place in page.places] == [
        ("raw", 2, ""),
        ("records", 1, ""),
        ("rejects", 1, ""),
        ("clean", 1, ""),
        ("quality", 1, ""),
    ]
