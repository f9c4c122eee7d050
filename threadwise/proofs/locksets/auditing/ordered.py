"""Races that a run shows although its accesses are not next to each other.

In a run, what a thread does *happens before* what another does if a chain of steps leads from one
to the other, each the next of its thread, or the next access to some cell that orders threads
(Lamport's relation, by vector clocks). Here every cell orders whose races the property does not
exclude, and every access orders that the program says is synchronisation: reading there counts as
much as writing, so that more is ordered than in memory models.

Two conflicting accesses that are not ordered are a race of the program, if they are the first
such pair of the run. Take the steps that happen before one of them, without the two. They are a
run: from ordering cells each step reads what it did, since all accesses to one of these are
ordered, and a later one does not happen before it; from the others too, since conflicting accesses
were ordered so far. At its end both threads are where they were, with the same values in what they
read, so that both accesses are possible at once.

So a proof that there are no races is refuted by a run that does not come near them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.replaying import Replay
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.properties import concerns, conflict
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Access

Clock = dict[int, int]
"""By thread, how many of its steps are known to have happened."""


class Ordered:
    """Replays runs, and looks for conflicts that nothing orders, for each property."""

    def __init__(self, world: World, properties: Sequence[RaceProperty]) -> None:
        self.world = world
        self.replay = Replay(world)
        self.watched = [(checked, HappensBefore()) for checked in properties]
        self._moment: Moment | None = None

    def start(self, state: State) -> None:
        """A run begins."""
        self._moment = self.replay.begin(state)
        for _, order in self.watched:
            order.start()

    def step(self, move: Move, after: State) -> None:
        """A thread takes a step; raises Broken."""
        if not self.watched:
            return
        assert self._moment is not None
        last = self._moment
        accesses: list[Access] = []
        for micro in self.replay.edges(last, move):
            last = micro.after
            accesses += (_named(access, last) for access in micro.accesses)
        self._moment = self.replay.settled(last, after)
        for checked, order in self.watched:
            layout = self.world.layout
            free = [access for access in accesses if concerns(layout, checked, access)]
            others = [access for access in accesses if not concerns(layout, checked, access)]
            if order.step(move.thread, free, others) is not None:
                raise Broken(
                    f"{checked.name}: two accesses of a run conflict, and are not ordered"
                )


def _named(access: Access, moment: Moment) -> Access:
    """The access with the name of its object, which the object keeps."""
    cell = access.cell
    if cell.region is not Region.HEAP:
        return access
    return access._replace(cell=cell._replace(number=moment.names[cell.number]))


class HappensBefore:
    """Vector clocks of one run, and the accesses that have to be ordered."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """A run begins."""
        self._threads: dict[int, Clock] = {}
        self._cells: dict[CellRef, Clock] = {}
        """What happened before the last access that orders threads."""
        self._accessed: dict[CellRef, dict[tuple[int, Access], int]] = {}
        """By thread and kind of access: when the last one was."""

    def step(
        self, thread: int, accesses: Iterable[Access], others: Iterable[Access] = ()
    ) -> CellRef | None:
        """A cell for which this step races with an earlier one; None if there is none.

        `others` are accesses to cells that only order threads.
        """
        ours = list(dict.fromkeys(accesses))
        clock = self._threads.setdefault(thread, {thread: 1})
        syncs = (access for access in ours if access.sync)
        ordering = list(dict.fromkeys(access.cell for access in chain(syncs, others)))
        for cell in ordering:
            _advance(clock, self._cells.get(cell, {}))
        for access in ours:
            if self._races(thread, clock, access):
                return access.cell
            at = self._accessed.setdefault(access.cell, {})
            at[thread, access] = clock[thread]
        if ordering:
            known = dict(clock)
            self._cells |= dict.fromkeys(ordering, known)
            clock[thread] += 1
        return None

    def _races(self, thread: int, clock: Clock, access: Access) -> bool:
        """Whether an earlier access conflicts with this one, and does not happen before it."""
        return any(
            other != thread and conflict(earlier, access) and when > clock.get(other, 0)
            for (other, earlier), when in self._accessed.get(access.cell, {}).items()
        )


def _advance(clock: Clock, known: Clock) -> None:
    for thread, count in known.items():
        if count > clock.get(thread, 0):
            clock[thread] = count
