"""What one thread knows at a location: an assertion that is stable under steps of other threads.

    held      the locks it owns, as places over its own variables: `m`, `b[i].m`, `deref(p).m`
    fresh     those of them that it took inside the atomic region it is in
    known     values of its own variables, as expressions over its own variables
    facts     conditions over its own variables
    owned     its variables that point to an object no other thread has a pointer to, with its site
    lost      its variables that point to objects now owned by a new thread; they must not be used
    started   how often it executed each spawning edge; MANY: not known
    running   which of the threads it started there may still run; MANY: any of them
    handles   its variables that hold the id of a thread it started
    absent    templates whose threads do not run now, and will not as long as this thread runs
    identity  the argument it was started with, if no other thread got the same
    rosters   quantified facts about threads started in loops: the id and argument of the k-th
    ended     elements of arrays whose threads do not run
    copies    its variables that hold the id in an element of an array
    homes     the locks that protect what its variables point to, by the list that it is in
    clean     its variables that point to an object of its own that leads to no object in a list
    template  which thread it is, in procedures that others may call
    taken     its variables that point to handed objects that are its own
    whole     those of them that lead to nothing but such objects
    lent      its variables that point to handed objects in containers whose locks it holds
    same      its variables, and links of its objects, that hold what cells of containers hold
              (`threadwise.proofs.locksets.containers.handover` says more about these four)
    unused    elements of arrays that nobody refers to
              (`threadwise.proofs.locksets.containers.pools`)

`started`, `running`, `handles`, `rosters`, `ended`, `copies` and `unused` are kept for the first
thread of a program only: see `threadwise.proofs.locksets.threads.creation` and
`threadwise.proofs.locksets.threads.thread_arrays`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.expr import (
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    Place,
    PointerAdd,
    PointerToInt,
    Read,
    SameObject,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import (
    number,
    place_expressions,
    rebuild,
    root,
    subexpressions,
)
from threadwise.ir.folding import Folding, folded
from threadwise.ir.program import EdgeId
from threadwise.ir.types import (
    INTEGER_OBJECT,
    Address,
    ArrayType,
    MutexType,
    RecordType,
    Type,
    fields_of,
)

MANY = -1
REMEMBERED = 1 << 17
"""Of so many expressions it is remembered what they read."""
CONSTANTS = Folding(lambda _: None, lambda _: False)
"""Computes with constants, and knows nothing else."""


class Event(NamedTuple):
    """The n-th time that a spawning edge was executed; MANY: any time."""

    edge: EdgeId
    time: int


class Roster(NamedTuple):
    """The threads that an edge started; its meaning is told in `threads.thread_arrays`."""

    edge: EdgeId
    argument: Expr | None
    ids: Place | None
    stop: Expr
    late: Place | None = None
    alone: bool = False
    at: Expr | None = None


class Ended(NamedTuple):
    """The threads of a template that do not run, by their ids; likewise."""

    template: str
    ids: Place
    stop: Expr
    first: Expr | None = None


class Unused(NamedTuple):
    """Elements of an array that nobody refers to; its meaning is told in `containers.pools`."""

    variable: str
    start: Expr
    stop: Expr | None = None
    """None: all elements from the first on."""
    torn: bool = False
    """Whether what their links hold does not count."""


@dataclass(frozen=True)
class Knowledge:
    """What a thread knows."""

    held: frozenset[Place] = frozenset()
    fresh: frozenset[Place] = frozenset()
    known: Mapping[Place, Expr] = field(default_factory=dict)
    facts: frozenset[Expr] = frozenset()
    owned: Mapping[Place, str] = field(default_factory=dict)
    started: Mapping[EdgeId, int] = field(default_factory=dict)
    running: frozenset[Event] = frozenset()
    handles: Mapping[Place, Event] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    identity: Expr | None = None
    lost: frozenset[Place] = frozenset()
    rosters: frozenset[Roster] = frozenset()
    ended: frozenset[Ended] = frozenset()
    copies: Mapping[Place, Place] = field(default_factory=dict)
    homes: Mapping[Place, Place] = field(default_factory=dict)
    clean: frozenset[Place] = frozenset()
    template: str | None = None
    taken: frozenset[Place] = frozenset()
    whole: frozenset[Place] = frozenset()
    lent: Mapping[Place, Place] = field(default_factory=dict)
    same: Mapping[Place, Place] = field(default_factory=dict)
    unused: frozenset[Unused] = frozenset()

    @property
    def locks(self) -> frozenset[Place]:
        """The locks that were held before the current step began."""
        return self.held - self.fresh

    @cached_property
    def bases(self) -> frozenset[object]:
        """What all facts are expressed with; see `base_of`."""
        return self.told_with.union(
            *map(bases_of, self.known),
            *map(read_bases, self.known.values()),
            *map(read_bases, self.facts),
        )

    @cached_property
    def told_with(self) -> frozenset[object]:
        """What all facts but values and conditions are expressed with."""
        return frozenset(_told_with(self))


# -- names over one's own variables --------------------------------------------------------------


@lru_cache(maxsize=REMEMBERED)
def is_own(place: Place) -> bool:
    """Whether a place is a part of a thread's own variables."""
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is not Scope.GLOBAL


