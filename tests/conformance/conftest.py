"""What the tests of DuckDB's verdicts share."""

from collections.abc import Callable, Sequence

import pytest


@pytest.fixture(scope="session")
def key_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict]:
    """Write the keys of references, for each a type and values, as two Parquet files each; give paths and column."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from rowgate.stages.keys import _stored

    def write(references: dict) -> dict:
        folder = tmp_path_factory.mktemp("keys")
        found = {}
        for at, (check, (kind, values)) in enumerate(references.items()):
            paths = [folder / f"it's {at} dt=2026-01-01 {part}.parquet" for part in range(2)]
            for path, some in zip(paths, (values[:1], values[1:]), strict=True):
                pq.write_table(pa.table({"the key": pa.array(some, _stored(kind))}), path)
            found[check] = (list(map(str, paths)), "the key")
        return found

    return write


@pytest.fixture(scope="session")
def judged_by_duckdb(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[int, tuple[list[str], list[str]]]]:
    """Judge records on DuckDB; give, for each record's number, the reasons that reject and those that warn."""
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    from rowgate.targets import duckdb as target

    file = tmp_path_factory.mktemp("duckdb") / "it's a dt=2020-01-01 records.parquet"

    def judge(contract, records: Sequence, now, keys=None) -> dict[int, tuple[list[str], list[str]]]:
        names = [column.name for column in contract.columns]
        columns = {name: pa.array([each.fields.get(name) for each in records], pa.string()) for name in names}
        columns["raw_record"] = pa.array([each.raw_record for each in records], pa.string())
        columns["record_number"] = pa.array([each.record_number for each in records], pa.int64())
        pq.write_table(pa.table(columns), file)
        with duckdb.connect() as connection:
            verdicts = target.verdicts(contract, str(file), now, keys or {})
            connection.execute(f"CREATE TEMP TABLE {target.VERDICTS} AS {verdicts}")
            for statement in target.repeats_judged(contract):
                connection.execute(statement)
            masks = ", ".join(f"m{at}" for at in range(-(-len(contract.reasons) // 62)))
            rows = connection.execute(f"SELECT record_number, {masks} FROM {target.VERDICTS}").fetchall()
        found = {number: target.reasons_of(contract, bits) for number, *bits in rows}
        rejecting = set(contract.rejecting_reasons)
        return {
            number: (
                [each for each in reasons if each in rejecting],
                [each for each in reasons if each not in rejecting],
            )
            for number, reasons in found.items()
        }

    return judge
