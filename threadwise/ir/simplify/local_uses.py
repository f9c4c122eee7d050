"""What edges do with the local variables of their procedure."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir.commands import Action, Call
from threadwise.ir.expr import IsWritten, Place, Read, Scope, VariablePlace
from threadwise.ir.fold import action_places, root, subexpressions
from threadwise.ir.program import Edge
from threadwise.ir.rewriting import edge_expressions


def local_of(place: Place) -> Iterator[str]:
    """The local variable that a place is part of, if it is part of one."""
    base = root(place)
    if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
        yield base.variable.name


def read_locals(edge: Edge) -> Iterator[str]:
    """The locals an edge reads; writing an element of an array keeps the others."""
    for expr in edge_expressions(edge):
        for part in subexpressions(expr):
            if isinstance(part, Read | IsWritten):
                yield from local_of(part.place)
    for place in action_places(edge.action):
        if not isinstance(place, VariablePlace):
            yield from local_of(place)


def written_locals(action: Action) -> Iterator[str]:
    """The locals an action gives a new value, or a part of them."""
    for place in action_places(action):
        yield from local_of(place)


def overwritten_locals(action: Action) -> Iterator[str]:
    """The locals an action gives a new value; the result of a call arrives with its return."""
    for place in action_places(action):
        if isinstance(place, VariablePlace) and not isinstance(action, Call):
            yield from local_of(place)
