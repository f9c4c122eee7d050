"""Which threads may go first without losing anything.

At a state, thread t alone is a *persistent set* if whatever the others do before t moves is
independent of t's next step. Let M be the threads that may move before t does: those that can
move now and, again and again, those that wait for something which a member of M may still write.

    (a) t can move, and no step it can take now fails or ends the program
    (b) what the next step of t may touch, t's guards included, does not conflict with anything a
        member of M may touch from where it is: known by location, or else at this very state
        (`threadwise.semantics.footprints`)

(b) makes steps of M and the step of t commute and neither enable nor disable each other. That the
others are not postponed for ever is up to the search (`engine`).

If deadlocks are checked, every thread that waits counts as a member of M, and what is known by
location has to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from threadwise.analyses.touches import Masks, Touches
from threadwise.engines.persistent.futures import first_touches, futures
from threadwise.ir.commands import OperationKind
from threadwise.ir.program import Edge, EdgeId, LocId
from threadwise.semantics.footprints import Footprints, FootprintsAt
from threadwise.semantics.step import Interpreter
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Evaluate, Global, Local

Joint = JointState[Global, Local, Frame]


class Chooser:
    """Persistent sets of one thread for the states of a program."""

    def __init__(self, system: ConcreteSystem, *, cycles: bool) -> None:
        self.system = system
        self.program = system.program
        self.touches = Touches.regions(self.program, system.layout.numbers)
        self.futures = [futures(self.program, self.touches, t) for t in system.roles]
        self.cycles = cycles
        self.footprints = Footprints(Interpreter(self.program), self.touches)
        self._first: dict[tuple[Role, LocId], Masks] = {}
        self._handles: dict[tuple[EdgeId, str], Evaluate] = {}

    def candidates(self, state: Joint, preferred: Role | None) -> Iterator[Role]:
        """The threads that may go alone; the preferred one first if it may."""
        movable = [self._can_move(state, t) for t in self.system.roles]
        order = list(self.system.roles)
        if preferred is not None:
            order.sort(key=lambda t: t != preferred)
        future: list[Masks | None] = [None] * len(movable)
        for t in order:
            if movable[t] and self._goes_on(state, t) and self._alone(state, t, movable, future):
                yield t

    def _can_move(self, state: Joint, t: Role) -> bool:
        g, l, stack = state.g, state.locals[t], state.stacks[t]
        system = self.system
        if system.step(t, g, l) or next(iter(system.push(t, g, l)), None) is not None:
            return True
        return bool(stack) and next(iter(system.pop(t, g, l, stack[-1])), None) is not None

    def _goes_on(self, state: Joint, t: Role) -> bool:
        """Condition (a), for a thread that can move."""
        steps = self.system.step(t, state.g, state.locals[t])
        return not any(self.system.is_stopped(step.l) for step in steps)

    def _alone(
        self, state: Joint, t: Role, movable: list[bool], future: list[Masks | None]
    ) -> bool:
        """Condition (b)."""
        mine = self._first_touches(t, self.system.location(state.locals[t]))
        if not mine.read and not mine.written:
            return True
        others = [u for u in self.system.roles if u != t]
        members = [u for u in others if movable[u] or self._may_be_stuck(state, u)]
        waiting = [u for u in others if u not in members]
        closer = _Closer(self, state, t)
        for u in members:
            seen = future[u]
            if seen is None:
                seen = future[u] = self._future(state, u)
            if mine.conflicts(seen) and not closer.is_apart(u):
                return False
            woken = [
                v for v in waiting if self._waits_for(state, v, seen) and closer.may_wake(v, u)
            ]
            members.extend(woken)
            waiting = [v for v in waiting if v not in woken]
        return True

    def _future(self, state: Joint, u: Role) -> Masks:
        found = self.futures[u][self.system.location(state.locals[u])]
        for frame in state.stacks[u]:
            found |= self.futures[u][self.program.edges[frame.call].target]
        return found

    def footprints_at(self, state: Joint, t: Role) -> FootprintsAt:
        """What is known at this very state."""
        reference = self.system.reference_state(state)
        futures = [self._future(state, u) for u in self.system.roles]
        return self.footprints.at(reference, t, futures)

    def _first_touches(self, t: Role, here: LocId) -> Masks:
        known = self._first.get((t, here))
        if known is None:
            known = first_touches(self.program, self.touches, t, here)
            self._first[t, here] = known
        return known

    def _may_be_stuck(self, state: Joint, v: Role) -> bool:
        """Whether deadlocks are checked and a blocked thread may be in one."""
        location = self.program.locations[self.system.location(state.locals[v])]
        return self.cycles and not location.final

    def _waits_for(self, state: Joint, v: Role, seen: Masks) -> bool:
        """Whether a thread that cannot move may be woken by one with this future."""
        here = self.system.location(state.locals[v])
        awaited = 0
        for edge in self.program.outgoing[here]:
            joins = edge.operation is not None and edge.operation.kind is OperationKind.JOIN
            if joins and not self.program.locations[edge.target].atomic:
                handle = self._handle(edge, v)(v, state.g, state.locals[v])
                awaited |= self.touches.waiting(edge, v, handle)
            else:
                awaited |= self._first_touches(v, here).read
        return bool(awaited & seen.written)

    def _handle(self, joining: Edge, v: Role) -> Evaluate:
        """The thread that a join waits for."""
        code = self.system.code[v].compiler
        key = (joining.id, code.template)
        if key not in self._handles:
            assert joining.operation is not None
            assert joining.operation.subject is not None
            procedure = self.program.procedure_of[joining.source].name
            self._handles[key] = code.formula(procedure, joining.operation.subject)
        return self._handles[key]


class _Closer:
    """A closer look at one state, if it is needed."""

    def __init__(self, chooser: Chooser, state: Joint, t: Role) -> None:
        self._look = partial(chooser.footprints_at, state, t)
        self._cycles = chooser.cycles
        self._seen: FootprintsAt | None = None

    def is_apart(self, u: Role) -> bool:
        """Whether the next step is apart from what another thread may do."""
        return not self._cycles and self._footprints().is_apart(u)

    def may_wake(self, v: Role, u: Role) -> bool:
        """Whether a thread may write what another waits for."""
        return self._cycles or self._footprints().may_wake(v, u)

    def _footprints(self) -> FootprintsAt:
        if self._seen is None:
            self._seen = self._look()
        return self._seen
