"""The arguments of `main`: as many as there may be, texts of any length and content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.arithmetic import ONE, ZERO, compare
from threadwise.frontends.c.lower.filling import set_to_any
from threadwise.frontends.c.lower.places import folded, moved
from threadwise.frontends.c.types import CInteger, CPointer, unqualified
from threadwise.frontends.c.walking import nodes
from threadwise.ir.commands import Allocate, Assignment, Command
from threadwise.ir.expr import TRUE, Binary, BinaryOp, Expr, Read, VariablePlace
from threadwise.ir.types import POINTER, MachineType

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


def arguments_of(body: Body, main: tree.Function) -> list[Expr]:
    """The values of the parameters of `main`; texts are made only if it refers to them."""
    values: list[Expr] = []
    for parameter in main.parameters:
        held = unqualified(parameter.type)
        if isinstance(held, CInteger):
            count = body.expressions.any_value(held)
            body.step(Command(compare(BinaryOp.GE, count, ZERO)))
            values.append(count)
        elif values and isinstance(held, CPointer) and _refers(main, parameter):
            values.append(_texts(body, values[0]))
        else:
            values.append(body.expressions.dummy(held))
    return values


def _refers(main: tree.Function, parameter: tree.Variable) -> bool:
    return any(
        isinstance(node, tree.VariableRef) and node.variable is parameter
        for node in nodes(main.body)
    )


def _texts(body: Body, count: Expr) -> Expr:
    """A list of so many texts, and a null pointer behind them.

    One text stands for all: any of them may be it, and what is done to one may be done to it.
    """
    text = _text(body)
    listed = VariablePlace(body.temporary(POINTER))
    size = Binary(BinaryOp.ADD, count, ONE)
    body.step(Allocate(TRUE, listed, POINTER, "the list of arguments", size, cleared=True))

    def one(index: Expr) -> None:
        place = folded(moved(Read(listed), index, POINTER), POINTER)
        body.step(Command(assignments=(Assignment(place, text),)))

    body.memory.for_each(count, one)
    return Read(listed)


def _text(body: Body) -> Expr:
    """A text of any length and content."""
    text = VariablePlace(body.temporary(POINTER))
    character = MachineType(8, signed=True)
    length = body.expressions.any_value(CInteger(32, signed=False))
    size = Binary(BinaryOp.ADD, length, ONE)
    body.step(Allocate(TRUE, text, character, "an argument", size, cleared=True))

    def each(position: Expr) -> None:
        place = folded(moved(Read(text), position, character), character)
        set_to_any(body, place, opaque=False)

    body.memory.for_each(length, each)
    return Read(text)
