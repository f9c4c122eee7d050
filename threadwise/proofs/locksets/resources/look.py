"""What threads own at each location, by separation logic: the least set closed under steps.

A state is a location, one of the cases that locksets know there, and a symbolic heap. Threads
begin with nothing; the first one with the units of global variables that are not as claimed yet.
Every step that is possible by locksets leads to a state of the set again (`...resources.effects`),
and nothing is done that the claim excludes.

Why it is sound: these are proofs of concurrent separation logic (O'Hearn 2007, Brookes 2007),
found by symbolic execution. In every state of a run, memory of tracked sites, and the slots, can
be divided into what each thread owns, the units of each lock that no thread opened, and what is
lost: parts have no object in common. A thread opens a unit only with a right: it holds the lock
alone (by locksets, which holds in every state), or no other thread runs, or the container has not
escaped. It is closed where the right ends. With a lock that is held for reading, readers share the
same parts, only to read: a thread that holds the lock alone, or runs alone, does so while there is
no reader. So two threads that are about to access one object, both owning it, are both readers.

Threads may keep pointers to what they do not own: these say nothing. Null, pointers to other
memory and pointers whose values are not known never stand for objects that a thread owns. Where
the behaviour of a step is undefined in C (null is dereferenced), the proof assumes, as all of
locksets, that no run gets there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import Place, Variable, VariablePlace
from threadwise.ir.fold import root
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.proofs.locksets.certificate import Key
from threadwise.proofs.locksets.containers.handover import Custody
from threadwise.proofs.locksets.entailment import implies
from threadwise.proofs.locksets.knowledge import Knowledge, spelled
from threadwise.proofs.locksets.memory.cells import Target, Values
from threadwise.proofs.locksets.resources.claims import Resources, Shape
from threadwise.proofs.locksets.resources.effects import NOT_AT_ALL, Effects, Moment, Spoilt
from threadwise.proofs.locksets.resources.ground import Meaning, Right, place_of
from threadwise.proofs.locksets.resources.heap import (
    AtLeast,
    Count,
    Heap,
    Hold,
    Known,
    Nowhere,
    Opened,
    Pointer,
    SlotAddress,
    Split,
    Value,
)
from threadwise.proofs.locksets.resources.liveness import live_variables, tested_variables
from threadwise.proofs.locksets.resources.normal import key_of, normal
from threadwise.proofs.locksets.step import Steps

MOST = 48
"""So many heaps are distinguished for one location and one case of locksets."""
MANY = 16
"""Where there are so many, numbers are forgotten."""
Cases = Mapping[LocId, Sequence[Knowledge]]
State = tuple[LocId, int]


@dataclass
class Look:
    """What threads have where."""

    steps: Steps
    cases: Cases
    claim: Resources
    tick: Callable[[], object]
    heaps: dict[State, dict[Hashable, Heap]] = field(default_factory=dict)
    pending: list[tuple[State, Heap]] = field(default_factory=list)

    @cached_property
    def effects(self) -> Effects:
        """The rules."""
        return Effects(Meaning(self.steps.ground, self.claim))

    @property
    def meaning(self) -> Meaning:
        """What the claim means."""
        return self.effects.meaning

    def run(self) -> None:
        """Find all states; raises Spoilt if the claim does not hold."""
        unfit = frozenset(self.meaning.unfit())
        if unfit:
            raise Spoilt(unfit, "what memory says does not allow it")
        self._begin()
        while self.pending:
            (location, case), heap = self.pending.pop()
            procedure = self._program.procedure_of[location]
            for edge in self._program.outgoing[location]:
                if self._ends(edge):
                    continue
                for at, following in self._moments(edge, location, case, procedure):
                    for after in self._after(at, heap):
                        for target, index in following:
                            self._reach(target, index, after)
                        if isinstance(edge.action, Call):
                            self._enter(edge.action, at)

    def _ends(self, edge: Edge) -> bool:
        """Whether a run ends after an edge: nothing is asked for there."""
        failing = self._program.locations[edge.target].failure is not None
        starts = edge.id in self.steps.threads.starts
        return failing and not starts and not self._program.outgoing[edge.target]

    @property
    def _program(self) -> Program:
        return self.steps.threads.program

    # -- beginnings ------------------------------------------------------------------------------

    def _begin(self) -> None:
        for template in self._program.templates:
            entry = self._program.procedure[template.body].entry
            heap = Heap(plan=self.meaning.plan)
            place = self.meaning.arguments.get(template.name)
            if place is not None:
                name = heap.fresh(self.meaning.argument_sites(place))
                heap.trees.add(name)
                heap.store[place] = Pointer(name, 0)
            early = list(self._early())
            if self.steps.threads.is_first(template):
                heap.alone = True
                for which, slots in early:
                    heap.opened.setdefault(which, {}).update(slots)
            elif early and not template.pool:
                raise Spoilt(frozenset(early[0][0].unit.keys), "several threads begin")
            for index in range(len(self.cases.get(entry, ()))):
                self._reach(entry, index, heap.copy())

    def _early(self) -> Iterator[tuple[Opened, dict[Key, Value]]]:
        """The slots of variables that do not begin as claimed, opened; raises Spoilt."""
        begun: dict[Target, Values] = {}
        for target, values in self.steps.memory.initial():
            before = begun.get(target, frozenset())
            begun[target] = None if values is None or before is None else before | values
        variables = {d.variable.name: d.variable for d in self._program.globals}
        for cell, key in sorted(self.claim.slots.items()):
            unit = self.claim.unit(key)
            if cell.object not in variables:
                continue
            null = begun.get(cell) == frozenset({None})
            if null and (unit.tail is None or unit.shape is not Shape.LINK):
                continue
            if unit.shape is Shape.STALE and key == unit.tail:
                continue
            place = place_of(VariablePlace(variables[cell.object]), cell.cell)
            address = None if place is None else self.meaning.slot(place, frozenset({cell}))
            if address is None:
                raise Spoilt(frozenset(unit.keys), "a slot does not begin as claimed")
            value: Value = Known.NULL if null else self._head(begun, cell, unit.head, address)
            yield Opened(address.lock, unit, address.element), {key: value}

    def _head(
        self, begun: Mapping[Target, Values], cell: Target, head: Key, address: SlotAddress
    ) -> Value:
        """The address of the head of a list, if that is what its tail begins with."""
        heads = {target for target, key in self.claim.slots.items() if key == head}
        values = begun.get(cell)
        mine = values is not None and len(values) == 1 and values <= heads
        return SlotAddress(address.lock, head) if mine and len(heads) == 1 else None

    def _enter(self, call: Call, at: Moment) -> None:
        entry = self._program.procedure[call.procedure].entry
        for index in range(len(self.cases.get(entry, ()))):
            self._reach(entry, index, Heap(plan=self.meaning.plan))

    # -- steps -----------------------------------------------------------------------------------

    def _moments(
        self, edge: Edge, location: LocId, case: int, procedure: Procedure
    ) -> list[tuple[Moment, list[State]]]:
        """The ways in which an edge is taken, and the states these lead to."""
        key = edge.id, case
        if key not in self._taken:
            self.tick()
            knowledge = self.cases[location][case]
            passing = list(self.steps.guards.passing(edge, knowledge, procedure.name))
            moments = [Moment(edge, before, out, procedure.name) for before, out in passing]
            if isinstance(edge.action, Return):
                self._taken[key] = [(at, []) for at in moments]
            elif isinstance(edge.action, Call):
                after = [(t, k) for t, k in self.steps.after(edge, knowledge, procedure)]
                own = [self._state(t, k) for t, k in after if t == edge.target]
                self._taken[key] = [(at, own) for at in moments]
            else:
                after = list(self.steps.after(edge, knowledge, procedure))
                assert len(after) == len(moments)
                self._taken[key] = [
                    (at, [self._state(t, k)]) for at, (t, k) in zip(moments, after, strict=True)
                ]
        return self._taken[key]

    @cached_property
    def _taken(self) -> dict[tuple[int, int], list[tuple[Moment, list[State]]]]:
        return {}

    def share(self, other: Look) -> None:
        """Reuse what another analysis, with the same knowledge, computed about edges."""
        self._taken.update(other._taken)

    def _state(self, target: LocId, knowledge: Knowledge) -> State:
        for index, case in enumerate(self.cases.get(target, ())):
            if implies(knowledge, case):
                return target, index
        raise Spoilt(frozenset(self.claim.sites), "locksets do not know where this leads")

    def _after(self, at: Moment, heap: Heap) -> Iterator[Heap]:
        pending = [heap]
        while pending:
            try:
                after = self.effects.after(at, pending.pop())
            except Split as split:
                pending += split.cases
                continue
            if after is not None:
                yield after

    def _reach(self, location: LocId, index: int, heap: Heap) -> None:
        procedure = self._program.procedure_of[location].name
        knowledge = self.cases[location][index]
        heap = heap.copy()
        heap.others = {
            name: lock
            for name, lock in heap.others.items()
            if self._lasts(lock, heap, knowledge, location)
        }
        for name, lock in list(heap.marked.items()):
            if lock is None or not self._keeps(lock, heap, knowledge, procedure):
                self.effects.give_back(heap, name)
        for which in list(heap.opened):
            if heap.alone and self.steps.ground.is_stable_place(which.lock, procedure):
                continue
            right = self.meaning.right(which.lock, knowledge, procedure)
            if right is None or (right is Right.LOOK and which not in heap.shared):
                self.effects.close(which, heap)
        heap.store = {
            place: value
            for place, value in heap.store.items()
            if self._is_needed(place, value, location, procedure)
            if not isinstance(value, Count) or self._lasts(value.lock, heap, knowledge, location)
        }
        kept = {v.name for v in heap.store.values() if isinstance(v, Pointer)}
        for name in [name for name in heap.marked if name not in kept]:
            self.effects.give_back(heap, name)
        heap = normal(heap, self.meaning.chained)
        found = self.heaps.setdefault((location, index), {})
        if len(found) >= MANY:
            heap.store = {p: v for p, v in heap.store.items() if not isinstance(v, int)}
        key = key_of(heap)
        if key in found:
            return
        if len(found) == MOST:
            raise Spoilt(frozenset(self.claim.sites), "there are too many cases")
        found[key] = heap
        self.tick()
        self.pending.append(((location, index), heap))

    def _keeps(self, lock: Place, heap: Heap, knowledge: Knowledge, procedure: str) -> bool:
        """Whether a thread may still change what a lock protects."""
        if heap.alone and self.steps.ground.is_stable_place(lock, procedure):
            return True
        return self.meaning.right(lock, knowledge, procedure) is Right.CHANGE

    def _lasts(
        self, lock: Place | None, heap: Heap, knowledge: Knowledge, location: LocId
    ) -> bool:
        """Whether no other thread can change a count that goes with a lock."""
        if lock is None:
            return self._program.locations[location].atomic
        procedure = self._program.procedure_of[location].name
        return self._keeps(lock, heap, knowledge, procedure)

    def _is_needed(self, place: Place, value: Value, location: LocId, procedure: str) -> bool:
        """Whether what a variable holds may matter: to forget it is always right."""
        if procedure not in self._lives:
            found = self._program.procedure[procedure]
            self._lives[procedure] = live_variables(found), tested_variables(found)
        live, tested = self._lives[procedure]
        variable = _variable(place)
        if place in self.meaning.arguments.values():
            return location == self._program.procedure[procedure].entry
        if value is None or value is Known.OTHER or variable not in live[location]:
            return False
        return variable in tested or not isinstance(value, int | AtLeast)

    @cached_property
    def _lives(self) -> dict[str, tuple[Mapping[LocId, frozenset[Variable]], frozenset[Variable]]]:
        return {}

    # -- what follows ----------------------------------------------------------------------------

    @property
    def unreached(self) -> frozenset[State]:
        """The cases of locksets that are not reached."""
        every = ((here, n) for here, cases in self.cases.items() for n in range(len(cases)))
        return frozenset(state for state in every if not self.heaps.get(state))

    def owned(self, state: State) -> Mapping[Place, Custody]:
        """The variables whose objects a thread has, whichever of the heaps is its own."""
        heaps = list(self.heaps.get(state, {}).values())
        found: dict[Place, Custody] = {}
        for place in sorted(heaps[0].store, key=spelled) if heaps else ():
            ways = {_custody(place, heap) for heap in heaps} - {Custody.TAKEN, Known.NULL}
            named = any(isinstance(heap.store.get(place), Pointer) for heap in heaps)
            if named and ways <= {Custody.SHARED}:
                found[place] = Custody.SHARED if ways else Custody.TAKEN
        return found

    def hold(self, edge: Edge, knowledge: Knowledge, place: Place) -> Hold:
        """How a thread that takes an edge with this knowledge has the object of a place."""
        index = next(n for n, k in enumerate(self.cases[edge.source]) if k is knowledge)
        procedure = self._program.procedure_of[edge.source]
        found: set[Hold] = set()
        for at, _ in self._moments(edge, edge.source, index, procedure):
            pending = list(self.heaps.get((edge.source, index), {}).values())
            while pending:
                heap = pending.pop()
                try:
                    passed = self.effects.passed(at, heap)
                    if passed is not None:
                        found.add(self.effects.hold(place, at, passed))
                except Split as split:
                    pending += split.cases
                except Nowhere:
                    pass
                if NOT_AT_ALL in found:
                    return NOT_AT_ALL
        receipt = all(each.receipt for each in found)
        ways = {each.custody for each in found}
        weakest = next(way for way in _FROM_THE_WEAKEST if way in ways or way is Custody.TAKEN)
        return Hold(weakest, receipt)


_FROM_THE_WEAKEST = (None, Custody.COUNTED, Custody.SHARED, Custody.TAKEN)


def _custody(place: Place, heap: Heap) -> Custody | Known | None:
    """How a thread has what a variable points to; NULL if that is no object of a tracked site."""
    match heap.store.get(place):
        case Pointer(name, _):
            return heap.custody(name)
        case Known():
            return Known.NULL
        case _:
            return None


def _variable(place: Place) -> Variable | None:
    base = root(place)
    return base.variable if isinstance(base, VariablePlace) else None
