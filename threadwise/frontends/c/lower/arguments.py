"""The arguments of `main`: any number of any texts, which a function of the library makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.types import CInteger, CPointer, CType, unqualified
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import AddressOf, Expr, Read, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.types import MachineType

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

MAKER = "__library_arguments"
NAMED = "main gets at least one argument, its name"


def arguments_of(body: Body, main: tree.Function) -> list[Expr]:
    """The values of the parameters of `main`.

    The number of arguments is any value of a type without negative ones: a condition afterwards
    would be a place where a thread can wait forever. Where `main` looks at texts, at least one is
    there: the name of the program.
    """
    maker = body.unit.program.functions.get(MAKER)
    held = [unqualified(parameter.type) for parameter in main.parameters]
    if maker is None:
        return [_alone(body, each) for each in held]
    values: list[Expr] = []
    for position, each in enumerate(held):
        if position == 1:
            body.unit.assume(NAMED)
            values[0], texts = _texts(body, maker, least=1)
            values.append(texts)
        elif isinstance(each, CPointer):
            values.append(_texts(body, maker, least=0)[1])
        else:
            values.append(body.expressions.dummy(each))
    return values


def _alone(body: Body, held: CType) -> Expr:
    """A parameter of a `main` that reads no texts."""
    if not isinstance(held, CInteger):
        return body.expressions.dummy(held)
    width = held.width - 1 if held.signed else held.width
    return body.expressions.any_value(CInteger(width, signed=False))


def _texts(body: Body, maker: tree.Function, *, least: int) -> tuple[Expr, Expr]:
    """How many texts there are, and where; null is behind them."""
    expr = tree.Call(
        tree.FunctionName(maker, CPointer(maker.type), maker.span),
        (),
        maker.type.result,
        maker.span,
    )
    count = VariablePlace(body.temporary(MachineType(32, signed=True)))
    found = body.calls.enter(maker, expr, [AddressOf(count), number(least)], None)
    place = VariablePlace(body.temporary(body.unit.types.scalar(maker.type.result)))
    value: Expr = found  # type: ignore[assignment]  # a pointer
    body.step(Command(assignments=(Assignment(place, value),)))
    return Read(count), Read(place)
