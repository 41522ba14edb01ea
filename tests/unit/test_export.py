"""A zone's rows as one file a person asked for."""

import datetime as dt
import re
from decimal import Decimal as Number

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rowgate.contract.checks import NotBlank, Typed
from rowgate.contract.model import Column, Contract, FieldRule, SurrogateKey
from rowgate.contract.types import Boolean, Date, Decimal, Integer, Text, Timestamp
from rowgate.errors import UnusableError
from rowgate.stages.export import clean_columns, export, rejects_columns

CONTRACT = Contract(
    name="toy",
    version="1.0.0",
    owner="tests",
    columns=(
        Column('a "b"', Text(), required=True),
        Column("n", Integer(32)),
        Column("amount", Decimal(20, 3)),
        Column("day", Date()),
        Column("at", Timestamp()),
        Column("flag", Boolean()),
        Column("left", Text(), loaded=False),
    ),
    rules=(
        FieldRule('a "b"', NotBlank(), "missing_a"),
        *(FieldRule(name, Typed(), f"type_{name}") for name in ("n", "amount", "day", "at", "flag")),
    ),
    key=SurrogateKey("toy_id", ('a "b"',)),
)


LINES = r"""{"toy_id":"k1","a \"b\"":"A","n":7,"amount":"5.500","day":"0001-01-01","at":"0001-01-01T00:00:00.5Z","flag":true,"record_number":1,"run_id":"r"}
{"toy_id":"k2","a \"b\"":"Ωm \"q\", \\ \n","n":null,"amount":null,"day":null,"at":null,"flag":null,"record_number":2,"run_id":"r"}
{"toy_id":"k3","a \"b\"":"B","n":-7,"amount":"-0.001","day":"9999-12-31","at":"2026-01-01T00:00:00Z","flag":false,"record_number":3,"run_id":"r"}
"""  # noqa: E501 - a line is a line


@pytest.fixture
def clean(tmp_path):
    schema = pa.schema(
        {
            "toy_id": pa.string(),
            'a "b"': pa.string(),
            "n": pa.int32(),
            "amount": pa.decimal128(20, 3),
            "day": pa.date32(),
            "at": pa.timestamp("us", "UTC"),
            "flag": pa.bool_(),
            "record_number": pa.int64(),
            "run_id": pa.string(),
        }
    )
    late = ["k2", 'Ωm "q", \\ \n', None, None, None, None, None, 2, "r"]
    early = [
        "k1",
        "A",
        7,
        Number("5.5"),
        dt.date(1, 1, 1),
        dt.datetime(1, 1, 1, 0, 0, 0, 500_000, dt.UTC),
        True,
        1,
        "r",
    ]
    last = [
        "k3",
        "B",
        -7,
        Number("-0.001"),
        dt.date(9999, 12, 31),
        dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        False,
        3,
        "r",
    ]
    files = []
    for at, rows in enumerate(([last], [late, early])):
        files.append(tmp_path / f"part '{at}.parquet")
        pq.write_table(
            pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema), files[-1]
        )
    return files


