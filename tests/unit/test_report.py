"""The report: what it counts, what it says, and when it stops a load."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from rowgate.contract.checks import Between, NotBlank
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, Policy
from rowgate.contract.types import Integer, Text
from rowgate.errors import ReconciliationError, RowgateError
from rowgate.stages.outcome import judged, stopped_at_gate
from rowgate.stages.report import Counts, Load, parse_report
from rowgate.stages.run import Run

BEGAN, ENDED = datetime(2026, 9, 15, 10, tzinfo=UTC), datetime(2026, 9, 15, 10, 0, 5, tzinfo=UTC)
RUN = Run("toy", "r1", BEGAN)
TOY = Contract(
    name="toy",
    version="1.0.0",
    owner="team",
    columns=(Column("name", Text(), required=True), Column("age", Integer(32))),
    rules=(FieldRule("name", NotBlank(), "no_name"), FieldRule("age", Between(18, 99), "bad_age")),
)
COUNTS = Counts(
    total=10,
    accepted=7,
    rejected=3,
    first={"no_name": 2, "bad_age": 1},
    violations={"no_name": 2, "bad_age": 3},
    warnings={},
)


def report(contract=TOY, counts=COUNTS, values=None):
    return judged(contract, RUN, "a.csv", counts, values or {}, started_at=BEGAN, finished_at=ENDED)


def test_every_reason_of_the_contract_is_there_with_0_where_nothing_broke():
    assert report().rejected_by_reason == {"malformed_record": 0, "no_name": 2, "bad_age": 1}


def test_quarantined_rows_do_not_stop_a_run():
    assert (report().outcome, report().breaches, report().accept_rate) == ("passed", [], 0.7)


def test_a_broken_fail_rule_stops_the_run_and_says_how_many_rows_broke_it():
    hard = replace(TOY, rules=(TOY.rules[0], replace(TOY.rules[1], policy=Policy.FAIL)))
    assert report(hard).outcome == "stopped"
    assert report(hard).breaches == ["3 rows broke the rule bad_age, which stops the load."]


def test_a_malformed_record_stops_a_hard_contract():
    counts = Counts(2, 1, 1, {"malformed_record": 1}, {"malformed_record": 1}, {})
    assert report(replace(TOY, policy=Policy.FAIL), counts).breaches == [
        "1 row broke the rule malformed_record, which stops the load."
    ]


def test_a_malformed_record_does_not_stop_a_quarantine_contract():
    assert report(TOY, Counts(2, 1, 1, {"malformed_record": 1}, {"malformed_record": 1}, {})).outcome == "passed"


def test_warnings_are_counted_apart():
    soft = replace(TOY, policy=Policy.WARN)
    found = report(soft, Counts(10, 10, 0, {}, {}, {"bad_age": 3}))
    assert (found.outcome, found.warnings_by_reason) == ("passed", {"no_name": 0, "bad_age": 3})


@pytest.mark.parametrize(
    ("values", "state", "outcome"),
    [
        ({"share": 0.5}, "met", "passed"),
        ({"share": 0.51}, "breached", "stopped"),
        ({"share": None}, "breached", "stopped"),
        ({}, "not_evaluated", "passed"),
    ],
)
def test_a_dataset_rule_is_met_up_to_its_threshold(values, state, outcome):
    ruled = replace(TOY, dataset_rules=(DatasetRule("share", "SELECT 1 FROM {table}", 0.5),))
    found = report(ruled, values=values)
    assert (found.quality_rules[0].state, found.outcome) == (state, outcome)


@pytest.mark.parametrize(
    ("limits", "value", "said"),
    [
        ({"threshold": 0.5}, 0.75, "The dataset rule m gave 0.75, where at most 0.5 is allowed."),
        ({"threshold": 0.5}, None, "The dataset rule m gave no number (NULL), where at most 0.5 is allowed."),
        (
            {"threshold": 500, "low": 5},
            3,
            "The dataset rule m gave 3, where at least 5 and at most 500 is allowed.",
        ),
        (
            {"threshold": None, "low": 1234567, "above_low": True},
            1234567,
            "The dataset rule m gave 1234567, where more than 1234567 is allowed.",
        ),
    ],
)
def test_a_breach_says_the_measured_number_and_the_limit(limits, value, said):
    ruled = replace(TOY, dataset_rules=(DatasetRule("m", "SELECT 1 FROM {table}", **limits),))
    found = report(ruled, values={"m": value})
    assert found.breaches == [said]
    assert (found.quality_rules[0].value, found.quality_rules[0].low) == (value, limits.get("low"))


def test_a_dataset_rule_of_a_soft_contract_is_said_and_stops_nothing():
    soft = replace(TOY, policy=Policy.WARN, dataset_rules=(DatasetRule("share", "SELECT 1 FROM {table}", 0.5),))
    found = report(soft, Counts(1, 1, 0, {}, {}, {}), {"share": 0.9})
    assert (found.quality_rules[0].state, found.breaches) == ("breached", [])


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"max_reject_rate": 0.29}, "30.00% of the records were rejected, where max_reject_rate allows 29.00%."),
        ({"min_rows": 8}, "Only 7 rows would load, where min_rows asks for 8."),
    ],
)
def test_a_limit_that_is_passed_stops_the_run(limit, said):
    assert report(replace(TOY, **limit)).breaches == [said]


@pytest.mark.parametrize("limit", [{"max_reject_rate": 0.3}, {"min_rows": 7}])
def test_a_limit_that_is_just_met_stops_nothing(limit):
    assert report(replace(TOY, **limit)).outcome == "passed"


@pytest.mark.parametrize(
    "counts", [replace(COUNTS, accepted=8), replace(COUNTS, first={"no_name": 2}), replace(COUNTS, total=11)]
)
def test_counts_that_do_not_add_up_are_no_report(counts):
    with pytest.raises(ReconciliationError):
        report(counts=counts)


def test_a_load_that_does_not_account_for_every_accepted_row_is_refused():
    with pytest.raises(ReconciliationError, match="accounts for 6 rows, but 7 were accepted"):
        report().loaded(Load(inserted=3, updated=1, unchanged=1, repeated=1), ENDED)


def test_a_file_without_records_is_accepted_whole():
    assert report(counts=Counts(0, 0, 0, {}, {}, {})).accept_rate == 1.0


def test_a_file_stopped_at_the_gate_counts_nothing_and_has_rate_0():
    found = stopped_at_gate(TOY, RUN, "a.csv", ["The file is empty."], started_at=BEGAN, finished_at=ENDED)
    assert (found.outcome, found.total, found.accept_rate, found.breaches) == (
        "stopped",
        0,
        0.0,
        ["The file is empty."],
    )


def test_a_check_has_no_run_and_no_partition():
    found = judged(TOY, None, "a.csv", COUNTS, {}, started_at=BEGAN, finished_at=ENDED).to_dict()
    assert (found["run_id"], found["dt"]) == (None, None)


def test_a_report_is_one_line_and_reads_back_as_it_was():
    written = report().loaded(Load(4, 1, 1, 1), ENDED)
    assert "\n" not in written.to_json()
    assert parse_report(written.to_json()) == written


def test_times_are_in_utc():
    assert (report().started_at, report().finished_at) == ("2026-09-15T10:00:00Z", "2026-09-15T10:00:05Z")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"quality_rules": []}', "not json", b"\xff\xfe{"])
def test_what_is_no_report_is_refused_in_one_sentence(text):
    with pytest.raises(RowgateError, match="The report cannot be read"):
        parse_report(text)


@pytest.mark.parametrize(
    ("accepted", "told"),
    [(0, "0.0%"), (1, "< 0.1%"), (12_345, "12.3%"), (99_999, "> 99.9%"), (100_000, "100.0%")],
)
def test_the_rate_for_a_person_never_rounds_to_all_or_nothing(accepted, told):
    rejected = 100_000 - accepted
    counts = Counts(100_000, accepted, rejected, {"no_name": rejected}, {"no_name": rejected}, {})
    assert report(counts=counts).rate == told
