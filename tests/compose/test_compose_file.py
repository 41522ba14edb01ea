"""docker-compose.yml: whole, safe, and ready when `up --wait` ends. What is taken from it turns a check red."""

import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.prefix) / "bin"


def test_the_file_meets_the_schema_of_compose(project):
    command = [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", project / "docker-compose.yml"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_the_file_has_every_part_of_the_stack(reader, compose_text):
    assert set(reader.read(compose_text)["services"]) == {
        *("prepare-airflow", "api-server", "scheduler", "dag-processor", "triggerer", "postgres"),
        *("lake", "prepare-lake", "spark-master", "spark-worker"),
        *("statsd-exporter", "prometheus", "alertmanager", "grafana", "dashboard"),
    }


def test_nothing_in_the_file_is_unsafe_or_not_waited_for(reader, compose_text):
    assert reader.problems(reader.read(compose_text)) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            '"127.0.0.1:${AIRFLOW_PORT',
            '"0.0.0.0:${AIRFLOW_PORT',
            "api-server: 0.0.0.0:${AIRFLOW_PORT:-8080}:8080 is open",
        ),
        ('"127.0.0.1:${POSTGRES_PORT', '"${POSTGRES_PORT', "postgres: ${POSTGRES_PORT:-5432}:5432 is open"),
        ("prom/prometheus:v3.13.3", "prom/prometheus:latest", "prometheus: the tag of prom/prometheus:latest is not"),
        ("postgres:18.6-bookworm", "postgres", "postgres: the tag of postgres is not exact"),
        (
            "{POSTGRES_PASSWORD:?run make env}",
            "{POSTGRES_PASSWORD:-postgres}",
            "postgres: POSTGRES_PASSWORD is not demanded",
        ),
        (
            "{GRAFANA_ADMIN_PASSWORD:?run make env}",
            "{GRAFANA_ADMIN_PASSWORD}",
            "grafana: GF_SECURITY_ADMIN_PASSWORD is not",
        ),
        ("airflow:${AIRFLOW_DB_PASSWORD:?run make env}@", "airflow:airflow@", "SQL_ALCHEMY_CONN holds a password"),
        ('"${LAKE_READER_SECRET:?run make env}"', '"reader-secret"', "AIRFLOW_CONN_AWS_DEFAULT holds a password"),
        ('user: "999:999"', 'user: "0:0"', "postgres: runs as root"),
        ('    user: "472:0" # the image\'s grafana\n', "", "grafana: runs as root"),
        ("cap_drop: [ALL]", "cap_drop: [NET_RAW]", "scheduler: keeps capabilities"),
        ('security_opt: ["no-new-privileges:true"]', "security_opt: []", "lake: can gain privileges"),
        ("read_only: true", "read_only: false", "dashboard: can write into its image"),
        ("  init: true", "  privileged: true", "scheduler: has privileged"),
        (
            "prepare-lake: {condition: service_completed",
            "prepare-lake: {condition: service_started} #",
            "does not wait",
        ),
        ("pull_policy: never", "pull_policy: missing", "scheduler: would fetch the project's own image"),
        ("  init: true", "  userns_mode: host", "scheduler: has userns_mode"),
        ("  init: true", "  devices: [/dev/kvm]", "scheduler: has devices"),
        ("prometheus.yml:ro", "prometheus.yml", "prometheus: can write into ./monitoring/prometheus.yml"),
        ('"spark:/var/lib/rowgate"', '"../:/mnt:ro"', "spark-worker: mounts ../ of this machine"),
        ("test: [CMD, wget", "disable: true #", "lake: has no health check"),
        (
            "POSTGRES_INITDB_ARGS:",
            "POSTGRES_HOST_AUTH_METHOD: trust #",
            "postgres: POSTGRES_HOST_AUTH_METHOD lets anybody",
        ),
        (
            'GF_USERS_ALLOW_SIGN_UP: "false"',
            'GF_AUTH_ANONYMOUS_ENABLED: "true"',
            "grafana: GF_AUTH_ANONYMOUS_ENABLED lets anybody in",
        ),
        ('ALLOW_SIGN_UP: "false"', 'ALLOW_SIGN_UP: "true"', "grafana: GF_USERS_ALLOW_SIGN_UP lets anybody in"),
        (
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS: admin:admin",
            'AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS: "True"',
            "api-server: AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS lets anybody in",
        ),
        ("--web.listen-address=:9090", "--web.enable-admin-api", "prometheus: is run with --web.enable-admin-api"),
    ],
)
def test_each_weakening_is_seen(reader, compose_text, old, new, problem):
    assert old in compose_text
    found = reader.problems(reader.read(compose_text.replace(old, new)))
    assert any(problem in each for each in found), found


