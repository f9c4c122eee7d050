"""Resource invariants of locks, tested in memory while the locks are free.

What slots lead to, link by link, is found once; a list ends where its tail says. This is tested
while several threads run, for containers that more than one of them can find. No thread reaches
what is claimed unreachable, and an object that a thread accesses as its sole owner is in no
container of a free lock.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from threadwise.ir.program import LocId
from threadwise.ir.types import NONE, NULL, Value
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.lists import Lists
from threadwise.proofs.locksets.auditing.replaying import Micro
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.containers.gates import Key
from threadwise.proofs.locksets.resources.claims import Resources, Shape, Unit
from threadwise.semantics.evaluate import CellRef, Region


class Units:
    """The claims about sites, slots and tails."""

    def __init__(self, world: World, claim: Resources | None, evaluated: Counter[str]) -> None:
        self.world = world
        self.claim = claim or Resources()
        self.lists = Lists(world, self.claim.sites, self.claim.slots, evaluated)
        self.evaluated = evaluated

    def look(self, moment: Moment) -> None:
        """Whether units whose locks are free are as claimed; raises Broken."""
        if not self.claim.sites:
            return
        self.evaluated["resources"] += 1
        if len(list(self.world.running(moment.state))) < 2:
            return
        found: set[int] = set()
        for (lock, unit), slots in self._units(moment).items():
            if moment.content(lock) == NONE:
                self._walk(moment.content(slots[unit.head]), moment, found)
                if unit.tail is not None:
                    self._ends(unit, slots, moment)

    def case(self, location: LocId, cases: Iterable[int]) -> None:
        """Whether a thread may be at a location, in one of some cases; raises Broken."""
        if self.claim.sites and all((location, n) in self.claim.unreached for n in cases):
            raise Broken(f"resources: somebody comes to location {location}")

    def edge(self, micro: Micro) -> None:
        """Whether a thread that accesses objects as sole owner owns them alone; raises Broken."""
        moment = micro.before
        if micro.edge.id not in self.claim.taken:
            return
        if len(list(self.world.running(moment.state))) < 2:
            return
        used = {
            access.cell.number
            for access in micro.accesses
            if access.cell.region is Region.HEAP
            and self.lists.is_homed(access.cell.number, moment)
        }
        found: set[int] = set()
        for (lock, unit), slots in self._units(moment).items() if used else ():
            if moment.content(lock) == NONE:
                self._walk(moment.content(slots[unit.head]), moment, found)
        if used & found:
            raise Broken("resources: an object is used that is in a container of a free lock")

    def _units(self, moment: Moment) -> Mapping[tuple[CellRef, Unit], Mapping[Key, CellRef]]:
        found: defaultdict[tuple[CellRef, Unit], dict[Key, CellRef]] = defaultdict(dict)
        for cell in self._cells(moment):
            key = self.claim.slots.get(self.world.target(cell, moment.state))
            lock = None if key is None else self.lists.lock(key, cell, moment)
            if key is not None and lock is not None:
                found[lock, self.claim.unit(key)][key] = cell
        return {which: slots for which, slots in found.items() if which[1].head in slots}

    def _cells(self, moment: Moment) -> Iterator[CellRef]:
        state = moment.state
        yield from (CellRef(Region.GLOBAL, 0, slot) for slot in range(len(state.g.cells)))
        threads = list(self.world.running(state))
        known = [self.world.found_by_others(moment, thread, (), frozenset()) for thread in threads]
        for number, held in enumerate(state.g.heap):
            if all(number in each for each in known):
                yield from (CellRef(Region.HEAP, number, slot) for slot in range(len(held.cells)))

    def _walk(self, value: Value, moment: Moment, found: set[int]) -> None:
        pending = [self.world.heap_number(value)]
        while pending:
            number = pending.pop()
            if number is None or not self.lists.is_homed(number, moment):
                continue
            if number in found:
                raise Broken("resources: two cells of containers lead to one object")
            found.add(number)
            pending += self.lists.linked(number, moment)

    def _ends(self, unit: Unit, slots: Mapping[Key, CellRef], moment: Moment) -> None:
        """Whether a tail says where a list ends; raises Broken."""
        assert unit.tail is not None
        tail = moment.content(slots[unit.tail])
        number = self.world.heap_number(moment.content(slots[unit.head]))
        if number is None:
            if unit.shape is Shape.CLEARED and tail is not NULL:
                raise Broken("resources: the tail of an empty list is not null")
            return
        link = self._link(number, unit, moment)
        while (following := self.world.heap_number(moment.content(link))) is not None:
            number = following
            link = self._link(number, unit, moment)
        if self.world.heap_number(tail) != number:
            raise Broken("resources: a list does not end at its tail")

    def _link(self, number: int, unit: Unit, moment: Moment) -> CellRef:
        _, held = self.world.sites[moment.state.g.heap[number].site]
        folded = list(self.world.shape(held).folded)
        return CellRef(Region.HEAP, number, folded.index(unit.link))
