"""A cluster whose executors have neither this package nor a Python judges a lake on S3, and no key shows anywhere."""

import json
import re
import socket
import subprocess
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

_AGAIN = {  # every task is soon begun a second time on the other host, and one that fails is tried again
    "spark.speculation": "true",
    "spark.speculation.efficiency.enabled": "false",
    "spark.speculation.interval": "5ms",
    "spark.speculation.minTaskRuntime": "1ms",
    "spark.speculation.multiplier": "0.01",
    "spark.speculation.quantile": "0.1",
    "spark.task.maxFailures": "8",
    "spark.cores.max": "2",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",  # both hosts are there before the first task
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "200s",
}


@dataclass(frozen=True)
class Judged:
    lake: object
    said: str
    lines: frozenset[str]  # of every process that ran meanwhile
    shown: tuple[str, ...]  # what the application's page told
    events: str
    executors: tuple[dict[str, str], ...]  # the environment of each
    started: frozenset[str]  # what they started, by name


@pytest.fixture(scope="module")
def judged(spark_submit, spark_cluster, s3_server, laid, tmp_path_factory):
    """One run on the cluster; an executor is killed while it writes the last zone."""
    events = tmp_path_factory.mktemp("events")
    lake = laid(s3_server.lake(f"s3://{s3_server.bucket()}"))
    port = _free_port()
    conf = _AGAIN | {
        "spark.ui.port": port,
        "spark.executor.memory": "512m",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": events.as_uri(),
    }
    before = len(s3_server.requests())
    lines, shown, executors, started, killed = set(), set(), {}, set(), False
    with spark_submit.start(lake, master=spark_cluster.master, conf=conf, env=s3_server.environment()) as process:
        deadline = time.monotonic() + 400
        while process.poll() is None:
            assert time.monotonic() < deadline, "the cluster did not come to an end"
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
            lines |= {" ".join(each.info["cmdline"] or ()) for each in psutil.process_iter(["cmdline"])}
            if not any("fs.s3a.secret.key" in text for text in shown):  # the settings never change
                shown |= set(_page(port))
            for each in spark_cluster.executors():
                with suppress(psutil.Error):
                    executors[each.pid] = each.environ()
                    started |= {child.name() for child in each.children(recursive=True)}
            if not killed and any(_writes_clean(line) for line in s3_server.requests()[before:]):
                for executor in spark_cluster.executors()[:1]:
                    executor.kill()
                    killed = True
        out, err = process.communicate()
    assert process.returncode == 0, err
    assert killed
    (log,) = (file for file in events.rglob("*") if file.is_file() and file.stat().st_size and "events" in file.name)
    seen = (tuple(shown), log.read_text(encoding="utf-8"), tuple(executors.values()), frozenset(started))
    return Judged(lake, out + err, frozenset(lines), *seen)


def _writes_clean(line):
    return "s3_CreateMultipartUpload clean/" in line


def _page(port):
    """What the application's page tells of its settings, while it is there."""
    here = f"http://127.0.0.1:{port}"
    try:
        with urllib.request.urlopen(f"{here}/api/v1/applications", timeout=10) as answer:  # noqa: S310 - http
            name = json.load(answer)[0]["id"]
        for place in (f"/api/v1/applications/{name}/environment", "/environment/"):
            with urllib.request.urlopen(here + place, timeout=10) as answer:  # noqa: S310 - the same
                yield answer.read().decode()
    except (OSError, ValueError, LookupError):
        return  # not yet, or no more


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("zone", ["rejects", "clean"])
def test_the_zones_are_row_by_row_those_of_one_machine_and_a_folder(judged, in_a_folder, rows, zone):
    assert rows(judged.lake, zone) == rows(in_a_folder, zone)


def test_the_executors_had_no_python_and_started_none(judged):
    assert len(judged.executors) >= 2
    assert {each["PYSPARK_PYTHON"] for each in judged.executors} == {"/nonexistent/python"}
    assert not [each["PYTHONPATH"] for each in judged.executors if each.get("PYTHONPATH")]
    assert not [name for name in judged.started if "python" in name]


def test_the_executors_found_no_key_in_their_environment(judged):
    assert not [name for each in judged.executors for name in each if name.startswith("AWS_")]


def test_tasks_ran_twice_and_an_executor_was_lost(judged):
    events = [json.loads(line) for line in judged.events.splitlines()]
    tasks = [each["Task Info"] for each in events if each["Event"] == "SparkListenerTaskStart"]
    assert any(each["Speculative"] for each in tasks)
    assert any(each["Event"] == "SparkListenerExecutorRemoved" for each in events)


def test_the_page_tells_the_settings(judged):
    assert any("fs.s3a.secret.key" in text for text in judged.shown)
    assert "fs.s3a.secret.key" in judged.events


@pytest.mark.parametrize("what", ["command lines", "output", "page", "event log", "cluster's files", "report"])
def test_no_key_shows(judged, spark_cluster, s3_server, run, what):
    texts = {
        "command lines": judged.lines,
        "output": [judged.said],
        "page": judged.shown,
        "event log": [judged.events],
        "cluster's files": _files(spark_cluster),
        "report": [judged.lake.read_bytes(run.report).decode()],
    }[what]
    assert texts
    core = re.split(r"\s", s3_server.secret)[-1]  # its last part, which no escaping changes
    assert len(core) >= 12
    assert not [text[:200] for text in texts if core in text]
    assert not [text[:200] for text in texts if s3_server.key in text]


def _files(cluster):
    root = Path(cluster.folders[0]).parent
    return [file.read_text(errors="replace") for file in root.rglob("*") if file.is_file() and file.suffix != ".jar"]
