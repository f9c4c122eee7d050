"""Edges with other places and expressions.

The `subject` of an operation is evaluated with its edge: code that changes or removes expressions
has to treat it as well as the action.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import (
    Action,
    Allocate,
    Assignment,
    Call,
    Command,
    Free,
    Return,
)
from threadwise.ir.expr import Expr, Place
from threadwise.ir.program import Edge


def rewritten_edge(
    edge: Edge, place: Callable[[Place], Place], expr: Callable[[Expr], Expr]
) -> Edge:
    """The edge with every outermost place and expression changed; itself if none of them is."""
    action = rewritten_action(edge.action, place, expr)
    operation = edge.operation
    if operation is not None and operation.subject is not None:
        subject = expr(operation.subject)
        if subject is not operation.subject:
            operation = replace(operation, subject=subject)
    if action is edge.action and operation is edge.operation:
        return edge
    return replace(edge, action=action, operation=operation)


class Rewriting:
    """Changes places and expressions of many edges; what several of them do is changed once."""

    def __init__(self, place: Callable[[Place], Place], expr: Callable[[Expr], Expr]) -> None:
        self._place = place
        self._expr = expr
        self._actions: dict[Action, Action] = {}

    def edge(self, edge: Edge) -> Edge:
        """The edge with every outermost place and expression changed; itself if none is."""
        action = self.action(edge.action)
        operation = edge.operation
        if operation is not None and operation.subject is not None:
            subject = self._expr(operation.subject)
            if subject != operation.subject:
                operation = replace(operation, subject=subject)
        if action is edge.action and operation is edge.operation:
            return edge
        return replace(edge, action=action, operation=operation)

    def action(self, action: Action) -> Action:
        """The action with every outermost place and expression changed."""
        known = self._actions.get(action)
        if known is None:
            changed = rewritten_action(action, self._place, self._expr)
            known = self._actions[action] = action if changed == action else changed
        return known


def rewritten_action(
    action: Action, place: Callable[[Place], Place], expr: Callable[[Expr], Expr]
) -> Action:
    """The action with every outermost place and expression changed; itself if none of them is."""
    guard = expr(action.guard)
    match action:
        case Command(_, assignments, havocs):
            stores = tuple(_assignment(a, place, expr) for a in assignments)
            chosen = tuple(map(place, havocs))
            same = all(map(is_, stores, assignments)) and all(map(is_, chosen, havocs))
            changed: Action = Command(guard, stores, chosen)
        case Allocate(target=target, count=count):
            to, times = place(target), None if count is None else expr(count)
            same = to is target and times is count
            changed = replace(action, guard=guard, target=to, count=times)
        case Free(_, pointer):
            freed = expr(pointer)
            same = freed is pointer
            changed = Free(guard, freed)
        case Call(procedure, arguments, result, _):
            given, to_ = tuple(map(expr, arguments)), None if result is None else place(result)
            same = all(map(is_, given, arguments)) and to_ is result
            changed = Call(procedure, given, to_, guard)
        case Return(value, _):
            handed = None if value is None else expr(value)
            same = handed is value
            changed = Return(handed, guard)
    return action if same and guard is action.guard else changed


def _assignment(
    assignment: Assignment, place: Callable[[Place], Place], expr: Callable[[Expr], Expr]
) -> Assignment:
    target, value = place(assignment.target), expr(assignment.value)
    same = target is assignment.target and value is assignment.value
    return assignment if same else Assignment(target, value)
