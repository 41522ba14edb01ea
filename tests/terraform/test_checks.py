"""What Terraform and checkov say of the configuration, without an account."""

import json
import shutil
import subprocess

import pytest

FOLDERS = (".", "bootstrap")


@pytest.mark.parametrize("folder", FOLDERS)
def test_terraform_takes_the_configuration(terraform, folder):
    done = terraform.run(folder, "validate")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("folder", FOLDERS)
def test_terraforms_own_tests_pass(terraform, folder):
    done = terraform.run(folder, "test")
    assert done.returncode == 0, done.stdout + done.stderr


def test_terraform_takes_the_override_for_a_local_imitation(terraform):
    override = terraform.copy / "local_override.tf"
    shutil.copy(terraform.copy / "examples" / "local_override.tf", override)
    try:
        assert terraform.run(".", "init", "-backend=false", "-input=false").returncode == 0
        done = terraform.run(".", "validate")
    finally:
        override.unlink()
    assert done.returncode == 0, done.stdout + done.stderr


WRONG = {
    "an argument that the provider does not have": ("queries.tf", "  threshold ", "  treshold "),
    "a block that the provider does not have": ("catalog.tf", "  csv_classifier {", "  csv_reader {"),
    "an argument that is left out": ("queries.tf", "  comparison_operator = ", "  alarm_rule = "),
    "a value that nobody declared": ("storage.tf", "local.key_arn", "local.key"),
}


@pytest.mark.parametrize("what", WRONG)
def test_terraform_refuses(terraform, what):
    file, old, new = WRONG[what]
    path = terraform.copy / file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    try:
        assert text.count(old)
        assert terraform.run(".", "validate").returncode == 1
    finally:
        path.write_text(text, encoding="utf-8")


def test_terraforms_own_tests_see_a_wider_policy(terraform):
    path = terraform.copy / "pipeline-policy.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("${bucket_arn}/rejects/*", "${bucket_arn}/*"), encoding="utf-8")
    try:
        done = terraform.run(".", "test", "-filter=tests/lake.tftest.hcl")
    finally:
        path.write_text(text, encoding="utf-8")
    assert "The pipeline deletes in records/, clean/ and rejects/ alone." in done.stdout + done.stderr


def test_every_file_has_terraforms_form(project, program):
    command = [program, "fmt", "-check", "-recursive", "-list=true", str(project / "infra" / "terraform")]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == ""


@pytest.fixture(scope="module")
def failed(checkov, project, tmp_path_factory):
    """Where -> the checks that fail: in the configuration as it is, and in a bucket that lets a public policy be."""
    root = tmp_path_factory.mktemp("scanned")
    shutil.copytree(project / "infra" / "terraform", root / "own", ignore=shutil.ignore_patterns(".terraform*"))
    shutil.copytree(root / "own" / "modules" / "private-bucket", root / "public")
    text = (root / "public" / "main.tf").read_text(encoding="utf-8")
    (root / "public" / "main.tf").write_text(
        text.replace("block_public_policy     = true", "block_public_policy = false")
    )
    command = [checkov, "--directory", root, "--framework", "terraform", "--output", "json", "--skip-download"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    found = json.loads(done.stdout)["results"]["failed_checks"]
    return {
        where: {each["check_id"] for each in found if f"/{where}/" in each["file_path"]} for where in ("own", "public")
    }


def test_checkov_finds_nothing(failed):
    assert failed["own"] == set()


def test_checkov_finds_a_public_bucket(failed):
    assert "CKV_AWS_54" in failed["public"]


def test_every_check_that_is_left_out_says_why(configuration):
    assert [reason for reason in configuration.skips() if len(reason) < 20] == []
