"""The file gate: which files are refused before any row, and in which words."""

import io
import pickle
from contextlib import suppress
from gzip import compress
from itertools import product

import pyarrow as pa
import pytest

from rowgate.errors import UnusableError
from rowgate.stages.filegate import check_header
from rowgate.stages.records import FileBreach, read_header, read_records

INTO = {"columns": ["id"], "null_markers": (), "run_id": "r", "out": io.BytesIO()}


def sentences(data: bytes, columns=("id", "name", "city")) -> list[str]:
    with pytest.raises(FileBreach) as caught:
        read_records(io.BytesIO(data), columns=list(columns), null_markers=(), run_id="r", out=io.BytesIO())
    return list(caught.value.sentences)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("id,name", ["The header lacks the column 'city' of the contract; add what is missing."]),
        ("id", ["The header lacks the columns 'name', 'city' of the contract; add what is missing."]),
        (
            "id,name,vip,city",
            ["The header has the column 'vip' that the contract does not know; remove it from the file."],
        ),
        (
            "id,name,,city",
            ["The header has the column without a name that the contract does not know; remove it from the file."],
        ),
        (
            "id,city,name",
            ["The header has the columns 'city', 'name' out of order; the contract's order is id, name, city."],
        ),
        ("id,nom,city", ["The header says 'nom' where the contract has the column 'name'; rename it."]),
        ("id,NAME,city", ["The header says 'NAME' where the contract has the column 'name'; rename it."]),
        (
            "id,name,name",
            [
                "The header lacks the column 'city' of the contract; add what is missing.",
                "The header repeats the column 'name'; each column may stand there once.",
            ],
        ),
        ("id,name,city,id", ["The header repeats the column 'id'; each column may stand there once."]),
        (
            "City,id,name,x",
            [
                "The header says 'City' where the contract has the column 'city'; rename it.",
                "The header has the column 'x' that the contract does not know; remove it from the file.",
            ],
        ),
    ],
)
def test_each_difference_of_a_header_has_its_sentence(header, expected):
    assert sentences(f"{header}\n1,2,3\n".encode()) == expected


def test_a_first_line_without_any_column_is_not_quoted():
    (sentence,) = sentences(b"1,Anna,Athens\n2,Bo,Oia\n")
    assert "no header" in sentence
    assert "Anna" not in sentence


def test_a_breach_without_a_header_carries_no_cells():
    with pytest.raises(FileBreach) as caught:
        check_header(["1", "Anna", "Athens"], ["id", "name", "city"])
    assert caught.value.header == ()


def test_a_breach_survives_the_way_to_another_process():
    breach = pickle.loads(pickle.dumps(FileBreach(["One.", "Two."], ["id"])))  # noqa: S301 - our own bytes
    assert (str(breach), breach.sentences, breach.header) == ("One. Two.", ("One.", "Two."), ("id",))


def test_long_names_of_a_header_are_cut_and_odd_characters_escaped():
    (sentence,) = sentences(b"id,name,city," + b"x" * 500 + b',"a\n\x1bb"\n')
    assert "'" + "x" * 40 + "...', 'a\\n\\x1bb'" in sentence


def test_at_most_ten_names_are_quoted():
    (sentence,) = sentences(b"id,name,city," + b",".join(b"c%d" % i for i in range(5000)) + b"\n")
    assert "'c9' and 4990 more that" in sentence


@pytest.mark.parametrize("data", [b"", b"\n\r\n", b"\xef\xbb\xbf", compress(b"")])
def test_a_file_without_any_record_is_empty(data):
    assert sentences(data) == ["The file is empty; it needs at least the header."]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_file_in_another_encoding_is_told_to_be_utf_8(encoding):
    assert sentences("id,name,city\n1,2,3\n".encode(encoding)) == [
        "The header is not UTF-8 text; save the file as CSV in UTF-8."
    ]


