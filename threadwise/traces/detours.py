"""Branches on values that the model does not compute, whose ways meet again with the same effect.

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

from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import TRUE, Const, Expr, Place
from threadwise.ir.fold import conjuncts
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import default_value
from threadwise.semantics.evaluate import Region, Undefined, View
from threadwise.semantics.state import GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter

Key = tuple[Region, int, int, int]
"""A cell: in memory an object and a slot; of a thread its number, how deep it is, and a slot."""

LONGEST = 1_000
"""So many steps of the run are looked at, to find where the ways meet."""
MOST = 3_000
"""So many steps are made on all ways: a text of 256 characters may end at each of them."""


@dataclass(frozen=True)
class State:
    """Where a thread is on one of the ways."""

    g: GlobalStore
    l: LocalStore
    doubtful: frozenset[Key]
    written: frozenset[Key]


class _Refused(Exception):  # noqa: N818 - says that the ways do not come to the same
    """There is a way that is more than a detour."""


@dataclass(eq=False)
class _Fork:
    """A state on the ways, and those that may follow it: made once, wherever the ways may meet."""

    state: State
    following: list[_Fork] | None = None
    is_refused: bool = False


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
    _steps: int = field(default=0, init=False)

    @property
    def program(self) -> Program:
        """The program."""
        return self.interpreter.program

    def meet(self, start: State, way: Sequence[LocId]) -> tuple[int, frozenset[Key]] | None:
        """How far along the run's own way all ways have met, and what they may have written.

        The way are the locations that the run comes to behind the start.
        """
        tried: set[LocId] = set()
        first = _Fork(start)
        self._steps = 0
        for length, location in enumerate(way[:LONGEST], 1):
            if location in tried:
                continue
            tried.add(location)
            try:
                return length, self._written(first, location)
            except _Refused:
                continue
        return None

    def _written(self, start: _Fork, end: LocId) -> frozenset[Key]:
        """What is written on all ways from a state to a location."""
        written: frozenset[Key] = frozenset()
        pending = [start]
        while pending:
            for after in self._following(pending.pop()):
                if after.state.l.pc == end:
                    written |= after.state.written
                else:
                    pending.append(after)
        return written

    def _following(self, fork: _Fork) -> list[_Fork]:
        """What may follow a state; raises if that is nothing, or more than plain steps."""
        if fork.following is None and not fork.is_refused:
            try:
                fork.following = [_Fork(state) for state in self._next(fork.state)]
                self._steps += len(fork.following)
            except (_Refused, Undefined):
                fork.is_refused = True
        if not fork.following or self._steps > MOST:
            raise _Refused
        return fork.following

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
        """The state behind an edge; what is made of something in doubt has no value that counts.

        It may have none at all in this state, as what is read of a text behind its end.
        """
        doubtful, written = set(state.doubtful), set(state.written)
        made: list[tuple[Key, bool]] = []
        assignments: list[Assignment] = []
        for each in action.assignments:
            is_doubtful = self.reads(state, each.value)
            made.append((self.key(state, each.target), is_doubtful))
            assignments.append(_without_value(each) if is_doubtful else each)
        if action.havocs and not self.stands(edge):
            raise _Refused
        made += [(self.key(state, place), True) for place in action.havocs]
        values = tuple(default_value(place.type) for place in action.havocs)  # type: ignore[arg-type]  # a havoc is scalar
        plain = replace(action, guard=TRUE, assignments=tuple(assignments))
        taken = replace(edge, action=plain)
        _, g, l, _ = next(
            iter(self.interpreter.fire(taken, self.thread, state.g, state.l, values))
        )
        for key, is_doubtful in made:
            written.add(key)
            (doubtful.add if is_doubtful else doubtful.discard)(key)
        return State(g, l, frozenset(doubtful), frozenset(written))


def _without_value(assignment: Assignment) -> Assignment:
    held = assignment.target.type
    return replace(assignment, value=Const(default_value(held), held))  # type: ignore[arg-type]  # what is assigned is scalar
