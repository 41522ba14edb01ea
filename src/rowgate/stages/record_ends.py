"""Finds where the last whole record of some bytes ends, by counting quotes, without looking at each record."""

import numpy as np

_QUOTE, _COMMA, _LINE_FEED, _RETURN = b'",\n\r'


def last_end(data: bytes, start: int, stop: int) -> int | None:
    """Where the last record that ends before `stop` ends, `start` where none does, None where counting does not tell.

    It does tell where every quote that opens a field is the first character of it: then a line end is a record's
    exactly where an even number of quotes stands before it.

    Args:
        data: the bytes.
        start: where a record begins.
        stop: how far to look.
    """
    window = np.frombuffer(data, np.uint8, min(stop, len(data)) - start, start)
    quotes = np.flatnonzero(window == _QUOTE)
    if not _all_open_fields(window, quotes):
        return None
    end = stop
    while True:
        end = max(data.rfind(b"\n", start, end), data.rfind(b"\r", start, end))
        if end < 0:
            return start
        if np.searchsorted(quotes, end - start) % 2 == 0:
            return end + 1


def _all_open_fields(
    window: "np.ndarray[tuple[int], np.dtype[np.uint8]]", quotes: "np.ndarray[tuple[int], np.dtype[np.intp]]"
) -> bool:
    """Whether each quote with an even number of others before it opens a field, or is the second of an escaped pair."""
    if not len(quotes):
        return True
    opening = quotes[::2]
    before = window[opening - 1]
    opens = (before == _COMMA) | (before == _LINE_FEED) | (before == _RETURN)
    opens[0] |= opening[0] == 0
    opens[1:] |= quotes[1::2][: len(opening) - 1] == opening[1:] - 1
    return bool(opens.all())
