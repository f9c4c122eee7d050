"""The shared locations of a program, in words: what protects each, and what is undecided.

Which pairs of accesses are apart is said by `threadwise.proofs.locksets.accesses`; here they are
only put together and named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from threadwise.core.identity import Same
from threadwise.ir.expr import Place, Variable
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.text.printer import print_place
from threadwise.ir.types import ArrayType, MutexType, RecordType, Type, fields_of
from threadwise.proofs.base.locations import Location, Pair, Side
from threadwise.proofs.locksets.accesses import Access
from threadwise.proofs.locksets.belonging import common_locks
from threadwise.proofs.locksets.memory.cells import UNKNOWN, Target, folded_size, is_site
from threadwise.proofs.locksets.memory.objects import Objects

Settled = tuple[Target, Access, Access, str | None]
"""Two accesses to a cell, and the rule by which they are apart; None: there is none."""

UNSHARED = frozenset({"reads", "alone"})
"""Rules for pairs that are no two accesses of different threads with one that writes."""

SYNC = "synchronisation"

CROWDED = "crowded"
"""No rule: one of many steps any two of which may be undecided."""

WORDS = {
    SYNC: "only atomic accesses",
    "absent": "accessed while no other thread runs",
    "elsewhere": "each thread uses cells of its own",
    "at home": "under the lock of the list that the object is in",
    "confined": "in memory that has not escaped the thread that allocated it",
    "handed": "owned by who took it out of its container, or under the container's lock",
}


def locations_of(program: Program, pairs: Iterable[Settled]) -> tuple[Location, ...]:
    """The locations that pairs of accesses lead to, in the order of their names."""
    found: dict[Target, _Found] = {}
    sides, telling = _Sides(program), _Telling()
    for target, first, second, rule in pairs:
        if rule in UNSHARED:
            continue
        here = found.setdefault(target, _Found())
        if rule is None:
            here.note(sides, first, second)
        elif rule == CROWDED:
            here.crowd.add(first.edge)
        else:
            here.protections[rule, telling.told(rule, first, second)] = None
    names = Names(program)
    shown = {t: each for t, each in found.items() if not (each.is_sync and names.is_internal(t))}
    named = (each.location(names.of(target)) for target, each in shown.items())
    return tuple(sorted(named, key=lambda location: location.name))


@dataclass
class _Found:
    """What was found of one location."""

    protections: dict[tuple[str, str], None] = field(default_factory=dict)
    """Rules, and what they say here."""
    undecided: dict[frozenset[object], Pair] = field(default_factory=dict)
    edges: defaultdict[frozenset[object], set[frozenset[EdgeId]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    noted: set[tuple[object, ...]] = field(default_factory=set)
    crowd: set[EdgeId] = field(default_factory=set)

    @property
    def is_sync(self) -> bool:
        """Whether it only serves to synchronise."""
        return not self.undecided and all(rule == SYNC for rule, _ in self.protections)

    def note(self, sides: _Sides, first: Access, second: Access) -> None:
        """A pair is undecided; those that look alike to users are one."""
        seen = (
            first.edge,
            first.template,
            first.write,
            second.edge,
            second.template,
            second.write,
        )
        if seen in self.noted:
            return
        self.noted.add(seen)
        key = frozenset({sides.key(first), sides.key(second)})
        if key not in self.undecided:
            one, two = sorted((sides.of(first), sides.of(second)), key=_order)
            self.undecided[key] = Pair(one, two, lacking(first, second))
        self.edges[key].add(frozenset({first.edge, second.edge}))

    def location(self, name: str) -> Location:
        """In words."""
        pairs = [
            replace(pair, edges=frozenset(self.edges[key])) for key, pair in self.undecided.items()
        ]
        pairs.sort(key=lambda pair: (_order(pair.first), _order(pair.second)))
        reasons = {reason for _, reason in self.protections}
        return Location(name, tuple(in_order(reasons)), tuple(pairs), frozenset(self.crowd))


def in_order(reasons: Iterable[str]) -> list[str]:
    """What protects a location, locks first."""
    return sorted(reasons, key=lambda reason: (not reason.startswith("under "), reason))


def told(rule: str, first: Access, second: Access) -> str:
    """What keeps two accesses apart."""
    if rule != "locked":
        return WORDS[rule]
    locks = sorted(map(_lock, common_locks(first, second)))
    return f"under {' and '.join(locks)}"


@dataclass
class _Telling:
    """What keeps accesses apart, told once for accesses with the same place and locks."""

    _numbers: dict[object, int] = field(default_factory=dict)
    _known: dict[Same, int] = field(default_factory=dict)
    _told: dict[tuple[str, int, int], str] = field(default_factory=dict)

    def told(self, rule: str, first: Access, second: Access) -> str:
        """See `told`."""
        if rule != "locked":
            return WORDS[rule]
        key = rule, self._number(first), self._number(second)
        if key not in self._told:
            self._told[key] = told(rule, first, second)
        return self._told[key]

    def _number(self, access: Access) -> int:
        key = Same(access)
        if key not in self._known:
            locked = access.place, access.locks, access.shared
            self._known[key] = self._numbers.setdefault(locked, len(self._numbers))
        return self._known[key]


def _lock(place: Place) -> str:
    """A lock by the name it has in the source.

    A `pthread_mutex_t` has its mutex as the member `lock`, a `pthread_rwlock_t` as `writer`.
    """
    told = print_place(place)
    if not isinstance(place.type, MutexType):
        return told
    return told.removesuffix(".lock") if told.endswith(".lock") else told.removesuffix(".writer")


def lacking(first: Access, second: Access) -> str:
    """What a proof that two accesses are apart would need."""
    held = [bool(access.locks or access.shared) for access in (first, second)]
    if not any(held):
        return "neither holds a lock"
    if not all(held):
        return "only one of them holds a lock"
    return "no lock that both hold is known to be the same"


class _Sides:
    """Accesses in words, each told once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._keys: dict[tuple[EdgeId, str, bool], int] = {}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._told: dict[Same, Side] = {}

    def key(self, access: Access) -> int:
        """The same number for accesses that look alike to users."""
        known = access.edge, access.template, access.write
        if known not in self._keys:
            span = self.program.edges[access.edge].span or access.edge
            shown = span, access.template, access.write
            self._keys[known] = self._numbers.setdefault(shown, len(self._numbers))
        return self._keys[known]

    def of(self, access: Access) -> Side:
        """An access in words."""
        key = Same(access)
        if key not in self._told:
            side = Side(
                access.template,
                self.program.edges[access.edge].span,
                access.write,
                print_place(access.place),
                tuple(sorted(map(_lock, access.locks | access.shared))),
            )
            self._told[key] = side
        return self._told[key]


