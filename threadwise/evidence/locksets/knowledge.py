"""What one thread knows at a location. Nothing another thread does can make it untrue.

    held      the locks it owns, as places over its own variables: `m`, `b[i].m`, `deref(p).m`
    fresh     those of them that it took inside the atomic region it is in
    known     values of its own variables, as expressions over its own variables
    facts     conditions over its own variables
    owned     its variables that point to an object nobody else has a pointer to, with their site
    lost      its variables that point to what it gave away; they must not be used any more
    started   how often it executed each spawning edge; MANY: not known
    running   which of the threads it started there may still run; MANY: any of them
    handles   its variables that hold the id of a thread it started
    absent    kinds of threads that do not run now, and will not as long as this thread runs
    identity  the argument it was started with, if no other thread got the same

`started`, `running` and `handles` are kept for the first thread of a program only: see
`threadwise.evidence.locksets.threads`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

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
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import (
    number,
    place_expressions,
    rebuild,
    rebuild_place,
    root,
    subexpressions,
)
from threadwise.ir.program import EdgeId
from threadwise.ir.simplify.folding import Folding
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
CONSTANTS = Folding(lambda _: None, lambda _: False)
"""Computes with constants, and knows nothing else."""
V = TypeVar("V")


class Event(NamedTuple):
    """The n-th time that a spawning edge was executed; MANY: any time."""

    edge: EdgeId
    time: int


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

    @property
    def locks(self) -> frozenset[Place]:
        """The locks that were held before the step at hand began."""
        return self.held - self.fresh

    def implies(self, other: Knowledge) -> bool:
        """Whether a thread that knows this knows the other, too."""
        return (
            other.held <= self.held
            and other.locks <= self.locks
            and other.known.items() <= self.known.items()
            and other.facts <= self.facts
            and other.owned.items() <= self.owned.items()
            and other.handles.items() <= self.handles.items()
            and other.absent <= self.absent
            and other.identity in (None, self.identity)
            and self.lost <= other.lost
            and _covers(other, self)
        )


def _covers(weaker: Knowledge, stronger: Knowledge) -> bool:
    """Whether the threads that may run by one account include those of the other."""
    if not stronger.started.keys() <= weaker.started.keys():
        return False
    for edge, times in weaker.started.items():
        if times != MANY and stronger.started.get(edge, 0) != times:
            return False
    for event in stronger.running:
        if event not in weaker.running and Event(event.edge, MANY) not in weaker.running:
            return False
    return True


def joined(first: Knowledge, second: Knowledge) -> Knowledge:
    """What both know: implied by each of them."""
    started: dict[EdgeId, int] = {}
    running = first.running | second.running
    for edge in first.started.keys() | second.started.keys():
        one, two = first.started.get(edge, 0), second.started.get(edge, 0)
        started[edge] = one if one == two else MANY
        if started[edge] == MANY:
            inexact = any(event.edge == edge for event in running)
            running = frozenset(event for event in running if event.edge != edge)
            running |= {Event(edge, MANY)} if inexact else frozenset()
    held = first.held & second.held
    handles = _common(first.handles, second.handles)
    return Knowledge(
        held,
        held - (first.locks & second.locks),
        _common(first.known, second.known),
        first.facts & second.facts,
        _common(first.owned, second.owned),
        started,
        running,
        {place: event for place, event in handles.items() if started.get(event.edge) != MANY},
        first.absent & second.absent,
        first.identity if first.identity == second.identity else None,
        first.lost | second.lost,
    )


def _common(first: Mapping[Place, V], second: Mapping[Place, V]) -> dict[Place, V]:
    return {key: value for key, value in first.items() if second.get(key) == value}


# -- names over one's own variables --------------------------------------------------------------


def is_own(place: Place) -> bool:
    """Whether a place is a part of a thread's own variables."""
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is not Scope.GLOBAL


def is_definite(place: Place) -> bool:
    """Whether a place is always the same cell of its variable."""
    return all(isinstance(index, Const) for index in place_expressions(place))


