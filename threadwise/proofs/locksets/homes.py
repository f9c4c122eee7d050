"""Objects that are protected by the lock of the list they are in, however many lists there are.

An object of a *homed* site gets a home when others can find it first: a lock, which it keeps for
ever. Pointers to homed objects are kept, outside of threads' own variables, in these cells only:

    gates       cells outside of homed objects; each goes with a lock
                (`threadwise.proofs.locksets.gates`), the home of what it points to
    links       cells of homed objects: they point to objects with the same home

So whoever comes to an object from a gate, link by link, knows its home. A thread knows of its
variables (null is at home everywhere):

    homes[v]    the home of what v points to; of an object of its own that is linked already, the
                home of what the links lead to
    clean       variables of its own with an object of its own whose links lead nowhere

    v := new          v is clean
    v := gate         homes[v] = the lock of the gate
    v := deref(p).f   homes[v] = homes[p], if f is a link
    gate := v         homes[v] must be the lock of the gate, or v is an object of one's own that is
    deref(p).f := v   clean or has that home: then it has got it, and is no longer one's own
    deref(o).f := v   o one's own: as if o had the home of v, which must be the only one so far

Two accesses to one object, by threads that hold its home, are apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from threadwise.ir.commands import Allocate
from threadwise.ir.expr import (
    AddressOf,
    DerefPlace,
    Expr,
    Place,
    PointerAdd,
    PointerToInt,
    Read,
)
from threadwise.ir.fold import root, subexpressions
from threadwise.ir.program import Edge
from threadwise.ir.types import PointerType
from threadwise.proofs.locksets.assignment import Assigned
from threadwise.proofs.locksets.by_variable import by_variable
from threadwise.proofs.locksets.cells import Target
from threadwise.proofs.locksets.gates import lock_of
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.locks import owner_of
from threadwise.proofs.locksets.threads import written


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
                cells = self.ground.cells_of(place, procedure)
                if self._is_gate(cells):
                    return self._lock(place, cells)
                base = root(place)
                if isinstance(base, DerefPlace) and self._is_link(cells):
                    return self._home(base.pointer, knowledge, procedure)
                return None
            case PointerAdd(pointer, _, _):
                return self._home(pointer, knowledge, procedure)
            case AddressOf(place):
                base = root(place)
                if isinstance(base, DerefPlace):
                    return self._home(base.pointer, knowledge, procedure)
                return None
            case _:
                return None

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
        if self._is_gate(cells):
            wanted = self._lock(there, cells)
        elif not self._is_link(cells):
            return None
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
                yield from sorted(self.ground.homed)
            else:
                objects = {v.object for v in values if isinstance(v, Target)}
                yield from sorted(objects & self.ground.homed)