def _order(side: Side) -> tuple[str, int, int, str, bool, str]:
    span = side.span
    where = ("", 0, 0) if span is None else (span.path, span.line, span.column)
    return (*where, side.thread, side.write, side.place)


OF_UNKNOWN = "memory of an unknown function"


@dataclass(frozen=True)
class Names:
    """The names of locations."""

    program: Program

    def of(self, target: Target) -> str:
        """A variable or an allocation, and the way to the cell: `[]` for any element."""
        if target.object == UNKNOWN:
            return OF_UNKNOWN
        held = self._objects.types[target.object]
        way = "".join(_way(held, target.cell))
        if not is_site(target.object):
            return f"{target.object.removesuffix('@')}{way}"
        inner = held
        while isinstance(inner, ArrayType):
            inner = inner.element
        name = inner.name if isinstance(inner, RecordType) else "memory"
        return f"{name}{way}, allocated at {self.place_of(target)}"

    def place_of(self, target: Target) -> str:
        """Where an object of the heap is allocated."""
        site = self._sites[int(target.object.removeprefix("new "))]
        return site.partition(" as ")[0]

    def is_internal(self, target: Target) -> bool:
        """Whether a cell is no variable of the source: locks, and what threads are started by."""
        if target.object in self._declared and self._declared[target.object].sync:
            return True
        parts = parts_up_to(self._objects.types[target.object], target.cell)
        return any(isinstance(part, MutexType) or _is_of_library(part) for part in parts)

    @cached_property
    def _declared(self) -> Mapping[str, Variable]:
        return {d.variable.name: d.variable for d in self.program.globals}

    @cached_property
    def _objects(self) -> Objects:
        return Objects(self.program)

    @cached_property
    def _sites(self) -> Mapping[int, str]:
        return {number: site for site, number in self._objects.sites.items()}


def parts_up_to(held: Type, cell: int) -> Iterator[Type]:
    """The parts of a type that a cell is in, the largest first."""
    yield held
    match held:
        case ArrayType(element):
            yield from parts_up_to(element, cell)
        case RecordType() | MutexType():
            for _, part in fields_of(held):
                size = folded_size(part)
                if cell < size:
                    yield from parts_up_to(part, cell)
                    return
                cell -= size
        case _:
            return


def _is_of_library(held: Type) -> bool:
    """Whether a type is one of the thread library: a condition variable, a semaphore."""
    return isinstance(held, RecordType) and held.name.rpartition(" ")[2].startswith("__tw_")


def _way(held: Type, cell: int) -> Iterator[str]:
    match held:
        case ArrayType(element):
            yield "[]"
            yield from _way(element, cell)
        case RecordType() | MutexType():
            for name, part in fields_of(held):
                size = folded_size(part)
                if cell < size:
                    yield f".{name}"
                    yield from _way(part, cell)
                    return
                cell -= size
        case _:
            return
