"""The arguments of `main`: any number of them; their texts are not modelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.survey import survey
from threadwise.frontends.c.types import CInteger, CPointer, unqualified
from threadwise.ir.expr import Expr

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

TEXTS = "the texts of the arguments of main"


def arguments_of(body: Body, main: tree.Function) -> list[Expr]:
    """The values of the parameters of `main`; looking at the texts is a limit.

    The number of arguments is any value of a type without negative ones: a condition afterwards
    would be a place where a thread can wait for ever.
    """
    values: list[Expr] = []
    for parameter in main.parameters:
        held = unqualified(parameter.type)
        if isinstance(held, CInteger):
            width = held.width - 1 if held.signed else held.width
            values.append(body.expressions.any_value(CInteger(width, signed=False)))
            continue
        if isinstance(held, CPointer):
            body.arguments.add(parameter)
            if parameter.address_taken or parameter in survey(main).assigned:
                body.limit(TEXTS)
        values.append(body.expressions.dummy(held))
    return values
