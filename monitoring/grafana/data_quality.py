"""The dashboard *Data quality*: how much of what came was accepted, and which rule stopped the rest."""

import reasons
from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.models import common as options
from grafana_foundation_sdk.models import dashboard as model
from panels import (
    ACCEPT_RATE,
    BAD,
    BLUE,
    GREY,
    NEVER_RAN,
    SOURCE,
    USED,
    VERMILION,
    Panel,
    bars,
    board,
    column,
    contract_variable,
    lines,
    link,
    now,
    number,
    query,
    rows,
    source_variable,
    steps,
)
from promql import (
    AGE,
    CHOSEN,
    PROMISE_USED,
    of_chosen,
)
from promql import rows as rows_with

UID = "rowgate-quality"


def build() -> dashboard.Dashboard:
    """The dashboard, without the panels' ids."""
    region = dashboard.TextBoxVariable("region").label("AWS region").default_value("eu-central-1")
    page = dashboard.TextBoxVariable("page").label("Marts page").default_value("http://127.0.0.1:8501")
    made = board(
        "Data quality",
        UID,
        "Whether the data that came was good, and which rule stopped what was not: every figure is of a contract's "
        "last run.",
        [source_variable(), contract_variable(several=False), region, page],
    ).annotation(
        dashboard.AnnotationQuery()
        .name("Alerts")
        .datasource(SOURCE)
        .enable(True)  # noqa: FBT003 - the SDK's
        .icon_color(BAD)
        .expr(f'max by (alertname) (ALERTS{{{CHOSEN}, alertstate="firing"}})')
    )
    made = made.with_panel(_every_contract()).with_panel(_alerts()).with_row(dashboard.Row("$contract"))
    for panel in (_accept_rate(), _counts(), _age(), _promise_used(), _trend(), _accepted_and_rejected()):
        made = made.with_panel(panel)
    made = made.with_row(dashboard.Row("$contract: why rows were rejected"))
    for why in reasons.panels():
        made = made.with_panel(why)
    return made


def _every_contract() -> Panel:
    here = link(
        "Look at this contract", f"/d/{UID}/data-quality?var-contract=${{__value.raw}}&${{datasource:queryparam}}"
    )
    panel = rows(
        "Every contract",
        "Each contract's last run, and how long ago its last good run (passed and loaded) was. Choose a contract by "
        "its name.",
        {
            "contract": "Contract",
            "owner": "Owner",
            "Value #B": "Accept rate",
            "Value #C": "Accepted",
            "Value #D": "Rejected",
            "Value #E": "Last good run",
            "Value #F": "Promise used",
        },
    )
    for asked in (
        now("A", "max by (contract, owner) (rowgate_contract_info)"),
        now("B", "max by (contract) (airflow_dq_accept_rate)"),
        now("C", 'max by (contract) (airflow_dq_rows{outcome="accepted"})'),
        now("D", 'max by (contract) (airflow_dq_rows{outcome="rejected"})'),
        now("E", AGE),
        now("F", PROMISE_USED),
    ):
        panel = panel.with_target(asked)
    panel = panel.no_value("-").override_by_name("Contract", column(links=[here]))
    panel = panel.override_by_name("Accept rate", column(unit="percentunit", decimals=1, thresholds=ACCEPT_RATE))
    panel = panel.override_by_name("Last good run", column(unit="s"))
    return panel.override_by_name("Promise used", column(unit="percentunit", decimals=0, thresholds=USED)).span(16)


def _alerts() -> Panel:
    panel = rows(
        "Alerts that fire",
        "What Prometheus has told Alertmanager about the chosen contract, which passes it to the contract's owner.",
        {"alertname": "Alert", "reason": "Reason", "severity": "Severity"},
    )
    firing = f'max by (alertname, reason, severity) (ALERTS{{{CHOSEN}, alertstate="firing"}})'
    return panel.with_target(now("A", firing)).no_value("No alert fires for this contract").span(8)


def _accept_rate() -> Panel:
    panel = number(
        "Accept rate",
        "The share of the last run's rows that broke no rule that rejects. The colours are for the eye (from 80 % and "
        "95 %); alerts judge by the contract's own floor and by its last runs.",
        unit="percentunit",
    )
    panel = panel.with_target(query("A", f"max by (contract) (airflow_dq_accept_rate{{{CHOSEN}}})", "accept rate"))
    return panel.thresholds(ACCEPT_RATE).decimals(1).min(0).max(1).no_value(NEVER_RAN)


def _counts() -> Panel:
    panel = number("Rows of the last run", "Accepted and rejected: together every record of the file.", unit="short")
    panel = panel.with_target(query("A", rows_with("accepted"), "accepted"))
    panel = panel.with_target(query("B", rows_with("rejected"), "rejected")).no_value(NEVER_RAN)
    panel = panel.thresholds(steps(base=BLUE)).override_by_name("rejected", column(color=VERMILION))
    return panel.text_mode(options.BigValueTextMode.VALUE_AND_NAME)


def _age() -> Panel:
    panel = number(
        "Since the last good run",
        "How long ago the last run ended that passed and was loaded. What is promised stands beside it.",
        unit="s",
    )
    return panel.with_target(query("A", of_chosen(AGE), "age")).thresholds(steps(base=BLUE)).no_value("No good run yet")


def _promise_used() -> Panel:
    panel = number(
        "Freshness: share of the promise used",
        "The time since the last good run over the longest that the contract promises between two. Over 100 % an alert "
        "fires.",
        unit="percentunit",
    )
    panel = panel.with_target(query("A", of_chosen(PROMISE_USED), "used")).thresholds(USED).decimals(0).min(0)
    return panel.no_value("No freshness promised, or no good run yet")


def _trend() -> Panel:
    panel = lines(
        "Accept rate over time",
        "A step is a run. Beside it the median of the last seven good runs, once there are three, and the floor that "
        "the contract sets, if it does: under it a run stops; ten percentage points under the median an alert fires.",
        unit="percentunit",
    )
    panel = panel.with_target(query("A", f"max by (contract) (airflow_dq_accept_rate{{{CHOSEN}}})", "accept rate"))
    panel = panel.with_target(
        query("B", f"max by (contract) (contract:airflow_dq_accept_rate:median{{{CHOSEN}}})", "median of 7 runs")
    )
    panel = panel.with_target(
        query("C", f"max by (contract) (rowgate_contract_accept_rate_floor{{{CHOSEN}}})", "floor of the contract")
    )
    for name, colour, dash in (("median of 7 runs", GREY, [10, 6]), ("floor of the contract", VERMILION, [2, 4])):
        style = {"fill": "dash" if dash[0] > 2 else "dot", "dash": dash}  # noqa: PLR2004 - pixels
        panel = panel.override_by_name(
            name, [*column(color=colour), model.DynamicConfigValue("custom.lineStyle", style)]
        )
    panel = panel.override_by_name("accept rate", column(color=BLUE)).thresholds(ACCEPT_RATE)
    return panel.min(0).max(1).decimals(1).no_value(NEVER_RAN)


def _accepted_and_rejected() -> Panel:
    panel = bars("Accepted and rejected rows", "What the last run before each moment made of its rows.")
    panel = panel.with_target(query("A", rows_with("accepted"), "accepted"))
    panel = panel.with_target(query("B", rows_with("rejected"), "rejected")).no_value(NEVER_RAN)
    panel = panel.override_by_name("accepted", column(color=BLUE))
    return panel.override_by_name("rejected", column(color=VERMILION))
