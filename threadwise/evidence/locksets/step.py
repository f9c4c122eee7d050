"""How an edge changes what a thread knows: the rules, one method each.

guard       conditions that are surely false end the path; the others are known afterwards
acquire     when m.owner == none: m.owner := self     m is held (fresh until the region ends)
release     m.owner := none                           whatever may be m is no longer held
own         x := e                                    what was said with x is said without it
allocate    p := new                                  p owns the object
publish     *q := p, or a call with arguments         ownership ends
spawn, join                                           see `threadwise.evidence.locksets.threads`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from threadwise.evidence.locksets.cells import Target, field_start
from threadwise.evidence.locksets.ground import Ground, is_lasting
from threadwise.evidence.locksets.knowledge import (
    MANY,
    Event,
    Knowledge,
    is_definite,
    is_own,
    named,
    named_place,
    overlap,
    renamed,
    without,
)
from threadwise.evidence.locksets.memory import Memory, Unresolved
from threadwise.evidence.locksets.threads import (
    Threads,
    conjuncts,
    joined_threads,
    started,
    written,
)
from threadwise.evidence.locksets.tokens import Discipline, Use, unread, use_of
from threadwise.evidence.locksets.truth import Truth, complement, lock_test
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    PointerAdd,
    PointerToInt,
    Read,
    Scope,
    SelfId,
    ThreadAt,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import place_expressions, root, subexpressions
from threadwise.ir.operations import NOBODY, is_free
from threadwise.ir.program import Edge, LocId, Procedure
from threadwise.ir.types import MutexType, PointerType, TidType

Outcomes = Mapping[Expr, bool]
"""How the lock tests of an edge came out."""

V = TypeVar("V")
LARGEST_NAME = 24
"""Values with longer names are not followed."""


@dataclass(frozen=True)
class Assigned:
    """One of a thread's own places with what is known of its new value."""

    target: Place
    value: Expr | None = None
    site: str | None = None
    event: Event | None = None


