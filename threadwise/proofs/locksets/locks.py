"""Which locks a thread holds after a step: mutexes, and numbers that serve as locks.

    acquire     when m.owner == none: m.owner := self     m is held (fresh until the region ends)
    release     m.owner := none                           whatever may be m is no longer held

This is sound if mutexes are used as such: `spoiling` and `misused` find steps that are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import OperationKind
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    DerefPlace,
    Expr,
    FieldPlace,
    Place,
    PointerAdd,
    Read,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts, place_expressions, root, subexpressions
from threadwise.ir.operations import NOBODY, holds, is_free
from threadwise.ir.program import Edge, Procedure
from threadwise.ir.types import MutexType, TidType
from threadwise.ir.writes import written
from threadwise.proofs.locksets.certificate import Discipline
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import (
    Knowledge,
    is_own,
    named,
    named_place,
    overlap,
    pointers_into_one,
)
from threadwise.proofs.locksets.memory.cells import Target, field_start, lock_cells
from threadwise.proofs.locksets.memory.contents import Memory
from threadwise.proofs.locksets.threads.creation import Threads
from threadwise.proofs.locksets.tokens import Use, group_of, is_zero, unread, use_of


@dataclass(frozen=True)
class Locks:
    """The locks of a program."""

    ground: Ground

    @property
    def memory(self) -> Memory:
        """What every cell may hold."""
        return self.ground.memory

    @property
    def threads(self) -> Threads:
        """Which threads start which."""
        return self.ground.threads

    # -- mutexes ---------------------------------------------------------------------------------

    def write_owner(
        self,
        edge: Edge,
        target: FieldPlace,
        value: Expr | None,
        before: Knowledge,
        after: Knowledge,
        procedure: str,
    ) -> Knowledge:
        """A mutex is acquired, released, or begins without an owner.

        One that begins, in an object of the thread's own, is held by nobody, unless it is misused:
        locks of other objects stay held. What is released may be held by another name.
        """
        if value == SelfId():
            return self._acquired(target, before, after, procedure)
        owner = owner_of(named_place(target.base, before.known), before)
        if owner is None or _is_release(edge, target.base):
            return self.released(target.base, after, procedure)
        lost = {held for held in after.held if owner_of(held, before) == owner}
        return replace(after, held=after.held - lost, fresh=after.fresh - lost)

    def _acquired(
        self, target: Place, before: Knowledge, after: Knowledge, procedure: str
    ) -> Knowledge:
        assert isinstance(target, FieldPlace)
        there = named_place(target.base, before.known)
        stable = self.ground.is_stable_place(there, procedure)
        if not self.is_reliable(target.base, procedure) or not stable:
            return after
        return replace(after, held=after.held | {there}, fresh=after.fresh | {there})

    def released(self, mutex: Place, knowledge: Knowledge, procedure: str) -> Knowledge:
        """What is surely still held after a mutex was released."""
        there = named_place(mutex, knowledge.known)
        cells = set(self.memory.targets(there, procedure))
        lost = {
            other
            for other in knowledge.held
            if other == there
            or (_may_be_same(other, there) and cells & set(self.memory.targets(other, procedure)))
        }
        return replace(knowledge, held=knowledge.held - lost, fresh=knowledge.fresh - lost)

    def is_reliable(self, mutex: Place, procedure: str) -> bool:
        """Whether being its owner ends by releasing it only."""
        held = mutex.type
        assert isinstance(held, MutexType)
        start = field_start(held, "owner")
        owners = {Target(o, c + start) for o, c in self.ground.cells_of(mutex, procedure)}
        return self.ground.is_exact(mutex, procedure) and not owners & self.ground.spoilt

    def spoiling(self, edge: Edge, knowledge: Knowledge, procedure: Procedure) -> Iterator[Target]:
        """The owners of mutexes that an edge may take from others.

        Where no other thread runs that ever takes them, the first one may write anything there, as
        `memset` and assignments of records do: nobody else holds them, and `write_owner`, or the
        rule for writes to any part of an object, ends what the thread itself knows.
        """
        for target, value in written(edge):
            if is_own(target):
                continue
            exact = self.ground.is_exact(target, procedure.name)
            if exact and _is_lock_use(edge, target, value):
                continue
            forgets = not exact or (is_owner(target) and value != SelfId())
            if owner_of(named_place(target, knowledge.known), knowledge) is not None:
                continue
            owners = self._owners(target, procedure.name, exact=exact)
            if owners and not (forgets and self._is_untaken(owners, knowledge, procedure)):
                yield from owners

    def _is_untaken(
        self, owners: Iterable[Target], knowledge: Knowledge, procedure: Procedure
    ) -> bool:
        """Whether the first thread knows that no other one runs that takes some mutexes."""
        me = self.threads.only_template(knowledge, procedure)
        if me is None or not self.threads.is_first(self.threads.program.template[me]):
            return False
        return all(
            self._taken_by(other.name).isdisjoint(owners)
            or self.threads.is_absent(other.name, me, knowledge)
            for other in self.threads.program.templates
            if other.name != me
        )

    def _taken_by(self, template: str) -> frozenset[Target]:
        """The owners of the mutexes that threads of a template may ever take."""
        if template not in self._known_takers:
            running = self.threads.running
            self._known_takers[template] = frozenset(
                cell
                for procedure in self.threads.program.procedures
                if template in running[procedure.name]
                for edge in procedure.edges
                for target, value in written(edge)
                if not is_own(target) and is_owner(target) and value == SelfId()
                for cell in self.ground.cells_of(target, procedure.name)
            )
        return self._known_takers[template]

    @cached_property
    def _known_takers(self) -> dict[str, frozenset[Target]]:
        return {}

    def _owners(self, place: Place, procedure: str, *, exact: bool) -> tuple[Target, ...]:
        """The owners of mutexes that a write to a place may change."""
        key = place, procedure
        if key not in self._known_owners:
            types = self.memory.objects.types
            self._known_owners[key] = tuple(
                cell
                for cell in sorted(self.ground.cells_of(place, procedure))
                if exact or cell.cell in lock_cells(types[cell.object])
            )
        return self._known_owners[key]

    @cached_property
    def _known_owners(self) -> dict[tuple[Place, str], tuple[Target, ...]]:
        return {}

    # -- numbers ---------------------------------------------------------------------------------

    def write_number(
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
        use = self.use(target, value, before, procedure)
        if use is Use.TAKE and self.ground.is_stable_place(there, procedure.name):
            return replace(after, held=after.held | {there}, fresh=after.fresh | {there})
        return after if use is Use.KEEP else self.released(there, after, procedure.name)

    def use(
        self, target: Place, value: Expr | None, before: Knowledge, procedure: Procedure
    ) -> Use | None:
        """What a write to a number that serves as a lock is."""
        discipline = self.ground.discipline(target, procedure.name)
        assert discipline is not None
        there = named_place(target, before.known)
        owned = owner_of(there, before) is not None
        begins = owned or self.threads.is_only(before, procedure)
        if not begins and not self._is_under_its_guard(target, there, before, procedure.name):
            return None
        name = None if value is None else named(value, before.known)
        mutex = self.ground.companion(there)
        return use_of(discipline, there, name, before, mutex=mutex, begins=begins)

    def _is_under_its_guard(
        self, target: Place, there: Place, before: Knowledge, procedure: str
    ) -> bool:
        """Whether a write to a flag holds the mutex that guards it, if one does."""
        if not self.ground.is_guarded(target, procedure):
            return True
        guard = self.ground.guard_of(there, procedure)
        return guard is not None and guard in before.held

    def read_meanwhile(self, owner: Place, before: Knowledge, procedure: str) -> Iterator[Target]:
        """The counts of readers that may not be 0 when a mutex is acquired."""
        assert isinstance(owner, FieldPlace)
        there = named_place(owner.base, before.known)
        counts = {c for c, kind in self.ground.numbers.items() if kind is Discipline.READERS}
        if isinstance(there, FieldPlace):
            for cell in unread(there, before):
                yield from counts & set(self.memory.targets(cell, procedure))
        else:
            objects = {cell.object for cell in self.memory.targets(there, procedure)}
            groups = {group_of(name) for name in objects} - {""}
            for count in counts:
                beside = group_of(count.object) in groups and not self._is_zero(count, before)
                if beside or count.object in objects:
                    yield count

    def _is_zero(self, count: Target, knowledge: Knowledge) -> bool:
        """Whether a variable is known to be 0."""
        variable = self._global.get(count.object)
        return variable is not None and is_zero(VariablePlace(variable), knowledge)

    @cached_property
    def _global(self) -> Mapping[str, Variable]:
        return {d.variable.name: d.variable for d in self.threads.program.globals}


def owner_of(place: Place, knowledge: Knowledge) -> Place | None:
    """The variable that owns the object that a place is in; None if none is known to.

    A pointer that was moved, or leads to a member or element, leads into the same object; so do
    variables of which that is known (`pointers_into_one`).
    """
    base = root(place)
    if not isinstance(base, DerefPlace) or not knowledge.owned:
        return None
    pointer = base.pointer
    while isinstance(pointer, PointerAdd):
        pointer = pointer.pointer
    if isinstance(pointer, Read) and pointer.place in knowledge.owned:
        return pointer.place
    for start in sorted(pointers_into_one(pointer, knowledge), key=str):
        if start.place in knowledge.owned:
            return start.place
    return None


def locked(target: Place) -> Place:
    """What is locked by writing a place: a mutex, or the number itself."""
    if isinstance(target, FieldPlace) and is_owner(target):
        return target.base
    return target


def is_owner(target: Place) -> bool:
    """Whether a place is the owner of a mutex."""
    return (
        isinstance(target, FieldPlace)
        and isinstance(target.base.type, MutexType)
        and target.field == "owner"
    )


def _is_release(edge: Edge, mutex: Place) -> bool:
    """Whether an edge may give back a mutex that the thread holds."""
    guarded = holds(mutex) in conjuncts(edge.action.guard)
    return guarded or (edge.operation is not None and edge.operation.kind is OperationKind.RELEASE)


def _is_lock_use(edge: Edge, target: Place, value: Expr | None) -> bool:
    """Whether a write cannot take a mutex away from a thread that owns it."""
    if not is_owner(target):
        return not _holds_owner(target)
    assert isinstance(target, FieldPlace)
    mutex = target.base
    parts = list(conjuncts(edge.action.guard))
    mine = holds(mutex)
    if value == SelfId():
        return is_free(mutex) in parts or Binary(BinaryOp.OR, is_free(mutex), mine) in parts
    if mine not in parts:
        return False
    return value == NOBODY or isinstance(value, Conditional)


def _holds_owner(target: Place) -> bool:
    """Whether writing a place may write the owner of a mutex: it is a thread id in memory."""
    return isinstance(target.type, TidType)


def is_static(place: Place) -> bool:
    """Whether a name means the same in every procedure."""
    return not any(
        isinstance(part, Read) and is_own(part.place)
        for expr in place_expressions(place)
        for part in subexpressions(expr)
    )


def _may_be_same(first: Place, second: Place) -> bool:
    """Whether two names may mean one lock."""
    a, b = root(first), root(second)
    if isinstance(a, VariablePlace) and isinstance(b, VariablePlace):
        return overlap(first, second)
    return True
