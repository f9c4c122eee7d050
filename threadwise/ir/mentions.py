"""What an edge mentions: its action, and the `subject` of its operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from threadwise.ir.commands import Action, Operation
from threadwise.ir.expr import AddressOf, Expr, IsWritten, Place, Read
from threadwise.ir.fold import action_expressions, action_places, subexpressions


class Step(Protocol):
    """An edge, or what will become one."""

    @property
    def action(self) -> Action:
        """What it does."""

    @property
    def operation(self) -> Operation | None:
        """What it is for."""


def edge_expressions(edge: Step) -> Iterator[Expr]:
    """What an edge evaluates, and the subject of its operation."""
    yield from action_expressions(edge.action)
    if edge.operation is not None and edge.operation.subject is not None:
        yield edge.operation.subject


def mentioned_places(edge: Step) -> Iterator[Place]:
    """Every place that an edge writes, reads, asks about or takes the address of."""
    yield from action_places(edge.action)
    for expr in edge_expressions(edge):
        for part in subexpressions(expr):
            if isinstance(part, Read | IsWritten | AddressOf):
                yield part.place
