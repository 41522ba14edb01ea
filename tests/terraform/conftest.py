"""What proves the Terraform configuration without an account."""

import json
import os
import runpy
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PARTS = runpy.run_path(str(Path(__file__).with_name("configuration.py")))
missing = runpy.run_path(str(Path(__file__).parents[1] / "conftest.py"))["missing"]


@pytest.fixture(scope="session")
def configuration() -> Any:
    """The configuration as it is."""
    return PARTS["Configuration"](PARTS["read"]())


@dataclass(frozen=True)
class Terraform:
    """Terraform in a copy of `infra/terraform` that knows the AWS provider.

    Attributes:
        program: its path.
        copy: the folder.
        environment: the variables it sees.
    """

    program: str
    copy: Path
    environment: dict[str, str]

    def run(self, folder: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run one command in a folder of the copy."""
        command = [self.program, f"-chdir={self.copy / folder}", *arguments, "-no-color"]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def program() -> str:
    """The terraform that is installed."""
    found = shutil.which("terraform")
    if found is None:
        missing("terraform", "no terraform is installed")
    return str(found)


@pytest.fixture(scope="session")
def mirror(project: Path, program: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mirror that has, in the AWS provider's place, one that knows its schema and does nothing."""
    built = project / ".rowgate" / "bin" / "terraform-provider-aws"
    if not built.exists():
        missing("servers", "the provider that knows the schema alone is not built; run `make servers`")
    version = json.loads(subprocess.check_output([program, "version", "-json"], stderr=subprocess.DEVNULL))
    root = tmp_path_factory.mktemp("mirror")
    place = root / "registry.terraform.io" / "hashicorp" / "aws" / "6.25.0" / version["platform"]
    place.mkdir(parents=True)
    shutil.copy(built, place / "terraform-provider-aws_v6.25.0")
    return root


@pytest.fixture(scope="session", params=["schema", "registry"])
def terraform(request, project: Path, program: str, tmp_path_factory: pytest.TempPathFactory) -> Terraform:
    """Terraform with the provider of its schema alone, and with the registry's own."""
    folder = tmp_path_factory.mktemp(request.param)
    own = ("TF_CLI_CONFIG_FILE", "TF_PLUGIN_CACHE_DIR")  # where this machine gets providers from
    kept = {name: each for name, each in os.environ.items() if name in own or not name.startswith(("AWS_", "TF_"))}
    environment = {"TF_PLUGIN_CACHE_DIR": str(folder), **kept, "CHECKPOINT_DISABLE": "1"}
    if request.param == "schema":
        settings = folder / "terraform.rc"
        where = request.getfixturevalue("mirror")
        settings.write_text(f'provider_installation {{\n  filesystem_mirror {{\n    path = "{where}"\n  }}\n}}\n')
        environment["TF_CLI_CONFIG_FILE"] = str(settings)
    copy = folder / "terraform"
    shutil.copytree(project / "infra" / "terraform", copy, ignore=shutil.ignore_patterns(".terraform*"))
    found = Terraform(program, copy, environment)
    for each in (".", "bootstrap"):
        done = found.run(each, "init", "-backend=false", "-input=false")
        if done.returncode:
            missing("terraform", f"the AWS provider cannot be had: {' '.join(done.stderr.split())[-300:]}")
    return found


@pytest.fixture(scope="session")
def checkov(project: Path) -> str:
    """The checkov of its own locked environment."""
    found = project / ".rowgate" / "checkov" / "bin" / "checkov"
    if not found.exists():
        missing("checkov", "it is not installed; run `make terraform`")
    return str(found)
