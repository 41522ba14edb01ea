"""The page itself, as Streamlit runs it: from top to bottom, each time that something is picked."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from rowgate.adapters.lake import Lake
from rowgate.adapters.warehouse import connect
from rowgate.contract import catalog
from rowgate.contract.model import Contract
from rowgate.dashboard import figures, marts, pieces
from rowgate.dashboard.places import DEMO, KEY, warehouse
from rowgate.dashboard.rejects import show_rejects
from rowgate.errors import RowgateError
from rowgate.settings import Settings, read_settings
from rowgate.stages.marts import Mart, published
from rowgate.stages.report import Report
from rowgate.stages.run import Run
from rowgate.stages.runs import Runs, newest
from rowgate.targets import dbt_models, markdown

SHOWN = 50  # runs on the page
_FRESH = 5  # seconds for which what was read serves again: one look at the page reads it once


def main() -> None:
    """Show the page; what cannot be shown is told in a sentence where it would stand."""
    st.set_page_config(
        page_title="rowgate", layout="wide", menu_items={"Get help": None, "Report a bug": None, "About": None}
    )
    st.html(Path(__file__).with_name("style.css"))
    try:
        _page(read_settings(Path(os.environ["ROWGATE_PROJECT"]), os.environ), os.environ)
    except RowgateError as error:
        st.html(pieces.notice(str(error), bad=True))


def _page(settings: Settings, environ: Mapping[str, str]) -> None:
    st.title("Why is this record not in the warehouse?", anchor=False)
    if environ.get(DEMO):
        st.html(
            pieces.notice("A demonstration: the people and orders on this page are made up, and gone when it ends.")
        )
    contracts = {contract.name: contract for contract in catalog.load_all(settings.contracts)}
    if not contracts:
        raise RowgateError(f"There is no contract in {settings.contracts}; `rowgate init FILE` drafts one.")
    left, right = st.columns([1, 3])
    names = list(contracts)
    with left:
        first = names.index("users") if "users" in names else 0
        picked = st.selectbox("Contract", names, index=first, key="contract", bind="query-params")
    contract = contracts[picked or names[first]]
    with right:
        found = _runs(settings, contract)
        report = _pick(contract, found.reports) if found and found.reports else None
    if found is not None:
        _quality(settings, contract, found, report)
    _marts(settings, environ, contract)
    if report is not None and report.run_id and report.dt:
        st.header("Rejected rows of this run", anchor=False)
        day = datetime.fromisoformat(report.dt).replace(tzinfo=UTC)
        show_rejects(contract, report, Run(contract.name, report.run_id, day), _lake(settings), environ.get(KEY, ""))
    _dictionary(contract)


def _runs(settings: Settings, contract: Contract) -> Runs | None:
    """The contract's newest runs; None where the lake cannot be read, which is told."""
    try:
        return _read_runs(settings.lake, contract.name, settings)
    except RowgateError as error:
        st.html(pieces.notice(str(error), bad=True))
        return None


@st.cache_data(ttl=_FRESH, show_spinner=False, max_entries=16)
def _read_runs(lake: str, name: str, _settings: Settings) -> Runs:  # noqa: ARG001 - the cache tells lakes apart by it
    return newest(_lake(_settings), name, SHOWN)


def _lake(settings: Settings) -> Lake:
    return settings.open_lake()


def _pick(contract: Contract, reports: tuple[Report, ...]) -> Report:
    """The run that is picked, which the page's address names so that a link leads to it."""
    known = {report.run_id or "": report for report in reports}
    ids, key = list(known), f"run of {contract.name}"
    wanted = st.query_params.get("run")
    if st.session_state.get(key) not in known:
        st.session_state[key] = wanted if wanted in known else ids[0]
    picked = st.selectbox("Run", ids, format_func=lambda run: figures.label(known[run]), key=key) or ids[0]
    if picked != ids[0]:
        st.query_params["run"] = picked
    elif "run" in st.query_params:
        del st.query_params["run"]
    return known[picked]


def _quality(settings: Settings, contract: Contract, found: Runs, report: Report | None) -> None:
    for key in found.unreadable:
        st.html(pieces.notice(f"{key} in the lake is no report that can be read; it is left out.", bad=True))
    if report is None:
        example = "`make run`" if contract.name == "users" else f"`rowgate run {contract.name} --source FILE.csv`"
        st.html(pieces.notice(f"There is no run of {contract.name} in {settings.lake} yet; {example} makes one."))
        return
    reports = found.reports
    place = reports.index(report)
    st.html(figures.run_figures(report, reports[place + 1] if place + 1 < len(reports) else None))
    st.html(
        pieces.small(f"Source: {report.source}. Contract: {report.contract} {report.version}. Run: {report.run_id}.")
    )
    if report.breaches:
        st.html(pieces.notice(*report.breaches, bad=True))
    st.header("Why rows were rejected", anchor=False)
    st.html(figures.reasons(contract, report))
    warned = figures.warnings(report)
    if warned:
        st.html(warned)
    st.header("Accept rate over time", anchor=False)
    runs = "1 run" if len(reports) == 1 else f"{len(reports)} runs"
    newer = f"The newest {runs}" if len(reports) == SHOWN else runs
    floor = None if contract.max_reject_rate is None else f"{1 - contract.max_reject_rate:.1%}"
    st.html(pieces.small(f"{newer}, in UTC{f'; the dashed line is the floor, {floor}' if floor else ''}."))
    summary = f"Accept rate of {runs}, the newest {reports[0].rate}, the oldest {reports[-1].rate}."
    st.altair_chart(figures.trend(contract, reports), width="stretch", alt=summary)
    st.header("Where rejected rows came from", anchor=False)
    st.html(figures.sources(reports))


def _marts(settings: Settings, environ: Mapping[str, str], contract: Contract) -> None:
    st.header("What the warehouse has", anchor=False)
    try:
        found = _read_marts(settings.lake, contract.name, settings, environ)
    except RowgateError as error:
        st.html(pieces.notice(str(error), bad=True))
        return
    if not found[0] and not found[1]:
        folder = f"dbt/models/marts/{contract.name}"
        st.html(pieces.notice(f"{contract.name} has no marts: there is no model in {folder}."))
        return
    for mart, column in zip(found[0], st.columns(min(2, len(found[0]) or 1)) * len(found[0]), strict=False):
        with column:
            st.subheader(marts.title(mart.name), anchor=False)
            st.html(marts.show(mart))
    for name in found[1]:
        st.html(pieces.notice(f"The mart {name} is not published yet; a run whose dbt tests are green publishes it."))


@st.cache_data(ttl=_FRESH, show_spinner=False, max_entries=16)
def _read_marts(_uri: str, name: str, _settings: Settings, _environ: Mapping[str, str]) -> tuple[list[Mart], list[str]]:
    models = [each for each in dbt_models.read(_settings.project) if (each.contract, each.layer) == (name, "marts")]
    if not models:
        return [], []
    with connect(warehouse(_settings, _environ), read_only=True) as connection:
        return published(models, name, connection)


def _dictionary(contract: Contract) -> None:
    st.header("The contract", anchor=False)
    with st.expander(f"Data dictionary of {contract.name} {contract.version}"):
        # Without the comment on top, which is for those who read the file.
        st.markdown(markdown.render(contract).partition("-->\n")[2])


if __name__ == "__main__":
    main()
