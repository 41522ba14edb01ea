"""`make env`: every secret random, nothing overwritten."""

import re
import subprocess
import sys


def test_every_secret_is_made_anew(project, env_maker, reader):
    example = (project / ".env.example").read_text(encoding="utf-8")
    first, second = (reader.variables(env_maker.completed(example, "")) for _ in range(2))
    assert [name for name, value in first.items() if value == second[name] or len(value) < 20] == []


def test_no_value_needs_quoting_in_an_address_or_in_json(env_text, reader):
    assert [value for value in reader.variables(env_text).values() if not re.fullmatch(r"[A-Za-z0-9_=-]+", value)] == []


def test_the_example_has_no_value(project, reader):
    assert set(reader.variables((project / ".env.example").read_text(encoding="utf-8")).values()) == {""}


def test_the_example_names_what_the_compose_file_asks_for(project, compose_text, reader):
    example = (project / ".env.example").read_text(encoding="utf-8")
    asked = set(re.findall(r"\$\{([A-Z0-9_]+):\?", compose_text))
    assert set(reader.variables(example)) == asked
    optional = set(re.findall(r"\$\{([A-Z0-9_]+):-", compose_text))
    assert optional | {"COMPOSE_PROFILES"} == set(re.findall(r"(?m)^#([A-Z0-9_]+)=", example))


def test_a_value_that_is_there_stays_and_what_is_new_is_added(env_maker):
    text = env_maker.completed("# why\nA_PASSWORD=\nB_PASSWORD=\n#C=1\n", "# mine\nA_PASSWORD=kept\n")
    assert re.fullmatch(r"# mine\nA_PASSWORD=kept\nB_PASSWORD=[0-9a-f]{48}\n", text)


def test_the_file_is_for_its_owner_alone_and_a_second_time_changes_nothing(project, tmp_path):
    (tmp_path / "scripts").mkdir()
    for name in ("scripts/make_env.py", ".env.example"):
        (tmp_path / name).write_bytes((project / name).read_bytes())
    command = [sys.executable, tmp_path / "scripts" / "make_env.py"]
    subprocess.run(command, check=True, capture_output=True)
    made = tmp_path / ".env"
    assert made.stat().st_mode & 0o777 == 0o600
    before = made.read_text(encoding="utf-8")
    told = subprocess.run(command, check=True, capture_output=True, text=True)
    assert (made.read_text(encoding="utf-8"), told.stdout) == (before, "env: .env has everything\n")
