"""What pointers are in a symbolic heap, and how a thread gets at what a lock goes with.

    x := slot           the unit is opened if the thread may: then x is what the slot holds
    x := p.link         if the thread owns the object: the value of its link

A unit that is opened may be in one of several ways: `Split` says in which.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import (
    MIRRORED,
    AddressOf,
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
    Read,
    Wrap,
)
from threadwise.ir.fold import (
    root,
)
from threadwise.ir.program import Edge
from threadwise.ir.types import POINTER, Address, PointerType
from threadwise.proofs.locksets.certificate import Key
from threadwise.proofs.locksets.guards import Outcomes
from threadwise.proofs.locksets.knowledge import (
    Knowledge,
    is_own,
    named_place,
)
from threadwise.proofs.locksets.memory.by_variable import by_variable
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.resources.claims import Shape
from threadwise.proofs.locksets.resources.ground import (
    Meaning,
    Right,
    offset_in,
)
from threadwise.proofs.locksets.resources.heap import (
    AtLeast,
    Chain,
    Count,
    Heap,
    Known,
    Nowhere,
    Opened,
    Pointer,
    SlotAddress,
    Split,
    Value,
)

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


ORDERS: Mapping[BinaryOp, Callable[[int, int], bool]] = {
    BinaryOp.EQ: operator.eq,
    BinaryOp.NE: operator.ne,
    BinaryOp.LT: operator.lt,
    BinaryOp.LE: operator.le,
    BinaryOp.GT: operator.gt,
    BinaryOp.GE: operator.ge,
}
Number = int | Count | AtLeast | None


def _added(number: Number, by: int) -> Number:
    """A number and a constant; only counts may become larger than a type allows."""
    match number:
        case Count(_, more, _):
            return number._replace(more=more + by)
        case int(value):
            return value + by
        case AtLeast(least) if by <= 0:
            return AtLeast(least + by)
        case _:
            return None


def compared(op: BinaryOp, one: Number, two: Number) -> bool | None:
    """Whether two numbers compare so, if that is known."""
    if isinstance(one, int) and isinstance(two, int):
        return ORDERS[op](one, two)
    if isinstance(one, int) and two is not None:
        return compared(MIRRORED[op], two, one)
    if one is None or isinstance(one, int) or not isinstance(two, int):
        return None
    least = one.least if isinstance(one, AtLeast) else 1 + one.more
    if least < two or (least == two and op not in (BinaryOp.GE, BinaryOp.LT)):
        return None
    return op in (BinaryOp.NE, BinaryOp.GT, BinaryOp.GE)


@dataclass(frozen=True)
class Values:
    """What expressions of a program are."""

    meaning: Meaning

    def value(self, expr: Expr, heap: Heap, at: Moment, depth: int = DEEPEST) -> Value:
        """What a pointer is; raises Split and Nowhere."""
        found: Value = None
        match expr:
            case Const(None, PointerType()):
                return Known.NULL
            case Conditional(condition, then, otherwise) if condition in at.outcomes:
                chosen = then if at.outcomes[condition] else otherwise
                return self.value(chosen, heap, at, depth)
            case Read(place) if is_own(place) or place in heap.store:
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
        found = self.meaning.slot(there, ground.cells_of(place, at.procedure))
        if found is None or found.element is None:
            return found
        return found if ground.is_stable_place(found.element, at.procedure) else None

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
                return self.open(inner, heap, at) if slot else None
            if isinstance(inner, Pointer):
                if (
                    heap.node(inner.name, self.meaning.layout) is None
                    and inner.name not in heap.shares
                ):
                    address = self._slot(place, at)
                    return None if address is None else self.open(address, heap, at)
                exact = inner.cell is not None and self.meaning.ground.is_exact(
                    place, at.procedure
                )
                cell = inner.cell + offset_in(place) if exact and inner.cell is not None else None
                return Pointer(inner.name, cell)
        address = self._slot(place, at)
        return None if address is None else self.open(address, heap, at)

    def _content(self, cell: SlotAddress | Pointer | None, heap: Heap) -> Value:
        match cell:
            case Pointer(name, int(number)) if name in heap.shares:
                leads = self.meaning.links_of(heap.sites[name]).get(number)
                if leads is None:
                    return None
                found = heap.fresh(leads)
                heap.inside[found] = name
                return Pointer(found, 0)
            case Pointer(name, int(number)):
                return heap.nodes[name].get(number)
            case SlotAddress(lock, key, element):
                return heap.opened[Opened(lock, self.meaning.claim.unit(key), element)][key]
            case _:
                return None

    def number(self, expr: Expr, heap: Heap, at: Moment) -> Number:
        """What is known of a number: what a variable was set to, flags and counts."""
        match expr:
            case Const(int(number), _):
                return int(number)
            case Conditional(condition, then, otherwise) if condition in at.outcomes:
                return self.number(then if at.outcomes[condition] else otherwise, heap, at)
            case Conditional(Binary(op, left, right), then, otherwise) if op in ORDERS:
                one, two = self.number(left, heap, at), self.number(right, heap, at)
                holds = compared(op, one, two)
                return (
                    None if holds is None else self.number(then if holds else otherwise, heap, at)
                )
            case Read(place) if is_own(place):
                found = heap.store.get(place)
                return found if isinstance(found, int | Count | AtLeast) else None
            case Read(place):
                return self._held_number(place, heap, at) if self.meaning.numbers else None
            case Wrap(low, high, inner):
                found = self.number(inner, heap, at)
                least = found.least if isinstance(found, AtLeast) else found
                fits = not isinstance(least, int) or low <= least <= high
                return found if fits else None
            case Binary(BinaryOp.ADD | BinaryOp.SUB as op, left, Const(int(by), _)):
                return _added(self.number(left, heap, at), by if op is BinaryOp.ADD else -by)
            case _:
                return None

    # -- flags -----------------------------------------------------------------------------------

    def _held_number(self, place: Place, heap: Heap, at: Moment) -> Number:
        """The number in a flag or count; raises Split: if a flag is not 0, the object is back."""
        cells, base = self.meaning.ground.cells_of(place, at.procedure), root(place)
        if not cells or not isinstance(base, DerefPlace):
            return None
        if not cells <= self.meaning.numbers.keys():
            return None
        inner = self.value(base.pointer, heap, at)
        if not isinstance(inner, Pointer) or inner.cell is None:
            return None
        if not self.meaning.ground.is_exact(place, at.procedure):
            return None
        node = heap.node(inner.name, self.meaning.layout)
        if node is not None:
            found = node.get(inner.cell + offset_in(place))
            return found if isinstance(found, int) else None
        lock, known = self.meaning.number_lock(named_place(place, at.before.known), cells)
        if not known or (lock is not None and self.right(lock, heap, at) is not Right.CHANGE):
            return None
        if inner.name in heap.shares:
            counted = inner.cell + offset_in(place) == heap.count_of(inner.name)
            return Count(inner.name, 0, lock) if counted else None
        if inner.name in heap.others:
            return AtLeast(1)
        if not cells <= self.meaning.claim.flags.keys():
            return None
        if inner.name in heap.seen:
            return heap.seen[inner.name]
        if inner.name not in heap.receipts or heap.marked:
            return None
        raise Split(list(self._returned(inner.name, heap)))

    def _returned(self, name: int, heap: Heap) -> Iterator[Heap]:
        """The ways in which an object that a thread has allocated may be: elsewhere, or back."""
        elsewhere = heap.copy()
        elsewhere.seen[name] = 0
        yield elsewhere
        tracked = heap.sites[name] & self.meaning.claim.sites
        for sites, links in self.meaning.layout(tracked).items():
            values = {v for site in sites for v in self.meaning.flag_values(site)} - {0}
            for value in sorted(values):
                found = heap.copy()
                found.sites[name] = sites
                found.some.add(name)
                found.nodes[name] = {}
                for cell, leads in links.items():
                    loose = any(Target(site, cell) in self.meaning.claim.loose for site in sites)
                    if leads is None or loose:
                        found.nodes[name][cell] = value if leads is None else None
                        continue
                    following = found.fresh(leads)
                    found.nodes[name][cell] = Pointer(following, 0)
                    found.trees.add(following)
                yield found

    def give_back(self, heap: Heap, name: int) -> None:
        """An object is its own thread's again, which has the receipt; raises Spoilt."""
        sites = heap.sites[name]
        links = heap.nodes.pop(name)
        del heap.marked[name]
        others = [
            value
            for cell, value in links.items()
            if not isinstance(value, int)
            and not all(Target(site, cell) in self.meaning.claim.loose for site in sites)
        ]
        if not all(map(heap.take_tree, others)):
            raise Spoilt(sites, "what an object leads to is not given back with it")

    # -- units -----------------------------------------------------------------------------------

    def open(self, address: SlotAddress, heap: Heap, at: Moment) -> SlotAddress | None:
        """A slot, after its unit was opened; None if the thread may not; raises Split."""
        which = Opened(address.lock, self.meaning.claim.unit(address.key), address.element)
        right = self.right(which.lock, heap, at)
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

    def right(self, lock: Place, heap: Heap, at: Moment) -> Right | None:
        """What a thread may do with the units of a lock."""
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
            Shape.LINK: SlotAddress(which.lock, unit.head, which.element),
        }[unit.shape]
        empty.opened[which] = {unit.head: Known.NULL, unit.tail: tail}
        yield empty
        for last_sites, links in self.meaning.layout(self._tracked(sites)).items():
            some = found.copy()
            last = some.fresh(last_sites)
            some.some.add(first)
            some.nodes[last] = {}
            for cell, leads in links.items():
                if leads is None or cell == unit.link:
                    some.nodes[last][cell] = 0 if leads is None else Known.NULL
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


def _is_element(place: Place) -> bool:
    """Whether a place is in an array: then others have the same folded cell."""
    while isinstance(place, FieldPlace | IndexPlace):
        if isinstance(place, IndexPlace):
            return True
        place = place.base
    return False
