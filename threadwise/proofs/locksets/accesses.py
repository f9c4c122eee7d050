"""The accesses of edges, and the rules by which two of them cannot race.

Two accesses of different threads to memory that may be the same, one of them a write and one of
them plain, are apart if one of these holds:

    alone       there is only one thread at a time that makes both
    absent      while one thread is there, threads of the other's template do not run, or threads
                of these two templates never run at the same time, or the first thread has not
                started the one with the other's argument, or has joined it
    interrupted  one thread is the first one, no other thread of the program runs, and the other
                access is that of a handler of signals: see `Population.interrupts`
    latched     the first thread has not let go on those that wait for it, and the other one waited
                (`threadwise.proofs.locksets.threads.latches`)
    elsewhere   their indices differ, or each is in the cell of its own thread, or one in the cell
                of a thread that does not run (`threadwise.proofs.locksets.threads.spacing`)
    owned       the thread owns one of the objects: no other thread has a pointer to it
    at home     both threads hold the lock of the list that the object is in
                (`threadwise.proofs.locksets.containers.guarded_lists`)
    confined    both objects have not escaped from the threads that created them
                (`threadwise.proofs.locksets.memory.confined`)
    handed      one thread owns the object since it took it out of a container, or both hold the
                lock of the container that it is in
                (`threadwise.proofs.locksets.containers.handover`), or each has allocated its own
                (`threadwise.proofs.locksets.resources`)
    locked      both threads hold one lock: the same, or the one that belongs to the cell; locks
                that may only be one cell are the same (`threadwise.proofs.locksets.memory.single`)

`threadwise.proofs.locksets.belonging` defines when a lock belongs to a cell. Of an access that
may be to any part of an object, only the thread, and locks with one name for all threads, count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field, fields
from enum import Enum
from functools import cached_property, partial

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Free
from threadwise.ir.constant_objects import is_function, is_literal
from threadwise.ir.expr import (
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsAllocated,
    IsWritten,
    Place,
    Read,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    conjuncts,
    place_expressions,
    root,
    subexpressions,
)
from threadwise.ir.program import Edge, EdgeId, Procedure
from threadwise.ir.types import RecordType, Type
from threadwise.ir.writes import written
from threadwise.proofs.locksets.belonging import common_locks, impersonal_locks
from threadwise.proofs.locksets.beyond import FREED, WHOLE, WHOLES
from threadwise.proofs.locksets.certificate import Discipline
from threadwise.proofs.locksets.containers.handover import Custody
from threadwise.proofs.locksets.knowledge import (
    MANY,
    Event,
    Knowledge,
    is_own,
    named_place,
    pointers_into_one,
)
from threadwise.proofs.locksets.locks import owner_of
from threadwise.proofs.locksets.memory.by_variable import by_variable
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.memory.confined import confined_sites, is_followed
from threadwise.proofs.locksets.memory.contents import Area
from threadwise.proofs.locksets.memory.objects import whole_types
from threadwise.proofs.locksets.memory.single import Singles
from threadwise.proofs.locksets.resources.effects import NOT_AT_ALL
from threadwise.proofs.locksets.resources.heap import Hold
from threadwise.proofs.locksets.resources.look import Look
from threadwise.proofs.locksets.step import Steps
from threadwise.proofs.locksets.threads.creation import Threads
from threadwise.proofs.locksets.threads.inner_pointers import InnerPointers
from threadwise.proofs.locksets.threads.latches import Latches
from threadwise.proofs.locksets.threads.spacing import (
    Part,
    Spacing,
    absent_parts,
    fits,
    own_parts,
)


class Home(Enum):
    """How a lock is held."""

    ALONE = "alone"
    SHARED = "shared"


@dataclass(frozen=True)
class Access:
    """What a thread of a template may do to memory in a step."""

    template: str
    edge: EdgeId
    place: Place
    """Named by the thread's own variables."""
    write: bool
    sync: bool
    locks: frozenset[Place]
    shared: frozenset[Place]
    """Locks that others may hold in the same way: for reading."""
    absent: frozenset[str]
    identity: Expr | None
    running: frozenset[Event] | None = None
    """The threads that may run, as the first thread knows."""
    parts: frozenset[tuple[str, Part]] = frozenset()
    """Of numbered templates: where the thread's own number stands in the place; for the first
    thread, where that of a thread stands that does not run."""
    home: Home | None = None
    """How the thread holds the lock of the list that the object is in."""
    custody: Custody | None = None
    """How the thread may use the object, if that is handed over."""
    receipt: bool = False
    """Whether the thread has allocated the object: no other thread has."""
    confined: bool = False
    """Whether the object has not escaped from the thread that created it."""
    coarse: bool = False
    """Whether the cell is one of many that the place may be a part of: its name says nothing."""
    whole: RecordType | None = None
    """The type of the object that the cell is in, if there are no parts of that type."""
    into: frozenset[Expr] = frozenset()
    """Then: pointers that are known to lead into that object."""
    unopened: frozenset[Target] = frozenset()
    """For the first thread: the latches that it has not opened yet."""
    behind: frozenset[Target] = frozenset()
    """The latches that the thread is behind."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once: an access may be to very many cells."""
        return hash(tuple(getattr(self, each.name) for each in fields(self)))


