"""A metrics host whose name resolves slowly, or not at all: a name server that takes questions and never answers."""

import json
import os
import runpy
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rowgate.adapters import statsd_client
from rowgate.adapters.statsd_client import AIRFLOW, WaitlessClient
from rowgate.embedded.environment import DEFAULTS

missing = runpy.run_path(str(Path(__file__).parents[1] / "conftest.py"))["missing"]

SILENT = """
import json, logging, os, socket, subprocess, sys, time
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.1", 53))
logging.basicConfig(stream=sys.stderr)
from rowgate.adapters.metrics import StatsdAddress, send
import statsd

def timed(work):
    begin = time.monotonic()
    work()
    return time.monotonic() - begin

sending = timed(lambda: send(StatsdAddress("statsd.example.org", 8125), [("airflow.dq.toy.total", 1.0)]))
from airflow._shared.observability.metrics import stats
from airflow.observability.metrics import stats_utils
stats.initialize(factory=stats_utils.get_stats_factory(), export_legacy_names=True)
airflows = timed(lambda: stats.incr("scheduler_heartbeat"))
client = type(stats._get_backend().statsd).__name__
print(json.dumps({"sending": sending, "airflows": airflows, "client": client, "asked": bool(server.recv(512))}))
"""


@pytest.fixture(scope="module")
def silent(tmp_path_factory):
    """What happens where the name server is silent: a network and an /etc/resolv.conf of the child's own."""
    if not (shutil.which("unshare") and shutil.which("ip")):
        missing("namespaces", "unshare and ip are not both installed")
    resolver = tmp_path_factory.mktemp("resolver") / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.1\n")
    enter = ["unshare", "--net", "--mount", *(() if os.geteuid() == 0 else ("--user", "--map-root-user"))]
    if subprocess.run([*enter, "true"], capture_output=True, check=False).returncode:
        missing("namespaces", "this machine does not let its users have a network of their own")
    environment = {**os.environ, **AIRFLOW, "AIRFLOW__METRICS__STATSD_HOST": "statsd.example.org"}
    within = 'mount --bind "$1" /etc/resolv.conf && exec "$2" -c "$3"'
    done = subprocess.run(
        [*enter, "sh", "-c", within, "sh", resolver, sys.executable, SILENT],
        capture_output=True,
        text=True,
        check=False,
        env=environment | {"AIRFLOW_HOME": str(resolver.parent)},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


@pytest.fixture
def until_logged():
    """Wait for the sentence that a client's thread says."""

    def wait(caplog):
        end = time.monotonic() + 30
        while not caplog.messages:
            assert time.monotonic() < end, "nothing was said"
            time.sleep(0.01)  # between two looks
        return caplog.messages[0]

    return wait


def test_the_name_server_was_asked(silent):
    assert silent[0]["asked"]


def test_the_two_times_that_a_run_sends_take_less_than_a_second(silent):
    assert 2 * silent[0]["sending"] < 1


def test_airflow_goes_on_at_once(silent):
    assert (silent[0]["client"], silent[0]["airflows"] < 0.5) == ("WaitlessClient", True)


def test_gauges_that_were_not_sent_are_said_in_the_log(silent):
    sentence = "No gauges were sent: statsd.example.org:8125 cannot be reached (its name took over 0.3 s to resolve)."
    assert sentence in silent[1]


def test_airflow_is_told_to_use_the_client_that_does_not_wait():
    assert DEFAULTS.items() >= AIRFLOW.items()


@pytest.mark.parametrize("host", ["no-such-host.invalid", "x" * 64 + ".org"])
def test_a_name_that_does_not_resolve_is_said(host, caplog, until_logged):
    WaitlessClient(host, 8125).incr("a")
    assert until_logged(caplog) == f"No metrics are sent: {host}:8125 cannot be reached (Name or service not known)."


def test_what_is_sent_before_the_address_is_there_arrives(monkeypatch):
    answer = threading.Event()

    def slow(host, port, family):
        answer.wait(30)
        return listener.getsockname()

    monkeypatch.setattr(statsd_client, "ask", slow)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(30)
        client = WaitlessClient("slow.example.org", 8125, "airflow")
        client.incr("first")
        answer.set()
        assert listener.recv(512) == b"airflow.first:1|c"
        client.gauge("second", 2)
        assert listener.recv(512) == b"airflow.second:2|g"
