"""Live variables: values that may still be read.

A local variable is *live* at a location if some path from there reads it before writing it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from threadwise.analyses.graphs import incoming_edges, last_first, outgoing_edges, visiting_order
from threadwise.analyses.uses import Names, Uses
from threadwise.analyses.worklist import Worklist
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.program import Edge, LocId, Procedure

V = TypeVar("V", bound=Hashable)
"""Variables, or their names."""
S = TypeVar("S")
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


@dataclass(frozen=True)
class LiveMasks:
    """The live locals of a procedure as bit sets: cheap to join, whatever is alive."""

    bits: dict[str, int]
    """The bit of each local that some edge reads or writes, or that was asked for."""
    at: dict[LocId, int]

    def has(self, here: LocId, name: str) -> bool:
        """Whether a local is live at a location."""
        return bool(self.at[here] & self.bits.get(name, 0))

    def among(self, names: Mapping[str, S], here: LocId) -> dict[str, S]:
        """What is said of locals that are live at a location."""
        bits, mask = self.bits, self.at[here]
        return {name: said for name, said in names.items() if bits.get(name, 0) & mask}

    def mask(self, names: Iterable[str]) -> int:
        """The bits of some locals; those that no edge uses have none."""
        found = 0
        for name in names:
            found |= self.bits.get(name, 0)
        return found

    def names(self, mask: int) -> list[str]:
        """The locals of some bits, in the order of their bits."""
        return names_of(mask, list(self.bits))


def names_of(mask: int, names: Sequence[str]) -> list[str]:
    """The names whose bits are set."""
    found: list[str] = []
    while mask:
        lowest = mask & -mask
        found.append(names[lowest.bit_length() - 1])
        mask ^= lowest
    return found


def live_locals(procedure: Procedure, uses: Uses) -> dict[LocId, Names]:
    """The local variables that are live, by location."""
    live = live_masks(procedure, uses)
    names = list(live.bits)
    sets: dict[int, Names] = {}
    found: dict[LocId, Names] = {}
    for here, mask in live.at.items():
        known = sets.get(mask)
        if known is None:
            known = sets[mask] = frozenset(names_of(mask, names))
        found[here] = known
    return found


def live_masks(procedure: Procedure, uses: Uses, always: Iterable[str] = ()) -> LiveMasks:
    """The same as bit sets: the least solution of live = read ∪ (live behind - overwritten).

    Some locals are always given a bit.
    """
    bits = {name: 1 << number for number, name in enumerate(always)}
    masks: dict[Names, int] = {}

    def mask_of(names: Names) -> int:
        mask = masks.get(names)
        if mask is None:
            mask = 0
            for name in names:
                bit = bits.get(name)
                if bit is None:
                    bit = bits[name] = 1 << len(bits)
                mask |= bit
            masks[names] = mask
        return mask

    live = {location.id: 0 for location in procedure.locations}
    before: dict[LocId, list[tuple[LocId, int]]] = {here: [] for here in live}
    following: dict[LocId, list[LocId]] = {here: [] for here in live}
    for edge in procedure.edges:
        used, source, target = uses.of(edge), edge.source, edge.target
        if used.read:
            live[source] |= masks.get(used.read) or mask_of(used.read)
        lost = 0
        if used.written:
            if used.overwritten:
                lost = masks.get(used.overwritten) or mask_of(used.overwritten)
            if used.written is not used.overwritten and used.written not in masks:
                mask_of(used.written)
        before[target].append((source, lost))
        following[source].append(target)
    order = last_first((procedure.entry, *live), following)
    pending = {here for here in order if live[here]}
    while pending:  # only what is read somewhere is passed on
        for here in order:
            if here not in pending:
                continue
            pending.discard(here)
            after = live[here]
            for source, lost in before[here]:
                known = live[source]
                found = known | (after & ~lost if lost else after)
                if found != known:
                    live[source] = found
                    pending.add(source)
    return LiveMasks(bits, live)


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
