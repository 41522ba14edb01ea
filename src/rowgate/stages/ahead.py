"""Work on the next pieces of a stream while the last one is being used."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def ahead(pool: Executor, work: Callable[[T], R], items: Iterable[T], most: int) -> Iterator[R]:
    """Yield what `work` makes of each item, in the items' order; at most `most` of them are waiting or worked on.

    What an item or the work raises is raised here, in its place.
    """
    waiting = deque[Future[R]]()
    for item in items:
        waiting.append(pool.submit(work, item))
        if len(waiting) >= most:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
