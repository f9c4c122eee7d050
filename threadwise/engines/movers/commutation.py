"""Whether the steps of an edge commute with those of other threads: what an annotation claims.

For t in l taking an edge, u ≠ t in m, and g with (g, l) in R_t and (g, m) in R_u, where a step
that fails leaves the shared store alone, and →t is a step of t, →u one of u by the same edge:

    right   (g, l) →t (g1, l'), (g1, m) →u (g2, m')  ==>  (g, m) →u (h, m'), (h, l) →t (g2, l')
                                                          for some h
    left    (g, m) →u (g1, m'), (g1, l) →t (g2, l')  ==>  (g, l) →t (h, l'), (h, m) →u (g2, m')
                                                          for some h
    apart   (g, m) →u (g1, m'), (g, l) →t (h, l')    ==>  (h, m) →u (g2, m'), (g1, l) →t (g2, l')
                                                          for some g2

A right mover has `right`, a left mover `left` and `apart`. QRR §4 has the first two. The third is
needed to complete transactions (C3): what t can do now it can still do after the step of u, with
the same effect. Without it a step that others can disable would be a left mover whenever they do.

Two increments commute although both write x, so this goes beyond the rules of `classify`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from threadwise.ir.program import EdgeId
from threadwise.systems.api import JointState, ReachedPairs, Role
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Global, Local

Reached = ReachedPairs[Global, Local]
Joint: TypeAlias = JointState[Global, Local, Frame]
MOST_STATES = 5_000
"""So many states are searched for one in which a step does not commute."""
MOST_FRAMES = 8
"""Deeper stacks are left out of this search."""


class _Reach(NamedTuple):
    edge: EdgeId
    g: Global
    l: Local


@dataclass(frozen=True)
class Clash:
    """A step of another thread with which an edge does not commute."""

    thread: Role
    edge: EdgeId


Meetings: TypeAlias = Callable[[Role, Local], Iterable[tuple[Global, Role, Local]]]
"""Where another thread can be while t is in l: the global store, who, and in what."""


def meetings_of_pairs(reached: Reached) -> Meetings:
    """What R allows."""

    def meetings(t: Role, l: Local) -> Iterator[tuple[Global, Role, Local]]:
        for g, stores in reached.by_global.items():
            if (g, l) in reached.pairs[t]:
                for u, ls in enumerate(stores):
                    for m in ls if u != t else ():
                        yield g, Role(u), m

    return meetings


def meetings_of_states(system: ConcreteSystem) -> Meetings:
    """What a search for at most `MOST_STATES` states finds; none of it is an artefact."""
    seen: dict[Joint, None] = dict.fromkeys(system.joint_initial())
    pending = deque(seen)
    while pending and len(seen) < MOST_STATES:
        state = pending.popleft()
        if any(map(system.is_stopped, state.locals)):
            continue
        for t in system.roles:
            for after in _successors(system, state, t):
                if after not in seen and len(after.stacks[t]) <= MOST_FRAMES:
                    seen[after] = None
                    pending.append(after)
    found: defaultdict[tuple[Role, Local], dict[tuple[Global, Role, Local], None]]
    found = defaultdict(dict)
    for state in seen:
        for t in system.roles:
            for u in system.roles:
                if u != t:
                    found[t, state.locals[t]][state.g, u, state.locals[u]] = None
    return lambda t, l: found.get((t, l), ())


def _successors(system: ConcreteSystem, state: Joint, t: Role) -> Iterator[Joint]:
    g, l, stack = state.g, state.locals[t], state.stacks[t]
    for step in system.step(t, g, l):
        yield _moved(state, t, step.g, step.l, stack)
    for push in system.push(t, g, l):
        yield _moved(state, t, g, push.l, (*stack, push.frame))
    for pop in system.pop(t, g, l, stack[-1]) if stack else ():
        yield _moved(state, t, g, pop.l, stack[:-1])


def _moved(state: Joint, t: Role, g: Global, l: Local, stack: tuple[Frame, ...]) -> Joint:
    locals_ = (*state.locals[:t], l, *state.locals[t + 1 :])
    return JointState(g, locals_, (*state.stacks[:t], stack, *state.stacks[t + 1 :]))


class Commutation:
    """Searches for steps that do not commute where threads can meet."""

    def __init__(self, system: ConcreteSystem, meetings: Meetings) -> None:
        self.system = system
        self.meetings = meetings

    def right(self, t: Role, l: Local, edge: EdgeId) -> Clash | None:
        """What keeps an edge from being a right mover."""
        for g, u, m in self.meetings(t, l):
            before = set(self._steps(u, g, m))
            for first in self._own(t, g, l, edge):
                for second in self._steps(u, first.g, m):
                    if not any(
                        _Reach(edge, second.g, first.l) in self._own(t, other.g, l, edge)
                        for other in before
                        if (other.edge, other.l) == (second.edge, second.l)
                    ):
                        return Clash(u, second.edge)
        return None

    def left(self, t: Role, l: Local, edge: EdgeId) -> Clash | None:
        """What keeps an edge from being a left mover."""
        for g, u, m in self.meetings(t, l):
            mine = set(self._own(t, g, l, edge))
            for first in self._steps(u, g, m):
                after = set(self._own(t, first.g, l, edge))
                for second in after:  # left
                    if not any(
                        _Reach(first.edge, second.g, first.l) in self._steps(u, other.g, m)
                        for other in mine
                        if other.l == second.l
                    ):
                        return Clash(u, first.edge)
                for other in mine:  # apart
                    if not any(
                        _Reach(edge, late.g, other.l) in after
                        for late in self._steps(u, other.g, m)
                        if (late.edge, late.l) == (first.edge, first.l)
                    ):
                        return Clash(u, first.edge)
        return None

    def _own(self, t: Role, g: Global, l: Local, edge: EdgeId) -> list[_Reach]:
        return [step for step in self._steps(t, g, l) if step.edge == edge]

    def _steps(self, t: Role, g: Global, l: Local) -> list[_Reach]:
        if self.system.is_stopped(l):
            return []
        return [
            _Reach(step.choices[0].edge, g if self.system.is_stopped(step.l) else step.g, step.l)
            for step in self.system.step(t, g, l)
        ]
