"""Places that are found through constant addresses, told by their variables."""

from __future__ import annotations

from threadwise.ir.expr import (
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    PointerAdd,
    VariablePlace,
)
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import Program
from threadwise.ir.types import Address
from threadwise.transforms.simplify.pointers import part_at


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
            part = part_at(VariablePlace(variable), address.offset, held) if inside else None
            return place if part is None else part
        case VariablePlace():
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
