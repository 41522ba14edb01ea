r"""Cut a byte stream into pieces that end where a record ends, so that each can be tokenised on its own.

Only the ends of records are found here, by RFC 4180 as Arrow's CSV reader understands it: LF, CR or CRLF ends a record
outside quotes, a quote opens a field only as its first character, `""` is the only escape, and what follows a closing
quote belongs to the field. Cutting there keeps memory bounded by the longest record, makes the limit on a record exact
whatever its place in the file, and shows a quote that is still open at the end of the file.
"""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO, cast

import regex as re  # Python's own mistakes possessive repeats before 3.11.5 (python/cpython issue 106052)

from rowgate.stages.filegate import FileBreach

LONGEST_RECORD = 32 << 20  # bytes, without the line end
CHUNK = 1 << 20  # bytes

_BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_FIELD = rb'(?:"(?:[^"]++|"")*+"[^,\r\n]*+|[^",\r\n][^,\r\n]*+)?+'
_ONE = rb"%b(?:,%b)*+[\r\n]" % (_FIELD, _FIELD)
_RECORD = re.compile(_ONE)  # One record, or an empty line, with its line end.
# The first branch takes all whole lines up to the next quote at once, which is what most of a file is.
_RECORDS = re.compile(rb'(?:(?>[^"]*[\r\n])|%b)*+' % _ONE)
# Well-formed UTF-8 (Unicode, table 3-7) without NUL.
_TEXT = re.compile(
    rb"(?:[\x01-\x7f]++|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}"
    rb"|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}"
    rb"|\xf4[\x80-\x8f][\x80-\xbf]{2})*+"
)


@dataclass(frozen=True)
class Frame:
    """Whole records.

    Attributes:
        data: bytes that begin and end where records do; the last record of a file may lack its line end.
        closed: false for a single record whose quote is still open at the end of the file.
    """

    data: bytes
    closed: bool = True


def frames(source: BinaryIO, *, chunk: int = CHUNK, longest: int = LONGEST_RECORD) -> Iterator[Frame]:
    """Yield a stream's records, in order, in frames of about `chunk` bytes.

    Args:
        source: the file, plain or gzip (told by its first bytes); one leading byte order mark is dropped.
        chunk: bytes a frame holds at most, unless a single record is longer.
        longest: bytes a record may have, without its line end.

    Raises:
        FileBreach: a damaged gzip stream, or a record that is too long.
    """
    stream = _plain(source)
    chunk = min(chunk, longest)
    rest = _read(stream, max(chunk, len(_BOM))).removeprefix(_BOM)
    ended = not rest
    while True:
        done = 0
        while (end := _cut(rest, done, chunk)) > done:
            if end - done - 1 > longest:
                raise _too_long(longest)
            yield Frame(rest[done:end])
            done = end
        rest = rest[done:]
        if len(rest) > longest:
            raise _too_long(longest)
        if ended:
            break
        # Fill up to a chunk; reading as much again as waits keeps the work on a long record linear in its length.
        more = _read(stream, min(longest, max(chunk - len(rest), len(rest))))
        ended = not more
        rest += more
    if rest:
        yield Frame(rest, closed=_RECORD.match(rest + b"\n") is not None)


def _cut(data: bytes, start: int, chunk: int) -> int:
    """Return where the whole records from `start` on end: as many as `chunk` bytes hold, at least one if there is."""
    from rowgate.stages.record_ends import last_end  # noqa: PLC0415 - NumPy, which telling gzip by its head need not have

    end = last_end(data, start, start + chunk)
    if end is None:
        end = _end(_RECORDS, data, start, start + chunk)
    return end if end > start else _end(_RECORD, data, start)


def _end(pattern: re.Pattern[bytes], data: bytes, start: int, stop: int | None = None) -> int:
    found = pattern.match(data, start, len(data) if stop is None else stop)
    return found.end() if found else start


def split_first(data: bytes) -> tuple[bytes, bytes]:
    """Split whole records into the first, which is not an empty line, and the others."""
    end = _end(_RECORD, data, 0) or len(data)
    return data[:end], data[end:]


def is_text(data: bytes) -> bool:
    """Whether bytes are UTF-8 without NUL."""
    if b"\0" in data:
        return False
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def mask(data: bytes, placeholder: bytes) -> tuple[bytes, list[bytes]]:
    """Replace each record that is not text.

    Args:
        data: whole records.
        placeholder: what stands in for such a record.

    Returns:
        The records with the placeholders, and what was replaced, in order, without line ends.
    """
    parts: list[bytes] = []
    replaced: list[bytes] = []
    done = 0
    while (bad := _end(_TEXT, data, done)) < len(data):
        start = _end(_RECORDS, data, done, bad)
        end = _end(_RECORD, data, start)
        end = end if end > start else len(data) + 1  # The last record of a file, without its line end.
        replaced.append(data[start : end - 1])
        parts += [data[done:start], placeholder, b"\n"]
        done = end
    return b"".join([*parts, data[done:]]), replaced


def _too_long(longest: int) -> FileBreach:
    size = f"{longest >> 20} MiB" if longest >> 20 else f"{longest} bytes"
    return FileBreach([f"A record is longer than {size}; look for a quote that never closes."])


class _Replay:
    """A stream whose first bytes were read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int) -> bytes:
        if self._head:
            part, self._head = self._head[:size], self._head[size:]
            return part
        return self._rest.read(size)


def is_gzip(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a gzip stream (RFC 1952, 2.3.1)."""
    return head.startswith(_GZIP)


def _plain(source: BinaryIO) -> IO[bytes]:
    head = b""
    while len(head) < len(_GZIP) and (byte := source.read(len(_GZIP) - len(head))):
        head += byte
    stream = cast("IO[bytes]", _Replay(head, source))  # It has what is used of one: read.
    return cast("IO[bytes]", gzip.GzipFile(fileobj=stream)) if is_gzip(head) else stream


def _read(stream: IO[bytes], size: int) -> bytes:
    """Read `size` bytes, fewer only at the end of the stream."""
    parts: list[bytes] = []
    missing = size
    try:
        while missing and (part := stream.read(missing)):
            parts.append(part)
            missing -= len(part)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FileBreach(["The gzip stream is damaged or cut short; send the file again."]) from error
    return b"".join(parts)
