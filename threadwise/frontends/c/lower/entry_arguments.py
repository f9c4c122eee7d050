"""The arguments that callers outside of the program pass to entry functions (`--entry`).

A number is any value of its type. A pointer is null, or leads to memory of the caller's: an array
of any length whose cells hold any values. Length and contents have nothing to do with the other
arguments, so `memory` is asked about callers that break an agreement, too. Two assumptions are
listed: no two calls, and no two parameters of one call, are passed the same memory, and it does
not overlap the program's own.

A record is passed cell by cell. Pointers inside of what is passed, locks and unions are a limit:
nothing is known of what lies behind them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.storage.filling import set_to_any
from threadwise.frontends.c.lower.storage.places import folded, moved
from threadwise.frontends.c.lower.values.arithmetic import NULL_POINTER, ONE, ZERO, as_truth
from threadwise.frontends.c.lower.values.types import ACTIVE, is_aggregate
from threadwise.frontends.c.types import (
    CBool,
    CFunction,
    CInteger,
    CPointer,
    CVoid,
    unqualified,
)
from threadwise.ir.commands import Allocate, Assignment, Command
from threadwise.ir.expr import TRUE, Binary, BinaryOp, Expr, Place, Read, VariablePlace
from threadwise.ir.types import (
    POINTER,
    ArrayType,
    MachineType,
    RecordType,
    Type,
    fields_of,
)

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

_BYTE = CInteger(8, signed=False)
_INDEX = MachineType(64, signed=True)


def argument_of(body: Body, function: tree.Function, parameter: tree.Variable) -> Expr | Place:
    """Any argument for a parameter of an entry function; a limit if there is no such thing."""
    held = unqualified(parameter.type)
    name = f"{parameter.shown} of {function.shown}"
    passed = unqualified(held.target) if isinstance(held, CPointer) else held
    if isinstance(passed, CVoid):
        passed = _BYTE
    if isinstance(passed, CFunction) or not _holds_numbers(body.unit.types.of(passed)):
        body.limit(f"any argument for the parameter {name}")
        return body.expressions.dummy(held)
    own = f"{function.shown}.{parameter.shown}"
    if isinstance(held, CPointer):
        pointer = VariablePlace(body.local(own, POINTER))
        return _memory(body, pointer, name, body.unit.types.of(passed))
    if is_aggregate(held):
        place = VariablePlace(body.local(own, body.unit.types.of(held)))
        set_to_any(body, place, opaque=False)
        return place
    value = VariablePlace(body.local(own, body.unit.types.scalar(held)))
    body.step(Command(havocs=(value,)))
    return Read(value)


def _holds_numbers(held: Type) -> bool:
    """Whether there are only numbers in a type: no pointers, locks, thread ids or unions."""
    match held:
        case MachineType():
            return True
        case ArrayType():
            return _holds_numbers(held.element)
        case RecordType():
            return all(name != ACTIVE and _holds_numbers(inner) for name, inner in fields_of(held))
        case _:
            return False


def _memory(body: Body, pointer: Place, name: str, held: Type) -> Expr:
    """A null pointer, or the address of an array of the caller's."""
    body.unit.assume(
        f"memory that is passed as {name} is the caller's own: no other call and no other"
        " parameter gets the same, and no variable of the program is in it"
    )
    given, done = body.node(), body.node()
    body.step(Command(assignments=(Assignment(pointer, NULL_POINTER),)))
    body.branch(as_truth(body.expressions.any_value(CBool())), given, done)
    body.at = given
    length = VariablePlace(body.temporary(_INDEX))
    body.step(Command(assignments=(Assignment(length, ONE),)))
    longer, grow, enough = body.node(), body.node(), body.node()
    body.move_to(longer)
    body.branch(as_truth(body.expressions.any_value(CBool())), grow, enough)
    body.at = grow
    body.arc(longer, _increment(length))
    body.at = enough
    body.step(Allocate(TRUE, pointer, held, name, Read(length), cleared=False), sync=True)
    index = VariablePlace(body.temporary(_INDEX))
    body.step(Command(assignments=(Assignment(index, ZERO),)))
    test, inside = body.node(), body.node()
    body.move_to(test)
    body.branch(Binary(BinaryOp.LT, Read(index), Read(length)), inside, done)
    body.at = inside
    set_to_any(body, folded(moved(Read(pointer), Read(index), held), held), opaque=False)
    body.arc(test, _increment(index))
    body.at = done
    return Read(pointer)


def _increment(place: Place) -> Command:
    return Command(assignments=(Assignment(place, Binary(BinaryOp.ADD, Read(place), ONE)),))
