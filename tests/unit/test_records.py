r"""What is a record, and what becomes of its fields: bytes in, rows out."""

import io
from gzip import compress

import pyarrow.parquet as pq
import pytest

from rowgate.stages.records import FileBreach, Tally, read_records


def read(data: bytes, columns=("a", "b"), markers=(), **options):
    out = io.BytesIO()
    tally = read_records(
        io.BytesIO(data), columns=list(columns), null_markers=markers, run_id="run:1", out=out, **options
    )
    return tally, pq.read_table(out)


def rows(data: bytes, columns=("a", "b"), markers=(), **options):
    """The good records' fields as tuples, the malformed ones' texts as strings, in file order."""
    _, table = read(data, columns, markers, **options)
    return [
        tuple(row[name] for name in columns) if row["raw_record"] is None else row["raw_record"]
        for row in table.to_pylist()
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(b"1,2\n3,4\n", [("1", "2"), ("3", "4")], id="lf ends a record"),
        pytest.param(b"1,2\r\n3,4\r\n", [("1", "2"), ("3", "4")], id="crlf ends a record"),
        pytest.param(b"1,2\r3,4\r", [("1", "2"), ("3", "4")], id="cr ends a record"),
        pytest.param(b"1,2\r3,4\n5,6\r\n7,8", [("1", "2"), ("3", "4"), ("5", "6"), ("7", "8")], id="mixed ends"),
        pytest.param(b"1,2", [("1", "2")], id="no final newline"),
        pytest.param(b"", [], id="a header alone has no rows"),
        pytest.param(b"\n\n1,2\n\r\n\r3,4\n\n", [("1", "2"), ("3", "4")], id="an empty line is no record"),
        pytest.param(b"1,2\n  \n", [("1", "2"), "  "], id="a line of blanks is a record"),
        pytest.param(b",\n", [(None, None)], id="a record of empty fields"),
        pytest.param(b'"1\n2",3\n', [("1\n2", "3")], id="a quoted field holds a newline"),
        pytest.param(b'"1\r\n\r\n2",3\n', [("1\r\n\r\n2", "3")], id="a quoted field holds an empty line"),
        pytest.param(b'"1,2",3\n', [("1,2", "3")], id="a quoted field holds a comma"),
        pytest.param(b'"a ""b""",""""\n', [('a "b"', '"')], id="two quotes are one"),
        pytest.param(b'a\\,"C:\\"\n', [("a\\", "C:\\")], id="a backslash is data"),
        pytest.param(b'a"b,c""d\n', [('a"b', 'c""d')], id="a quote that opens no field is data"),
        pytest.param(b' "a",b\n', [('"a"', "b")], id="a quote behind a blank opens no field"),
        pytest.param(b'"a"b"c,"d"e\n', [('ab"c', "de")], id="what follows a closing quote is the field's"),
        pytest.param(b"1,2,3\n4\n5,6\n", ["1,2,3", "4", ("5", "6")], id="another number of fields is malformed"),
        pytest.param(b'1,"2\r\n3",4\r\n', ['1,"2\r\n3",4'], id="a malformed text is kept as it stands"),
        pytest.param(b'1,2\n3,"4\n5,6\n', [("1", "2"), '3,"4\n5,6\n'], id="an unclosed quote with enough fields"),
        pytest.param(b'1,2\n"3\n5', [("1", "2"), '"3\n5'], id="an unclosed quote with too few fields"),
        pytest.param(b'1,"', ['1,"'], id="a quote as the last byte"),
        pytest.param(b'1,"2""', ['1,"2""'], id="an escaped quote closes nothing"),
        pytest.param(b"1,Ren\xe9\n3,4\n", ["1,Ren\\xe9", ("3", "4")], id="a byte that is not utf-8"),
        pytest.param(b"Ren\xe9\n3,4\n", ["Ren\\xe9", ("3", "4")], id="not utf-8 and too short is malformed once"),
        pytest.param(b'1,"a\n\xff"\r\n3,4', ['1,"a\n\\xff"', ("3", "4")], id="not utf-8 in quotes"),
        pytest.param(b"1,\xed\xa0\x80\n", ["1,\\xed\\xa0\\x80"], id="a surrogate is not utf-8"),
        pytest.param(b"1,\xc3\n\xa9,2\n", ["1,\\xc3", "\\xa9,2"], id="a character cut by a line end"),
        pytest.param(b'1,"\xc3', ['1,"\\xc3'], id="not utf-8 in an unclosed quote"),
        pytest.param(b"1,a\0b\n\0,2\n3,4\n", ["1,a\0b", "\0,2", ("3", "4")], id="a nul"),
        pytest.param(b"\0\n\xff\n1,2\n", ["\0", "\\xff", ("1", "2")], id="a nul alone"),
        pytest.param(b"1,\\xe9\n", [("1", "\\xe9")], id="what looks like an escape is data"),
        pytest.param("1,κόσμε 🌍\n".encode(), [("1", "κόσμε 🌍")], id="utf-8 of every length"),
    ],
)
@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_records_are_cut_as_the_design_says_whatever_the_chunk(body, expected, chunk):
    assert rows(b"a,b\n" + body, chunk=chunk) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'x\n\n""\n \ny', [("x",), (None,), (None,), ("y",)]),
        (b'x,y\n"x', ["x,y", '"x']),
        (b"\0\nx\n\xff\n", ["\0", ("x",), "\\xff"]),
    ],
)
def test_a_contract_of_one_column_knows_empty_lines_from_empty_fields(body, expected):
    assert rows(b"a\n" + body, columns=["a"]) == expected


