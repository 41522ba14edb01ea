"""The hooks before a commit are the checks of the workflows, by programs that the project has brought."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

BIN = Path(sys.prefix) / "bin"


@pytest.fixture(scope="module")
def hooks(project):
    read = yaml.safe_load((project / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [each["repo"] for each in read["repos"]] == ["local"]  # nothing is fetched
    return read["repos"][0]["hooks"]


def test_every_line_of_make_lint_is_a_hook(project, hooks):
    lines = re.search(r"^lint:.*\n((?:\t.*\n)+)", (project / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1]
    entries = [hook["entry"] for hook in hooks]
    wanted = [line.strip().replace("$(BIN)", ".venv/bin") for line in lines.splitlines()]
    assert [line for line in wanted if not any(entry.startswith(line) for entry in entries)] == []


def test_every_hook_runs_a_program_of_the_project(hooks):
    programs = {shlex.split(hook["entry"])[0] for hook in hooks}
    assert {name for name in programs if not name.startswith((".venv/bin/", ".rowgate/bin/"))} == {"terraform"}
    assert [name for name in programs if name.startswith(".venv/") and not (BIN / Path(name).name).exists()] == []
    assert {hook["language"] for hook in hooks} == {"system"}


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("vendor.dependabot", ".github/dependabot.yml"),
        *(("vendor.github-workflows", f".github/workflows/{name}.yml") for name in ("ci", "terraform", "image")),
        ("vendor.github-actions", ".github/actions/setup/action.yml"),
    ],
)
def test_the_file_meets_its_schema(project, schema, file):
    command = [BIN / "check-jsonschema", "--builtin-schema", schema, project / file]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
