"""Shorter runs to the same violation: what is not needed for it is left out.

A walk of thousands of steps shows an error that two threads make. Replaying it, lifting it to the
program of record and telling its story cost as much as it is long, so before it is handed on,

    threads     all moves of one thread,
    tails       the last moves of one thread,
    loops       what one thread does between two visits of a location

are left out, the largest part first, and the rest is run again with the same choices. If every
move is still possible and the violation is still there, the shorter run is taken. Nothing rests
on this: whatever comes of it is replayed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from threadwise.core.budget import Meter
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import LocId
from threadwise.semantics.state import Choice, Move
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.drawn import has_inputs
from threadwise.systems.memory_code import NoAddress, TooLarge

LEAST = 100
"""Runs of fewer moves stay as they are."""
EFFORT = 40
"""So many times the length of a run may be run again to shorten it."""
KEPT = (8, 4, 2)
"""Of a thread's moves an eighth is kept, if that is enough; or more."""
LOOPS = 6
"""So many loops of each thread are tried, the longest first."""

Joint = JointState[Any, Any, Any]
_Part = tuple[int, int, int]
"""Moves of a thread, counted among its own: from one up to another."""


class Shortening:
    """Makes runs from a state shorter that end in a state of a kind."""

    def __init__(
        self,
        system: ConcreteSystem,
        start: Joint,
        ends_well: Callable[[Joint], bool],
        meter: Meter,
    ) -> None:
        self.system = system
        self.start = start
        self.ends_well = ends_well
        self.meter = meter
        self._left = 0
        """So many steps may still be run."""

    def shortened(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        """The same run, or a shorter one to such a state."""
        found = tuple(moves)
        if len(found) < LEAST:
            return found
        self._left = EFFORT * len(found)
        for parts in (_threads, _tails, self._loops):
            found = self._without(found, parts)
        return found

    def _without(
        self,
        moves: tuple[Move, ...],
        parts: Callable[[tuple[Move, ...], int], Iterator[_Part]],
    ) -> tuple[Move, ...]:
        """What is left when parts of each thread are left out, the busiest thread first."""
        for t, _ in Counter(move.thread for move in moves).most_common():
            for part in parts(moves, t):
                rest = _left_out(moves, part)
                if self._left > 0 and self._succeeds(rest):
                    moves = rest
                    break
        return moves

    def _loops(self, moves: tuple[Move, ...], t: int) -> Iterator[_Part]:
        """Between the first and the last visit of a location: the longest loops."""
        edges = self.system.program.edges
        first: dict[LocId, int] = {}
        last: dict[LocId, int] = {}
        own = [move for move in moves if move.thread == t]
        for number, move in enumerate(own):
            here = edges[move.choices[0].edge].source
            first.setdefault(here, number)
            last[here] = number
        loops = sorted(((last[at] - first[at], first[at]) for at in last), reverse=True)
        for length, begin in loops[:LOOPS]:
            if length:
                yield t, begin, begin + length

    # -- runs ------------------------------------------------------------------------------------

    def _succeeds(self, moves: tuple[Move, ...]) -> bool:
        end = self._run(moves)
        return end is not None and self.ends_well(end)

    def _run(self, moves: tuple[Move, ...]) -> Joint | None:
        """The state after some moves; None if one of them is not possible."""
        g, locals_, stacks = self.start.g, list(self.start.locals), list(self.start.stacks)
        for number, move in enumerate(moves, 1):
            self.meter.check()
            self._left -= 1
            t = move.thread
            after = self._moved(move, g, locals_[t], stacks[t])
            if after is None:
                return None
            g, locals_[t], stacks[t] = after
            if number < len(moves) and self.system.is_stopped(locals_[t]):
                return None
        return JointState(g, tuple(locals_), tuple(stacks))

    def _moved(self, move: Move, g: Any, l: Any, stack: Any) -> tuple[Any, Any, Any] | None:
        first = move.choices[0]
        action = self.system.program.edges[first.edge].action
        if isinstance(action, Call | Return):
            return self._called(Role(move.thread), first, g, l, stack)
        for choice in move.choices:
            after = self._fired(Role(move.thread), choice, g, l)
            if after is None:
                return None
            g, l = after
        return g, l, stack

    def _fired(self, t: Role, choice: Choice, g: Any, l: Any) -> tuple[Any, Any] | None:
        edge = self.system.program.edges[choice.edge]
        if self.system.location(l) != edge.source:
            return None
        given = (choice.values,) if has_inputs(edge) else None
        try:
            fired = self.system.code[t].fire(edge)(t, g, l, given)
        except (NoAddress, TooLarge):
            return None
        return next(((after, to) for values, after, to in fired if values == choice.values), None)

    def _called(
        self, t: Role, choice: Choice, g: Any, l: Any, stack: Any
    ) -> tuple[Any, Any, Any] | None:
        for push in self.system.push(t, g, l):
            if push.choice == choice:
                return g, push.l, (*stack, push.frame)
        for pop in self.system.pop(t, g, l, stack[-1]) if stack else ():
            if pop.choice == choice:
                return g, pop.l, stack[:-1]
        return None


def _left_out(moves: tuple[Move, ...], part: _Part) -> tuple[Move, ...]:
    """Without some moves of one thread."""
    t, begin, end = part
    kept: list[Move] = []
    own = 0
    for move in moves:
        if move.thread == t:
            own += 1
            if begin < own <= end:
                continue
        kept.append(move)
    return tuple(kept)


def _threads(moves: tuple[Move, ...], t: int) -> Iterator[_Part]:
    """All moves of a thread."""
    yield t, 0, len(moves)


def _tails(moves: tuple[Move, ...], t: int) -> Iterator[_Part]:
    """The last moves of a thread, fewer and fewer."""
    own = sum(move.thread == t for move in moves)
    for share in KEPT:
        yield t, own // share, own
