"""The one reader against a parser that shares nothing with it: RFC 4180 and the design's rules, byte by byte."""

import io
from gzip import compress

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from rowgate.stages.records import FileBreach, read_records

WHITE = "".join(
    map(chr, [*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000])
)


def reference(data: bytes, width: int) -> list[list[str | None] | str]:  # noqa: C901 - one state machine, in one piece
    """Fields of a good record as a list, the text of a malformed one as a string."""
    found = []
    raw, fields, field, state = bytearray(), [], bytearray(), "start"

    def finish(*, closed: bool) -> None:
        nonlocal raw, fields, field, state
        if raw:
            found.append(judge(bytes(raw), [*fields, bytes(field)], width, closed=closed))
        raw, fields, field, state = bytearray(), [], bytearray(), "start"

    for byte in data:
        char = bytes([byte])
        if state == "quoted":
            raw += char
            if char == b'"':
                state = "quote"
            else:
                field += char
            continue
        if state == "quote":
            if char == b'"':
                raw += char
                field += char
                state = "quoted"
                continue
            state = "plain"
        if char in b"\r\n":
            finish(closed=True)
            continue
        raw += char
        if char == b",":
            fields.append(bytes(field))
            field, state = bytearray(), "start"
        elif char == b'"' and state == "start":
            state = "quoted"
        else:
            field += char
            state = "plain"
    finish(closed=state != "quoted")
    return found


def judge(raw: bytes, fields: list[bytes], width: int, *, closed: bool) -> list[str | None] | str:
    try:
        raw.decode()
        good = closed and len(fields) == width and b"\0" not in raw
    except UnicodeDecodeError:
        good = False
    if not good:
        return raw.decode(errors="backslashreplace")
    return [field.decode().strip(WHITE + "\ufeff") or None for field in fields]


def ours(data: bytes, width: int, **options) -> list[list[str | None] | str]:
    columns = [f"c{i}" for i in range(width)]
    out = io.BytesIO()
    source = io.BytesIO(",".join(columns).encode() + b"\n" + data)
    tally = read_records(source, columns=columns, null_markers=(), run_id="r", out=out, **options)
    table = pq.read_table(out).to_pylist()
    assert tally.records == len(table)
    assert tally.malformed == sum(row["raw_record"] is not None for row in table)
    assert [row["record_number"] for row in table] == list(range(1, len(table) + 1))
    return [row["raw_record"] if row["raw_record"] is not None else [row[c] for c in columns] for row in table]


PIECES = [b",", b'"', b'""', b"\n", b"\r", b"\r\n", b"a", b"bc", b" ", b"\0", b"\\", b"\xe9", b"\xc3\xa9", b"\xc3"]
PIECES += [b"\xef\xbb\xbf", b"\xe2\x80\x8b", b"\xf0\x9f\x8c\x8d", b"\xc2\xa0", b"\x1f\x8b", b"\t", b"1,2", b"\n\n"]
bodies = st.one_of(st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join), st.binary(max_size=60))
fields = st.text(st.sampled_from('ab",\n\r é\u3000\\'), max_size=6)


@given(bodies, st.integers(1, 4), st.integers(1, 40))
def test_any_bytes_become_the_records_an_independent_parser_finds(body, width, chunk):
    assert ours(body, width, chunk=chunk) == reference(body, width)


@given(st.lists(st.lists(fields, min_size=3, max_size=3)), st.integers(1, 60), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_a_careful_writer_quotes_comes_back(table, chunk, end):
    body = "".join(",".join('"' + field.replace('"', '""') + '"' for field in row) + end for row in table)
    assert ours(body.encode(), 3, chunk=chunk) == [[field.strip(WHITE) or None for field in row] for row in table]


@given(bodies, st.integers(1, 30), st.integers(6, 30))
def test_a_file_is_refused_exactly_when_a_record_is_over_the_limit(body, chunk, longest):
    try:
        ours(body, 2, chunk=chunk, longest=longest)
        refused = False
    except FileBreach:
        refused = True
    assert refused == any(length > longest for length in lengths(body))


def lengths(body: bytes) -> list[int]:
    """Bytes of each record: every byte made one harmless character, so that all are text of their own length."""
    plain = bytes(byte if byte in b'",\r\n' else ord("a") for byte in body)
    return [len(record) for record in reference(plain, 10**6)]


@given(bodies, st.integers(1, 40))
def test_gzip_changes_nothing(body, chunk):
    data = b"c0,c1\n" + body
    tables = []
    for source in (data, compress(data)):
        out = io.BytesIO()
        read_records(io.BytesIO(source), columns=["c0", "c1"], null_markers=(), run_id="r", out=out, chunk=chunk)
        tables.append(pq.read_table(out))
    assert tables[0].equals(tables[1])
