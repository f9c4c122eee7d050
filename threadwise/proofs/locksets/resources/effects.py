"""How a step changes what a thread owns, and what it must not do: symbolic execution.

    p := new            the thread owns the object: a node
    free(p)             it must own the object, and owns it no longer
    x := slot           the unit is opened if the thread may: then x is what the slot holds
    x := p.link         if the thread owns the object: the value of its link
    slot := e           the thread must have a right to change the unit
    p.link := e         the thread must own the object, not only for reading
    when p == null, …   splits cases; contradictory ones are dropped

Where a thread loses its right to a unit (it gives the lock back, starts a thread, makes the
container escape), where its lock gets another name, where the thread ends, and at calls and
returns, the unit is closed: it must be as claimed, and its parts are the thread's no longer.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from threadwise.ir.commands import Allocate, Call, Free, Return
from threadwise.ir.expr import (
    COMPARISONS,
    AddressOf,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsValid,
    Place,
    PointerAdd,
    Read,
    Scope,
    Unary,
    UnaryOp,
    VariablePlace,
)
from threadwise.ir.fold import (
    conjuncts,
    place_expressions,
    rebuild,
    rebuild_place,
    root,
    subexpressions,
)
from threadwise.ir.program import Edge
from threadwise.ir.types import NULL, POINTER, Address, PointerType
from threadwise.proofs.locksets.containers.handover import Custody
from threadwise.proofs.locksets.containers.list_locks import Key
from threadwise.proofs.locksets.guards import Outcomes
from threadwise.proofs.locksets.knowledge import (
    Knowledge,
    is_definite,
    is_own,
    named,
    named_place,
    overlap,
    place_mentions,
    spelled,
)
from threadwise.proofs.locksets.memory.by_variable import by_variable
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.refined.effects import _finishes as finishes
from threadwise.proofs.locksets.resources.claims import Shape
from threadwise.proofs.locksets.resources.ground import (
    Meaning,
    Right,
    offset_in,
    place_of,
)
from threadwise.proofs.locksets.resources.heap import (
    ELSEWHERE,
    Chain,
    Heap,
    Known,
    Nowhere,
    Opened,
    Pointer,
    SlotAddress,
    Split,
    Value,
)
from threadwise.proofs.locksets.threads.creation import written

ORDERS: Mapping[BinaryOp, Callable[[int, int], bool]] = {
    BinaryOp.EQ: operator.eq,
    BinaryOp.NE: operator.ne,
    BinaryOp.LT: operator.lt,
    BinaryOp.LE: operator.le,
    BinaryOp.GT: operator.gt,
    BinaryOp.GE: operator.ge,
}
DEEPEST = 6
"""So many variables are followed from one to the next that it is known to be."""


class Spoilt(Exception):  # noqa: N818 - no error
    """A claim does not hold: of these slots, or of these sites."""

    def __init__(self, what: frozenset[str | Key], why: str) -> None:
        super().__init__(why)
        self.what = what


@dataclass(frozen=True)
class Moment:
    """An edge that a thread is about to take, and what it knows."""

    edge: Edge
    before: Knowledge
    outcomes: Outcomes
    procedure: str


@dataclass(frozen=True)
class Effects:
    """The steps of a program."""

    meaning: Meaning

    # -- values ----------------------------------------------------------------------------------

    def value(self, expr: Expr, heap: Heap, at: Moment, depth: int = DEEPEST) -> Value:
        """What a pointer is; raises Split and Nowhere."""
        found: Value = None
        match expr:
            case Const(None, PointerType()):
                return Known.NULL
            case Conditional(condition, then, otherwise) if condition in at.outcomes:
                chosen = then if at.outcomes[condition] else otherwise
                return self.value(chosen, heap, at, depth)
            case Read(place) if is_own(place):
                found = heap.store.get(place)
                known = at.before.known.get(place)
                if found is None and known is not None and depth > 0:
                    found = self.value(known, heap, at, depth - 1)
            case Read(place):
                found = self._content(self.cell(place, heap, at, depth), heap)
            case Const(Address(), _):
                program = self.meaning.ground.threads.program
                there = by_variable(DerefPlace(expr, POINTER), program)
                found = None if isinstance(there, DerefPlace) else self._slot(there, at)
            case AddressOf(place):
                found = self._address(place, heap, at, depth)
            case PointerAdd(pointer, _, _):
                inner = self.value(pointer, heap, at, depth)
                if isinstance(inner, Known):
                    return Known.OTHER  # null that was moved is not null, and no object either
                found = Pointer(inner.name, None) if isinstance(inner, Pointer) else None
            case _:
                pass
        if found is None and not self._is_tracked(expr, at.procedure):
            return Known.OTHER
        return found

    def _is_tracked(self, expr: Expr, procedure: str) -> bool:
        values = self.meaning.ground.values_of(expr, procedure)
        return self.meaning.may_be_tracked(values) or any(
            isinstance(value, Target) and value in self.meaning.guarded for value in values or ()
        )

    def _address(self, place: Place, heap: Heap, at: Moment, depth: int) -> Value:
        base = root(place)
        if isinstance(base, DerefPlace):
            inner = self.value(base.pointer, heap, at, depth)
            if place == base:
                return inner
            if isinstance(inner, Pointer):
                one = inner.cell is not None and not _is_element(place)
                cell = inner.cell + offset_in(place) if one and inner.cell is not None else None
                return Pointer(inner.name, cell)
        return self._slot(place, at)

    def _slot(self, place: Place, at: Moment) -> SlotAddress | None:
        there = named_place(place, at.before.known)
        ground = self.meaning.ground
        if not ground.is_exact(place, at.procedure):
            return None
        return self.meaning.slot(there, ground.cells_of(place, at.procedure))

    def cell(
        self, place: Place, heap: Heap, at: Moment, depth: int = DEEPEST
    ) -> SlotAddress | Pointer | None:
        """The slot that a place is, or the cell of an object that the thread has."""
        base = root(place)
        if isinstance(base, DerefPlace):
            inner = self.value(base.pointer, heap, at, depth)
            if inner is Known.NULL:
                raise Nowhere
            if isinstance(inner, SlotAddress):
                slot = place == base and isinstance(place.type, PointerType)
                return self._open(inner, heap, at) if slot else None
            if isinstance(inner, Pointer):
                if heap.node(inner.name, self.meaning.layout) is None:
                    address = self._slot(place, at)
                    return None if address is None else self._open(address, heap, at)
                exact = inner.cell is not None and self.meaning.ground.is_exact(
                    place, at.procedure
                )
                cell = inner.cell + offset_in(place) if exact and inner.cell is not None else None
                return Pointer(inner.name, cell)
        address = self._slot(place, at)
        return None if address is None else self._open(address, heap, at)

    def _content(self, cell: SlotAddress | Pointer | None, heap: Heap) -> Value:
        match cell:
            case Pointer(name, int(number)):
                return heap.nodes[name].get(number)
            case SlotAddress(lock, key):
                return heap.opened[Opened(lock, self.meaning.claim.unit(key))][key]
            case _:
                return None

    # -- units -----------------------------------------------------------------------------------

    def _open(self, address: SlotAddress, heap: Heap, at: Moment) -> SlotAddress | None:
        """A slot, after its unit was opened; None if the thread may not; raises Split."""
        which = Opened(address.lock, self.meaning.claim.unit(address.key))
        right = self._right(which.lock, heap, at)
        if which in heap.opened:
            return address
        if right is None:
            return None
        heap = heap.copy()
        for other in list(heap.opened):
            if other.unit == which.unit and not self.meaning.are_different(
                other.lock, which.lock, at.procedure
            ):
                self.close(other, heap)
        raise Split(list(self._cases(which, heap, borrowed=right is Right.LOOK)))

    def _right(self, lock: Place, heap: Heap, at: Moment) -> Right | None:
        if heap.alone and self.meaning.ground.is_stable_place(lock, at.procedure):
            return Right.CHANGE
        return self.meaning.right(lock, at.before, at.procedure)

    def _cases(self, which: Opened, heap: Heap, *, borrowed: bool) -> Iterator[Heap]:
        """A heap with what a lock goes with."""
        unit = which.unit
        sites = self.meaning.slot_sites(unit.head)
        found = heap.copy()
        if borrowed:
            found.shared.add(which)
        first = found.fresh(sites)
        if borrowed:
            found.borrowed[first] = which.lock
        if unit.tail is None:
            found.trees.add(first)
            found.opened[which] = {unit.head: Pointer(first, 0)}
            yield found
            return
        empty = heap.copy()
        if borrowed:
            empty.shared.add(which)
        tail: Value = {
            Shape.CLEARED: Known.NULL,
            Shape.STALE: None,
            Shape.LINK: SlotAddress(which.lock, unit.head),
        }[unit.shape]
        empty.opened[which] = {unit.head: Known.NULL, unit.tail: tail}
        yield empty
        for last_sites, links in self.meaning.layout(self._tracked(sites)).items():
            some = found.copy()
            last = some.fresh(last_sites)
            some.some.add(first)
            some.nodes[last] = {}
            for cell, leads in links.items():
                if cell == unit.link:
                    some.nodes[last][cell] = Known.NULL
                    continue
                other = some.fresh(leads)
                some.nodes[last][cell] = Pointer(other, 0)
                some.trees.add(other)
                if borrowed:
                    some.borrowed[other] = which.lock
            if unit.link not in links:
                continue
            if borrowed:
                some.borrowed[last] = which.lock
            some.chains[first] = Chain(last, unit.link)
            there = unit.link if unit.shape is Shape.LINK else 0
            some.opened[which] = {unit.head: Pointer(first, 0), unit.tail: Pointer(last, there)}
            yield some

    def _tracked(self, sites: frozenset[str]) -> frozenset[str]:
        """The sites that lists from here consist of: those that links lead to as well."""
        found = set(sites & self.meaning.claim.sites)
        while True:
            more = {
                site
                for name in found
                for unit in self.meaning.claim.tails
                for site in self.meaning.links[name].get(unit.link, ())
                if site in self.meaning.claim.sites
            }
            if more <= found:
                return frozenset(found)
            found |= more

    def close(self, which: Opened, heap: Heap) -> None:
        """Give a unit back; raises Spoilt."""
        if not heap.close(which):
            raise Spoilt(frozenset(which.unit.keys), "a container is not given back as claimed")

    # -- steps -----------------------------------------------------------------------------------

    def after(self, at: Moment, heap: Heap) -> Heap | None:
        """What a thread has after an edge; None if it cannot take it; raises Split, Spoilt."""
        passed = self.passed(at, heap)
        try:
            return None if passed is None else self._done(at, passed)
        except Nowhere:
            return None

    def _done(self, at: Moment, heap: Heap) -> Heap:
        action = at.edge.action
        stores = written(at.edge)
        values = [
            None if value is None else self._stored(target, value, heap, at)
            for target, value in stores
        ]
        cells = [
            None if is_own(target) else self._written(target, heap, at) for target, _ in stores
        ]
        if isinstance(action, Free):
            self._free(action.pointer, heap, at)
        if isinstance(action, Call | Return):
            for which in list(heap.opened):
                self.close(which, heap)
        if isinstance(action, Call):
            heap.store = {p: v for p, v in heap.store.items() if _is_local(p)}
        if isinstance(action, Call) or at.edge.id in self.meaning.ground.threads.starts:
            heap.alone = False
        self._renamed(stores, heap, at)
        for (target, _), value, cell in zip(stores, values, cells, strict=True):
            if is_own(target):
                self._assign(target, value, heap)
            elif cell is not None:
                self._put(cell, value, heap)
        if isinstance(action, Allocate):
            self._allocate(action, heap)
        if finishes(at.edge):
            for which in list(heap.opened):
                self.close(which, heap)
        return heap

    def _stored(self, target: Place, value: Expr, heap: Heap, at: Moment) -> Value:
        if isinstance(target.type, PointerType) and isinstance(value.type, PointerType):
            return self.value(value, heap, at)
        return self._number(value, heap, at) if is_own(target) else None

    def _number(self, expr: Expr, heap: Heap, at: Moment) -> int | None:
        """The number that a variable was set to, or copied from another one."""
        match expr:
            case Const(int(number), _):
                return int(number)
            case Conditional(condition, then, otherwise) if condition in at.outcomes:
                return self._number(then if at.outcomes[condition] else otherwise, heap, at)
            case Read(place) if is_own(place):
                found = heap.store.get(place)
                return found if isinstance(found, int) else None
            case _:
                return None

    def _written(self, target: Place, heap: Heap, at: Moment) -> SlotAddress | Pointer | None:
        """The slot or link that a store is to; None if to none; raises Spoilt."""
        ground = self.meaning.ground
        cells = ground.cells_of(target, at.procedure)
        if cells and cells.isdisjoint(self.meaning.guarded):
            return None
        cell = self.cell(target, heap, at)
        match cell:
            case SlotAddress(lock, key):
                which = Opened(lock, self.meaning.claim.unit(key))
                if which in heap.shared or self._right(lock, heap, at) is not Right.CHANGE:
                    raise Spoilt(frozenset({key}), "a slot is written without its lock")
                return cell
            case Pointer(name, _):
                if name in heap.borrowed:
                    raise Spoilt(heap.sites[name], "a link is written by a reader")
                return cell
            case None:
                raise Spoilt(self._concerned(cells), "a slot or link is written by who has it not")

    def _concerned(self, cells: frozenset[Target]) -> frozenset[str | Key]:
        touched = cells & self.meaning.guarded if cells else self.meaning.guarded
        slots = self.meaning.claim.slots
        return frozenset(slots.get(cell, cell.object) for cell in touched)

    def _put(self, cell: SlotAddress | Pointer, value: Value, heap: Heap) -> None:
        match cell:
            case SlotAddress(lock, key):
                which = Opened(lock, self.meaning.claim.unit(key))
                if which not in heap.opened:
                    raise Spoilt(frozenset({key}), "a step changes a slot and what it is told by")
                heap.opened[which][key] = value
            case Pointer(name, number):
                if name not in heap.nodes:
                    raise Spoilt(heap.sites[name], "a step changes a link and gives it away")
                links = heap.nodes[name]
                if number is None:
                    heap.nodes[name] = dict.fromkeys(links)
                elif number in links:
                    links[number] = value

    def _assign(self, target: Place, value: Value, heap: Heap) -> None:
        heap.store = {p: v for p, v in heap.store.items() if not overlap(p, target)}
        if value is not None and is_definite(target):
            heap.store[target] = value

    def _free(self, pointer: Expr, heap: Heap, at: Moment) -> None:
        value = self.value(pointer, heap, at)
        gone = named(pointer, at.before.known)
        for which in list(heap.opened):  # no thread finds the slots of what has ended
            base = root(which.lock)
            if isinstance(base, DerefPlace) and base.pointer == gone:
                del heap.opened[which]
                heap.shared.discard(which)
        match value:
            case Known():
                return
            case Pointer(name, cell) if cell == 0 and name not in heap.borrowed:
                if heap.node(name, self.meaning.layout) is not None:
                    del heap.nodes[name]
                    return
            case _:
                pass
        values = self.meaning.ground.values_of(pointer, at.procedure)
        sites = self.meaning.led(values) & self.meaning.claim.sites
        if sites:
            raise Spoilt(frozenset(sites), "an object is freed by who has it not")

    def _allocate(self, action: Allocate, heap: Heap) -> None:
        site = self.meaning.ground.memory.objects.site(action)
        if site in self.meaning.claim.sites:
            name = heap.fresh(frozenset({site}))
            initial = Known.NULL if action.cleared else None
            heap.nodes[name] = dict.fromkeys(self.meaning.links[site], initial)
            self._assign(action.target, Pointer(name, 0), heap)
            return
        cells = [cell for cell in sorted(self.meaning.claim.slots) if cell.object == site]
        if cells:
            name = heap.fresh(frozenset({ELSEWHERE}))
            heap.some.add(name)
            self._assign(action.target, Pointer(name, 0), heap)
        for cell in cells:
            self._begin(cell, action, heap)

    def _begin(self, cell: Target, action: Allocate, heap: Heap) -> None:
        """A slot of a new object."""
        key = self.meaning.claim.slots[cell]
        unit = self.meaning.claim.unit(key)
        if action.cleared and (unit.tail is None or unit.shape is not Shape.LINK):
            return
        base = DerefPlace(Read(action.target), action.object_type)
        place = place_of(base, cell.cell)
        address = None if place is None else self.meaning.slot(place, frozenset({cell}))
        if address is None or action.count is not None or not is_own(action.target):
            raise Spoilt(frozenset(unit.keys), "slots of a new object are not known")
        slots = heap.opened.setdefault(Opened(address.lock, unit), dict.fromkeys(unit.keys))
        slots[key] = Known.NULL if action.cleared else None

    # -- names of locks --------------------------------------------------------------------------

    def _renamed(
        self, stores: Sequence[tuple[Place, Expr | None]], heap: Heap, at: Moment
    ) -> None:
        """Units whose locks are named with what is assigned are closed, or get another name."""
        if not heap.opened and not any(
            isinstance(value, SlotAddress) for value in heap.store.values()
        ):
            return
        ground = self.meaning.ground
        own = [target for target, _ in stores if is_own(target)]
        cells: set[Target] = set()
        unknown = False
        for target, _ in stores:
            if not is_own(target):
                found = ground.cells_of(target, at.procedure)
                unknown |= not found
                cells |= found

        def changes(place: Place) -> bool:
            return changes_memory(place) or any(place_mentions(place, each) for each in own)

        def changes_memory(place: Place) -> bool:
            reads = [
                part.place
                for expr in place_expressions(place)
                for part in subexpressions(expr)
                if isinstance(part, Read) and not is_own(part.place)
            ]
            return bool(reads) and (
                unknown
                or any(not cells.isdisjoint(ground.cells_of(p, at.procedure)) for p in reads)
            )

        for which in list(heap.opened):
            if which in heap.opened and changes(which.lock):  # it has no other name
                heir = self._told_otherwise(which.lock, stores, at)
                if (
                    heir is None
                    or changes_memory(heir)
                    or which._replace(lock=heir) in heap.opened
                ):
                    self.close(which, heap)
                else:
                    heap.rename(which.lock, heir)
        heap.forget_names(changes)

    def _told_otherwise(
        self, lock: Place, stores: Sequence[tuple[Place, Expr | None]], at: Moment
    ) -> Place | None:
        """A lock by variables that have the values which others had before a step."""
        own = [target for target, _ in stores if is_own(target)]
        new = {value: target for target, value in stores if is_own(target)}
        known = {value: place for place, value in sorted(at.before.known.items(), key=_spelled)}
        untold: list[Expr] = []

        def change(expr: Expr) -> Expr:
            if not isinstance(expr, Read) or not any(overlap(expr.place, each) for each in own):
                return rebuild(expr, change)
            heir = new.get(expr)
            if heir is not None and is_definite(heir):
                return Read(heir)
            heir = known.get(expr)
            if heir is not None and not any(overlap(heir, each) for each in own):
                return Read(heir)
            untold.append(expr)
            return expr

        found = rebuild_place(lock, change)
        return None if untold else found

    # -- guards ----------------------------------------------------------------------------------

    def _learn(self, at: Moment, heap: Heap) -> None:
        """Which variables are null, by locksets."""
        if not any(isinstance(value, Pointer) for value in heap.store.values()):
            return
        for fact in at.before.facts:
            match fact:
                case Binary(BinaryOp.EQ | BinaryOp.NE as op, Read(place), Const(None, _)) if (
                    is_own(place) and isinstance(heap.store.get(place), Pointer)
                ):
                    self._compare(heap.store[place], Known.NULL, heap, equal=op is BinaryOp.EQ)
                case _:
                    pass
        for place, value in at.before.known.items():
            found = heap.store.get(place)
            if not isinstance(found, Pointer) or not isinstance(place.type, PointerType):
                continue
            if value == Const(NULL, value.type):
                self._compare(found, Known.NULL, heap, equal=True)

    def _passes(self, part: Expr, heap: Heap, at: Moment) -> bool:
        """Whether a condition may hold, which is known then; raises Split."""
        match part:
            case Binary(BinaryOp.EQ | BinaryOp.NE as op, left, right) if isinstance(
                left.type, PointerType
            ):
                first, second = self.value(left, heap, at), self.value(right, heap, at)
                return self._compare(first, second, heap, equal=op is BinaryOp.EQ)
            case IsValid(pointer, _):
                return self.value(pointer, heap, at) is not Known.NULL
            case Unary(UnaryOp.NOT, Binary(BinaryOp.EQ, left, right)) if isinstance(
                left.type, PointerType
            ):
                return self._passes(Binary(BinaryOp.NE, left, right), heap, at)
            case Binary(op, left, right) if op in COMPARISONS:
                one, two = self._number(left, heap, at), self._number(right, heap, at)
                return one is None or two is None or ORDERS[op](one, two)
            case _:
                return True

    def _compare(self, first: Value, second: Value, heap: Heap, *, equal: bool) -> bool:
        if isinstance(second, Pointer) and not isinstance(first, Pointer):
            first, second = second, first
        match first, second:
            case (Known.NULL, Known.NULL):
                return equal
            case (Known.NULL, SlotAddress()) | (SlotAddress(), Known.NULL):
                return not equal
            case (SlotAddress(), SlotAddress()) if first == second:
                return equal
            case (Pointer(name, cell), Known.NULL):
                if name in heap.nodes or name in heap.some:
                    return not equal
                if equal and cell == 0:
                    try:
                        heap.become(name, Known.NULL)
                    except Nowhere:
                        return False
                if not equal and cell == 0:
                    heap.some.add(name)
                return True
            case (Pointer(name, int(cell)), Pointer(other, int(place))):
                if name == other:
                    return equal if cell == place else not equal
                if name in heap.nodes and other in heap.nodes:
                    return not equal
                if equal and cell == place == 0:
                    try:
                        heap.become(name, Pointer(other, 0))
                    except Nowhere:
                        return False
                return True
            case _:
                return True

    # -- custody ---------------------------------------------------------------------------------

    def passed(self, at: Moment, heap: Heap) -> Heap | None:
        """What a thread has that takes an edge; None if it cannot; raises Split."""
        heap = heap.copy()
        try:
            self._learn(at, heap)
            passes = (self._passes(part, heap, at) for part in conjuncts(at.edge.action.guard))
            return heap if all(passes) else None
        except Nowhere:
            return None

    def custody(self, place: Place, at: Moment, heap: Heap) -> Custody | None:
        """How the thread has the object that a place is in; raises Split and Nowhere.

        Nowhere: no object of a tracked site is accessed.
        """
        base = root(place)
        if not isinstance(base, DerefPlace):
            return None
        value = self.value(base.pointer, heap, at)
        if isinstance(value, Known | SlotAddress):
            raise Nowhere
        if not isinstance(value, Pointer):
            return None
        if heap.node(value.name, self.meaning.layout) is None:
            return None
        return Custody.SHARED if value.name in heap.borrowed else Custody.TAKEN


def _spelled(item: tuple[Place, Expr]) -> str:
    return spelled(item[0])


def _is_element(place: Place) -> bool:
    """Whether a place is in an array: then others have the same folded cell."""
    while isinstance(place, FieldPlace | IndexPlace):
        if isinstance(place, IndexPlace):
            return True
        place = place.base
    return False


def _is_local(place: Place) -> bool:
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL
