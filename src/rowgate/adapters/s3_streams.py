"""One object of S3 as a stream: read in ranges that go on after a broken connection, or written whole or not at all."""

import io
from contextlib import suppress
from time import sleep
from typing import Any

from rowgate.adapters.aws import told
from rowgate.errors import RowgateError

PART = 16 << 20
"""Bytes of one part of an upload. S3 takes ten thousand parts, so a file may have 160 GiB."""

_NEAR = 1 << 18  # bytes that are sooner read and dropped than asked for anew
_BROKEN = (1, 2, 4, 8)  # seconds to wait before a broken stream is opened again


class Download(io.RawIOBase):
    """An object that is read. One request streams it to its end; a jump elsewhere is another one.

    The object of the first request is the one that is read to the end: one that was replaced meanwhile is an error,
    never a mixture.
    """

    def __init__(self, client: Any, bucket: str, name: str, shown: str) -> None:  # noqa: ANN401 - boto3's client
        """Ask for the object.

        Raises:
            RowgateError: it is not there, or S3 refuses it.
        """
        self._client, self._shown = client, shown
        self._asked = {"Bucket": bucket, "Key": name}
        self._at = self._body_at = 0  # where the caller stands, and where the body does
        self._body: Any = None
        self._size = 0
        self._open()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - any buffer
        wanted = min(len(buffer), self._size - self._at)
        if wanted <= 0:
            return 0
        data = b""
        for wait in (*_BROKEN, None):
            if self._body is None or not 0 <= self._at - self._body_at <= _NEAR:
                self._open()
            try:
                data = self._read(wanted)
                break
            except RowgateError:
                self._drop()
                if wait is None:
                    raise
                sleep(wait)
        buffer[: len(data)] = data
        self._at += len(data)
        self._body_at = self._at
        return len(data)

    def close(self) -> None:
        self._drop()
        super().close()

    def _read(self, wanted: int) -> bytes:
        with told("read", self._shown):
            if self._at > self._body_at:
                self._body.read(self._at - self._body_at)
                self._body_at = self._at
            data: bytes = self._body.read(wanted)
        if not data:
            raise RowgateError(f"{self._shown} cannot be read: it ended before its end; run it again.")
        return data

    def _open(self) -> None:
        self._drop()
        asked = self._asked | ({"Range": f"bytes={self._at}-"} if self._at else {})
        with told("read", self._shown):
            answer = self._client.get_object(**asked)
        self._asked["IfMatch"] = answer["ETag"]
        self._size = self._at + answer["ContentLength"]
        self._body, self._body_at = answer["Body"], self._at

    def _drop(self) -> None:
        if self._body is not None:
            self._body.close()
            self._body = None


class Upload(io.RawIOBase):
    """An object that is written. It appears when `complete` has returned, and not at all otherwise."""

    def __init__(self, client: Any, bucket: str, name: str, shown: str) -> None:  # noqa: ANN401 - boto3's client
        """Keep where it goes; nothing is sent before there is a part of it."""
        self._client, self._shown = client, shown
        self._asked = {"Bucket": bucket, "Key": name}
        self._upload: dict[str, str] = {}
        self._parts: list[dict[str, Any]] = []
        self._waiting = bytearray()
        self._sent = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._sent + len(self._waiting)

    def write(self, data: Any, /) -> int:  # noqa: ANN401 - any buffer
        with memoryview(data) as view, view.cast("B") as octets:
            for start in range(0, len(octets), PART):
                self._waiting += octets[start : start + PART]
                while len(self._waiting) >= PART:
                    self._send(PART)
            return len(octets)

    def complete(self) -> None:
        """Make the object appear.

        Raises:
            RowgateError: S3 refuses it.
        """
        if not self._upload:
            with told("written", self._shown):
                self._client.put_object(**self._asked, Body=bytes(self._waiting))
            return
        if self._waiting:
            self._send(len(self._waiting))
        with told("written", self._shown):
            self._client.complete_multipart_upload(
                **self._asked, **self._upload, MultipartUpload={"Parts": self._parts}
            )
        self._upload = {}

    def abort(self) -> None:
        """Drop what was sent. Where even that fails, the bucket's own rule for unfinished uploads does it later."""
        if self._upload:
            with suppress(RowgateError), told("deleted", self._shown):
                self._client.abort_multipart_upload(**self._asked, **self._upload)
            self._upload = {}

    def _send(self, size: int) -> None:
        with told("written", self._shown):
            if not self._upload:
                self._upload = {"UploadId": self._client.create_multipart_upload(**self._asked)["UploadId"]}
            part = {"PartNumber": len(self._parts) + 1}
            answer = self._client.upload_part(
                **self._asked, **self._upload, **part, Body=bytes(memoryview(self._waiting)[:size])
            )
        self._parts.append(part | {"ETag": answer["ETag"]})
        del self._waiting[:size]
        self._sent += size
