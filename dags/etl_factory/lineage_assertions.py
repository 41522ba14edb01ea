"""A report as OpenLineage's data-quality assertions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from openlineage.client.facet_v2 import data_quality_assertions_dataset

from rowgate.contract.model import MALFORMED, Contract, Policy

if TYPE_CHECKING:
    from rowgate.stages.report import Report

_WORD = re.compile(r"(?<!^)(?=[A-Z])")

Assertion = data_quality_assertions_dataset.Assertion


def assertions(contract: Contract, report: Report) -> list[Assertion]:
    """The report as assertions: the file, malformed records, each rule of a field, each rule about the whole file.

    `actual` is how many rows broke the rule, or what a rule about the whole file measured. Of a file that was refused
    as a whole no row was judged, so only that is said; and a rule that was not evaluated is left out.
    """
    found = [Assertion("file", success=report.judged, name="file", severity="error")]
    if not report.judged:
        return found
    broken = report.violations_by_reason | report.warnings_by_reason
    found.append(_counted("well_formed", MALFORMED, broken.get(MALFORMED, 0)))
    for rule in contract.rules:
        kind = _WORD.sub("_", type(rule.check).__name__).lower()
        rows = broken.get(rule.reason, 0)
        severity = "error" if contract.rejects(rule) else "warn"
        found.append(_counted(kind, rule.reason, rows, column=rule.field, severity=severity))
    found += [
        Assertion(
            "dataset_rule",
            success=rule.state == "met",
            name=rule.name,
            severity="warn" if contract.policy is Policy.WARN else "error",
            expected=rule.allowed,
            actual=None if rule.value is None else f"{rule.value:.15g}",
        )
        for rule in report.quality_rules
        if rule.state != "not_evaluated"
    ]
    return found


def _counted(kind: str, reason: str, rows: int, column: str | None = None, severity: str = "error") -> Assertion:
    return Assertion(
        kind, success=not rows, column=column, name=reason, severity=severity, expected="0", actual=str(rows)
    )
