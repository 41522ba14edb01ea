"""Makes `.venv` what requirements.lock says. Standard library only; the second time it does nothing.

Everything is kept inside the project: uv and its cache in `.rowgate/`, the environment in `.venv/`.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

PROJECT = Path(__file__).resolve().parent.parent
STATE = PROJECT / ".rowgate"
VENV = PROJECT / ".venv"
LOCK = PROJECT / "requirements.lock"
PYPROJECT = PROJECT / "pyproject.toml"
UV_PIN = PROJECT / "scripts" / "uv.txt"
UV = STATE / "uv" / "bin" / "uv"
STAMP = STATE / "setup.stamp"


def stamp() -> str:
    """What the environment was made from: another value means that it has to be made again.

    The folder belongs to it because an environment holds absolute paths: a copy of the project sets itself up anew.
    """
    digest = hashlib.sha256()
    for file in (LOCK, PYPROJECT, UV_PIN):
        digest.update(file.read_bytes())
    digest.update(f"{PROJECT}\n{sys.version_info[:3]}\n".encode())
    return digest.hexdigest()


def fresh() -> bool:
    """Whether `.venv` is already what it should be."""
    return (
        STAMP.is_file()
        and STAMP.read_text(encoding="ascii") == stamp()
        and (VENV / "bin" / "rowgate").is_file()
        and (VENV / "bin" / "python").exists()
    )


def stop(sentence: str) -> NoReturn:
    """End with one sentence and exit status 2."""
    print(f"rowgate: {sentence}", file=sys.stderr)
    raise SystemExit(2)


def run(what: str, command: list[str | Path], environment: dict[str, str]) -> None:
    """Run a quiet program; on a terminal count the seconds, so that a long download does not look like a hang."""
    log = STATE / "setup.log"
    begin = time.monotonic()
    with log.open("wb") as output:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)
        while True:
            try:
                status = child.wait(timeout=1)
                break
            except subprocess.TimeoutExpired:
                if sys.stderr.isatty():
                    print(f"\rsetup: {what}, {time.monotonic() - begin:.0f} s ", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(end="\r\x1b[K", file=sys.stderr)
    if status:
        print("\n".join(log.read_text(errors="replace").splitlines()[-12:]), file=sys.stderr)
        stop(f"{what} failed; the reason stands above and in {log}. It needs the package index (PyPI) once.")
    print(f"setup: {what}, {time.monotonic() - begin:.0f} s", file=sys.stderr)


def environment() -> dict[str, str]:
    """The caller's environment with uv's cache inside the project and pip's mirror settings passed on to uv."""
    environ = dict(os.environ)
    environ.pop("VIRTUAL_ENV", None)
    environ.pop("PYTHONHOME", None)
    environ.pop("PYTHONPATH", None)
    environ.setdefault("UV_CACHE_DIR", str(STATE / "cache" / "uv"))
    environ["UV_PYTHON_DOWNLOADS"] = "never"
    for pip, uv in (("PIP_INDEX_URL", "UV_DEFAULT_INDEX"), ("PIP_CERT", "SSL_CERT_FILE")):
        if environ.get(pip):
            environ.setdefault(uv, environ[pip])
    return environ


def has_uv() -> bool:
    """Whether the pinned uv is there and runs."""
    pinned = next(line for line in UV_PIN.read_text(encoding="ascii").splitlines() if line.startswith("uv=="))
    try:
        found = subprocess.run([UV, "--version"], capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return False
    return found[1] == pinned.split("==")[1].split()[0]


def build() -> None:
    """Bring uv, then make the environment."""
    # Not sys.executable: that may be the Python of the environment which is about to be replaced.
    python = Path(getattr(sys, "_base_executable", sys.executable))
    environ = environment()
    STAMP.unlink(missing_ok=True)
    if not has_uv():
        shutil.rmtree(UV.parent.parent, ignore_errors=True)
        run("making room for uv", [python, "-m", "venv", UV.parent.parent], environ)
        pip = [UV.parent / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
        run("fetching uv", [*pip, "--require-hashes", "--only-binary", ":all:", "-r", UV_PIN], environ)
    target = VENV / "bin" / "python"
    if not matches(target):
        run("making .venv", [UV, "venv", "--quiet", "--clear", "--python", python, VENV], environ)
    # Compiled now, once: every command starts in half the time, also where Python may not write beside its modules.
    sync = [UV, "pip", "sync", "--quiet", "--compile-bytecode", "--require-hashes", "--python", target, LOCK]
    run("installing what requirements.lock names", sync, environ)
    own = [UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", target, "--editable", PROJECT]
    run("installing rowgate itself", own, environ)
    STAMP.write_text(stamp(), encoding="ascii")


def matches(target: Path) -> bool:
    """Whether the environment in `.venv` runs, has this Python's version and was made in this folder.

    The scripts in a copied or moved environment still start the Python of the old place.
    """
    ask = "import sys; print(sys.version_info[:3])"
    try:
        found = subprocess.run([target, "-c", ask], capture_output=True, text=True, check=True).stdout.strip()
        home = (VENV / "bin" / "activate").read_text(encoding="utf-8")
    except (OSError, subprocess.CalledProcessError):
        return False
    return found == str(sys.version_info[:3]) and str(VENV) in home


def main() -> None:
    """Set up, one at a time."""
    if fresh():
        return
    try:
        STATE.mkdir(mode=0o700, exist_ok=True)
        with (STATE / "setup.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not fresh():
                build()
    except PermissionError as error:
        stop(
            f"{error.filename} cannot be written by this user; run as the folder's owner, or remove .venv and .rowgate."
        )
    except OSError as error:
        stop(f"{error.filename or STATE} cannot be used ({error.strerror}); make room or give access, then try again.")
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
