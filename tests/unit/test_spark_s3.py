"""What Spark is told about a lake on S3, and the jars that it needs for one."""

import hashlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from importlib.util import find_spec
from pathlib import Path

import pytest

from rowgate.stages.spark_s3 import hides_keys, s3_jars, s3_settings

_OUT = 'for word; do case $word in -DoutputDirectory=*) out=${word#*=} ;; esac; done; mkdir -p "$out"'
POM = {"m": "http://maven.apache.org/POM/4.0.0"}


def test_amazons_own_s3_needs_no_endpoint():
    assert not [name for name in s3_settings({}) if "endpoint" in name or "path.style" in name]


def test_a_server_of_ones_own_is_addressed_by_path_and_without_tls_where_it_has_none():
    settings = s3_settings({"AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9000", "AWS_ENDPOINT_URL": "https://other"})
    assert settings["spark.hadoop.fs.s3a.endpoint"] == "http://127.0.0.1:9000"
    assert settings["spark.hadoop.fs.s3a.path.style.access"] == "true"
    assert settings["spark.hadoop.fs.s3a.connection.ssl.enabled"] == "false"
    assert settings["spark.hadoop.fs.s3a.endpoint.region"] == "us-east-1"


def test_the_region_is_what_the_environment_says():
    assert s3_settings({"AWS_REGION": "eu-west-1"})["spark.hadoop.fs.s3a.endpoint.region"] == "eu-west-1"
    assert s3_settings({"AWS_DEFAULT_REGION": "eu-west-2"})["spark.hadoop.fs.s3a.endpoint.region"] == "eu-west-2"


@pytest.mark.parametrize(
    ("environ", "asked"),
    [
        ({}, False),
        ({"AWS_PROFILE": "p"}, True),
        ({"AWS_WEB_IDENTITY_TOKEN_FILE": "/f"}, True),
        ({"AWS_PROFILE": "p", "AWS_ACCESS_KEY_ID": "k"}, False),
    ],
)
def test_s3a_is_sent_beyond_its_own_places_only_where_the_keys_are_there(environ, asked):
    assert ("spark.hadoop.fs.s3a.aws.credentials.provider" in s3_settings(environ)) is asked


def test_no_setting_holds_a_key():
    environ = {"AWS_ACCESS_KEY_ID": "marked-id", "AWS_SECRET_ACCESS_KEY": "marked", "AWS_SESSION_TOKEN": "marked-token"}
    assert "marked" not in str(s3_settings(environ))


def test_a_redaction_that_would_show_the_keys_is_widened():
    widened = s3_settings({}, "internal")["spark.redaction.regex"]
    assert hides_keys(widened)
    assert re.search(widened, "internal.name")


@pytest.mark.parametrize("redaction", [None, "(?i)secret|password|token|access[.]?key", "fs[.]s3a"])
def test_a_redaction_that_covers_the_keys_is_left_alone(redaction):
    assert "spark.redaction.regex" not in s3_settings({}, redaction)


def test_no_folder_and_an_empty_one_have_no_jars(tmp_path):
    assert s3_jars(None) == s3_jars(tmp_path) == s3_jars(tmp_path / "none") == []


def test_the_pom_names_the_hadoop_that_pyspark_brings(project):
    bundled = {file.name for file in (Path(find_spec("pyspark").origin).parent / "jars").iterdir()}
    assert f"hadoop-client-api-{_pom(project, 'hadoop.version')}.jar" in bundled


def test_the_pom_names_the_spark_and_the_scala_of_pyspark(project):
    jars = Path(find_spec("pyspark").origin).parent / "jars"
    (core,) = jars.glob(f"spark-core_{_pom(project, 'scala.version')}-*.jar")
    spark = core.stem.rsplit("-", 1)[1]
    assert spark.startswith(f"{_pom(project, 'spark.minor')}.")
    assert _pom(project, "spark-hadoop-cloud.version").split(".")[0] == spark.split(".")[0]


def test_every_jar_has_a_checksum_and_its_version_is_the_poms(project):
    lines = (project / "infra" / "spark" / "jars.sha256").read_text().splitlines()
    assert all(re.fullmatch(r"[0-9a-f]{64}  (s3|delta)/[\w.-]+\.jar", line) for line in lines)
    names = {line.split("/")[1] for line in lines}
    scala = _pom(project, "scala.version")
    assert {
        f"hadoop-aws-{_pom(project, 'hadoop.version')}.jar",
        f"spark-hadoop-cloud_{scala}-{_pom(project, 'spark-hadoop-cloud.version')}.jar",
        f"delta-spark_{_pom(project, 'spark.minor')}_{scala}-{_pom(project, 'delta.version')}.jar",
    } <= names


@pytest.fixture
def elsewhere(project, tmp_path):
    """The script and what it reads, in a folder of their own; with which programs, the test says."""
    for name in ("scripts/jars.sh", "infra/spark/pom.xml", "infra/spark/jars.sha256"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(project / name, tmp_path / name)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "dirname", "mkdir", "sed", "sort", "cmp", "rm", "mv", "sha256sum", "shasum", "perl"):
        if found := shutil.which(name):
            (programs / name).symlink_to(found)

    def bring(*arguments):
        command = [str(programs / "sh"), str(tmp_path / "scripts" / "jars.sh"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, env={"PATH": str(programs)}, check=False)

    return tmp_path, programs, bring


def test_without_maven_one_sentence_says_what_to_install(elsewhere):
    _, _, bring = elsewhere
    done = bring("s3")
    assert done.returncode == 1
    assert done.stderr == (
        "jars: Maven brings Spark's jars and there is no mvn here; install it (Debian: apt-get install maven).\n"
    )


def test_without_a_network_one_sentence_says_so(elsewhere):
    _, programs, bring = elsewhere
    _program(programs / "mvn", "echo Unknown host; exit 1")
    done = bring("delta")
    assert done.returncode == 1
    assert done.stderr == (
        "jars: Maven could not bring the jars for delta, as without a network; .rowgate/logs/jars.log has its words.\n"
    )


def test_a_jar_that_is_not_the_listed_one_is_not_used(elsewhere):
    folder, programs, bring = elsewhere
    _program(programs / "mvn", f'{_OUT}; echo other >"$out/hadoop-aws-3.5.0.jar"')
    done = bring("s3")
    assert done.returncode == 1
    assert "are not those of infra/spark/jars.sha256" in done.stderr
    assert not (folder / ".rowgate" / "jars" / "s3").exists()


def test_what_was_brought_once_is_not_brought_again(elsewhere):
    folder, programs, bring = elsewhere
    _program(programs / "mvn", f'{_OUT}; echo toy >"$out/toy-1.jar"')
    digest = hashlib.sha256(b"toy\n").hexdigest()
    (folder / "infra" / "spark" / "jars.sha256").write_text(f"{digest}  s3/toy-1.jar\n")
    assert bring("s3").returncode == 0
    assert (folder / ".rowgate" / "jars" / "s3" / "toy-1.jar").read_text() == "toy\n"
    _program(programs / "mvn", "exit 1")
    assert (bring("s3").returncode, bring("s3").stdout) == (0, "")


def _program(file, text):
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def _pom(project, name):
    return ET.parse(project / "infra" / "spark" / "pom.xml").findtext(f".//m:properties/m:{name}", namespaces=POM)  # noqa: S314 - our own file
