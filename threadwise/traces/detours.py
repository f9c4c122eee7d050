"""Branches by values that stand for others, and that come to the same in the end.

    if (x > peak)        x is not computed: whether the branch is taken is not known
        peak = x;
    n++;                 a race here does not depend on it

A guard that reads such a value decides which way a thread goes. The run is one of the source's
all the same if every way leads to the same location, and nothing but what was written on the ways
is different then: that is in doubt from there on. So at such a branch the thread is followed
alone, in a state of the run, along every way that is possible, until all ways have come to a
location that the run comes to as well. On the ways there must be

    plain commands only       nothing that synchronises, calls, returns, allocates or frees, and no
                              atomic region: whoever takes another way is not noticed
    no index and no pointer   that reads something in doubt, on whichever way it was written
    no end                    in a failure, a limit or where nothing is possible; and no long way

In the run no other thread may move meanwhile: then there is a run in which the thread goes the way
that it really goes, in one piece, and all others do the same as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import TRUE, Expr, Place
from threadwise.ir.fold import conjuncts
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import default_value
from threadwise.semantics.evaluate import Region, Undefined, View
from threadwise.semantics.state import GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter

Key = tuple[Region, int, int, int]
"""A cell: in memory an object and a slot; of a thread its number, how deep it is, and a slot."""

LONGEST = 60
"""So many steps of the run are looked at, to find where the ways meet."""
MOST = 400
"""So many steps are made on all ways."""


@dataclass(frozen=True)
class State:
    """Where a thread is on one of the ways."""

    g: GlobalStore
    l: LocalStore
    doubtful: frozenset[Key]
    written: frozenset[Key]


class _Refused(Exception):  # noqa: N818 - says that the ways do not come to the same
    """There is a way that is more than a detour."""


@dataclass
class Detours:
    """The ways that one thread may go from a state on."""

    interpreter: Interpreter
    thread: int
    reads: Callable[[State, Expr], bool]
    """Whether an expression reads something in doubt."""
    locates: Callable[[Edge], Iterator[Expr]]
    """What decides which memory an edge accesses."""
    key: Callable[[State, Place], Key]
    """The cell that a place is."""
    stands: Callable[[Edge], bool]
    """Whether what an edge chooses stands for something that is not computed."""

    @property
    def program(self) -> Program:
        """The program."""
        return self.interpreter.program

    def meet(self, start: State, way: Sequence[LocId]) -> tuple[int, frozenset[Key]] | None:
        """How far along the run's own way all ways have met, and what they may have written.

        The way are the locations that the run comes to behind the start.
        """
        tried: set[LocId] = set()
        for length, location in enumerate(way[:LONGEST], 1):
            if location in tried:
                continue
            tried.add(location)
            try:
                return length, self._written(start, location)
            except (_Refused, Undefined):
                continue
        return None

    def _written(self, start: State, end: LocId) -> frozenset[Key]:
        """What is written on all ways from a state to a location."""
        written: frozenset[Key] = frozenset()
        pending, steps = [start], 0
        while pending:
            state = pending.pop()
            following = list(self._next(state))
            steps += len(following)
            if not following or steps > MOST:
                raise _Refused
            for after in following:
                if after.l.pc == end:
                    written |= after.written
                else:
                    pending.append(after)
        return written

    def _next(self, state: State) -> Iterator[State]:
        """The states that may be next; raises if one step is more than a plain one."""
        location = self.program.locations[state.l.pc]
        if location.failure is not None or location.atomic or location.final:
            raise _Refused
        for edge in self.program.outgoing[state.l.pc]:
            if not self._is_possible(state, edge.action.guard):
                continue
            if not isinstance(edge.action, Command) or edge.sync or edge.operation is not None:
                raise _Refused
            if any(self.reads(state, part) for part in self.locates(edge)):
                raise _Refused
            yield self._after(state, edge, edge.action)

    def _is_possible(self, state: State, guard: Expr) -> bool:
        """Whether a guard may hold, whatever is in doubt."""
        view = View(self.program, self.interpreter.layout, self.thread, state.g, state.l)
        return all(self.reads(state, part) or view.holds(part) for part in conjuncts(guard))

    def _after(self, state: State, edge: Edge, action: Command) -> State:
        doubtful, written = set(state.doubtful), set(state.written)
        made: list[tuple[Key, bool]] = [
            (self.key(state, a.target), self.reads(state, a.value)) for a in action.assignments
        ]
        if action.havocs and not self.stands(edge):
            raise _Refused
        made += [(self.key(state, place), True) for place in action.havocs]
        values = tuple(default_value(place.type) for place in action.havocs)  # type: ignore[arg-type]  # a havoc is scalar
        taken = replace(edge, action=replace(action, guard=TRUE))
        _, g, l, _ = next(
            iter(self.interpreter.fire(taken, self.thread, state.g, state.l, values))
        )
        for key, is_doubtful in made:
            written.add(key)
            (doubtful.add if is_doubtful else doubtful.discard)(key)
        return State(g, l, frozenset(doubtful), frozenset(written))
