"""Ownership transfer: objects taken out of a container under its lock, then used without it.

Sites, and arrays of records (`...containers.pools`), may be claimed to be *handed*. Pointers to
their objects are kept, outside of threads' own variables, in these cells only:

    slots    cells outside of handed objects; each goes with a lock (`...locksets.gates`). Numbers
             may be slots too: indices of slots that only change under the lock
    links    cells of handed objects

A thread that writes a slot holds its lock alone, or runs alone, or owns the object of the slot;
one that writes a link owns the object, or holds the lock of the container that it is in. So every
handed object has a *status*: owned by a thread, or in a container, by the only cell that refers to
it. (The cells of an object that is not *whole* do not count; no other thread can read these.) What
is stored in a slot or link is one of

    null            what was there before is in no container any more: `take`
    a taken object  a variable of the thread is the only reference to it: `put`
    the next one    c := j.next where j is what c held: `unlink`; the object of j is taken,
                    and not whole, until its link is written again
    a copy          n.next := c for a taken n, which is not whole then, until c := n (`link`)

A thread knows of its variables (of null, and of other objects, this says nothing):

    taken    the object is its own, and no cell refers to it; different variables have different
             objects, unless one is known to be the value of the other
    whole    what its links lead to is its own as well
    lent     the object is in a container of which it holds this lock, or it runs alone
    same     the place holds what the cell holds: a variable, or the link of a taken object

Why it is stable: other threads write links only of objects that they own or hold the lock of, and
slots only under their locks; and they put only what they own. Two accesses to a handed object are
apart if both threads have it in custody, not both for reading: one object cannot be taken by two,
nor be taken and in a container, and both cannot hold its container's lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property, partial
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Allocate, Free
from threadwise.ir.expr import (
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    IndexPlace,
    Place,
    PointerAdd,
    Read,
)
from threadwise.ir.fold import place_expressions, rebuild, rebuild_place, root, subexpressions
from threadwise.ir.program import Edge
from threadwise.ir.types import (
    NULL,
    PointerType,
    is_integer,
)
from threadwise.ir.writes import written
from threadwise.proofs.locksets.assignment import Assigned
from threadwise.proofs.locksets.beyond import ANYWHERE, ESCAPED
from threadwise.proofs.locksets.certificate import Discipline
from threadwise.proofs.locksets.containers.list_locks import lock_of
from threadwise.proofs.locksets.containers.pools import Element, Pools
from threadwise.proofs.locksets.containers.unused import left_by
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.locks import owner_of
from threadwise.proofs.locksets.memory.by_variable import by_variable
from threadwise.proofs.locksets.memory.cells import (
    UNKNOWN,
    Target,
    is_site,
    leaves,
    repeated_cells,
)
from threadwise.proofs.locksets.memory.objects import BYTES
from threadwise.proofs.locksets.memory.single import is_array

DEEPEST = 8
"""So many links are followed from a variable to one whose object is known."""


class Custody(Enum):
    """How a thread may use an object."""

    TAKEN = "taken"
    ALONE = "alone"
    """It is in a container whose lock the thread holds, or no other thread runs."""
    SHARED = "shared"
    """The same for reading."""
    COUNTED = "counted"
    """It holds a reference that is counted: no thread has the object alone."""


class Status(NamedTuple):
    """Where an object is: in the container of a lock, or with the thread."""

    custody: Custody
    lock: Place | None
    owner: Place | None = None
    """The taken variable that it is found from."""


class Act(NamedTuple):
    """What a store to a slot or link does."""

    there: Place
    cells: frozenset[Target]
    lock: Place | None
    """That of the container."""
    owner: Place | None
    """If it is the link of an object of one's own: the variable that it is found from."""
    put: Place | None = None
    """The variable whose object is put there."""
    linked: bool = False
    """It is linked to what was there before."""
    following: Place | None = None
    """The link of what was there before whose pointer is stored."""
    copied: Place | None = None
    """The cell of a container whose pointer is stored in an object of one's own."""
    inside: Element | None = None
    """The element of a pool whose link it is, if that was found by name."""
    issue: Element | None = None
    """The unused element whose address is stored."""


