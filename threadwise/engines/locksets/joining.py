"""What two threads know at one place, put together.

Loops are followed round by round at first, so what is known in different rounds differs in numbers
only: 0 < n with i == 0, and 1 < n with i == 1. Both know `i < n`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from threadwise.ir.expr import (
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    PointerAdd,
    Read,
    VariablePlace,
)
from threadwise.ir.program import EdgeId
from threadwise.ir.types import is_integer
from threadwise.proofs.locksets.containers.unused import common_unused
from threadwise.proofs.locksets.entailment import (
    holds,
    is_copy,
    is_home,
    is_lent,
    is_null,
    is_same,
    is_value,
)
from threadwise.proofs.locksets.knowledge import MANY, Event, Knowledge, is_own
from threadwise.proofs.locksets.order import ORDERS, not_negative, written_out
from threadwise.proofs.locksets.threads.thread_arrays import common_ended, common_rosters

V = TypeVar("V")


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
        _common_values(first, second),
        _common_facts(first, second),
        _common(first.owned, second.owned),
        started,
        running,
        {place: event for place, event in handles.items() if started.get(event.edge) != MANY},
        first.absent & second.absent,
        first.identity if first.identity == second.identity else None,
        first.lost | second.lost,
        common_rosters(first, second),
        common_ended(first, second),
        _common_copies(first, second),
        _common_homes(first, second),
        first.clean & second.clean,
        first.template if first.template == second.template else None,
        _common_custody(first, second, first.taken, second.taken),
        _common_custody(first, second, first.whole, second.whole),
        {
            variable: lock
            for variable, lock in {**first.lent, **second.lent}.items()
            if is_lent(variable, lock, first) and is_lent(variable, lock, second)
        },
        _common_same(first, second),
        common_unused(first, second),
    )


def _common_custody(
    first: Knowledge, second: Knowledge, mine: frozenset[Place], others: frozenset[Place]
) -> frozenset[Place]:
    """Variables of which the same is known on both sides, or that are null."""
    return frozenset(
        place
        for place in mine | others
        if (place in mine or is_null(place, first)) and (place in others or is_null(place, second))
    )


def _common_facts(first: Knowledge, second: Knowledge) -> frozenset[Expr]:
    """Conditions that hold on both sides: `i < n` where one has 0 < n for i, the other 1 < n."""
    found = _not_negative(first, second)
    if first.facts == second.facts:
        return first.facts | found
    found |= first.facts & second.facts
    for side in (first, second):
        for fact in side.facts - found:
            for general in (fact, *_told(fact, side.known)):
                if holds(general, first) and holds(general, second):
                    found |= {general}
    return found


def _not_negative(first: Knowledge, second: Knowledge) -> frozenset[Expr]:
    """Of what numbers threads: that it is not negative, where it was a number."""
    if not first.rosters and not second.rosters:
        return frozenset()
    known = [
        place
        for place, value in (*first.known.items(), *second.known.items())
        if isinstance(place, VariablePlace) and is_integer(place.type) and isinstance(value, Const)
    ]
    facts = (not_negative(Read(place)) for place in dict.fromkeys(known))
    return frozenset(f for f in facts if holds(f, first) and holds(f, second))


def _common_values(first: Knowledge, second: Knowledge) -> dict[Place, Expr]:
    """Values that both know: `shift(t, i)` where one has shift(t, 0) for i, the other the next."""
    if first.known == second.known:
        return dict(first.known)
    found: dict[Place, Expr] = {}
    for place, one in first.known.items():
        two = second.known.get(place)
        if two is None or one == two:
            if one == two:
                found[place] = one
            continue
        for value in (one, two, *_told(one, first.known)):
            if is_value(place, value, first) and is_value(place, value, second):
                found[place] = value
                break
    return found


def _common_copies(first: Knowledge, second: Knowledge) -> dict[Place, Place]:
    """Elements whose ids variables hold on both sides."""
    found: dict[Place, Place] = {}
    for variable, one in first.copies.items():
        if variable in second.copies:
            for place in (one, second.copies[variable], *_told_place(one, first.known)):
                if is_copy(variable, place, first) and is_copy(variable, place, second):
                    found[variable] = place
                    break
    return found


def _common_same(first: Knowledge, second: Knowledge) -> dict[Place, Place]:
    """Places that hold what cells hold on both sides."""
    return {
        place: cell
        for side in (first, second)
        for link, cell in side.same.items()
        for place in (link, *(() if is_own(link) else _told_place(link, side.known)))
        if is_same(place, cell, first) and is_same(place, cell, second)
    }


def _common_homes(first: Knowledge, second: Knowledge) -> dict[Place, Place]:
    """Homes (locks of lists) that both know; null has any."""
    found = {p: lock for p, lock in second.homes.items() if is_home(p, lock, first)}
    return found | {p: lock for p, lock in first.homes.items() if is_home(p, lock, second)}


def _told_place(place: Place, known: Mapping[Place, Expr]) -> Iterator[Place]:
    """An element with a number, expressed with the variables that hold the number."""
    match place:
        case FieldPlace(base, field):
            yield from (FieldPlace(other, field) for other in _told_place(base, known))
        case IndexPlace(base, index):
            yield from (IndexPlace(base, other) for other in _holders(index, known))
        case DerefPlace(pointer, held):
            yield from (DerefPlace(other, held) for other in _told(pointer, known))
        case VariablePlace():
            pass


def _told(expr: Expr, known: Mapping[Place, Expr]) -> Iterator[Expr]:
    """A comparison or an address with a number, expressed with variables that hold the number."""
    match expr:
        case Binary(op, left, right) if op in ORDERS:
            yield from (Binary(op, other, right) for other in _holders(left, known))
            yield from (Binary(op, left, other) for other in _holders(right, known))
        case Binary(BinaryOp.EQ, Read() as left, right) if not is_own(left.place):
            for by in (0, 1):
                for other in _holders(right, known, by):
                    yield Binary(BinaryOp.EQ, left, written_out(other, by))
        case PointerAdd(pointer, count, element):
            yield from (PointerAdd(pointer, other, element) for other in _holders(count, known))
        case AddressOf(IndexPlace(base, index)):
            yield from (AddressOf(IndexPlace(base, other)) for other in _holders(index, known))
        case _:
            pass


def _holders(number: Expr, known: Mapping[Place, Expr], by: int = 0) -> Iterator[Expr]:
    """The variables that hold a number, or one that is smaller by so much."""
    match number:
        case Const(int(wanted), held) if is_integer(held):
            for place, value in known.items():
                match value:
                    case Const(int(found), kind) if is_integer(kind) and found == wanted - by:
                        yield Read(place)
                    case _:
                        pass
        case _:
            pass


def _common(first: Mapping[Place, V], second: Mapping[Place, V]) -> dict[Place, V]:
    return {key: value for key, value in first.items() if second.get(key) == value}
