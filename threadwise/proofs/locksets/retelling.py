"""Knowledge after a cell is assigned: facts are rewritten with equal names, or dropped.

A name that reads what changes is replaced by another that means the same, if one is known: by a
variable with the same value, by one whose value the name contains, or by a frozen cell that equals
it. Facts that cannot be rewritten are dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TypedDict

from threadwise.core.quick_dataclass import replace
from threadwise.ir.expr import (
    AddressOf,
    Binary,
    BinaryOp,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    PointerAdd,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import place_expressions, rebuild, rebuild_place, subexpressions
from threadwise.ir.types import TidType, Type
from threadwise.proofs.locksets.containers.unused import left_by, told_by
from threadwise.proofs.locksets.knowledge import (
    REMEMBERED,
    Ended,
    Knowledge,
    Roster,
    Unused,
    base_of,
    bases_of,
    is_own,
    mentions,
    named_place,
    overlap,
    place_mentions,
    read_bases,
    spelled,
)
from threadwise.proofs.locksets.threads.thread_arrays import without_ids


def renamed(knowledge: Knowledge, old: Place, new: Place) -> Knowledge:
    """The same knowledge, expressed with a variable that holds the same value."""
    if base_of(old) not in knowledge.bases:
        return knowledge
    knowledge = _retold(knowledge, Read(old), Read(new))
    rosters = frozenset(
        roster._replace(late=new) if roster.late == old else roster for roster in knowledge.rosters
    )
    return replace(knowledge, rosters=rosters)


def _retold(knowledge: Knowledge, old: Expr, new: Expr) -> Knowledge:
    """The same knowledge, expressed with another expression that has the same value."""

    needed = read_bases(old)

    def in_expr(expr: Expr) -> Expr:
        if not needed <= read_bases(expr):
            return expr
        return new if expr == old else rebuild(expr, in_expr)

    def in_place(place: Place) -> Place:
        return rebuild_place(place, in_expr)

    return replace(
        knowledge,
        held=frozenset(map(in_place, knowledge.held)),
        fresh=frozenset(map(in_place, knowledge.fresh)),
        known={place: in_expr(value) for place, value in knowledge.known.items()},
        facts=frozenset(map(in_expr, knowledge.facts)),
        rosters=frozenset(
            Roster(
                roster.edge,
                None if roster.argument is None else in_expr(roster.argument),
                None if roster.ids is None else in_place(roster.ids),
                in_expr(roster.stop),
                roster.late,
                roster.alone,
                None if roster.at is None else in_expr(roster.at),
            )
            for roster in knowledge.rosters
        ),
        ended=frozenset(
            Ended(
                ended.template,
                in_place(ended.ids),
                in_expr(ended.stop),
                None if ended.first is None else in_expr(ended.first),
            )
            for ended in knowledge.ended
        ),
        copies={place: in_place(held) for place, held in knowledge.copies.items()},
        unused=told_by(knowledge.unused, in_expr),
        homes={place: in_place(lock) for place, lock in knowledge.homes.items()},
        lent={place: in_place(lock) for place, lock in knowledge.lent.items()},
        same={
            place if is_own(place) else in_place(place): in_place(cell)
            for place, cell in knowledge.same.items()
        },
    )


@lru_cache(maxsize=REMEMBERED)
def _read_in(expr: Expr) -> tuple[Place, ...]:
    return tuple(part.place for part in subexpressions(expr) if isinstance(part, Read))


def forgetting(knowledge: Knowledge, reads: Callable[[Place], bool]) -> Knowledge:
    """What is left without all facts that read certain places."""

    def tells(expr: Expr) -> bool:
        return any(map(reads, _read_in(expr)))

    def finds(place: Place) -> bool:
        return any(map(tells, place_expressions(place)))

    return replace(
        knowledge,
        held=frozenset(m for m in knowledge.held if not finds(m)),
        fresh=frozenset(m for m in knowledge.fresh if not finds(m)),
        known={p: v for p, v in knowledge.known.items() if not tells(v) and not finds(p)},
        facts=frozenset(fact for fact in knowledge.facts if not tells(fact)),
        homes={p: lock for p, lock in knowledge.homes.items() if not finds(lock)},
        lent={p: lock for p, lock in knowledge.lent.items() if not finds(lock)},
        same={p: c for p, c in knowledge.same.items() if not finds(p) and not finds(c)},
        **_told_without(knowledge, tells, lambda _: False),
    )


def _told_without(
    knowledge: Knowledge, tells: Callable[[Expr], bool], loses: Callable[[Place], bool]
) -> _Told:
    """What is left of rosters without facts that depend on certain expressions and places."""

    def finds(place: Place) -> bool:
        return loses(place) or any(map(tells, place_expressions(place)))

    rosters: set[Roster] = set()
    for roster in knowledge.rosters:
        argument = roster.argument
        if tells(roster.stop) or (argument is not None and tells(argument)):
            continue
        late = roster.late is not None and loses(roster.late)
        late |= roster.at is not None and tells(roster.at)
        if not late and (roster.ids is None or not finds(roster.ids)):
            rosters.add(roster)
        elif (left := without_ids(roster)) is not None:
            rosters.add(left)
    return _Told(
        rosters=frozenset(rosters),
        ended=frozenset(
            ended
            for ended in knowledge.ended
            if not tells(ended.stop) and not finds(ended.ids)
            if ended.first is None or not tells(ended.first)
        ),
        copies={
            place: held
            for place, held in knowledge.copies.items()
            if not loses(place) and not finds(held)
        },
        unused=left_by(knowledge.unused, tells),
    )


class _Told(TypedDict):
    rosters: frozenset[Roster]
    ended: frozenset[Ended]
    copies: Mapping[Place, Place]
    unused: frozenset[Unused]


def without(knowledge: Knowledge, place: Place) -> Knowledge:
    """What is left when one of the thread's own places gets another value."""
    base = base_of(place)
    if base not in knowledge.bases:
        return knowledge
    old = Read(place)
    heirs = [
        other
        for other, value in knowledge.known.items()
        if value == old and not overlap(other, place)
    ]
    if heirs:
        heir = min(heirs, key=spelled)
        known = {other: value for other, value in knowledge.known.items() if other != heir}
        knowledge = renamed(replace(knowledge, known=known), place, heir)
        if place in knowledge.homes:
            homes = {**knowledge.homes, heir: knowledge.homes[place]}
            knowledge = replace(knowledge, homes=homes)
        knowledge = in_custody_of(knowledge, place, heir)
    else:
        knowledge = _told_by_others(knowledge, place)
        equals = [other for other in _equals(knowledge, place) if not _reads(other, place)]
        if equals:
            knowledge = renamed(knowledge, place, min(equals, key=spelled))

    def tells(expr: Expr) -> bool:
        return base in read_bases(expr) and mentions(expr, place)

    def shares(other: Place) -> bool:
        return base in bases_of(other) and overlap(other, place)

    def finds(other: Place) -> bool:
        return base in bases_of(other) and place_mentions(other, place)

    knowledge = replace(
        knowledge,
        known={
            other: value
            for other, value in knowledge.known.items()
            if (base not in bases_of(other) or not (shares(other) or finds(other)))
            and (base not in read_bases(value) or not tells(value))
        },
        facts=frozenset(
            fact for fact in knowledge.facts if base not in read_bases(fact) or not tells(fact)
        ),
    )
    if base not in knowledge.told_with:
        return knowledge
    return replace(
        knowledge,
        held=frozenset(m for m in knowledge.held if not finds(m)),
        fresh=frozenset(m for m in knowledge.fresh if not finds(m)),
        owned={p: site for p, site in knowledge.owned.items() if not shares(p)},
        handles={p: event for p, event in knowledge.handles.items() if not shares(p)},
        lost=frozenset(p for p in knowledge.lost if p != place),
        homes={
            p: lock for p, lock in knowledge.homes.items() if not shares(p) and not finds(lock)
        },
        clean=frozenset(p for p in knowledge.clean if not shares(p)),
        taken=frozenset(p for p in knowledge.taken if not shares(p)),
        whole=frozenset(p for p in knowledge.whole if not shares(p)),
        lent={p: lock for p, lock in knowledge.lent.items() if not shares(p) and not finds(lock)},
        same={
            p: cell
            for p, cell in knowledge.same.items()
            if not (is_own(p) and shares(p)) and not finds(p) and not finds(cell)
        },
        **_told_without(knowledge, tells, lambda held: _loses(held, place)),
    )


