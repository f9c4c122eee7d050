"""The one worklist: what is still to be visited, and everything that something leads to.

    reached(starts, after)   all items that `after` leads to from the starts, and how far they are
    Worklist(items)          for fixpoints: what depends on a changed value is added again
    OrderedWorklist(order)   the same, visiting what stands first in an order

        waiting = Worklist(nodes)
        for here in waiting:
            if <the value at `here` changes>:
                for before in incoming[here]:
                    waiting.add(before)

All visit items in a fixed order, so that results are the same each time. Checkers import none of
this: what they need, they write out. Searches of states have queues of their own, where a call
for each item would be felt, and so have walks through terms, which need no order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import Generic, TypeVar

N = TypeVar("N", bound=Hashable)


def reached(starts: Iterable[N], after: Callable[[N], Iterable[N]]) -> dict[N, int]:
    """What can be reached, breadth first: each item with the number of steps to it, from 0."""
    distances = dict.fromkeys(starts, 0)
    waiting = deque(distances)
    while waiting:
        here = waiting.popleft()
        for there in after(here):
            if there not in distances:
                distances[there] = distances[here] + 1
                waiting.append(there)
    return distances


class Worklist(Generic[N]):
    """Items to visit, in the order in which they came; each waits at most once at a time."""

    def __init__(self, items: Iterable[N] = ()) -> None:
        self._queue = deque(dict.fromkeys(items))
        self._waiting = set(self._queue)

    def add(self, item: N) -> None:
        """Visit an item, again if need be."""
        if item not in self._waiting:
            self._waiting.add(item)
            self._queue.append(item)

    def __iter__(self) -> Iterator[N]:
        while self._queue:
            item = self._queue.popleft()
            self._waiting.discard(item)
            yield item


class OrderedWorklist(Generic[N]):
    """Items to visit, of those that wait the one that stands first in an order."""

    def __init__(self, order: Sequence[N], items: Iterable[N]) -> None:
        self._order = order
        self._position = {item: position for position, item in enumerate(order)}
        self._heap: list[int] = []
        self._waiting: set[N] = set()
        for item in items:
            self.add(item)

    def add(self, item: N) -> None:
        """Visit an item, again if need be."""
        if item not in self._waiting:
            self._waiting.add(item)
            heappush(self._heap, self._position[item])

    def __iter__(self) -> Iterator[N]:
        while self._heap:
            item = self._order[heappop(self._heap)]
            self._waiting.discard(item)
            yield item
