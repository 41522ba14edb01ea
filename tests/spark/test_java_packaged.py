"""Spark on the Java that comes as a package, on a machine without one."""

import os
import subprocess
import sys
from pathlib import Path

from rowgate.embedded import java_cache
from rowgate.embedded.java import java_home, packaged_home

PROGRAM = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
print("rows", spark.range(3).count())
spark.stop()
"""


def test_spark_runs_without_a_system_java_in_a_folder_with_blanks(tmp_path):
    programs = tmp_path / "bin"  # the programs that Spark's scripts call, and no java
    programs.mkdir()
    for name in ("bash", "sh", "dirname", "ps", "env", "cat", "head", "uname"):
        found = next((Path(folder) / name for folder in ("/usr/bin", "/bin") if (Path(folder) / name).exists()), None)
        if found:
            (programs / name).symlink_to(found)
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("JAVA", "SPARK", "PYSPARK"))}
    environ |= {"PATH": str(programs), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    environ["JAVA_HOME"] = str(java_home(tmp_path / "a b κ", environ))
    program = tmp_path / "smoke.py"
    program.write_text(PROGRAM)
    child = subprocess.run([sys.executable, program], env=environ, capture_output=True, text=True, check=False)
    assert child.stdout.endswith("rows 3\n"), child.stderr[-2000:]


def test_the_cache_of_spark_classes_is_made_once_and_then_used(tmp_path, monkeypatch):
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("JAVA", "SPARK", "PYSPARK"))}
    home = packaged_home(tmp_path / "a b κ")
    programs = os.pathsep.join([str(Path(sys.prefix) / "bin"), environ["PATH"]])
    environ |= {
        "JAVA_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "PATH": programs,
    }
    monkeypatch.setattr(java_cache, "_cache", lambda _: tmp_path / "cache κ" / "spark.aot")
    assert java_cache.java_options(home) == ""
    assert java_cache.start_training(home, environ, tmp_path / "log").finish(), (tmp_path / "log").read_text()
    assert java_cache.start_training(home, environ, tmp_path / "log") is None
    assert [path.name for path in (tmp_path / "cache κ").iterdir()] == ["spark.aot"]
    program = tmp_path / "smoke.py"
    program.write_text(PROGRAM)
    # With `on` instead of `auto` a cache that does not fit ends the start.
    environ["SPARK_SUBMIT_OPTS"] = f"{java_cache.java_options(home)} -XX:AOTMode=on"
    child = subprocess.run([sys.executable, program], env=environ, capture_output=True, text=True, check=False)
    assert child.stdout.endswith("rows 3\n"), child.stderr[-2000:]
