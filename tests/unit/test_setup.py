"""What `make setup` says where it cannot begin. The real thing is what every other test stands on."""

import os
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[2] / "scripts" / "setup.sh"
COMPLETE = "import ensurepip, venv"


@pytest.fixture
def begin(tmp_path):
    """Run setup with one Python on PATH of the given version, with or without venv; give status and message."""

    def run(version=None, *, venv=True, **more):
        programs = tmp_path / "bin"
        programs.mkdir()
        (tmp_path / "scripts").mkdir()
        (tmp_path / "scripts" / "setup.sh").write_text(SETUP.read_text())
        (programs / "dirname").symlink_to("/usr/bin/dirname")
        if version:
            python = programs / "python3"
            python.write_text(
                f'#!/bin/sh\ncase "$*" in *"{COMPLETE}") exit {0 if venv else 1};; *version_info*) echo {version};; '
                "*bootstrap.py) echo begun;; esac\n"
            )
            python.chmod(0o755)
        environ = {"PATH": str(programs), **more}
        command = ["/bin/sh", tmp_path / "scripts" / "setup.sh"]
        child = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
        return child.returncode, child.stdout + child.stderr

    return run


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_a_supported_python_begins(begin, version):
    assert begin(version) == (0, "begun\n")


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.14"])
def test_an_unsupported_python_is_one_sentence_that_names_its_version(begin, version):
    status, said = begin(version)
    assert (status, said.startswith(f"rowgate: it needs Python 3.11, 3.12 or 3.13, and found only {version}.")) == (
        2,
        True,
    )


def test_no_python_is_one_sentence(begin):
    status, said = begin()
    assert (status, said.startswith("rowgate: it needs Python 3.11, 3.12 or 3.13, and found none.")) == (2, True)


def test_a_python_without_venv_is_one_sentence_that_names_the_package(begin):
    sentence = (
        "rowgate: Python 3.12 is here, but without its venv and ensurepip modules. "
        "Install them (Debian: apt-get install python3.12-venv) and run this again.\n"
    )
    assert begin("3.12", venv=False) == (2, sentence)


def test_a_named_python_that_does_not_run_is_one_sentence(begin):
    status, said = begin("3.12", PYTHON=os.devnull)
    assert (status, said.startswith("rowgate: PYTHON=/dev/null is not a Python that can be run.")) == (2, True)
