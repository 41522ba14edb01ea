"""Alerts reach whoever is configured, over real HTTP, and never hold up or fail what they are about."""

import datetime as dt
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from rowgate.adapters.alerts import Told, addresses, tell
from rowgate.adapters.lake import open_lake
from rowgate.contract.yaml_reader import read_yaml
from rowgate.errors import UnusableError
from rowgate.stages.freshness import Memory, Stale, in_words, stale
from rowgate.stages.messages import about_run
from rowgate.stages.outcome import judged, stopped_at_gate
from rowgate.stages.report import Counts, Load
from rowgate.stages.run import Run

NOW = dt.datetime(2026, 9, 15, 12, tzinfo=dt.UTC)
CONTRACT = read_yaml(
    "name: payments\nversion: 1.0.0\nowner: bank\npolicy: fail\nsla: {freshness: 26 hours}\n"
    "columns:\n  - {name: amount, type: int, min: 1}\n",
    "payments.yaml",
)


class Inbox:
    """A web hook that keeps what it gets."""

    def __init__(self) -> None:
        self.messages: list[dict] = []
        inbox = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                inbox.messages.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"json://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    inbox = Inbox()
    yield inbox
    inbox.server.shutdown()
    inbox.server.server_close()


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes a connection and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"json://127.0.0.1:{server.getsockname()[1]}/hook?rto=60"


def test_each_address_gets_the_title_and_the_body(inbox):
    told = tell([inbox.url, inbox.url], "payments: a run failed", "Run x.\nThe log says why.")
    assert told == Told(2, 2)
    assert [(each["title"], each["message"]) for each in inbox.messages] == [
        ("payments: a run failed", "Run x.\nThe log says why.")
    ] * 2


def test_a_dead_address_keeps_no_other_from_the_message(inbox):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert tell([f"json://127.0.0.1:{port}/", inbox.url, "no address at all"], "t", "b") == Told(1, 3)


def test_a_silent_address_is_not_waited_for(silent, inbox):
    told = tell([silent, inbox.url], "t", "b", patience=1.0)
    assert told == Told(1, 2)


def test_a_silent_address_does_not_keep_the_process_from_ending(silent, project):
    import os
    import subprocess
    import sys

    code = f"from rowgate.adapters.alerts import tell; print(tell([{silent!r}], 't', 'b', patience=0.5))"
    env = os.environ | {"PYTHONPATH": str(project / "src")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "Told(reached=0, of=1)\n"


def test_what_goes_wrong_with_an_address_names_it_nowhere(capfd, caplog):
    tell(["json://user:s3cret@127.0.0.1:1/", "s3cret://nothing"], "t", "b")
    out = capfd.readouterr()
    assert "s3cret" not in out.out + out.err + caplog.text


def test_nobody_to_tell_is_no_error():
    assert tell([], "t", "b") == Told(0, 0)


@pytest.mark.parametrize(
    ("owner", "found"), [("bank", ("json://a", "json://b")), ("till", ("json://all",)), ("empty", ("json://all",))]
)
def test_an_owner_without_addresses_is_told_where_everybody_is(owner, found):
    configured = '{"bank": ["json://a", "json://b"], "empty": [], "*": ["json://all"]}'
    assert addresses(configured, owner) == found


def test_without_configuration_there_are_no_addresses():
    assert addresses("", "bank") == ()


@pytest.mark.parametrize("configured", ["{", "[]", '{"bank": "json://s3cret"}', '{"bank": [1]}', "s3cret"])
def test_a_wrong_configuration_is_a_sentence_that_quotes_nothing_of_it(configured):
    with pytest.raises(UnusableError, match="ROWGATE_ALERTS is not JSON") as caught:
        addresses(configured, "bank")
    assert "s3cret" not in str(caught.value)


def run(name: str, after: dt.datetime) -> Run:
    return Run("payments", name, after)


def report_of(which: Run, *, passed: bool = True, loaded: bool = True):
    bad = 0 if passed else 2
    first = {"amount_out_of_range": bad}
    counts = Counts(10, 10 - bad, bad, first, first, {})
    report = judged(CONTRACT, which, "in.csv", counts, {}, started_at=which.run_after, finished_at=which.run_after)
    return report.loaded(Load(10, 0, 0, 0), which.run_after) if passed and loaded else report


def test_a_stopped_run_is_told_with_its_breaches_and_counts():
    message = about_run("payments", "r1", report_of(run("r1", NOW), passed=False), "transform")
    assert message.title == "payments: the contract stopped a load"
    assert message.body == (
        "Run r1.\nSource: in.csv.\n2 rows broke the rule amount_out_of_range, which stops the load.\n"
        "10 rows in, 8 accepted, 2 rejected.\n- amount_out_of_range: 2"
    )


def test_a_file_that_did_not_pass_the_gate_is_told_with_its_sentence():
    report = stopped_at_gate(
        CONTRACT, run("r1", NOW), "in.csv", ["The file is empty."], started_at=NOW, finished_at=NOW
    )
    assert "The file is empty." in about_run("payments", "r1", report, "ingest").body


def test_a_run_that_failed_otherwise_names_its_task():
    message = about_run("payments", "r1", None, "load")
    assert message.title == "payments: a run failed"
    assert message.body == "Run r1.\nThe task load failed; its log says why."


def lake_with(folder, *reports):
    lake = open_lake(f"file://{folder}")
    for which, report in reports:
        lake.write_bytes(which.report, f"{report.to_json()}\n".encode())
    return lake


def ran(name: str, hours_ago: int, **kind: bool):
    which = run(name, NOW - dt.timedelta(hours=hours_ago))
    return which, report_of(which, **kind)


def test_a_good_run_within_the_promised_time_is_fresh(tmp_path):
    assert stale(CONTRACT, lake_with(tmp_path, ran("a", 25)), NOW) is None


@pytest.mark.parametrize("kind", [{"passed": False}, {"loaded": False}])
def test_a_run_that_stopped_or_was_not_loaded_does_not_count(tmp_path, kind):
    found = stale(CONTRACT, lake_with(tmp_path, ran("a", 40), ran("b", 2, **kind)), NOW)
    assert found == Stale("payments", dt.timedelta(hours=26), NOW - dt.timedelta(hours=40))


def test_the_newest_good_run_of_a_day_counts(tmp_path):
    assert stale(CONTRACT, lake_with(tmp_path, ran("z", 11), ran("b", 3), ran("c", 1, passed=False)), NOW) is None


def test_a_contract_that_never_ran_is_stale(tmp_path):
    found = stale(CONTRACT, lake_with(tmp_path), NOW)
    assert found is not None
    assert found.sentence == "payments never had a good run, and the contract promises one every 26 hours."


def test_the_sentence_of_a_stale_contract_says_when_it_last_ran():
    found = Stale("payments", dt.timedelta(days=1), NOW)
    assert found.sentence == (
        "The last good run of payments ended at 2026-09-15T12:00:00Z, and the contract promises one every 1 day."
    )


def test_a_staleness_that_was_told_is_known_until_there_is_another(tmp_path):
    first, second = (Stale("payments", dt.timedelta(hours=1), NOW + dt.timedelta(hours=n)) for n in (0, 5))
    Memory(tmp_path / "state" / "told.json").remember(first)
    memory = Memory(tmp_path / "state" / "told.json")
    assert (memory.knows(first), memory.knows(second)) == (True, False)


@pytest.mark.parametrize(
    ("seconds", "words"), [(3600, "1 hour"), (93_600, "26 hours"), (172_800, "2 days"), (90, "90 seconds")]
)
def test_a_length_of_time_is_said_in_its_largest_whole_unit(seconds, words):
    assert in_words(dt.timedelta(seconds=seconds)) == words