Within = tuple[RecordType, frozenset[Expr]]
"""The type of an object, and pointers that are known to lead into it."""


class _Variants:
    """An access to different cells, one object for all of which the same is known.

    Equal accesses are one object also if they were found in several cases: whoever compares them
    for each of very many cells then sees that they are the same.
    """

    def __init__(self, access: Access, kept: dict[Access, Access]) -> None:
        self.access = access
        self._kept = kept
        self._made: dict[tuple[Hold, Within | None, bool], Access] = {}

    def of(self, hold: Hold, within: Within | None, *, confined: bool) -> Access:
        """The access to a cell."""
        key = hold, within, confined
        if key not in self._made:
            whole, into = within or (None, frozenset())
            made = replace(
                self.access,
                custody=hold.custody,
                receipt=hold.receipt,
                whole=whole,
                into=into,
                confined=confined,
            )
            self._made[key] = self._kept.setdefault(made, made)
        return self._made[key]


@dataclass(frozen=True)
class Accesses:
    """The accesses of a program."""

    steps: Steps
    look: Look | None = None
    """What threads own by separation logic, if that was analysed."""

    @property
    def threads(self) -> Threads:
        """Which threads start which."""
        return self.steps.threads

    def of(
        self, edge: Edge, knowledge: Knowledge, procedure: Procedure, population: Population
    ) -> Iterator[tuple[Target, Access]]:
        """The accesses of an edge to memory that others may reach."""
        touched = list(_touched(edge))
        if not touched:
            return
        for before, _ in self.steps.guards.passing(edge, knowledge, procedure.name):
            for place, write in touched:
                there = named_place(place, before.known)
                if owner_of(there, before) is not None:
                    continue
                there = by_variable(there, self.threads.program)
                sync = edge.sync or _is_sync(place)
                locks = self._locks(before.locks & knowledge.locks, procedure.name)
                home = self._home(there, locks, before, procedure.name)
                custody = self._custody(there, before, knowledge, procedure.name)
                has = None if self.look is None else self._has(self.look, edge, knowledge, place)
                for template in self.threads.templates(before, procedure):
                    found = Access(
                        template,
                        edge.id,
                        there,
                        write,
                        sync,
                        *locks,
                        self.absent(template, before),
                        before.identity,
                        self._running(template, before),
                        self._parts(template, procedure.name, there, before, population),
                        home,
                        unopened=self._latches.unopened(template, edge.source),
                        behind=self._latches.behind(template, edge.source),
                    )
                    followed = is_followed(there, self.steps.ground, procedure.name)
                    exact, coarse = self._located(there, procedure.name)
                    variants = _Variants(found, self._kept)
                    for target in exact:
                        has_it = self._in_custody(target, custody, has)
                        within = self._in_whole(target, found, before)
                        confined = followed and target.object in self._confined_sites
                        yield target, variants.of(has_it, within, confined=confined)
                    if coarse:
                        whole = there.type in WHOLES
                        if not whole:
                            coarsely = replace(found, coarse=True, home=None)
                            variants = _Variants(coarsely, self._kept)
                        reading = _Variants(replace(variants.access, write=False), self._kept)
                        for target in self.steps.memory.cells(coarse, there):
                            alone = whole and target.object not in self.steps.handover.pools.types
                            has_it = self._in_custody(target, custody if alone else None, has)
                            confined = followed and target.object in self._confined_sites
                            only = reading if is_only_read(target, there) else variants
                            yield target, only.of(has_it, None, confined=confined)

    @cached_property
    def _kept(self) -> dict[Access, Access]:
        return {}

    @cached_property
    def _latches(self) -> Latches:
        return Latches(self.steps.memory, self.threads)

    def _located(self, place: Place, procedure: str) -> tuple[list[Target], list[Area]]:
        key = place, procedure
        if key not in self._places:
            self._places[key] = self.steps.memory.located(place, procedure)
        return self._places[key]

    @cached_property
    def _places(self) -> dict[tuple[Place, str], tuple[list[Target], list[Area]]]:
        return {}

    def _in_whole(self, target: Target, access: Access, knowledge: Knowledge) -> Within | None:
        """The object of a target, if it has locks by which the thread knows it."""
        held, base = self.steps.memory.objects.types[target.object], root(access.place)
        if held not in self._wholes or not isinstance(held, RecordType):
            return None
        if not isinstance(base, DerefPlace):
            return None
        locked = {
            record.pointer
            for record in map(root, (*access.locks, *access.shared))
            if isinstance(record, DerefPlace) and record.type == held
        }
        into = locked & pointers_into_one(base.pointer, knowledge)
        return (held, frozenset(into)) if into else None

    @cached_property
    def _wholes(self) -> frozenset[Type]:
        return whole_types(self.steps.memory.objects)

    @cached_property
    def _confined_sites(self) -> frozenset[str]:
        return confined_sites(self.steps.memory)

    def _locks(
        self, held: frozenset[Place], procedure: str
    ) -> tuple[frozenset[Place], frozenset[Place]]:
        """Which locks are held alone, and which for reading."""
        key = held, procedure
        if key not in self._told_locks:
            self._told_locks[key] = self._both_locks(held, procedure)
        return self._told_locks[key]

    @cached_property
    def _told_locks(
        self,
    ) -> dict[tuple[frozenset[Place], str], tuple[frozenset[Place], frozenset[Place]]]:
        return {}

    def _both_locks(
        self, held: frozenset[Place], procedure: str
    ) -> tuple[frozenset[Place], frozenset[Place]]:
        shared: dict[Place, Place] = {}
        for place in held:
            if self.steps.ground.discipline(place, procedure) is Discipline.READERS:
                mutex = self.steps.ground.companion(place)
                assert mutex is not None
                shared[place] = mutex
        return (
            self._with_names(held.difference(shared), procedure),
            self._with_names(frozenset(shared.values()), procedure),
        )

    def _home(
        self,
        place: Place,
        locks: tuple[frozenset[Place], frozenset[Place]],
        knowledge: Knowledge,
        procedure: str,
    ) -> Home | None:
        ground, base = self.steps.ground, root(place)
        if not ground.homed:
            return None
        cells = ground.cells_of(place, procedure)
        if isinstance(base, DerefPlace) and cells and all(c.object in ground.homed for c in cells):
            lock = self.steps.homes.of(base.pointer, knowledge, procedure)
        else:
            lock = self.steps.homes.of_cell(place, knowledge, procedure)
        if lock is None:
            return None
        alone, shared = locks
        return Home.ALONE if lock in alone else Home.SHARED if lock in shared else None

    def _custody(
        self, place: Place, before: Knowledge, knowledge: Knowledge, procedure: str
    ) -> Custody | None:
        if not self.steps.ground.handed:
            return None
        held = before.locks & knowledge.locks
        kept = replace(before, held=held, fresh=frozenset())
        return self.steps.handover.custody(place, kept, procedure)

    def _has(self, look: Look, edge: Edge, knowledge: Knowledge, place: Place) -> Hold:
        """How the thread has the object that a place is in."""
        procedure = self.threads.program.procedure_of[edge.source].name
        cells = self.steps.memory.targets(place, procedure)
        if not any(cell.object in look.claim.sites for cell in cells):
            return NOT_AT_ALL
        return look.hold(edge, knowledge, place)

    def _in_custody(self, target: Target, custody: Custody | None, has: Hold | None) -> Hold:
        if self.look is not None and target.object in self.look.claim.sites:
            return has or NOT_AT_ALL
        handed = target.object in self.steps.ground.handed
        return Hold(custody if handed else None, receipt=False)

    def _with_names(self, locks: frozenset[Place], procedure: str) -> frozenset[Place]:
        """Locks, and the names of those that are single cells, or parts of variables."""
        locks |= {by_variable(lock, self.threads.program) for lock in locks}
        personal = (lock for lock in locks if not isinstance(root(lock), VariablePlace))
        names = (self._singles.name(lock, procedure) for lock in personal)
        return locks | {name for name in names if name is not None}

    @cached_property
    def _singles(self) -> Singles:
        return Singles(self.steps.memory, self.threads)

    def _parts(
        self,
        template: str,
        procedure: str,
        place: Place,
        knowledge: Knowledge,
        population: Population,
    ) -> frozenset[tuple[str, Part]]:
        spacings = population.spacings
        if template in spacings:
            names, spacing = self.threads.arguments[template], spacings[template]
            whose = "" if spacing.objects else template  # objects of all templates differ
            holder = partial(self.steps.ground.argument_with_number, procedure=procedure)
            inside = partial(self._inner(template, spacing).leads_inside, procedure=procedure)
            parts = own_parts(place, spacing, names, holder, inside)
            return frozenset((whose, part) for part in parts)
        if not self.threads.is_first(self.threads.program.template[template]):
            return frozenset()
        found: dict[EdgeId, set[tuple[str, Part]]] = {e.edge: set() for e in knowledge.running}
        for roster in knowledge.rosters:
            started = self.threads.starts.get(roster.edge)
            if started is not None and started in spacings and roster.edge in found:
                parts = absent_parts(place, roster, started, knowledge)
                found[roster.edge] |= {(started, part) for part in parts}
        return frozenset(
            part
            for edge, parts in found.items()
            for part in parts
            if all(
                part in others
                for other, others in found.items()
                if self.threads.starts.get(other) == self.threads.starts[edge]
            )
        )

    def _inner(self, template: str, spacing: Spacing) -> InnerPointers:
        key = template, spacing
        if key not in self._known_inner:
            element = None if spacing.objects else spacing.element
            self._known_inner[key] = InnerPointers(self.threads, template, element, fits)
        return self._known_inner[key]

    @cached_property
    def _known_inner(self) -> dict[tuple[str, Spacing], InnerPointers]:
        return {}

    def _running(self, template: str, knowledge: Knowledge) -> frozenset[Event] | None:
        first = self.threads.is_first(self.threads.program.template[template])
        return knowledge.running if first else None

    def absent(self, template: str, knowledge: Knowledge) -> frozenset[str]:
        """The templates of which no thread runs, as a thread of this one knows."""
        program = self.threads.program
        if not self.threads.is_first(program.template[template]):
            return knowledge.absent
        return knowledge.absent | {
            other.name
            for other in program.templates
            if other.pool and self.threads.is_absent(other.name, template, knowledge)
        }


