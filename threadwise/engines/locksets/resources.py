"""Which memory may be handed from thread to thread by locks: claims, tried one after the other.

Tracked are the sites whose accesses are undecided, and those that lead to them. Slots are cells
outside of their objects that do; how the lock of a slot is found is read off the accesses to it.
Of two slots with one lock that lead to the same objects, one may be the tail of a list. A number
of an object that is 0 at first, and few others later, may say that the object is back; one that is
lowered by one may count references.

Whatever a step contradicts is given up, and the rest is tried again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from itertools import permutations

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    Place,
    Read,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import root
from threadwise.ir.types import (
    ArrayType,
    MutexType,
    RecordType,
    Type,
    fields_of,
    is_integer,
)
from threadwise.ir.writes import written
from threadwise.proofs.locksets.accesses import Access
from threadwise.proofs.locksets.certificate import NAME, RECORD, Key
from threadwise.proofs.locksets.containers.list_locks import global_key, keys_of
from threadwise.proofs.locksets.knowledge import is_own
from threadwise.proofs.locksets.memory.cells import Target, folded_size, is_site, leaves
from threadwise.proofs.locksets.memory.contents import Memory
from threadwise.proofs.locksets.resources.claims import NO_LOCK, Resources, Shape, Unit
from threadwise.proofs.locksets.resources.effects import Spoilt
from threadwise.proofs.locksets.resources.ground import Meaning
from threadwise.proofs.locksets.resources.look import Cases, Look
from threadwise.proofs.locksets.step import Steps

TRIALS = 40
"""So many claims are tried."""
FEW_TRIALS = 8
"""So many with flags, and so many with counts: what does not fit is seen soon."""
MOST_VALUES = 4
"""Flags have at most so many values."""


def resources_of(
    steps: Steps,
    cases: Cases,
    accesses: Mapping[Target, Sequence[Access]],
    undecided: Iterable[Target],
    tick: Callable[[], object],
    way: Way,
) -> Look | None:
    """What threads have where, by a claim that holds; None if none was found."""
    wanted = frozenset(target.object for target in undecided if is_site(target.object))
    if not wanted:
        return None
    search = _Search(steps, accesses, wanted, way)
    taken = None
    for _ in range(TRIALS if way is Way.PLAIN else FEW_TRIALS):
        claim = search.claim()
        if not claim.sites & wanted:
            return None
        if (way.has_flags and not claim.flags) or (way.has_counts and not claim.counts):
            return None
        look = Look(steps, cases, claim, tick)
        if taken is not None:
            look.share(taken)
        taken = look
        try:
            look.run()
        except Spoilt as spoilt:
            search.give_up(spoilt.what, claim)
            continue
        return look
    return None


def _is_lowered(value: Expr | None) -> bool:
    """Whether one is taken from something."""
    match value:
        case Wrap(_, _, inner):
            return _is_lowered(inner)
        case Binary(BinaryOp.SUB, _, Const(1, _)) | Binary(BinaryOp.ADD, _, Const(-1, _)):
            return True
        case _:
            return False


class Way(Enum):
    """What claims are tried."""

    PLAIN = "plain"
    RETURNING = "returning"
    """Some objects have flags that say that they are back."""
    COUNTED = "counted"
    """References to some objects are counted."""
    BOTH = "both"
    """Of some objects the one, of some the other."""

    @property
    def has_flags(self) -> bool:
        """Whether there are flags."""
        return self in (Way.RETURNING, Way.BOTH)

    @property
    def has_counts(self) -> bool:
        """Whether there are counts."""
        return self in (Way.COUNTED, Way.BOTH)


@dataclass
class _Search:
    steps: Steps
    accesses: Mapping[Target, Sequence[Access]]
    wanted: frozenset[str]
    way: Way
    no_numbers: set[Target] = field(default_factory=set)
    no_grants: set[str] = field(default_factory=set)
    no_sites: set[str] = field(default_factory=set)
    no_slots: set[Key] = field(default_factory=set)
    tried: Counter[tuple[object, ...]] = field(default_factory=Counter)
    """How many ways of being a list a group of slots was tried in."""

    @property
    def memory(self) -> Memory:
        return self.steps.memory

    def claim(self) -> Resources:
        """The next one to be tried."""
        sites = self._sites()
        slots = {t: k for t, k in self._slots(sites).items() if k not in self.no_slots}
        tails: set[Unit] = set()
        for group, keys in self._groups(slots).items():
            options = list(self._options(keys, slots, sites))
            if self.tried[group] < len(options):
                tails |= {options[self.tried[group]]}
        counts = dict(self._counts(sites)) if self.way.has_counts else {}
        others = sites - {cell.object for cell in counts}
        flags = dict(self._flags(others)) if self.way.has_flags else {}
        loose = frozenset(link for cell in (*flags, *counts) for link in self._links(cell.object))
        granted = self._granted(frozenset(cell.object for cell in counts))
        return Resources(sites, slots, frozenset(tails), flags, loose, counts, granted)

    def give_up(self, what: Iterable[str | Key], claim: Resources) -> None:
        """The next claim is without what was contradicted."""
        groups = self._groups(claim.slots)
        gone = {each for each in what if isinstance(each, str)}
        self.no_grants |= gone & claim.granted
        untold = {cell for cell in (*claim.flags, *claim.counts) if cell.object in gone}
        self.no_numbers |= untold
        self.no_sites |= gone - claim.granted - {cell.object for cell in untold}
        keys = {each for each in what if not isinstance(each, str)}
        for group in {_group(key) for key in keys}:
            options = list(self._options(groups[group], claim.slots, claim.sites))
            if self.tried[group] < len(options):
                self.tried[group] += 1
            else:
                self.no_slots |= {key for key in keys if _group(key) == group}

    def _sites(self) -> frozenset[str]:
        """The sites that are asked about, and those that lead to them."""
        types = self.memory.objects.types
        found = set(self.wanted - self.no_sites)
        while True:
            more = {
                cell.object
                for cell, values in self.memory.values.items()
                if is_site(cell.object)
                and cell.object not in self.no_sites
                and not _has_lock(types.get(cell.object))
                and any(isinstance(v, Target) and v.object in found for v in values or ())
            }
            if more <= found:
                return frozenset(found)
            found |= more

    def _flags(self, sites: frozenset[str]) -> Iterator[tuple[Target, Key]]:
        """Per site a number that may say that an object is back, and its lock."""
        types = self.memory.objects.types
        for site in sorted(sites & self.wanted):
            locks = set(_parts_of_locks(types[site]))
            for number, leaf in enumerate(leaves(types[site])):
                cell = Target(site, number)
                if number in locks:
                    continue
                values = self.memory.values.get(cell) or frozenset()
                numbers = {value for value in values if isinstance(value, int)}
                few = 0 in numbers and 1 < len(numbers) <= MOST_VALUES and numbers == values
                if is_integer(leaf) and few and cell not in self.no_numbers:
                    yield cell, self._number_key(cell)
                    break

    def _counts(self, sites: frozenset[str]) -> Iterator[tuple[Target, Key]]:
        """Per site a number that may count references, and its lock."""
        found = self._lowered - self.no_numbers
        for site in sorted(sites & self.wanted):
            cells = sorted(cell for cell in found if cell.object == site)
            if cells:
                yield cells[0], self._number_key(cells[0])

    @cached_property
    def _lowered(self) -> frozenset[Target]:
        """The cells of objects that one is taken from."""
        ground = self.steps.ground
        found: set[Target] = set()
        for procedure in self.steps.threads.program.procedures:
            less = {
                target
                for edge in procedure.edges
                for target, value in written(edge)
                if is_own(target) and _is_lowered(value)
            }
            for edge in procedure.edges:
                for target, value in written(edge):
                    copied = isinstance(value, Read) and value.place in less
                    if not is_own(target) and (copied or _is_lowered(value)):
                        found |= ground.cells_of(target, procedure.name)
        return frozenset(cell for cell in found if is_site(cell.object))

    def _granted(self, sites: frozenset[str]) -> frozenset[str]:
        """The threads whose arguments may be references."""
        values, threads = self.memory.values, self.steps.threads
        return frozenset(
            template.name
            for template in threads.program.templates
            for name in threads.arguments.get(template.name, ())
            if template.pool and template.name not in self.no_grants
            if any(
                isinstance(v, Target) and v.object in sites
                for v in values.get(Target(name, 0)) or ()
            )
        )

    def _links(self, site: str) -> Iterator[Target]:
        """The links of an object by which it is in lists: they say nothing when it is back."""
        for cell, values in self.memory.values.items():
            if cell.object == site and any(
                isinstance(value, Target) and value.object == site for value in values or ()
            ):
                yield cell

    def _number_key(self, number: Target) -> Key:
        votes: Counter[Key] = Counter()
        for access in self.accesses.get(number, ()):
            for lock in access.locks:
                keys = {key for key in keys_of(access.place, lock) if key.kind == RECORD}
                everywhere = global_key(lock)
                votes.update(keys if everywhere is None else keys | {everywhere})
        return max(sorted(votes), key=lambda key: votes[key]) if votes else NO_LOCK

    def _slots(self, sites: frozenset[str]) -> dict[Target, Key]:
        found: dict[Target, Key] = {}
        for cell, each in self.accesses.items():
            values = self.memory.values.get(cell) or ()
            objects = {value.object for value in values if isinstance(value, Target)}
            if not objects & sites or cell.object in sites or cell.object.endswith("@"):
                continue
            votes: Counter[Key] = Counter()
            for access in each:
                for lock in access.locks | access.shared:
                    votes.update(set(keys_of(access.place, lock)))
            if votes:
                found[cell] = max(sorted(votes), key=lambda key: votes[key])
        return found

    def _groups(self, slots: Mapping[Target, Key]) -> dict[tuple[object, ...], list[Key]]:
        """Slots with one lock, if there are several."""
        found: defaultdict[tuple[object, ...], set[Key]] = defaultdict(set)
        for key in slots.values():
            found[_group(key)].add(key)
        return defaultdict(list, {g: sorted(keys) for g, keys in found.items() if len(keys) > 1})

    def _options(
        self, keys: Sequence[Key], slots: Mapping[Target, Key], sites: frozenset[str]
    ) -> Iterator[Unit]:
        """The lists that two of some slots may be."""
        meaning = Meaning(self.steps.ground, Resources(sites, slots))
        through = self._written_through(slots, meaning)
        pairs = sorted(permutations(keys, 2), key=lambda pair: pair[1] not in through)
        for head, tail in pairs:
            links = {
                cell
                for site in meaning.slot_sites(head) & sites
                for cell, leads in meaning.links[site].items()
                if leads & meaning.slot_sites(head)
            }
            for link in sorted(links):
                if self._is_address(tail, head, slots):
                    yield Unit(head, tail, Shape.LINK, link)
                elif meaning.slot_sites(head) & meaning.slot_sites(tail) & sites:
                    yield Unit(head, tail, Shape.CLEARED, link)
                    yield Unit(head, tail, Shape.STALE, link)

    def _is_address(self, tail: Key, head: Key, slots: Mapping[Target, Key]) -> bool:
        """Whether a slot may hold the address of another."""
        heads = {cell for cell, key in slots.items() if key == head}
        cells = (cell for cell, key in slots.items() if key == tail)
        return any(heads & set(self.memory.values.get(cell) or ()) for cell in cells)

    def _written_through(self, slots: Mapping[Target, Key], meaning: Meaning) -> frozenset[Key]:
        """The slots from which pointers come that links are written through."""
        ground = self.steps.ground
        sources: defaultdict[tuple[str, Place], set[Key]] = defaultdict(set)
        used: set[tuple[str, Place]] = set()
        for procedure in self.steps.threads.program.procedures:
            for edge in procedure.edges:
                for target, value in written(edge):
                    name = procedure.name
                    if is_own(target) and isinstance(value, Read) and not is_own(value.place):
                        cells = ground.cells_of(value.place, name)
                        sources[name, target] |= {slots[c] for c in cells if c in slots}
                    variable = _through(target)
                    if variable is not None and ground.cells_of(target, name) & meaning.guarded:
                        used.add((name, variable))
        return frozenset(key for place in used for key in sources[place])


def _through(target: Place) -> Place | None:
    base = root(target)
    if not isinstance(base, DerefPlace):
        return None
    pointer: Expr = base.pointer
    own = isinstance(pointer, Read) and isinstance(pointer.place, VariablePlace)
    return pointer.place if own and isinstance(pointer, Read) and is_own(pointer.place) else None


def _group(key: Key) -> tuple[object, ...]:
    return (key.kind, key.lock, key.way) if key.kind == NAME else (key.kind, key.base, key.way)


def _parts_of_locks(held: Type, start: int = 0) -> Iterator[int]:
    """The folded cells of records that are locks, in a record."""
    if not isinstance(held, RecordType):
        return
    for _, part in fields_of(held):
        size = folded_size(part)
        if isinstance(part, RecordType) and any(
            isinstance(p, MutexType) for _, p in fields_of(part)
        ):
            yield from range(start, start + size)
        else:
            yield from _parts_of_locks(part, start)
        start += size


def _has_lock(held: Type | None) -> bool:
    match held:
        case MutexType():
            return True
        case ArrayType(element):
            return _has_lock(element)
        case RecordType():
            return any(_has_lock(part) for _, part in fields_of(held))
        case _:
            return False
