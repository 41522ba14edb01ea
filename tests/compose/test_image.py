"""The Dockerfile: linted, without root, with nothing in its last stage that builds."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

HADOLINT = Path(sys.prefix) / "bin" / "hadolint"


@pytest.fixture
def dockerfile(project):
    return (project / "Dockerfile").read_text(encoding="utf-8")


def hadolint(text):
    return subprocess.run([HADOLINT, "--no-color", "-"], input=text, capture_output=True, text=True, check=False).stdout


def problems(text):
    """What hadolint does not look at."""
    stages = re.split(r"(?m)^(?=FROM )", text)[1:]
    found = [f"the tag of {image} is not exact" for image in _images(text) if not re.search(r":v?\d+\.\d+\.\d+", image)]
    for stage in stages:
        name = re.search(r" AS (\w+)", stage)[1]
        users = re.findall(r"(?m)^USER (\S+)", stage)
        if name in ("rowgate", "lake") and (not users or not re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1])):
            found.append(f"{name} runs as {users[-1] if users else 'root'}")
        if name in ("rowgate", "lake") and not re.search(r"(?m)^HEALTHCHECK", stage):
            found.append(f"{name} has no health check")
    if re.search(r"\b(gcc|g\+\+|build-essential|maven|git|curl|jdk|pip|uv)\b", stages[-1]):
        found.append("the last stage has build tools")
    if "--require-hashes" not in re.search(r"uv pip install[^&]*", text)[0]:
        found.append("packages are not held against their hashes")
    if re.search(r"--(group|extra|all-extras|all-groups)\b", text):
        found.append("packages that no service needs are in the image")
    if re.search(r"amd64|x86_64|aarch64|arm64", re.sub(r"(?m)^#.*", "", text)):
        found.append("it is for one architecture")
    return found


def _images(text):
    return re.findall(r"(?m)^FROM (?:--\S+ )?(\S+)", text)


def test_the_dockerfile_passes_hadolint(dockerfile):
    assert hadolint(dockerfile) == ""


def test_the_images_run_without_root_and_build_tools(dockerfile):
    assert problems(dockerfile) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("python:3.12.13-slim-bookworm AS rowgate", "python:latest AS rowgate", "DL3007"),
        ("python:3.12.13-slim-bookworm AS rowgate", "python:3.12 AS rowgate", "the tag of python:3.12 is not exact"),
        ("USER 10001:10001\nEXPOSE", "USER root\nEXPOSE", "DL3002"),
        ("USER 10001:10001\nEXPOSE", "EXPOSE", "rowgate runs as root"),
        ("/lake/users\nUSER 10001:10001", "/lake/users", "lake runs as root"),
        ("openjdk-17-jre-headless", "openjdk-17-jre-headless build-essential", "the last stage has build tools"),
        ("/opt/venv/bin/python --require-hashes", "/opt/venv/bin/python", "packages are not held against their hashes"),
        ("HEALTHCHECK --interval=10s", "#", "rowgate has no health check"),
        (
            "--requirements pyproject.toml",
            "--requirements pyproject.toml --group dev",
            "packages that no service needs",
        ),
        (
            "USER 10001:10001\nEXPOSE",
            "ENV JAVA_HOME=/usr/lib/jvm/java-17-openjdk-amd64\nEXPOSE",
            "for one architecture",
        ),
    ],
)
def test_each_weakening_of_the_dockerfile_is_seen(dockerfile, old, new, problem):
    assert old in dockerfile
    weaker = dockerfile.replace(old, new)
    assert problem in hadolint(weaker) + "\n".join(problems(weaker))


def test_the_image_has_the_uv_and_the_packages_of_setup(dockerfile):
    assert "-r scripts/uv.txt" in dockerfile
    assert "--requirements pyproject.toml --constraints requirements.lock" in dockerfile


def test_the_s3_server_is_the_one_that_the_other_tests_use(dockerfile, project):
    modules = (project / "tests" / "servers" / "versitygw" / "go.mod").read_text(encoding="utf-8")
    version = re.search(r"github\.com/versity/versitygw (v\S+)", modules)[1]
    assert f"versity/versitygw:{version}" in _images(dockerfile)
    compose = (project / "docker-compose.yml").read_text(encoding="utf-8")
    assert f"image: rowgate-lake:{version.removeprefix('v')}" in compose


def test_the_image_has_the_version_of_the_project(project):
    version = re.search(r'(?m)^version = "(.+)"', (project / "pyproject.toml").read_text(encoding="utf-8"))[1]
    assert f"image: rowgate:{version}\n" in (project / "docker-compose.yml").read_text(encoding="utf-8")


def test_no_env_file_and_no_data_can_come_into_the_image(project):
    kept = [line for line in (project / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"]
    first = next(
        line
        for line in (project / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line[:1] not in ("", "#")
    )
    assert first == "*"
    assert [line[1:] for line in kept if not (project / line[1:]).exists()] == []
    assert not {".", ".env", ".rowgate", ".venv", "infra", "infra/terraform"} & {line[1:] for line in kept}
