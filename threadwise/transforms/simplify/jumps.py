"""Jump threading: a branch on a constant is taken where the constant is assigned.

A function that is called in a condition returns constants in most places. Inlined, it is

    s --x := 0--> m       m --[x == 0]--> f             s --x := 0--> f
    r --x := 1--> m       m --[x != 0]--> t   becomes   r --x := 1--> t

for a hidden location m, which no other thread can observe. So what was known in front of the
branch is not mixed: a local that is written only where 1 is returned is dead where 0 is, and locks
that are held only then are known. Where an edge to m assigns something else, it is joined
with both branches, if that makes no more edges than before in all.

Only locations in front of which some constant is assigned, and to which no loop leads back, are
done without; what leaves them must be local commands.
"""

from __future__ import annotations

from threadwise.analyses.escape import harmless_variables
from threadwise.analyses.graphs import numbered_again, visiting_order
from threadwise.analyses.uses import Names, Uses
from threadwise.core.doubts import is_doubtful
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import FALSE, Const, Place
from threadwise.ir.fold import action_expressions, read_places
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.transforms.simplify.statements import Joining


def thread_jumps(program: Program, uses: Uses | None = None) -> Program:
    """The program without branches on constants; invariants see all locations."""
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program
    uses = uses or Uses()
    harmless = harmless_variables(program, uses)
    threaded = [_Threading(each, harmless, uses).run() for each in program.procedures]
    return replace(program, procedures=numbered_again(threaded))


class _Threading(Joining):
    """Joins edges that assign constants with the branches behind them."""

    def __init__(self, procedure: Procedure, harmless: Names, uses: Uses) -> None:
        super().__init__(procedure, harmless, uses)
        order = visiting_order(procedure.entry, self.outgoing)
        self.rank = {here: position for position, here in enumerate(order)}

    def removed(self, middle: LocId) -> bool:
        """Whether a location could be done without."""
        firsts, seconds = self.incoming[middle], self.outgoing[middle]
        read = {place for second in seconds for place in _reads(second)}
        if not read or not any(read <= _constants(first).keys() for first in firsts):
            return False
        if any(self.rank[first.source] >= self.rank[middle] for first in firsts):
            return False
        joined: list[tuple[Edge, list[Edge]]] = []
        for first in firsts:
            made = [self.joined(first, second) for second in seconds]
            if any(edge is None for edge in made):
                return False
            taken = [edge for edge in made if edge is not None and edge.action.guard != FALSE]
            if not taken:
                return False
            joined.append((first, taken))
        if sum(len(edges) for _, edges in joined) > len(firsts) + len(seconds):
            return False
        self.bypass(middle, joined)
        return True

    def fit(self, first: Edge, second: Edge) -> bool:
        """Whether a command is followed by one that no other thread can observe."""
        if first.operation is not None or second.operation is not None:
            return False
        if first.mover or second.mover:
            return False
        if is_doubtful(second.text):  # what happens there must show
            return False
        used, later = self.uses.of(first), self.uses.of(second)
        if used.follows or used.computes or later.follows or later.computes:
            return False
        return not later.read_globals and not later.written_globals


def _reads(edge: Edge) -> list[Place]:
    return [place for expr in action_expressions(edge.action) for place in read_places(expr)]


def _constants(edge: Edge) -> dict[Place, Const]:
    """The constants that an edge assigns."""
    command = edge.action
    if not isinstance(command, Command):
        return {}
    return {a.target: a.value for a in command.assignments if isinstance(a.value, Const)}
