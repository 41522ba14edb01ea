"""The files of Prometheus and Alertmanager, as their own tools judge them."""

import subprocess

import pytest
import yaml

from rowgate.contract import catalog


def told(*command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_prometheus_takes_its_configuration(tools, project):
    code, text = told("promtool", "check", "config", project / "monitoring" / "prometheus.yml")
    assert code == 0, text


def test_the_rules_have_nothing_to_complain_of(tools, project):
    files = sorted((project / "monitoring" / "alerts").glob("*.yml"))
    code, text = told("promtool", "check", "rules", "--lint=all", "--lint-fatal", *files)
    assert code == 0, text


@pytest.mark.parametrize("name", ["data_quality", "pipeline"])
def test_every_alert_fires_when_it_should_and_is_quiet_otherwise(tools, project, name):
    code, text = told("promtool", "test", "rules", project / "tests" / "monitoring" / "rules" / f"{name}.yml")
    assert code == 0, text


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not(project):
    fires, quiet, there = set(), set(), set()
    for file in (project / "tests" / "monitoring" / "rules").glob("*.yml"):
        for case in yaml.safe_load(file.read_text(encoding="utf-8"))["tests"]:
            for each in case.get("alert_rule_test", ()):
                (fires if each["exp_alerts"] else quiet).add(each["alertname"])
    for file in (project / "monitoring" / "alerts").glob("*.yml"):
        for group in yaml.safe_load(file.read_text(encoding="utf-8"))["groups"]:
            there |= {rule["alert"] for rule in group["rules"] if "alert" in rule}
    assert (there - fires, there - quiet) == (set(), set())


def test_alertmanager_takes_its_configuration(tools, project):
    code, text = told("amtool", "check-config", project / "monitoring" / "alertmanager.yml")
    assert code == 0, text


def test_alertmanager_sends_each_contracts_alerts_to_its_owner(tools, project):
    file = project / "monitoring" / "alertmanager.yml"
    owners = {each.owner for each in catalog.load_all(project / "contracts")}
    routes = {
        owner: told("amtool", "config", "routes", "test", f"--config.file={file}", f"owner={owner}")[1].splitlines()[0]
        for owner in {*owners, "nobody we know"}
    }
    assert routes == {owner: owner for owner in owners} | {"nobody we know": "platform"}
