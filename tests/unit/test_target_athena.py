"""The tables of a contract for Athena and Glue."""

import dataclasses
import datetime as dt
import io
import json
import re

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sqlglot

from rowgate.adapters.lake import open_lake
from rowgate.contract import catalog
from rowgate.contract.checks import Between, NotBlank, Typed
from rowgate.contract.model import Column, Contract, FieldRule, Pii, SurrogateKey
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.errors import ContractError
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.report import Load, QualityRule, Report
from rowgate.stages.run import Run
from rowgate.targets import athena, athena_tables, glue

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
TOY = Contract(
    "toy",
    "1.0.0",
    "us",
    (
        Column("Who", Text(), Pii.DIRECT, "The person's name.", required=True),
        Column("n", Integer(32), Pii.NONE, "A number", loaded=False),
    ),
    (FieldRule("Who", NotBlank(), "who_missing"), FieldRule("n", Between(0, 9), "n_wrong")),
    key=SurrogateKey("toy_id", ("Who",), description="Who it is."),
)
CLEAN = """\
CREATE EXTERNAL TABLE IF NOT EXISTS rowgate.toy_clean (
  `toy_id` string COMMENT 'Who it is. PII: pseudonymised.',
  `who` string COMMENT 'The person\\'s name. PII: direct identifier.',
  `record_number` bigint COMMENT 'The record\\'s number in its file, from 1. PII: none.',
  `run_id` string COMMENT 'The run that read the file. PII: none.'
)
COMMENT 'The accepted rows, typed. Contract toy 1.0.0, owner us.'
PARTITIONED BY (`dt` string COMMENT 'The UTC date of the run, YYYY-MM-DD. PII: none.')
ROW FORMAT SERDE 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe'
STORED AS INPUTFORMAT 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat'
OUTPUTFORMAT 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat'
LOCATION '${lake}/clean/toy/'
TBLPROPERTIES (
  'classification' = 'parquet',
  'projection.enabled' = 'true',
  'projection.dt.type' = 'date',
  'projection.dt.format' = 'yyyy-MM-dd',
  'projection.dt.range' = '2025-01-01,NOW+1DAYS',
  'projection.dt.interval' = '1',
  'projection.dt.interval.unit' = 'DAYS'
);
"""
TYPES = {
    "t": Text(),
    "i": Integer(32),
    "b": Integer(64),
    "d": Decimal(10, 2),
    "wide": Decimal(38, 10),
    "day": Date(),
    "at": Timestamp(),
    "yes": Boolean(),
}
EVERY_TYPE = Contract(
    "types",
    "1.0.0",
    "us",
    tuple(Column(name, kind) for name, kind in TYPES.items()),
    tuple(FieldRule(name, Typed(), f"{name}_wrong") for name in TYPES if name != "t"),
)
_ROW = "x,{},2,3.4,5.6,2026-01-02,2026-01-02T03:04:05Z,true\n"
ROWS = f"{','.join(TYPES)}\n{_ROW.format(1)}{_ROW.format('bad')}".encode()
ARROW = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "decimal(10,2)": pa.decimal128(10, 2),
    "decimal(38,10)": pa.decimal128(38, 10),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "boolean": pa.bool_(),
    "array<string>": pa.list_(pa.string()),
}


def test_a_zone_is_a_table_with_partition_projection_on_dt_alone():
    assert CLEAN in athena.render(TOY)


def test_there_is_a_table_for_records_clean_rejects_and_quality():
    found = re.findall(r"CREATE EXTERNAL TABLE IF NOT EXISTS (\S+)", athena.render(TOY))
    assert found == ["rowgate.toy_records", "rowgate.toy_clean", "rowgate.toy_rejects", "rowgate.toy_quality"]


def test_what_is_not_enforced_is_said_at_the_top():
    assert "\n-- not enforced here: any rule; " in athena.render(TOY)


def test_the_ddl_of_every_contract_can_be_read_as_athena_sql(project):
    for contract in catalog.load_all(project / "contracts"):
        statements = sqlglot.parse(athena.render(contract), dialect="athena")
        assert [type(each).__name__ for each in statements] == ["Create"] * 5


@pytest.fixture(scope="module")
def schemas(tmp_path_factory):
    """The Arrow schemas of the files that a run leaves, by zone."""
    lake = open_lake(f"file://{tmp_path_factory.mktemp('lake')}")
    run = Run("types", "r", NOW)
    ingest(EVERY_TYPE, run, Source("types.csv", lambda: io.BytesIO(ROWS)), lake)
    transform_duckdb(EVERY_TYPE, run, lake, now=NOW)
    zones = ("records", "clean", "rejects")
    return {
        zone: pq.read_schema(next(lake.local(run.folder(zone)).glob("*.parquet"))).remove_metadata() for zone in zones
    }


