"""The lake in a bucket of a durable S3 server: whole files or none, few requests, and every stage that uses a lake."""

import io
import os
import tracemalloc
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rowgate.adapters.lake import open_lake
from rowgate.adapters.s3_streams import PART
from rowgate.contract import catalog
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages.evidence import keep_report
from rowgate.stages.freshness import last_good_run
from rowgate.stages.generate import write_users
from rowgate.stages.ingest import Source, ingest, next_landing, open_source, read_manifest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.keys import find_keys, keep_keys, values_of
from rowgate.stages.load import load
from rowgate.stages.report import Load
from rowgate.stages.run import Run

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def lake(s3_server):
    """A lake below an odd prefix of a bucket of its own."""
    return s3_server.lake()


@pytest.fixture
def names(s3_server, lake):
    """Lists everything below the lake's prefix, hidden files too, by key."""
    bucket, _, prefix = lake.uri.removeprefix("s3://").partition("/")
    return lambda: [name.removeprefix(f"{prefix}/") for name in s3_server.names(bucket, f"{prefix}/")]


@pytest.fixture
def asked(s3_server):
    """Runs something, and returns the operations that the server was asked for meanwhile."""

    def run(action) -> list[str]:
        before = len(s3_server.requests())
        action()
        return [line.split(" s3_")[1].split(" ")[0] for line in s3_server.requests()[before:]]

    return run


@pytest.fixture(scope="module")
def run_of_users(s3_server, project, tmp_path_factory):
    """A run of generated users, ingested and judged on S3 and in a folder: contract, run, both lakes, both reports."""
    contract = catalog.find("users", project / "contracts")
    run = Run("users", "manual__2026-03-01T00:00:00+00:00", NOW)
    file = io.BytesIO()
    write_users(file, rows=3000, seed=5)
    source = Source("generated", lambda: io.BytesIO(file.getvalue()))
    lakes = [s3_server.lake(), open_lake(f"file://{tmp_path_factory.mktemp('lake')}")]
    reports = []
    for lake in lakes:
        ingest(contract, run, source, lake)
        reports.append(transform_duckdb(contract, run, lake, now=NOW))
    return contract, run, lakes, reports


def rows(lake, folder: str) -> list[dict]:
    found = []
    for key in lake.list(folder):
        if key.endswith(".parquet"):
            with lake.open(key) as file:
                found += pq.read_table(file).to_pylist()
    return sorted(found, key=lambda row: row["record_number"])


def test_what_was_written_is_read_back(lake):
    lake.write_bytes("raw/users/a.csv", b"1\n2\n")
    assert lake.read_bytes("raw/users/a.csv") == b"1\n2\n"


def test_an_empty_file_is_a_file(lake):
    lake.write_bytes("clean/users/_SUCCESS", b"")
    assert lake.exists("clean/users/_SUCCESS")
    assert lake.read_bytes("clean/users/_SUCCESS") == b""


def test_spark_is_given_an_address_of_its_own_scheme(lake):
    assert lake.uri_of("records/users") == f"s3a{lake.uri.removeprefix('s3')}/records/users"


def test_a_lake_in_a_bucket_is_nowhere_on_this_machine(lake):
    assert lake.local("raw/a") is None


@pytest.mark.parametrize("key", ["raw/a b+c%2F&=?#.csv", "raw/λίμνη/é.csv", "raw/'\"<>.csv", "raw/a../b..", "raw/_x"])
def test_a_key_of_odd_characters_is_written_listed_and_read(lake, key):
    lake.write_bytes(key, b"x")
    assert lake.exists(key)
    assert lake.list("raw") == [key]
    assert lake.read_bytes(key) == b"x"


def test_a_file_is_not_there_before_its_block_ends(lake):
    with lake.create("raw/a") as file:
        file.write(b"x" * (PART + 1))
        assert lake.list("raw") == []
    assert lake.entries("raw")[0].size == PART + 1


def test_nothing_is_left_when_the_block_raises(s3_server, lake, names):
    def write() -> None:
        with lake.create("raw/a") as file:
            file.write(b"x" * (PART + 1))
            raise LookupError

    with pytest.raises(LookupError):
        write()
    assert names() == []
    bucket = lake.uri.removeprefix("s3://").partition("/")[0]
    assert "Uploads" not in s3_server.s3.list_multipart_uploads(Bucket=bucket)


def test_a_failed_write_leaves_the_file_that_was_there(lake):
    lake.write_bytes("clean/a", b"old")
    with pytest.raises(LookupError), lake.create("clean/a") as file:  # noqa: PT012 - a block that raises
        file.write(b"new")
        raise LookupError
    assert lake.read_bytes("clean/a") == b"old"


def test_a_small_file_is_written_with_one_request(lake, asked):
    assert asked(lambda: lake.write_bytes("raw/a", b"x")) == ["PutObject"]


def test_a_file_is_streamed_to_its_end_with_one_request(lake, asked):
    lake.write_bytes("raw/a", bytes(5 << 20))

    def read() -> None:
        with lake.open("raw/a") as file:
            while file.read(100_000):
                pass

    assert asked(read) == ["GetObject"]


def test_a_place_in_a_file_is_reached_by_a_jump(lake):
    lake.write_bytes("raw/a", bytes(range(256)) * 10_000)
    with lake.open("raw/a") as file:
        assert file.seek(-3, io.SEEK_END) == 2_559_997
        assert file.read() == b"\xfd\xfe\xff"
        file.seek(256 * 5000 + 7)
        assert file.read(2) == b"\x07\x08"
        assert file.tell() == 256 * 5000 + 9


def test_a_footer_is_read_with_at_most_three_requests(lake, asked):
    table = pa.table({"a": list(range(200_000))})
    with lake.create("clean/u/part.parquet") as out:
        pq.write_table(table, out, row_group_size=10_000, use_dictionary=False, compression="none")

    def footer() -> None:
        with lake.open("clean/u/part.parquet") as file:
            assert pq.ParquetFile(file).metadata.num_rows == 200_000

    assert len(asked(footer)) <= 3


def test_a_file_that_is_replaced_while_it_is_read_is_an_error_not_a_mixture(lake):
    lake.write_bytes("raw/a", bytes(8 << 20))
    with lake.open("raw/a") as file:
        file.read(1)
        lake.write_bytes("raw/a", b"1" * (8 << 20))
        file.seek(5 << 20)
        with pytest.raises(RowgateError, match="it was replaced while it was being read"):
            file.read(1)


def test_a_missing_file_is_one_sentence_with_the_address(lake):
    with pytest.raises(RowgateError) as caught:
        lake.open("raw/a.csv")
    assert str(caught.value) == f"{lake.uri}/raw/a.csv cannot be read: there is no such file (NoSuchKey)."


def test_a_list_is_sorted_and_stays_below_its_folder(lake):
    for key in ("clean/users/b/1", "clean/users/a/2", "clean/users/a/10", "clean/users_old/1"):
        lake.write_bytes(key, b"")
    assert lake.list("clean/users") == ["clean/users/a/10", "clean/users/a/2", "clean/users/b/1"]


def test_a_list_holds_markers_but_nothing_hidden_or_left_over(s3_server, lake):
    left = ("c/._SUCCESS.crc", "c/_temporary/0/p", "c/__magic_job-1/p", "c/.spark-staging-1/p", "c/__magic/p")
    for key in ("c/_SUCCESS", "c/part", *left):
        lake.write_bytes(key, b"")
    bucket, _, prefix = lake.uri.removeprefix("s3://").partition("/")
    s3_server.s3.put_object(Bucket=bucket, Key=f"{prefix}/c/sub/")  # what some tools take for a folder
    assert lake.list("c") == ["c/_SUCCESS", "c/part"]


def test_more_files_than_a_page_holds_are_all_listed(s3_server, lake, asked):
    folder = s3_server.root / lake.uri.removeprefix("s3://") / "records" / "u"
    folder.mkdir(parents=True)
    for number in range(1005):
        (folder / f"{number:04}").touch()
    assert asked(lambda: lake.list("records/u")) == ["ListObjectsV2"] * 2
    assert lake.list("records/u") == [f"records/u/{number:04}" for number in range(1005)]


def test_a_tree_is_deleted_with_its_hidden_files_and_nothing_beside_it(lake, names):
    for key in ("clean/u/1/a", "clean/u/1/.a.crc", "clean/u/1/_temporary/b", "clean/u/12/a"):
        lake.write_bytes(key, b"")
    lake.delete_tree("clean/u/1")
    lake.delete_tree("clean/u/none")
    assert names() == ["clean/u/12/a"]


@pytest.mark.parametrize("key", ["raw", "quality/users", "landing", "keys/users"])
def test_evidence_is_never_deleted(lake, key):
    with pytest.raises(RowgateError, match="not for the pipeline to delete"):
        lake.delete_tree(key)


def test_a_path_of_this_machine_is_not_looked_for_in_the_bucket(lake, asked):
    assert asked(lambda: lake.exists("/home/someone/users.csv")) == []


def test_a_large_file_passes_in_bounded_memory(lake):
    block = bytes(1 << 20)
    tracemalloc.start()
    try:
        with lake.create("raw/large") as out:
            for _ in range(150):
                out.write(block)
        with lake.open("raw/large") as file:
            while file.read(1 << 20):
                pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 4 * PART


def test_a_bucket_that_is_not_there_is_lasting_and_one_sentence(s3_server):
    lake = s3_server.lake("s3://no-such-bucket")
    with pytest.raises(UnusableError) as caught:
        lake.exists("raw/a")
    assert str(caught.value) == (
        "s3://no-such-bucket/raw/a cannot be read: there is no such bucket; make it, or name another (NoSuchBucket)."
    )


