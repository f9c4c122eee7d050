"""Values of cells as the user would write them."""

from __future__ import annotations

from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.types import INTEGER_OBJECT, NONE, Address, EnumType, TidType, Value


class ValueRenderer:
    """Renders values of one program: enum members and threads by name."""

    def __init__(self, layout: ProgramLayout) -> None:
        self.numbers = layout.numbers
        self.globals = list(layout.globals.offset)

    def __call__(self, cell: Cell, value: Value) -> str:
        """The value of a cell."""
        match cell.type, value:
            case _, None:
                return "null"
            case _, bool():
                return "true" if value else "false"
            case EnumType(_, members), int():
                return members[value]
            case TidType(), int():
                return "none" if value == NONE else self.numbers.name(value)
            case _, Address(number, offset):
                return self._address(number, offset)
            case _:
                return str(value)

    def _address(self, number: int, offset: int) -> str:
        """`&x` or `&x + 2`; objects of the heap have numbers."""
        if number == INTEGER_OBJECT:
            return str(offset)
        if number < 0:
            return "unset"
        heap = number - len(self.globals)
        name = f"object {heap}" if heap >= 0 else self.globals[number]
        return f"&{name} + {offset}" if offset else f"&{name}"
