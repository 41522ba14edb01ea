"""What the tasks of a run say while they work: one JSON object a line, in a file that `rowgate run` reads."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rowgate.stages.run import Run

LAST = "dbt_test"


@dataclass
class Task:
    """One task as far as it has come. `seconds` is how long it took, None while it runs."""

    name: str
    state: str
    started: datetime
    seconds: float | None
    details: dict[str, Any]


class Events:
    """The tasks of one run, in the order in which they began."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.tasks: dict[str, Task] = {}
        self.run: tuple[str, datetime] | None = None
        self._read = 0

    def refresh(self) -> list[Task]:
        """Read what is new, and return the tasks that ended."""
        try:
            with self.file.open("rb") as source:
                source.seek(self._read)
                new = source.read()
        except FileNotFoundError:
            return []
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        return [task for line in whole.splitlines() if (task := self._take(json.loads(line))) is not None]

    def _take(self, event: dict[str, Any]) -> Task | None:
        name, state, at = event.pop("task"), event.pop("state"), datetime.fromisoformat(event.pop("at"))
        self.run = event.pop("run_id"), datetime.fromisoformat(event.pop("run_after"))
        if state == "running":
            self.tasks[name] = Task(name, state, at, None, {})
            return None
        task = self.tasks[name]
        task.state, task.seconds, task.details = state, (at - task.started).total_seconds(), event
        return task

    def finished(self) -> bool:
        """Whether the last task was green."""
        return LAST in self.tasks and self.tasks[LAST].state == "success"

    def judged(self) -> bool:
        """Whether there is a report to show."""
        return any(task.details.get("reported") for task in self.tasks.values())

    def failed(self) -> Task | None:
        """The task that failed."""
        return next((task for task in self.tasks.values() if task.state == "failed"), None)

    def run_of(self, contract: str) -> Run:
        """The run that spoke.

        Raises:
            LookupError: no task has begun.
        """
        if self.run is None:
            raise LookupError("no task has begun")
        return Run(contract, *self.run)