def is_definite(place: Place) -> bool:
    """Whether a place is always the same cell of its variable."""
    return all(isinstance(index, Const) for index in place_expressions(place))


def named(expr: Expr, known: Mapping[Place, Expr]) -> Expr:
    """An expression with what is known put in: equal names mean equal values.

    Whatever is known of places that are not asked for, it is the same.
    """
    plain, asked = _plainly_named(expr)
    if not known.keys().isdisjoint(asked):
        return _named(expr, known)
    if isinstance(known, _Nothing):
        known.asked |= asked
    return plain


class _Nothing(dict[Place, Expr]):
    """Nothing is known; which places were asked for is noted."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[Place] = set()

    def get(self, place: Place, default: object = None) -> None:  # type: ignore[override]
        self.asked.add(place)


@lru_cache(maxsize=REMEMBERED)
def _plainly_named(expr: Expr) -> tuple[Expr, frozenset[Place]]:
    """The name of an expression if nothing is known, and the places that were asked for."""
    nothing = _Nothing()
    return _named(expr, nothing), frozenset(nothing.asked)


def _named(expr: Expr, known: Mapping[Place, Expr]) -> Expr:
    def change(part: Expr) -> Expr:
        return named(part, known)

    match expr:
        case Read(place):
            there = named_place(place, known)
            found = known.get(there) if is_own(there) else None
            return Read(there) if found is None else found
        case AddressOf(place):
            there = named_place(place, known)
            if isinstance(there, DerefPlace):
                return there.pointer
            return AddressOf(there)
        case PointerAdd(pointer, Const(1 | -1 as by, _), RecordType() as element):
            return _across(named(pointer, known), by, element)
        case PointerToInt(pointer):
            match named(pointer, known):
                case IntToPointer(operand):
                    return operand
                case Const(Address(number_, offset), _) if number_ == INTEGER_OBJECT:
                    return number(offset)
                case other:
                    return PointerToInt(other)
        case _:
            return folded(rebuild(expr, change))


def _across(pointer: Expr, by: int, element: RecordType) -> Expr:
    """A pointer moved by one record, or by the members of one before a field."""
    match pointer:
        case PointerAdd(inner, Const(int(moved), _), other) if other == element:
            if moved == -by:
                return inner
        case AddressOf(FieldPlace(base, field_)) if by < 0 and isinstance(base.type, RecordType):
            names = [name for name, _ in base.type.fields]
            if base.type.fields[: names.index(field_)] == element.fields:
                return base.pointer if isinstance(base, DerefPlace) else AddressOf(base)
        case _:
            pass
    return PointerAdd(pointer, number(by), element)


def named_place(place: Place, known: Mapping[Place, Expr]) -> Place:
    """A place with what is known put in; a dereference of a known address is that place."""
    match place:
        case VariablePlace():
            return place
        case IndexPlace(base, index):
            return IndexPlace(named_place(base, known), named(index, known))
        case FieldPlace(base, field_):
            return FieldPlace(named_place(base, known), field_)
        case DerefPlace(pointer, held):
            return _dereferenced(named(pointer, known), held)


def _dereferenced(pointer: Expr, held: Type) -> Place:
    found: Place | None = None
    match pointer:
        case AddressOf(place):
            found = _part_of_type(place, held)
        case PointerAdd(AddressOf(base), count, element) if base.type == ArrayType(element, 0):
            found = IndexPlace(base, count) if element == held else None
        case PointerAdd(AddressOf(IndexPlace(base, index)), count, element):
            array = base.type
            if isinstance(array, ArrayType) and array.element == element == held:
                moved = CONSTANTS.of(Binary(BinaryOp.ADD, index, count))
                if isinstance(moved, Const):
                    found = IndexPlace(base, moved)
                elif index == number(0):
                    found = IndexPlace(base, count)
        case _:
            pass
    return DerefPlace(pointer, held) if found is None else found


def _part_of_type(place: Place, held: Type) -> Place | None:
    """The part of a type that begins where a place begins."""
    while place.type != held:
        match place.type:
            case ArrayType():
                place = IndexPlace(place, number(0))
            case RecordType() | MutexType() as record:
                place = FieldPlace(place, fields_of(record)[0][0])
            case _:
                return None
    return place


def mentions(expr: Expr, place: Place) -> bool:
    """Whether an expression reads a place, a part of it, or something it is a part of."""
    return base_of(place) in read_bases(expr) and any(
        isinstance(part, Read) and overlap(part.place, place) for part in subexpressions(expr)
    )


def place_mentions(named_: Place, place: Place) -> bool:
    """Whether finding a place takes reading another."""
    return any(mentions(part, place) for part in place_expressions(named_))


@lru_cache(maxsize=REMEMBERED)
def read_bases(expr: Expr) -> frozenset[object]:
    """What the places that an expression reads are parts of."""
    return frozenset(
        base_of(part.place) for part in subexpressions(expr) if isinstance(part, Read)
    )


@lru_cache(maxsize=REMEMBERED)
def spelled(place: Place) -> str:
    """What places are sorted by."""
    return str(place)


@lru_cache(maxsize=REMEMBERED)
def base_of(place: Place) -> object:
    """What a place is a part of: a variable, or what a pointer points to as one of a type."""
    base = root(place)
    return base.variable if isinstance(base, VariablePlace) else (base.pointer, base.type)


@lru_cache(maxsize=REMEMBERED)
def bases_of(place: Place) -> frozenset[object]:
    """What a place is a part of, and what is read to find it."""
    return frozenset({base_of(place)}).union(*map(read_bases, place_expressions(place)))


def _told_with(knowledge: Knowledge) -> Iterator[object]:
    for place in _places(knowledge):
        yield from bases_of(place)
    if knowledge.identity is not None:
        yield from read_bases(knowledge.identity)
    for roster in knowledge.rosters:
        for expr in (roster.stop, roster.argument, roster.at):
            yield from () if expr is None else read_bases(expr)
    for ended in knowledge.ended:
        for expr in (ended.stop, ended.first):
            yield from () if expr is None else read_bases(expr)
    for unused in knowledge.unused:
        yield from read_bases(unused.start)
        if unused.stop is not None:
            yield from read_bases(unused.stop)


def _places(knowledge: Knowledge) -> Iterator[Place]:
    for places in (knowledge.held, knowledge.fresh, knowledge.lost, knowledge.clean):
        yield from places
    for places in (knowledge.taken, knowledge.whole):
        yield from places
    for held in (knowledge.owned, knowledge.handles):
        yield from held
    for copies in (knowledge.copies, knowledge.homes, knowledge.lent, knowledge.same):
        yield from copies
        yield from copies.values()
    for roster in knowledge.rosters:
        yield from (place for place in (roster.ids, roster.late) if place is not None)
    yield from (ended.ids for ended in knowledge.ended)


def overlap(first: Place, second: Place) -> bool:
    """Whether two places of a thread's own variables may share a cell."""
    if base_of(first) != base_of(second):
        return False
    if isinstance(first, VariablePlace) or isinstance(second, VariablePlace):
        return True
    for one, two in zip(_steps(first), _steps(second), strict=False):
        if isinstance(one, str) or isinstance(two, str):
            if one != two:
                return False
        elif isinstance(one, Const) and isinstance(two, Const) and one.value != two.value:
            return False
    return True