def test_a_lake_on_s3_is_judged_by_duckdb_as_a_lake_in_a_folder_is(run_of_users):
    _, run, (on_s3, in_folder), reports = run_of_users
    for zone in ("records", "clean", "rejects"):
        assert rows(on_s3, run.folder(zone)) == rows(in_folder, run.folder(zone))
    assert reports[0] == reports[1]


def test_judging_reads_the_records_once_and_leaves_no_copy_behind(run_of_users, asked, tmp_path):
    contract, run, (lake, _), _ = run_of_users
    operations = asked(lambda: transform_duckdb(contract, run, lake, now=NOW, scratch=tmp_path))
    # The manifest, the records, the rejects as they were written, the footer of the clean rows and the report.
    assert operations.count("GetObject") <= 8
    assert list(tmp_path.iterdir()) == []


def test_a_run_taken_in_again_keeps_its_evidence(run_of_users, s3_server):
    contract, run, (lake, _), _ = run_of_users
    manifest = read_manifest(lake, run)
    before = lake.entries("raw"), lake.entries("quality")
    assert ingest(contract, run, Source("another", lambda: io.BytesIO(b"")), lake) == manifest
    keep_report(transform_duckdb(contract, run, lake, now=NOW), run, lake)
    assert (lake.entries("raw"), lake.entries("quality")) == before


def test_a_lake_on_s3_is_loaded_and_keeps_its_keys(run_of_users, warehouse):
    contract, run, (lake, _), (report, _) = run_of_users
    figures = load(contract, run, lake, warehouse, now=NOW)
    assert report.loaded(figures, NOW).load == figures
    assert len(rows_of_keys(lake, run)) == report.accepted


def rows_of_keys(lake, run) -> list[dict]:
    with lake.open(run.file("keys", ".parquet")) as file:
        return pq.read_table(file).to_pylist()


def test_rules_that_refer_to_another_contract_find_its_keys_on_s3(lake, items, clean_on_s3):
    contract = items()
    run = clean_on_s3(lake, contract, {"code": ["A", "B"], "count": [1, 2]})
    keep_keys(contract, run, lake)
    found = find_keys(referring(), lake)
    assert [sorted(values_of(each, 10)) for each in found.values()] == [["A", "B"]]


def referring():
    from rowgate.contract.checks import References
    from rowgate.contract.model import Column, Contract, FieldRule
    from rowgate.contract.types import Text

    return Contract(
        "orders",
        "1.0.0",
        "us",
        (Column("item", Text()),),
        (FieldRule("item", References("items", "code"), "unknown_item"),),
    )


@pytest.fixture
def clean_on_s3():
    """Writes the clean zone of a run of a lake."""

    def write(lake, contract, columns: dict[str, list]) -> Run:
        run = Run(contract.name, "one", NOW)
        count = len(next(iter(columns.values())))
        with lake.create(f"{run.folder('clean')}/part-0.parquet") as out:
            pq.write_table(pa.table({"record_number": range(1, count + 1)} | columns), out)
        lake.write_bytes(f"{run.folder('clean')}/_SUCCESS", b"")
        return run

    return write


def test_the_oldest_file_that_landed_and_no_run_has_taken_is_next(lake, items):
    contract = items()
    lake.write_bytes("landing/items/b.csv", b"code,count\nA,1\n")
    lake.write_bytes("landing/items/.c.csv", b"hidden")
    lake.write_bytes("landing/items/d.csv.part", b"not whole")
    assert next_landing("items", lake) == "landing/items/b.csv"
    ingest(contract, Run("items", "one", NOW), open_source("landing/items/b.csv", lake), lake)
    assert next_landing("items", lake) is None


def test_the_last_good_run_is_found_in_a_bucket(run_of_users):
    _, run, (lake, _), (report, _) = run_of_users
    keep_report(report.loaded(Load(report.accepted, 0, 0, 0), NOW), run, lake)
    assert last_good_run("users", lake) == NOW


@pytest.mark.parametrize(
    "asked", [("runs", "users"), ("query", "SELECT count(*) AS n FROM users_clean")], ids=["runs", "query"]
)
def test_the_command_line_reads_a_lake_on_s3_with_the_keys_of_the_connection(
    run_of_users, s3_server, run_cli, tmp_path, asked
):
    _, _, (lake, _), (report, _) = run_of_users
    env = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "AIRFLOW", "ROWGATE"))}
    env |= {"ROWGATE_LAKE": lake.uri, "AIRFLOW_CONN_AWS_DEFAULT": s3_server.connection()}
    done = run_cli(*asked, env=env | {"ROWGATE_STATE": str(tmp_path)})
    assert (done.returncode, done.stderr) == (0, "")
    assert str(report.accepted) in done.stdout.replace(",", "")
