"""What the conditions say that a thread passed just before: on ways without branches that join.

    when p != null;  when p != f;  when p != g

Each of these may hold if p may be null or g, whatever the others say. Calls through pointers are
such chains: their end, where p means none of the program's functions, is reached by no pointer
that does, though p itself is cleared afterwards, and may hold null.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from threadwise.ir.commands import Command
from threadwise.ir.expr import Binary, BinaryOp, Expr, Place, Read, Scope, VariablePlace
from threadwise.ir.fold import conjuncts, read_places, root
from threadwise.ir.program import Edge, EdgeId, LocId, Program
from threadwise.proofs.locksets.knowledge import Knowledge

FARTHEST = 256
"""So many edges are looked at, back from one."""


class Passed:
    """What a thread knows in front of an edge by the conditions of those right before it."""

    def __init__(self, program: Program) -> None:
        self._into: defaultdict[LocId, list[Edge]] = defaultdict(list)
        for edge in program.edges:
            self._into[edge.target].append(edge)
        self._entries = {procedure.entry for procedure in program.procedures}
        self._found: dict[EdgeId, Knowledge] = {}

    def before(self, edge: Edge) -> Knowledge:
        """What is known of a local variable of the thread that differs from something."""
        if edge.id not in self._found:
            self._found[edge.id] = Knowledge(facts=frozenset(self._facts(edge)))
        return self._found[edge.id]

    def _facts(self, edge: Edge) -> Iterator[Expr]:
        overwritten: set[Place] = set()
        for earlier in self._earlier(edge):
            overwritten.update(root(each.target) for each in earlier.assignments)
            overwritten.update(map(root, earlier.havocs))
            for part in conjuncts(earlier.guard):
                if _is_difference(part) and overwritten.isdisjoint(map(root, read_places(part))):
                    yield part

    def _earlier(self, edge: Edge) -> Iterator[Command]:
        """What a thread did last, the latest first, as far as there is only one way."""
        at = edge.source
        for _ in range(FARTHEST):
            into = self._into[at]
            if len(into) != 1 or at in self._entries:
                return
            (earlier,) = into
            if not isinstance(earlier.action, Command):
                return
            yield earlier.action
            at = earlier.source


def _is_difference(condition: Expr) -> bool:
    match condition:
        case Binary(BinaryOp.NE, Read(VariablePlace(variable)), right):
            return variable.scope is Scope.LOCAL and not list(read_places(right))
        case _:
            return False
