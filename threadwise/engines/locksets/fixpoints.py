"""The smallest claims that satisfy the rules, by iteration.

Memory comes first: sets only grow, and become "anything" when they get large. Then knowledge,
template by template: paths that hold the same locks and started the same threads are joined, where
a thread keeps what it knows on both; where threads are started or joined, different values of
counters are not joined as long as they are few, so that loops are unrolled, and neither are paths
through an atomic region. Nor are, as long as they are few, paths on which a thread owns other
objects: what was published on one of them only may be told by a flag.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property
from heapq import heappop, heappush
from operator import is_

from threadwise.analyses.graphs import visiting_ranks
from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.engines.locksets.going_on import Changes
from threadwise.engines.locksets.joining import joined
from threadwise.engines.locksets.needed import Needed
from threadwise.ir.expr import (
    Binary,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts, root
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.ir.types import (
    IntType,
    MachineType,
    PointerType,
    RangeType,
    is_scalar,
)
from threadwise.ir.writes import written
from threadwise.proofs.locksets.certificate import Discipline
from threadwise.proofs.locksets.entailment import implies
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge, is_own
from threadwise.proofs.locksets.memory.cells import Target, is_site, leaves
from threadwise.proofs.locksets.memory.contents import Memory
from threadwise.proofs.locksets.order import ORDERS
from threadwise.proofs.locksets.step import Steps
from threadwise.proofs.locksets.threads.creation import Threads, joined_threads
from threadwise.proofs.locksets.tokens import companion, mutex_groups

MUCH = 8
"""With so many facts, a step takes twice as long."""
MOST_CASES = 24
"""How many locksets, and so on, are distinguished at a location."""
MOST_OWNERS = 6
"""How many cases there may be if what is owned is distinguished as well."""


def numbers_of(memory: Memory) -> dict[Target, Discipline]:
    """Cells that may serve as locks, to begin with: synchronising steps write them."""
    found: dict[Target, Discipline] = {}
    begins: defaultdict[Target, set[object]] = defaultdict(set)
    for target, values in memory.initial():
        begins[target] |= {None} if values is None else values
    for procedure in memory.objects.program.procedures:
        for edge in procedure.edges:
            for place, _ in written(edge):
                if not edge.sync or is_own(place) or not _is_number(place):
                    continue
                for cell in memory.targets(place, procedure.name):
                    kind = _discipline(memory, cell, place)
                    if found.get(cell, kind) is kind and begins[cell] <= kind.beginnings:
                        found[cell] = kind
    return found


def frozen_of(memory: Memory, threads: Threads) -> frozenset[Target]:
    """Cells that may be frozen, to begin with.

    These are scalar variables and pointers in memory, and numbers in memory that only first
    threads write: others are seldom written only before publication, and each wrong candidate
    costs another iteration.
    """
    objects = memory.objects
    ground = Ground(memory, threads)
    return frozenset(
        cell
        for name, held in objects.types.items()
        if not name.endswith("@")
        for cell, scalar in ((Target(name, n), scalar) for n, scalar in enumerate(leaves(held)))
        if is_scalar(held)
        or isinstance(scalar, PointerType)
        or (isinstance(scalar, MachineType) and ground.is_written_by_firsts(cell))
    )


def given_of(memory: Memory, threads: Threads) -> dict[str, str]:
    """Templates that may get an object of their own, to begin with: one site is passed to them."""
    found: dict[str, str] = {}
    for template, names in threads.arguments.items():
        objects = _passed(template, memory, threads) if len(names) == 1 else frozenset()
        if len(objects) == 1 and _are_sites(objects):
            (found[template],) = objects
    return found


def numbered_of(memory: Memory, threads: Threads) -> frozenset[str]:
    """Templates whose threads may have numbers, or objects that differ, to begin with.

    First threads start them, or they get pointers to the heap only.
    """
    program = threads.program
    firsts = {t.name for t in program.templates if threads.is_first(t)}
    pools = (t.name for t in program.templates if t.pool)
    return frozenset(
        name
        for name in pools
        if len(threads.arguments[name]) == 1
        and (threads.starters[name] <= firsts or _are_sites(_passed(name, memory, threads)))
    )


def indexed_of(memory: Memory, threads: Threads) -> frozenset[Target]:
    """Candidates for cells that hold the numbers of their elements: `jobs[i].id = i`."""
    if not any(threads.arguments.values()):
        return frozenset()
    found: set[Target] = set()
    for procedure in threads.program.procedures:
        for edge in procedure.edges:
            for place, value in written(edge):
                if not is_own(place) and value is not None and _index(place) == value:
                    found |= set(memory.targets(place, procedure.name))
    return frozenset(found)


def _index(place: Place) -> Expr | None:
    """The innermost index of a place."""
    while isinstance(place, FieldPlace):
        place = place.base
    return place.index if isinstance(place, IndexPlace) else None


def _passed(template: str, memory: Memory, threads: Threads) -> frozenset[str]:
    """The objects that arguments of threads point to."""
    (name,) = threads.arguments[template]
    values = memory.values.get(Target(name, 0)) or frozenset()
    return frozenset(value.object for value in values if isinstance(value, Target))


def _are_sites(objects: frozenset[str]) -> bool:
    return bool(objects) and all(map(is_site, objects))


def _is_number(place: Place) -> bool:
    base = root(place)
    pool = isinstance(base, VariablePlace) and base.variable.sync
    return not pool and isinstance(place.type, MachineType | RangeType | IntType)


def _discipline(memory: Memory, cell: Target, place: Place) -> Discipline:
    groups = mutex_groups(d.variable for d in memory.objects.program.globals)
    if companion(place, groups) is not None:
        return Discipline.READERS
    constant = memory.values.get(cell, frozenset()) is not None
    return Discipline.FLAG if constant else Discipline.SEMAPHORE


@dataclass
class Reached:
    """What threads know where, so far."""

    program: Program
    steps: Steps
    tick: Callable[[], object]
    rounds: int
    """How many values of counters are distinguished at a location; with 0, numbers of threads that
    were started are not distinguished either."""
    cases: defaultdict[LocId, dict[Hashable, Knowledge]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    coarse: defaultdict[LocId, int] = field(default_factory=lambda: defaultdict(int))
    """How much is put together at a location: nothing, counters, what is owned, or everything."""
    pending: list[tuple[int, int, LocId, Hashable]] = field(default_factory=list)
    """A heap: what leads to other locations comes before these, but for loops."""
    waiting: set[tuple[LocId, Hashable]] = field(default_factory=set)
    _added: int = 0
    needed: Needed | None = None
    """What of it is kept; None: all of it."""
    most: int = MOST_CASES
    """How many cases are distinguished at a location."""
    goes_on: bool = False
    """Whether it began with what was known by stronger claims."""
    weakened: bool = False
    """Whether a thread was found to know less since then."""

    def go_on(self, before: Reached, changes: Changes | None) -> None:
        """Begin with what threads knew by stronger claims: they know less now, and no more.

        The steps are taken again that may lead to less, or all of them, and what follows from less
        replaces what it weakens. A case that is not reached any more stays, unless a weaker one
        covers it: to claim it is allowed, and shows no more accesses than the weaker one does.
        """
        self.goes_on = True
        self.coarse.update(before.coarse)
        gives = bool(self.steps.ground.given)
        for location, cases in before.cases.items():
            name, edges = self.program.procedure_of[location].name, self.program.outgoing[location]
            for key, case in cases.items():
                kept = case if gives or not case.lost else replace(case, lost=frozenset())
                self.cases[location][key] = kept
                if changes is None or changes.concern(edges, kept, name):
                    self._add(location, key)

    def look_again(self) -> None:
        """All steps are to be taken again."""
        self.goes_on, self.weakened = True, False
        for location, cases in self.cases.items():
            for key in cases:
                self._add(location, key)

    def begin(self, location: LocId, knowledge: Knowledge) -> Iterator[None]:
        """A thread may begin here, knowing this; step by step."""
        self._reach(location, knowledge)
        yield from self._run()

    def _run(self) -> Iterator[None]:
        while self.pending:
            *_, location, key = heappop(self.pending)
            self.waiting.discard((location, key))
            knowledge = self.cases[location].get(key)
            if knowledge is None:
                continue
            procedure = self.program.procedure_of[location]
            much = len(knowledge.known) + len(knowledge.facts) + len(knowledge.homes)
            for edge in self.program.outgoing[location]:
                for _ in range(1 + much // MUCH):
                    self.tick()
                    yield
                bounds = self._bounds(edge)
                for target, after in self.steps.after(edge, knowledge, procedure):
                    self._reach(target, _with_bounds(after, bounds))

    def _bounds(self, edge: Edge) -> Sequence[tuple[Place, Expr]]:
        """The conditions of an edge that compare a number with a counter that it does not write.

        As long as the counter has one value, these are not learned; they are what is left of
        several values.
        """
        if edge.id not in self._compared:
            targets = {target for target, _ in written(edge)}
            self._compared[edge.id] = [
                (counter, part)
                for part in conjuncts(edge.action.guard)
                for counter in _counters(part)
                if counter not in targets
            ]
        return self._compared[edge.id]

    @cached_property
    def _compared(self) -> dict[EdgeId, list[tuple[Place, Expr]]]:
        return {}

    def _reach(self, location: LocId, knowledge: Knowledge) -> None:
        if self.needed is not None:
            knowledge = self.needed.of(location, knowledge)
        cases = self.cases[location]
        if any(implies(knowledge, case) for case in cases.values()):
            return
        key = self._key(location, knowledge)
        before = cases.get(key)
        cases[key] = knowledge if before is None else joined(before, knowledge)
        if self.goes_on:
            self.weakened = True
            covered = [k for k, c in cases.items() if k != key and implies(c, cases[key])]
            for each in covered:
                del cases[each]
        self._add(location, key)
        limit = (self.rounds or self.most, self._most_owners(location), self.most)
        if self.coarse[location] < len(limit) and len(cases) > limit[self.coarse[location]]:
            self.coarse[location] += 1
            self._put_together(location)

    def _most_owners(self, location: LocId) -> int:
        """In procedures that are called, what callers own is always distinguished."""
        called = self.program.procedure_of[location].name in self.steps.threads.called
        return self.most if called or not self.rounds else min(MOST_OWNERS, self.most)

    def _put_together(self, location: LocId) -> None:
        old = list(self.cases[location].values())
        cases: dict[Hashable, Knowledge] = {}
        for knowledge in old:
            key = self._key(location, knowledge)
            cases[key] = joined(cases[key], knowledge) if key in cases else knowledge
        self.cases[location] = cases
        for key in cases:
            self._add(location, key)

    def _add(self, location: LocId, key: Hashable) -> None:
        if (location, key) not in self.waiting:
            self.waiting.add((location, key))
            self._added += 1
            heappush(self.pending, (self._ranks[location], self._added, location, key))

    @cached_property
    def _ranks(self) -> dict[LocId, int]:
        """The order in which locations are visited."""
        return visiting_ranks(self.program)

    @cached_property
    def _counting(self) -> frozenset[LocId]:
        """Locations of first threads from where one may start or join others."""
        found: set[LocId] = set()
        threads = self.steps.threads
        for template in self.program.templates:
            if threads.is_first(template):
                edges = self.program.procedure[template.body].edges
                found |= {e.source for e in edges if e.id in threads.starts}
                found |= {e.source for e in edges if any(joined_threads(e.action.guard))}
                changed = True
                while changed:
                    more = {e.source for e in edges if e.target in found} - found
                    found |= more
                    changed = bool(more)
        return frozenset(found)

    def _key(self, location: LocId, knowledge: Knowledge) -> Hashable:
        if location not in self._counting and not self.program.locations[location].atomic:
            self.coarse[location] = max(self.coarse[location], 1)
        if self.coarse[location] > 2:
            return (knowledge.identity, knowledge.template)
        if self.program.procedure_of[location].name in self.steps.threads.called:
            return self._context(knowledge)
        if not self.rounds:
            return (knowledge.held, knowledge.fresh, knowledge.identity)
        if self.coarse[location]:
            running = frozenset(event.edge for event in knowledge.running)
            owned = frozenset(knowledge.owned) if self.coarse[location] == 1 else frozenset()
            return (knowledge.held, knowledge.fresh, running, knowledge.identity, owned)
        started = frozenset(knowledge.started.items())
        case = (knowledge.held, knowledge.fresh, started, knowledge.running, knowledge.identity)
        constants = frozenset(
            (place, value) for place, value in knowledge.known.items() if _is_constant(value)
        )
        return (case, constants, knowledge.facts)

    def _context(self, knowledge: Knowledge) -> Hashable:
        """Callers differ in what they hold and own, and which threads run: each is followed."""
        running = frozenset(event.edge for event in knowledge.running)
        owned = frozenset(knowledge.owned.items())
        who = knowledge.identity, knowledge.template
        return (knowledge.held, knowledge.fresh, who, owned, running)

    def result(self) -> dict[LocId, Sequence[Knowledge]]:
        """What is known at each location, without what follows from the rest."""
        return {
            location: self._least(location, list(cases.values()))
            for location, cases in sorted(self.cases.items())
            if cases
        }

    def _least(self, location: LocId, cases: list[Knowledge]) -> list[Knowledge]:
        """The weakest of some cases, as before if these are the same."""
        before = self._told.get(location)
        if before is None or len(before[0]) != len(cases) or not all(map(is_, before[0], cases)):
            self._told[location] = cases, _weakest(cases)
        return self._told[location][1]

    @cached_property
    def _told(self) -> dict[LocId, tuple[list[Knowledge], list[Knowledge]]]:
        return {}


def _counters(condition: Expr) -> Iterator[Place]:
    """The variable of a thread that a condition compares with a number."""
    match condition:
        case Binary(op, Read(place), Const(int(), _)) if op in ORDERS and is_own(place):
            yield place
        case _:
            pass


def _with_bounds(after: Knowledge, bounds: Sequence[tuple[Place, Expr]]) -> Knowledge:
    """What is known after an edge, with conditions that follow from the values of counters."""
    told = {part for place, part in bounds if isinstance(after.known.get(place), Const)}
    return after if told <= after.facts else replace(after, facts=after.facts | told)


def _weakest(cases: list[Knowledge]) -> list[Knowledge]:
    kept: list[Knowledge] = []
    for position, case in enumerate(cases):
        covered = any(implies(case, other) for other in kept) or any(
            implies(case, other) and not implies(other, case) for other in cases[position + 1 :]
        )
        if not covered:
            kept.append(case)
    return kept


def _is_constant(value: Expr) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int)
