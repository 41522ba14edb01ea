"""Which task is running: a live line on a terminal, a line for each task that ended elsewhere."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.console import Console

from rowgate.commands.events import Events, Task

if TYPE_CHECKING:
    import subprocess

_INTERVAL = 0.2  # seconds between two looks at the events


def watch(process: "subprocess.Popen[bytes]", events: Events, console: Console) -> None:
    """Show a run's tasks until the process ends."""
    with console.status("Airflow is starting", spinner="line") as status:
        while process.poll() is None:
            _show(events, console)
            running = [task for task in events.tasks.values() if task.seconds is None]
            if running:
                elapsed = (datetime.now(UTC) - running[-1].started).total_seconds()
                status.update(f"{running[-1].name} is running ({elapsed:.0f} s)")
            time.sleep(_INTERVAL)
        _show(events, console)


def _show(events: Events, console: Console) -> None:
    for task in events.refresh():
        console.print(_line(task), markup=False, highlight=False)


def _line(task: Task) -> str:
    return f"{task.name:<10} {'done' if task.state == 'success' else task.state:<7} {task.seconds or 0:6.1f} s"
