"""Schedulers of walks: which thread goes next.

An order says which thread to try first in a state; if it cannot step, the next one is tried. No
order lets a thread spin: one that returns to its local state while shared memory is unchanged gets
the lowest priority.

    in turn      run a thread until it has to wait: the oldest, the newest, or any one next
    by rank      threads have random priorities; at a few random points the running thread gets the
                 lowest one (PCT: Burckhardt, Kothari, Musuvathi & Nagarakatte 2010)
    parking      a thread that is about to use shared memory may be delayed there until no other
                 can go on: so accesses of two threads meet, and other threads run between a check
                 and the action that depends on it (Sen 2008)
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from typing import TypeVar

from threadwise.systems.api import Role

Item = TypeVar("Item")

TURN = 2_000
"""So many steps in a row end a turn in any case."""
DISTANCE = 300
"""Ranks change within so many steps, for short walks first."""

BOLDNESS = ((0.3, 0.3), (0.5, 0.1), (0.1, 0.5), (0.1, 0.1), (0.7, 0.3))
"""How likely threads are parked at plain accesses, and at those that synchronise."""
PICKY = (0.6, 0.0)


class Lots:
    """Pseudo-random choices that depend on the seed only, on every version of Python."""

    def __init__(self, seed: int) -> None:
        self._numbers = random.Random(seed)

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[int(self._numbers.random() * len(items))]

    def happens(self, probability: float) -> bool:
        """Whether something happens that does so with a probability."""
        return self._numbers.random() < probability

    def below(self, stop: int) -> int:
        """A number from 0 on."""
        return int(self._numbers.random() * stop)

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in any order."""
        return sorted(items, key=lambda _: self._numbers.random())


class Order:
    """The ranks of threads on one walk; the lowest goes first."""

    def __init__(self, roles: Sequence[Role], lots: Lots, number: int) -> None:
        self.lots = lots
        self.parks = number % 2 == 1
        """Whether threads are parked before they use shared memory."""
        kind = number // 2 % 3
        newest_first = list(reversed(roles))
        ranked = (list(roles), newest_first, lots.shuffled(roles))[kind]
        self.ranks = {t: float(position) for position, t in enumerate(ranked)}
        self.parked: dict[Role, None] = {}
        self.turn = 0
        self.been: set[Hashable] = set()
        """Where the thread that runs has been since it, or shared memory, changed."""
        changes = number // 6 % 4
        within = DISTANCE * (1 + number // 24 % 4)
        self.changes = {lots.below(within) for _ in range(changes)}
        self.picky = number % 4 == 3
        """Whether only at cells that conflicting accesses were seen to."""
        self.boldness = PICKY if self.picky else BOLDNESS[number // 2 % len(BOLDNESS)]

    def threads(self, current: Role | None, taken: int, *, silent: bool = False) -> list[Role]:
        """All threads, the one to try first in front.

        `taken` steps were about shared memory; a thread with a `silent` next step goes on.
        """
        if taken in self.changes and current is not None:
            self.changes.discard(taken)
            self.yields(current)
        found = sorted(self.ranks, key=lambda t: (t in self.parked, self.ranks[t]))
        if silent and self.turn and current is not None:
            found.remove(current)
            found.insert(0, current)
        return found

    def yields(self, t: Role) -> None:
        """A thread goes behind all others."""
        self.ranks[t] = max(self.ranks.values()) + 1
        self.turn = 0
        self.been.clear()

    def went(self, t: Role, current: Role | None, where: Hashable, *, changed: bool) -> None:
        """A thread took a step to a place, and shared memory changed or not."""
        if t != current:
            self.turn = 0
        if t != current or changed:
            self.been.clear()
        self.turn += 1
        self.parked.pop(t, None)
        if where in self.been or self.turn >= TURN:
            self.yields(t)
            self.parked.pop(next(iter(self.parked), t), None)
        self.been.add(where)

    def meets(self, t: Role, *, plain: bool) -> None:
        """A thread is about to touch memory that others may touch, perhaps in a plain way."""
        if self.parks and self.lots.happens(self.boldness[0 if plain else 1]):
            self.parked[t] = None
