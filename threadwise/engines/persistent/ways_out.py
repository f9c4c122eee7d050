"""Where states that follow one thread only lead: away, or round in a cycle.

Each such state has one successor as its *way out*. Ways out may be followed from state to state;
they must end at a state that follows all threads. Cycles of them would postpone the other
threads for ever.
"""

from __future__ import annotations

from collections.abc import Iterable


class WaysOut:
    """A forest over positions of states; its roots follow all threads or are not visited yet."""

    def __init__(self) -> None:
        self._next: dict[int, int] = {}
        self._further: dict[int, int] = {}
        """Short cuts: some position on the way of each."""

    def lead(self, position: int, successors: Iterable[int]) -> bool:
        """Give a root a way out to one of its successors, if that makes no cycle."""
        for successor in successors:
            if self._end(successor) != position:
                self._next[position] = self._further[position] = successor
                return True
        return False

    def _end(self, position: int) -> int:
        """Where the way from a position ends so far."""
        further = self._further
        while position in further:
            after = further[position]
            if after in further:
                further[position] = further[after]
            position = after
        return position

    def sorted(self, count: int) -> list[int]:
        """The positions below a number, each before its way out."""
        lengths: dict[int, int] = {}
        for start in range(count):
            way = [start]
            while way[-1] not in lengths and way[-1] in self._next:
                way.append(self._next[way[-1]])
            length = lengths.setdefault(way.pop(), 0)
            for position in reversed(way):
                length += 1
                lengths[position] = length
        return sorted(range(count), key=lambda position: -lengths[position])
