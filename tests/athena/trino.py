"""A Trino of this machine over a folder, and how it is asked."""

import http.client
import json
import os
import re
import shutil
import subprocess
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

PROJECT = Path(__file__).resolve().parents[2]
JARS = PROJECT / ".rowgate" / "trino"
POM = PROJECT / "tests" / "servers" / "trino" / "pom.xml"
JAVA = 25  # that this Trino asks for
PATIENCE = 300.0  # seconds: a machine that does much else
STEP = 0.2  # seconds between two looks
# What a connector has from the server itself (Trino's developer guide, "SPI overview").
SHARED = re.compile(r"(trino-spi|slice|jackson-annotations|opentelemetry-(api|context|common))-\d.*\.jar")
FLAGS = (
    "-Xmx1g",
    "--add-modules=jdk.incubator.vector",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
)


@dataclass(frozen=True)
class Trino:
    """A server that runs.

    Attributes:
        port: on 127.0.0.1.
    """

    port: int

    def ask(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        """The rows of a statement, as JSON has them; `?` take the values, as Athena does it: EXECUTE … USING.

        Raises:
            ValueError: Trino refuses it, with its own words.
        """
        headers = {
            "X-Trino-User": "test",
            "X-Trino-Catalog": "lake",
            "X-Trino-Schema": "rowgate",
            "X-Trino-Time-Zone": "UTC",
        }
        if values:
            headers["X-Trino-Prepared-Statement"] = f"question={quote(sql)}"
            sql = "EXECUTE question USING " + ", ".join("'" + value.replace("'", "''") + "'" for value in values)
        rows: list[tuple[Any, ...]] = []
        answer = self._call("POST", "/v1/statement", headers, sql.encode())
        while True:
            if error := answer.get("error"):
                raise ValueError(error["message"])
            rows += map(tuple, answer.get("data") or ())
            if "nextUri" not in answer:
                return rows
            answer = self._call("GET", answer["nextUri"].split(str(self.port), 1)[1], headers)

    def started(self) -> bool:
        """Whether it takes questions."""
        try:
            return self._call("GET", "/v1/info", {}).get("starting") is False
        except OSError:
            return False

    def _call(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> dict[str, Any]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read()
            if response.status >= http.client.BAD_REQUEST:
                raise ConnectionError(f"{method} {path}: {response.status} {text[:500]!r}")
            return dict(json.loads(text))


def java() -> str | None:
    """A Java of the release that this Trino asks for: the one on the path, of JAVA_HOME, or of Debian's folder."""
    homes = [os.environ.get("JAVA_HOME", ""), *map(str, sorted(Path("/usr/lib/jvm").glob(f"*{JAVA}*")))]
    for program in [shutil.which("java"), *(f"{home}/bin/java" for home in homes if home)]:
        if program is None or not Path(program).exists():
            continue
        said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
        if re.search(rf'version "{JAVA}\b', said):
            return program
    return None


def why_not() -> str:
    """Why there can be no Trino here, "" where there can."""
    if not (JARS / "hive" / "pom.xml").exists():
        return "its jars are not here; run `make test-athena`"
    return "" if java() else f"it asks for Java {JAVA}, which is not installed"


def version() -> str:
    """The version that the pom names."""
    return re.search(r"<trino.version>(\d+)<", POM.read_text(encoding="utf-8"))[1]


@contextmanager
def running(folder: Path, root: Path, port: int) -> Iterator[Trino]:
    """A server with one catalog, `lake`, whose tables read below `root` by the address `local:///`.

    Args:
        folder: for its settings, its plugin and its log; empty.
        root: what it can read; it keeps its tables' definitions in `metastore` there.
        port: one that is free.
    """
    plugin = folder / "plugin" / "hive"
    plugin.mkdir(parents=True)
    for jar in (JARS / "hive").glob("*.jar"):
        if not SHARED.fullmatch(jar.name):
            (plugin / jar.name).symlink_to(jar)
    with zipfile.ZipFile(plugin / "services.jar", "w") as services:  # in Trino's own archive, a jar like this
        services.writestr("META-INF/services/io.trino.spi.Plugin", "io.trino.plugin.hive.HivePlugin\n")
    (folder / "catalog").mkdir()
    _write(
        folder / "catalog" / "lake.properties",
        ("connector.name", "hive"),
        ("hive.metastore", "file"),
        ("hive.metastore.catalog.dir", "local:///metastore"),
        ("hive.recursive-directories", "true"),  # Athena always looks into folders
        ("hive.partition-projection-enabled", "true"),  # and always computes partitions, where a table says so
        ("hive.ignore-absent-partitions", "true"),  # and takes a day without a folder for an empty one
        ("fs.local.enabled", "true"),
        ("local.location", root),
    )
    _write(
        folder / "config.properties",
        ("node.environment", "test"),
        ("node.bind-ip", "127.0.0.1"),
        ("node.internal-address", "127.0.0.1"),
        ("coordinator", "true"),
        ("node-scheduler.include-coordinator", "true"),
        ("http-server.http.port", port),
        ("discovery.uri", f"http://127.0.0.1:{port}"),
        ("plugin.dir", folder / "plugin"),
        ("catalog.config-dir", folder / "catalog"),
        ("query.max-memory-per-node", "300MB"),
        ("memory.heap-headroom-per-node", "200MB"),
        ("web-ui.enabled", "false"),
    )
    command = [str(java()), *FLAGS, f"-Dconfig={folder / 'config.properties'}", "-cp", f"{JARS / 'lib'}/*"]
    command += [str(POM.with_name("Start.java")), version()]
    log = folder / "server.log"
    with log.open("wb") as said, subprocess.Popen(command, cwd=folder, stdout=said, stderr=said) as process:
        try:
            yield _started(process, Trino(port), log)
        finally:
            process.terminate()


def _started(process: "subprocess.Popen[bytes]", trino: Trino, log: Path) -> Trino:
    ends = time.monotonic() + PATIENCE
    while not trino.started():
        if process.poll() is not None or time.monotonic() > ends:
            raise RuntimeError(f"Trino does not start: {log.read_text(errors='replace')[-3000:]}")
        time.sleep(STEP)
    return trino


def _write(file: Path, *settings: tuple[str, object]) -> None:
    file.write_text("".join(f"{name}={value}\n" for name, value in settings), encoding="utf-8")
