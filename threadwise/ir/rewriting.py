"""Edges as wholes: every place they mention, and the same edge with other places and expressions.

What an operation is about (`subject`) is evaluated with its edge: whoever changes or forgets what
expressions read has to look at it as well as at the action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from threadwise.ir.commands import Action, Allocate, Assignment, Call, Command, Free, Return
from threadwise.ir.expr import AddressOf, Expr, IsWritten, Place, Read
from threadwise.ir.fold import action_expressions, action_places, subexpressions
from threadwise.ir.program import Edge


def edge_expressions(edge: Edge) -> Iterator[Expr]:
    """What an edge evaluates, and the subject of its operation."""
    yield from action_expressions(edge.action)
    if edge.operation is not None and edge.operation.subject is not None:
        yield edge.operation.subject


def mentioned_places(edge: Edge) -> Iterator[Place]:
    """Every place that an edge writes, reads, asks about or takes the address of."""
    yield from action_places(edge.action)
    for expr in edge_expressions(edge):
        for part in subexpressions(expr):
            if isinstance(part, Read | IsWritten | AddressOf):
                yield part.place


def rewritten_edge(
    edge: Edge, place: Callable[[Place], Place], expr: Callable[[Expr], Expr]
) -> Edge:
    """The edge with every outermost place and expression changed."""
    action = rewritten_action(edge.action, place, expr)
    operation = edge.operation
    if operation is not None and operation.subject is not None:
        operation = replace(operation, subject=expr(operation.subject))
    return replace(edge, action=action, operation=operation)


def rewritten_action(
    action: Action, place: Callable[[Place], Place], expr: Callable[[Expr], Expr]
) -> Action:
    """The action with every outermost place and expression changed."""
    guard = expr(action.guard)
    match action:
        case Command(_, assignments, havocs):
            changed = tuple(Assignment(place(a.target), expr(a.value)) for a in assignments)
            return Command(guard, changed, tuple(map(place, havocs)))
        case Allocate(count=count):
            times = None if count is None else expr(count)
            return replace(action, guard=guard, target=place(action.target), count=times)
        case Free(_, pointer):
            return Free(guard, expr(pointer))
        case Call(procedure, arguments, result, _):
            stored = None if result is None else place(result)
            return Call(procedure, tuple(map(expr, arguments)), stored, guard)
        case Return(value, _):
            return Return(None if value is None else expr(value), guard)