@pytest.fixture
def rejects(tmp_path):
    row = {column.name: None for column in CONTRACT.columns} | {
        "left": "x",
        "rejection_reason": "missing_a",
        "rejection_reasons": ["missing_a", "type_n"],
        "raw_record": None,
        "record_number": 1,
        "run_id": "r",
        "rejected_at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    }
    names = [*(column.name for column in CONTRACT.columns), "rejection_reason"]
    schema = pa.schema(
        [
            *((name, pa.string()) for name in names),
            ("rejection_reasons", pa.list_(pa.string())),
            ("raw_record", pa.string()),
            ("record_number", pa.int64()),
            ("run_id", pa.string()),
            ("rejected_at", pa.timestamp("us", "UTC")),
        ]
    )
    pq.write_table(pa.Table.from_pylist([row], schema), tmp_path / "r.parquet")
    return [tmp_path / "r.parquet"]


def test_json_lines_stand_in_the_order_of_the_records_with_decimals_as_text(clean, tmp_path):
    export(clean, clean_columns(CONTRACT), tmp_path / "o.jsonl")
    assert (tmp_path / "o.jsonl").read_text() == LINES


def test_csv_quotes_what_needs_it_and_leaves_a_missing_value_empty(clean, tmp_path):
    export(clean, clean_columns(CONTRACT), tmp_path / "o.csv")
    assert (tmp_path / "o.csv").read_text() == (
        'toy_id,"a ""b""",n,amount,day,at,flag,record_number,run_id\n'
        "k1,A,7,5.500,0001-01-01,0001-01-01T00:00:00.5Z,true,1,r\n"
        'k2,"Ωm ""q"", \\ \n",,,,,,2,r\n'
        "k3,B,-7,-0.001,9999-12-31,2026-01-01T00:00:00Z,false,3,r\n"
    )


def test_parquet_keeps_the_types(clean, tmp_path):
    export(clean, clean_columns(CONTRACT), tmp_path / "o.parquet")
    found = pq.read_table(tmp_path / "o.parquet")
    assert [str(field.type) for field in found.schema] == [
        *(
            "string",
            "string",
            "int32",
            "decimal128(20, 3)",
            "date32[day]",
            "timestamp[us, tz=UTC]",
            "bool",
            "int64",
            "string",
        )
    ]
    assert found.column("record_number").to_pylist() == [1, 2, 3]


def test_reasons_are_a_list_in_json(rejects, tmp_path):
    export(rejects, rejects_columns(CONTRACT), tmp_path / "o.jsonl")
    assert '"rejection_reasons":["missing_a","type_n"]' in (tmp_path / "o.jsonl").read_text()


def test_reasons_are_joined_in_csv(rejects, tmp_path):
    export(rejects, rejects_columns(CONTRACT), tmp_path / "o.csv")
    assert (tmp_path / "o.csv").read_text().endswith(",,,,,,x,missing_a,missing_a|type_n,,1,r,2026-01-01T00:00:00Z\n")


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet"])
def test_no_rows_are_a_file_too(tmp_path, ending):
    out = tmp_path / f"o{ending}"
    export([], rejects_columns(CONTRACT), out)
    content = pq.read_table(out).column_names if ending == ".parquet" else out.read_text().splitlines()
    names = list(rejects_columns(CONTRACT))
    assert content == {".parquet": names, ".jsonl": [], ".csv": ['"a ""b""",' + ",".join(names[1:])]}[ending]


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
def test_a_decimal_without_digits_before_its_point_has_its_zero(tmp_path, ending):
    values = [Number(text) for text in ("0.500", "-0.250", "0.000", "-0.999")]
    rows = {"share": pa.array(values, pa.decimal128(3, 3)), "record_number": pa.array(range(4), pa.int64())}
    pq.write_table(pa.table(rows), tmp_path / "in.parquet")
    out = tmp_path / f"o.{ending}"
    export([tmp_path / "in.parquet"], {"share": Decimal(3, 3), "record_number": Integer()}, out)
    assert re.findall(r"-?\d*\.\d+", out.read_text()) == ["0.500", "-0.250", "0.000", "-0.999"]


@pytest.mark.parametrize("kind", ["clean", "rejects"])
def test_every_column_of_a_parquet_may_be_null_whatever_the_rows_hold(request, tmp_path, kind):
    columns = {"clean": clean_columns, "rejects": rejects_columns}[kind](CONTRACT)
    some, none = tmp_path / "some.parquet", tmp_path / "none.parquet"
    export(request.getfixturevalue(kind), columns, some)
    export([], columns, none)
    assert all(field.nullable for field in pq.read_schema(some))
    assert pq.ParquetFile(some).schema.equals(pq.ParquetFile(none).schema)


def test_rows_that_stand_in_order_already_stay_so(tmp_path):
    numbers = pa.array(range(400_000), pa.int64())
    pq.write_table(pa.table({"record_number": numbers}), tmp_path / "in.parquet", row_group_size=20_000)
    export([tmp_path / "in.parquet"], {"record_number": Integer()}, tmp_path / "o.parquet", ordered=True)
    assert pq.read_table(tmp_path / "o.parquet").column(0).combine_chunks().equals(numbers)


def test_a_name_that_does_not_say_the_format_is_refused(tmp_path):
    with pytest.raises(UnusableError, match=r"let it end in .jsonl, .csv or .parquet"):
        export([], clean_columns(CONTRACT), tmp_path / "o.txt")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(UnusableError, match=r"there is no folder .*nowhere"):
        export([], clean_columns(CONTRACT), tmp_path / "nowhere" / "o.csv")


def test_nothing_else_is_left_beside_the_file(clean, tmp_path):
    before = set(tmp_path.iterdir())
    export(clean, clean_columns(CONTRACT), tmp_path / "o.csv")
    assert set(tmp_path.iterdir()) - before == {tmp_path / "o.csv"}
