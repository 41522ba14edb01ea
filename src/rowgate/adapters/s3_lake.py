"""A lake in a bucket of S3, or of a server that speaks its protocol.

Files are streamed, in bounded memory, both ways. Our own two streams stand here instead of smart_open's, whose upload
is completed, cut short, when aborting it fails, and whose reader does not notice that a file was replaced meanwhile.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast

import boto3
from botocore.config import Config

from rowgate.adapters.aws import told
from rowgate.adapters.lake import WHOLE, Entry, is_key, is_temporary, require_key, require_removable
from rowgate.adapters.s3_streams import Download, Upload
from rowgate.errors import UnusableError

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_BUFFER = 1 << 20  # bytes

_CONFIG = Config(
    # Also after a broken connection and a throttled request; it waits longer each time, up to 20 seconds.
    retries={"mode": "standard", "total_max_attempts": 6},
    connect_timeout=10,
    read_timeout=60,
    user_agent_extra="rowgate",
)


class S3Lake:
    """A lake in a bucket, below a prefix."""

    def __init__(
        self, bucket: str, prefix: str = "", session: boto3.Session | None = None, endpoint_url: str | None = None
    ) -> None:
        """Keep where the lake is and who may reach it; nothing is sent yet.

        Raises:
            UnusableError: there can be no such bucket or prefix.
        """
        if not _BUCKET.fullmatch(bucket):
            raise UnusableError(
                f"There can be no bucket {bucket!r}: a name has 3 to 63 of a-z, 0-9, dots and hyphens; write "
                "s3://bucket or s3://bucket/prefix."
            )
        if prefix:
            require_key(prefix)
        self._bucket, self._prefix = bucket, f"{prefix}/" if prefix else ""
        self._session, self._endpoint = session, endpoint_url

    @property
    def uri(self) -> str:
        return f"s3://{self._bucket}/{self._prefix}".rstrip("/")

    def uri_of(self, key: str) -> str:
        require_key(key)
        return f"s3a://{self._bucket}/{self._prefix}{key}"

    def local(self, key: str) -> Path | None:
        require_key(key)
        return None

    def open(self, key: str) -> BinaryIO:
        shown, name = self._place(key)
        return cast("BinaryIO", io.BufferedReader(Download(self._client, self._bucket, name, shown), _BUFFER))

    @contextmanager
    def create(self, key: str) -> Iterator[BinaryIO]:
        shown, name = self._place(key)
        upload = Upload(self._client, self._bucket, name, shown)
        try:
            yield cast("BinaryIO", upload)
            upload.complete()
        except BaseException:
            upload.abort()
            raise

    def exists(self, key: str) -> bool:
        if not is_key(key):
            return False
        shown, name = self._place(key)
        # A listing, whose answer says what is wrong with the bucket or the keys; the answer to HEAD does not.
        with told("read", shown):
            found = self._client.list_objects_v2(Bucket=self._bucket, Prefix=name, MaxKeys=1)
        return any(each["Key"] == name for each in found.get("Contents", ()))

    def entries(self, prefix: str) -> list[Entry]:
        cut = len(self._prefix)
        found = []
        for each in self._listed(prefix):
            key = each["Key"][cut:]
            parts = key[len(prefix) + 1 :].split("/")
            if parts[-1] and not any(map(is_temporary, parts)):
                found.append(Entry(key, each["Size"], each["LastModified"].timestamp()))
        return sorted(found, key=lambda entry: entry.key)

    def list(self, prefix: str) -> list[str]:
        return [entry.key for entry in self.entries(prefix)]

    def delete_tree(self, prefix: str) -> None:
        require_key(prefix)
        require_removable(prefix)
        shown, _ = self._place(prefix)
        # One by one: a run has few files, and who may delete is decided for each of them alone.
        names = [each["Key"] for each in self._listed(prefix)]
        for name in sorted(names, key=lambda name: not name.endswith(f"/{WHOLE}")):
            with told("deleted", shown):
                self._client.delete_object(Bucket=self._bucket, Key=name)

    def read_bytes(self, key: str) -> bytes:
        with self.open(key) as file:
            return file.read()

    def write_bytes(self, key: str, data: bytes) -> None:
        with self.create(key) as file:
            file.write(data)

    @cached_property
    def _client(self) -> Any:  # noqa: ANN401 - boto3 makes the class of its client when it runs
        with told("reached", self.uri):
            return (self._session or boto3.Session()).client("s3", endpoint_url=self._endpoint, config=_CONFIG)

    def _place(self, key: str) -> tuple[str, str]:
        """What a sentence calls a file, and what the bucket does."""
        require_key(key)
        name = f"{self._prefix}{key}"
        return f"s3://{self._bucket}/{name}", name

    def _listed(self, prefix: str) -> Iterator[dict[str, Any]]:
        """Every object below a prefix, as S3 tells of it, by pages of a thousand."""
        shown, name = self._place(prefix)
        pages = iter(self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=f"{name}/"))
        while True:
            with told("listed", shown):
                page = next(pages, None)
            if page is None:
                return
            yield from page.get("Contents", ())
