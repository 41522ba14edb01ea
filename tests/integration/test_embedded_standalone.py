"""Airflow with its web page, really started."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rowgate.embedded import postgres
from rowgate.embedded.postgres_process import free_port

PROGRAM = """
import os, sys
from pathlib import Path
from rowgate.embedded.standalone import standalone
sys.exit(standalone(Path(sys.argv[1]), os.environ, lambda line: print(line, flush=True)))
"""


def members(group):
    """The commands of a process group that are alive."""
    told = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if fields[2] == str(group) and fields[0] != "Z":
            told.append((stat.parent / "cmdline").read_text())
    return told


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for left-over processes in /proc")
def test_airflow_comes_up_says_where_and_leaves_nothing_behind(tmp_path, project):
    state = tmp_path / "a b κ"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AIRFLOW")}
    environ = {
        **kept,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "ROWGATE_STATE": str(state),
        "AIRFLOW__API__PORT": str(free_port(0)),
    }
    command = [sys.executable, "-c", PROGRAM, str(project)]
    child = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True)
    try:
        lines = []
        # The line is printed once the health page says that all parts are at work; the end of the pipe ends the loop.
        for line in child.stdout:
            lines.append(line)
            if line.startswith("Airflow is at "):
                break
        address = f"http://localhost:{environ['AIRFLOW__API__PORT']}"
        assert lines[-1].startswith(f"Airflow is at {address} (user admin, password in "), lines
        group = next(int(line.split()[4]) for line in stats() if line.split()[3] == str(child.pid))
        child.send_signal(signal.SIGTERM)
        assert child.wait(timeout=90) == 0
        assert members(group) == []
    finally:
        child.kill()
        child.wait()
        postgres.stop(state / "postgres")


def stats():
    """One line for each process: number, (name), state, parent, group, ..., blanks in names made safe."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = stat.read_text().partition(" (")
        except (FileNotFoundError, ProcessLookupError):
            continue
        yield f"{number} () {rest.rpartition(')')[2]}"
