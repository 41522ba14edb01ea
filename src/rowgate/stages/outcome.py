"""What a report says: whether the run passed, and the sentences about what it breached."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from rowgate.contract.model import MALFORMED, Contract, DatasetRule, Policy
from rowgate.errors import ReconciliationError
from rowgate.stages.report import Counts, QualityRule, Report, State, moment
from rowgate.stages.run import Run


def stopped_at_gate(
    contract: Contract,
    run: Run | None,
    source: str,
    sentences: Iterable[str],
    *,
    started_at: datetime,
    finished_at: datetime,
) -> Report:
    """The report of a file that did not pass the file gate: no row was judged, so every count and the rate are 0."""
    nothing = Counts(0, 0, 0, {}, {}, {})
    return _report(contract, run, source, nothing, [], list(sentences), 0.0, started_at, finished_at)


def judged(
    contract: Contract,
    run: Run | None,
    source: str,
    counts: Counts,
    values: Mapping[str, float | None],
    *,
    unevaluated: Collection[str] = (),
    started_at: datetime,
    finished_at: datetime,
) -> Report:
    """The report of a file whose rows were judged.

    Args:
        contract: the contract.
        run: None for a check.
        source: where the file came from, as a person knows it.
        counts: how many rows met which end.
        values: what each dataset rule returned; a rule that is not in it was not evaluated.
        unevaluated: the reasons of rules that refer to keys of which there are none yet.
        started_at: when the judging began.
        finished_at: when it ended.

    Raises:
        ReconciliationError: the counts do not add up.
    """
    _reconcile(contract, counts)
    rate = counts.accepted / counts.total if counts.total else 1.0
    rules = [
        *_limits(contract, counts),
        *(_dataset_rule(rule, values) for rule in contract.dataset_rules),
        *(QualityRule(reason, None, 0, "not_evaluated", allowed="at most 0") for reason in unevaluated),
    ]
    breaches = [*_row_breaches(contract, counts), *_rule_breaches(contract, rules)]
    return _report(contract, run, source, counts, rules, breaches, rate, started_at, finished_at)


def _report(
    contract: Contract,
    run: Run | None,
    source: str,
    counts: Counts,
    rules: list[QualityRule],
    breaches: list[str],
    rate: float,
    started_at: datetime,
    finished_at: datetime,
) -> Report:
    warning = [reason for reason in contract.reasons if reason not in contract.rejecting_reasons]
    return Report(
        contract=contract.name,
        version=contract.version,
        run_id=run.run_id if run else None,
        dt=run.dt if run else None,
        source=source,
        outcome="stopped" if breaches else "passed",
        total=counts.total,
        accepted=counts.accepted,
        rejected=counts.rejected,
        accept_rate=rate,
        rejected_by_reason={reason: counts.first.get(reason, 0) for reason in contract.reasons},
        violations_by_reason={reason: counts.violations.get(reason, 0) for reason in contract.reasons},
        warnings_by_reason={reason: counts.warnings.get(reason, 0) for reason in warning},
        quality_rules=rules,
        breaches=breaches,
        started_at=moment(started_at),
        finished_at=moment(finished_at),
    )


def _reconcile(contract: Contract, counts: Counts) -> None:
    if counts.total != counts.accepted + counts.rejected:
        raise ReconciliationError(
            f"{contract.name}: the manifest counts {counts.total} records, but {counts.accepted} were accepted and "
            f"{counts.rejected} rejected; clear 'transform' to judge the run again."
        )
    if sum(counts.first.values()) != counts.rejected:
        raise ReconciliationError(
            f"{contract.name}: {counts.rejected} rows were rejected, but {sum(counts.first.values())} have a reason; "
            "clear 'transform' to judge the run again."
        )


def _limits(contract: Contract, counts: Counts) -> list[QualityRule]:
    found = []
    if contract.max_reject_rate is not None:
        rate = counts.rejected / counts.total if counts.total else 0.0
        most = contract.max_reject_rate
        state: State = "breached" if rate > most else "met"
        found.append(QualityRule("max_reject_rate", rate, most, state, allowed=f"at most {most:g}"))
    if contract.min_rows is not None:
        state = "breached" if counts.accepted < contract.min_rows else "met"
        allowed = f"at least {contract.min_rows}"
        found.append(QualityRule("min_rows", counts.accepted, contract.min_rows, state, allowed=allowed))
    return found


def _dataset_rule(rule: DatasetRule, values: Mapping[str, float | None]) -> QualityRule:
    value = values.get(rule.name)
    state: State = "breached" if value is None or not rule.allows(value) else "met"
    if rule.name not in values:
        state = "not_evaluated"
    return QualityRule(rule.name, value, rule.threshold, state, rule.low, rule.allowed)


def _row_breaches(contract: Contract, counts: Counts) -> list[str]:
    hard = [rule.reason for rule in contract.rules if contract.policy_of(rule) is Policy.FAIL]
    reasons = [MALFORMED, *hard] if contract.policy is Policy.FAIL else hard
    return [
        f"{_rows(counts.violations[reason])} broke the rule {reason}, which stops the load."
        for reason in reasons
        if counts.violations.get(reason)
    ]


def _rule_breaches(contract: Contract, rules: Iterable[QualityRule]) -> list[str]:
    if contract.policy is Policy.WARN:
        return []
    return [_sentence(rule) for rule in rules if rule.state == "breached"]


def _sentence(rule: QualityRule) -> str:
    if rule.value is None:
        return f"The dataset rule {rule.name} gave no number (NULL), where {rule.allowed} is allowed."
    if rule.name == "min_rows":
        return f"Only {_rows(int(rule.value))} would load, where min_rows asks for {rule.threshold:.15g}."
    if rule.name == "max_reject_rate":
        return f"{rule.value:.2%} of the records were rejected, where max_reject_rate allows {rule.threshold:.2%}."
    return f"The dataset rule {rule.name} gave {rule.value:.15g}, where {rule.allowed} is allowed."


def _rows(number: int) -> str:
    return f"{number:,} row" if number == 1 else f"{number:,} rows"
