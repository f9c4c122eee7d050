"""What resource invariants mean in a program: links, sites, locks, and rights to open units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Allocate
from threadwise.ir.expr import (
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    SelfId,
    VariablePlace,
)
from threadwise.ir.fold import place_expressions, root
from threadwise.ir.types import (
    ArrayType,
    MachineType,
    MutexType,
    PointerType,
    RecordType,
    Type,
    fields_of,
    is_integer,
)
from threadwise.proofs.locksets.beyond import ANYWHERE, ESCAPED
from threadwise.proofs.locksets.certificate import NAME, Discipline, Key
from threadwise.proofs.locksets.containers.list_locks import lock_of
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import Knowledge
from threadwise.proofs.locksets.locks import owner_of
from threadwise.proofs.locksets.memory.by_variable import by_variable
from threadwise.proofs.locksets.memory.cells import (
    UNKNOWN,
    Target,
    Values,
    field_start,
    folded_size,
    is_site,
    leaves,
    repeated_cells,
)
from threadwise.proofs.locksets.memory.objects import BYTES
from threadwise.proofs.locksets.memory.single import is_array
from threadwise.proofs.locksets.resources.claims import NO_LOCK, Resources, Unit
from threadwise.proofs.locksets.resources.heap import COUNT, ELSEWHERE, Plan, Sites, SlotAddress

SELF = SelfId()
WIDE = 32
"""Counts have so many bits at least: no program has as many references as they have values."""


class Right(Enum):
    """What a thread may do with the memory that a lock protects."""

    CHANGE = "change"
    """It holds the lock alone, or no other thread runs, or the container has not escaped."""
    LOOK = "look"
    """It holds the lock for reading."""


@dataclass(frozen=True)
class Meaning:
    """Of a claim."""

    ground: Ground
    claim: Resources

    # -- links -----------------------------------------------------------------------------------

    @cached_property
    def links(self) -> Mapping[str, Mapping[int, Sites]]:
        """The links of the objects of each site, and where they lead."""
        found: dict[str, dict[int, Sites]] = {}
        for site in self.claim.sites:
            held = self.ground.memory.objects.types[site]
            found[site] = {
                cell: self.led(self.ground.memory.values.get(Target(site, cell), frozenset()))
                for cell, leaf in enumerate(leaves(held))
                if isinstance(leaf, PointerType) and self._leads(Target(site, cell))
            }
        return found

    def _leads(self, cell: Target) -> bool:
        values = self.ground.memory.values.get(cell, frozenset())
        return values is None or self.may_be_tracked(values)

    def may_be_tracked(self, values: Values) -> bool:
        """Whether a pointer may lead to an object of a tracked site."""
        return values is None or any(
            isinstance(value, Target) and value.object in self.claim.sites for value in values
        )

    def led(self, values: Values) -> Sites:
        """The sites that values lead to."""
        if values is None:
            return self.claim.sites | {ELSEWHERE}
        objects = {v.object for v in values if isinstance(v, Target)}
        others = any(v is not None and not isinstance(v, Target) for v in values)
        found = objects & self.claim.sites
        return frozenset(found | ({ELSEWHERE} if others or objects - found else set()))

    def layout(self, sites: Sites) -> dict[Sites, Mapping[int, Sites | None]]:
        """Sites with the same links and flag together, and where the links lead."""
        groups: dict[tuple[frozenset[int], int | None], set[str]] = {}
        for site in sites - self.plan.counts.keys():
            cells = frozenset(self.links[site])
            groups.setdefault((cells, self.flag_of.get(site)), set()).add(site)
        found: dict[Sites, Mapping[int, Sites | None]] = {}
        counted: dict[tuple[int, tuple[int, ...]], set[str]] = {}
        for site in sites & self.plan.counts.keys():
            key = self.plan.counts[site], tuple(self.links[site])
            counted.setdefault(key, set()).add(site)
        found |= {frozenset(counted[key]): {COUNT: None} for key in sorted(counted)}
        for (cells, flag), group in sorted(groups.items(), key=lambda item: sorted(item[1])):
            links: dict[int, Sites | None] = {
                cell: frozenset().union(*(self.links[site][cell] for site in group))
                for cell in sorted(cells)
            }
            found[frozenset(group)] = links if flag is None else {**links, flag: None}
        return found

    @cached_property
    def plan(self) -> Plan:
        """What is claimed about counts, for heaps."""
        return Plan({cell.object: cell.cell for cell in self.claim.counts}, self.claim.loose)

    @cached_property
    def flag_of(self) -> Mapping[str, int]:
        """The flags of objects, by their sites."""
        return {target.object: target.cell for target in self.claim.flags}

    def flag_values(self, site: str) -> list[int]:
        """The values that a flag may have."""
        values = self.ground.memory.values.get(Target(site, self.flag_of[site]), frozenset())
        return sorted(value for value in values or () if isinstance(value, int))

    def links_of(self, sites: Sites) -> dict[int, Sites | None]:
        """The links of objects with a count, which have the same ones; None for loose ones."""
        found: dict[int, Sites | None] = {}
        for site in sorted(sites):
            for cell, leads in self.links[site].items():
                before = found.get(cell, leads)
                loose = Target(site, cell) in self.claim.loose
                found[cell] = None if loose or before is None else before | leads
        return found

    @cached_property
    def numbers(self) -> Mapping[Target, Key]:
        """Flags and counts."""
        return {**self.claim.flags, **self.claim.counts}

    def number_lock(self, place: Place, cells: frozenset[Target]) -> tuple[Place | None, bool]:
        """The lock of a flag or count, if it has one, and whether the place certainly is one."""
        keys = {self.numbers.get(cell) for cell in cells}
        key = keys.pop() if len(keys) == 1 else None
        if key is None or key == NO_LOCK:
            return None, key is not None
        program = self.ground.threads.program
        lock = lock_of(key, by_variable(place, program), program)
        return lock, lock is not None

    @cached_property
    def guarded(self) -> frozenset[Target]:
        """All cells that are written by their owners only."""
        links = {Target(site, cell) for site, cells in self.links.items() for cell in cells}
        return frozenset(links | self.claim.slots.keys() | self.numbers.keys())

    @cached_property
    def chained(self) -> frozenset[int]:
        """The cells by which chains go on."""
        found = {unit.link for unit in self.claim.tails}
        for site, cells in self.links.items():
            found |= {cell for cell, leads in cells.items() if site in leads}
        return frozenset(found)

    # -- slots -----------------------------------------------------------------------------------

    def slot(self, place: Place, cells: frozenset[Target]) -> SlotAddress | None:
        """The slot that a named place is."""
        if not cells or not cells <= self.claim.slots.keys():
            return None
        keys = {self.claim.slots[cell] for cell in cells}
        if len(keys) != 1:
            return None
        (key,) = keys
        program = self.ground.threads.program
        lock = lock_of(key, by_variable(place, program), program)
        if lock is None:
            return None
        several = not cells.isdisjoint(self.arrayed)
        return SlotAddress(lock, key, by_variable(place, program) if several else None)

    @cached_property
    def arrayed(self) -> frozenset[Target]:
        """The slots of which several go with one lock."""
        types = self.ground.memory.objects.types
        return frozenset(
            cell
            for cell, key in self.claim.slots.items()
            if cell in set(repeated_cells(cell.object, types[cell.object]))
            and self._is_part_of_array(cell, key)
        )

    def slot_sites(self, key: Key) -> Sites:
        """The sites that slots with a key lead to."""
        values = self.ground.memory.values
        cells = (cell for cell, found in self.claim.slots.items() if found == key)
        return frozenset().union(*(self.led(values.get(cell, frozenset())) for cell in cells))

    def right(self, lock: Place, knowledge: Knowledge, procedure: str) -> Right | None:
        """What a thread may do with the memory that a lock protects."""
        threads, ground = self.ground.threads, self.ground
        if not ground.is_stable_place(lock, procedure):
            return None
        if threads.is_only(knowledge, threads.program.procedure[procedure]):
            return Right.CHANGE
        if owner_of(lock, knowledge) is not None:
            return Right.CHANGE
        shared = False
        for held in knowledge.locks:
            if ground.discipline(held, procedure) is Discipline.READERS:
                beside = ground.companion(held)
                shared |= beside is not None and self._normal(beside) == lock
            elif self._normal(held) == lock:
                return Right.CHANGE
        return Right.LOOK if shared else None

    def _normal(self, place: Place) -> Place:
        return by_variable(place, self.ground.threads.program)

    def are_different(self, first: Place, second: Place, procedure: str) -> bool:
        """Whether two locks are surely not the same one."""
        one, two = (self.ground.cells_of(lock, procedure) for lock in (first, second))
        if one and two and one.isdisjoint(two):
            return True
        fixed = not any(place_expressions(first)) and not any(place_expressions(second))
        return fixed and first != second

    # -- arguments of threads --------------------------------------------------------------------

    @cached_property
    def arguments(self) -> Mapping[str, Place]:
        """Of threads that begin with a reference: where they find it, by template."""
        threads = self.ground.threads
        variables = {d.variable.name: d.variable for d in threads.program.globals}
        return {
            template: IndexPlace(VariablePlace(variables[name]), SELF)
            for template in sorted(self.claim.granted)
            for name in threads.arguments.get(template, ())
            if name in variables and isinstance(_element(variables[name].type), PointerType)
        }

    def argument_sites(self, place: Place) -> Sites:
        """Where the argument of a thread leads."""
        base = root(place)
        assert isinstance(base, VariablePlace)
        return self.led(self.ground.memory.values.get(Target(base.variable.name, 0), frozenset()))

    # -- what must hold of the claim -------------------------------------------------------------

    def unfit(self) -> Iterator[str | Key]:
        """The sites and slots that cannot be what is claimed, as memory and types say."""
        for template in sorted(self.claim.granted):
            place = self.arguments.get(template)
            base = None if place is None else root(place)
            if (
                not isinstance(base, VariablePlace)
                or not self.ground.threads.program.template[template].pool
                or self._is_inner(Target(base.variable.name, 0))
                or len(self.ground.threads.arguments[template]) != 1
            ):
                yield template
        yield from (site for site in sorted(self.claim.sites) if not self._fits(site))
        for cell in sorted(self.numbers):
            fit = self._is_wide(cell) if cell in self.claim.counts else self._has_numbers(cell)
            if not self._is_number(cell) or not fit:
                yield cell.object
        for cell, key in sorted(self.claim.slots.items()):
            if not self._is_slot(cell, key):
                yield key
        for unit in sorted(self.claim.tails, key=str):
            if not self._is_unit(unit):
                yield unit.head

    def _is_unit(self, unit: Unit) -> bool:
        """Whether a list and its end are slots of one lock, and of no other unit."""
        head, tail = unit.head, unit.tail
        slots = set(self.claim.slots.values())
        if tail is None or head == tail or not slots >= {head, tail}:
            return False
        same_record = head.kind == NAME or head.base == tail.base
        same_lock = (head.kind, head.lock, head.way) == (tail.kind, tail.lock, tail.way)
        others = (each for each in self.claim.tails if each != unit)
        return (
            same_record and same_lock and not any({*each.keys} & {head, tail} for each in others)
        )

    def _fits(self, site: str) -> bool:
        """Whether each link of an object is one cell, and leads to the beginnings of others."""
        if not is_site(site) or site == UNKNOWN:
            return False
        cells = {Target(site, cell) for cell in self.links[site]}
        repeated = set(repeated_cells(site, self.ground.memory.objects.types[site]))
        if cells and (site in self._counted or not cells.isdisjoint(repeated)):
            return False
        return not any(map(self._is_inner, cells))

    def _has_numbers(self, flag: Target) -> bool:
        values = self.ground.memory.values.get(flag, frozenset())
        return values is not None and all(isinstance(value, int) for value in values)

    def _is_wide(self, count: Target) -> bool:
        """Whether there are never as many references as a count has values: a character that is
        counted up 256 times is 0 again, while all of them are in use."""
        scalars = list(leaves(self.ground.memory.objects.types[count.object]))
        held = scalars[count.cell] if count.cell < len(scalars) else None
        return isinstance(held, MachineType) and held.width >= WIDE

    def _is_number(self, cell: Target) -> bool:
        """Whether a cell is the only flag or count of an object."""
        if cell.object not in self.claim.sites or cell.object in self._counted:
            return False
        every = (*self.claim.flags, *self.claim.counts)
        if sum(other.object == cell.object for other in every) != 1:
            return False
        held = self.ground.memory.objects.types[cell.object]
        scalars = list(leaves(held))
        if cell.cell >= len(scalars) or not is_integer(scalars[cell.cell]):
            return False
        return cell not in set(repeated_cells(cell.object, held))

    @cached_property
    def _counted(self) -> frozenset[str]:
        """The sites that allocate arrays."""
        objects = self.ground.memory.objects
        return frozenset(
            objects.site(edge.action)
            for edge in objects.program.edges
            if isinstance(edge.action, Allocate) and is_array(edge.action)
        )

    def _is_slot(self, cell: Target, key: Key) -> bool:
        """Whether a cell is memory outside of tracked objects, and the only one of its lock."""
        types = self.ground.memory.objects.types
        odd = (BYTES.object, ESCAPED.name, ANYWHERE.name, UNKNOWN)
        if cell.object in self.claim.sites or cell.object in odd:
            return False
        if cell.object.endswith("@") or cell.object not in types:
            return False
        if cell in self.arrayed and any(key in unit.keys for unit in self.claim.tails):
            return False
        tails = {unit.tail for unit in self.claim.tails}
        return key in tails or not self._is_inner(cell)

    def _is_part_of_array(self, cell: Target, key: Key) -> bool:
        """Whether several slots with a key go with one lock."""
        if key.kind != NAME:
            return self._repeats_inside(cell, key)
        return any(f"#{n}" not in key.way for n in range(key.path.count("#")))

    def _repeats_inside(self, cell: Target, key: Key) -> bool:
        """Whether there is an array on the way from the record of the lock to the slot."""
        for held in _parts(self.ground.memory.objects.types[cell.object]):
            if isinstance(held, RecordType) and held.name == key.base:
                part: Type = held
                for member in key.path:
                    if not isinstance(part, RecordType):
                        return True
                    part = dict(part.fields)[member]
                return not isinstance(part, PointerType)
        return True

    def _is_inner(self, cell: Target) -> bool:
        """Whether a cell may point into the middle of an object of a tracked site."""
        values = self.ground.memory.values.get(cell, frozenset())
        return values is None or any(
            isinstance(value, Target) and value.object in self.claim.sites and value.cell != 0
            for value in values
        )


def offset_in(place: Place) -> int:
    """The folded cell at which a place begins in what its root is."""
    match place:
        case FieldPlace(base, field):
            assert isinstance(base.type, RecordType | MutexType)
            return offset_in(base) + field_start(base.type, field)
        case IndexPlace(base, _):
            return offset_in(base)
        case VariablePlace() | DerefPlace():
            return 0


def place_of(base: Place, cell: int) -> Place | None:
    """The pointer at a folded cell; None if it is an element of an array."""
    while isinstance(base.type, RecordType):
        for name, part in fields_of(base.type):
            size = folded_size(part)
            if cell < size:
                base = FieldPlace(base, name)
                break
            cell -= size
        else:
            return None
    return base if isinstance(base.type, PointerType) else None


def pointer_of(place: Place) -> Expr | None:
    """The pointer by which a place is found."""
    base = root(place)
    return base.pointer if isinstance(base, DerefPlace) else None


def _element(held: Type) -> Type:
    return held.element if isinstance(held, ArrayType) else held


def _parts(held: Type) -> Iterator[Type]:
    yield held
    match held:
        case ArrayType(element):
            yield from _parts(element)
        case RecordType():
            for _, part in fields_of(held):
                yield from _parts(part)
        case _:
            pass
