"""The files under .github are safe and whole. What is taken from them turns a check red."""

import re

import pytest
import yaml

PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
OWN = re.compile(r"uses: \./\.github/actions/[\w-]+$")
CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1"


def jobs(workflows):
    return {f"{name}.{job}": body for name, workflow in workflows.items() for job, body in workflow["jobs"].items()}


def commands(job):
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_zizmor_finds_nothing(project, zizmor):
    assert zizmor(project) == ""


def test_actionlint_finds_nothing(project, actionlint):
    assert actionlint(project) == ""


@pytest.mark.parametrize(
    ("file", "old", "new", "audit"),
    [
        ("workflows/ci.yml", CHECKOUT, "actions/checkout@v7", "unpinned-uses"),
        (
            "actions/setup/action.yml",
            "actions/cache@55cc8345863c7cc4c66a329aec7e433d2d1c52a9",
            "actions/cache@v6",
            "unpinned-uses",
        ),
        (
            "workflows/gitleaks.yml",
            "permissions:\n      contents: read",
            "permissions: write-all",
            "excessive-permissions",
        ),
        (
            "workflows/ci.yml",
            "run: make lint ",
            "run: echo ${{ github.event.pull_request.title }} ",
            "template-injection",
        ),
        ("workflows/image.yml", "        with:\n          persist-credentials: false\n", "", "artipacked"),
        ("workflows/dependencies.yml", "  pull_request:", "  pull_request_target:", "dangerous-triggers"),
        ("workflows/ci.yml", "image: postgres:18.6-bookworm", "image: postgres:latest", "unpinned-images"),
        ("dependabot.yml", "    cooldown: {default-days: 7}\n", "", "dependabot-cooldown"),
    ],
)
def test_zizmor_finds_what_is_made_unsafe(changed, zizmor, file, old, new, audit):
    assert f"[{audit}]" in zizmor(changed(file, old, new))


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        (
            "workflows/ci.yml",
            "run: make lint ",
            "run: echo ${{ github.event.pull_request.title }} ",
            "potentially untrusted",
        ),
        ("workflows/terraform.yml", "needs: plan", "needs: plans", 'needs job "plans" which does not exist'),
        (
            "workflows/terraform.yml",
            "needs.plan.outputs.changes",
            "needs.plan.outputs.digest",
            'property "digest" is not defined',
        ),
        (
            "workflows/image.yml",
            "target: [rowgate, lake]",
            "targets: [rowgate, lake]",
            'property "target" is not defined',
        ),
    ],
)
def test_actionlint_finds_what_is_made_wrong(changed, actionlint, file, old, new, problem):
    assert problem in actionlint(changed(file, old, new))


def test_every_action_is_pinned_by_its_digest_and_names_its_version(project):
    files = [*(project / ".github").rglob("*.yml")]
    used = [
        line.strip(" -") for file in files for line in file.read_text().splitlines() if re.match(r"\s*(- )?uses:", line)
    ]
    assert [line for line in used if not PINNED.match(line) and not OWN.match(line)] == []


def test_one_action_has_one_pin(project):
    text = "\n".join(file.read_text() for file in (project / ".github").rglob("*.yml"))
    pins = set(re.findall(r"uses: ([\w./-]+)@([0-9a-f]{40})", text))
    assert len(pins) == len({action for action, _ in pins})


def test_a_workflow_gives_nothing_and_a_job_only_reads(workflows):
    assert {name: workflow["permissions"] for name, workflow in workflows.items()} == {name: {} for name in workflows}
    assert {name for name, job in jobs(workflows).items() if job["permissions"] != {"contents": "read"}} == {
        "terraform.plan",
        "terraform.apply",
    }


def test_only_plan_and_apply_prove_who_they_are(workflows):
    proving = {"contents": "read", "id-token": "write"}
    assert workflows["terraform"]["jobs"]["plan"]["permissions"] == proving
    assert workflows["terraform"]["jobs"]["apply"]["permissions"] == proving


def test_every_job_ends_some_day_and_gives_way_to_a_newer_one(workflows):
    assert all(job["timeout-minutes"] <= 90 for job in jobs(workflows).values())
    assert all("concurrency" in workflow for workflow in workflows.values())


def test_apply_is_by_hand_on_main_in_the_production_environment(workflows):
    apply = workflows["terraform"]["jobs"]["apply"]
    assert apply["environment"] == "production"
    assert apply["if"] == "github.event_name == 'workflow_dispatch' && github.ref == 'refs/heads/main'"
    assert [name for name, job in jobs(workflows).items() if "terraform apply" in commands(job)] == ["terraform.apply"]


def test_the_plan_of_a_pull_request_takes_no_lock_and_has_the_role_that_only_reads(workflows):
    plan = workflows["terraform"]["jobs"]["plan"]
    assert "terraform plan -lock=false" in commands(plan)
    assert plan["env"]["AWS_ROLE_ARN"] == "${{ vars.AWS_PLANNER_ROLE }}"


def test_a_change_of_the_configuration_is_planned(workflows):
    assert "infra/terraform/**" in workflows["terraform"][True]["pull_request"]["paths"]  # YAML 1.1 reads `on` as true


def test_no_workflow_knows_a_secret(project):
    assert [file.name for file in (project / ".github").rglob("*.*") if "secrets." in file.read_text()] == []


def test_a_target_that_a_workflow_makes_is_in_the_makefile(project, workflows):
    makefile = (project / "Makefile").read_text(encoding="utf-8")
    named = {
        name
        for job in jobs(workflows).values()
        for line in re.findall(r"\bmake ([a-z -]+)", commands(job))
        for name in line.split()
    }
    assert named >= {"lint", "test", "servers", "terraform", "secrets", "env"}
    assert [name for name in named if not re.search(rf"^{name}:", makefile, re.MULTILINE)] == []


def test_a_script_that_a_workflow_runs_is_there(project, workflows):
    named = {
        name for job in jobs(workflows).values() for name in re.findall(r"\.github/scripts/\S+\.sh", commands(job))
    }
    assert {str(path.relative_to(project)) for path in (project / ".github" / "scripts").iterdir()} == named


def test_the_outputs_that_the_workflow_wants_are_the_bootstraps(project):
    head = (project / ".github" / "workflows" / "terraform.yml").read_text(encoding="utf-8").split("\non:")[0]
    outputs = (project / "infra" / "terraform" / "bootstrap" / "outputs.tf").read_text(encoding="utf-8")
    wanted = {"planner_role_arn", "deployer_role_arn", "backend", "permissions_boundary"}
    assert all(name in head and f'output "{name}"' in outputs for name in wanted)


def test_the_smoke_is_against_the_postgres_of_the_stack(project, workflows):
    compose = yaml.safe_load((project / "docker-compose.yml").read_text(encoding="utf-8"))
    assert workflows["ci"]["jobs"]["smoke"]["services"]["postgres"]["image"] == compose["services"]["postgres"]["image"]


def test_dependabot_looks_wherever_versions_stand(project):
    updates = yaml.safe_load((project / ".github" / "dependabot.yml").read_text(encoding="utf-8"))["updates"]
    assert {update["package-ecosystem"] for update in updates} == {
        *("github-actions", "docker", "docker-compose", "maven", "gomod", "terraform")
    }
