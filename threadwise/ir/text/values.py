"""Values of cells as the user would write them."""

from __future__ import annotations

from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.types import NONE, EnumType, TidType, Value


class ValueRenderer:
    """Renders values of one program: enum members and threads by name."""

    def __init__(self, layout: ProgramLayout) -> None:
        self.numbers = layout.numbers

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
            case _:
                return str(value)
