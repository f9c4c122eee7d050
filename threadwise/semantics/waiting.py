"""At which edges a thread waits that cannot go on.

Not at one that its own variables exclude: nothing that others do opens it. Nor at one that leads
to a failure, which is no way to go on. A dereference with known targets is an edge per target
(`threadwise.transforms.simplify.pointers`), so a thread that waits for a mutex behind a pointer
has both.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import takewhile

from threadwise.ir.expr import Expr, IsAllocated, IsValid, IsWritten, Read, Scope, VariablePlace
from threadwise.ir.fold import conjunction, conjuncts, root, subexpressions
from threadwise.ir.program import Edge, LocId, Program


@dataclass(frozen=True)
class WaysOn:
    """The edges of a program that lead to no failure, with what they ask of the thread itself."""

    program: Program
    _known: dict[LocId, list[tuple[Edge, Expr]]] = field(default_factory=dict)

    def of(self, location: LocId) -> list[tuple[Edge, Expr]]:
        """The edges from a location."""
        if location not in self._known:
            self._known[location] = list(self._found(location))
        return self._known[location]

    def _found(self, location: LocId) -> Iterator[tuple[Edge, Expr]]:
        for edge in self.program.outgoing[location]:
            if self.program.locations[edge.target].failure is None:
                own = takewhile(_is_own, conjuncts(edge.action.guard))
                yield edge, conjunction(list(own))


def _is_own(expr: Expr) -> bool:
    """Whether a condition is about the thread's own variables only."""
    for part in subexpressions(expr):
        match part:
            case Read(place):
                base = root(place)
                if not isinstance(base, VariablePlace) or base.variable.scope is Scope.GLOBAL:
                    return False
            case IsValid() | IsAllocated() | IsWritten():
                return False
            case _:
                pass
    return True
