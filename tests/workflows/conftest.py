"""What checks the files under .github, the hooks before a commit, and the history for secrets."""

import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

missing = runpy.run_path(str(Path(__file__).parents[1] / "conftest.py"))["missing"]


@pytest.fixture(scope="session")
def built(project: Path) -> Callable[[str], str]:
    """The path of a program that `make workflow-tools` builds."""

    def find(name: str) -> str:
        found = project / ".rowgate" / "bin" / name
        if not found.exists():
            missing("workflows", f"{name} is not built; run `make workflow-tools`")
        return str(found)

    return find


@pytest.fixture(scope="session")
def workflows(project: Path) -> dict[str, Any]:
    """The workflows by the names of their files, as read."""
    files = sorted((project / ".github" / "workflows").glob("*.yml"))
    return {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in files}


@pytest.fixture
def changed(project: Path, tmp_path: Path) -> Callable[[str, str, str], Path]:
    """A copy of the project's .github in a repository of its own, with one text replaced in one file."""

    def change(file: str, old: str, new: str) -> Path:
        shutil.copytree(project / ".github", tmp_path / ".github")
        (tmp_path / ".git").mkdir()  # actionlint takes the folder that holds it for the repository
        victim = tmp_path / ".github" / file
        text = victim.read_text(encoding="utf-8")
        assert old in text
        victim.write_text(text.replace(old, new, 1), encoding="utf-8")
        return tmp_path

    return change


@pytest.fixture(scope="session")
def zizmor() -> Callable[[Path], str]:
    """What zizmor finds in a repository, "" where nothing."""

    def look(repository: Path) -> str:
        command = [str(Path(sys.prefix) / "bin" / "zizmor"), "--offline", "--no-progress", "--quiet", "--color=never"]
        done = subprocess.run([*command, str(repository / ".github")], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    return look


@pytest.fixture(scope="session")
def actionlint(built: Callable[[str], str]) -> Callable[[Path], str]:
    """What actionlint finds in a repository, "" where nothing."""

    def look(repository: Path) -> str:
        command = [built("actionlint"), "-no-color", "-shellcheck=", "-pyflakes="]
        done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    return look
