"""The scripts of the workflows: what they must refuse, and what they must tell apart."""

import os
import re
import runpy
import shutil
import subprocess
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

missing = runpy.run_path(str(Path(__file__).parents[1] / "conftest.py"))["missing"]
VERSION = "1.11.4"
NAME = f"terraform_{VERSION}"
# In the place of the network alone: it gives the file of the address's last part.
CURL = '#!/bin/sh\nfor address; do :; done\ncp "$PUBLISHED/${address##*/}" .\n'


def run(script, *arguments, cwd, **variables):
    command = ["bash", str(script), *map(str, arguments)]
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def publisher(tmp_path):
    """Publishes a signed Terraform, and tells the fingerprint of its key."""
    if shutil.which("gpg") is None:
        missing("workflows", "there is no gpg")
    home, published, programs = tmp_path / "home", tmp_path / "published", tmp_path / "bin"
    for folder in (home, published, programs):
        folder.mkdir(mode=0o700)
    gpg = ["gpg", "--homedir", str(home), "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]
    subprocess.run(
        [*gpg, "--quick-generate-key", "publisher", "ed25519", "sign", "never"], check=True, capture_output=True
    )
    keys = subprocess.run([*gpg, "--with-colons", "--list-keys"], check=True, capture_output=True, text=True).stdout
    with zipfile.ZipFile(published / f"{NAME}_linux_amd64.zip", "w") as archive:
        archive.writestr("terraform", "a program")
    digest = sha256((published / f"{NAME}_linux_amd64.zip").read_bytes()).hexdigest()
    sums = published / f"{NAME}_SHA256SUMS"
    sums.write_text(f"{digest}  {NAME}_linux_amd64.zip\n")
    subprocess.run([*gpg, "--detach-sign", "--output", f"{sums}.sig", str(sums)], check=True)
    subprocess.run([*gpg, "--armor", "--export", "--output", str(published / "pgp-key.txt")], check=True)
    subprocess.run(["gpgconf", "--homedir", str(home), "--kill", "all"], check=False)
    (programs / "curl").write_text(CURL)
    (programs / "curl").chmod(0o700)
    return published, re.search(r"fpr:+(\w{40}):", keys)[1]


def bring(project, tmp_path, published, fingerprint=None):
    """Run the script that brings Terraform; with a fingerprint, as if that were HashiCorp's."""
    text = (project / ".github" / "scripts" / "terraform.sh").read_text(encoding="utf-8")
    script = tmp_path / "terraform.sh"
    script.write_text(re.sub(r"fingerprint=\w+", f"fingerprint={fingerprint}", text) if fingerprint else text)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    done = run(script, tmp_path / "got", cwd=tmp_path, PATH=path, PUBLISHED=published, TERRAFORM_VERSION=VERSION)
    return done, tmp_path / "got" / "terraform"


def test_a_terraform_of_the_named_key_is_brought(project, tmp_path, publisher):
    published, fingerprint = publisher
    done, got = bring(project, tmp_path, published, fingerprint)
    assert done.returncode == 0, done.stderr
    assert got.read_text() == "a program"


def test_a_terraform_of_another_key_is_refused(project, tmp_path, publisher):
    done, got = bring(project, tmp_path, publisher[0])
    assert (done.returncode, got.exists()) == (1, False)
    assert f"HashiCorp's key did not sign {NAME}_SHA256SUMS" in done.stderr


def test_a_terraform_that_is_not_the_signed_one_is_refused(project, tmp_path, publisher):
    published, fingerprint = publisher
    with zipfile.ZipFile(published / f"{NAME}_linux_amd64.zip", "w") as archive:
        archive.writestr("terraform", "another program")
    done, got = bring(project, tmp_path, published, fingerprint)
    assert (done.returncode, got.exists()) == (1, False)


def test_plans_have_one_digest_if_and_only_if_they_change_the_same(project, tmp_path):
    if shutil.which("terraform") is None:
        missing("terraform", "no terraform is installed")

    def digest(value, plan):
        (tmp_path / "main.tf").write_text(f'resource "terraform_data" "one" {{\n  input = "{value}"\n}}\n')
        for command in (["init"], ["plan", f"-out={plan}"]):
            subprocess.run(["terraform", *command], cwd=tmp_path, check=True, capture_output=True)
        script = project / ".github" / "scripts" / "plan_changes.sh"
        done = run(script, plan, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = digest("a", "first")
    assert re.fullmatch(r"[0-9a-f]{64}\n", first)
    assert digest("a", "second") == first
    assert digest("b", "third") != first
