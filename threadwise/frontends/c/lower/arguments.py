"""The arguments of `main`: any number of them; their texts are not modelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.arithmetic import ZERO, compare
from threadwise.frontends.c.lower.survey import survey
from threadwise.frontends.c.types import CInteger, CPointer, unqualified
from threadwise.ir.commands import Command
from threadwise.ir.expr import BinaryOp, Expr

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

TEXTS = "the texts of the arguments of main"


def arguments_of(body: Body, main: tree.Function) -> list[Expr]:
    """The values of the parameters of `main`; looking at the texts is a limit."""
    values: list[Expr] = []
    for parameter in main.parameters:
        held = unqualified(parameter.type)
        if isinstance(held, CInteger):
            count = body.expressions.any_value(held)
            body.step(Command(compare(BinaryOp.GE, count, ZERO)))
            values.append(count)
            continue
        if isinstance(held, CPointer):
            body.arguments.add(parameter)
            if parameter.address_taken or parameter in survey(main).assigned:
                body.limit(TEXTS)
        values.append(body.expressions.dummy(held))
    return values
