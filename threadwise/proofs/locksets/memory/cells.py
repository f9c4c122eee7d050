"""Memory in folded form: all elements of an array are one, and so are all objects of one site.

An *object* is a global variable, a variable of a procedure or a template, or an allocation site.
Its type without extents gives its *cells*, numbered from 0; a `Target` is such a cell, and where
a pointer may point: to whatever begins there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from threadwise.ir.types import (
    ArrayType,
    MachineType,
    MutexType,
    PerThread,
    RecordType,
    ScalarType,
    TidType,
    Type,
    Value,
    fields_of,
)

TYPES = 1 << 14
"""Of so many types it is remembered where their parts are."""


class Target(NamedTuple):
    """A folded cell of an object."""

    object: str
    cell: int


Values = frozenset[Value | Target] | None
"""What cells may hold; None: anything of the type."""


def is_site(name: str) -> bool:
    """Whether an object stands for what is allocated somewhere."""
    return name.startswith("new ")


@lru_cache(maxsize=TYPES)
def folded_size(held: Type) -> int:
    """How many folded cells a type has."""
    match held:
        case ArrayType(element):
            return folded_size(element)
        case RecordType() | MutexType():
            return sum(folded_size(part) for _, part in fields_of(held))
        case _:
            return 1


def repeated_cells(site: str, held: Type, start: int = 0) -> Iterator[Target]:
    """The folded cells of a type that stand for several cells."""
    match held:
        case ArrayType():
            yield from (Target(site, start + n) for n in range(folded_size(held)))
        case RecordType():
            for _, part in fields_of(held):
                yield from repeated_cells(site, part, start)
                start += folded_size(part)
        case _:
            pass


@lru_cache(maxsize=TYPES)
def field_start(held: RecordType | MutexType, field: str) -> int:
    """Where a field begins."""
    start = 0
    for name, part in fields_of(held):
        if name == field:
            return start
        start += folded_size(part)
    raise KeyError(field)


@lru_cache(maxsize=TYPES)
def parts_at(held: Type, cell: int) -> tuple[Type, ...]:
    """The types of all parts that begin at a cell, the largest first."""
    return tuple(_parts_at(held, cell))


def _parts_at(held: Type, cell: int) -> Iterator[Type]:
    while True:
        if cell == 0:
            yield held
        match held:
            case ArrayType(element):
                held = element
            case RecordType() | MutexType():
                for _, part in fields_of(held):
                    size = folded_size(part)
                    if cell < size:
                        held = part
                        break
                    cell -= size
                else:
                    return
            case _:
                return


@lru_cache(maxsize=TYPES)
def stays_among(held: Type, cell: int, element: Type, *, in_array: bool = False) -> bool:
    """Whether a pointer to a cell that moves by elements stays at elements of the same array.

    An object that is one element, as a whole, has no other. A member of a record that is no
    array has neighbours: C forbids to go there, but runs do. A move by arrays is a move by their
    elements, several times. A pointer to bytes may be one to a record that begins with them, and
    goes on to all of its bytes, unless it was made of an element of that array (`among_bytes`).
    """
    if isinstance(element, ArrayType) and stays_among(held, cell, element.element):
        return True
    among, begins_record = True, False
    while cell >= 0:
        if cell == 0 and held == element:
            return among and (in_array or not (begins_record and is_byte(element)))
        match held:
            case ArrayType(inner):
                held, among = inner, True
            case RecordType() | MutexType():
                fields = fields_of(held)
                begins_record |= cell == 0 and len(fields) > 1
                for _, part in fields:
                    size = folded_size(part)
                    if cell < size:
                        held, among = part, among and len(fields) == 1
                        break
                    cell -= size
                else:
                    return False
            case _:
                return False
    return False


def is_byte(held: Type) -> bool:
    """Whether a type is one of characters, as which C lets access any object."""
    return isinstance(held, MachineType) and held.width == 8


def begins_with(held: Type, cell: int, before: RecordType) -> bool:
    """Whether a record with these members first, and then one that is no array, begins there."""
    if cell < 0:
        return False
    wanted = [part for _, part in before.fields]
    return any(
        isinstance(record, RecordType) and _follows(record, wanted)
        for record in parts_at(held, cell)
    )


def _follows(record: RecordType, wanted: list[Type]) -> bool:
    fields = [part for _, part in record.fields]
    common = 0
    while common < min(len(fields), len(wanted)) and fields[common] == wanted[common]:
        common += 1
    if common == len(fields):
        return False
    following = fields[common]
    if common == len(wanted):
        return not isinstance(following, ArrayType)
    return isinstance(following, RecordType) and _follows(following, wanted[common:])


INSIDE = -(1 << 62)
"""Stands for a pointer to any byte of an object."""

PAST_END = -(1 << 61)
"""Stands for a pointer behind the end of an object, to a member of a record that it is too small
for: it may be moved, and compared, but not followed."""

_CODES = 1 << 20
_AMONG_BYTES = -(1 << 60)


def among_bytes(cell: int) -> int:
    """Stands for a pointer that was made of an element of the array of bytes at a cell.

    A record begins with that array. `(char *)&record` goes on to all of its bytes; this one stays
    in the array.
    """
    return _AMONG_BYTES - cell


def is_among_bytes(cell: int) -> bool:
    """Whether a pointer is one that `among_bytes` stands for."""
    return _AMONG_BYTES - _CODES < cell <= _AMONG_BYTES


def pointed(target: Target) -> Target:
    """The cell that a pointer leads to, wherever else it may be moved."""
    if is_among_bytes(target.cell):
        return Target(target.object, _AMONG_BYTES - target.cell)
    return target


UNKNOWN = "new ?"
"""Stands for all objects that unknown functions make; its one cell has any type."""


def astray(cell: int, code: int) -> int:
    """Stands for a pointer that was moved back from a cell, by the type with this number."""
    return -1 - (code * _CODES + cell)


def led_astray(cell: int, code: int) -> int | None:
    """The cell that a pointer was moved back from, by the type with this number."""
    origin = -1 - cell - code * _CODES
    return origin if cell < 0 and 0 <= origin < _CODES else None


def leaves(held: Type) -> Iterator[ScalarType]:
    """The types of the folded cells, in order."""
    match held:
        case ArrayType(element):
            yield from leaves(element)
        case RecordType() | MutexType():
            for _, part in fields_of(held):
                yield from leaves(part)
        case _:
            yield held


@lru_cache(maxsize=TYPES)
def lock_cells(held: Type) -> frozenset[int]:
    """The folded cells that are parts of mutexes."""
    return frozenset(_kept(held, 0, MutexType))


@lru_cache(maxsize=TYPES)
def kept_cells(held: Type) -> frozenset[int]:
    """The folded cells that unknown functions leave alone: locks, and ids of threads."""
    return frozenset(_kept(held, 0, (MutexType, TidType)))


def _kept(held: Type, start: int, kinds: type | tuple[type, ...]) -> Iterator[int]:
    if isinstance(held, kinds):
        yield from range(start, start + folded_size(held))
        return
    match held:
        case ArrayType(element):
            yield from _kept(element, start, kinds)
        case RecordType() | MutexType():
            for _, part in fields_of(held):
                yield from _kept(part, start, kinds)
                start += folded_size(part)
        case _:
            pass


def unfolded(held: Type) -> Iterator[int] | None:
    """The folded cell of every cell, in memory order; None if there are cells per thread."""
    match held:
        case ArrayType(element, extent):
            if isinstance(extent, PerThread):
                return None
            inner = unfolded(element)
            if inner is None:
                return None
            listed = list(inner)
            return (cell for _ in range(extent) for cell in listed)
        case RecordType() | MutexType():
            cells: list[int] = []
            start = 0
            for _, part in fields_of(held):
                inside = unfolded(part)
                if inside is None:
                    return None
                cells += [start + cell for cell in inside]
                start += folded_size(part)
            return iter(cells)
        case _:
            return iter((0,))
