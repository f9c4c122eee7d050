"""Doing something to every cell of a place: large arrays in loops, the rest one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from threadwise.frontends.c.lower.values.arithmetic import ONE, ZERO
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.types import ArrayType, MachineType, MutexType, RecordType, fields_of

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

UNROLLED = 32
"""Arrays with more elements are gone through in a loop."""
_INDEX = MachineType(64, signed=True)

Places = tuple[Place, ...]


def is_large(place: Place) -> bool:
    """Whether some array in a place is gone through in a loop."""
    match place.type:
        case ArrayType(_, int(extent)):
            return extent > UNROLLED or is_large(IndexPlace(place, number(0)))
        case RecordType() | MutexType():
            return any(is_large(FieldPlace(place, name)) for name, _ in fields_of(place.type))
        case _:
            return False


def for_cells(body: Body, places: Places, do: Callable[[Places], None]) -> None:
    """Do something to the cells of places of one type, those at the same position together."""
    held = places[0].type
    match held:
        case ArrayType(_, int(extent)) if extent > UNROLLED:
            _loop(body, places, extent, do)
        case ArrayType(_, int(extent)):
            for position in range(extent):
                for_cells(body, tuple(IndexPlace(p, number(position)) for p in places), do)
        case RecordType() | MutexType():
            for name, _ in fields_of(held):
                for_cells(body, tuple(FieldPlace(place, name) for place in places), do)
        case _:
            do(places)


def _loop(body: Body, places: Places, extent: int, do: Callable[[Places], None]) -> None:
    index = VariablePlace(body.temporary(_INDEX))
    body.step(Command(assignments=(Assignment(index, ZERO),)))
    test, inside, done = body.node(), body.node(), body.node()
    body.move_to(test)
    body.branch(Binary(BinaryOp.LT, Read(index), number(extent)), inside, done)
    body.at = inside
    for_cells(body, tuple(IndexPlace(place, Read(index)) for place in places), do)
    more = Binary(BinaryOp.ADD, Read(index), ONE)
    body.arc(test, Command(assignments=(Assignment(index, more),)))
    body.at = done
