"""The environment in which `airflow`, `spark-submit` and `dbt` work on one machine with nothing set up by hand.

What the user has set wins: a connection, a metrics host, a metadata database. Everything made here lies in the state
folder, which only its owner can enter.
"""

import base64
import fcntl
import hashlib
import json
import os
import secrets
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from rowgate.adapters import statsd_client
from rowgate.embedded import postgres
from rowgate.embedded.java import java_home
from rowgate.embedded.java_cache import java_options, start_training
from rowgate.errors import RowgateError, UnusableError
from rowgate.settings import Settings, read_settings

BIN = Path(sys.prefix) / "bin"
WAREHOUSE = "warehouse"  # the database; whoever loads makes it

# What a user's own value replaces.
DEFAULTS: Mapping[str, str] = {
    "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
    "AIRFLOW__CORE__PARALLELISM": "4",
    # Every DAG waits for a trigger anyway; paused, it would keep a triggered run waiting without a word.
    "AIRFLOW__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
    "AIRFLOW__API__HOST": "127.0.0.1",
    **statsd_client.AIRFLOW,
    "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
    "AIRFLOW_CONN_SPARK_DEFAULT": json.dumps({"conn_type": "spark", "host": "local[*]"}),
    "AIRFLOW_CONN_AWS_DEFAULT": json.dumps({"conn_type": "aws"}),
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "False",
    "DBT_VERSION_CHECK": "False",
    "DO_NOT_TRACK": "1",
    "SCARF_ANALYTICS": "false",
    "PYTHONWARNINGS": "ignore",
    "SPARK_LOCAL_IP": "127.0.0.1",
    # macOS ends a process that forks after using its own frameworks, as Airflow's workers do.
    "OBJC_DISABLE_INITIALIZE_FORK_SAFETY": "YES",
}


# Where there is no such file, Airflow writes one with every default of its version and the absolute paths of the day,
# which would outlive an upgrade and a moved folder.
CONFIG = "# Airflow reads this file; what rowgate needs it sets in the environment, which wins.\n"


def state(project: Path, environ: Mapping[str, str] | None = None) -> Path:
    """The project's state folder: `ROWGATE_STATE`, else `.rowgate` in the project."""
    return read_settings(project, os.environ if environ is None else environ).state


def prepare(
    project: Path, environ: Mapping[str, str], progress: Callable[[str], None], *, database: str = "airflow"
) -> dict[str, str]:
    """Make ready whatever a run needs: folders, secrets, Java, Postgres, Airflow's own database.

    Args:
        project: The folder that holds `dags/` and `contracts/`.
        environ: The caller's environment.
        progress: Told in plain words what takes time or is out of the ordinary.
        database: The name of Airflow's own database. A scheduler at work on it would take part in a run that
            `airflow dags test` makes there, and run its tasks a second time.

    Returns:
        The whole environment for child processes. It holds passwords: hand it on as an environment only.

    Raises:
        UnusableError: No Java, or a state folder that cannot be written.
        RowgateError: Postgres or Airflow's database did not come up.
    """
    settings = read_settings(project, environ)
    try:
        settings.make_state()
        _require_private(settings.state)
        settings.logs.mkdir(exist_ok=True)
        with (settings.state / "prepare.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            made = _compose(settings, environ, progress, database)
            _first_time(settings, made, progress, database)
    except OSError as error:
        raise UnusableError(
            f"The state folder {settings.state} cannot be used ({error.strerror}: {error.filename}): make it writable "
            f"for this user, or name another in ROWGATE_STATE."
        ) from None
    return made


def _require_private(state: Path) -> None:
    """See that nobody else reads the lake: a folder that was there before is not ours to close.

    Raises:
        UnusableError: Other users can enter the folder.
    """
    if state.stat().st_mode & 0o077:
        raise UnusableError(
            f"Other users can enter the state folder {state}, which will hold personal data: close it "
            f"(chmod 700 {shlex.quote(str(state))}), or name another in ROWGATE_STATE."
        )


def _first_time(settings: Settings, made: dict[str, str], progress: Callable[[str], None], database: str) -> None:
    """Prepare Airflow's database and, beside it, what makes Spark start faster; add the latter's options to `made`."""
    home = Path(made["JAVA_HOME"])
    training = start_training(home, made, settings.logs / "java-cache.log")
    try:
        _migrate(settings, made, progress, database)
        if training:
            progress("teaching Java to start Spark faster")
            if not training.finish():
                progress(f"that did not work, so Spark starts as usual; see {settings.logs / 'java-cache.log'}")
    finally:
        if training:
            training.abandon()
    made["SPARK_SUBMIT_OPTS"] = f"{made.get('SPARK_SUBMIT_OPTS', '')} {java_options(home)}".strip()


def _compose(
    settings: Settings, environ: Mapping[str, str], progress: Callable[[str], None], database: str
) -> dict[str, str]:
    home = settings.state / "airflow"
    home.mkdir(mode=0o700, exist_ok=True)
    config = home / "airflow.cfg"
    if not config.exists():
        config.write_text(CONFIG, encoding="utf-8")
    defaults = {
        **DEFAULTS,
        **_secrets(home),
        "AIRFLOW__CORE__DAGS_FOLDER": str(settings.project / "dags"),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home / f'{database}.db'}",
        "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(settings.logs / "airflow"),
    }
    if "AIRFLOW_CONN_POSTGRES_DEFAULT" not in environ:
        defaults["AIRFLOW_CONN_POSTGRES_DEFAULT"] = _postgres(settings, progress)
    return {
        **defaults,
        **environ,
        **_no_proxy(environ),
        "AIRFLOW_HOME": str(home),
        "ROWGATE_PROJECT": str(settings.project),
        "ROWGATE_STATE": str(settings.state),
        "ROWGATE_LAKE": settings.lake,
        "JAVA_HOME": str(java_home(settings.state, environ)),
        "PATH": os.pathsep.join([str(BIN), environ.get("PATH") or os.defpath]),
        # Spark's own scripts look for these with a command line that breaks at a blank.
        "SPARK_HOME": str(_package("pyspark")),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }


def _postgres(settings: Settings, progress: Callable[[str], None]) -> str:
    folder = settings.state / "postgres"
    if postgres.running(folder) is None:
        progress("starting the private Postgres")
    server = postgres.start(folder, progress=progress)
    connection = {
        "conn_type": "postgres",
        "host": server.host,
        "port": server.port,
        "login": server.user,
        "password": server.password,
        "schema": WAREHOUSE,  # what Airflow calls a connection's database
    }
    return json.dumps(connection)


def _secrets(home: Path) -> dict[str, str]:
    # Made once: another key would make what Airflow has encrypted, and every open session, unreadable.
    file = home / "secrets.json"
    if not file.exists():
        made = {
            "AIRFLOW__CORE__FERNET_KEY": base64.urlsafe_b64encode(os.urandom(32)).decode(),
            "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_urlsafe(64),
            "AIRFLOW__API__SECRET_KEY": secrets.token_urlsafe(32),
        }
        write_private(file, json.dumps(made))
    kept: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return kept


def write_private(file: Path, text: str) -> None:
    """Write, in one step, a file that only its owner can read."""
    made = file.with_name(f"{file.name}.{os.getpid()}")
    with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as output:
        output.write(text)
    made.replace(file)


def _no_proxy(environ: Mapping[str, str]) -> dict[str, str]:
    # Airflow's parts talk to each other over HTTP on this machine, which a proxy cannot reach.
    here = ["localhost", "127.0.0.1"]
    names = [environ.get("no_proxy"), environ.get("NO_PROXY")]
    value = ",".join(dict.fromkeys([name for name in names if name] + here))
    return {"no_proxy": value, "NO_PROXY": value}


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise UnusableError(f"The package {name} is missing: run `make setup`.")
    return Path(spec.origin).parent


def _migrate(settings: Settings, environ: Mapping[str, str], progress: Callable[[str], None], database: str) -> None:
    """Bring Airflow's own database to this version's shape, once a version, without importing Airflow."""
    stamp = settings.state / "airflow" / f"{database}.migrated"
    # The address may hold a password, so the stamp holds its digest.
    address = hashlib.sha256(environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"].encode()).hexdigest()
    wanted = f"{version('apache-airflow-core')} {address}"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    file = settings.state / "airflow" / f"{database}.db"
    unused = file.with_name(f"unused-{version('apache-airflow-core')}.db")
    new = environ["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"] == f"sqlite:///{file}" and not file.exists()
    if new and unused.exists():
        _copy(unused, file)
        write_private(stamp, wanted)
        return
    progress("preparing Airflow's own database")
    log = settings.logs / "airflow-migrate.log"
    with log.open("wb") as output:
        command: list[str | Path] = [BIN / "airflow", "db", "migrate"]
        child = subprocess.run(
            command, env=environ, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
        )
    if child.returncode:
        raise RowgateError(f"Airflow's own database could not be prepared: {log} says why.")
    if new:
        _copy(file, unused)  # the next one is made of it in no time
    write_private(stamp, wanted)


def _copy(source: Path, target: Path) -> None:
    made = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copyfile(source, made)
    made.replace(target)
