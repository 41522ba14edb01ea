"""The StatsD client that Airflow is told to use: it waits for no name.

Airflow makes its client anew in every process, and the usual one looks its host up before anything else happens: where
no name server answers that is 10 seconds, twice a process, of which a run has many.
"""

import logging
import socket
from collections import deque
from collections.abc import Mapping
from threading import Lock, Thread

from statsd import StatsClient

from rowgate.adapters.metrics import ask

_LOG = logging.getLogger(__name__)
_MOMENT = 0.02
"""How long a new client waits for its host's address, in seconds: a name server nearby has answered by then."""
_MOST = 10_000
"""How many figures wait for the address; older ones are lost."""

AIRFLOW: Mapping[str, str] = {
    "AIRFLOW__METRICS__STATSD_ON": "True",
    "AIRFLOW__METRICS__STATSD_HOST": "localhost",
    "AIRFLOW__METRICS__STATSD_PORT": "8125",
    "AIRFLOW__METRICS__STATSD_PREFIX": "airflow",
    "AIRFLOW__METRICS__STATSD_CUSTOM_CLIENT_PATH": "rowgate.adapters.statsd_client.WaitlessClient",
}
"""How Airflow sends its metrics unless its user says otherwise."""


class WaitlessClient(StatsClient):  # type: ignore[misc] # statsd has no types
    """A `StatsClient` that looks its host up in a thread. What is sent before the address is there waits for it.

    A name that does not resolve is said in the log, and what waits is lost: figures that are not seen stop no run.
    """

    def __init__(
        self,
        host: str = "localhost",
        port: int = 8125,
        prefix: str | None = None,
        maxudpsize: int = 512,
        ipv6: bool = False,  # noqa: FBT001, FBT002 - as the class that it stands in for
    ) -> None:
        """Begin to look the host up; see `StatsClient`."""
        # An address needs no look-up, so that this makes the socket and is done.
        super().__init__("::1" if ipv6 else "127.0.0.1", port, prefix, maxudpsize, ipv6)
        self._family = socket.AF_INET6 if ipv6 else socket.AF_INET
        self._waiting: deque[str] | None = deque(maxlen=_MOST)
        self._lock = Lock()
        looking = Thread(target=self._look, args=(host, port), daemon=True, name="statsd-name")
        looking.start()
        looking.join(_MOMENT)

    def _look(self, host: str, port: int) -> None:
        try:
            address = ask(host, port, self._family)
        except OSError as error:
            _LOG.warning("No metrics are sent: %s:%d cannot be reached (%s).", host, port, error.strerror)
            address = None
        with self._lock:
            waiting, self._waiting = self._waiting or (), None
            self._addr = address
            for data in waiting:
                self._send_now(data)

    def _send(self, data: str) -> None:
        with self._lock:
            if self._waiting is not None:
                self._waiting.append(data)
            else:
                self._send_now(data)

    def _send_now(self, data: str) -> None:
        if self._addr is not None and self._sock is not None:
            super()._send(data)
