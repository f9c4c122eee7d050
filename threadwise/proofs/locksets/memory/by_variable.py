"""Places that are found through constant addresses, named by their variables."""

from __future__ import annotations

from threadwise.ir.expr import (
    AddressOf,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    PointerAdd,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import Program
from threadwise.ir.types import (
    Address,
    ArrayType,
    MutexType,
    RecordType,
    Type,
    fields_of,
)


def by_variable(place: Place, program: Program) -> Place:
    """The same place, by its variable if it is found through a constant address."""
    match place:
        case FieldPlace(base, field):
            return FieldPlace(by_variable(base, program), field)
        case IndexPlace(base, index):
            return IndexPlace(by_variable(base, program), index)
        case DerefPlace(pointer, held):
            address = _constant_address(pointer)
            declared = program.globals
            if address is None or not 0 <= address.number < len(declared):
                return place
            variable = declared[address.number].variable
            inside = address.offset >= 0 and has_static_size(variable.type)
            part = _part_at(VariablePlace(variable), address.offset, held) if inside else None
            return place if part is None else part
        case VariablePlace():
            return place


def element_by_variable(pointer: Expr, program: Program) -> Expr:
    """The same pointer; one to an element of a global array, `&a[i]`, by the name of the array.

    Rows of matrices are left alone: an index past the end of one would name an element of none.
    """
    match pointer:
        case PointerAdd(Const(Address()) as start, count, element):
            first = by_variable(DerefPlace(start, element), program)
            if isinstance(first, IndexPlace) and isinstance(first.base, VariablePlace):
                return PointerAdd(AddressOf(first), count, element)
            return pointer
        case _:
            return pointer


def _part_at(place: Place, offset: int, held: Type) -> Place | None:
    """The part of a place at an offset that has the type; none where the place ends before it."""
    while offset or place.type != held:
        match place.type:
            case ArrayType(element, _) as array:
                size = size_of(element, NO_THREADS)
                if not size or offset >= size_of(array, NO_THREADS):
                    return None
                place, offset = IndexPlace(place, number(offset // size)), offset % size
            case RecordType() | MutexType() as whole:
                for name, part in fields_of(whole):
                    size = size_of(part, NO_THREADS)
                    if offset < size:
                        place = FieldPlace(place, name)
                        break
                    offset -= size
                else:
                    return None
            case _:
                return None
    return place


def _constant_address(pointer: Expr) -> Address | None:
    match pointer:
        case Const(Address() as address, _):
            return address
        case PointerAdd(inner, Const(int(count), _), element) if has_static_size(element):
            base = _constant_address(inner)
            if base is None:
                return None
            return Address(base.number, base.offset + count * size_of(element, NO_THREADS))
        case _:
            return None
