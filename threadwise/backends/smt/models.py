"""The values that a model gives to symbolic values."""

from __future__ import annotations

import z3

from threadwise.backends.smt.solver import Model
from threadwise.backends.smt.values import Cells, Pointer, Record, Symbolic
from threadwise.ir.types import INTEGER_OBJECT, Address, Value


def scalar(model: Model, value: Symbolic) -> Value:
    """The value of a scalar."""
    if isinstance(value, Pointer):
        number, offset = model.integer(value.number), model.integer(value.offset)
        return None if (number, offset) == (INTEGER_OBJECT, 0) else Address(number, offset)
    return model.boolean(value) if z3.is_bool(value) else model.integer(value)


def cells(model: Model, value: Symbolic) -> list[Value]:
    """The values of the cells of a value that is no table."""
    match value:
        case Cells(elements, _):
            return [cell for element in elements for cell in cells(model, element)]
        case Record(fields):
            return [cell for _, part in fields for cell in cells(model, part)]
        case _:
            return [scalar(model, value)]
