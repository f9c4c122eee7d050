"""What one thread does in a number of steps, as constraints.

A *slot* is one step of a thread, whichever it takes: it has a candidate for each step that is
possible from a point the thread may have reached by then, and selects at most one; a thread that
selects none rests from then on. A *point* is a location below a string of calls. Where several
candidates lead to one point, the thread's variables there are constants, equal to those of the
candidate selected: so paths are merged, and the number of points grows only with the length.

The shared variables that a slot starts with are constants of its own, its *inputs*: `order` says
what they are. Steps in program order are given by the points or, for single paths, by a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from threadwise.backends.smt.environments import Environment, Store, store_terms
from threadwise.backends.smt.fire import Fired
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.steps import Steps
from threadwise.backends.smt.values import Symbolic, terms_of
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import Variable
from threadwise.ir.program import Edge, EdgeId, LocId


@dataclass(frozen=True)
class Point:
    """Where a thread is: the calls it is inside of, and a location."""

    calls: tuple[EdgeId, ...]
    location: LocId


@dataclass(frozen=True)
class Standing:
    """A thread at a point: whether it is there, and its variables if so."""

    at: Term
    own: Store
    frames: tuple[Store, ...] = ()
    """The variables of its callers, the outermost first."""


@dataclass(frozen=True)
class Candidate:
    """A step that a slot may take."""

    edges: tuple[Edge, ...]
    selected: Term
    before: Point
    after: Point
    condition: Term
    own: Store
    frames: tuple[Store, ...]
    shared: Store
    chosen: tuple[tuple[Symbolic, ...], ...]


@dataclass
class Slot:
    """One step of a thread, whichever it takes."""

    thread: int
    number: int
    inputs: Store
    executed: Term
    candidates: tuple[Candidate, ...]
    outputs: dict[int, Term] = field(default_factory=dict)
    """The values of the cells it may write, after it; cells are numbered as in `inputs`."""
    reads: frozenset[int] = frozenset()
    """The cells whose values before it matter."""


Way = tuple[Term, Store, tuple[Store, ...]]
"""A way to a point: whether it is taken, and the thread's variables if so."""

Choose = Callable[[Point, int], Sequence[tuple[Edge, ...]]]
"""The steps in program order from a point at a slot, calls and returns included."""


