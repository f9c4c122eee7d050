"""Steps of a concrete program, drawn at random instead of enumerated.

A step through an atomic region with a few inputs has thousands of outcomes; a single run needs
one of them. Here values of inputs are drawn one by one, and a region is traversed once or a few
times, not in all ways. What is drawn is a step of `ConcreteSystem`; if there is one, one is drawn,
except in regions where hardly any value leads on.

    edge       the values of its havocs, drawn; nothing where its guard is false
    habits     in some runs inputs mostly have one of a few values: texts that are equal, the same
               key twice
    telling    values of runs that reached a new location are drawn again, half of the time
    compared   constants that guards compare something with are drawn more often
    region     depth first through states inside, in random order; a state that the path has passed
               is not visited again, and dead ends are backtracked
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, islice, product
from typing import NamedTuple

from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import Binary, BinaryOp, Const
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    is_shared,
    mentions_shared,
    subexpressions,
)
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.types import Value
from threadwise.semantics.big_steps import ATOMIC_STEP_LIMIT
from threadwise.semantics.state import Choice
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.memory_code import NoAddress, TooLarge
from threadwise.systems.python_code import Global, Local

Input = tuple[EdgeId, int]
"""Which of the havocs of an edge."""
Below = Callable[[int], int]
"""A number from 0 on, below the one given."""
Access = tuple[int, bool, bool]
"""A shared cell, whether it is written, and whether the access synchronises."""

DRAWS = 4
"""So often a region is gone through where that may lead to different places."""
TRIES = 6
"""So many values of an input are drawn before all are listed."""
HABIT = 4
"""In a run with habits, one in so many inputs is any value all the same."""
TELLING = 4
"""So many values of an input are kept of a run that came to new places."""
MANY = 8
"""Of fewer values all are drawn alike."""
COMPARED = 3
"""One in so many inputs is a constant that some guard asks for."""
PATIENCE = 3_000
"""After so many states inside a region the search for a way out is given up."""


class Drawn(NamedTuple):
    """A step: its choices, and the stores after it."""

    choices: tuple[Choice, ...]
    g: Global
    l: Local


class DrawnSteps:
    """Draws steps of a system."""

    def __init__(self, system: ConcreteSystem, below: Below) -> None:
        self.system = system
        self.below = below
        self.habits = 0
        """How many values an input mostly has; 0: any."""
        self._usual: dict[Input, list[Value]] = {}
        self._given: dict[Input, dict[Value, None]] = {}
        """What inputs were given in this run."""
        self._telling: dict[Input, list[Value]] = {}
        """What they were given in runs that came to new places."""
        self._asked_for = _compared_constants(system.program)
        self._decisive: dict[tuple[Value, ...], tuple[Value, ...]] = {}
        """Of the values of an input those that guards ask for."""
        program = system.program
        self._atomic = [location.atomic for location in program.locations]
        self._commands = system.commands
        self._silent = [
            all(
                isinstance(edge.action, Command)
                and not self._atomic[edge.target]
                and program.locations[edge.target].failure is None
                and not _is_about_shared(edge.action)
                for edge in out
            )
            for out in program.outgoing
        ]

    def begin(self, below: Below, habits: int) -> None:
        """Another run."""
        self.below = below
        self.habits = habits
        self._usual = {}
        self._given = {}

    def is_atomic(self, at: LocId) -> bool:
        """Whether a location is inside a region."""
        return self._atomic[at]

    def is_silent(self, at: LocId) -> bool:
        """Whether steps from a location touch nothing that is shared, and end no run."""
        return self._silent[at]

    # -- steps -----------------------------------------------------------------------------------

    def steps(self, t: Role, g: Global, l: Local) -> list[Drawn]:
        """Some steps of a thread, at least one where there is one."""
        found: list[Drawn] = []
        for edge in self._commands[self.system.location(l)]:
            if self._atomic[edge.target]:
                found.extend(self._through(t, edge, Drawn((), g, l)))
            else:
                found.extend(islice(self.extended(t, edge, Drawn((), g, l)), 1))
        return found

    def _through(self, t: Role, edge: Edge, start: Drawn) -> Iterator[Drawn]:
        """Ways through a region that an edge leads into."""
        for _ in range(DRAWS):
            descent = _Descent(self, t, edge, start)
            end = descent.run()
            if end is not None:
                yield end
            if not descent.chose:
                return

    def successors(self, t: Role, before: Drawn) -> tuple[Iterator[Drawn], bool]:
        """The states after one edge more in drawn order, and whether there may be several."""
        edges = self._commands[self.system.location(before.l)]
        if len(edges) == 1 and not has_inputs(edges[0]):
            return self.extended(t, edges[0], before), False
        inputs = [edge for edge in edges if has_inputs(edge)]
        plain = (edge for edge in edges if edge not in inputs)
        found = [each for edge in plain for each in self.extended(t, edge, before)]
        if not inputs and len(found) <= 1:
            return iter(found), False
        ways: list[Iterator[Drawn]] = [iter((each,)) for each in found]
        ways += [self.extended(t, edge, before) for edge in inputs]
        start = self.below(len(ways))
        return chain.from_iterable(ways[start:] + ways[:start]), True

    def extended(self, t: Role, edge: Edge, before: Drawn) -> Iterator[Drawn]:
        """The states after an edge; none if it has no meaning here, or takes too much memory."""
        with suppress(NoAddress, TooLarge):
            for choice, after, moved in self._fired(t, edge, before.g, before.l):
                yield Drawn((*before.choices, choice), after, moved)

    def _fired(
        self, t: Role, edge: Edge, g: Global, l: Local
    ) -> Iterator[tuple[Choice, Global, Local]]:
        """What an edge does, for drawn values first, then for all."""
        code = self.system.code[t]
        fire = code.fire(edge)
        if not has_inputs(edge):
            for values, after, moved in fire(t, g, l):
                yield Choice(edge.id, values), after, moved
            return
        domains = code.domains(edge)
        for values in chain(self._values(edge.id, domains), product(*domains)):
            fired = fire(t, g, l, (values,))
            if not fired:
                return
            yield Choice(edge.id, values), fired[0][1], fired[0][2]

    def _values(
        self, edge: EdgeId, domains: list[tuple[Value, ...]]
    ) -> Iterator[tuple[Value, ...]]:
        for _ in range(TRIES):
            yield tuple(self._drawn((edge, n), domain) for n, domain in enumerate(domains))

    def _drawn(self, at: Input, domain: tuple[Value, ...]) -> Value:
        """A value; in a run with habits mostly one that the input had before."""
        if not self.habits or self.below(HABIT) == 0:
            return self._fresh(at, domain)
        usual = self._usual.setdefault(at, [])
        if len(usual) < self.habits:
            usual.append(self._fresh(at, domain))
            return usual[-1]
        return usual[self.below(len(usual))]

    def _fresh(self, at: Input, domain: tuple[Value, ...]) -> Value:
        """Any value, as often one that led somewhere new."""
        known = self._telling.get(at)
        if known and self.below(2):
            found = known[self.below(len(known))]
            if found in domain:
                return found
        if domain not in self._decisive:
            self._decisive[domain] = tuple(v for v in domain if v in self._asked_for)
        decisive = self._decisive[domain]
        if len(domain) > MANY and decisive and self.below(COMPARED) == 0:
            domain = decisive
        found = domain[self.below(len(domain))]
        self._given.setdefault(at, {})[found] = None
        return found

    def led_on(self) -> None:
        """The run came to where none was before: its values are worth being drawn again."""
        for at, values in self._given.items():
            known = self._telling.setdefault(at, [])
            known += [value for value in islice(values, TELLING) if value not in known]
            del known[: -4 * TELLING]

    # -- accesses --------------------------------------------------------------------------------

    def accesses(self, t: Role, g: Global, l: Local) -> list[Access]:
        """Shared cells that a thread's next step may touch: of regions, some."""
        at = self.system.location(l)
        if self._silent[at]:
            return []
        found: dict[Access, None] = {}
        for edge in self._commands[at]:
            if not self._atomic[edge.target]:
                self._touch(t, edge, g, l, found)
            else:
                end = _Descent(self, t, edge, Drawn((), g, l)).run()
                if end is not None:
                    self._follow(t, end.choices, g, l, found)
        return list(found)

    def _follow(
        self,
        t: Role,
        choices: tuple[Choice, ...],
        g: Global,
        l: Local,
        found: dict[Access, None],
    ) -> None:
        """What the edges of a step touch."""
        for choice in choices:
            edge = self.system.program.edges[choice.edge]
            self._touch(t, edge, g, l, found)
            given = (choice.values,) if choice.values else None
            _, g, l = self.system.code[t].fire(edge)(t, g, l, given)[0]

    def _touch(self, t: Role, edge: Edge, g: Global, l: Local, found: dict[Access, None]) -> None:
        with suppress(NoAddress):
            for slot, written in self.system.code[t].accesses(edge)(t, g, l) or ():
                sync = edge.sync or self.system.memory.is_sync(g, slot)
                found[slot, written, sync] = None


