"""Counting quotes finds the ends of records that reading each of them finds, or says that it cannot."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rowgate.stages import framing
from rowgate.stages.record_ends import last_end

PIECES = st.sampled_from([b'"', b'""', b",", b"\n", b"\r", b"\r\n", b"a", b'"a",', b'"a\n"', b'"a""b"\n', b"a,b\n"])


@settings(max_examples=1000, deadline=None)
@given(data=st.lists(PIECES, max_size=30).map(b"".join), cut=st.integers(0, 40))
def test_an_end_that_is_told_is_the_one_that_reading_finds(data, cut):
    found = last_end(data, 0, cut)
    assert found in (None, framing._end(framing._RECORDS, data, 0, cut))


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (b"", 0),
        (b"a,b", 0),
        (b"a,b\nc", 4),
        (b'a,"b\nc"\nd', 8),
        (b'a,"b\nc', 0),
        (b'"a""b\n"\r"c', 8),
        (b'a"b\n', None),
        (b'"a"b"c\n', None),
    ],
)
def test_only_a_quote_inside_a_field_is_too_hard(data, end):
    assert last_end(data, 0, len(data)) == end
