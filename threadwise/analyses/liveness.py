"""Live variables: values that may still be read.

A local variable is *live* at a location if some path from there reads it before writing it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from threadwise.analyses.graphs import incoming_edges, outgoing_edges, visiting_order
from threadwise.analyses.uses import EdgeUses, Names, Uses
from threadwise.analyses.worklist import Worklist
from threadwise.ir.program import Edge, LocId, Procedure

UsesBefore: TypeAlias = Callable[[Edge, Names], EdgeUses]
"""What an edge does with variables, given those that are live behind it."""


def live_locals(procedure: Procedure, uses: Uses) -> dict[LocId, Names]:
    """The local variables that are live, by location."""
    return live_by(procedure, lambda edge, _: uses.of(edge))


def live_by(procedure: Procedure, uses: UsesBefore) -> dict[LocId, Names]:
    """The least solution of live = read ∪ (live behind the edge - overwritten), from the end."""
    outgoing, incoming = outgoing_edges(procedure), incoming_edges(procedure)
    live = {location.id: Names() for location in procedure.locations}
    reachable = visiting_order(procedure.entry, outgoing)
    waiting = Worklist((*reversed(reachable), *live))
    for here in waiting:
        found = live[here]
        for edge in outgoing[here]:
            after = live[edge.target]
            used = uses(edge, after)
            if not used.overwritten.isdisjoint(after):
                after -= used.overwritten
            if not used.read <= after:
                after |= used.read
            if not after <= found:  # most sets are passed on as they are
                found = after if found <= after else found | after
        if found is not live[here]:
            live[here] = found
            for edge in incoming[here]:
                waiting.add(edge.source)
    return live
