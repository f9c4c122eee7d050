"""What one thread can do in a number of steps.

A *slot* is one step of a thread, whichever it takes: of the *ways* on from the points where the
thread may be it takes at most one, and if it takes none it stops there for good. A *point* is a
location below a string of calls. What the thread's variables are at a point is a case distinction
over the ways that lead there. The shared variables that a slot starts with are constants of its
own; `ordering` says what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from threadwise.backends.smt.handle import Term
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Edge, EdgeId, LocId
from threadwise.proofs.toolbox.paths import steps_from
from threadwise.proofs.toolbox.smt.edges import Steps
from threadwise.proofs.toolbox.smt.environments import Environment, Store, store_terms


@dataclass(frozen=True)
class Point:
    """Where a thread is: the calls it is inside of, and a location."""

    calls: tuple[EdgeId, ...]
    location: LocId


@dataclass(frozen=True)
class Standing:
    """A thread at a point: whether it is there, its variables if so, and those of its callers."""

    at: Term
    own: Store
    frames: tuple[Store, ...] = ()


@dataclass(frozen=True)
class Way:
    """A step that a slot may take, and what is then."""

    edges: tuple[Edge, ...]
    taken: Term
    condition: Term
    """What has to hold where it is taken."""
    target: Point
    own: Store
    frames: tuple[Store, ...]
    shared: Store
    chosen: tuple[tuple[Term, ...], ...] = ((),)
    """Per edge, the constants for what its havocs choose."""


@dataclass(frozen=True)
class Slot:
    """One step of a thread, whichever it takes."""

    thread: int
    number: int
    inputs: tuple[Term, ...]
    """The shared cells that it starts with."""
    ways: tuple[Way, ...]
    executed: Term
    writes: dict[int, Term] = field(default_factory=dict)
    """The shared cells that it may write, with what they are after it."""
    reads: frozenset[int] = frozenset()
    """The shared cells whose values matter to it."""


class Unrolling:
    """The slots of one thread."""

    def __init__(self, steps: Steps, thread: int, template: str) -> None:
        self.steps = steps
        self.logic = steps.logic
        self.program = steps.encoder.program
        self.environments = steps.encoder.environments
        self.thread = thread
        self.template = template
        self.slots: list[Slot] = []
        self.constraints: list[Term] = []
        entry = self.program.procedure[self.program.template[template].body].entry
        own = self.environments.initial_own(template)
        self._active = {Point((), entry): Standing(self.logic.true, own)}
        """Where the thread is if it took a way in each slot so far."""
        self._rested: list[tuple[Point, Standing]] = []
        self._listed = cache(lambda location: steps_from(self.program, location))

    def environment(self, point: Point, standing: Standing, shared: Store) -> Environment:
        """What the thread sees at a point."""
        me = self.logic.integer(self.thread)
        return Environment(shared, standing.own, me, self.template, point.location)

    def extend(self) -> bool:
        """Add a slot; False if there is nothing more that the thread can do."""
        number = len(self.slots)
        shared = self.environments.shared(f"t{self.thread}.{number}.")
        ways: list[Way] = []
        for point, standing in self._active.items():
            for way in self._ways(point, standing, shared, len(ways)):
                ways.append(way)
                there = self.logic.conjunction([standing.at, way.condition])
                self.constraints.append(self.logic.implication(way.taken, there))
        if not ways:
            return False
        taken = [way.taken for way in ways]
        executed = self.logic.constant(f"t{self.thread}.{number}?", self.logic.boolean_sort)
        self.constraints.append(self.logic.equal(executed, self.logic.disjunction(taken)))
        self._exclude_each_other(taken, number)
        slot = Slot(self.thread, number, tuple(store_terms(shared)), tuple(ways), executed)
        if self.slots:
            earlier = self.slots[-1].executed
            self.constraints.append(self.logic.implication(executed, earlier))
        self.slots.append(self._with_effect(slot))
        rests = self.logic.negation(executed)
        for point, standing in self._active.items():
            stays = self.logic.conjunction([standing.at, rests])
            self._rested.append((point, Standing(stays, standing.own, standing.frames)))
        self._active = self._merged(
            [(way.target, Standing(way.taken, way.own, way.frames)) for way in ways]
        )
        return True

    def standing(self) -> dict[Point, Standing]:
        """Where the thread is after the last slot."""
        return self._merged([*self._rested, *self._active.items()])

    # -- ways -------------------------------------------------------------------------------------

    def _ways(self, point: Point, standing: Standing, shared: Store, first: int) -> Iterator[Way]:
        """The ways on from a point, numbered from `first` on without gaps: no two share one."""
        before = self.environment(point, standing, shared)
        name = f"t{self.thread}.{len(self.slots)}"
        for path in self._listed(point.location):
            taken = self.logic.constant(f"{name}:{first}", self.logic.boolean_sort)
            first += 1
            step = self.steps.take(path, before)
            target = Point(point.calls, path.target)
            after = step.after
            yield Way(
                path.edges, taken, step.condition, target, after.own, standing.frames,
                after.shared, step.chosen,
            )  # fmt: skip
        firing = self.steps.firing
        for edge in self.program.outgoing[point.location]:
            if isinstance(edge.action, Call):
                fired = firing.enter(edge, before)
                entry = self.program.procedure[edge.action.procedure].entry
                target = Point((*point.calls, edge.id), entry)
                frames = (*standing.frames, standing.own)
            elif isinstance(edge.action, Return) and point.calls:
                call = self.program.edges[point.calls[-1]]
                fired = firing.leave(call, edge, standing.frames[-1], before)
                target = Point(point.calls[:-1], call.target)
                frames = standing.frames[:-1]
            else:
                continue
            taken = self.logic.constant(f"{name}:{first}", self.logic.boolean_sort)
            first += 1
            yield Way((edge,), taken, fired.condition, target, fired.after.own, frames, shared)

    def _exclude_each_other(self, taken: Sequence[Term], number: int) -> None:
        """At most one is taken: once one is, none that comes later."""
        passed = self.logic.false
        for position, way in enumerate(taken):
            both = self.logic.conjunction([passed, way])
            self.constraints.append(self.logic.negation(both))
            name = f"t{self.thread}.{number}/{position}"
            after = self.logic.constant(name, self.logic.boolean_sort)
            either = self.logic.disjunction([passed, way])
            self.constraints.append(self.logic.implication(either, after))
            passed = after

    def _with_effect(self, slot: Slot) -> Slot:
        """The slot with the cells that it writes, and those whose values matter."""
        after = [list(store_terms(way.shared)) for way in slot.ways]
        writes: dict[int, Term] = {}
        used: list[Term] = []
        for cell, before in enumerate(slot.inputs):
            result = before
            for way, terms in zip(slot.ways, after, strict=True):
                if not self.logic.same(terms[cell], before):
                    result = self.logic.choice(way.taken, terms[cell], result)
            if not self.logic.same(result, before):
                writes[cell] = result
                used.append(result)
        for way in slot.ways:
            used.append(way.condition)
            for store in (way.own, *way.frames):
                used.extend(store_terms(store))
        seen = {part.get_id() for term in used for part in self.logic.constants(term)}
        reads = frozenset(c for c, term in enumerate(slot.inputs) if term.get_id() in seen)
        return Slot(slot.thread, slot.number, slot.inputs, slot.ways, slot.executed, writes, reads)

    # -- points -----------------------------------------------------------------------------------

    def _merged(self, arrivals: Sequence[tuple[Point, Standing]]) -> dict[Point, Standing]:
        """The points at the end of some ways, one of which is taken."""
        found: dict[Point, Standing] = {}
        for point, arrived in arrivals:
            known = found.get(point)
            found[point] = arrived if known is None else self._either(arrived, known)
        return found

    def _either(self, one: Standing, other: Standing) -> Standing:
        def store(first: Store, second: Store) -> Store:
            values = self.environments.values
            return {v: values.choice(one.at, value, second[v]) for v, value in first.items()}

        frames = zip(one.frames, other.frames, strict=True)
        return Standing(
            self.logic.disjunction([one.at, other.at]),
            store(one.own, other.own),
            tuple(store(a, b) for a, b in frames),
        )
