"""The command line's own part: arguments, places, and one sentence for whatever is wrong."""

import os
from pathlib import Path

import pytest

USERS = "id,name,email,phone,zip_code,age,city\n"


@pytest.fixture
def env(project: Path, tmp_path: Path) -> dict[str, str]:
    return dict(os.environ) | {"ROWGATE_PROJECT": str(project), "ROWGATE_STATE": str(tmp_path / "state")}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "nobody"], "nobody"),
        (["run", "contracts/users.py"], "is a path"),
        (["run", "users", "--source", "/no/such.csv"], "/no/such.csv"),
        (["run", "users", "--source", "/etc/hostname", "--rows", "5"], "--rows"),
        (["check", "nobody", "/etc/hostname"], "nobody"),
        (["check", "users", "/no/such.csv"], "/no/such.csv"),
        (["check", "users", "/etc"], "/etc"),
        (["check", "users", "x" * 300], "too long"),
        (["check", "users", "/etc/hostname", "--clean", f"{'x' * 300}/out.csv"], "too long"),
        (["run", "users", "--source", "x" * 300], "too long"),
        (["init", "x" * 300], "too long"),
        (["check", "users", "/etc/hostname", "--engine", "pencil"], "pencil"),
        (["check", "users", "/etc/hostname", "--clean", "out.xls"], "out.xls"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_exit_2(run_cli, env, arguments, said):
    done = run_cli(*arguments, env=env)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def _outputs(folder: Path) -> dict[str, tuple[Path, Path]]:
    """A file to check by another of its names, and two names of one output."""
    (folder / "x").mkdir()
    (folder / "in.csv").write_text(USERS)
    (folder / "link.csv").symlink_to("in.csv")
    (folder / "hard.csv").hardlink_to(folder / "in.csv")
    (folder / "dangling.csv").symlink_to("new.csv")
    return {
        "the file itself": (folder / "in.csv", folder / "r.csv"),
        "the file by a long way": (folder / "x" / ".." / "in.csv", folder / "r.csv"),
        "a symbolic link": (folder / "r.csv", folder / "link.csv"),
        "a hard link": (folder / "r.csv", folder / "hard.csv"),
        "one output": (folder / "new.csv", folder / "new.csv"),
        "one output by a long way": (folder / "new.csv", folder / "x" / ".." / "new.csv"),
        "one output by a link": (folder / "new.csv", folder / "dangling.csv"),
    }


@pytest.mark.parametrize("case", range(7))
def test_an_output_that_is_the_file_or_the_other_output_is_refused_before_anything_is_read(
    run_cli, env, tmp_path, case
):
    clean, rejects = list(_outputs(tmp_path).values())[case]
    before = {path.name for path in tmp_path.iterdir()}
    done = run_cli("check", "users", tmp_path / "in.csv", "--clean", clean, "--rejects", rejects, env=env)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "is the same file as" in done.stderr
    assert ({path.name for path in tmp_path.iterdir()}, (tmp_path / "in.csv").read_text()) == (before, USERS)


@pytest.mark.parametrize("arguments", [["run", "--rows", "many"], ["run", "--rows", "-1"], ["fly"], ["check", "users"]])
def test_wrong_arguments_are_exit_2_without_a_traceback(run_cli, env, arguments):
    done = run_cli(*arguments, env=env)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_outside_a_project_the_installed_one_is_used(run_cli, env, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    del env["ROWGATE_PROJECT"]
    done = run_cli("run", "nobody", env=env)
    assert "users" in done.stderr


def test_a_state_folder_that_cannot_be_made_is_one_sentence(run_cli, env, tmp_path):
    (tmp_path / "file").write_text("")
    done = run_cli("run", "users", env=env | {"ROWGATE_STATE": str(tmp_path / "file" / "state")})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_two_runs_of_one_contract_do_not_work_at_once(run_cli, env, tmp_path):
    import fcntl

    locks = tmp_path / "state" / "locks"
    locks.mkdir(parents=True)
    with (locks / "run-users").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = run_cli("run", "users", env=env)
    assert done.returncode == 2
    assert "Another run of users" in done.stderr


def test_a_state_folder_that_others_can_enter_is_refused_and_left_as_it_is(run_cli, env, tmp_path):
    (tmp_path / "open").mkdir(mode=0o755)
    done = run_cli("run", "users", env=env | {"ROWGATE_STATE": str(tmp_path / "open")})
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "chmod 700" in done.stderr
    assert (tmp_path / "open").stat().st_mode & 0o777 == 0o755


def test_one_contract_is_rendered_alone(run_cli, env):
    done = run_cli("render", "users", "--check", env=env)
    assert (done.returncode, done.stdout) == (0, "")
