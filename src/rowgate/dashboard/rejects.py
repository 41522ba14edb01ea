"""The look at a run's rejected rows. What tells of a person does not leave the server until it is asked for."""

import secrets

import streamlit as st

from rowgate.adapters.lake import Lake
from rowgate.contract.model import Contract
from rowgate.dashboard.pieces import Cell, Head, notice, small, table
from rowgate.stages.rejected_rows import RAW, RejectedRows, rejected_rows
from rowgate.stages.report import Report
from rowgate.stages.run import Run

SHOWN = 50
"""Rows on the page."""
_EVERY = "every reason"
_HIDDEN = "Values that tell of a person are hidden: they stay on the server until you ask for them."


def show_rejects(contract: Contract, report: Report, run: Run, lake: Lake, key: str) -> None:
    """Show the first rejected rows of a run, of all reasons or of one.

    Args:
        contract: the contract.
        report: the run's report.
        run: whose rejects.
        lake: where they are.
        key: what the page's address must hold for personal data to be shown.

    Raises:
        RowgateError: the lake cannot be read.
    """
    if not report.rejected:
        st.html(notice("No row of this run was rejected." if report.total else "This run judged no row."))
        return
    broken = [reason for reason, number in report.violations_by_reason.items() if number]
    chosen = f"reason of {run.contract} {run.run_id}"
    if chosen not in st.session_state and st.query_params.get("reason") in broken:  # a link may name one
        st.session_state[chosen] = st.query_params["reason"]
    reason = st.selectbox("Reason", [_EVERY, *broken], key=chosen) or _EVERY
    allowed = bool(key) and secrets.compare_digest(st.query_params.get("key", "").encode(), key.encode())
    asked_for = f"personal data of {run.contract} {run.run_id}"
    personal = st.toggle("Show personal data", key=asked_for, disabled=not allowed) and allowed
    st.html(
        notice("These rows tell of people. Look at what you need, do not copy it, and switch this off again.", bad=True)
        if personal
        else small(_HIDDEN if allowed else f"{_HIDDEN} Only the address that `rowgate dashboard` printed lets you ask.")
    )
    asked = None if reason == _EVERY else reason
    found = rejected_rows(contract, run, lake, reason=asked, limit=SHOWN, personal=personal)
    if found is None:
        place = lake.uri_of(run.folder("rejects"))
        st.html(notice(f"The rejected rows of this run are not in {place} any more; its report stays.", bad=True))
        return
    st.html(_table(found))


def _table(found: RejectedRows) -> str:
    """The rows; the text of malformed records only where there is one."""
    malformed = any(row.values[found.columns.index(RAW)] for row in found.rows) if RAW in found.columns else False
    kept = [place for place, name in enumerate(found.columns) if name != RAW or malformed]
    rows: list[list[Cell]] = []
    for row in found.rows:
        # A malformed record has no fields, and any other has no text of its own: that is not a missing value.
        text = row.values[found.columns.index(RAW)] if RAW in found.columns else None
        cells = ["" if (found.columns[place] == RAW) is (text is None) else row.values[place] for place in kept]
        rows.append([row.number, ", ".join(row.reasons), *cells])
    shown = f"the first {len(found.rows)} of " if found.total > len(found.rows) else ""
    heads = [
        Head("record", number=True),
        Head("reasons", wide=True),
        *(Head(found.columns[place].replace("_", " ")) for place in kept),
    ]
    return table(f"Rejected rows: {shown}{found.total:,}", heads, rows)
