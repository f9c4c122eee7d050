"""Which values somebody will read.

A local variable is *live* at a location if some path from there reads it before writing it.
"""

from __future__ import annotations

from collections import deque

from threadwise.analyses.graphs import incoming_edges, outgoing_edges, visiting_order
from threadwise.analyses.uses import Names, Uses
from threadwise.ir.program import LocId, Procedure


def live_locals(procedure: Procedure, uses: Uses) -> dict[LocId, Names]:
    """The local variables that are live, by location: the least solution, from the end."""
    outgoing, incoming = outgoing_edges(procedure), incoming_edges(procedure)
    live = {location.id: Names() for location in procedure.locations}
    reachable = visiting_order(procedure.entry, outgoing)
    pending = deque(dict.fromkeys((*reversed(reachable), *live)))
    waiting = set(pending)
    while pending:
        here = pending.popleft()
        waiting.discard(here)
        found = live[here]
        for edge in outgoing[here]:
            used, after = uses.of(edge), live[edge.target]
            if not used.overwritten.isdisjoint(after):
                after -= used.overwritten
            if not used.read <= after:
                after |= used.read
            if not after <= found:  # most sets are passed on as they are
                found = after if found <= after else found | after
        if found is not live[here]:
            live[here] = found
            for edge in incoming[here]:
                if edge.source not in waiting:
                    waiting.add(edge.source)
                    pending.append(edge.source)
    return live