def is_only_read(target: Target, place: Place) -> bool:
    """Whether a write that may be to any part of an object is none to a cell of this one.

    Functions are no memory to write, and to write to string literals is undefined behaviour: it
    is assumed not to happen where it is only feared, in unknown functions and by pointers that
    may lead to anything. What the program writes there as characters, or as a whole, counts.
    """
    name = target.object
    return is_function(name) or (is_literal(name) and place.type not in WHOLES)


def _touched(edge: Edge) -> Iterator[tuple[Place, bool]]:
    """The places outside of the thread that an edge reads and writes.

    The end of an object, by `free` or because its scope ends, is a write to all of it. What is
    freed is found by a pointer to its start: no run passes that with another one, so an element
    of a list that is part of a larger object does not end that.
    """
    if isinstance(edge.action, Free):
        checked = IsAllocated(edge.action.pointer) in conjuncts(edge.action.guard)
        yield DerefPlace(edge.action.pointer, FREED if checked else WHOLE), True
    for expr in action_expressions(edge.action):
        for part in subexpressions(expr):
            if isinstance(part, Read | IsWritten) and not is_own(part.place):
                yield part.place, False
    for place, _ in written(edge):
        for index in place_expressions(place):
            for part in subexpressions(index):
                if isinstance(part, Read) and not is_own(part.place):
                    yield part.place, False
        if not is_own(place):
            yield place, True