@dataclass(frozen=True)
class Steps:
    """The steps of a program."""

    ground: Ground

    @property
    def memory(self) -> Memory:
        """What every cell may hold."""
        return self.ground.memory

    @property
    def threads(self) -> Threads:
        """Who starts whom."""
        return self.ground.threads

    def after(
        self, edge: Edge, knowledge: Knowledge, procedure: Procedure
    ) -> Iterator[tuple[LocId, Knowledge]]:
        """Where a thread may be after an edge, and what it knows there; raises Unresolved."""
        truth = Truth(self.ground, procedure.name)
        for before, outcomes in self.passing(edge, knowledge, truth):
            action = edge.action
            match action:
                case Call():
                    yield from self._call(edge, action, before, procedure)
                case Return():
                    pass
                case Command() | Allocate() | Free():
                    after = self._effect(edge, before, outcomes, procedure)
                    yield edge.target, self._visible(edge, after, procedure.name)

    def _visible(self, edge: Edge, knowledge: Knowledge, procedure: str) -> Knowledge:
        """What is left where others may act, or after shared memory was written."""
        atomic = self.threads.program.locations[edge.target].atomic
        shared = [named_place(p, knowledge.known) for p, _ in written(edge) if not is_own(p)]
        if atomic and not shared:
            return knowledge
        for place in shared:
            if not self.ground.is_frozen(place):
                knowledge = without(knowledge, place)
        return replace(
            knowledge,
            fresh=knowledge.fresh if atomic else frozenset(),
            known={p: v for p, v in knowledge.known.items() if self.ground.is_stable(v)},
            facts=frozenset(filter(self.ground.is_stable, knowledge.facts)),
        )

    # -- guards ----------------------------------------------------------------------------------

    def passing(
        self, edge: Edge, knowledge: Knowledge, truth: Truth
    ) -> Iterator[tuple[Knowledge, Outcomes]]:
        """What a thread knows when it takes an edge; one case per outcome of a lock test."""
        before = self._assume(edge.action.guard, knowledge, truth)
        if before is None:
            return
        cases: list[tuple[Knowledge, Outcomes]] = [(before, {})]
        for _, value in written(edge):
            if not isinstance(value, Conditional) or lock_test(value.condition) is None:
                continue
            cases = self._split(value.condition, cases, truth)
        for target, value in written(edge):
            if self._exchanges(target, value, truth.procedure):
                zero = Binary(BinaryOp.EQ, Read(target), Const(0, target.type))
                cases = self._split(zero, cases, truth)
        yield from cases

    def _exchanges(self, target: Place, value: Expr | None, procedure: str) -> bool:
        """Whether a write takes a flag if it is free."""
        sets = isinstance(value, Const) and bool(value.value) and not is_own(target)
        return sets and self.ground.discipline(target, procedure) is Discipline.FLAG

    def _split(
        self, test: Expr, cases: list[tuple[Knowledge, Outcomes]], truth: Truth
    ) -> list[tuple[Knowledge, Outcomes]]:
        """Each case twice: the test holds, and it does not."""
        split: list[tuple[Knowledge, Outcomes]] = []
        for case, outcomes in cases:
            for outcome in (True, False):
                passed = self._assume(test if outcome else complement(test), case, truth)
                if passed is not None:
                    split.append((passed, {**outcomes, test: outcome}))
        return split

    def _assume(self, guard: Expr, knowledge: Knowledge, truth: Truth) -> Knowledge | None:
        for part in conjuncts(guard):
            holds = truth.of(part, knowledge)
            if holds is False:
                return None
            if holds is None or not self.ground.is_stable(part):
                knowledge = self._learn(part, knowledge)
        return knowledge

    def _learn(self, condition: Expr, knowledge: Knowledge) -> Knowledge:
        test = lock_test(condition)
        if test is not None:
            mutex, who, equal = test
            if equal and who == SelfId() and self.is_reliable(mutex):
                there = named_place(mutex, knowledge.known)
                if self.ground.is_stable_place(there):
                    fresh = knowledge.fresh | ({there} if knowledge.fresh else set())
                    return replace(knowledge, held=knowledge.held | {there}, fresh=fresh)
        there_ = named(condition, knowledge.known)
        if is_lasting(there_):
            return replace(knowledge, facts=knowledge.facts | {there_})
        return knowledge

    # -- locks -----------------------------------------------------------------------------------

    def spoiling(self, edge: Edge, knowledge: Knowledge, procedure: str) -> Iterator[Target]:
        """The owners of mutexes that an edge may take from others."""
        for target, value in written(edge):
            if is_own(target) or _is_lock_use(edge, target, value):
                continue
            if owner_of(named_place(target, knowledge.known), knowledge) is None:
                yield from self.memory.targets(target, procedure)

    def is_reliable(self, mutex: Place) -> bool:
        """Whether being its owner ends by releasing it only."""
        spoilt = self.ground.spoilt
        return not spoilt or not self._owner_cells(mutex) & spoilt

    def _owner_cells(self, mutex: Place) -> frozenset[Target]:
        held = mutex.type
        assert isinstance(held, MutexType)
        start = field_start(held, "owner")
        procedures = [p.name for p in self.threads.program.procedures]
        found: set[Target] = set()
        for procedure in procedures if not _is_static(mutex) else procedures[:1]:
            try:
                cells = self.memory.targets(mutex, procedure)
            except (Unresolved, KeyError):
                continue
            found |= {Target(o, c + start) for o, c in cells}
        return frozenset(found)

    def _acquired(self, target: Place, before: Knowledge, after: Knowledge) -> Knowledge:
        assert isinstance(target, FieldPlace)
        there = named_place(target.base, before.known)
        if not self.is_reliable(target.base) or not self.ground.is_stable_place(there):
            return after
        return replace(after, held=after.held | {there}, fresh=after.fresh | {there})

    def released(self, mutex: Place, knowledge: Knowledge, procedure: str) -> Knowledge:
        """What is surely still held when a mutex was given back."""
        there = named_place(mutex, knowledge.known)
        cells = set(self.memory.targets(there, procedure))
        lost = {
            other
            for other in knowledge.held
            if other == there
            or (_may_be_same(other, there) and cells & set(self.memory.targets(other, procedure)))
        }
        return replace(knowledge, held=knowledge.held - lost, fresh=knowledge.fresh - lost)

    # -- commands --------------------------------------------------------------------------------

    def _effect(
        self, edge: Edge, before: Knowledge, outcomes: Outcomes, procedure: Procedure
    ) -> Knowledge:
        after = before
        event: Event | None = None
        first = self._is_first(procedure)
        if edge.id in self.threads.starts and first:
            after, event = started(after, edge.id)
        if first:
            after = self._join(edge, after)
        assigned: list[Assigned] = []
        for target, value in written(edge):
            if not is_own(target):
                after = self._melted(after, target, procedure.name)
            if is_own(target):
                chosen = value
                while isinstance(chosen, Conditional) and chosen.condition in outcomes:
                    taken = outcomes[chosen.condition]
                    chosen = chosen.then if taken else chosen.otherwise
                assigned.append(self._own(edge, target, chosen, before, event))
            elif isinstance(target, FieldPlace) and isinstance(target.base.type, MutexType):
                if target.field == "owner":
                    after = self._owner_written(target, value, before, after, procedure.name)
            else:
                after = self._token(target, value, before, after, procedure)
                after = self._published(target, value, before, after, procedure.name)
        return assign(after, assigned)

    def _token(
        self,
        target: Place,
        value: Expr | None,
        before: Knowledge,
        after: Knowledge,
        procedure: Procedure,
    ) -> Knowledge:
        """A number that serves as a lock is taken or given back."""
        if self.ground.discipline(target, procedure.name) is None:
            return after
        there = named_place(target, before.known)
        use = self._use(target, value, before, procedure)
        if use is Use.TAKE and self.ground.is_stable_place(there):
            return replace(after, held=after.held | {there}, fresh=after.fresh | {there})
        return after if use is Use.KEEP else self.released(there, after, procedure.name)

    def _use(
        self, target: Place, value: Expr | None, before: Knowledge, procedure: Procedure
    ) -> Use | None:
        discipline = self.ground.discipline(target, procedure.name)
        assert discipline is not None
        there = named_place(target, before.known)
        owned = owner_of(there, before) is not None
        begins = owned or self.threads.is_only(before, procedure)
        name = None if value is None else named(value, before.known)
        return use_of(discipline, there, name, before, begins=begins)

    def misused(self, edge: Edge, knowledge: Knowledge, procedure: Procedure) -> Iterator[Target]:
        """The numbers that an edge uses in another way than as a lock."""
        if not self.ground.numbers:
            return
        truth = Truth(self.ground, procedure.name)
        for before, _ in self.passing(edge, knowledge, truth):
            for target, value in written(edge):
                if is_own(target):
                    continue
                if _is_owner(target) and value == SelfId():
                    yield from self._read_meanwhile(target, before, procedure.name)
                    continue
                cells = self.memory.targets(target, procedure.name)
                if not any(cell in self.ground.numbers for cell in cells):
                    continue
                single = self.ground.discipline(target, procedure.name) is not None
                if not single or self._use(target, value, before, procedure) is None:
                    yield from (cell for cell in cells if cell in self.ground.numbers)

    def _read_meanwhile(self, owner: Place, before: Knowledge, procedure: str) -> Iterator[Target]:
        """The counts of readers that may not be 0 when a mutex is acquired."""
        assert isinstance(owner, FieldPlace)
        there = named_place(owner.base, before.known)
        counts = {c for c, kind in self.ground.numbers.items() if kind is Discipline.READERS}
        if isinstance(there, FieldPlace):
            for cell in unread(there, before):
                yield from counts & set(self.memory.targets(cell, procedure))
        else:
            objects = {cell.object for cell in self.memory.targets(there, procedure)}
            yield from (cell for cell in counts if cell.object in objects)

    def _melted(self, knowledge: Knowledge, target: Place, procedure: str) -> Knowledge:
        """What is left when the thread itself writes a frozen variable."""
        if not self.ground.frozen:
            return knowledge
        for name in {t.object for t in self.memory.targets(target, procedure)}:
            if name in self.ground.frozen:
                knowledge = without(knowledge, VariablePlace(self._global[name]))
        return knowledge

    @cached_property
    def _global(self) -> Mapping[str, Variable]:
        return {d.variable.name: d.variable for d in self.threads.program.globals}

    def _owner_written(
        self,
        target: FieldPlace,
        value: Expr | None,
        before: Knowledge,
        after: Knowledge,
        procedure: str,
    ) -> Knowledge:
        if value == SelfId():
            return self._acquired(target, before, after)
        there = named_place(target.base, before.known)
        if owner_of(there, before) is not None:
            return replace(after, held=after.held - {there}, fresh=after.fresh - {there})
        return self.released(target.base, after, procedure)

    def _own(
        self, edge: Edge, target: Place, value: Expr | None, before: Knowledge, event: Event | None
    ) -> Assigned:
        there = named_place(target, before.known)
        if isinstance(edge.action, Allocate):
            return Assigned(there, site=self.memory.objects.site(edge.action))
        if value is None:
            return Assigned(there)
        if event is not None and isinstance(value, ThreadAt) and event.time != MANY:
            return Assigned(there, event=event)
        name = self._chosen(value, before)
        if name is None:
            return Assigned(there)
        if isinstance(name, Read):
            return Assigned(
                there, name, before.owned.get(name.place), before.handles.get(name.place)
            )
        return Assigned(there, name)

    def _chosen(self, value: Expr, before: Knowledge) -> Expr | None:
        """The name of a value, if it depends on the thread's own variables only."""
        if before.identity is not None and self._is_argument(value):
            return before.identity
        name = named(value, before.known)
        small = sum(1 for _ in subexpressions(name)) <= LARGEST_NAME
        return name if small and is_lasting(name) else None

    def _is_argument(self, value: Expr) -> bool:
        match value:
            case Read(IndexPlace(VariablePlace(variable), SelfId())):
                return any(variable.name in names for names in self.threads.arguments.values())
            case _:
                return False

    def _join(self, edge: Edge, knowledge: Knowledge) -> Knowledge:
        for handle, template in joined_threads(edge.action.guard):
            if not isinstance(handle, Read):
                continue
            event = knowledge.handles.get(named_place(handle.place, knowledge.known))
            if event is None:
                name = named(handle, knowledge.known)
                event = knowledge.handles.get(name.place) if isinstance(name, Read) else None
            if event is not None and self.threads.starts[event.edge] == template:
                knowledge = replace(knowledge, running=knowledge.running - {event})
        return knowledge

    def _is_first(self, procedure: Procedure) -> bool:
        templates = self.threads.running[procedure.name]
        template = self.threads.program.template
        return len(templates) == 1 and self.threads.is_first(template[templates[0]])

    # -- ownership -------------------------------------------------------------------------------

    def _published(
        self,
        target: Place,
        value: Expr | None,
        before: Knowledge,
        after: Knowledge,
        procedure: str,
    ) -> Knowledge:
        """A pointer stored where others may find it ends the ownership of what it may point to."""
        if value is None or not before.owned:
            return after
        if owner_of(named_place(target, before.known), before) is not None:
            return after
        carried = {site for part in _carried(value) for site in self._sites(part, procedure)}
        if carried & set(before.owned.values()):
            return replace(after, owned={})
        return after

    def _sites(self, pointer: Expr, procedure: str) -> Iterator[str]:
        values = self.memory.of(pointer, procedure)
        if values is None:
            raise Unresolved("a pointer that may point anywhere")
        return (value.object for value in values if isinstance(value, Target))

    # -- calls -----------------------------------------------------------------------------------

    def _call(
        self, edge: Edge, action: Call, before: Knowledge, caller: Procedure
    ) -> Iterator[tuple[LocId, Knowledge]]:
        called = self.threads.program.procedure[action.procedure]
        reached = [called.name, *sorted(self.threads.calls[called.name])]
        inside = [self.threads.program.procedure[name] for name in reached]
        if any(e.id in self.threads.starts for p in inside for e in p.edges):
            raise Unresolved("threads that are started by a procedure that is not inlined")
        before = replace(
            before,
            owned={},
            known={p: v for p, v in before.known.items() if self.ground.is_stable(v)},
            facts=frozenset(filter(self.ground.is_stable, before.facts)),
        )
        static = frozenset(m for m in before.held if _is_static(m))
        given = [
            Assigned(VariablePlace(parameter), value)
            for parameter, argument in zip(called.parameters, action.arguments, strict=True)
            if self.ground.is_stable(value := named(argument, before.known))
            and not any(isinstance(part, Read) for part in subexpressions(value))
        ]
        entry = Knowledge(
            static,
            frozenset(),
            {},
            frozenset(),
            {},
            before.started,
            before.running,
            {},
            before.absent,
            before.identity,
        )
        yield called.entry, assign(entry, given)
        after = self._returned(before, action, inside)
        yield edge.target, self._visible(edge, after, caller.name)

    def _returned(self, before: Knowledge, action: Call, inside: Sequence[Procedure]) -> Knowledge:
        """What is left after a call, which may release locks and write the thread's variables."""
        after = before
        for procedure in inside:
            for edge in procedure.edges:
                for target, value in written(edge):
                    base = root(target)
                    if is_own(target):
                        assert isinstance(base, VariablePlace)
                        if base.variable.scope is Scope.THREAD:
                            after = without(after, base)
                        continue
                    after = self._melted(after, target, procedure.name)
                    if not _is_owner(target) or value != SelfId():
                        place = _locked(target)
                        cells = set(self.memory.targets(place, procedure.name))
                        lost = {m for m in after.held if cells & set(self._somewhere(m))}
                        after = replace(after, held=after.held - lost, fresh=after.fresh - lost)
        if action.result is not None:
            after = without(after, named_place(action.result, before.known))
        return after

    def _somewhere(self, mutex: Place) -> Iterator[Target]:
        """The cells a lock name may mean in any procedure."""
        for procedure in self.threads.program.procedures:
            try:
                yield from self.memory.targets(mutex, procedure.name)
            except KeyError:
                continue


