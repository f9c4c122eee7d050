"""What each thread may still touch.

    F(l) ⊇ touched by e ∪ F(l')          for every edge e from l to l'
    F(l) ⊇ F(entry of f)                 for every call of f at l

are solved backwards.
"""

from __future__ import annotations

from threadwise.analyses.touches import NOTHING, Masks, Touches, union
from threadwise.analyses.worklist import Worklist, reached
from threadwise.ir.commands import Call, Return
from threadwise.ir.program import Edge, LocId, Program


def futures(program: Program, touches: Touches, thread: int) -> list[Masks]:
    """F of a thread, by location."""
    found = [NOTHING] * len(program.locations)
    incoming: list[list[Edge]] = [[] for _ in program.locations]
    for edge in program.edges:
        if not isinstance(edge.action, Return):
            incoming[edge.target].append(edge)
        if isinstance(edge.action, Call):
            incoming[program.procedure[edge.action.procedure].entry].append(edge)
    own = [touches.of(edge, thread) for edge in program.edges]
    waiting = Worklist(location.id for location in reversed(program.locations))
    for here in waiting:
        grown = found[here]
        for edge in program.outgoing[here]:
            grown |= own[edge.id] | found[edge.target]
            if isinstance(edge.action, Call):
                grown |= found[program.procedure[edge.action.procedure].entry]
        if grown != found[here]:
            found[here] = grown
            for edge in incoming[here]:
                waiting.add(edge.source)
    return found


def first_touches(program: Program, touches: Touches, thread: int, here: LocId) -> Masks:
    """What the next step from a location may touch: its edges, on through atomic regions."""

    def inside(place: LocId) -> list[LocId]:
        targets = (edge.target for edge in program.outgoing[place])
        return [target for target in targets if program.locations[target].atomic]

    edges = (edge for place in reached([here], inside) for edge in program.outgoing[place])
    return union(touches.of(edge, thread) for edge in edges)