def _is_sync(place: Place) -> bool:
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.sync


@dataclass(frozen=True)
class Population:
    """What is claimed about the threads of all templates."""

    alone: frozenset[str] = frozenset()
    """Those no two of which run at the same time."""
    exclusive: frozenset[tuple[str, str]] = frozenset()
    """Pairs of different templates no threads of which run at the same time."""
    events: Mapping[str, Mapping[Event, AbstractSet[Expr | None]]] = field(default_factory=dict)
    """Those whose threads all get different arguments, with the starts that pass them."""
    spacings: Mapping[str, Spacing] = field(default_factory=dict)
    """Those whose threads have different numbers, and how their arguments lie."""
    pools: frozenset[str] = frozenset()
    """Those whose threads are started."""
    handlers: frozenset[str] = frozenset()
    """Of these, the one whose threads stand for handlers of signals."""

    def interrupts(self, thread: Access, handler: Access) -> bool:
        """Whether all handlers that run during an access, or ran before, run on its thread.

        A thread of `handlers` stands for a handler of signals, which runs on some thread of the
        program. If that is the one that makes the access, there are no accesses of
        different threads, and that is what a race is. The first thread makes it, while no thread
        of another template runs: those that were started are joined, so handlers that ran on
        them are over and happened before; those that will be started begin after the access, and
        so do handlers on them. Which values a handler finds that interrupts a step is another
        matter: for values it is a thread as any other.
        """
        if thread.running is None or handler.template not in self.handlers:
            return False
        return self.pools - thread.absent <= self.handlers

    def runs(self, thread: Access, running: frozenset[Event]) -> bool:
        """Whether a thread that makes an access may be among those that run."""
        known = self.events.get(thread.template)
        if known is None or thread.identity is None:
            return True
        starts = [event for event, values in known.items() if thread.identity in values]
        return any(e in running or Event(e.edge, MANY) in running for e in starts)


