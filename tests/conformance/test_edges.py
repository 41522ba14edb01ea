"""The table of edges, judged by the engines that read texts: the reference and DuckDB."""

import runpy
from pathlib import Path

from rowgate.targets import reference
from rowgate.targets.reference import Record

TABLE = runpy.run_path(str(Path(__file__).with_name("edges.py")))
CONTRACT, EDGES, NOW = TABLE["CONTRACT"], TABLE["EDGES"], TABLE["NOW"]
READABLE = [edge for edge in EDGES if edge.readable]
RECORDS = [Record(edge.fields(f"k{at}"), None, at) for at, edge in enumerate(READABLE, 1)]
EXPECTED = {str(edge): [] if edge.good else [edge.reason] for edge in READABLE}


def test_the_reference_gives_every_edge_the_verdict_of_the_table():
    verdicts = reference.judge(CONTRACT, RECORDS, NOW)
    assert {str(edge): list(each.reasons) for edge, each in zip(READABLE, verdicts, strict=True)} == EXPECTED


def test_duckdb_gives_every_edge_the_verdict_of_the_table(judged_by_duckdb):
    verdicts = judged_by_duckdb(CONTRACT, RECORDS, NOW)
    assert {str(edge): verdicts[at][0] for at, edge in enumerate(READABLE, 1)} == EXPECTED
