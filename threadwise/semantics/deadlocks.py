"""Which states are deadlocks (docs/theory/deadlocks.md).

A thread is *live* if it has started and has not ended. It is *blocked* if it is live and has no
step. A set S of threads *closes* a way on of a blocked thread if

    mutex, join     the owner, or the thread to join, is in S or has ended
    holders         some thread that holds the object is in S or has ended
    otherwise       no live thread outside S can by control flow get to something that may end the
                    wait (`threadwise.analyses.helping`); also if the owner or the holders of the
                    object are not known

S is the greatest set of blocked threads all of whose ways on S closes: there is one, since larger
sets close more. The state is a deadlock if a member of S is not at a label that begins with `end`,
nor inside a function that the user calls idle.

A deadlock is *idle* if every such member merely waits for work: it was started by another thread;
all its ways on that some thread could ever open wait at a semaphore or a condition variable, and
there are some; no member of S, itself included, can by control flow get to what ends the wait, so
that there is no cycle of waits; and a thread outside S, which has gone past it or ended, could
have ended the wait from its start. Threads outside S do not change this, unless they join S.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from threadwise.analyses.helping import Helping, Key, cell_keys
from threadwise.ir.commands import HOLDINGS, IDLE, Allocate, OperationKind
from threadwise.ir.layout import tail_of
from threadwise.ir.program import Program
from threadwise.ir.types import Value
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.state import Frame, GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter
from threadwise.semantics.waiting import Way, WaysOn

WORK = (OperationKind.TAKE, OperationKind.WAKE)
"""How threads wait for work."""


class Waiting(NamedTuple):
    """What closes a way on: see `Way`; `helpers` is what may end the wait."""

    way: Way
    helpers: int


class Standing(NamedTuple):
    """What matters about a thread for the waits of others."""

    live: bool
    ended: bool
    helps: int
    """What it can by control flow help with."""
    holds: frozenset[Value]
    """The objects that it holds."""
    beyond: bool = False
    """Whether it might help, since it can get to something that is not modelled."""


def closes(waiting: Waiting, members: frozenset[int], standings: Sequence[Standing]) -> bool:
    """Whether a set of threads closes a way on."""
    awaited, held = waiting.way.awaited, waiting.way.held
    concerned = [
        t
        for t, standing in enumerate(standings)
        if (t == awaited or (held is not None and held in standing.holds))
        and (standing.live or standing.ended)
    ]
    if concerned:
        return any(t in members or standings[t].ended for t in concerned)
    return not any(
        standing.live
        and t not in members
        and (standing.beyond or standing.helps & waiting.helpers)
        for t, standing in enumerate(standings)
    )


def greatest(
    blocked: Mapping[int, Sequence[Waiting]], standings: Sequence[Standing]
) -> frozenset[int]:
    """The greatest set of blocked threads all of whose ways on it closes."""
    members = frozenset(blocked)
    while True:
        left = frozenset(
            t for t in members if all(closes(each, members, standings) for each in blocked[t])
        )
        if left == members:
            return members
        members = left


def may_rest(program: Program, l: LocalStore, stack: Sequence[Frame] = ()) -> bool:
    """Whether a thread may wait forever where it is, or where it was called from."""
    return any(label.startswith("end") for label in program.locations[l.pc].labels) or any(
        IDLE in program.locations[program.edges[frame.call].source].labels for frame in stack
    )


class Deadlocks:
    """Deadlocks of one program."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        self.program = interpreter.program
        self.layout = interpreter.layout
        self.ways = WaysOn(interpreter)

    def members(self, state: State, *, surely: bool = False) -> frozenset[int]:
        """The threads that wait forever; `surely`: whatever is not modelled might help."""
        threads = self.interpreter.threads
        waiting = [self.waiting(t, state.g, state.locals[t]) for t in threads]
        standings = [
            self.standing(t, state.locals[t], state.stacks[t], blocked=waiting[t] is not None)
            for t in threads
        ]
        blocked = {
            t: ways
            for t, (ways, standing) in enumerate(zip(waiting, standings, strict=True))
            if ways is not None and standing.live
        }
        if surely:
            standings = [
                standing._replace(beyond=self._gets_beyond(state.locals[t], state.stacks[t]))
                for t, standing in enumerate(standings)
            ]
        return greatest(blocked, standings)

    def _gets_beyond(self, l: LocalStore, stack: Sequence[Frame]) -> bool:
        called = (self.program.edges[frame.call].target for frame in stack)
        return any(self.helping.beyond[here] for here in (l.pc, *called))

    def is_deadlock(self, state: State) -> bool:
        """Whether some thread that is not excused waits forever."""
        return any(
            not may_rest(self.program, state.locals[t], state.stacks[t])
            for t in self.members(state)
        )

    def is_sure(self, state: State) -> bool:
        """Whether a deadlock is one even if whatever is not modelled ends waits."""
        return any(
            not may_rest(self.program, state.locals[t], state.stacks[t])
            for t in self.members(state, surely=True)
        )

    def is_idle(self, state: State) -> bool:
        """Whether a deadlock is idle: threads that wait forever merely wait for work."""
        members = self.members(state)
        standings = [
            self.standing(t, state.locals[t], state.stacks[t], blocked=t in members)
            for t in self.interpreter.threads
        ]
        inside = outside = 0
        for t, standing in enumerate(standings):
            if t in members:
                inside |= standing.helps
            elif standing.live or standing.ended:
                body = self.program.template[self._template(t)].body
                outside |= self.helping.helps[self.program.procedure[body].entry]
        return all(
            may_rest(self.program, state.locals[t], state.stacks[t])
            or self._waits_for_work(t, state, inside, outside)
            for t in members
        )

    def _waits_for_work(self, t: int, state: State, inside: int, outside: int) -> bool:
        """Whether a blocked thread waits for what only those outside S could have given."""
        if not self.program.template[self._template(t)].pool:
            return False
        ways = [
            waiting
            for waiting in self.waiting(t, state.g, state.locals[t]) or ()
            if waiting.helpers or waiting.way.awaited is not None or waiting.way.held is not None
        ]
        return bool(ways) and all(
            waiting.way.kind in WORK
            and waiting.way.awaited is None
            and waiting.way.held is None
            and not waiting.helpers & inside
            and bool(waiting.helpers & outside)
            for waiting in ways
        )

    def waiting(self, t: int, g: GlobalStore, l: LocalStore) -> tuple[Waiting, ...] | None:
        """The ways on of a thread, with what may end the waits there; None if it can step."""
        ways = self.ways.of(t, g, l)
        if ways is None:
            return None
        return tuple(Waiting(way, self._helpers(way, g)) for way in ways)

    def standing(
        self, t: int, l: LocalStore, stack: Sequence[Frame], *, blocked: bool
    ) -> Standing:
        """What matters about a thread for the waits of others."""
        final = self.program.locations[l.pc].final
        helps = self.helping.helps[l.pc]
        for frame in stack:
            helps |= self.helping.helps[self.program.edges[frame.call].target]
        return Standing(
            not (final and blocked),
            final and not self.program.outgoing[l.pc],
            helps,
            frozenset(l.thread[slot] for slot in self._holdings[self._template(t)]),
        )

    @cached_property
    def helping(self) -> Helping:
        """What each location can help with."""
        return Helping(self.program)

    def _template(self, t: int) -> str:
        return self.layout.numbers.templates[t]

    def _helpers(self, way: Way, g: GlobalStore) -> int:
        self.helping.helps  # noqa: B018 - numbers the keys
        keys = (key for cell in way.cells for key in self._keys(cell, g))
        return self.helping.mask(keys, way.kind)

    def _keys(self, cell: CellRef, g: GlobalStore) -> tuple[Key, ...]:
        if cell.region is Region.GLOBAL:
            return self._of_globals[cell.slot]
        site = g.heap[cell.number].site
        return self._of_sites[site][self.layout.position(site, cell.slot)]

    @cached_property
    def _of_globals(self) -> list[tuple[Key, ...]]:
        return [
            keys
            for declaration in self.program.globals
            for keys in cell_keys(
                declaration.variable.type, self.layout.numbers, declaration.variable.name
            )
        ]

    @cached_property
    def _of_sites(self) -> dict[str, list[tuple[Key, ...]]]:
        return {
            edge.action.site: [
                keys
                for held in (edge.action.object_type, tail_of(edge.action.object_type))
                if held is not None
                for keys in cell_keys(held, self.layout.numbers, None)
            ]
            for edge in self.program.edges
            if isinstance(edge.action, Allocate)
        }

    @cached_property
    def _holdings(self) -> dict[str, list[int]]:
        """By template, the cells with addresses of what a thread holds."""
        return {
            name: [
                slot
                for slot, cell in enumerate(cells.cells)
                if cell.variable.name.startswith(HOLDINGS)
            ]
            for name, cells in self.layout.thread.items()
        }