@pytest.mark.parametrize("end", ["", "\n", "\r", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("name", ["a", "é", "a b", '"a"', '"a,b"'])
def test_a_lone_cell_that_names_the_column_is_a_good_file_of_no_rows(name, mark, end):
    cell = name.strip('"')
    tally = read_records(
        io.BytesIO(f"{mark}{name}{end}".encode()), columns=[cell], null_markers=(), run_id="r", out=io.BytesIO()
    )
    assert (tally.header, tally.records) == ((cell,), 0)


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("cell", ["hello Zenobia", "z", "Ω", '""', " ", "\ufeffa", '"x"""'])
def test_a_lone_cell_that_names_no_column_is_no_header(cell, end):
    (sentence,) = sentences(f"{cell}{end}".encode())
    assert "no header" in sentence
    assert "Zenobia" not in sentence


def test_every_short_text_is_read_or_refused_in_sentences():
    for size in range(5):
        for letters in product('a,"\n\r', repeat=size):
            data = "".join(letters).encode()
            for columns in (["a"], ["a", "b"]):
                for head in (b"", ",".join(columns).encode() + b"\n"):
                    with suppress(FileBreach):
                        read_records(
                            io.BytesIO(head + data), columns=columns, null_markers=(), run_id="r", out=io.BytesIO()
                        )


@pytest.mark.parametrize("read", [read_header, lambda file: read_records(file, **INTO)])
def test_what_arrow_does_not_take_is_one_sentence_that_quotes_nothing(monkeypatch, read):
    def refuse(*_, **__):
        raise pa.ArrowInvalid("Zenobia")

    monkeypatch.setattr("rowgate.stages.records.csv.read_csv", refuse)
    with pytest.raises(UnusableError, match=r"^The file cannot be read as CSV \(ArrowInvalid\); ") as raised:
        read(io.BytesIO(b"id\n1\n"))
    assert "Zenobia" not in str(raised.value)


def test_a_header_whose_quote_never_closes_is_no_header():
    assert sentences(b'id,"name,city\n1,2,3\n') == ["The file has no header: a quote in its first line never closes."]


def test_a_first_line_of_countless_cells_is_no_header():
    (sentence,) = sentences(b"id" + b"," * 100_000)
    assert "more than 100000 cells" in sentence


def damaged(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


WHOLE = compress(b"id,name,city\n" + b"".join(b"%d,n%d,c\n" % (i, i * i) for i in range(5000)))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(WHOLE[:-12], id="cut in the data"),
        pytest.param(WHOLE[:-3], id="cut in the checksum"),
        pytest.param(WHOLE[:5], id="cut in the head"),
        pytest.param(damaged(WHOLE, 2000), id="a bit of the data"),
        pytest.param(damaged(WHOLE, len(WHOLE) - 8), id="a bit of the checksum"),
        pytest.param(WHOLE + b"rubbish", id="rubbish behind"),
    ],
)
def test_a_damaged_gzip_stream_is_refused_whole(data):
    assert sentences(data) == ["The gzip stream is damaged or cut short; send the file again."]


def test_a_record_over_32_mib_is_refused():
    assert sentences(b'id,name,city\n1,2,3\n4,"' + b"x\n" * (17 << 20)) == [
        "A record is longer than 32 MiB; look for a quote that never closes."
    ]


def test_a_record_of_exactly_32_mib_is_read():
    record = b"1,2," + b"x" * ((32 << 20) - 4)
    tally = read_records(
        io.BytesIO(b"id,name,city\n" + record + b"\n" + record),
        columns=["id", "name", "city"],
        null_markers=(),
        run_id="r",
        out=io.BytesIO(),
    )
    assert (tally.records, tally.malformed) == (2, 0)


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("ID,NAME", "differ from one in upper and lower case"),
        ("id;name", "separated by semicolons"),
        ("id\tname", "separated by tabs"),
        ("7,Zenobia", "no cell of its first line is a column of the contract; begin"),
    ],
)
def test_a_first_line_that_is_no_header_gets_a_hint_and_is_not_quoted(line, hint):
    with pytest.raises(FileBreach) as caught:
        check_header(line.split(","), ["id", "name"])
    assert hint in caught.value.sentences[0]
    assert "Zenobia" not in caught.value.sentences[0]
