"""What each thread may still touch.

    F(l) ⊇ touched by e ∪ F(l')          for every edge e from l to l'
    F(l) ⊇ F(entry of f)                 for every call of f at l

are solved backwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.analyses.touches import NOTHING, Masks, Touches, union
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
    pending = [LocId(number) for number in range(len(program.locations))]
    while pending:
        here = pending.pop()
        grown = found[here]
        for edge in program.outgoing[here]:
            grown |= own[edge.id] | found[edge.target]
            if isinstance(edge.action, Call):
                grown |= found[program.procedure[edge.action.procedure].entry]
        if grown != found[here]:
            found[here] = grown
            pending.extend(edge.source for edge in incoming[here])
    return found


def first_touches(program: Program, touches: Touches, thread: int, here: LocId) -> Masks:
    """What the next step from a location may touch: its edges, on through atomic regions."""
    edges: dict[int, Edge] = {}
    pending: list[Sequence[Edge]] = [program.outgoing[here]]
    while pending:
        for edge in pending.pop():
            if edge.id not in edges:
                edges[edge.id] = edge
                if program.locations[edge.target].atomic:
                    pending.append(program.outgoing[edge.target])
    return union(touches.of(edge, thread) for edge in edges.values())