@pytest.mark.parametrize("zone", ["records", "clean", "rejects"])
def test_a_table_has_the_columns_of_the_zones_files_in_their_order_with_their_types(schemas, zone):
    table = next(table for table in athena_tables.tables(EVERY_TYPE) if table.zone == zone)
    expected = [(column.source, ARROW[column.kind]) for column in table.columns]
    found = [(field.name, _flat(field.type)) for field in schemas[zone]]
    assert found == expected


def _flat(kind: pa.DataType) -> pa.DataType:
    """The type without what Athena does not see: a dictionary, a list element's name, how a zone is called."""
    if pa.types.is_dictionary(kind):
        return kind.value_type
    if pa.types.is_list(kind):
        return pa.list_(kind.value_type)
    return pa.timestamp(kind.unit, "UTC") if pa.types.is_timestamp(kind) and kind.tz else kind


REPORT = Report(
    *("toy", "1.0.0", "r", "2026-03-01", "f.csv", "passed", 2, 1, 1, 0.5, {"Bad": 1}, {"Bad": 1}, {"odd": 1}),
    quality_rules=[QualityRule("share", 0.5, 1, "met", None, "at most 1"), QualityRule("n", None, None, "breached")],
    breaches=["It is late."],
    started_at="2026-03-01T12:00:00Z",
    finished_at="2026-03-01T12:00:01Z",
    load=Load(1, 0, 0, 0),
)


def test_the_quality_table_has_every_field_of_a_report():
    fields = set(REPORT.to_dict()) - {"dt"}
    assert {column.name for column in athena_tables.quality_columns()} == fields


def test_the_rules_of_the_quality_table_have_every_field_of_a_rule():
    [kind] = [column.kind for column in athena_tables.quality_columns() if column.name == "quality_rules"]
    assert re.findall(r"(\w+):", kind) == [field.name for field in dataclasses.fields(QualityRule)]


def test_a_report_is_read_by_the_types_of_the_quality_table(tmp_path):
    (tmp_path / "r.json").write_text(REPORT.to_json() + "\n")
    kinds = {
        column.name: sqlglot.exp.DataType.build(column.kind, dialect="hive").sql("duckdb")
        for column in athena_tables.quality_columns()
    }
    [row] = duckdb.execute(f"SELECT * FROM read_json('{tmp_path}/r.json', columns = {kinds})").fetchall()
    found = REPORT.to_dict()
    assert dict(zip(kinds, row, strict=True)) == {name: found[name] for name in kinds}


def _glue(contract):
    return json.loads(glue.render(contract))


def test_glue_has_the_same_columns_as_the_ddl():
    for table in athena_tables.tables(TOY):
        columns = _glue(TOY)["tables"][table.name]["columns"]
        lines = [f"  `{each['name']}` {each['type']} COMMENT '" for each in columns]
        statement = athena.render(TOY).split(f"rowgate.{table.name} (")[1].split("\n)")[0]
        assert [line.startswith(start) for line, start in zip(statement.splitlines()[1:], lines, strict=True)] == [
            True for _ in lines
        ]


def test_glue_says_the_pii_class_of_a_column():
    who = _glue(TOY)["tables"]["toy_rejects"]["columns"][0]
    assert who == {
        "name": "who",
        "type": "string",
        "comment": "The person's name. PII: direct identifier.",
        "pii": "direct identifier",
    }


def test_the_text_of_a_malformed_record_is_as_personal_as_the_most_personal_column():
    found = {each["name"]: each["pii"] for each in _glue(TOY)["tables"]["toy_records"]["columns"]}
    assert found["raw_record"] == "direct identifier"


def test_glue_has_what_terraform_needs_of_a_table():
    found = _glue(TOY)["tables"]["toy_quality"]
    assert (found["location_suffix"], found["serde"], found["partition_keys"][0]["name"]) == (
        "quality/toy/",
        {"serialization_library": "org.apache.hive.hcatalog.data.JsonSerDe", "parameters": {}},
        "dt",
    )
    assert found["parameters"]["projection.dt.range"] == "2025-01-01,NOW+1DAYS"


def test_a_comment_that_glue_would_refuse_is_cut_in_one_line_and_keeps_the_pii_class():
    long = dataclasses.replace(TOY.columns[0], description="It is\n" + "long " * 100)
    comment = _glue(dataclasses.replace(TOY, columns=(long, TOY.columns[1])))["tables"]["toy_clean"]["columns"][1]
    assert len(comment["comment"]) <= 255
    assert comment["comment"].startswith("It is long long")
    assert comment["comment"].endswith("... PII: direct identifier.")


def test_a_name_that_athena_cannot_have_makes_it_read_columns_by_place():
    odd = Contract("toy", "1.0.0", "us", (Column("Total Sum", Text()),), ())
    assert "`total_sum` string" in athena.render(odd)
    assert "WITH SERDEPROPERTIES ('parquet.column.index.access' = 'true')" in athena.render(odd)


def test_two_names_that_are_one_in_athena_are_an_error():
    with pytest.raises(ContractError, match="one name in Athena"):
        athena.render(Contract("toy", "1.0.0", "us", (Column("a b", Text()), Column("a_b", Text())), ()))
