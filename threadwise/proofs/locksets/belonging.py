"""The locks that keep two accesses apart: one that both know, or the one that belongs to the cell.

A lock *belongs to the cell* in one of three ways. If the cells of two accesses are the same, so
are the locks that belong to them in the same way.

    by name       it is named with the index or the pointer of the access itself: `m[i]` for an
                  access to `a[i]`, `deref(p).m` for one to `deref(p).x`, `deref(l + i)` for one to
                  `deref(d + i)` where d is the same for all. If the cells are the same, so are the
                  indices and the pointers.
    by record     it is in the record that the cell is in: `b[i].m` for an access to `b[i].x`,
                  `deref(p).m` for one to `deref(p).x[j].y`. A cell that is reached through the
                  same members of the same type of record is in the same record: no record contains
                  one of its own type.
    by object     it is in the object that the cell is in, and that is a record of a type that is
                  never part of another object: `deref(p).m` for an access to `deref(q).y` where
                  p and q are known to lead into one object (q was moved inside it). A pointer to
                  such a record leads to its start: that there is one for each object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Protocol

from threadwise.ir.expr import (
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    PointerAdd,
    Read,
    Scope,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import place_expressions, rebuild, rebuild_place, root, subexpressions
from threadwise.ir.types import RecordType, Type
from threadwise.proofs.locksets.knowledge import REMEMBERED, is_own

Relative = tuple[Place, frozenset[Place], frozenset[Place]]


class Locked(Protocol):
    """An access, as far as locks are concerned."""

    @property
    def place(self) -> Place:
        """Named by the thread's own variables."""

    @property
    def locks(self) -> frozenset[Place]:
        """Those that are held alone."""

    @property
    def shared(self) -> frozenset[Place]:
        """Those that others may hold in the same way: for reading."""

    @property
    def whole(self) -> RecordType | None:
        """The type of the object that the cell is in, if there are no parts of that type."""

    @property
    def into(self) -> frozenset[Expr]:
        """Pointers that are known to lead into the object that the cell is in."""


def common_locks(first: Locked, second: Locked) -> frozenset[Place]:
    """The locks that keep two accesses apart, if they are to the same cell."""
    found = impersonal_locks(first, second)
    one, *locks_of_one = relative(first)
    two, *locks_of_two = relative(second)
    if one == two:
        found |= _apart_by(*locks_of_one, *locks_of_two)
    return (
        found
        or frozenset(_beside_both(first, second, _beside))
        or frozenset(_beside_both(first, second, _in_object))
    )


def impersonal_locks(first: Locked, second: Locked) -> frozenset[Place]:
    """The locks that keep two accesses apart, whatever cells they are to."""
    return _apart_by(*map(_impersonal, (first.locks, first.shared, second.locks, second.shared)))


def _apart_by(
    mine: frozenset[Place],
    mine_shared: frozenset[Place],
    others: frozenset[Place],
    others_shared: frozenset[Place],
) -> frozenset[Place]:
    """What one of them holds alone, and the other holds at all."""
    return mine & (others | others_shared) | mine_shared & others


@lru_cache(maxsize=REMEMBERED)
def _impersonal(locks: frozenset[Place]) -> frozenset[Place]:
    """The locks whose names mean the same lock for every thread."""
    return frozenset(m for m in locks if not any(map(is_personal, place_expressions(m))))


def is_personal(expr: Expr) -> bool:
    """Whether an expression means something else for each thread."""
    return any(
        isinstance(part, SelfId)
        or (isinstance(part, Read) and is_own(part.place) and not _is_marker(part.place))
        for part in subexpressions(expr)
    )


# -- by name -------------------------------------------------------------------------------------


def relative(access: Locked) -> Relative:
    """The place of an access, and the locks that belong to it, without the thread's own names.

    The indices of the place, and the pointer it begins with, become variables `#0`, `#1`, …; a
    lock belongs to the cell if nothing else personal is left in its name.
    """
    return _relative(access.place, access.locks, access.shared)


@lru_cache(maxsize=REMEMBERED)
def _relative(place: Place, locks: frozenset[Place], shared: frozenset[Place]) -> Relative:
    markers = [
        (index, Read(VariablePlace(Variable(f"#{n}", index.type, Scope.LOCAL))))
        for n, index in enumerate(map(_determined, place_expressions(place)))
    ]

    def change(expr: Expr) -> Expr:
        for index, marker in markers:
            if expr == index and not isinstance(expr, Const):
                return marker
        return rebuild(expr, change)

    shape = rebuild_place(place, change)

    def belonging(held: frozenset[Place]) -> frozenset[Place]:
        return _impersonal(frozenset(rebuild_place(mutex, change) for mutex in held))

    return shape, belonging(locks), belonging(shared)


def _determined(expr: Expr) -> Expr:
    """What the cell of an access determines: an index, a pointer, or how far it was moved."""
    match expr:
        case PointerAdd(pointer, count, _) if not is_personal(pointer):
            return count
        case _:
            return expr


def _is_marker(place: Place) -> bool:
    return isinstance(place, VariablePlace) and place.variable.name.startswith("#")


# -- by record -----------------------------------------------------------------------------------

Beside = tuple[Type, tuple[str, ...], tuple[object, ...]]
"""A type of records, the members that lead to a cell, and the way to a lock."""
Find = Callable[[Locked, frozenset[Place]], Iterator[tuple[Beside, Place]]]
"""Of some locks those that belong to the cell, and how they lie to it."""


def _beside_both(first: Locked, second: Locked, find: Find) -> Iterator[Place]:
    mine, mine_shared = (dict(find(first, locks)) for locks in (first.locks, first.shared))
    others, others_shared = (
        frozenset(way for way, _ in find(second, locks)) for locks in (second.locks, second.shared)
    )
    for way, lock in mine.items():
        if way in others or way in others_shared:
            yield lock
    for way, lock in mine_shared.items():
        if way in others:
            yield lock


def _beside(access: Locked, locks: frozenset[Place]) -> Iterator[tuple[Beside, Place]]:
    """The locks in the records around a cell, and how they lie to it."""
    place, members = access.place, tuple[str, ...]()
    while isinstance(place, FieldPlace | IndexPlace):
        if isinstance(place, FieldPlace):
            members = (place.field, *members)
        place = place.base
        if not isinstance(place.type, RecordType):
            continue
        for lock in locks:
            way = _way(place, lock)
            if way is not None:
                yield (place.type, members, way), lock


def _way(record: Place, lock: Place) -> tuple[object, ...] | None:
    """The way from a record to a lock inside; None if it is not inside."""
    way: tuple[object, ...] = ()
    while lock != record:
        match lock:
            case FieldPlace(base, field):
                way, lock = (field, *way), base
            case IndexPlace(base, Const(value, _)):
                way, lock = (value, *way), base
            case VariablePlace() | DerefPlace() | IndexPlace():
                return None
    return way


# -- by object -----------------------------------------------------------------------------------


def _in_object(access: Locked, locks: frozenset[Place]) -> Iterator[tuple[Beside, Place]]:
    """The locks in the object that a cell is in, and the way to them from its start."""
    for lock in locks if access.whole is not None else ():
        record = root(lock)
        if isinstance(record, DerefPlace) and record.type == access.whole:
            way = _way(record, lock)
            if way is not None and record.pointer in access.into:
                yield (record.type, (), way), lock
