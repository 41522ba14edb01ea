"""A file enters the lake: bytes, records and manifest, and evidence that a retry leaves alone."""

import hashlib
import json
import os
import resource
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from gzip import compress

import pyarrow.parquet as pq
import pytest

from rowgate.adapters.lake import open_lake
from rowgate.errors import ReconciliationError, RowgateError, UnusableError
from rowgate.stages.ingest import Manifest, ingest, next_landing, open_source, read_manifest
from rowgate.stages.records import FileBreach
from rowgate.stages.run import Run


@dataclass(frozen=True)
class Column:
    name: str


@dataclass(frozen=True)
class Toy:
    name: str = "toys"
    columns: tuple[Column, ...] = (Column("a"), Column("b"))
    null_markers: tuple[str, ...] = ("-",)


TOYS = Toy()
RUN = Run("toys", "one", datetime(2026, 1, 2, tzinfo=UTC))
RAW = "raw/toys/dt=2026-01-02/one.csv"
RECORDS = "records/toys/dt=2026-01-02/one"


@pytest.fixture
def lake(tmp_path):
    return open_lake(f"file://{tmp_path}/lake")


@pytest.fixture
def source(tmp_path):
    def make(data: bytes):
        path = tmp_path / "source.csv"
        path.write_bytes(data)
        return open_source(str(path))

    return make


def table(lake):
    return pq.read_table(lake.local(f"{RECORDS}/records.parquet")).to_pylist()


def test_the_bytes_are_kept_as_they_came(lake, source):
    data = b"\xef\xbb\xbfa,b\r\n1, 2\r\nbad\xff\r\n"
    ingest(TOYS, RUN, source(data), lake)
    assert lake.read_bytes(RAW) == data


def test_a_gzip_file_is_kept_as_it_came_under_its_own_ending(lake, source):
    data = compress(b"a,b\n1,2\n")
    ingest(TOYS, RUN, source(data), lake)
    assert lake.read_bytes(f"{RAW}.gz") == data


def test_the_records_are_the_one_parquet_file_and_a_marker(lake, source):
    ingest(TOYS, RUN, source(b"a,b\n1, - \nbad\n"), lake)
    assert lake.list("records") == [f"{RECORDS}/_SUCCESS", f"{RECORDS}/records.parquet"]
    assert table(lake) == [
        {"a": "1", "b": None, "raw_record": None, "record_number": 1, "run_id": "one"},
        {"a": None, "b": None, "raw_record": "bad", "record_number": 2, "run_id": "one"},
    ]


def test_the_manifest_says_what_came(lake, source):
    data = b"a,b\n1,2\nbad\n"
    file = source(data)
    manifest = ingest(TOYS, RUN, file, lake)
    digest = hashlib.sha256(data).hexdigest()
    assert manifest == Manifest("toys", "one", file.name, RAW, ("a", "b"), len(data), digest, 2, 1)


def test_the_manifest_is_one_json_object_beside_the_raw_file(lake, source):
    manifest = ingest(TOYS, RUN, source(b"a,b\n1,2\n"), lake)
    written = json.loads(lake.read_bytes("raw/toys/dt=2026-01-02/one.manifest.json"))
    assert written == {**asdict(manifest), "header": ["a", "b"], "breaches": []}


def test_a_manifest_is_read_back(lake, source):
    assert ingest(TOYS, RUN, source(b"a,b\n1,2\n"), lake) == read_manifest(lake, RUN)


def test_a_missing_manifest_is_one_sentence(lake):
    with pytest.raises(RowgateError, match=r"one\.manifest\.json cannot be read: no such file"):
        read_manifest(lake, RUN)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b'{"header": [], "breaches": [], "more": 1}'])
def test_a_damaged_manifest_is_one_sentence(lake, data):
    lake.write_bytes(RUN.manifest, data)
    with pytest.raises(RowgateError, match=r"one\.manifest\.json is damaged"):
        read_manifest(lake, RUN)


