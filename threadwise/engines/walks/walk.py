"""A walk: one run under one schedule, and whether it violates a property.

It ends where no thread can step, in a failure, or after many steps. A thread that could only step
to where nothing is violated and no run goes on (a limit of the model, undefined behaviour) stays
where it is, and the others go on without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from threadwise.engines.api import Task
from threadwise.engines.walks.aims import Aim
from threadwise.engines.walks.orders import Lots, Order
from threadwise.engines.walks.shortening import Shortening
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.semantics.state import Choice, Move
from threadwise.systems.api import ErrorPattern, JointState, Role
from threadwise.systems.deadlocks import DeadlockPattern
from threadwise.systems.drawn import DrawnSteps

LONGEST = 20_000
"""So many steps a walk takes at most,"""
SHORTER = (300, 2_000, 300, LONGEST, 300, 2_000, LONGEST)
"""but in turn fewer if it is not directed: where programs run for ever, short walks show most, and
in short traces. Other habits of walks change in turns of other lengths."""
LONGEST_AIMED = 300_000
"""and so many if it is directed and a thread waits for another one where it is wanted."""
PATIENCE = 50
"""After so many steps it is checked whether a thread at a goal holds what the others need."""
PASSING = (0.0, 0.0, 0.5, 0.5, 0.0, 0.8)
"""How likely a thread goes past a place of the goal, walk by walk: what the others need to get to
theirs may be what it does next."""
WEARY = (2_000, 2_000, 20_000, LONGEST_AIMED)
"""After so many moves in which nobody came, walk by walk, threads at the goal go on."""
PERSEVERANCE = 0.7
"""How likely a walk goes on where most is left to do."""
HABITS = (0, 2, 1, 0, 3)
"""How many values the inputs of a walk mostly have; 0: any."""

Joint = JointState[Any, Any, Any]
Access = tuple[int, bool, bool]
_Option = tuple[tuple[Choice, ...], Any, Any, tuple[Any, ...]]
"""A step: its choices, and the stores and the stack after it."""


class Disputed:
    """Cells that several threads touched on walks so far, one of them writing, one plainly.

    What a thread does while no other is on its way does not count. Cells of the heap are known by
    their numbers, which mostly mean the same on every walk.
    """

    def __init__(self) -> None:
        self._users: dict[int, set[Role]] = {}
        self._written: set[int] = set()
        self._plain: set[int] = set()

    def note(self, t: Role, accesses: list[Access]) -> None:
        """A thread is about to touch cells."""
        for slot, write, sync in accesses:
            self._users.setdefault(slot, set()).add(t)
            if write:
                self._written.add(slot)
            if not sync:
                self._plain.add(slot)

    def concerns(self, accesses: list[Access]) -> bool:
        """Whether one of the cells that a thread is about to touch is disputed."""
        return any(
            slot in self._written and slot in self._plain and len(self._users[slot]) > 1
            for slot, _, _ in accesses
        )


class Walk:
    """One run."""

    def __init__(
        self,
        task: Task,
        drawn: DrawnSteps,
        properties: tuple[Property, ...],
        number: int,
        disputed: Disputed,
        outlook: Sequence[int],
    ) -> None:
        self.outlook = outlook
        self.task = task
        self.disputed = disputed
        self.drawn = drawn
        self.system = system = drawn.system
        self.number = number
        self.lots = Lots(number)
        drawn.begin(self.lots.below, HABITS[number % len(HABITS)])
        self.order = Order(system.roles, self.lots, number)
        patterns = list(system.errors(properties))
        self.failures = [p for p in patterns if isinstance(p.property, FailureProperty)]
        self.asked = frozenset(p.property.name for p in self.failures)
        """The properties that a failure may violate."""
        self.races = [p for p in patterns if isinstance(p.property, RaceProperty)]
        self.deadlocks = [p for p in patterns if isinstance(p.property, DeadlockProperty)]
        self.invariants = [p for p in patterns if isinstance(p.property, InvariantProperty)]
        self.start: Joint = self._initial()
        self.state = self.start
        self.moves: list[Move] = []
        self.visible = 0
        """How many of them were about shared memory."""
        self.current: Role | None = None
        self.about: dict[Role, list[Access]] = {}
        self.version = 0
        """How often shared memory has changed."""
        self.blocked: dict[Role, int] = {}
        """Threads that could not step, and the version of shared memory that they saw."""
        self.stuck = False
        """Whether a thread has to wait that did not before, or one that goes on helps less."""
        self.aim: Aim | None = None
        self.arrived: dict[Role, int] = {}
        """Which threads are at which places of the goal."""
        self.waited = 0
        """Since which move no thread has reached such a place, or left it."""
        self.last_arrival = 0
        """At which move a thread reached such a place last, or all left theirs."""
        self.passing, self.weary = PASSING[0], WEARY[-1]
        self.let_in: frozenset[Role] = frozenset()
        """For which threads others left such a place: these go first,"""
        self.longest: int | None = None
        """How many steps it takes at most, where that is said."""
        self.in_vain = False
        """Whether no thread that is waited for can arrive any more."""
        self.leaving: frozenset[Role] = frozenset()
        """and if they cannot, those who go on."""
        self.directed = False
        """Whether threads that may reach such a place go first."""

    def is_at_goal(self) -> bool:
        """Whether there is a thread at each of the places that the walk aims at."""
        return self.aim is not None and len(set(self.arrived.values())) == len(self.aim.places)

    def is_news(self, visited: set[EdgeId]) -> bool:
        """Whether the walk took edges that no other one took; they are noted."""
        before = len(visited)
        visited.update(choice.edge for move in self.moves for choice in move.choices)
        return len(visited) > before

    def _initial(self) -> Joint:
        states = self.system.joint_initial()
        found = next(states)
        for _ in range(self.lots.below(8)):
            found = next(states, found)
        return found

    def run(self) -> Iterator[str]:
        """Go; the names of the properties that a state violates, each once."""
        while len(self.moves) < self._most_moves():
            self.task.meter.check()
            found = dict.fromkeys(self._violated())
            if found:
                yield from found
                return
            if self._is_over():
                return
            if not self._advance():
                yield from dict.fromkeys(self._waiting())
                return

    def _most_moves(self) -> int:
        if self.longest is not None:
            return self.longest
        if self.directed:
            return LONGEST_AIMED if self.arrived else LONGEST
        return min(LONGEST, SHORTER[self.number % len(SHORTER)])

    def _is_over(self) -> bool:
        t = self.current
        return self.in_vain or (t is not None and self.system.is_stopped(self.state.locals[t]))

    # -- errors ----------------------------------------------------------------------------------

    def _violated(self) -> Iterator[str]:
        t = self.current
        over = self._is_over()
        if over:
            yield from self._matching(self.failures)
            return
        yield from self._matching(self.invariants)
        if self.stuck:
            yield from self._waiting()
        if t is not None and self.aim is not None:
            self._arrive(t, self.aim)
        if t is not None and self._is_silent(t):
            self.about.pop(t, None)
        elif t is not None and (self.races or self.order.parks):
            self._look_ahead(t)
            if self.races and self._meets(t):
                yield from self._matching(self.races)

    def _matching(self, patterns: list[ErrorPattern[Any, Any]]) -> Iterator[str]:
        for pattern in patterns:
            if self.system.violates(self.state, pattern):
                yield pattern.property.name

    def shortened(self, name: str) -> tuple[Move, ...]:
        """The moves, without what is not needed to violate a property in the same places."""
        patterns = [*self.failures, *self.races, *self.deadlocks, *self.invariants]
        asked = [pattern for pattern in patterns if pattern.property.name == name]
        there = {
            t: self.system.location(self.state.locals[t])
            for t in (*self.arrived, self.current)
            if t is not None
        }

        def is_same(end: Joint) -> bool:
            return all(
                self.system.location(end.locals[t]) == at for t, at in there.items()
            ) and any(self.system.violates(end, pattern) for pattern in asked)

        with self.task.meter.at_leisure():
            return Shortening(self.system, self.start, is_same, self.task.meter).shortened(
                self.moves
            )

    def _waiting(self) -> Iterator[str]:
        """Deadlocks."""
        self.stuck = False
        yield from self._matching(self.deadlocks)

    def _look_ahead(self, t: Role) -> None:
        """Note what a thread is about to do, and perhaps leave it there."""
        accesses = self.drawn.accesses(t, self.state.g, self.state.locals[t])
        self.about[t] = accesses
        if not accesses or all(map(self._is_idle, (u for u in self.system.roles if u != t))):
            return
        self.disputed.note(t, accesses)
        if self.aim is not None:
            return
        if self.order.picky:
            self.order.meets(t, plain=self.disputed.concerns(accesses))
        else:
            self.order.meets(t, plain=not all(sync for _, _, sync in accesses))

    def _arrive(self, t: Role, aim: Aim) -> None:
        """A thread that is where it is wanted stays there."""
        self.arrived.pop(t, None)
        side = aim.wanted(self.system.location(self.state.locals[t]), self.arrived.values())
        if side is not None and not (self.passing and self.lots.happens(self.passing)):
            self.arrived[t] = side
            self.order.parked[t] = None
            self.waited = self.last_arrival = len(self.moves)
            if t in self.let_in:
                self.let_in = self.leaving = frozenset()

    def _let_others_in(self, aim: Aim) -> None:
        """Threads at the goal go on if all others that may come are blocked, perhaps by them."""
        self.waited = len(self.moves)
        awaited = [u for u in self.system.roles if self._is_of_use(u, aim)]
        self.in_vain = not awaited and not self.is_at_goal()
        if awaited and all(u in self.blocked for u in awaited):
            self.let_in, self.leaving = frozenset(awaited), frozenset(self.arrived)
            self._go_on()
        elif len(self.moves) - self.last_arrival >= self.weary:
            self._go_on()

    def _go_on(self) -> None:
        """Threads at the goal stay there no longer."""
        for t in self.arrived:
            self.order.parked.pop(t, None)
        self.arrived.clear()
        self.last_arrival = len(self.moves)

    def _is_silent(self, t: Role | None) -> bool:
        """Whether the next step of a thread is invisible to all others."""
        return t is not None and self.drawn.is_silent(self.system.location(self.state.locals[t]))

    def _is_idle(self, t: Role) -> bool:
        """Whether a thread has not begun, or has ended."""
        location = self.system.location(self.state.locals[t])
        return self.system.program.locations[location].final

    def _meets(self, t: Role) -> bool:
        """Whether another thread was about to touch what this one is about to."""
        mine = {slot: (write, sync) for slot, write, sync in self.about[t]}
        return any(
            slot in mine and (write or mine[slot][0]) and not (sync and mine[slot][1])
            for u, accesses in self.about.items()
            if u != t
            for slot, write, sync in accesses
        )

    # -- steps -----------------------------------------------------------------------------------

    def _advance(self) -> bool:
        """Take a step; whether that was possible, and no deadlock was met."""
        if self.aim and self.arrived and len(self.moves) - self.waited >= PATIENCE:
            self._let_others_in(self.aim)
        silent = self._is_silent(self.current)
        for t in self._candidates(silent=silent):
            if self.blocked.get(t) == self.version:
                continue
            options = [option for option in self._options(t) if not self._is_lost(option)]
            if not options:
                self.stuck |= t not in self.blocked
                self.blocked[t] = self.version
                continue
            self.blocked.pop(t, None)
            choices, g, l, stack = self._chosen(options)
            changed = g is not self.state.g and g != self.state.g
            self.version += changed
            self.order.went(t, self.current, l, changed=changed)
            locals_ = (*self.state.locals[:t], l, *self.state.locals[t + 1 :])
            stacks = self.state.stacks
            if stack is not stacks[t]:
                stacks = (*stacks[:t], stack, *stacks[t + 1 :])
            self.stuck |= self._helps_less(
                self.state.locals[t], l, same_stack=stacks is self.state.stacks
            )
            self.state = JointState(g, locals_, stacks)
            self.moves.append(Move(t, choices))
            self.visible += not (silent and t == self.current)
            self.current = t
            return True
        return False

    def _candidates(self, *, silent: bool) -> Iterator[Role]:
        """The threads that may go, in order; on directed walks first those that may be of use.

        When all threads are at the goal, they go on: for deadlocks, to wait.
        """
        aim, t = self.aim, self.current
        if aim is None or not self.directed:
            yield from self.order.threads(t, self.visible, silent=silent)
            return
        rest = list(self.order.threads(t, self.visible, silent=silent))
        if self.is_at_goal():
            yield from sorted(rest, key=lambda u: u not in self.arrived)
            return
        if t is not None and t in rest and self._is_of_use(t, aim):
            rest.remove(t)
            rest.insert(0, t)
        rest.sort(key=lambda u: (u not in self.let_in, u not in self.leaving))
        useful = next((u for u in rest if self._is_of_use(u, aim)), None)
        if useful is not None:
            yield useful
        yield from (u for u in rest if u != useful)

    def _is_of_use(self, t: Role, aim: Aim) -> bool:
        """Whether a thread may reach a place that no thread has taken."""
        if t in self.arrived:
            return False
        system = self.system
        frames = self.state.stacks[t]
        here = system.location(self.state.locals[t])
        edges = system.program.edges
        behind = (edges[frame.call].target for frame in frames)
        return aim.leads((here, *behind), self.arrived.values())

    def _helps_less(self, l: Any, after: Any, *, same_stack: bool) -> bool:
        """Whether a thread waits, and a step of another one reduced what that one can end."""
        if not self.deadlocks or not self.blocked:
            return False
        pattern = self.deadlocks[0]
        assert isinstance(pattern, DeadlockPattern)
        return not same_stack or pattern.helps(l) != pattern.helps(after)

    def _chosen(self, options: list[_Option]) -> _Option:
        """One of the steps; first where it leads, so that rare inputs have a chance.

        Most often on to where most is left to do: errors end many a program before it begins.
        """
        by_target: dict[LocId, list[_Option]] = {}
        for option in options:
            by_target.setdefault(self.system.location(option[2]), []).append(option)
        if len(by_target) > 1 and self.aim is not None and self.lots.happens(PERSEVERANCE):
            return self.lots.pick(by_target[min(by_target, key=self.aim.distance)])
        if len(by_target) > 1 and self.lots.happens(PERSEVERANCE):
            return self.lots.pick(by_target[max(by_target, key=self.outlook.__getitem__)])
        return self.lots.pick(self.lots.pick(list(by_target.values())))

    def _is_lost(self, option: _Option) -> bool:
        """Whether a step ends all runs without violating what is asked for."""
        failure = self.system.program.locations[self.system.location(option[2])].failure
        return failure is not None and failure.property not in self.asked

    def _options(self, t: Role) -> list[_Option]:
        system = self.system
        g, l, stack = self.state.g, self.state.locals[t], self.state.stacks[t]
        found: list[_Option] = [
            (step.choices, step.g, step.l, stack) for step in self.drawn.steps(t, g, l)
        ]
        for push in system.push(t, g, l):
            if len(stack) < self.task.options.max_depth:
                found.append(((push.choice,), g, push.l, (*stack, push.frame)))
        if stack:
            for pop in system.pop(t, g, l, stack[-1]):
                found.append(((pop.choice,), g, pop.l, stack[:-1]))
        return found
