"""S3 servers for tests: a durable one that is written to be a server, and moto's, which enforces IAM once told to."""

import http.client
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
GATEWAY = PROJECT / ".rowgate" / "bin" / "versitygw"
REGION = "eu-central-1"


@dataclass(frozen=True)
class Server:
    """A server that runs, and keys that may do everything in it.

    Attributes:
        endpoint: its address, `http://127.0.0.1:<port>`.
        key: the access key's id.
        secret: the secret key, with every character that a shell, a URL or JSON treats in its own way.
        region: the region it is in.
        root: the folder that holds the buckets; None where they are in memory.
        log: the access log, a line a request; None where there is none.
    """

    endpoint: str
    key: str
    secret: str
    region: str = REGION
    root: Path | None = None
    log: Path | None = None

    def session(self) -> Any:
        """A boto3 session of its keys."""
        import boto3

        return boto3.Session(self.key, self.secret, region_name=self.region)

    @cached_property
    def s3(self) -> Any:
        """A boto3 client of S3 with its keys."""
        return self.client("s3")

    def client(self, service: str) -> Any:
        """A boto3 client of its keys."""
        return self.session().client(service, endpoint_url=self.endpoint)

    def bucket(self) -> str:
        """Make a bucket, and return its name."""
        name = f"lake-{uuid.uuid4().hex[:12]}"
        self.s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": self.region})
        return name

    def lake(self, uri: str | None = None) -> Any:
        """A lake at an address of it; below a prefix of a new bucket if left out."""
        from rowgate.adapters.lake import open_lake

        return open_lake(uri or f"s3://{self.bucket()}/a lake, λίμνη", self.session(), self.endpoint)

    def environment(self) -> dict[str, str]:
        """The variables that a child process reads."""
        from rowgate.adapters.aws import Aws

        return Aws(self.key, self.secret, "", self.region, self.endpoint).environment()

    def connection(self, **extra: str) -> str:
        """The connection `aws_default` of Airflow, as JSON."""
        extras = {"region_name": self.region, "endpoint_url": self.endpoint} | extra
        return json.dumps({"conn_type": "aws", "login": self.key, "password": self.secret, "extra": extras})

    def names(self, bucket: str, prefix: str = "") -> list[str]:
        """The names of every object, hidden ones too."""
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        return [each["Key"] for page in pages for each in page.get("Contents", ())]

    def requests(self) -> list[str]:
        """The lines of the access log so far."""
        return self.log.read_text(encoding="utf-8").splitlines() if self.log else []


def why_no_gateway() -> str | None:
    """Why the durable server cannot be had, or None."""
    if GATEWAY.exists():
        return None
    if shutil.which("go") is None:
        return "there is no Go to build versitygw with; install Go, then `make servers`"
    return "versitygw is not built; run `make servers`"


@contextmanager
def durable(folder: Path) -> Iterator[Server]:
    """Start versitygw on a folder, and end it."""
    port, root, log = free_port(), folder / "buckets", folder / "access.log"
    root.mkdir()
    log.touch()
    key, secret = f"AK{secrets.token_hex(9).upper()}", f"""se/cr+et%2F%"' {secrets.token_urlsafe(12)}"""
    command = [GATEWAY, "--port", f"127.0.0.1:{port}", "--region", REGION, "--access-log", log, "--quiet"]
    command += ["posix", "--sidecar", folder / "sidecar", root]
    (folder / "sidecar").mkdir()
    environment = {"PATH": os.defpath, "ROOT_ACCESS_KEY_ID": key, "ROOT_SECRET_ACCESS_KEY": secret}
    with _running(list(map(str, command)), environment, port, folder / "server.log"):
        yield Server(f"http://127.0.0.1:{port}", key, secret, root=root, log=log)


@contextmanager
def moto(folder: Path) -> Iterator[Server]:
    """Start moto's server, which takes any keys until `enforce` was called, and end it."""
    port = free_port()
    command = [str(Path(sys.prefix) / "bin" / "moto_server"), "-H", "127.0.0.1", "-p", str(port)]
    with _running(command, {"PATH": os.defpath}, port, folder / "moto.log"):
        yield Server(f"http://127.0.0.1:{port}", "AKIAROOT", "root")


@contextmanager
def enforcing(server: Server) -> Iterator[None]:
    """Let moto's server enforce IAM from now on, and no more afterwards."""
    _actions_without_auth(server, 0)
    try:
        yield
    finally:
        _actions_without_auth(server, sys.maxsize)


def _actions_without_auth(server: Server, count: int) -> None:
    connection = http.client.HTTPConnection(server.endpoint.removeprefix("http://"), timeout=10)
    with closing(connection):
        connection.request("POST", "/moto-api/reset-auth", body=str(count))
        assert connection.getresponse().status == HTTPStatus.OK


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _running(command: list[str], environment: dict[str, str], port: int, log: Path) -> Iterator[None]:
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            _until(lambda: _listens(port), process, log)
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while not ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(log.read_text(encoding="utf-8", errors="replace")[-2000:] or "the server did not start")
        time.sleep(0.02)  # between two looks at a condition
