"""The names of shared locations, accesses and locks, as in the source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import FieldPlace, Place, Read, SelfId, Variable, VariablePlace
from threadwise.ir.fold import place_expressions, read_places, subexpressions
from threadwise.ir.program import EdgeId, Procedure, Program
from threadwise.ir.text.source_terms import SourceTerms, is_of_library
from threadwise.ir.types import ArrayType, MutexType, RecordType, Type, fields_of
from threadwise.proofs.locksets.beyond import ESCAPED
from threadwise.proofs.locksets.knowledge import is_own
from threadwise.proofs.locksets.memory.cells import UNKNOWN, Target, folded_size, is_site
from threadwise.proofs.locksets.memory.objects import Objects

SYNC = "synchronisation"

WORDS = {
    SYNC: "only atomic accesses",
    "absent": "accessed while no other thread runs",
    "interrupted": "used by signal handlers, and by the first thread while no other runs",
    "latched": "used by the first thread before it lets others go on that wait for that",
    "elsewhere": "each thread uses cells of its own",
    "at home": "under the lock of the list that the object is in",
    "confined": "in memory that has not escaped the thread that allocated it",
    "handed": "owned by the thread that took it out of its container,"
    " or under the container's lock",
}


OF_UNKNOWN = "memory of an unknown function"
ESCAPED_MEMORY = "what unknown functions were given"


@dataclass(frozen=True)
class Names:
    """The names of locations, accesses and locks."""

    program: Program

    def procedure(self, edge: EdgeId) -> Procedure:
        """Where an edge is."""
        return self.program.procedure_of[self.program.edges[edge].source]

    def place(self, place: Place, edge: EdgeId) -> str:
        """What an edge accesses, as in the source."""
        followed = (part for whole in place_expressions(place) for part in read_places(whole))
        if VariablePlace(ESCAPED) in followed:
            return ESCAPED_MEMORY
        return self._terms.told(place, self.procedure(edge))

    def locks(self, locks: Iterable[Place], edge: EdgeId) -> list[str]:
        """The locks that a thread holds at an edge.

        A lock that there is one of has a name for everyone (`Singles`) beside the one that the
        thread knows it by: one of the two will do.
        """
        held = frozenset(locks)
        single = {each: target for each in held if (target := target_of(each)) is not None}
        own = {each for each in held if is_relative(each)}
        left_out = own if len(own) <= len(single) else single.keys()
        told = (
            (self.internal(single[each]) or self.of(single[each]))
            if each in single
            else self._lock(each, edge)
            for each in held - left_out
        )
        return sorted(set(told))

    def _lock(self, place: Place, edge: EdgeId) -> str:
        """A lock by the name it has in the source: the mutex in a `pthread_mutex_t` has none."""
        if isinstance(place, FieldPlace) and is_of_library(place.base.type):
            place = place.base
        return self.place(place, edge)

    def of(self, target: Target) -> str:
        """A variable or an allocation, and the way to the cell: `[]` for any element."""
        if target.object == UNKNOWN:
            return OF_UNKNOWN
        held = self._objects.types[target.object]
        return self._told(target, "".join(step for step, _ in _way(held, target.cell)))

    def internal(self, target: Target) -> str | None:
        """The lock, condition variable or other object of the library that a cell is inside of.

        None if the cell is the user's.
        """
        if target.object in self._declared and self._declared[target.object].sync:
            return self.of(target)
        way = ""
        for step, part in _way(self._objects.types[target.object], target.cell):
            way += step
            if isinstance(part, MutexType) or is_of_library(part):
                return self._told(target, way)
        return None

    def _told(self, target: Target, way: str) -> str:
        if not is_site(target.object):
            return f"{target.object.removesuffix('@')}{way}"
        inner = self._objects.types[target.object]
        while isinstance(inner, ArrayType):
            inner = inner.element
        name = inner.name if isinstance(inner, RecordType) else "memory"
        return f"{name}{way}, allocated at {self.place_of(target)}"

    def place_of(self, target: Target) -> str:
        """Where an object of the heap is allocated."""
        site = self._sites[int(target.object.removeprefix("new "))]
        return site.partition(" as ")[0]

    @cached_property
    def _terms(self) -> SourceTerms:
        return SourceTerms(self.program)

    @cached_property
    def _declared(self) -> Mapping[str, Variable]:
        return {d.variable.name: d.variable for d in self.program.globals}

    @cached_property
    def _objects(self) -> Objects:
        return Objects(self.program)

    @cached_property
    def _sites(self) -> Mapping[int, str]:
        return {number: site for site, number in self._objects.sites.items()}


def _way(held: Type, cell: int) -> Iterator[tuple[str, Type]]:
    """The parts of a type that a cell is in, the largest first, each with the step to it."""
    step = ""
    while True:
        yield step, held
        match held:
            case ArrayType(element):
                step, held = "[]", element
            case RecordType() | MutexType():
                for name, part in fields_of(held):
                    size = folded_size(part)
                    if cell < size:
                        step, held = f".{name}", part
                        break
                    cell -= size
                else:
                    return
            case _:
                return


def in_order(reasons: Iterable[str]) -> list[str]:
    """What protects a location, locks first."""
    return sorted(reasons, key=lambda reason: (not reason.startswith("under "), reason))


def is_relative(lock: Place) -> bool:
    """Whether the name of a lock means another one elsewhere."""
    parts = (part for whole in place_expressions(lock) for part in subexpressions(whole))
    return any(
        isinstance(part, SelfId) or (isinstance(part, Read) and is_own(part.place))
        for part in parts
    )


def target_of(place: Place) -> Target | None:
    """The single cell that a name of `Singles` stands for; None: it is no such name."""
    if not isinstance(place, VariablePlace):
        return None
    name, found, cell = place.variable.name.rpartition("#")
    return Target(name, int(cell)) if found and name and cell.isdigit() else None
