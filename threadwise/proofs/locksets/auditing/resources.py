"""Resource invariants of locks, tested in memory while the locks are free.

What slots lead to, link by link, is found once; a list ends where its tail says. This is tested
while several threads run, for containers that more than one of them can find.

Memory is divided: what a variable of a thread points to that it owns is alive, in no container of
a free lock, and owned by no other thread. Slots are written by who holds their locks; links are
written, and objects freed, by threads that may own them. No thread reaches what is claimed
unreachable.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from threadwise.ir.commands import Free
from threadwise.ir.expr import Place, Read
from threadwise.ir.program import LocId
from threadwise.ir.types import NONE, NULL, Address, Value
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.cases import found_by_others
from threadwise.proofs.locksets.auditing.containers import Containers
from threadwise.proofs.locksets.auditing.ghosts import Ghosts
from threadwise.proofs.locksets.auditing.lists import Lists
from threadwise.proofs.locksets.auditing.replaying import Micro
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.certificate import Discipline, Key, LocksetCertificate
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.resources.claims import Owned, Resources, Shape, Unit
from threadwise.semantics.evaluate import CellRef, Region, Undefined

Container = tuple[CellRef, Unit, CellRef | None]
"""A unit of a lock; its slot, if there may be several."""


class Share(NamedTuple):
    """Objects, by their lasting names, that a thread certainly owns."""

    alone: frozenset[int] = frozenset()
    shared: frozenset[int] = frozenset()
    """It may read them, as others may."""

    @property
    def all(self) -> frozenset[int]:
        """Both."""
        return self.alone | self.shared


class Units:
    """The claims about sites, slots, tails, and who owns what."""

    def __init__(
        self,
        world: World,
        certificate: LocksetCertificate,
        evaluated: Counter[str],
        place: Callable[[LocId, str], Place],
    ) -> None:
        self.world = world
        self.claim = certificate.resources or Resources()
        self.numbers = certificate.numbers
        self.lists = Lists(world, self.claim.sites, self.claim.slots, evaluated)
        self.writers = Containers(world, self.claim.sites, self.claim.slots, evaluated)
        self.evaluated = evaluated
        self.place = place

    def look(
        self, moment: Moment, ghosts: Ghosts, shares: Mapping[int, Share], private: Collection[int]
    ) -> None:
        """Whether units of free locks are as claimed, and memory is divided; raises Broken.

        `private` are the containers, by their lasting names, that threads own.
        """
        if not self.claim.sites:
            return
        self.evaluated["resources"] += 1
        inside = self._inside(moment, ghosts, private)
        for thread, share in shares.items():
            self._apart(thread, share, shares, moment, inside)

    def inner(
        self,
        thread: int,
        share: Share,
        moment: Moment,
        ghosts: Ghosts,
        shares: Mapping[int, Share],
        private: Collection[int],
    ) -> None:
        """Whether a thread in the middle of a step owns what it is said to; raises Broken."""
        if share.all:
            self._apart(thread, share, shares, moment, self._inside(moment, ghosts, private))

    def case(self, location: LocId, cases: Iterable[int]) -> None:
        """Whether a thread may be at a location, in one of some cases; raises Broken."""
        if self.claim.sites and all((location, n) in self.claim.unreached for n in cases):
            raise Broken(f"resources: somebody comes to location {location}")

    # -- who owns what ---------------------------------------------------------------------------

    def share(self, thread: int, cases: Iterable[int], moment: Moment) -> Share:
        """What a thread owns in all cases that may be its own."""
        location = moment.state.locals[thread].pc
        reached = [n for n in cases if (location, n) not in self.claim.unreached]
        if not self.claim.sites or not reached:
            return Share()
        told = [self.claim.owned.get((location, n), Owned()) for n in reached]
        alone = [self._pointed(each.alone, thread, location, moment) for each in told]
        every = [
            self._pointed((*each.alone, *each.shared), thread, location, moment) for each in told
        ]
        mine = frozenset.intersection(*alone)
        self.evaluated["owned"] += bool(mine)
        return Share(mine, frozenset.intersection(*every) - mine)

    def _pointed(
        self, texts: Iterable[str], thread: int, location: LocId, moment: Moment
    ) -> frozenset[int]:
        view = self.world.view(moment, thread)
        found: set[int] = set()
        for text in texts:
            try:
                value = view.evaluate(Read(self.place(location, text)))
            except Undefined:
                continue
            number = self.world.heap_number(value)
            if number is not None and self.lists.is_homed(number, moment):
                found.add(moment.names[number])
        return frozenset(found)

    def _apart(
        self,
        thread: int,
        share: Share,
        shares: Mapping[int, Share],
        moment: Moment,
        inside: Collection[int],
    ) -> None:
        """Whether what a thread owns is alive, and nobody else's."""
        if not share.all:
            return
        name = self.world.layout.numbers.name(thread)
        alive = {
            n for n, held in zip(moment.names, moment.state.g.heap, strict=True) if held.alive
        }
        if not share.all <= alive:
            raise Broken(f"resources: what {name} owns was freed")
        if not share.alone.isdisjoint(inside):
            raise Broken(f"resources: what {name} owns is in a container of a free lock")
        for other, its in shares.items():
            if other != thread and not share.alone.isdisjoint(its.all):
                both = self.world.layout.numbers.name(other)
                raise Broken(f"resources: {name} and {both} own the same object")

    # -- steps -----------------------------------------------------------------------------------

    def edge(
        self, micro: Micro, ghosts: Ghosts, shares: Mapping[int, Share], private: Collection[int]
    ) -> None:
        """Whether a thread writes and frees only what it may, and uses what is its own."""
        moment = micro.before
        ends = self.world.program.locations[micro.edge.target].failure is not None
        if not self.claim.sites or ends or not self._others_run(micro.thread, moment):
            return
        frees = isinstance(micro.edge.action, Free)
        used: set[int] = set()
        for access in micro.accesses:
            if access.write and not frees:
                hidden = self._is_private(micro, access.cell, ghosts)
                self.writers.edge(micro, ghosts, private=hidden, cell=access.cell)
            if self._is_object(access.cell, moment) and (
                frees
                or micro.edge.id in self.claim.taken
                or (access.write and self._is_link(access.cell, micro))
            ):
                used.add(moment.names[access.cell.number])
        if not used:
            return
        self.evaluated["taken"] += 1
        if not used.isdisjoint(self._inside(moment, ghosts, private)):
            raise Broken("resources: an object is used that is in a container of a free lock")
        for other, its in shares.items():
            if other != micro.thread and not used.isdisjoint(its.all):
                name = self.world.layout.numbers.name(other)
                raise Broken(f"resources: another thread uses what {name} owns")

    def _others_run(self, thread: int, moment: Moment) -> bool:
        return any(other != thread for other in self.world.running(moment.state))

    def _is_object(self, cell: CellRef, moment: Moment) -> bool:
        old = cell.region is Region.HEAP and cell.number < len(moment.names)
        return old and self.lists.is_homed(cell.number, moment)

    def _is_private(self, micro: Micro, cell: CellRef, ghosts: Ghosts) -> bool:
        """Whether the object of a cell has not escaped."""
        if cell.region is not Region.HEAP or cell.number >= len(micro.before.names):
            return cell.region is Region.HEAP
        reached = found_by_others(self.world, micro.before, micro.thread, cell.number, ghosts)
        return cell.number not in reached

    def _is_link(self, cell: CellRef, micro: Micro) -> bool:
        """Whether a cell points to an object of these sites, before an edge or after it."""
        for moment in (micro.before, micro.after):
            number = self.world.heap_number(moment.content(cell))
            if number is not None and self.lists.is_homed(number, moment):
                return True
        return False

    # -- containers ------------------------------------------------------------------------------

    def _inside(self, moment: Moment, ghosts: Ghosts, private: Collection[int]) -> set[int]:
        """The objects in containers of free locks; raises Broken if these are not as claimed."""
        found: set[int] = set()
        references: Counter[int] = Counter()
        if len(list(self.world.running(moment.state))) < 2:
            return found
        for (lock, unit, _), slots in self._units(moment, private).items():
            if self._is_free(lock, moment, ghosts):
                self._walk(moment.content(slots[unit.head]), moment, found, references)
                if unit.tail in slots:
                    self._ends(unit, slots, moment)
        return {moment.names[number] for number in found}

    def _is_free(self, lock: CellRef, moment: Moment, ghosts: Ghosts) -> bool:
        """Whether no thread holds a lock, but for reading."""
        kind = self.numbers.get(self.world.target(lock, moment.state))
        if kind is None:
            return moment.content(lock) == NONE
        return kind is not Discipline.READERS and not ghosts.tokens_of(moment.lasting(lock))

    def _units(
        self, moment: Moment, private: Collection[int]
    ) -> Mapping[Container, Mapping[Key, CellRef]]:
        found: defaultdict[Container, dict[Key, CellRef]] = defaultdict(dict)
        for cell in self._cells(moment, private):
            key = self.claim.slots.get(self.world.target(cell, moment.state))
            lock = None if key is None else self.lists.lock(key, cell, moment)
            if key is not None and lock is not None:
                unit = self.claim.unit(key)
                found[lock, unit, cell if unit.tail is None else None][key] = cell
        return {which: slots for which, slots in found.items() if which[1].head in slots}

    def _cells(self, moment: Moment, private: Collection[int]) -> Iterator[CellRef]:
        """The cells of variables, and of objects that several threads find."""
        state = moment.state
        yield from (CellRef(Region.GLOBAL, 0, slot) for slot in range(len(state.g.cells)))
        if not self._in_heap:
            return
        threads = list(self.world.running(state))
        known = [self.world.found_by_others(moment, thread, (), frozenset()) for thread in threads]
        for number, held in enumerate(state.g.heap):
            owned = moment.names[number] in private or not held.alive
            if not owned and all(number in each for each in known):
                yield from (CellRef(Region.HEAP, number, slot) for slot in range(len(held.cells)))

    @cached_property
    def _in_heap(self) -> bool:
        """Whether objects have slots."""
        names = {name for name, _ in self.world.sites.values()}
        return any(target.object in names for target in self.claim.slots)

    def _walk(
        self, value: Value, moment: Moment, found: set[int], references: Counter[int]
    ) -> None:
        pending = [self.world.heap_number(value)]
        while pending:
            number = pending.pop()
            if number is None or not self.lists.is_homed(number, moment):
                continue
            if not moment.state.g.heap[number].alive:
                raise Broken("resources: a container leads to an object that was freed")
            times = self._number_in(self.claim.counts, number, moment)
            if times is not None:
                references[number] += 1
                if not isinstance(times, int) or references[number] > times:
                    raise Broken("resources: there are more references than are counted")
                continue
            if number in found:
                raise Broken("resources: two cells of containers lead to one object")
            found.add(number)
            if self._is_marked(number, moment):
                raise Broken("resources: an object in a container says that it is back")
            pending += self.lists.linked(number, moment)

    def _is_marked(self, number: int, moment: Moment) -> bool:
        """Whether the flag of an object is not 0."""
        content = self._number_in(self.claim.flags, number, moment)
        return isinstance(content, int) and content != 0

    def _number_in(self, cells: Mapping[Target, Key], number: int, moment: Moment) -> Value | None:
        """What is in the flag or count of an object; None if it has none."""
        held = moment.state.g.heap[number]
        site = self.world.sites[held.site][0]
        found = next((cell.cell for cell in cells if cell.object == site), None)
        if found is None:
            return None
        self.evaluated["flags" if cells is self.claim.flags else "counts"] += 1
        folded = list(self.world.shape(self.world.held(held)).folded)
        return moment.content(CellRef(Region.HEAP, number, folded.index(found)))

    def _ends(self, unit: Unit, slots: Mapping[Key, CellRef], moment: Moment) -> None:
        """Whether a tail says where a list ends; raises Broken."""
        assert unit.tail is not None
        tail = moment.content(slots[unit.tail])
        number = self.world.heap_number(moment.content(slots[unit.head]))
        if number is None:
            if unit.shape is Shape.CLEARED and tail is not NULL:
                raise Broken("resources: the tail of an empty list is not null")
            if unit.shape is Shape.LINK and not self._is_at(tail, slots[unit.head]):
                raise Broken("resources: the tail of an empty list is not at its head")
            return
        link = self._link(number, unit, moment)
        while (following := self.world.heap_number(moment.content(link))) is not None:
            number = following
            link = self._link(number, unit, moment)
        end = link if unit.shape is Shape.LINK else link._replace(slot=0)
        if not self._is_at(tail, end):
            raise Broken("resources: a list does not end at its tail")

    def _is_at(self, pointer: Value, cell: CellRef) -> bool:
        """Whether a pointer is the address of a cell."""
        if not isinstance(pointer, Address):
            return False
        if cell.region is Region.HEAP:
            return pointer == Address(self.world.declared + cell.number, cell.slot)
        if not 0 <= pointer.number < self.world.declared:
            return False
        name = self.world.program.globals[pointer.number].variable.name
        return self.world.layout.globals.offset[name] + pointer.offset == cell.slot

    def _link(self, number: int, unit: Unit, moment: Moment) -> CellRef:
        held = self.world.held(moment.state.g.heap[number])
        folded = list(self.world.shape(held).folded)
        return CellRef(Region.HEAP, number, folded.index(unit.link))
