"""No secret is in git, and one that was ever there is found."""

import os
import secrets
import string
import subprocess


def git(folder, *arguments):
    who = {f"GIT_{role}_{what}": "test@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(["git", "-C", folder, *arguments], check=True, capture_output=True, env=os.environ | who)


def leaks(program, folder):
    command = [program, "git", "--redact", "--no-banner", "--verbose", "--no-color", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_whole_history_holds_no_secret(built, project):
    found = leaks(built("gitleaks"), project)
    assert found.returncode == 0, found.stdout


def test_a_secret_that_was_removed_again_is_found_and_not_shown(built, tmp_path):
    key = "AKIA" + "".join(secrets.choice(string.ascii_uppercase + "234567") for _ in range(16))
    git(tmp_path, "init", "--quiet")
    (tmp_path / "settings.py").write_text(f'KEY = "{key}"\n')
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    (tmp_path / "settings.py").write_text("KEY = None\n")
    git(tmp_path, "commit", "--quiet", "--all", "--message", "two")
    found = leaks(built("gitleaks"), tmp_path)
    assert found.returncode == 1
    assert "aws-access-token" in found.stdout
    assert key not in found.stdout