def test_without_an_env_file_nothing_starts(reader, compose_text):
    with pytest.raises(reader.RefusedError, match=r"^required variable \w+ is missing a value: run make env$"):
        reader.interpolated(reader.read(compose_text), {})


def test_each_value_that_is_left_empty_is_refused_by_name(reader, compose_text, env_text):
    given = reader.variables(env_text)
    for name in given:
        with pytest.raises(reader.RefusedError, match=rf"^required variable {name} is missing"):
            reader.interpolated(reader.read(compose_text)["services"], given | {name: ""})


def test_connections_are_json_after_the_variables_are_filled_in(reader, compose_text, env_text):
    import json

    services = reader.interpolated(reader.read(compose_text), reader.variables(env_text))["services"]
    kinds = {
        (name, json.loads(value)["conn_type"])
        for name, service in services.items()
        for variable, value in service.get("environment", {}).items()
        if variable.startswith("AIRFLOW_CONN_")
    }
    assert kinds == {
        *(("scheduler", "aws"), ("scheduler", "postgres"), ("scheduler", "spark")),
        *(("dag-processor", "aws"), ("dashboard", "aws"), ("dashboard", "postgres")),
    }


def test_only_the_scheduler_holds_the_keys_that_write_to_the_lake_and_the_warehouse(reader, compose_text, env_text):
    given = reader.variables(env_text)
    services = reader.interpolated(reader.read(compose_text), given)["services"]

    def holders(name):
        return {
            service
            for service, parts in services.items()
            if any(given[name] in str(value) for value in parts.get("environment", {}).values())
        }

    assert holders("LAKE_PIPELINE_SECRET") == {"scheduler", "prepare-lake"}
    assert holders("WAREHOUSE_PASSWORD") == {"scheduler", "postgres"}
    assert holders("LAKE_ROOT_SECRET") == {"lake", "prepare-lake"}
    assert holders("POSTGRES_PASSWORD") == {"postgres"}


def test_no_secret_stands_on_a_command_line(reader, compose_text, env_text):
    given = reader.variables(env_text)
    services = reader.interpolated(reader.read(compose_text), given)["services"]
    lines = [str(service.get("command", "")) + str(service.get("healthcheck", "")) for service in services.values()]
    assert not [name for name, value in given.items() if any(value in line for line in lines)]


def test_the_files_that_are_mounted_are_in_the_project(reader, compose_text, project):
    mounted = [
        volume.split(":")[0]
        for service in reader.read(compose_text)["services"].values()
        for volume in service.get("volumes", [])
        if volume.startswith(".")
    ]
    assert mounted
    assert [path for path in mounted if not (project / path).exists()] == []


def test_grafana_finds_prometheus_and_its_dashboards_where_the_file_has_them(reader, compose_text, project):
    import yaml

    services = reader.read(compose_text)["services"]
    provisioning = project / "monitoring" / "grafana" / "provisioning"
    sources = yaml.safe_load((provisioning / "datasources" / "prometheus.yml").read_text(encoding="utf-8"))
    assert "--web.listen-address=:9090" in services["prometheus"]["command"]
    assert [each["url"] for each in sources["datasources"]] == ["http://prometheus:9090"]
    dashboards = yaml.safe_load((provisioning / "dashboards" / "rowgate.yml").read_text(encoding="utf-8"))
    targets = [volume.split(":")[1] for volume in services["grafana"]["volumes"]]
    assert dashboards["providers"][0]["options"]["path"] in targets