def in_custody_of(knowledge: Knowledge, old: Place, new: Place) -> Knowledge:
    """The same knowledge of handed objects, with another variable that holds the same value."""
    if not (knowledge.taken or knowledge.lent or knowledge.same):
        return knowledge

    def moved(held: Mapping[Place, Place]) -> dict[Place, Place]:
        return {new if place == old else place: value for place, value in held.items()}

    return replace(
        knowledge,
        taken=frozenset(new if place == old else place for place in knowledge.taken),
        whole=frozenset(new if place == old else place for place in knowledge.whole),
        lent=moved(knowledge.lent),
        same=moved(knowledge.same),
    )


def _told_by_others(knowledge: Knowledge, place: Place) -> Knowledge:
    """The same, expressed with variables whose values are computed from a place that changes."""
    found = [
        (other, value)
        for other, value in knowledge.known.items()
        if mentions(value, place) and not overlap(other, place)
    ]
    for other, value in sorted(found, key=lambda item: (-_size(item[1]), spelled(item[0]))):
        rest = {p: v for p, v in knowledge.known.items() if p != other}
        knowledge = _retold(replace(knowledge, known=rest), value, Read(other))
        held = _pointed(value)
        if held is not None:
            there = named_place(DerefPlace(value, held), {})
            knowledge = _found_by(knowledge, there, DerefPlace(Read(other), held))
    return knowledge


def _pointed(value: Expr) -> Type | None:
    """The type of what a computed pointer points to."""
    match value:
        case AddressOf(place):
            return place.type
        case PointerAdd(_, _, element):
            return element
        case _:
            return None


def _found_by(knowledge: Knowledge, old: Place, new: Place) -> Knowledge:
    """The same locks, also of lists, where a place is found by a pointer: `p->m` for `a[i].m`."""

    def in_place(place: Place) -> Place:
        match place:
            case _ if place == old:
                return new
            case IndexPlace(base, index):
                return IndexPlace(in_place(base), index)
            case FieldPlace(base, field):
                return FieldPlace(in_place(base), field)
            case _:
                return place

    return replace(
        knowledge,
        held=frozenset(map(in_place, knowledge.held)),
        fresh=frozenset(map(in_place, knowledge.fresh)),
        homes={place: in_place(lock) for place, lock in knowledge.homes.items()},
        lent={place: in_place(lock) for place, lock in knowledge.lent.items()},
    )


def _size(expr: Expr) -> int:
    return sum(1 for _ in subexpressions(expr))


def _equals(knowledge: Knowledge, place: Place) -> Iterator[Place]:
    """Places in memory that hold the same as one of the thread's own."""
    for fact in knowledge.facts:
        match fact:
            case Binary(BinaryOp.EQ, Read(other), Read(held)) if held == place:
                if not is_own(other):
                    yield other
            case _:
                pass


def _reads(other: Place, place: Place) -> bool:
    return overlap(other, place) or place_mentions(other, place)


def _loses(held: Place, place: Place) -> bool:
    """Whether a place gets another value, with another one.

    Elements that hold ids are left to `threadwise.proofs.locksets.threads.numbering`.
    """
    if isinstance(place.type, TidType) and not isinstance(held, VariablePlace):
        return False
    return overlap(held, place)
