"""What spark-submit runs ends in a status that says whether trying again helps, and in one sentence."""

import os
import subprocess
import sys

import pytest


@pytest.fixture
def script(project, tmp_path):
    def run(*arguments):
        common = [
            "--project",
            project,
            "--lake",
            f"file://{tmp_path}/lake",
            "--run-id",
            "r",
            "--run-after",
            "2026-03-01",
        ]
        command = [sys.executable, project / "scripts" / "transform.py", *common, *arguments]
        return subprocess.run(
            list(map(str, command)), capture_output=True, text=True, env=dict(os.environ), check=False
        )

    return run


def test_a_contract_that_is_not_there_ends_in_status_3(script):
    done = script("--contract", "nobody")
    assert done.returncode == 3
    assert "rowgate: " in done.stderr
    assert "nobody" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_without_a_manifest_ends_in_status_1_and_one_sentence(script, spark):
    done = script("--contract", "users")
    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if line.startswith("rowgate: ")]
    assert "Traceback" not in done.stderr
