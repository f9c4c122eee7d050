"""Arguments without parameters, as functions get at them by `va_arg`.

Which of them comes next is not computed: it is any of those of the functions with `...` that are
being called here, and no violation rests on the choice. A list that the caller of a procedure may
have handed over has arguments that are not known: then it is a limit, as before. Where lists may
be handed over in another way than by parameters, this is not asked (`argument_lists`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.argument_lists import leads_to_list
from threadwise.frontends.c.lower.survey import strip
from threadwise.frontends.c.lower.values.arithmetic import NULL_POINTER
from threadwise.frontends.c.types import CPointer, CType, unqualified
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Expr, Read, VariablePlace
from threadwise.ir.types import POINTER

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body, Frame


def next_pointer(body: Body, held: CType) -> Expr | None:
    """Any of the pointers that may come next; None if these are not known, or no pointer does."""
    given = _given(body) if isinstance(unqualified(held), CPointer) else None
    if given is None:
        return None
    if body.span is not None:
        body.unit.approximated.add(body.span)
    result, after = VariablePlace(body.temporary(POINTER)), body.node()
    for value in given:
        body.note_addresses(value)
        body.add(after, Command(assignments=(Assignment(result, value),)))
    body.at = after
    return Read(result)


def _given(body: Body) -> list[Expr] | None:
    """The pointers without parameters in the calls around; None if there may be others."""
    frames = list(_frames(body.frame))
    variadic = [frame for frame in frames if frame.function.type.variadic]
    if not variadic:
        return None
    if body.procedure and _gets_list(frames[-1].function):
        return None
    found: dict[Expr, None] = {}
    for frame in variadic:
        for text, value in frame.unnamed:
            if isinstance(unqualified(text.type), CPointer):
                found[value] = None  # type: ignore[index]  # a scalar
            elif isinstance(constant := strip(text), tree.IntegerConstant) and not constant.value:
                found[NULL_POINTER] = None
    return list(found) or None


def _frames(frame: Frame | None) -> Iterator[Frame]:
    while frame is not None:
        yield frame
        frame = frame.outer


def _gets_list(function: tree.Function) -> bool:
    """Whether its caller says what arguments there are."""
    return function.type.variadic or any(leads_to_list(p.type) for p in function.parameters)