def test_every_white_space_character_is_trimmed_at_both_ends():
    codes = [*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
    white = "".join(map(chr, [*codes, 0xFEFF]))
    assert rows(f'a,b\n"{white}x {white[::-1]}y{white}","{white}"\n'.encode()) == [(f"x {white[::-1]}y", None)]


def test_ascii_white_space_is_trimmed_in_a_file_of_ascii():
    assert rows(b'a,b\n"\t\v\f \r\nx y \n",\x1fz\x1c\n') == [("x y", "\x1fz\x1c")]


def test_a_null_marker_is_missing_after_trimming_and_only_as_a_whole():
    assert rows(b"a,b\n NA ,NAN\n-,na\n,x\n", markers=("NA", "-")) == [(None, "NAN"), (None, "na"), (None, "x")]


def test_no_text_is_missing_without_null_markers():
    assert rows(b"a,b\nNULL,\\N\nNA,NaN\n") == [("NULL", "\\N"), ("NA", "NaN")]


def test_one_byte_order_mark_is_allowed_before_a_quoted_header():
    assert rows(b'\xef\xbb\xbf"a","b"\n1,2\n') == [("1", "2")]


def test_a_byte_order_mark_before_a_later_quote_is_data():
    assert rows(b'a,b\n\xef\xbb\xbf"1",2\n', chunk=4) == [('"1"', "2")]


def test_header_cells_are_trimmed():
    assert rows("\u00a0a ,\u200bb\ufeff\r\n1,2\r\n".encode()) == [("1", "2")]


def test_empty_lines_before_the_header_are_skipped():
    assert rows(b"\n\r\n\na,b\n1,2\n", chunk=1) == [("1", "2")]


def test_gzip_is_known_by_its_first_bytes():
    assert rows(compress(b"a,b\n1,2\n") + compress(b"3,4\n")) == [("1", "2"), ("3", "4")]


def test_record_numbers_count_good_and_malformed_records_alike():
    _, table = read(b'a,b\n\n1,2\nx\n\n"3\n",4\ny\nz\n5,6\n', chunk=5)
    assert table["record_number"].to_pylist() == [1, 2, 3, 4, 5, 6]
    assert table["a"].to_pylist() == ["1", None, "3", None, None, "5"]


def test_the_tally_counts_records_and_malformed_ones():
    tally, table = read(b'a,b\n1,2\nx\n"y')
    assert tally == Tally(("a", "b"), 3, 2)
    assert table.num_rows == 3


def test_the_parquet_holds_text_a_number_and_the_run():
    _, table = read(b"a,b\n1,2\n")
    types = {field.name: str(field.type) for field in table.schema}
    assert types == {"a": "string", "b": "string", "raw_record": "string", "record_number": "int64", "run_id": "string"}
    assert table["run_id"].to_pylist() == ["run:1"]


def test_row_groups_are_small_enough_to_split():
    out = io.BytesIO()
    source = io.BytesIO(b"a,b\n" + b"1,2\n" * 300_000)
    read_records(source, columns=["a", "b"], null_markers=(), run_id="r", out=out)
    metadata = pq.read_metadata(out)
    groups = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    assert sum(groups) == 300_000
    assert max(groups) <= 131_072


@pytest.mark.parametrize("before", range(5))
@pytest.mark.parametrize("record", [b"12345,x", b'"1""6",x', b"12345678", b'"1\n345",x', b"123456\xff", b"1,3456\0"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_the_limit_on_a_record_is_exact_wherever_it_stands(before, record, end):
    data = b"a,b\n" + b"\n" * before + record + end
    assert len(rows(data, chunk=3, longest=len(record))) == 1
    with pytest.raises(FileBreach, match=r"A record is longer than \d bytes; look for a quote that never closes"):
        rows(data, chunk=3, longest=len(record) - 1)


def test_the_limit_counts_every_byte_behind_a_quote_that_never_closes():
    assert rows(b'a,b\n1,"2\n3\n', longest=7) == ['1,"2\n3\n']
    with pytest.raises(FileBreach):
        rows(b'a,b\n1,"2\n3\n', longest=6)
