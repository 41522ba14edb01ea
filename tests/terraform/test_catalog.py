"""The tables and the crawler have each property, and a change to it is seen."""

import runpy
from pathlib import Path

import pytest

Property = runpy.run_path(str(Path(__file__).with_name("configuration.py")))["Property"]


def resource(configuration, address):
    return configuration.resources(".")[address]


def table(configuration):
    return resource(configuration, "aws_glue_catalog_table.lake")


def crawler(configuration):
    return resource(configuration, "aws_glue_crawler.raw")


PROPERTIES = {
    "every rendered contract is read": Property(
        "main.tf",
        'fileset("${path.module}/rendered", "*.json")',
        '["users.json"]',
        lambda c: 'fileset("${path.module}/rendered", "*.json")' in c.locals(".")["contracts"],
    ),
    "every rendered table is made": Property(
        "catalog.tf", "for_each = local.tables", "for_each = {}", lambda c: table(c)["for_each"] == "${local.tables}"
    ),
    "a table has the rendered parameters, with its projection": Property(
        "catalog.tf",
        "parameters    = each.value.parameters",
        "parameters    = {}",
        lambda c: table(c)["parameters"] == "${each.value.parameters}",
    ),
    "a table has the rendered partitions": Property(
        "catalog.tf",
        "for_each = each.value.partition_keys",
        "for_each = []",
        lambda c: table(c)["dynamic"][0]["partition_keys"]["for_each"] == "${each.value.partition_keys}",
    ),
    "a table has the rendered columns": Property(
        "catalog.tf",
        "for_each = each.value.columns",
        "for_each = []",
        lambda c: table(c)["storage_descriptor"][0]["dynamic"][0]["columns"]["for_each"] == "${each.value.columns}",
    ),
    "a column says how it identifies a person": Property(
        "catalog.tf",
        "        parameters = { pii = columns.value.pii }\n",
        "",
        lambda c: (
            table(c)["storage_descriptor"][0]["dynamic"][0]["columns"]["content"][0]["parameters"]
            == {"pii": "${columns.value.pii}"}
        ),
    ),
    "a table reads its folder of the lake": Property(
        "catalog.tf",
        "s3://${module.lake.name}/${each.value.location_suffix}",
        "s3://${module.lake.name}/",
        lambda c: (
            table(c)["storage_descriptor"][0]["location"] == "s3://${module.lake.name}/${each.value.location_suffix}"
        ),
    ),
    "the classifier forces the header": Property(
        "catalog.tf",
        '"PRESENT"',
        '"UNKNOWN"',
        lambda c: (
            resource(c, "aws_glue_classifier.raw")["csv_classifier"]
            == [{"allow_single_column": True, "contains_header": "PRESENT", "delimiter": ",", "quote_symbol": '"'}]
        ),
    ),
    "the crawler uses the classifier": Property(
        "catalog.tf",
        "  classifiers   = [aws_glue_classifier.raw.name]\n",
        "",
        lambda c: crawler(c)["classifiers"] == ["${aws_glue_classifier.raw.name}"],
    ),
    "the crawler reads raw/": Property(
        "catalog.tf",
        "s3://${module.lake.name}/raw/${s3_target.key}",
        "s3://${module.lake.name}/rejects/${s3_target.key}",
        lambda c: (
            crawler(c)["dynamic"][0]["s3_target"]["content"][0]["path"]
            == "s3://${module.lake.name}/raw/${s3_target.key}"
        ),
    ),
    "the crawler runs on demand": Property(
        "catalog.tf",
        '  table_prefix  = "arrived_"\n',
        '  table_prefix  = "arrived_"\n  schedule      = "cron(0 * * * ? *)"\n',
        lambda c: "schedule" not in crawler(c),
    ),
    "what is crawled stays beside the contracts' tables": Property(
        "catalog.tf", '"arrived_"', '""', lambda c: crawler(c)["table_prefix"] == "arrived_"
    ),
    "the crawler writes no other table": Property(
        "policies/crawler.json",
        "table/${database}/arrived_*",
        "table/${database}/*",
        lambda c: (
            next(each for each in c.statements("policies/crawler.json") if "glue:UpdateTable" in each["Action"])[
                "Resource"
            ][-1]
            == "${glue_arn}:table/${database}/arrived_*"
        ),
    ),
    "the crawler reads nothing but raw/": Property(
        "policies/crawler.json",
        '"${bucket_arn}/raw/*"',
        '"${bucket_arn}/*"',
        lambda c: (
            [each["Resource"] for each in c.statements("policies/crawler.json") if "s3:GetObject" in each["Action"]]
            == ["${bucket_arn}/raw/*"]
        ),
    ),
    "Glue alone takes the crawler's role": Property(
        "catalog.tf",
        '"glue.amazonaws.com"',
        '"*"',
        lambda c: (
            'Principal = {Service = "glue.amazonaws.com"}' in resource(c, "aws_iam_role.crawler")["assume_role_policy"]
        ),
    ),
}


@pytest.mark.parametrize("name", PROPERTIES)
def test_the_property_is_there(configuration, name):
    assert PROPERTIES[name].proved(configuration)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_change_is_seen(name):
    assert not PROPERTIES[name].proved(PROPERTIES[name].changed())