def apart(first: Access, second: Access, population: Population) -> str | None:
    """The rule by which two accesses to one target do not race; None if there is none."""
    if not (first.write or second.write):
        return "reads"
    if first.sync and second.sync:
        return "synchronisation"
    if first.template == second.template:
        same = first.identity is not None and first.identity == second.identity
        if first.template in population.alone or same:
            return "alone"
    meanwhile = _meanwhile(first, second, population)
    if meanwhile is not None:
        return meanwhile
    if first.confined and second.confined:
        return "confined"
    custodies = {first.custody, second.custody}
    handed = None not in custodies and not custodies <= _WITH_OTHERS
    handed |= first.receipt and second.receipt
    if first.coarse or second.coarse:
        return "locked" if impersonal_locks(first, second) else "handed" if handed else None
    if _elsewhere(first.place, second.place) or first.parts & second.parts:
        return "elsewhere"
    if common_locks(first, second):
        return "locked"
    homes = {first.home, second.home}
    if None not in homes and Home.ALONE in homes:
        return "at home"
    return "handed" if handed else None


_WITH_OTHERS = {Custody.SHARED, Custody.COUNTED}


def _meanwhile(first: Access, second: Access, population: Population) -> str | None:
    """The rule by which one thread is not there, or not yet, while the other makes its access."""
    if second.template in first.absent or first.template in second.absent:
        return "absent"
    both = first.template, second.template
    if both in population.exclusive or both[::-1] in population.exclusive:
        return "absent"
    for one, other in ((first, second), (second, first)):
        if one.running is not None and not population.runs(other, one.running):
            return "absent"
        if population.interrupts(one, other):
            return "interrupted"
        if not one.unopened.isdisjoint(other.behind):
            return "latched"
    return None