def assign(knowledge: Knowledge, assigned: Sequence[Assigned]) -> Knowledge:
    """What a thread knows after its own variables got new values, all at once."""
    shadows: list[tuple[VariablePlace, Assigned]] = []
    known, owned, handles = dict(knowledge.known), dict(knowledge.owned), dict(knowledge.handles)
    for position, change in enumerate(assigned):
        shadow = VariablePlace(Variable(f"'{position}", change.target.type, Scope.LOCAL))
        shadows.append((shadow, change))
        if change.value is not None:
            known[shadow] = change.value
        if change.site is not None:
            owned[shadow] = change.site
        if change.event is not None:
            handles[shadow] = change.event
    knowledge = replace(knowledge, known=known, owned=owned, handles=handles)
    for _, change in shadows:
        knowledge = without(knowledge, change.target)
    for shadow, change in shadows:
        if not is_definite(change.target):
            knowledge = without(knowledge, shadow)
            continue
        knowledge = renamed(knowledge, shadow, change.target)
        knowledge = replace(
            knowledge,
            known=_moved(knowledge.known, shadow, change.target),
            owned=_moved(knowledge.owned, shadow, change.target),
            handles=_moved(knowledge.handles, shadow, change.target),
        )
    return knowledge


def _moved(held: Mapping[Place, V], old: Place, new: Place) -> dict[Place, V]:
    return {new if place == old else place: value for place, value in held.items()}


