"""How a step changes what a thread owns, and what it must not do: symbolic execution.

    p := new            the thread owns the object: a node
    free(p)             it must own the object, and owns it no longer
    x := e              what e is (`values`)
    slot := e           the thread must have a right to change the unit
    p.link := e         the thread must own the object, not only for reading
    when e              whether it may hold (`conditions`)

Where a thread loses its right to a unit (it gives the lock back, starts a thread, makes the
container escape), where its lock gets another name (`lock_names`), where the thread ends, and at
calls and returns, the unit is closed: it must be as claimed, and its parts are the thread's no
longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Allocate, Call, Free, Return
from threadwise.ir.expr import (
    Binary,
    DerefPlace,
    Expr,
    Place,
    Read,
    Scope,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import (
    root,
)
from threadwise.ir.types import PointerType
from threadwise.ir.writes import written
from threadwise.proofs.locksets.certificate import Key
from threadwise.proofs.locksets.containers.handover import Custody
from threadwise.proofs.locksets.knowledge import (
    is_definite,
    is_own,
    named,
    named_place,
    overlap,
    place_mentions,
)
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.refined.effects import _finishes as finishes
from threadwise.proofs.locksets.resources.claims import Shape
from threadwise.proofs.locksets.resources.conditions import Conditions
from threadwise.proofs.locksets.resources.ground import (
    Meaning,
    Right,
    place_of,
)
from threadwise.proofs.locksets.resources.heap import (
    ELSEWHERE,
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
from threadwise.proofs.locksets.resources.lock_names import LockNames
from threadwise.proofs.locksets.resources.values import Moment, Spoilt, Values

__all__ = ["Effects", "Moment", "Spoilt"]


NOT_AT_ALL = Hold(None, receipt=False)


@dataclass(frozen=True)
class Effects:
    """The steps of a program."""

    meaning: Meaning

    @cached_property
    def _values(self) -> Values:
        return Values(self.meaning)

    @cached_property
    def _conditions(self) -> Conditions:
        return Conditions(self._values)

    @cached_property
    def _lock_names(self) -> LockNames:
        return LockNames(self._values)

    def close(self, which: Opened, heap: Heap) -> None:
        """Give a unit back; raises Spoilt."""
        self._values.close(which, heap)

    def give_back(self, heap: Heap, name: int) -> None:
        """An object is its own thread's again; raises Spoilt."""
        self._values.give_back(heap, name)

    def passed(self, at: Moment, heap: Heap) -> Heap | None:
        """What a thread has that takes an edge; None if it cannot; raises Split."""
        return self._conditions.passed(at, heap)

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
        counted = list(self._counted(cells, values, heap))
        if len(counted) > 1:
            raise Spoilt(heap.sites[counted[0][0]], "two counts change at once")
        if isinstance(action, Free):
            self._free(action.pointer, heap, at)
        self._grant(stores, values, heap, at)
        if isinstance(action, Call | Return):
            self._let_go(heap)
        if isinstance(action, Call):
            heap.store = {p: v for p, v in heap.store.items() if _is_local(p)}
        if isinstance(action, Call) or at.edge.id in self.meaning.ground.threads.starts:
            heap.alone = False
        for (target, _), value, cell in zip(stores, values, cells, strict=True):
            if is_own(target):
                self._assign(target, value, heap)
            elif cell is not None and not (isinstance(cell, Pointer) and cell.name in heap.shares):
                self._put(cell, value, heap)
                self._mark(target, cell, heap, at)
        for name, by, last, lock in counted:
            links = self.meaning.links_of(heap.sites[name]) if last else None
            heap.recount(name, by, links)
            count = heap.count_of(name)
            if last and count is not None:
                heap.nodes[name][count] = 0
            elif not last:
                heap.others[name] = lock
        self._lock_names.renamed(stores, heap, at)  # all of this was in the names of before
        if isinstance(action, Allocate):
            self._allocate(action, heap)
        if finishes(at.edge):
            self._let_go(heap)
        return heap

    def _counted(
        self,
        cells: Sequence[SlotAddress | Pointer | None],
        values: Sequence[Value],
        heap: Heap,
    ) -> Iterator[tuple[int, int, bool, Place | None]]:
        """The counts that a step changes, by how much, whether that was the last reference, and
        the lock.

        Raises Split where it may be either, and Spoilt. Links of shared objects stay as they are.
        """
        for cell, value in zip(cells, values, strict=True):
            if not isinstance(cell, Pointer) or cell.name not in heap.shares:
                continue
            name, sites = cell.name, heap.sites[cell.name]
            if cell.cell is None or cell.cell != heap.count_of(name):
                raise Spoilt(sites, "a link of an object is written that is shared")
            if name in heap.borrowed or not isinstance(value, Count) or value.name != name:
                raise Spoilt(sites, "a count gets a number that is not known")
            if value.more not in (1, -1):
                raise Spoilt(sites, "a count changes by more than one")
            if value.more == 1 or heap.shares[name] > 1:
                yield name, value.more, False, value.lock
                continue
            if name not in heap.seen:
                either = [heap.copy(), heap.copy()]
                for left, case in enumerate(either):
                    case.seen[name] = left
                raise Split(either)
            yield name, -1, heap.seen[name] == 0, value.lock

    def _grant(
        self,
        stores: Sequence[tuple[Place, Expr | None]],
        values: Sequence[Value],
        heap: Heap,
        at: Moment,
    ) -> None:
        """A thread that is started gets what its argument leads to; raises Spoilt."""
        template = self.meaning.ground.threads.starts.get(at.edge.id)
        place = None if template is None else self.meaning.arguments.get(template)
        if template is None or place is None:
            return
        given = [v for (t, _), v in zip(stores, values, strict=True) if root(t) == root(place)]
        if len(given) != 1 or not heap.take_tree(given[0]):
            raise Spoilt(frozenset({template}), "a thread is started without a reference")

    def _let_go(self, heap: Heap) -> None:
        """Give everything back that others may have; raises Spoilt."""
        for name in list(heap.marked):
            self.give_back(heap, name)
        for which in list(heap.opened):
            self.close(which, heap)
        heap.forget_counts()

    def _stored(self, target: Place, value: Expr, heap: Heap, at: Moment) -> Value:
        if isinstance(target.type, PointerType) and isinstance(value.type, PointerType):
            return self._values.value(value, heap, at)
        numbers = self.meaning.numbers
        if not is_own(target) and numbers:
            cells = self.meaning.ground.cells_of(target, at.procedure)
            return self._values.number(value, heap, at) if cells <= numbers.keys() else None
        found = self._values.number(value, heap, at) if is_own(target) else None
        counter = isinstance(found, int) and isinstance(value, Wrap | Binary)
        return None if counter else found  # numbers of rounds would be told apart

    def _written(self, target: Place, heap: Heap, at: Moment) -> SlotAddress | Pointer | None:
        """The slot or link that a store is to; None if to none; raises Spoilt."""
        ground = self.meaning.ground
        cells = ground.cells_of(target, at.procedure)
        if cells and cells.isdisjoint(self.meaning.guarded):
            return None
        cell = self._values.cell(target, heap, at)
        match cell:
            case SlotAddress(lock, key, element):
                which = Opened(lock, self.meaning.claim.unit(key), element)
                if which in heap.shared or self._values.right(lock, heap, at) is not Right.CHANGE:
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
            case SlotAddress(lock, key, element):
                which = Opened(lock, self.meaning.claim.unit(key), element)
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

    def _mark(self, target: Place, cell: SlotAddress | Pointer, heap: Heap, at: Moment) -> None:
        """An object whose flag is not 0 any more is given back when the lock is; raises Spoilt.

        The thread that has the receipt may set and clear the flag of an object that it has.
        """
        flags = self.meaning.flag_of
        if not flags or not isinstance(cell, Pointer) or cell.name in heap.receipts:
            return
        sites = heap.sites[cell.name] & flags.keys()
        if cell.cell is not None and cell.cell not in {flags[site] for site in sites}:
            return
        values = [heap.nodes[cell.name].get(flags[site]) for site in sites]
        heap.marked.pop(cell.name, None)
        if all(value == 0 for value in values):
            return
        cells = self.meaning.ground.cells_of(target, at.procedure)
        lock, known = self.meaning.number_lock(named_place(target, at.before.known), cells)
        if not known or not all(isinstance(value, int) for value in values):
            raise Spoilt(sites, "a flag gets a number that is not known")
        if lock is not None and self._values.right(lock, heap, at) is not Right.CHANGE:
            raise Spoilt(sites, "a flag is set without its lock")
        heap.marked[cell.name] = lock

    def _assign(self, target: Place, value: Value, heap: Heap) -> None:
        for name, lock in list(heap.marked.items()):
            if lock is not None and place_mentions(lock, target):  # it has no other name
                self.give_back(heap, name)
        heap.store = {p: v for p, v in heap.store.items() if not overlap(p, target)}
        if value is not None and is_definite(target):
            heap.store[target] = value

    def _free(self, pointer: Expr, heap: Heap, at: Moment) -> None:
        value = self._values.value(pointer, heap, at)
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
                    heap.marked.pop(name, None)
                    heap.receipts.discard(name)
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
            heap.receipts.add(name)
            number = self.meaning.flag_of.get(site, self.meaning.plan.counts.get(site))
            if number is not None:
                heap.nodes[name][number] = 0 if action.cleared else None
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
        which = Opened(address.lock, unit, address.element)
        slots = heap.opened.setdefault(which, dict.fromkeys(unit.keys))
        slots[key] = Known.NULL if action.cleared else None

    def hold(self, place: Place, at: Moment, heap: Heap) -> Hold:
        """How the thread has the object that a place is in; raises Split and Nowhere.

        Nowhere: no object of a tracked site is accessed.
        """
        base = root(place)
        if not isinstance(base, DerefPlace):
            return NOT_AT_ALL
        value = self._values.value(base.pointer, heap, at)
        if isinstance(value, Known | SlotAddress):
            raise Nowhere
        if not isinstance(value, Pointer):
            return NOT_AT_ALL
        receipt = value.name in heap.receipts
        if heap.node(value.name, self.meaning.layout) is None:
            counted = heap.custody(value.name) is Custody.COUNTED
            return Hold(Custody.COUNTED if counted else None, receipt)
        return Hold(Custody.SHARED if value.name in heap.borrowed else Custody.TAKEN, receipt)


def _is_local(place: Place) -> bool:
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL
