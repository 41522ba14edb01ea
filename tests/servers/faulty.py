"""A proxy in front of an S3 server of this machine that lets some requests go wrong, in the ways a network does."""

import http.client
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Fault:
    """What happens to the next requests that fit.

    Attributes:
        method: the HTTP method.
        times: how many requests it happens to.
        status: the status of an answer that the proxy gives itself, with `code` as S3 writes it.
        code: the code of that answer; empty breaks the connection instead.
        after: bytes of the server's answer that pass before the connection breaks; None breaks it before any.
        part: a text that the address holds.
    """

    method: str
    times: int = 1
    status: int = 503
    code: str = ""
    after: int | None = None
    part: str = ""


@dataclass
class Proxy:
    """A proxy that runs: its address, the faults to come, and how many requests each method had."""

    endpoint: str
    faults: list[Fault] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fault_of(self, method: str, path: str) -> Fault | None:
        """Count a request, and say what happens to it."""
        with self.lock:
            self.seen.append(method)
            for fault in self.faults:
                if fault.times > 0 and fault.method == method and fault.part in path:
                    fault.times -= 1
                    return fault
        return None


class Server(ThreadingHTTPServer):
    """The listening side, which hands its proxy and the address behind it to every connection."""

    daemon_threads = True

    def __init__(self, behind: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behind = behind
        self.proxy = Proxy(f"http://127.0.0.1:{self.server_address[1]}")

    def handle_error(self, *_: object) -> None:
        """Say nothing of connections that were broken on purpose."""


class Handler(BaseHTTPRequestHandler):
    """One connection: each request goes wrong as it is told, or is passed on."""

    server: "Server"
    protocol_version = "HTTP/1.1"

    def handle_any(self) -> None:
        body = self._body()
        fault = self.server.proxy.fault_of(self.command, self.path)
        if fault is not None and fault.code:
            self._answer(fault.status, f"<Error><Code>{fault.code}</Code><Message>m</Message></Error>".encode())
        elif fault is not None and fault.after is None:
            self._break()
        else:
            self._pass_on(body, None if fault is None else fault.after)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = handle_any  # noqa: N815 - http.server's names

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""

    def _body(self) -> bytes:
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _pass_on(self, body: bytes, after: int | None) -> None:
        with closing(http.client.HTTPConnection(self.server.behind, timeout=60)) as server:
            # The Host stays as it came, since it is part of what the request's signature signs.
            server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() != "expect":
                    server.putheader(name, value)
            server.endheaders(body)
            answer = server.getresponse()
            data = answer.read()
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        length = answer.getheader("Content-Length") if self.command == "HEAD" else len(data)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(data[:after])
        if after is not None:
            self.wfile.flush()
            self._break()

    def _answer(self, status: int, data: bytes) -> None:
        self.send_response_only(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _break(self) -> None:
        """Reset the connection: what a closed socket sends when it lingers for no time."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()


@contextmanager
def faulty(endpoint: str) -> Iterator[Proxy]:
    """Start a proxy in front of `endpoint`, and end it."""
    with Server(endpoint.removeprefix("http://")) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server.proxy
        finally:
            server.shutdown()
            thread.join(10)