@dataclass(frozen=True)
class Handover:
    """The rules."""

    ground: Ground

    @cached_property
    def pools(self) -> Pools:
        """The rules about elements of arrays."""
        return Pools(self.ground)

    @cached_property
    def links(self) -> frozenset[Target]:
        """The cells of handed objects that may hold pointers to handed objects."""
        return frozenset(
            Target(site, cell)
            for site in self.ground.handed
            for cell, leaf in enumerate(leaves(self.ground.memory.objects.types[site]))
            if isinstance(leaf, PointerType) and self._leads(Target(site, cell))
        )

    @cached_property
    def guarded(self) -> frozenset[Target]:
        """All cells that are written by the rules only."""
        return self.links | self.ground.slots.keys()

    def _leads(self, cell: Target) -> bool:
        values = self.ground.memory.values.get(cell, frozenset())
        return values is None or any(
            isinstance(value, Target) and value.object in self.ground.handed for value in values
        )

    # -- custody ---------------------------------------------------------------------------------

    def custody(self, place: Place, knowledge: Knowledge, procedure: str) -> Custody | None:
        """How the thread may use the handed object that a named place is in."""
        status = self._around(place, knowledge, procedure)
        return None if status is None else status.custody

    def _status(
        self, pointer: Expr, knowledge: Knowledge, procedure: str, depth: int = DEEPEST
    ) -> Status | None:
        match pointer:
            case Read(place) if is_own(place):
                if place in knowledge.taken:
                    return Status(Custody.TAKEN, None, place)
                if place in knowledge.lent:
                    return self._in(knowledge.lent[place], knowledge, procedure)
                cell = knowledge.same.get(place)
                if cell is None or depth == 0:
                    return None
                return self._content(cell, knowledge, procedure, depth - 1)
            case Read(place) if depth > 0:
                return self._content(self._told(place, knowledge), knowledge, procedure, depth - 1)
            case PointerAdd(inner, _, _) if self.pools.may_move(inner, procedure):
                return self._status(inner, knowledge, procedure, depth)
            case AddressOf(place):
                return self._around(place, knowledge, procedure, depth)
            case _:
                return None

    def _around(
        self, place: Place, knowledge: Knowledge, procedure: str, depth: int = DEEPEST
    ) -> Status | None:
        """The status of the object that a place is in, if that is found by a pointer."""
        base = root(place)
        if not isinstance(base, DerefPlace) or not self.pools.is_within(base):
            return None
        return self._status(base.pointer, knowledge, procedure, depth)

    def _content(
        self, place: Place, knowledge: Knowledge, procedure: str, depth: int = DEEPEST
    ) -> Status | None:
        """The status of what a slot or link points to."""
        cells = self.ground.cells_of(place, procedure)
        if not cells or not self.ground.is_exact(place, procedure):
            return None
        if cells <= self.ground.slots.keys():
            lock = self._lock(place, cells)
            return None if lock is None else self._in(lock, knowledge, procedure)
        if not cells <= self.links:
            return None
        status = self._around(place, knowledge, procedure, depth)
        if status is None or status.custody is not Custody.TAKEN:
            return status
        return status if status.owner in knowledge.whole else None

    def _in(self, lock: Place, knowledge: Knowledge, procedure: str) -> Status | None:
        """The status of what is in the container of a lock; None if the lock is not held."""
        threads = self.ground.threads
        if threads.is_only(knowledge, threads.program.procedure[procedure]):
            return Status(Custody.ALONE, lock)
        shared = False
        for held in knowledge.locks:
            if self._normal(held) == lock:
                return Status(Custody.ALONE, lock)
            if self.ground.discipline(held, procedure) is Discipline.READERS:
                beside = self.ground.companion(held)
                shared |= beside is not None and self._normal(beside) == lock
        return Status(Custody.SHARED, lock) if shared else None

    def _lock(self, slot: Place, cells: frozenset[Target]) -> Place | None:
        """The lock that goes with a slot."""
        keys = {self.ground.slots[cell] for cell in cells}
        program = self.ground.threads.program
        return lock_of(keys.pop(), slot, program) if len(keys) == 1 else None

    def _normal(self, place: Place) -> Place:
        return by_variable(place, self.ground.threads.program)

    def _told(self, place: Place, knowledge: Knowledge) -> Place:
        """A place by the numbers in slots that indices are known to be."""

        def in_expr(expr: Expr) -> Expr:
            cell = knowledge.same.get(expr.place) if isinstance(expr, Read) else None
            if cell is not None and is_integer(expr.type):
                return Read(cell)
            return expr if isinstance(expr.type, PointerType) else rebuild(expr, in_expr)

        return self._normal(rebuild_place(place, in_expr) if knowledge.same else place)

    # -- own variables ---------------------------------------------------------------------------

    def assigned(
        self, edge: Edge, value: Expr | None, before: Knowledge, change: Assigned, procedure: str
    ) -> Assigned:
        """What a variable gets, with what is known of the object."""
        if not self.ground.handed:
            return change
        if isinstance(edge.action, Allocate):
            site = self.ground.memory.objects.site(edge.action)
            return replace(change, taken=site in self.ground.handed)
        if value is None:
            return change
        name = named(value, before.known)
        match name:
            case Read(place) if not is_own(place):
                null = Const(NULL, name.type)
                if Binary(BinaryOp.EQ, name, null) in before.facts:
                    return replace(change, value=null)
                return self._loaded(self._told(place, before), before, change, procedure)
            case AddressOf() | PointerAdd() | Const():
                element = self.pools.addressed(name)
                if element is not None and list(self.pools.issues(edge, before)) == [element]:
                    new = self.pools.is_unused(element, before)
                    return replace(change, value=None, taken=True) if new else change
                status = self._status(name, before, procedure)
                return change if status is None else replace(change, lent=status.lock)
            case _:
                return change

    def _loaded(
        self, place: Place, before: Knowledge, change: Assigned, procedure: str
    ) -> Assigned:
        """What a variable gets that is read from a slot or link."""
        cells = self.ground.cells_of(place, procedure)
        status = self._content(place, before, procedure) if cells <= self.guarded else None
        if status is None:
            return change
        twins = [k for k, cell in before.same.items() if cell == place and is_own(k)]
        if twins:
            return replace(change, value=Read(min(twins, key=str)))
        pointer = isinstance(change.target.type, PointerType)
        return replace(change, value=None, same=place, lent=status.lock if pointer else None)

    # -- stores ----------------------------------------------------------------------------------

    def broken(self, edge: Edge, before: Knowledge, procedure: str) -> Iterator[str]:
        """The sites whose objects an edge may handle otherwise than the rules say."""
        if not self.ground.handed:
            return
        acts = [
            act
            for target, value in written(edge)
            if not is_own(target) and self._touches(target, procedure)
            for act in [self._act(target, value, before, procedure)]
        ]
        done = [act for act in acts if act is not None]
        moving = [act for act in done if act.put or act.following or act.copied or act.issue]
        several = len(acts) > 1 or sum(1 for _ in self.pools.issues(edge, before)) > 1
        if len(done) < len(acts) or (moving and several):
            yield from self._concerned(edge, procedure)

    def _concerned(self, edge: Edge, procedure: str) -> list[str]:
        """The handed sites that the stores of an edge are about."""
        found: set[str] = set()
        for target, _ in written(edge):
            for cell in () if is_own(target) else self.ground.cells_of(target, procedure):
                if cell in self.guarded:
                    values = self.ground.memory.values.get(cell) or ()
                    found |= {cell.object, *(v.object for v in values if isinstance(v, Target))}
        return sorted(self.ground.handed & found or self.ground.handed)

    def stored(
        self,
        target: Place,
        value: Expr | None,
        before: Knowledge,
        after: Knowledge,
        procedure: str,
    ) -> Knowledge:
        """What is known of handed objects after a store."""
        if not self.ground.handed or not self._touches(target, procedure):
            return after
        act = self._act(target, value, before, procedure)
        if act is None:
            none = frozenset[Place]()
            return replace(after, taken=none, whole=none, lent={}, same={}, unused=frozenset())
        if not isinstance(target.type, PointerType):
            return replace(after, same=self._others(act, after, procedure))
        mine = self._content(act.there, before, procedure) is not None
        return self._done(act, after, procedure, mine=mine)

    def _touches(self, target: Place, procedure: str) -> bool:
        cells = self.ground.cells_of(target, procedure)
        return not cells or not cells.isdisjoint(self.guarded)

    def _act(
        self, target: Place, value: Expr | None, before: Knowledge, procedure: str
    ) -> Act | None:
        """What a store does; None if the rules do not allow it."""
        cells = self.ground.cells_of(target, procedure)
        if not cells or not cells <= self.guarded or not self.ground.is_exact(target, procedure):
            return None
        there = self._told(named_place(target, before.known), before)
        element = self.pools.around(there)
        if element is not None:
            if not self._may_name(element, before, procedure):
                return None
            act = Act(there, cells, None, None, inside=element)
        else:
            status = self._container(there, cells, before, procedure)
            if status is None or status.custody is Custody.SHARED:
                return None
            act = Act(there, cells, status.lock, status.owner)
        if not isinstance(target.type, PointerType):
            return act
        if value is None:
            return None
        if not self._carries(value, procedure):
            return act
        return self._moved(act, named(value, before.known), before, procedure)

    def _may_name(self, element: Element, before: Knowledge, procedure: str) -> bool:
        """Whether links of an element may be written by name."""
        threads = self.ground.threads
        alone = threads.is_only(before, threads.program.procedure[procedure])
        return alone or self.pools.is_unused(element, before)

    def _container(
        self, there: Place, cells: frozenset[Target], before: Knowledge, procedure: str
    ) -> Status | None:
        """Where a slot or link is that is written."""
        if cells <= self.ground.slots.keys():
            lock = self._lock(there, cells)
            if lock is None:
                return None
            if owner_of(there, before) is not None:
                return Status(Custody.ALONE, lock)
            return self._in(lock, before, procedure)
        return self._around(there, before, procedure) if cells <= self.links else None

    def _issued(self, act: Act, element: Element, before: Knowledge) -> Act | None:
        """What it is to store the address of an element."""
        if self.pools.is_unused(element, before):
            return act._replace(issue=element)
        link = self._torn_link(element, before)
        if link is None or before.same[link] != act.there:
            return None
        return act._replace(issue=element, linked=True)

    def _torn_link(self, element: Element, knowledge: Knowledge) -> Place | None:
        """The link of a torn element that is known to hold what a cell holds."""
        if not self.pools.is_unused(element, knowledge, torn=True):
            return None
        return next((p for p in knowledge.same if self.pools.around(p) == element), None)

    def _moved(self, act: Act, name: Expr, before: Knowledge, procedure: str) -> Act | None:
        """What it is to store a pointer to a handed object."""
        element = self.pools.addressed(name)
        if element is not None:
            return self._issued(act, element, before)
        if not isinstance(name, Read):
            return None
        if name.place in before.taken:
            if name.place == act.owner:
                return None
            if name.place in before.whole:
                return act._replace(put=name.place)
            link = _link_of(name.place, before.same)
            if link is None or before.same[link] != act.there:
                return None
            return act._replace(put=name.place, linked=True)
        own = is_own(name.place)
        cell = before.same.get(name.place) if own else self._told(name.place, before)
        if cell is None or not self.ground.is_exact(cell, procedure):
            return None
        if self._follows(cell, act, before, procedure):
            return act._replace(following=cell)
        status = self._content(cell, before, procedure)
        mine = act.owner is not None and act.owner == _root_variable(act.there)
        unused = act.inside is not None and self.pools.is_unused(act.inside, before)
        single = (mine or unused) and self._is_link(act.there, procedure)
        return act._replace(copied=cell) if single and status and status.lock else None

    def _follows(self, cell: Place, act: Act, before: Knowledge, procedure: str) -> bool:
        """Whether a cell is the link of what a slot or link leads to."""
        base = root(cell)
        if not isinstance(base, DerefPlace) or not self._is_link(cell, procedure):
            return False
        if self._content(act.there, before, procedure) is None:
            return False
        variable = _variable(base.pointer)
        if variable is not None:
            return before.same.get(variable) == act.there
        return base.pointer == Read(act.there)

    def _done(self, act: Act, after: Knowledge, procedure: str, *, mine: bool) -> Knowledge:
        """What is known after a store of a pointer; `mine`: what was there is what it was."""
        holders = sorted(
            (k for k, c in after.same.items() if c == act.there and is_own(k)), key=str
        )
        same = self._others(act, after, procedure)
        taken, whole, lent = set(after.taken), set(after.whole), dict(after.lent)
        if (act.lock is not None or act.inside is not None) and not act.linked:
            lent = {}
        if act.put is not None:
            taken.discard(act.put)
            whole.discard(act.put)
            same[act.put] = act.there
            if act.lock is not None:
                lent[act.put] = act.lock
        if act.issue is not None:
            after = self.pools.issued(act.issue, after)
        if act.linked:
            link = None if act.put is None else _link_of(act.put, after.same)
            same.update(dict.fromkeys(holders, link) if link is not None else {})
        elif holders:
            taken |= set(holders[:1]) if mine else set()
            whole |= set(holders[:1]) if mine and act.following is None else set()
            lent = {variable: lock for variable, lock in lent.items() if variable not in holders}
        if act.following is not None:
            followers = [k for k, c in after.same.items() if c == act.following and is_own(k)]
            same.update(dict.fromkeys(followers, act.there))
            lent.update(dict.fromkeys(followers, act.lock) if act.lock is not None else {})
        if act.copied is not None and act.inside is not None:
            after = self.pools.torn(act.inside, after)
            same[act.there] = act.copied
        elif act.copied is not None and act.owner is not None:
            whole.discard(act.owner)
            same[act.there] = act.copied
        elif act.owner is not None and act.owner == _root_variable(act.there):
            whole |= {act.owner} if self._is_link(act.there, procedure) else set()
        return replace(after, taken=frozenset(taken), whole=frozenset(whole), lent=lent, same=same)

    def _others(self, act: Act, after: Knowledge, procedure: str) -> dict[Place, Place]:
        """The places that hold what cells hold, except cells that may be the one written."""

        def differs(place: Place) -> bool:
            places = [place, *(p.place for p in _reads(place))]
            return all(
                is_own(each) or act.cells.isdisjoint(self.ground.cells_of(each, procedure))
                for each in places
            )

        return {k: c for k, c in after.same.items() if differs(k) and differs(c)}

    def _carries(self, value: Expr, procedure: str) -> bool:
        """Whether a value may be a pointer to a handed object."""
        values = self.ground.values_of(value, procedure)
        return values is None or any(
            isinstance(found, Target) and found.object in self.ground.handed for found in values
        )

    def _is_link(self, place: Place, procedure: str) -> bool:
        """Whether a place is the only link of its object."""
        return not isinstance(place, IndexPlace) and all(
            cell.object in self._single and cell in self.links
            for cell in self.ground.cells_of(place, procedure)
        )

    @cached_property
    def _single(self) -> frozenset[str]:
        """The handed sites whose objects have one link each."""
        objects = self.ground.memory.objects
        types = {**{site: objects.types[site] for site in self.ground.handed}, **self.pools.types}
        counted = {
            objects.site(edge.action)
            for edge in objects.program.edges
            if isinstance(edge.action, Allocate) and is_array(edge.action)
        }
        several = {
            site
            for site in self.ground.handed
            if sum(cell.object == site for cell in self.links) != 1
            or not self.links.isdisjoint(repeated_cells(site, types[site]))
        }
        return self.ground.handed - counted - several

    # -- the end of objects, and what lasts ------------------------------------------------------

    def freed(self, edge: Edge, before: Knowledge, after: Knowledge, procedure: str) -> Knowledge:
        """What is known after an object has ended: what only it led to is the thread's own."""
        if not self.ground.handed or not isinstance(edge.action, Free):
            return after
        if not self._carries(edge.action.pointer, procedure):
            return after
        gone = _variable(named(edge.action.pointer, before.known))
        if gone is None or gone not in before.taken:
            return replace(after, lent={}, same={})
        heirs: dict[Place, Place] = {}
        for place, cell in sorted(before.same.items(), key=str):
            if is_own(place) and _root_variable(cell) == gone and gone in before.whole:
                heirs.setdefault(cell, place)
        found = frozenset(heirs.values())
        return replace(
            after,
            taken=(after.taken - {gone}) | found,
            whole=(after.whole - {gone}) | found,
            same={
                place: cell
                for place, cell in after.same.items()
                if gone not in (_root_variable(cell), _root_variable(place))
            },
        )

    def issued(self, edge: Edge, before: Knowledge, after: Knowledge) -> Knowledge:
        """What is known after a variable of the thread got the address of an element."""
        for element in self.pools.issues(edge, before) if before.unused else ():
            after = self.pools.issued(element, after)
        return after

    def settled(self, after: Knowledge, procedure: str) -> Knowledge:
        """What is left where locks were given back, or other threads began to run."""
        if after.unused:
            lasting = partial(self._changes, procedure=procedure)
            after = replace(after, unused=left_by(after.unused, lasting))
        while after.lent or after.same:
            lent = {v: m for v, m in after.lent.items() if self._stays(m, after, procedure)}
            same = {k: c for k, c in after.same.items() if self._lasts(k, c, after, procedure)}
            if len(lent) == len(after.lent) and len(same) == len(after.same):
                break
            after = replace(after, lent=lent, same=same)
        return after

    def _changes(self, expr: Expr, procedure: str) -> bool:
        return not self.ground.is_stable(expr, procedure)

    def _stays(self, lock: Place, knowledge: Knowledge, procedure: str) -> bool:
        stable = self.ground.is_stable_place(lock, procedure)
        return stable and self._in(lock, knowledge, procedure) is not None

    def _lasts(self, place: Place, cell: Place, knowledge: Knowledge, procedure: str) -> bool:
        """Whether others cannot write a place, nor a cell that holds the same."""
        for read in _reads(cell):
            if not self.ground.is_stable(read, procedure):
                cells = self.ground.cells_of(read.place, procedure)
                if self._container(read.place, cells, knowledge, procedure) is None:
                    return False
        if not is_own(place) and not self._is_mine(place, knowledge, procedure):
            return False
        cells = self.ground.cells_of(cell, procedure)
        return self._container(cell, cells, knowledge, procedure) is not None

    def _is_mine(self, link: Place, knowledge: Knowledge, procedure: str) -> bool:
        """Whether a link is that of an object of one's own, or of an element that is torn."""
        if _root_variable(link) in knowledge.taken:
            return True
        element = self.pools.around(link)
        if element is None or not self.ground.is_stable_place(link, procedure):
            return False
        return self.pools.is_unused(element, knowledge, torn=True)

    # -- what must hold of the claim -------------------------------------------------------------

    def unfit(self) -> frozenset[str]:
        """The sites that cannot be handed, as memory says: their objects are found elsewhere."""
        found = {
            site
            for site in self.ground.handed
            if not (is_site(site) or site in self.pools.types)
            or site == UNKNOWN
            or self.ground.is_copied(site)
        }
        found |= self.pools.misbegun()
        if any(_is_no_slot(cell.object, self.ground.handed) for cell in self.ground.slots):
            return self.ground.handed
        for cell, values in self.ground.memory.values.items():
            if cell in self.guarded or cell.object.endswith("@") or cell.object == ANYWHERE.name:
                continue  # what writes through `anywhere$` writes any cell, which is no act
            if values is None and self._is_pointer(cell):
                return self.ground.handed
            found |= {v.object for v in values or () if isinstance(v, Target)} & self.ground.handed
        return frozenset(found)

    def _is_pointer(self, cell: Target) -> bool:
        """Whether a cell may hold a pointer; one of an object that there is not may be any."""
        held = self.ground.memory.objects.types.get(cell.object)
        types = [] if held is None else list(leaves(held))
        return cell.cell >= len(types) or isinstance(types[cell.cell], PointerType)


def _is_no_slot(name: str, handed: frozenset[str]) -> bool:
    """Whether an object is no memory of the program that is outside of handed objects."""
    proofs = (BYTES.object, ESCAPED.name, ANYWHERE.name, UNKNOWN)
    return name in handed or name in proofs or name.endswith("@")


def _reads(place: Place) -> Iterator[Read]:
    """What is read to find a place."""
    for expr in place_expressions(place):
        yield from (part for part in subexpressions(expr) if isinstance(part, Read))


def _variable(pointer: Expr) -> Place | None:
    """The variable that is a pointer."""
    return pointer.place if isinstance(pointer, Read) and is_own(pointer.place) else None


def _root_variable(place: Place) -> Place | None:
    """The variable that points to the object that a place is in."""
    base = root(place)
    return _variable(base.pointer) if isinstance(base, DerefPlace) else None


def _link_of(variable: Place | None, same: Mapping[Place, Place]) -> Place | None:
    """The link of a variable's object that holds what a cell holds."""
    found = (p for p in same if not is_own(p) and _root_variable(p) == variable)
    return next(found, None)
