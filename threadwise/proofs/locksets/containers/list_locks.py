"""Which lock goes with the root cell of a list: a function of the cell alone.

A *gate* is the folded root cell of lists; its `Key` says how to find the lock from the place of
one of its cells:

    record    the lock is in the record that the cell is in: `b[i].m` for `b[i].head`
    name      both are in global variables, with the same indices: `m[i]` for `head[i]`, `m` for
              `head`
    global    one global lock for all

Places that mean the same cell lead to the same lock: they are in the same record, or have the same
indices. Nothing that happens can change it.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir.expr import (
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import number, place_expressions, root
from threadwise.ir.program import Program
from threadwise.ir.types import ArrayType, RecordType
from threadwise.proofs.locksets.certificate import GLOBAL, NAME, RECORD, Key


def keys_of(gate: Place, lock: Place) -> Iterator[Key]:
    """The ways in which a lock can be found from a gate."""
    for record, name, members in _records(gate):
        way = _way(record, lock)
        if way is not None:
            yield Key(RECORD, name, members, "", way)
    mine, others = root(gate), root(lock)
    if isinstance(mine, VariablePlace) and isinstance(others, VariablePlace):
        indices = list(place_expressions(gate))
        steps = _steps(lock, indices)
        if steps is not None:
            path = _path(gate)
            yield Key(NAME, mine.variable.name, path, others.variable.name, steps)


def global_key(lock: Place) -> Key | None:
    """The way to a lock that has the same name for all threads, if it has."""
    base = root(lock)
    if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.GLOBAL:
        return None
    way = _way(base, lock)
    return None if way is None else Key(GLOBAL, "", (), base.variable.name, way)


def lock_of(key: Key, gate: Place, program: Program) -> Place | None:
    """The lock that goes with a gate; None if it is no place of this kind."""
    if key.kind == NAME:
        return _by_name(key, gate, program)
    if key.kind == GLOBAL:
        return _named(key, (), program)
    for record, name, members in _records(gate):
        if (name, members) == (key.base, key.path):
            return _follow(record, key.way, ())
    return None


def _records(place: Place) -> Iterator[tuple[Place, str, tuple[str, ...]]]:
    """The records that a place is in, from within, with their names and the members to it."""
    members: tuple[str, ...] = ()
    while isinstance(place, FieldPlace | IndexPlace):
        if isinstance(place, FieldPlace):
            members = (place.field, *members)
        place = place.base
        if isinstance(place.type, RecordType):
            yield place, place.type.name, members


def _by_name(key: Key, gate: Place, program: Program) -> Place | None:
    base = root(gate)
    if not isinstance(base, VariablePlace) or base.variable.name != key.base:
        return None
    if _path(gate) != key.path:
        return None
    return _named(key, tuple(place_expressions(gate)), program)


def _named(key: Key, indices: tuple[Expr, ...], program: Program) -> Place | None:
    """What a key names, in a global variable."""
    for declaration in program.globals:
        if declaration.variable.name == key.lock:
            start = VariablePlace(declaration.variable)
            return _follow(start, key.way, indices)
    return None


def _follow(place: Place, way: tuple[str, ...], indices: tuple[Expr, ...]) -> Place | None:
    for step in way:
        if step.startswith(("#", "[")):
            position = step.strip("#[]")
            if not isinstance(place.type, ArrayType) or not position.isdigit():
                return None
            if step[0] == "#" and int(position) >= len(indices):
                return None
            index = indices[int(position)] if step[0] == "#" else number(int(position))
            place = IndexPlace(place, index)
        else:
            if not isinstance(place.type, RecordType) or step not in dict(place.type.fields):
                return None
            place = FieldPlace(place, step)
    return place


def _way(record: Place, lock: Place) -> tuple[str, ...] | None:
    """The way from a record to a lock inside; None if it is not inside."""
    way: tuple[str, ...] = ()
    while lock != record:
        match lock:
            case FieldPlace(base, field):
                way, lock = (field, *way), base
            case IndexPlace(base, Const(int(value), _)) if value >= 0:
                way, lock = (f"[{value}]", *way), base
            case VariablePlace() | DerefPlace() | IndexPlace():
                return None
    return way


def _path(place: Place) -> tuple[str, ...]:
    """The members that lead to a place in a variable, and where it has indices."""
    match place:
        case FieldPlace(base, field):
            return (*_path(base), field)
        case IndexPlace(base, _):
            return (*_path(base), "#")
        case VariablePlace() | DerefPlace():
            return ()


def _steps(lock: Place, indices: list[Expr]) -> tuple[str, ...] | None:
    """The way to a lock in a variable, by the indices of a gate."""
    match lock:
        case FieldPlace(base, field):
            inner = _steps(base, indices)
            return None if inner is None else (*inner, field)
        case IndexPlace(base, index):
            inner = _steps(base, indices)
            if inner is None or index not in indices:
                return None
            return (*inner, f"#{indices.index(index)}")
        case VariablePlace():
            return ()
        case DerefPlace():
            return None