def _steps(place: Place) -> list[object]:
    """The fields and indices that lead from what a place is a part of to it."""
    found: list[object] = []
    while isinstance(place, FieldPlace | IndexPlace):
        found.append(place.field if isinstance(place, FieldPlace) else place.index)
        place = place.base
    return found[::-1]


def origin(value: Expr) -> Read | None:
    """The variable into whose object a pointer leads that is computed from it; None if from none.

    A pointer that is moved, or leads to a member or element, leads into the same object.
    """
    pointer = value
    while isinstance(pointer, PointerAdd | AddressOf):
        if isinstance(pointer, PointerAdd):
            pointer = pointer.pointer
        else:
            base = root(pointer.place)
            if not isinstance(base, DerefPlace):
                return None
            pointer = base.pointer
    match pointer:
        case Read(VariablePlace() as place) if is_own(place):
            return pointer
        case _:
            return None


def pointers_into_one(pointer: Expr, knowledge: Knowledge) -> frozenset[Read]:
    """Variables that are known to lead into the object that a pointer leads into."""
    start = origin(pointer)
    if start is None:
        return frozenset()
    found = {start}
    for fact in knowledge.facts:
        match fact:
            case SameObject(Read() as left, Read() as right) if start in (left, right):
                found |= {left, right}
            case _:
                pass
    return frozenset(found)
