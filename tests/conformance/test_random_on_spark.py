"""Any contract gives any records one verdict: a few examples, since each is a Spark job."""

import runpy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rowgate.targets import reference

CONTRACTS = runpy.run_path(str(Path(__file__).with_name("random_contracts.py")))
NOW = CONTRACTS["NOW"]
# Without shrinking: a smaller example costs as many jobs as the tests of all of Spark.
FEW = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)


@pytest.fixture(scope="module")
def random_keys(key_files):
    return key_files(CONTRACTS["REFERENCES"])


@FEW
@given(data=st.data())
def test_any_contract_gives_any_records_the_reference_s_verdicts_on_spark(spark, judged_by_duckdb, random_keys, data):
    from rowgate.targets import spark as target

    contract = data.draw(CONTRACTS["contracts"]())
    records = data.draw(CONTRACTS["records"](contract))
    warns = [rule for rule in contract.rules if not contract.rejects(rule)]
    rows = [
        (*(each.fields.get(column.name) for column in contract.columns), each.raw_record, each.record_number)
        for each in records
    ]
    frame = spark.createDataFrame(rows, target.records_schema(contract)).coalesce(2)
    named = {rule.check for rule in contract.rules}
    keys = {check: spark.read.parquet(*paths) for check, (paths, _) in random_keys.items() if check in named}
    found = {
        row["record_number"]: (
            list(filter(None, row[target.REASONS].split("|"))),
            [rule.reason for rule in warns if row[target.warning(rule)]],
        )
        for row in target.judged(contract, target.prepared(contract, frame, keys), NOW).collect()
    }
    expected = {
        each.record_number: (list(each.reasons), list(each.warnings))
        for each in reference.judge(contract, records, NOW, CONTRACTS["KEYS"])
    }
    assert found == expected
    assert judged_by_duckdb(contract, records, NOW, random_keys) == expected
