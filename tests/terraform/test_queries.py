"""The workgroup, the saved queries, the alarm, the state and the outputs have each property; a change is seen."""

import runpy
from pathlib import Path

import pytest

Property = runpy.run_path(str(Path(__file__).with_name("configuration.py")))["Property"]


def resource(configuration, address):
    return configuration.resources(".")[address]


def workgroup(configuration):
    return resource(configuration, "aws_athena_workgroup.lake")["configuration"][0]


def alarm(configuration):
    return resource(configuration, "aws_cloudwatch_metric_alarm.failed_queries")


PROPERTIES = {
    "a query cannot leave the workgroup's settings": Property(
        "queries.tf",
        "enforce_workgroup_configuration    = true",
        "enforce_workgroup_configuration    = false",
        lambda c: workgroup(c)["enforce_workgroup_configuration"] is True,
    ),
    "a query is ended at a limit of bytes": Property(
        "queries.tf",
        "    bytes_scanned_cutoff_per_query     = var.bytes_scanned_limit\n",
        "",
        lambda c: workgroup(c)["bytes_scanned_cutoff_per_query"] == "${var.bytes_scanned_limit}",
    ),
    "the limit is 10 GiB": Property(
        "variables.tf",
        "10737418240",
        "1099511627776000",
        lambda c: c.named(".", "variable", "bytes_scanned_limit")["default"] == 10 * 2**30,
    ),
    "results are encrypted": Property(
        "queries.tf",
        "      encryption_configuration {",
        "      other_configuration {",
        lambda c: (
            workgroup(c)["result_configuration"][0]["encryption_configuration"]
            == [
                {
                    "encryption_option": '${var.encryption == "kms" ? "SSE_KMS" : "SSE_S3"}',
                    "kms_key_arn": "${local.key_arn}",
                }
            ]
        ),
    ),
    "results lie in a bucket of their own": Property(
        "queries.tf",
        "s3://${module.results.name}/results/",
        "s3://${module.lake.name}/results/",
        lambda c: workgroup(c)["result_configuration"][0]["output_location"] == "s3://${module.results.name}/results/",
    ),
    "the workgroup publishes what the alarm watches": Property(
        "queries.tf",
        "publish_cloudwatch_metrics_enabled = true",
        "publish_cloudwatch_metrics_enabled = false",
        lambda c: workgroup(c)["publish_cloudwatch_metrics_enabled"] is True,
    ),
    "every saved query is made": Property(
        "queries.tf",
        "for_each = local.queries",
        "for_each = {}",
        lambda c: resource(c, "aws_athena_named_query.saved")["for_each"] == "${local.queries}",
    ),
    "a saved query is the rendered text": Property(
        "queries.tf",
        "= each.value.sql",
        '= "SELECT 1"',
        lambda c: resource(c, "aws_athena_named_query.saved")["query"] == "${each.value.sql}",
    ),
    "failed queries are counted": Property(
        "queries.tf",
        '"FAILED"',
        '"SUCCEEDED"',
        lambda c: (
            alarm(c)["dimensions"]
            == {
                "WorkGroup": "${aws_athena_workgroup.lake.name}",
                "QueryState": "FAILED",
                "QueryType": "${each.key}",
            }
        ),
    ),
    "one failure is an alarm": Property(
        "queries.tf",
        "threshold           = 1",
        "threshold           = 100",
        lambda c: (
            [alarm(c)[name] for name in ("comparison_operator", "statistic", "threshold")]
            == ["GreaterThanOrEqualToThreshold", "SampleCount", 1]
        ),
    ),
    "the alarm tells somebody": Property(
        "queries.tf",
        "  alarm_actions       = var.alarm_topics\n",
        "",
        lambda c: alarm(c)["alarm_actions"] == "${var.alarm_topics}",
    ),
    "everything is tagged": Property(
        "versions.tf",
        'tags = merge(var.tags, { project = var.name, managed_by = "terraform" })',
        "tags = {}",
        lambda c: c.tags(".") == '${merge(var.tags, {project = var.name, managed_by = "terraform"})}',
    ),
    "the state is locked in S3": Property(
        "versions.tf",
        "    use_lockfile = true\n",
        "",
        lambda c: c.settings(".")["backend"][0]["s3"]["use_lockfile"] is True,
    ),
    "the state is encrypted": Property(
        "versions.tf",
        "encrypt      = true",
        "encrypt      = false",
        lambda c: c.settings(".")["backend"][0]["s3"]["encrypt"] is True,
    ),
    "the output env names the lake": Property(
        "outputs.tf",
        "ROWGATE_LAKE=s3://${module.lake.name}",
        "LAKE=s3://${module.lake.name}",
        lambda c: "ROWGATE_LAKE=s3://${module.lake.name}\n" in c.named(".", "output", "env")["value"],
    ),
    "the output env names the connection": Property(
        "outputs.tf",
        "AIRFLOW_CONN_AWS_DEFAULT=",
        "OTHER=",
        lambda c: "AIRFLOW_CONN_AWS_DEFAULT='${jsonencode({" in c.named(".", "output", "env")["value"],
    ),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_property_is_there(configuration, name):
    assert PROPERTIES[name].proved(configuration)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_change_is_seen(name):
    assert not PROPERTIES[name].proved(PROPERTIES[name].changed())