class _Descent:
    """One way through a region."""

    def __init__(self, steps: DrawnSteps, t: Role, edge: Edge, start: Drawn) -> None:
        self.steps = steps
        self.t = t
        self.edge = edge
        """The one that leads into it."""
        self.start = start
        self.chose = has_inputs(edge)
        """Whether there may be other ways."""
        self.at: dict[LocId, list[Drawn]] = {}
        """The states of the path, by location."""

    def run(self) -> Drawn | None:
        """Where the way leads out; None if none was found."""
        system, atomic = self.steps.system, self.steps.is_atomic
        path = [self.start]
        self.at[system.location(self.start.l)] = [self.start]
        pending = [self.steps.extended(self.t, self.edge, self.start)]
        for _ in range(PATIENCE + ATOMIC_STEP_LIMIT):
            reached = next(pending[-1], None)
            if reached is None:
                pending.pop()
                left = path.pop()
                self.at[system.location(left.l)].pop()
                if not pending:
                    return None
                continue
            location = system.location(reached.l)
            if not atomic(location):
                return reached
            here = self.at.setdefault(location, [])
            if any(reached.l == each.l and reached.g == each.g for each in here):
                continue
            here.append(reached)
            path.append(reached)
            pending.append(self._after(reached))
        return None

    def _after(self, state: Drawn) -> Iterator[Drawn]:
        found, several = self.steps.successors(self.t, state)
        self.chose |= several
        return found


def _is_about_shared(action: Action) -> bool:
    """Whether an action reads or writes shared memory."""
    return any(map(is_shared, action_places(action))) or any(
        map(mentions_shared, action_expressions(action))
    )


def has_inputs(edge: Edge) -> bool:
    """Whether an edge chooses values."""
    return isinstance(edge.action, Command) and bool(edge.action.havocs)


def _compared_constants(program: Program) -> frozenset[Value]:
    """The constants that guards ask for, by equality."""
    return frozenset(
        part.right.value
        for edge in program.edges
        for part in subexpressions(edge.action.guard)
        if isinstance(part, Binary)
        and part.op in (BinaryOp.EQ, BinaryOp.NE)
        and isinstance(part.right, Const)
        and type(part.right.value) is int
    )