def test_a_run_done_again_leaves_the_evidence_and_makes_its_records_again(lake, source):
    first = ingest(TOYS, RUN, source(b"a,b\n1,2\n"), lake)
    before = (lake.read_bytes(RAW), lake.read_bytes(RUN.manifest), lake.local(RAW).stat().st_mtime_ns)
    lake.write_bytes(f"{RECORDS}/stale.parquet", b"")
    assert ingest(TOYS, RUN, source(b"a,b\nanother,file\n"), lake) == first
    assert (lake.read_bytes(RAW), lake.read_bytes(RUN.manifest), lake.local(RAW).stat().st_mtime_ns) == before
    assert lake.list("records") == [f"{RECORDS}/_SUCCESS", f"{RECORDS}/records.parquet"]
    assert table(lake)[0]["a"] == "1"


def test_a_run_done_again_needs_no_source(lake, source, tmp_path):
    file = source(b"a,b\n1,2\n")
    first = ingest(TOYS, RUN, file, lake)
    (tmp_path / "source.csv").unlink()
    assert ingest(TOYS, RUN, file, lake) == first


def test_another_run_touches_nothing_of_this_one(lake, source):
    ingest(TOYS, RUN, source(b"a,b\n1,2\n"), lake)
    before = {key: lake.read_bytes(key) for zone in ("raw", "records") for key in lake.list(zone)}
    ingest(TOYS, Run("toys", "one.", RUN.run_after), source(b"a,b\n3,4\n"), lake)
    assert {key: lake.read_bytes(key) for key in before} == before


def test_raw_bytes_that_changed_are_found_out(lake, source):
    ingest(TOYS, RUN, source(b"a,b\n1,2\n"), lake)
    lake.local(RAW).write_bytes(b"a,b\n1,3\n")
    with pytest.raises(ReconciliationError, match="is not the file its manifest describes"):
        ingest(TOYS, RUN, source(b"a,b\n1,2\n"), lake)
    assert lake.list("records") == []


def test_a_contract_that_changed_does_not_rewrite_the_manifest(lake, source):
    ingest(TOYS, RUN, source(b"a,b\n1,2\n"), lake)
    before = lake.read_bytes(RUN.manifest)
    with pytest.raises(ReconciliationError, match="start a new run"):
        ingest(Toy(columns=(Column("a"),)), RUN, source(b"a\n1\n"), lake)
    assert lake.read_bytes(RUN.manifest) == before
    assert lake.list("records") == []


def test_a_raw_file_without_a_manifest_is_replaced_by_its_run(lake, source):
    lake.write_bytes(RAW, b"a,b\nhalf of")
    ingest(TOYS, RUN, source(b"a,b\n1,2\n"), lake)
    assert lake.read_bytes(RAW) == b"a,b\n1,2\n"


def test_a_file_breach_leaves_raw_and_manifest_and_no_records(lake, source):
    with pytest.raises(FileBreach) as caught:
        ingest(TOYS, RUN, source(b"a\n1\n"), lake)
    manifest = read_manifest(lake, RUN)
    assert lake.read_bytes(RAW) == b"a\n1\n"
    assert (manifest.header, manifest.records, manifest.malformed) == (("a",), 0, 0)
    assert manifest.breaches == caught.value.sentences
    assert lake.list("records") == []
    assert not lake.local(RECORDS).exists()


def test_a_breach_behind_good_records_leaves_no_records(lake, source):
    with pytest.raises(FileBreach, match="gzip"):
        ingest(TOYS, RUN, source(compress(b"a,b\n" + os.urandom(9000).hex().encode() + b",2\n" * 9000)[:-3]), lake)
    assert not lake.local(RECORDS).exists()
    assert read_manifest(lake, RUN).records == 0


def test_a_breach_is_the_same_breach_when_the_run_is_done_again(lake, source):
    for _ in range(2):
        with pytest.raises(FileBreach, match="lacks the column 'b'"):
            ingest(TOYS, RUN, source(b"a\n1\n"), lake)


