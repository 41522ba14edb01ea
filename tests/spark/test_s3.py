"""A lake on S3 is judged like one in a folder; what is written there appears whole or not at all."""

import os
import random
import re
import signal
import time
from collections import Counter
from dataclasses import dataclass

import pytest

from rowgate.adapters.warehouse import Connection, connect, transaction
from rowgate.stages.load import load
from rowgate.stages.zones import count_rows

KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN")
KILLS = int(os.environ.get("ROWGATE_KILLS", "2"))


@dataclass(frozen=True)
class Judged:
    lake: object
    done: object
    requests: list[tuple[str, str]]
    bucket: str


def _requests(lines):
    """The operation and the path of each request: https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html."""
    return [(found[1], found[2]) for line in lines if (found := re.search(r" s3_(\w+) .*? (/\S+) \d{3} ", line))]


@pytest.fixture(scope="module")
def judged(spark_submit, s3_server, laid):
    bucket = s3_server.bucket()
    lake = laid(s3_server.lake(f"s3://{bucket}/in a prefix"))
    before = len(s3_server.requests())
    done = spark_submit.run(lake, env=s3_server.environment())
    assert done.returncode == 0, done.stderr
    return Judged(lake, done, _requests(s3_server.requests()[before:]), bucket)


@pytest.mark.parametrize("zone", ["rejects", "clean"])
def test_the_zones_are_row_by_row_those_of_a_lake_in_a_folder(judged, in_a_folder, rows, zone):
    written = rows(judged.lake, zone)
    assert written
    assert written == rows(in_a_folder, zone)


@pytest.mark.parametrize("zone", ["rejects", "clean"])
def test_several_tasks_share_the_records(judged, run, zone):
    files = [key for key in judged.lake.list(run.folder(zone)) if key.endswith(".parquet")]
    assert len(files) > 2


def test_no_data_is_renamed_by_copying_it(judged):
    operations = Counter(operation for operation, _ in judged.requests)
    assert not [name for name in operations if "Copy" in name]


def test_every_file_is_uploaded_once_and_completed_once(judged, run):
    written = {key for zone in ("rejects", "clean") for key in judged.lake.list(run.folder(zone)) if "/part-" in key}
    completed = [path for operation, path in judged.requests if operation == "CompleteMultipartUpload"]
    assert len(completed) == len(written)
    assert len(set(completed)) == len(written)


def test_the_file_as_it_came_is_not_read_again(judged):
    assert not [path for _, path in judged.requests if "/raw/" in path and ".csv" in path]


def test_the_records_are_not_listed_by_their_row_groups(judged):
    lists = [path for operation, path in judged.requests if operation.startswith("List") and "records%2F" in path]
    assert len(lists) <= 6


def test_nothing_of_the_commit_is_left_behind(judged, s3_server):
    assert not [name for name in s3_server.names(judged.bucket) if "__magic" in name or "_temporary" in name]
    assert not s3_server.client("s3").list_multipart_uploads(Bucket=judged.bucket).get("Uploads")


def test_its_output_names_no_key(judged, s3_server):
    assert s3_server.secret not in judged.done.stdout + judged.done.stderr
    assert s3_server.key not in judged.done.stdout + judged.done.stderr


def test_a_spark_without_the_jars_says_how_to_get_them_and_is_not_tried_again(spark_submit, s3_server):
    done = spark_submit.run(s3_server.lake(), env=s3_server.environment(), with_jars=False)
    assert done.returncode == 3
    # spark-submit prints on its standard output what a Python driver says, wherever that says it.
    (said,) = (line for line in done.stdout.splitlines() if line.startswith("rowgate: "))
    assert said == (
        "rowgate: Spark has no S3AFileSystem, so it cannot use a lake on S3: run `make jars`, or give this Spark "
        "hadoop-aws and spark-hadoop-cloud."
    )
    assert "Traceback" not in done.stdout


