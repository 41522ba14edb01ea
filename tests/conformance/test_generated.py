"""Files generated from a contract, judged by the reference."""

import csv
import datetime as dt
import io
import runpy
from pathlib import Path

from hypothesis import HealthCheck, given, reject, settings

from rowgate.errors import UnusableError
from rowgate.stages.generate_any import write_any
from rowgate.targets.reference import Record, judge, normalise

NOW = dt.datetime(2026, 9, 15, tzinfo=dt.UTC)
CONTRACTS = runpy.run_path(str(Path(__file__).with_name("random_contracts.py")))["contracts"]


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(CONTRACTS())
def test_every_row_of_a_clean_file_for_any_contract_keeps_every_rule(contract):
    out = io.BytesIO()
    try:
        write_any(out, contract, rows=5, dirty=0, seed=1, now=NOW)
    except UnusableError:
        reject()  # the drawn rules contradict each other
    rows = list(csv.reader(io.StringIO(out.getvalue().decode(), newline="")))
    records = [
        Record({name: normalise(text) for name, text in zip(rows[0], row, strict=True)}, None, number)
        for number, row in enumerate(rows[1:], start=1)
    ]
    assert [(each.reasons, each.warnings) for each in judge(contract, records, NOW)] == [((), ())] * 5