class Unrolling:
    """The slots of one thread."""

    def __init__(self, steps: Steps, thread: int, template: str, choose: Choose) -> None:
        self.steps = steps
        self.logic = steps.logic
        self.environments = steps.encoder.environments
        self.program = steps.encoder.program
        self.thread = thread
        self.template = template
        self.choose = choose
        self.constraints: list[Term] = []
        self.slots: list[Slot] = []
        entry = self.program.procedure[self.program.template[template].body].entry
        own = self.environments.initial_own(template)
        self.active: dict[Point, Standing] = {Point((), entry): Standing(self.logic.true, own)}
        """Where the thread is if all slots so far are executed."""
        self._rests: list[tuple[Point, Term, Standing]] = []
        self.standing: dict[Point, Standing] = {}
        """Where the thread is in the end."""
        self._me = self.logic.integer(thread)
        self.is_finished = False
        """Whether there is nothing more that the thread can do."""

    def environment(self, point: Point, standing: Standing, shared: Store) -> Environment:
        """What the thread sees at a point."""
        return Environment(shared, standing.own, self._me, self.template, point.location)

    # -- one more slot ----------------------------------------------------------------------------

    def extend(self) -> Slot | None:
        """Add a slot; None if there is nothing more that the thread can do."""
        number = len(self.slots)
        name = f"t{self.thread}.{number}"
        inputs = self.environments.shared(f"{name}.")
        candidates = tuple(self._candidates(name, inputs))
        if not candidates:
            self.is_finished = True
            return None
        logic = self.logic
        executed = logic.constant(f"{name}?", logic.boolean_sort)
        slot = Slot(self.thread, number, inputs, executed, candidates)
        selected = [candidate.selected for candidate in candidates]
        self.constraints.append(executed == logic.disjunction(selected))
        self.constraints.extend(self._at_most_one(selected, name))
        for candidate in candidates:
            there = self.active[candidate.before].at
            needed = logic.conjunction([there, candidate.condition])
            self.constraints.append(logic.implication(candidate.selected, needed))
        if self.slots:
            self.constraints.append(logic.implication(executed, self.slots[-1].executed))
        self._write(slot)
        self._move(slot, name)
        self.slots.append(slot)
        return slot

    def _at_most_one(self, selected: Sequence[Term], name: str) -> Iterator[Term]:
        """A ladder: once one is selected, none that comes later is."""
        logic = self.logic
        earlier = selected[0]
        for number, candidate in enumerate(selected[1:], start=1):
            yield logic.implication(earlier, logic.negation(candidate))
            if number < len(selected) - 1:
                step = logic.constant(f"{name}/{number}", logic.boolean_sort)
                yield logic.implication(logic.disjunction([earlier, candidate]), step)
                earlier = step

    def _candidates(self, name: str, inputs: Store) -> Iterator[Candidate]:
        number = len(self.slots)
        for point, standing in self.active.items():
            before = self.environment(point, standing, inputs)
            for edges in self.choose(point, number):
                taken = self._take(edges, before, point, standing)
                if taken is not None:
                    label = "-".join(str(edge.id) for edge in edges)
                    mark = ".".join(map(str, (*point.calls, label)))
                    selected = self.logic.constant(f"{name}:{mark}", self.logic.boolean_sort)
                    yield replace(taken, selected=selected)

    def _take(
        self, edges: tuple[Edge, ...], before: Environment, point: Point, standing: Standing
    ) -> Candidate | None:
        action = edges[0].action
        firing = self.steps.firing
        if isinstance(action, Call):
            entered = firing.enter(edges[0], before)
            callee = self.program.procedure[action.procedure]
            inside = Point((*point.calls, edges[0].id), callee.entry)
            frames = (*standing.frames, before.own)
            return self._candidate(edges, entered, point, inside, frames)
        if isinstance(action, Return):
            if not point.calls:
                return None
            call = self.program.edges[point.calls[-1]]
            left = firing.leave(call, edges[0], standing.frames[-1], before)
            outside = Point(point.calls[:-1], call.target)
            return self._candidate(edges, left, point, outside, standing.frames[:-1])
        condition: list[Term] = []
        chosen: list[tuple[Symbolic, ...]] = []
        env = before
        for edge in edges:
            fired = firing.fire(edge, env)
            condition.extend(fired.terms)
            chosen.append(fired.chosen)
            env = fired.after
        after = Point(point.calls, edges[-1].target)
        return Candidate(
            edges,
            self.logic.false,
            point,
            after,
            self.logic.conjunction(condition),
            env.own,
            standing.frames,
            env.shared,
            tuple(chosen),
        )

    def _candidate(
        self,
        edges: tuple[Edge, ...],
        fired: Fired,
        before: Point,
        after: Point,
        frames: tuple[Store, ...],
    ) -> Candidate:
        env = fired.after
        return Candidate(
            edges,
            self.logic.false,
            before,
            after,
            fired.guard,
            env.own,
            frames,
            env.shared,
            ((),),
        )

    # -- what it writes and where it leads --------------------------------------------------------

    def _write(self, slot: Slot) -> None:
        """The outputs of a slot, and the cells that it reads."""
        inputs = list(store_terms(slot.inputs))
        after = [list(store_terms(candidate.shared)) for candidate in slot.candidates]
        seen: set[int] = set()
        for k, term in enumerate(inputs):
            if all(terms[k].eq(term) for terms in after):
                continue
            output = self.logic.constant(f"t{slot.thread}.{slot.number}>{k}", term.sort())
            for candidate, terms in zip(slot.candidates, after, strict=True):
                same = self.logic.equal(output, terms[k])
                self.constraints.append(self.logic.implication(candidate.selected, same))
                seen.update(part.get_id() for part in self.logic.constants(terms[k]))
            slot.outputs[k] = output
        for candidate in slot.candidates:
            for term in (candidate.condition, *_own_terms(candidate)):
                seen.update(part.get_id() for part in self.logic.constants(term))
        slot.reads = frozenset(k for k, term in enumerate(inputs) if term.get_id() in seen)

    def _move(self, slot: Slot, name: str) -> None:
        """Where the thread is after a slot, and where it is if that slot is not executed."""
        rests = self.logic.negation(slot.executed)
        for point, standing in self.active.items():
            stays = self.logic.conjunction([standing.at, rests])
            self._rests.append((point, stays, standing))
        arrivals: dict[Point, list[Way]] = {}
        for candidate in slot.candidates:
            arrived = candidate.selected, candidate.own, candidate.frames
            arrivals.setdefault(candidate.after, []).append(arrived)
        self.active = self._arrived(arrivals, name)

    def finish(self) -> None:
        """Assert where the thread is, now that there will be no more slots."""
        arrivals: dict[Point, list[Way]] = {}
        resting = [(p, standing.at, standing) for p, standing in self.active.items()]
        for point, stays, standing in (*self._rests, *resting):
            arrivals.setdefault(point, []).append((stays, standing.own, standing.frames))
        self.standing = self._arrived(arrivals, f"t{self.thread}")

    def _arrived(self, arrivals: Mapping[Point, list[Way]], name: str) -> dict[Point, Standing]:
        """The points that lie at the end of some ways."""
        found: dict[Point, Standing] = {}
        for number, (point, ways) in enumerate(arrivals.items()):
            at = self.logic.constant(f"{name}#{number}", self.logic.boolean_sort)
            self.constraints.append(at == self.logic.disjunction([way for way, _, _ in ways]))
            found[point] = self._merged(at, ways, f"{name}#{number}")
        return found

    def _merged(self, at: Term, ways: Sequence[Way], name: str) -> Standing:
        conditions = [way for way, _, _ in ways]
        own = self._merge(conditions, [store for _, store, _ in ways], name)
        depth = len(ways[0][2])
        frames = tuple(
            self._merge(conditions, [frames[i] for _, _, frames in ways], f"{name}.{i}")
            for i in range(depth)
        )
        return Standing(at, own, frames)

    def _merge(
        self, conditions: Sequence[Term], stores: Sequence[Mapping[Variable, Symbolic]], name: str
    ) -> Store:
        """Constants for what differs between the ways to a point."""
        merged: dict[Variable, Symbolic] = {}
        for variable, first in stores[0].items():
            others = [store[variable] for store in stores]
            if all(_same(first, other) for other in others[1:]):
                merged[variable] = first
                continue
            fresh = self.environments.shapes.constants(variable.type, f"{name}.{variable.name}")
            values = self.environments.values
            for condition, value in zip(conditions, others, strict=True):
                equal = values.equal(fresh, value)
                self.constraints.append(self.logic.implication(condition, equal))
            merged[variable] = fresh
        return merged


def _own_terms(candidate: Candidate) -> Iterator[Term]:
    yield from store_terms(candidate.own)
    for frame in candidate.frames:
        yield from store_terms(frame)


def _same(left: Symbolic, right: Symbolic) -> bool:
    return all(a.eq(b) for a, b in zip(terms_of(left), terms_of(right), strict=True))
