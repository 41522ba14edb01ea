"""What an owner is told about a failed run: the report's sentences and counts, and no row's values."""

from dataclasses import dataclass

from rowgate.stages.report import Report


@dataclass(frozen=True)
class Message:
    """One alert: a line, and a text in plain sentences."""

    title: str
    body: str


def about_run(contract: str, run_id: str, report: Report | None, task: str | None) -> Message:
    """What is told of a run that failed.

    Args:
        contract: the contract's name.
        run_id: as Airflow knows it.
        report: the run's, None where it came to none.
        task: the task that failed last, None where it is not known.
    """
    lines = [f"Run {run_id}."]
    stopped = report is not None and report.outcome == "stopped"
    if report is not None:
        lines += [f"Source: {report.source}.", *report.breaches, _counts(report), *_reasons(report)]
    if not stopped:
        lines.append(f"The task {task} failed; its log says why." if task else "The log of its tasks says why.")
    return Message(
        f"{contract}: the contract stopped a load" if stopped else f"{contract}: a run failed", "\n".join(lines)
    )


def _counts(report: Report) -> str:
    return f"{report.total:,} rows in, {report.accepted:,} accepted, {report.rejected:,} rejected."


def _reasons(report: Report) -> list[str]:
    found = sorted(report.rejected_by_reason.items(), key=lambda item: -item[1])
    return [f"- {reason}: {rows:,}" for reason, rows in found if rows]
