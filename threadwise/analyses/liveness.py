"""Live variables: values that may still be read.

A local variable is *live* at a location if some path from there reads it before writing it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from threadwise.analyses.graphs import incoming_edges, outgoing_edges, visiting_order
from threadwise.analyses.uses import Names, Uses
from threadwise.analyses.worklist import Worklist
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.program import Edge, LocId, Procedure

V = TypeVar("V", bound=Hashable)
"""Variables, or their names."""
V_co = TypeVar("V_co", bound=Hashable, covariant=True)


class Used(Protocol[V_co]):
    """What an edge does with variables."""

    @property
    def read(self) -> frozenset[V_co]:
        """Those whose values matter to it."""

    @property
    def overwritten(self) -> frozenset[V_co]:
        """Those whose old values are lost."""


@dataclass(frozen=True)
class ReadAndOverwritten(Generic[V]):
    """Nothing but what liveness depends on."""

    read: frozenset[V]
    overwritten: frozenset[V]


def live_locals(procedure: Procedure, uses: Uses) -> dict[LocId, Names]:
    """The local variables that are live, by location."""
    return live_by(procedure, lambda edge, _: uses.of(edge))


def live_by(
    procedure: Procedure,
    uses: Callable[[Edge, frozenset[V]], Used[V]],
    always: frozenset[V] = frozenset(),
) -> dict[LocId, frozenset[V]]:
    """The least solution of live = always ∪ read ∪ (live behind the edge - overwritten).

    What an edge does with variables may depend on those that are live behind it.
    """
    outgoing, incoming = outgoing_edges(procedure), incoming_edges(procedure)
    live = {location.id: always for location in procedure.locations}
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
