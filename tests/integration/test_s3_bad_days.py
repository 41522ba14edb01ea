"""What goes wrong between us and S3: tried again where that helps, then one sentence that says what to do."""

import datetime as dt
import logging
import runpy
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from rowgate.adapters import s3_lake
from rowgate.adapters.aws import Aws
from rowgate.adapters.lake import open_lake
from rowgate.adapters.s3_streams import PART
from rowgate.errors import RowgateError, UnusableError

FAULTY = runpy.run_path(str(Path(__file__).resolve().parents[1] / "servers" / "faulty.py"))
Fault = FAULTY["Fault"]
SERVERS = runpy.run_path(str(Path(__file__).resolve().parents[1] / "servers" / "s3.py"))


@pytest.fixture
def proxy(s3_server):
    with FAULTY["faulty"](s3_server.endpoint) as found:
        yield found


@pytest.fixture
def lake(s3_server, proxy):
    """A lake that is reached through the proxy."""
    return replace(s3_server, endpoint=proxy.endpoint).lake(f"s3://{s3_server.bucket()}")


@pytest.fixture
def impatient(monkeypatch):
    """Gives up after the second try, so that a test need not wait."""
    from botocore.config import Config

    fewer = Config(retries={"mode": "standard", "total_max_attempts": 2})
    monkeypatch.setattr(s3_lake, "_CONFIG", s3_lake._CONFIG.merge(fewer))


HEALING = {
    "throttled": {"status": 503, "code": "SlowDown"},
    "an error of the server's own": {"status": 500, "code": "InternalError"},
    "a broken connection": {},
}


@pytest.mark.parametrize("what", HEALING)
def test_a_write_is_tried_again_after(lake, proxy, what):
    proxy.faults.append(Fault("PUT", **HEALING[what]))
    lake.write_bytes("raw/a", b"x")
    assert (lake.read_bytes("raw/a"), proxy.seen.count("PUT")) == (b"x", 2)


@pytest.mark.parametrize("what", HEALING)
def test_a_list_is_tried_again_after(lake, proxy, what):
    lake.write_bytes("raw/a", b"x")
    proxy.faults.append(Fault("GET", **HEALING[what]))
    assert lake.list("raw") == ["raw/a"]


def test_a_part_of_an_upload_is_sent_again_after_a_broken_connection(lake, proxy):
    proxy.faults.append(Fault("PUT", part="partNumber=1"))
    with lake.create("raw/a") as file:
        file.write(b"x" * (PART + 5))
    assert [entry.size for entry in lake.entries("raw")] == [PART + 5]


def test_a_file_is_read_on_from_where_its_connection_broke(lake, proxy, s3_server):
    content = bytes(range(256)) * 20_000
    lake.write_bytes("raw/a", content)
    proxy.faults.append(Fault("GET", after=3_000_000, part="raw/a"))
    before = len(s3_server.requests())
    assert lake.read_bytes("raw/a") == content
    assert len([line for line in s3_server.requests()[before:] if "s3_GetObject" in line]) == 2


def test_throttling_that_does_not_end_is_one_sentence_and_may_heal(impatient, lake, proxy):
    proxy.faults.append(Fault("PUT", times=2, code="SlowDown"))
    with pytest.raises(RowgateError) as caught:
        lake.write_bytes("raw/a", b"x")
    assert str(caught.value) == (
        f"{lake.uri}/raw/a cannot be written: the server asks to slow down, also after several tries; run it again "
        "later (SlowDown)."
    )
    assert not isinstance(caught.value, UnusableError)


def test_a_connection_that_breaks_each_time_is_one_sentence_and_may_heal(impatient, lake, proxy):
    proxy.faults.append(Fault("PUT", times=2))
    with pytest.raises(RowgateError) as caught:
        lake.write_bytes("raw/a", b"x")
    assert "the server cannot be reached, or broke off" in str(caught.value)
    assert not isinstance(caught.value, UnusableError)


def test_a_server_that_is_not_there_is_one_sentence_and_may_heal(impatient, s3_server):
    lake = replace(s3_server, endpoint=f"http://127.0.0.1:{SERVERS['free_port']()}").lake("s3://a-bucket")
    with pytest.raises(RowgateError, match=r"the server cannot be reached.*\(EndpointConnectionError\)") as caught:
        lake.list("raw")
    assert not isinstance(caught.value, UnusableError)


