"""Telling people, through whatever they use: one Apprise address each for chat, e-mail, pagers and webhooks."""

import json
import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from rowgate.errors import UnusableError

EVERYBODY = "*"
"""The key of `ROWGATE_ALERTS` for owners that have none of their own."""

PATIENCE = 5.0
"""Seconds that all addresses together get. A message that takes longer may still arrive, but nobody waits for it."""


@dataclass(frozen=True)
class Told:
    """How many of the addresses took the message in time."""

    reached: int
    of: int


def addresses(configured: str, owner: str) -> tuple[str, ...]:
    """The addresses of an owner, else those for everybody; they are secrets.

    Args:
        configured: JSON, `{"owner": ["apprise address", …], "*": […]}`; empty is nobody.
        owner: a contract's owner.

    Raises:
        UnusableError: it is not such JSON. The sentence quotes nothing of it.
    """
    if not configured.strip():
        return ()
    try:
        found = json.loads(configured)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(_is_list(urls) for urls in found.values()):
        raise UnusableError(
            'ROWGATE_ALERTS is not JSON like {"owner": ["apprise address"], "*": ["apprise address"]}; correct it.'
        )
    return tuple(found.get(owner) or found.get(EVERYBODY) or ())


def tell(urls: Sequence[str], title: str, body: str, *, patience: float = PATIENCE) -> Told:
    """Send one message to each address, all at once.

    What goes wrong with an address is counted, never raised: an alert must not fail the run it is about.

    Args:
        urls: Apprise addresses (https://github.com/caronc/apprise/wiki), secrets.
        title: one line.
        body: plain text.
        patience: seconds to wait for all of them together.
    """
    # Apprise's own messages name addresses.
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)
    reached: list[str] = []
    # Threads of our own, since those of Apprise would keep a process from ending until a dead address has given up.
    threads = [threading.Thread(target=_send, args=(url, title, body, reached), daemon=True) for url in urls]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + patience
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return Told(len(reached), len(urls))


def _send(url: str, title: str, body: str, reached: list[str]) -> None:
    from apprise import Apprise, AppriseAsset, NotifyFormat, NotifyType  # noqa: PLC0415 - slow to import

    try:
        sender = Apprise(asset=AppriseAsset(service_timeout=0, app_id="rowgate"))
        if sender.add(url) and sender.notify(
            body=body, title=title, notify_type=NotifyType.FAILURE, body_format=NotifyFormat.TEXT
        ):
            reached.append(url)
    except Exception:  # noqa: BLE001 - a plugin of any kind; its message may hold the address, and the count tells of it
        return


def _is_list(urls: object) -> bool:
    return isinstance(urls, list) and all(isinstance(url, str) and url for url in urls)