def named(expr: Expr, known: Mapping[Place, Expr]) -> Expr:
    """An expression with what is known put in: equal names mean equal values."""

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
            return CONSTANTS.of(rebuild(expr, change))


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
    return any(
        isinstance(part, Read) and overlap(part.place, place) for part in subexpressions(expr)
    )


def place_mentions(named_: Place, place: Place) -> bool:
    """Whether finding a place takes reading another."""
    return any(mentions(part, place) for part in place_expressions(named_))


def overlap(first: Place, second: Place) -> bool:
    """Whether two places of a thread's own variables may share a cell."""
    a, b = list(_steps(first)), list(_steps(second))
    if a[0] != b[0]:
        return False
    for one, two in zip(a[1:], b[1:], strict=False):
        if isinstance(one, str) or isinstance(two, str):
            if one != two:
                return False
        elif isinstance(one, Const) and isinstance(two, Const) and one.value != two.value:
            return False
    return True


def _steps(place: Place) -> Iterator[object]:
    match place:
        case FieldPlace(base, field_):
            yield from _steps(base)
            yield field_
        case IndexPlace(base, index):
            yield from _steps(base)
            yield index
        case VariablePlace(variable):
            yield variable
        case DerefPlace(pointer, held):
            yield (pointer, held)


def renamed(knowledge: Knowledge, old: Place, new: Place) -> Knowledge:
    """The same knowledge, told with a variable that holds the same value."""

    def in_expr(expr: Expr) -> Expr:
        if isinstance(expr, Read) and expr.place == old:
            return Read(new)
        return rebuild(expr, in_expr)

    def in_place(place: Place) -> Place:
        return rebuild_place(place, in_expr)

    return replace(
        knowledge,
        held=frozenset(map(in_place, knowledge.held)),
        fresh=frozenset(map(in_place, knowledge.fresh)),
        known={place: in_expr(value) for place, value in knowledge.known.items()},
        facts=frozenset(map(in_expr, knowledge.facts)),
    )


def forgetting(knowledge: Knowledge, reads: Callable[[Place], bool]) -> Knowledge:
    """What is left without everything that is said by reading certain places."""

    def tells(expr: Expr) -> bool:
        return any(isinstance(p, Read) and reads(p.place) for p in subexpressions(expr))

    def finds(place: Place) -> bool:
        return any(map(tells, place_expressions(place)))

    return replace(
        knowledge,
        held=frozenset(m for m in knowledge.held if not finds(m)),
        fresh=frozenset(m for m in knowledge.fresh if not finds(m)),
        known={p: v for p, v in knowledge.known.items() if not tells(v) and not finds(p)},
        facts=frozenset(fact for fact in knowledge.facts if not tells(fact)),
    )


def without(knowledge: Knowledge, place: Place) -> Knowledge:
    """What is left when one of the thread's own places gets another value."""
    heirs = [
        other
        for other, value in knowledge.known.items()
        if value == Read(place) and not overlap(other, place)
    ]
    if heirs:
        heir = min(heirs, key=str)
        known = {other: value for other, value in knowledge.known.items() if other != heir}
        knowledge = renamed(replace(knowledge, known=known), place, heir)
    return replace(
        knowledge,
        held=frozenset(m for m in knowledge.held if not place_mentions(m, place)),
        fresh=frozenset(m for m in knowledge.fresh if not place_mentions(m, place)),
        known={
            other: value
            for other, value in knowledge.known.items()
            if not overlap(other, place)
            and not mentions(value, place)
            and not place_mentions(other, place)
        },
        facts=frozenset(fact for fact in knowledge.facts if not mentions(fact, place)),
        owned={p: site for p, site in knowledge.owned.items() if not overlap(p, place)},
        handles={p: event for p, event in knowledge.handles.items() if not overlap(p, place)},
        lost=frozenset(p for p in knowledge.lost if p != place),
    )
