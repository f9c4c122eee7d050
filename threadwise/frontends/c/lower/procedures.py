"""Functions as procedures of the IR: those that call themselves, or cost too much inlined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.survey import survey
from threadwise.frontends.c.lower.values.types import cells, is_aggregate
from threadwise.frontends.c.types import CVoid, unqualified
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Expr, Read, Scope, Variable, VariablePlace

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


def procedure_body(body: Body, function: tree.Function) -> None:
    """The body of a procedure: parameters arrive cell by cell, the result is handed back."""
    from threadwise.frontends.c.lower.body import Frame

    seen = survey(function)
    frame = Frame(function, seen, None, body.graph.node(), single=False)
    body.frame = frame
    body.loops += seen.has_goto
    body.times = None if seen.has_goto else 1
    body.span, body.text = function.span, function.shown
    held = unqualified(function.type.result)
    if not isinstance(held, CVoid):
        if is_aggregate(held):
            frame.result = VariablePlace(body.unit.returned(function))
        else:
            body.result = body.unit.types.scalar(held)
            if not seen.returns_last:
                frame.result = VariablePlace(body.local("result$", body.result))
    _receive(body, function)
    assert function.body is not None
    body.statements.statement(function.body)
    if not seen.returns_last:
        body.graph.jump(body.at, frame.exit)
        body.at = frame.exit
    elif frame.result is not None and frame.tail is not None:
        assert isinstance(frame.tail, VariablePlace)
        body.places.copy(frame.result, frame.tail, held)
    body.span, body.text = function.span, f"{function.shown} returns"
    value: Expr | None = None
    if body.result is not None:
        found = frame.tail if seen.returns_last else frame.result
        value = body.expressions.dummy(held) if found is None else _held(body, found)
    body.free_frames(all_frames=False)
    body.leave(value)


def _held(body: Body, value: object) -> Expr:
    """The result in a variable, so that returning reads nothing else."""
    if isinstance(value, VariablePlace):
        return Read(value)
    assert body.result is not None
    place = VariablePlace(body.local("result$", body.result))
    body.step(Command(assignments=(Assignment(place, value),)))  # type: ignore[arg-type]
    return Read(place)


def _receive(body: Body, function: tree.Function) -> None:
    for parameter in function.parameters:
        held = body.unit.types.of(parameter.type)
        whole = VariablePlace(Variable(parameter.name, held, Scope.LOCAL))
        simple = not is_aggregate(unqualified(parameter.type))
        if simple and parameter not in body.unit.facts.memory:
            variable = Variable(parameter.name, held, Scope.LOCAL)
            body.add_parameter(variable)
            body.owners[variable] = parameter
            body.here.bindings[parameter] = VariablePlace(variable)
            continue
        arrived: list[Variable] = []
        for position, cell in enumerate(cells(whole, held)):
            variable = Variable(f"{parameter.name}$cell{position}", cell.type, Scope.LOCAL)
            body.add_parameter(variable)
            arrived.append(variable)
        place = body.statements.bring_to_life(parameter, cleared=False)
        for cell, variable in zip(cells(place, held), arrived, strict=True):
            body.step(Command(assignments=(Assignment(cell, Read(VariablePlace(variable))),)))
