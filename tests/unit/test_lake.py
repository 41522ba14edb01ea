"""The lake in a folder: whole files or none, and evidence that stays."""

import os
import resource
from contextlib import contextmanager

import pytest

from rowgate.adapters.lake import open_lake
from rowgate.errors import RowgateError, UnusableError


@pytest.fixture
def lake(tmp_path):
    return open_lake(f"file://{tmp_path}/a lake/κ")


def everything(lake) -> list[str]:
    """Every file below the lake's folder, hidden ones too."""
    root = lake.local("x").parent
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


@contextmanager
def full_disk(size: int):
    """Let no file of this process grow beyond `size` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_what_was_written_is_read_back(lake):
    lake.write_bytes("raw/users/a.csv", b"1\n2\n")
    assert lake.read_bytes("raw/users/a.csv") == b"1\n2\n"


def test_an_address_for_spark_holds_the_characters_as_they_are(lake, tmp_path):
    assert lake.uri_of("records/users") == f"file://{tmp_path}/a lake/κ/records/users"


def test_a_lake_opens_again_at_its_own_address(lake):
    lake.write_bytes("raw/a", b"x")
    assert open_lake(lake.uri).read_bytes("raw/a") == b"x"


def test_opening_a_lake_makes_no_folder(lake, tmp_path):
    assert list(tmp_path.iterdir()) == []
    assert lake.list("raw") == []


def test_a_file_is_not_there_before_its_block_ends(lake):
    with lake.create("raw/a") as file:
        file.write(b"x")
        assert not lake.exists("raw/a")
        assert lake.list("raw") == []
    assert lake.exists("raw/a")


def test_nothing_is_left_when_the_block_raises(lake):
    def write() -> None:
        with lake.create("raw/a") as file:
            file.write(b"x")
            raise LookupError

    with pytest.raises(LookupError):
        write()
    assert everything(lake) == []


def test_a_failed_write_leaves_the_file_that_was_there(lake):
    lake.write_bytes("clean/a", b"old")
    with full_disk(1000), pytest.raises(RowgateError):
        lake.write_bytes("clean/a", b"x" * 100_000)
    assert lake.read_bytes("clean/a") == b"old"
    assert everything(lake) == ["clean/a"]


def test_a_full_disk_is_one_sentence_with_the_path(lake):
    with full_disk(1000), pytest.raises(RowgateError) as caught:
        lake.write_bytes("raw/a.csv", b"x" * 10_000_000)
    assert str(caught.value) == f"{lake.local('raw/a.csv')} cannot be written: file too large."


def test_a_missing_file_is_one_sentence_with_the_path(lake):
    with pytest.raises(RowgateError) as caught:
        lake.open("raw/a.csv")
    assert str(caught.value) == f"{lake.local('raw/a.csv')} cannot be read: no such file or directory."


def test_a_folder_that_cannot_be_made_is_one_sentence_with_the_path(lake):
    lake.write_bytes("raw", b"a file where a folder should be")
    with pytest.raises(RowgateError, match=r"raw/users/a\.csv cannot be written: "):
        lake.write_bytes("raw/users/a.csv", b"x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder_is_one_sentence_with_the_path(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(RowgateError, match="raw/a cannot be written: permission denied"):
        open_lake(f"file://{tmp_path}").write_bytes("raw/a", b"x")


def test_a_list_is_sorted_and_stays_below_its_folder(lake):
    for key in ("clean/users/b/1", "clean/users/a/2", "clean/users/a/10", "clean/users_old/1"):
        lake.write_bytes(key, b"")
    assert lake.list("clean/users") == ["clean/users/a/10", "clean/users/a/2", "clean/users/b/1"]


def test_a_list_holds_markers_but_no_hidden_or_temporary_files(lake):
    for key in ("c/_SUCCESS", "c/._SUCCESS.crc", "c/_temporary/0/part", "c/.a.tmp-1", "c/.spark/part", "c/part"):
        lake.write_bytes(key, b"")
    assert lake.list("c") == ["c/_SUCCESS", "c/part"]


def test_an_entry_tells_size_and_time(lake):
    lake.write_bytes("landing/a", b"12345")
    os.utime(lake.local("landing/a"), (1000, 1000))
    (entry,) = lake.entries("landing")
    assert (entry.key, entry.size, entry.modified) == ("landing/a", 5, 1000.0)


def test_a_tree_is_deleted_with_its_hidden_files_and_nothing_beside_it(lake):
    for key in ("clean/u/1/a", "clean/u/1/.a.crc", "clean/u/12/a"):
        lake.write_bytes(key, b"")
    lake.delete_tree("clean/u/1")
    lake.delete_tree("clean/u/none")
    assert everything(lake) == ["clean/u/12/a"]


def test_a_folder_that_cannot_be_deleted_whole_no_longer_passes_for_whole(lake, monkeypatch):
    def fail(*_):
        raise OSError(5, "Input/output error")

    for name in ("part", "_SUCCESS"):
        lake.write_bytes(f"clean/u/{name}", b"x")
    monkeypatch.setattr("shutil.rmtree", fail)
    with pytest.raises(RowgateError):
        lake.delete_tree("clean/u")
    assert lake.list("clean/u") == ["clean/u/part"]


@pytest.mark.parametrize("key", ["raw", "raw/users", "quality", "quality/users/dt=2026-01-01", "landing", "keys/users"])
def test_evidence_and_what_others_put_there_is_never_deleted(lake, key):
    written = ["keys/users/a", "landing/users/a", "quality/users/dt=2026-01-01/a", "raw/users/a"]
    for each in written:
        lake.write_bytes(each, b"")
    with pytest.raises(RowgateError, match="not for the pipeline to delete"):
        lake.delete_tree(key)
    assert everything(lake) == written


def test_a_key_that_is_too_long_to_ask_about_is_one_sentence(lake):
    lake.write_bytes("clean/a", b"")
    with pytest.raises(RowgateError, match="cannot be read: file name too long"):
        lake.exists("a" * 300)


@pytest.mark.parametrize("key", ["", "/etc/passwd", "../a", "clean/../raw/a", "./raw", "raw//a", "raw/", "a\0b"])
def test_what_is_not_a_key_is_refused(lake, key):
    assert not lake.exists(key)
    with pytest.raises(UnusableError, match="is not a key of the lake"):
        lake.delete_tree(key)


@pytest.mark.parametrize(
    "uri",
    [
        "s3://",
        "s3://Bucket/x",
        "s3://bucket/a//b",
        "s3://bucket/[b]",
        "file://relative",
        "/a/folder",
        "",
        "file:///a/[b]",
    ],
)
def test_an_address_that_is_no_lake_is_refused_in_one_sentence(uri):
    with pytest.raises(UnusableError):
        open_lake(uri)
