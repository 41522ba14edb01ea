"""Ending what was started: a group of processes, and this one when it is asked to."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STEP = 0.05  # seconds between two looks at it


@contextmanager
def ended_by(*signals: signal.Signals) -> Iterator[None]:
    """Have these signals end the block as Ctrl-C does, so that what it started is ended too."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_group(leader: subprocess.Popen[bytes], patience: float = 30.0) -> None:
    """End the whole group of a process that leads one, also what outlives its leader.

    Args:
        leader: the process; it was started with a session of its own.
        patience: seconds that the group has to end by itself, once it is asked to.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(leader.pid, number)
        except (ProcessLookupError, PermissionError):
            break  # nobody is left, or only the dead (macOS)
        end = time.monotonic() + patience
        while time.monotonic() < end and _alive(leader):
            time.sleep(STEP)
    leader.wait()


def _alive(leader: subprocess.Popen[bytes]) -> bool:
    leader.poll()
    try:
        os.killpg(leader.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