def test_an_upload_that_fails_halfway_leaves_nothing(impatient, lake, proxy, s3_server):
    proxy.faults.append(Fault("PUT", times=2, code="SlowDown", part="partNumber=2"))
    with pytest.raises(RowgateError), lake.create("raw/a") as file:
        file.write(bytes(PART * 2 + 5))
    assert lake.list("raw") == []
    bucket = lake.uri.removeprefix("s3://")
    assert "Uploads" not in s3_server.s3.list_multipart_uploads(Bucket=bucket)


def test_an_upload_whose_answer_was_lost_and_cannot_be_aborted_does_not_appear_later(impatient, lake, proxy):
    proxy.faults.append(Fault("PUT", times=2, code="SlowDown", part="partNumber=2"))
    proxy.faults.append(Fault("DELETE", times=2))
    with pytest.raises(RowgateError), lake.create("raw/a") as file:
        file.write(bytes(PART * 2 + 5))
    del file
    assert lake.list("raw") == []


def test_a_folder_that_cannot_be_deleted_whole_no_longer_passes_for_whole(lake, proxy):
    for name in ("A.parquet", "_SUCCESS"):
        lake.write_bytes(f"clean/u/{name}", b"x")
    proxy.faults.append(Fault("DELETE", status=403, code="AccessDenied", part="A.parquet"))
    with pytest.raises(UnusableError):
        lake.delete_tree("clean/u")
    assert lake.list("clean/u") == ["clean/u/A.parquet"]


def test_no_log_of_any_level_holds_the_session_token(s3_server, caplog):
    """Botocore's debug lines do."""
    caplog.set_level(logging.DEBUG, "botocore")
    aws = Aws(s3_server.key, s3_server.secret, "a-marked-token", s3_server.region, s3_server.endpoint)
    with suppress(RowgateError):
        open_lake(f"s3://{s3_server.bucket()}", aws.session(), aws.endpoint).list("raw")
    assert "marked" not in caplog.text


LASTING = {
    "ExpiredToken": (400, "the session token has expired or is not valid; get a new one"),
    "InvalidToken": (400, "the session token has expired or is not valid; get a new one"),
    "RequestTimeTooSkewed": (403, "this machine's clock differs from the server's"),
    "AccessDenied": (403, "these keys may not do that"),
    "AuthorizationHeaderMalformed": (400, "the bucket is in another region; name it as region_name"),
}


@pytest.mark.parametrize("code", LASTING)
def test_no_second_try_is_made_where_none_can_help(lake, proxy, code):
    status, sentence = LASTING[code]
    proxy.faults.append(Fault("PUT", times=9, status=status, code=code))
    with pytest.raises(UnusableError) as caught:
        lake.write_bytes("raw/a", b"x")
    assert str(caught.value).startswith(f"{lake.uri}/raw/a cannot be written: {sentence}")
    assert str(caught.value).endswith(f" ({code}).")
    assert proxy.seen.count("PUT") == 1


def test_a_clock_that_is_wrong_is_told_by_the_server_itself(s3_server, monkeypatch):
    import botocore.auth

    lake = s3_server.lake()
    an_hour_ago = dt.datetime.now(dt.UTC) - dt.timedelta(hours=1)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda: an_hour_ago.replace(tzinfo=None))
    with pytest.raises(UnusableError, match=r"clock differs .*; set the clock \(RequestTimeTooSkewed\)\.$"):
        lake.list("raw")


@pytest.mark.parametrize("wrong", [{"key": "AKMARKED"}, {"secret": "marked/+%\"' secret"}], ids=["key", "secret"])
def test_wrong_keys_are_lasting_and_are_not_repeated(s3_server, wrong):
    lake = replace(s3_server, **wrong).lake(f"s3://{s3_server.bucket()}")
    for action in (lambda: lake.list("raw"), lambda: lake.exists("raw/a"), lambda: lake.write_bytes("raw/a", b"")):
        with pytest.raises(UnusableError, match="the server does not know these keys; correct them") as caught:
            action()
        assert "marked" not in str(caught.value).lower()
        assert s3_server.key not in str(caught.value)


def test_no_keys_at_all_are_lasting(s3_server, monkeypatch, tmp_path):
    import boto3

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    lake = open_lake("s3://a-bucket", boto3.Session(), s3_server.endpoint)
    with pytest.raises(UnusableError, match=r"nothing says whose keys to use; .* \(NoCredentialsError\)\.$"):
        lake.list("raw")


@pytest.mark.parametrize("endpoint", ["not an address", "http://", "ftp:/x"])
def test_an_endpoint_that_is_none_is_lasting(s3_server, endpoint):
    lake = replace(s3_server, endpoint=endpoint).lake("s3://a-bucket")
    with pytest.raises(UnusableError, match="a setting of AWS is not right"):
        lake.list("raw")