def owner_of(place: Place, knowledge: Knowledge) -> Place | None:
    """The variable that owns the object that a place is in; None if nobody is known to."""
    base = root(place)
    if not isinstance(base, DerefPlace):
        return None
    pointer = base.pointer
    while isinstance(pointer, PointerAdd):
        pointer = pointer.pointer
    if isinstance(pointer, Read) and pointer.place in knowledge.owned:
        return pointer.place
    return None


def _carried(value: Expr) -> Iterator[Expr]:
    """The pointers that a value hands on."""
    if isinstance(value.type, PointerType):
        yield value
    for part in subexpressions(value):
        if isinstance(part, PointerToInt):
            yield part.pointer


def _locked(target: Place) -> Place:
    """What is locked by writing a place: a mutex, or the number itself."""
    if isinstance(target, FieldPlace) and _is_owner(target):
        return target.base
    return target


def _is_owner(target: Place) -> bool:
    return (
        isinstance(target, FieldPlace)
        and isinstance(target.base.type, MutexType)
        and target.field == "owner"
    )


def _is_lock_use(edge: Edge, target: Place, value: Expr | None) -> bool:
    """Whether a write cannot take a mutex away from a thread that owns it."""
    if not _is_owner(target):
        return not _holds_owner(target)
    assert isinstance(target, FieldPlace)
    mutex = target.base
    parts = list(conjuncts(edge.action.guard))
    mine = Binary(BinaryOp.EQ, Read(target), SelfId())
    if value == SelfId():
        return is_free(mutex) in parts or Binary(BinaryOp.OR, is_free(mutex), mine) in parts
    if mine not in parts:
        return False
    return value == NOBODY or isinstance(value, Conditional)


def _holds_owner(target: Place) -> bool:
    """Whether writing a place may write the owner of a mutex: it is a thread id in memory."""
    return isinstance(target.type, TidType)


def _is_static(place: Place) -> bool:

    return all(isinstance(part, Const) for part in place_expressions(place))


def _may_be_same(first: Place, second: Place) -> bool:
    """Whether two names may mean one lock."""
    a, b = root(first), root(second)
    if isinstance(a, VariablePlace) and isinstance(b, VariablePlace):
        return overlap(first, second)
    return True
