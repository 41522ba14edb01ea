"""Every shared case with a file to judge gets its verdict from a check, on either engine."""

import json
import os
import runpy
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rowgate.contract.catalog import find
from rowgate.errors import UnusableError
from rowgate.stages.check import check

PROJECT = Path(__file__).resolve().parents[2]
FILE = Path(os.environ.get("ROWGATE_CASES", PROJECT.parent / "shared" / "cases"), "cases.py")
CASES = runpy.run_path(str(FILE))["CASES"] if FILE.is_file() else []
JUDGED = [case for case in CASES if case[3]["exit"] != 2]
REFUSED = [case for case in CASES if case[3]["exit"] == 2]


def test_the_shared_cases_are_there(cases):
    assert len(JUDGED) > 20


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
@pytest.mark.parametrize(
    ("contract", "data", "expect"), [case[1:] for case in JUDGED], ids=[case[0] for case in JUDGED]
)
def test_a_case_gets_its_verdict(request, tmp_path, engine, contract, data, expect):
    spark = request.getfixturevalue("spark") if engine == "spark" else None
    folder = tmp_path / "a folder, it's Ωδε"
    folder.mkdir()
    source = folder / f"in{expect.get('suffix', '.csv')}"
    source.write_bytes(data)
    clean, rejects = folder / "clean.jsonl", folder / "rejects.jsonl"
    named = find(contract, PROJECT / "contracts")
    report = check(named, source, engine=engine, now=datetime.now(UTC), clean=clean, rejects=rejects, spark=spark)
    accepted, rejected = _lines(clean), _lines(rejects)
    found = {
        "exit": int(bool(report.rejected or report.breaches)),
        "counts": (report.total, report.accepted, report.rejected),
        "first": {reason: rows for reason, rows in report.rejected_by_reason.items() if rows},
        "all": {reason: rows for reason, rows in report.violations_by_reason.items() if rows},
        "reasons": {str(next(iter(row.values()))): row["rejection_reasons"] for row in rejected},
        "numbers": [row["record_number"] for row in accepted],
        "clean": [
            {name: None if row.get(name) is None else str(row[name]) for name in want}
            for row, want in zip(accepted, expect.get("clean", []), strict=False)
        ],
        "breach": [word for word in expect.get("breach", []) if word.lower() in " ".join(report.breaches).lower()],
    }
    assert {name: value for name, value in found.items() if name in expect} == {
        name: value for name, value in expect.items() if name in found
    }
    assert (len(accepted), len(rejected)) == (report.accepted, report.rejected)
    assert not [word for word in expect.get("unsaid", []) if word in report.to_json()]


@pytest.mark.parametrize(("contract", "expect"), [(case[1], case[3]) for case in REFUSED], ids=[c[0] for c in REFUSED])
def test_a_contract_that_cannot_be_used_is_told_of(contract, expect):
    with pytest.raises(UnusableError) as raised:
        find(contract, PROJECT / "contracts")
    assert [word for word in expect["stderr"] if word not in str(raised.value)] == []


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]