def taken_along(
    accesses: Mapping[Target, Iterable[Access]], sites: AbstractSet[str]
) -> frozenset[EdgeId]:
    """The edges along which objects of some sites are accessed by their sole owner."""
    found: dict[EdgeId, bool] = {}
    for target, each in accesses.items():
        if target.object in sites:
            for access in each:
                taken = access.custody is Custody.TAKEN
                found[access.edge] = taken and found.get(access.edge, True)
    return frozenset(edge for edge, taken in found.items() if taken)


def alike(
    accesses: Mapping[Target, list[Access]],
) -> Iterator[tuple[tuple[Target, ...], list[Access]]]:
    """The accesses to cells, at once for those with the same ones.

    What is said of pairs of accesses is the same for all of these cells.
    """
    groups: dict[tuple[Same, ...], list[Target]] = {}
    for target, each in accesses.items():
        groups.setdefault(tuple(map(Same, each)), []).append(target)
    for targets in groups.values():
        yield tuple(targets), accesses[targets[0]]


@dataclass
class Rules:
    """A cache of `apart`, for accesses that differ in more than their edges.

    What may be any part of an object is an access to all of its cells: the same pairs come again
    for each of them.
    """

    population: Population
    _numbers: dict[Access, int] = field(default_factory=dict)
    _seen: dict[Same, int] = field(default_factory=dict)
    _known: dict[tuple[int, int], str | None] = field(default_factory=dict)

    def number(self, access: Access) -> int:
        """The same for accesses that differ in the edge only."""
        key = Same(access)
        known = self._seen.get(key)
        if known is None:
            known = self._numbers.setdefault(replace(access, edge=EdgeId(-1)), len(self._numbers))
            self._seen[key] = known
        return known

    def apart(self, first: Access, second: Access, one: int, two: int) -> str | None:
        """See `apart`; the accesses come with their numbers."""
        if (one, two) not in self._known:
            self._known[one, two] = apart(first, second, self.population)
        return self._known[one, two]


def _elsewhere(first: Place, second: Place) -> bool:
    a, b = list(_path(first)), list(_path(second))
    if len(a) != len(b) or a[0] != b[0] or not isinstance(a[0], Variable):
        return False
    for one, two in zip(a[1:], b[1:], strict=True):
        match one, two:
            case SelfId(), SelfId():
                return True
            case Const(x, _), Const(y, _) if x != y:
                return True
            case _:
                pass
    return False


def _path(place: Place) -> Iterator[object]:
    match place:
        case VariablePlace(variable):
            yield variable
        case DerefPlace():
            yield place
        case FieldPlace(base, field):
            yield from _path(base)
            yield field
        case IndexPlace(base, index):
            yield from _path(base)
            yield index