def test_a_full_disk_stops_the_run_in_one_sentence_and_leaves_no_records(lake, source):
    file = source(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(20_000)))
    ingest(TOYS, RUN, file, lake)  # Its raw file is there, so that the records are what meets the limit.
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(RowgateError, match=r"records\.parquet cannot be written: file too large\.$"):
            ingest(TOYS, RUN, file, lake)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(lake.local(RECORDS).iterdir()) == []


def test_a_missing_source_is_unusable(tmp_path):
    with pytest.raises(UnusableError, match=r"none\.csv cannot be read: no such file"):
        open_source(str(tmp_path / "none.csv"))


def test_a_folder_is_no_source(tmp_path):
    with pytest.raises(UnusableError, match="is a folder"):
        open_source(str(tmp_path))


def test_a_named_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(UnusableError, match=r"pipe\.csv cannot be read: it is a pipe or a device; .*/dev/stdin"):
        open_source(str(tmp_path / "pipe.csv"))


def test_a_device_is_no_source():
    with pytest.raises(UnusableError, match="/dev/zero cannot be read: it is a pipe or a device"):
        open_source("/dev/zero")


def test_a_pipe_that_this_process_was_given_open_is_a_source():
    end, other = os.pipe()
    os.write(other, b"a,b\n")
    os.close(other)
    with open_source(f"/dev/fd/{end}").open() as file:
        assert file.read() == b"a,b\n"
    os.close(end)


def test_a_key_of_the_lake_is_a_source(lake):
    lake.write_bytes("landing/toys/x.csv", b"a,b\n")
    source = open_source("landing/toys/x.csv", lake)
    assert source.name == "landing/toys/x.csv"
    with source.open() as file:
        assert file.read() == b"a,b\n"


def land(lake, name: str, data: bytes, modified: int) -> str:
    key = f"landing/toys/{name}"
    lake.write_bytes(key, data)
    os.utime(lake.local(key), (modified, modified))
    return key


def take(lake, key: str, run_id: str) -> None:
    ingest(TOYS, Run("toys", run_id, RUN.run_after), open_source(key, lake), lake)


def test_no_file_has_landed_in_an_empty_lake(lake):
    assert next_landing("toys", lake) is None


def test_the_oldest_file_is_next_and_a_name_decides_a_draw(lake):
    land(lake, "a", b"a,b\n1,1\n", 300)
    land(lake, "c", b"a,b\n2,2\n", 200)
    land(lake, "b", b"a,b\n3,3\n", 200)
    assert next_landing("toys", lake) == "landing/toys/b"


def test_a_file_that_was_taken_is_passed_over_and_stays(lake):
    first, second = land(lake, "a", b"a,b\n1,1\n", 100), land(lake, "b", b"a,b\n2,2\n", 200)
    take(lake, first, "1")
    assert next_landing("toys", lake) == second
    take(lake, second, "2")
    assert next_landing("toys", lake) is None
    assert lake.list("landing") == [first, second]


def test_the_same_bytes_under_another_name_are_taken_once(lake):
    take(lake, land(lake, "a", b"a,b\n1,1\n", 100), "1")
    land(lake, "again", b"a,b\n1,1\n", 200)
    assert next_landing("toys", lake) is None


def test_a_file_that_was_refused_is_not_tried_again(lake):
    key = land(lake, "a", b"no header\n", 100)
    with pytest.raises(FileBreach):
        take(lake, key, "1")
    assert next_landing("toys", lake) is None


def test_a_file_still_being_sent_does_not_count(lake):
    for name in (".a.csv", "_a.csv", "a.csv.tmp", "a.csv.part", "a.csv~"):
        land(lake, name, b"a,b\n", 100)
    assert next_landing("toys", lake) is None


def test_another_contract_s_landing_is_not_looked_at(lake):
    lake.write_bytes("landing/toys_old/a.csv", b"a,b\n")
    assert next_landing("toys", lake) is None
