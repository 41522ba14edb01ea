"""Gauges, as they arrive at a real UDP socket."""

import socket

import pytest

from rowgate.adapters.metrics import StatsdAddress, gauges, send

REPORT = {
    "contract": "toy",
    "outcome": "passed",
    "total": 10,
    "accepted": 7,
    "rejected": 3,
    "accept_rate": 0.7,
    "finished_at": "2026-09-15T10:00:05Z",
    "rejected_by_reason": {"malformed_record": 0, "no_name": 3},
    "violations_by_reason": {"malformed_record": 0, "no_name": 4},
    "warnings_by_reason": {"odd_name": 2},
}
LOADED = REPORT | {"inserted": 4, "updated": 1, "unchanged": 1, "repeated": 1}


def test_every_figure_of_a_report_is_a_gauge():
    assert dict(gauges(REPORT)) == {
        "airflow.dq.toy.total": 10,
        "airflow.dq.toy.accepted": 7,
        "airflow.dq.toy.rejected": 3,
        "airflow.dq.toy.accept_rate": 0.7,
        "airflow.dq.toy.last_run_timestamp": 1789466405,
        "airflow.dq.toy.rejected_by_reason.malformed_record": 0,
        "airflow.dq.toy.rejected_by_reason.no_name": 3,
        "airflow.dq.toy.violations_by_reason.malformed_record": 0,
        "airflow.dq.toy.violations_by_reason.no_name": 4,
        "airflow.dq.toy.warnings_by_reason.odd_name": 2,
    }


def test_the_loads_figures_are_gauges_once_they_are_there():
    loaded = dict(gauges(LOADED))
    assert [loaded[f"airflow.dq.toy.{figure}"] for figure in ("inserted", "updated", "unchanged", "repeated")] == [
        4,
        1,
        1,
        1,
    ]


def test_the_moment_of_a_good_run_is_sent_after_everything_else():
    assert gauges(LOADED)[-1] == ("airflow.dq.toy.last_good_run_timestamp", 1789466405)


def test_a_run_that_stopped_is_no_good_run():
    assert "airflow.dq.toy.last_good_run_timestamp" not in dict(gauges(LOADED | {"outcome": "stopped"}))


def test_gauges_arrive_over_udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(10)
        send(
            StatsdAddress(*listener.getsockname()), [("airflow.dq.toy.accept_rate", 0.7), ("airflow.dq.toy.total", 0.0)]
        )
        assert listener.recv(65_536) == b"airflow.dq.toy.accept_rate:0.7|g\nairflow.dq.toy.total:0.0|g"


def test_a_host_that_does_not_resolve_is_said_and_fails_nothing(caplog: pytest.LogCaptureFixture):
    send(StatsdAddress("no-such-host.invalid", 8125), [("airflow.dq.toy.total", 1.0)])
    assert "No gauges were sent: no-such-host.invalid:8125 cannot be reached" in caplog.text
