"""Where constant addresses lead, in a program whose global variables have known sizes."""

from __future__ import annotations

from threadwise.ir.expr import (
    Const,
    FieldPlace,
    IndexPlace,
    Place,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.layout import NO_THREADS, cells_of, field_offset, has_static_size, size_of
from threadwise.ir.program import Program
from threadwise.ir.types import (
    INT,
    Address,
    ArrayType,
    MutexType,
    RecordType,
    Type,
    Value,
    fields_of,
)


class Memory:
    """The global variables of a program."""

    def __init__(self, program: Program) -> None:
        self.variables = [declaration.variable for declaration in program.globals]
        self.numbers = {variable.name: n for n, variable in enumerate(self.variables)}

    def _variable(self, value: Value) -> Variable | None:
        """The variable an address points into; None if it is none, or of unknown size."""
        if not isinstance(value, Address) or not 0 <= value.number < len(self.variables):
            return None
        found = self.variables[value.number]
        return found if has_static_size(found.type) else None

    def is_declared(self, value: Value) -> bool:
        """Whether a value is no address on the heap."""
        return not isinstance(value, Address) or value.number < len(self.variables)

    def is_valid(self, value: Value, held: Type | None) -> bool | None:
        """What `valid` says of a constant; None if that is not known here."""
        if not isinstance(value, Address) or value.number < 0:
            return False
        variable = self._variable(value)
        if variable is None:
            return None
        cells = [cell.type for cell in cells_of(variable, NO_THREADS)]
        if not 0 <= value.offset < len(cells):
            return False
        if held is None:
            return True
        wanted = [cell.type for cell in cells_of(Variable("", held, Scope.GLOBAL), NO_THREADS)]
        return cells[value.offset : value.offset + len(wanted)] == wanted

    def part_at(self, value: Value, held: Type) -> Place | None:
        """The part of a variable of that type at an address."""
        variable = self._variable(value)
        if variable is None or not isinstance(value, Address) or value.offset < 0:
            return None
        place: Place = VariablePlace(variable)
        offset = value.offset
        while offset or place.type != held:
            match place.type:
                case ArrayType(element, _) as array:
                    size = size_of(element, NO_THREADS)
                    if not size or offset >= size_of(array, NO_THREADS):
                        return None
                    place = IndexPlace(place, Const(offset // size, INT))
                    offset %= size
                case RecordType() | MutexType() as whole:
                    for name, part in fields_of(whole):
                        start = field_offset(whole, name, NO_THREADS)
                        if start <= offset < start + size_of(part, NO_THREADS):
                            place, offset = FieldPlace(place, name), offset - start
                            break
                    else:
                        return None
                case _:
                    return None
        return place

    def address_of(self, place: Place) -> Address | None:
        """The address of a place, if it does not depend on anything."""
        offset = 0
        while not isinstance(place, VariablePlace):
            match place:
                case FieldPlace(base, name) if has_static_size(base.type):
                    assert isinstance(base.type, RecordType | MutexType)
                    offset += field_offset(base.type, name, NO_THREADS)
                case IndexPlace(base, Const(int(position), _)) if has_static_size(base.type):
                    offset += position * size_of(place.type, NO_THREADS)
                case _:
                    return None
            place = base
        number = self.numbers.get(place.variable.name)
        if place.variable.scope is not Scope.GLOBAL or number is None:
            return None
        return Address(number, offset)
