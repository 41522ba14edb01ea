"""Exporter, Prometheus and Alertmanager, started from the files in monitoring/: they say what the reports hold."""

from datetime import datetime

import pytest

OUTCOMES = ("total", "accepted", "rejected", "inserted", "updated", "unchanged", "repeated")


@pytest.fixture
def last(seen):
    """The last report of each contract, as the gauges tell it."""
    return {name: reports[-1].to_dict() for name, reports in seen.reports.items()}


@pytest.fixture
def of_rule(seen):
    """What the expression of an alert says now: for each rule of that name, values by the labels named."""

    def ask(name, *labels):
        found = [rule["query"] for rule in seen.stack.rules() if rule["name"] == name and rule["type"] == "alerting"]
        return {key: value for query in found for key, value in seen.stack.values(query, *labels).items()}

    return ask


def test_every_rule_is_evaluated_without_an_error(seen, until):
    until(lambda: all(rule["health"] != "unknown" for rule in seen.stack.rules()))
    assert {rule["name"]: rule["lastError"] for rule in seen.stack.rules() if rule["health"] != "ok"} == {}


def test_everything_is_scraped(seen):
    assert seen.stack.values("up", "job") == {("statsd-exporter",): 1, ("alertmanager",): 1, ("prometheus",): 1}


def test_rows_are_those_of_the_last_reports(seen, last):
    expected = {
        (name, outcome): report[outcome] for name, report in last.items() for outcome in OUTCOMES if outcome in report
    }
    assert seen.stack.values("airflow_dq_rows", "contract", "outcome") == expected


def test_the_accept_rate_is_that_of_the_last_reports(seen, last):
    expected = {(name,): pytest.approx(report["accept_rate"]) for name, report in last.items()}
    assert seen.stack.values("airflow_dq_accept_rate", "contract") == expected


@pytest.mark.parametrize("figure", ["rejected_by_reason", "violations_by_reason", "warnings_by_reason"])
def test_reasons_are_those_of_the_last_reports(seen, last, figure):
    expected = {(reason,): rows for reason, rows in last["toy_orders"][figure].items()}
    assert any(expected.values()), "the figure says nothing"
    assert seen.stack.values(f'airflow_dq_{figure}{{contract="toy_orders"}}', "reason") == expected


def test_a_reason_that_nothing_breaks_any_more_is_0_again(seen):
    first, now = (seen.reports["toy_items"][at].rejected_by_reason["bad_count"] for at in (0, -1))
    query = 'airflow_dq_rejected_by_reason{contract="toy_items", reason="bad_count"}'
    assert (first, now, seen.stack.values(query)) == (1, 0, {(): 0})


def test_the_moments_are_those_of_the_reports(seen, last):
    ended = {name: datetime.fromisoformat(report["finished_at"]).timestamp() for name, report in last.items()}
    assert seen.stack.values("airflow_dq_last_run_timestamp_seconds", "contract") == {
        (name,): pytest.approx(moment, abs=1e-3) for name, moment in ended.items()
    }
    good = pytest.approx(ended["toy_items"], abs=1e-3)
    assert seen.stack.values("airflow_dq_last_good_run_timestamp_seconds", "contract") == {("toy_items",): good}


def test_nothing_of_the_pipelines_falls_through_unmapped(seen):
    assert seen.stack.query("airflow_dq_unmapped") == []


def test_the_shelf_holds_the_good_runs_newest_first(seen):
    rates = [report.accept_rate for report in seen.reports["toy_items"]]
    assert seen.stack.values("contract:airflow_dq_accept_rate:past", "contract", "run") == {
        ("toy_items", str(place)): pytest.approx(rate) for place, rate in enumerate(reversed(rates), start=1)
    }


def test_the_bare_names_of_airflow_are_left_out_where_they_have_no_tags(seen):
    assert seen.stack.query('{form="tagged", dag_id=~"toy_items_etl|toy_orders_etl|"}') == []


def test_what_airflow_counts_is_counted_once(seen):
    runs = "sum by (dag_id, state) (max without (form) (airflow_dagrun_duration_seconds_count))"
    assert seen.stack.values(runs, "dag_id", "state") == {
        ("toy_items_etl", "success"): 3,
        ("toy_orders_etl", "failed"): 1,
    }


def test_the_alert_under_the_floor_says_the_reports_rate(seen, of_rule):
    rate = seen.reports["toy_orders"][-1].accept_rate
    assert of_rule("AcceptRateUnderFloor", "contract", "owner") == {("toy_orders", "till-team"): pytest.approx(rate)}


def test_the_alert_far_under_the_median_says_the_reports_rate(seen, of_rule):
    rate = seen.reports["toy_items"][-1].accept_rate
    expected = {("toy_items", "data-platform"): pytest.approx(rate)}
    assert of_rule("AcceptRateFarUnderMedian", "contract", "owner") == expected


def test_the_alert_of_a_reason_that_doubled_says_its_share(seen, of_rule):
    report = seen.reports["toy_items"][-1]
    share = report.rejected_by_reason["bad_code"] / report.total
    assert of_rule("ReasonDoubled", "contract", "reason", "owner") == {
        ("toy_items", "bad_code", "data-platform"): pytest.approx(share)
    }


def test_the_alert_of_no_good_run_knows_the_promise(seen, of_rule):
    assert of_rule("NoGoodRun", "contract", "owner") == {("toy_orders", "till-team"): 3600}


def test_the_alert_of_a_failed_run_knows_whose_it_is(of_rule, until):
    assert list(until(lambda: of_rule("RunFailed", "dag_id", "owner"))) == [("toy_orders_etl", "till-team")]


def test_the_alerts_of_the_machinery_are_quiet_while_it_works(of_rule):
    assert (of_rule("SchedulerSilent"), of_rule("TargetDown")) == ({}, {})


@pytest.mark.parametrize(
    ("owner", "alert", "sentence"),
    [
        (
            "till-team",
            "AcceptRateUnderFloor",
            "toy_orders: 75% of the rows were accepted, fewer than the contract allows",
        ),
        ("till-team", "RunFailed", "A run of toy_orders_etl failed"),
        (
            "data-platform",
            "ReasonDoubled",
            "toy_items: 10% of the rows were rejected as bad_code, at least twice the share of the run before",
        ),
    ],
)
def test_an_alert_reaches_its_owners_webhook(seen, until, owner, alert, sentence):
    def messages():
        return [each["attachments"][0] for each in seen.stack.told.get(owner, ())]

    message = until(lambda: next((each for each in messages() if each["title"] == f"FIRING: {alert}"), None))
    assert message["text"].startswith(sentence)


def test_no_owner_is_told_of_anothers_contract(seen, until):
    until(lambda: {"till-team", "data-platform"} <= seen.stack.told.keys())
    told = {
        owner: " ".join(each["attachments"][0]["text"] for each in found) for owner, found in seen.stack.told.items()
    }
    assert ("toy_items" in told["till-team"], "toy_orders" in told["data-platform"]) == (False, False)
