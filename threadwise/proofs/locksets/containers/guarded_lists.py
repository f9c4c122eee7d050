"""Objects that are guarded by the lock of the list they are in, however many lists there are.

An object of a *homed* site gets a *home* when it escapes: the lock of its list, which it keeps for
ever. Pointers to homed objects are kept, outside of threads' own variables, in these cells only:

    gates       root cells of lists, outside of homed objects; each goes with a lock
                (`threadwise.proofs.locksets.containers.list_locks`), the home of what it points to
    links       cells of homed objects: they point to objects with the same home

So a thread that reaches an object from a gate, link by link, knows its home. A thread knows of its
variables (null has every home):

    homes[v]    the home of what v points to; of an object of its own that is linked already, the
                home of what the links lead to. If v points to a gate, it is the lock of that
    clean       variables of its own with an object of its own that leads to nothing that has a
                home: its links lead nowhere, or to what became a part of it

    v := new          v is clean
    v := gate         homes[v] = the lock of the gate
    v := deref(p).f   homes[v] = homes[p], if f is a link; also if p points to a gate or a link,
                      and v := deref(p). But p + 1 may be another gate, and has no home then
    v := &gate        homes[v] = the lock of the gate; so it is with an element of an array of
                      gates whose index is known to be in bounds
    gate := v         homes[v] must be the lock of the gate, or v is an object of one's own that is
    deref(p).f := v   clean or has that home: then it has got it, and is no longer one's own
    deref(o).f := v   o one's own: as if o had the home of v, which must be the only one so far.
                      If v is one's own, too, and both are clean, v becomes a part of o: it can get
                      no other home than o, since it is no longer one's own

Two accesses to one object, by threads that hold its home, are apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Allocate
from threadwise.ir.expr import (
    AddressOf,
    Const,
    DerefPlace,
    Expr,
    IndexPlace,
    Place,
    PointerAdd,
    PointerToInt,
    Read,
)
from threadwise.ir.fold import number, root, subexpressions
from threadwise.ir.program import Edge
from threadwise.ir.types import POINTER, Address, ArrayType, PointerType, Type
from threadwise.ir.writes import written
from threadwise.proofs.locksets.assignment import Assigned
from threadwise.proofs.locksets.containers.list_locks import lock_of
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.locks import owner_of
from threadwise.proofs.locksets.memory.by_variable import by_variable
from threadwise.proofs.locksets.memory.cells import Target, leaves
from threadwise.proofs.locksets.order import at_most


@dataclass(frozen=True)
class Homes:
    """The rules."""

    ground: Ground

    def of(self, pointer: Expr, knowledge: Knowledge, procedure: str) -> Place | None:
        """The home of the object that a pointer leads to, if it leads anywhere."""
        if not self.ground.homed:
            return None
        return self._home(named(pointer, knowledge.known), knowledge, procedure)

    def _home(self, name: Expr, knowledge: Knowledge, procedure: str) -> Place | None:
        match name:
            case Read(place) if is_own(place):
                return knowledge.homes.get(place)
            case Read(place):
                exact = self.ground.is_exact(place, procedure)
                if not exact or not self._leads_home(name, procedure):
                    return None
                return self.of_cell(place, knowledge, procedure)
            case Const(Address(), _):
                there = by_variable(DerefPlace(name, POINTER), self.ground.threads.program)
                if isinstance(there, DerefPlace):
                    return None
                return self._home(AddressOf(there), knowledge, procedure)
            case PointerAdd(pointer, _, _):
                element = self._element(name, knowledge)
                if element is not None:
                    return self._home(AddressOf(element), knowledge, procedure)
                if self._may_lead_to_gates(pointer, procedure):
                    return None
                return self._home(pointer, knowledge, procedure)
            case AddressOf(place):
                cells = self.ground.cells_of(place, procedure)
                if any(cell in self.ground.gates for cell in cells):
                    exact = self.ground.is_exact(place, procedure) and self._is_gate(cells)
                    return self._lock(place, cells) if exact else None
                base = root(place)
                if not isinstance(base, DerefPlace):
                    return None
                if self._may_lead_to_gates(base.pointer, procedure):
                    return None
                return self._home(base.pointer, knowledge, procedure)
            case _:
                return None

    def _element(self, pointer: PointerAdd, knowledge: Knowledge) -> Place | None:
        """The element of an array that a pointer leads to, if its index is in bounds."""
        match pointer.pointer:
            case AddressOf(place):
                first = place
            case Const(Address()) as address:
                place = DerefPlace(address, pointer.element)
                first = by_variable(place, self.ground.threads.program)
            case _:
                return None
        if first.type != pointer.element or not isinstance(first, IndexPlace):
            return None
        if first.index != number(0):
            return None
        array, index = first.base, pointer.count
        return IndexPlace(array, index) if _is_inside(array.type, index, knowledge) else None

    def of_cell(self, place: Place, knowledge: Knowledge, procedure: str) -> Place | None:
        """The lock of a named gate, or the home of the object that a named link is in."""
        cells = self.ground.cells_of(place, procedure)
        if not cells or not self.ground.is_exact(place, procedure):
            return None
        if self._is_gate(cells):
            lock = self._lock(place, cells)
            if lock is not None:
                return lock
        base = root(place)
        if not isinstance(base, DerefPlace):
            return None
        if self._is_link(cells) or (place == base and self._is_gate_or_link(cells)):
            return self._home(base.pointer, knowledge, procedure)
        return None

    def _is_gate_or_link(self, cells: frozenset[Target]) -> bool:
        gates, homed = self.ground.gates, self.ground.homed
        return all(cell in gates or cell.object in homed for cell in cells)

    def _may_lead_to_gates(self, pointer: Expr, procedure: str) -> bool:
        """Whether a pointer may be one to a gate, beside which there are others."""
        values = self._values(pointer, procedure)
        if values is None:
            return True
        objects = {gate.object for gate in self.ground.gates}
        return any(isinstance(value, Target) and value.object in objects for value in values)

    def _leads_home(self, pointer: Expr, procedure: str) -> bool:
        """Whether a pointer leads to homed objects only."""
        values = self._values(pointer, procedure)
        return values is not None and all(
            value.object in self.ground.homed for value in values if isinstance(value, Target)
        )

    def _values(self, pointer: Expr, procedure: str) -> frozenset[object] | None:
        values = self.ground.memory.of(pointer, procedure)
        return None if values is None else frozenset(values)

    def _is_gate(self, cells: frozenset[Target]) -> bool:
        return bool(cells) and all(cell in self.ground.gates for cell in cells)

    def _is_link(self, cells: frozenset[Target]) -> bool:
        return bool(cells) and all(cell.object in self.ground.homed for cell in cells)

    def _lock(self, place: Place, cells: frozenset[Target]) -> Place | None:
        """The lock that goes with a gate."""
        keys = {self.ground.gates[cell] for cell in cells}
        if len(keys) != 1:
            return None
        program = self.ground.threads.program
        return lock_of(keys.pop(), by_variable(place, program), program)

    # -- own variables ---------------------------------------------------------------------------

    def assigned(
        self, edge: Edge, value: Expr | None, before: Knowledge, change: Assigned, procedure: str
    ) -> Assigned:
        """What a variable gets, with what is known of the object's home."""
        if not self.ground.homed or not isinstance(change.target.type, PointerType):
            return change
        if isinstance(edge.action, Allocate):
            return replace(change, clean=change.site in self.ground.homed)
        if value is None:
            return change
        home = self.of(value, before, procedure)
        return replace(change, home=home, clean=self._is_clean(value, before))

    def _is_clean(self, value: Expr, knowledge: Knowledge) -> bool:
        """Whether a value points to an object of one's own without links."""
        name = named(value, knowledge.known)
        return isinstance(name, Read) and name.place in knowledge.clean

    # -- stores ----------------------------------------------------------------------------------

    def stored(
        self,
        target: Place,
        value: Expr | None,
        before: Knowledge,
        after: Knowledge,
        procedure: str,
    ) -> Knowledge:
        """What is known of homes after a pointer was stored in memory."""
        if value is None or not self.ground.homed or not isinstance(value.type, PointerType):
            return after
        if not self._carries(value, procedure):
            return after
        there = named_place(target, before.known)
        joined = self._joining(there, value, before, procedure)
        if joined is not None:
            return replace(
                after,
                owned={p: site for p, site in after.owned.items() if p != joined},
                clean=after.clean - {joined},
            )
        home = self._home_there(there, value, before, procedure)
        if home is None:
            return after
        owner = owner_of(there, before)
        is_gate = self._is_gate(self.ground.cells_of(there, procedure))
        if owner is not None and not is_gate:
            return replace(after, homes={**after.homes, owner: home}, clean=frozenset())
        own = self._own(value, before)
        if own is not None:
            return replace(after, homes={**after.homes, own: home}, clean=frozenset())
        return after

    def _home_there(
        self, there: Place, value: Expr, before: Knowledge, procedure: str
    ) -> Place | None:
        """The home that what is stored somewhere must have, or gets; None if it may not be."""
        cells = self.ground.cells_of(there, procedure)
        home = self.of(value, before, procedure)
        owner = owner_of(there, before)
        if not self.ground.is_exact(there, procedure):
            return None
        if not self._is_link(cells):
            wanted = (
                None
                if owner is not None and not self._is_gate(cells)
                else (self.of_cell(there, before, procedure))
            )
        elif owner is not None:
            if owner in before.clean:
                return home if self._own(value, before) is None else None
            wanted = before.homes.get(owner)
            if self._own(value, before) is not None:
                return None
        else:
            base = root(there)
            assert isinstance(base, DerefPlace)
            wanted = self._home(base.pointer, before, procedure)
        if wanted is None or not self.ground.is_stable_place(wanted, procedure):
            return None
        own = self._own(value, before)
        return wanted if home == wanted or (own is not None and own in before.clean) else None

    def _joining(
        self, there: Place, value: Expr, before: Knowledge, procedure: str
    ) -> Place | None:
        """The variable whose object, one's own without links, becomes a part of another such."""
        cells = self.ground.cells_of(there, procedure)
        owner, own = owner_of(there, before), self._own(value, before)
        if owner is None or own is None or own == owner or own not in before.clean:
            return None
        exact = self.ground.is_exact(there, procedure) and self._is_link(cells)
        return own if exact and owner in before.clean else None

    def _own(self, value: Expr, before: Knowledge) -> Place | None:
        """The variable by which the thread owns the object that a value points to."""
        name = named(value, before.known)
        return name.place if isinstance(name, Read) and name.place in before.owned else None

    def _carries(self, value: Expr, procedure: str) -> bool:
        """Whether a value holds a pointer to a homed object."""
        return next(self._carried(value, procedure), None) is not None

    def _carried(self, value: Expr, procedure: str) -> Iterator[str]:
        parts = [value] if isinstance(value.type, PointerType) else []
        parts += [p.pointer for p in subexpressions(value) if isinstance(p, PointerToInt)]
        for part in parts:
            values = self._values(part, procedure)
            if values is None:
                yield from sorted(self.ground.homed)
                continue
            objects = {v.object for v in values if isinstance(v, Target)}
            yield from sorted(objects & self.ground.homed)

    # -- what must not happen --------------------------------------------------------------------

    def strays(self, edge: Edge, before: Knowledge, procedure: str) -> Iterator[str]:
        """The sites whose objects an edge may put where they have no home, or another one."""
        for target, value in written(edge):
            if is_own(target):
                continue
            if value is None or not self.ground.is_exact(target, procedure):
                yield from self._held(target, procedure)
            if value is None:
                continue
            carried = list(self._carried(value, procedure))
            if not carried:
                continue
            there = named_place(target, before.known)
            pointer = isinstance(value.type, PointerType)
            if pointer and self._joining(there, value, before, procedure) is not None:
                continue
            if not pointer or self._home_there(there, value, before, procedure) is None:
                yield from carried

    def _held(self, target: Place, procedure: str) -> Iterator[str]:
        """The homed objects that a place may lead to."""
        cells = self.ground.cells_of(target, procedure)
        if not cells:
            yield from sorted(self.ground.homed)
        yield from sorted({cell.object for cell in cells} & self.ground.homed)
        for cell in sorted(cells):
            values = self.ground.memory.values.get(cell, frozenset())
            if values is None:
                yield from sorted(self.ground.homed) if self._may_be_pointer(cell) else ()
            else:
                objects = {v.object for v in values if isinstance(v, Target)}
                yield from sorted(objects & self.ground.homed)

    def _may_be_pointer(self, cell: Target) -> bool:
        """Whether a cell may hold a pointer; one of an object that there is not may hold any."""
        held = self.ground.memory.objects.types.get(cell.object)
        scalars = [] if held is None else list(leaves(held))
        return cell.cell >= len(scalars) or isinstance(scalars[cell.cell], PointerType)


def _is_inside(array: Type, index: Expr, knowledge: Knowledge) -> bool:
    """Whether an index is known to be in the bounds of an array."""
    if not isinstance(array, ArrayType) or not isinstance(array.extent, int):
        return False
    known, facts = knowledge.known, knowledge.facts
    last = number(array.extent - 1)
    return at_most(number(0), index, known, facts) and at_most(index, last, known, facts)