@pytest.fixture(scope="module")
def repeated(judged, spark_submit, s3_server, run, tmp_path_factory):
    """Drivers that are killed while they write, then one that is not; ROWGATE_KILLS says how many are.

    The last one has its keys from a profile, the others from the environment.
    A moment is a number of requests since one began to write. What each left is kept with what it had asked for.
    """
    chance = random.Random(5)  # noqa: S311 - moments, not secrets
    paths = [path for _, path in judged.requests]
    most = len(paths) - next(at for at, path in enumerate(paths) if "__magic" in path)
    judged.lake.write_bytes(_other(run), b"another run's")
    left = []
    for _ in range(KILLS):
        operations = _kill(spark_submit, s3_server, judged.lake, after=chance.randrange(1, most * 9 // 10))
        left.append((operations, _left(judged.lake, run)))
    profile = tmp_path_factory.mktemp("aws") / "credentials"
    profile.write_text(f"[mine]\naws_access_key_id={s3_server.key}\naws_secret_access_key={s3_server.secret}\n")
    env = {name: value for name, value in s3_server.environment().items() if name not in KEYS}
    done = spark_submit.run(judged.lake, env=env | {"AWS_PROFILE": "mine", "AWS_SHARED_CREDENTIALS_FILE": str(profile)})
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    return left


def test_a_driver_that_is_killed_before_it_commits_leaves_no_file_to_see(repeated):
    for operations, left in repeated:
        if "CompleteMultipartUpload" not in operations:
            assert not [key for zone in left.values() for key in zone[0] if key.endswith(".parquet")]


def test_what_a_killed_driver_left_as_whole_is_whole(repeated, in_a_folder, rows):
    for _, left in repeated:
        for zone, (keys, count) in left.items():
            assert not any(key.endswith("/_SUCCESS") for key in keys) or count == len(rows(in_a_folder, zone))


@pytest.mark.parametrize("zone", ["rejects", "clean"])
def test_the_next_run_makes_good_what_killed_ones_left(repeated, judged, in_a_folder, rows, zone):
    assert rows(judged.lake, zone) == rows(in_a_folder, zone)


def test_the_warehouse_then_gets_what_an_undisturbed_run_brings(repeated, judged, in_a_folder, loaded):
    after_kills, undisturbed = loaded(judged.lake, "after_kills"), loaded(in_a_folder, "undisturbed")
    assert undisturbed[1]
    assert after_kills == undisturbed


def test_another_runs_files_are_left_alone(repeated, judged, run):
    assert judged.lake.read_bytes(_other(run)) == b"another run's"


def test_nothing_that_a_killed_driver_began_to_upload_is_kept(repeated, judged, s3_server):
    assert not s3_server.client("s3").list_multipart_uploads(Bucket=judged.bucket).get("Uploads")


@pytest.fixture
def loaded(warehouse_server, users, run):
    """Load the run's clean rows of a lake into a database of its own; return the figures and the table."""

    def load_into(lake, database):
        server = warehouse_server
        settings = Connection(server.host, server.port, server.user, server.password, database)
        with connect(settings) as connection:
            figures = load(users, run, lake, connection, now=run.run_after)
            with transaction(connection, "reading") as cursor:
                cursor.execute("SELECT * FROM warehouse.users ORDER BY user_id")
                return figures, cursor.fetchall()

    return load_into


def _other(run):
    return f"{run.folder('clean')}-of-another/part-0.parquet"


def _left(lake, run):
    """Of each zone, the files that can be seen and their rows."""
    folders = {zone: run.folder(zone) for zone in ("rejects", "clean")}
    return {zone: (lake.list(folder), count_rows(lake, folder)) for zone, folder in folders.items()}


def _kill(spark_submit, server, lake, after):
    """Kill the driver and its Java once they have made so many requests since they began to write; return those."""
    lines = []
    with server.log.open(encoding="utf-8") as log, spark_submit.start(lake, env=server.environment()) as process:
        log.seek(0, os.SEEK_END)
        deadline = time.monotonic() + 240
        while process.poll() is None and _since_it_wrote(lines) < after:
            assert time.monotonic() < deadline, "it did not come to write"
            time.sleep(0.01)  # between two looks at a condition
            lines += log.readlines()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        lines += log.readlines()
    assert process.returncode == -signal.SIGKILL, "it ended before it was killed"
    return [operation for operation, _ in _requests(lines)]


def _since_it_wrote(lines):
    return len(lines) - next((at for at, line in enumerate(lines) if "__magic" in line), len(lines))
