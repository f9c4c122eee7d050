"""The graphs of procedures, the order in which forward analyses visit them, and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import heappop, heappush

from threadwise.ir.program import Edge, EdgeId, LocId, Procedure


def outgoing_edges(procedure: Procedure) -> dict[LocId, list[Edge]]:
    """The edges that leave each location."""
    found: dict[LocId, list[Edge]] = {location.id: [] for location in procedure.locations}
    for edge in procedure.edges:
        found[edge.source].append(edge)
    return found


def incoming_edges(procedure: Procedure) -> dict[LocId, list[Edge]]:
    """The edges that lead to each location."""
    found: dict[LocId, list[Edge]] = {location.id: [] for location in procedure.locations}
    for edge in procedure.edges:
        found[edge.target].append(edge)
    return found


class Worklist:
    """Locations to visit: those first that lead to others, but for loops; each waits once."""

    def __init__(self, entry: LocId, outgoing: Mapping[LocId, Sequence[Edge]]) -> None:
        self._rank = _ranks(entry, outgoing)
        self._heap: list[tuple[int, LocId]] = []
        self._waiting: set[LocId] = set()
        self.add(entry)

    def add(self, location: LocId) -> None:
        """Visit a location, again if need be."""
        if location not in self._waiting:
            self._waiting.add(location)
            heappush(self._heap, (self._rank[location], location))

    def __iter__(self) -> Iterator[LocId]:
        while self._heap:
            _, location = heappop(self._heap)
            self._waiting.discard(location)
            yield location


def visiting_order(entry: LocId, outgoing: Mapping[LocId, Sequence[Edge]]) -> list[LocId]:
    """The locations that can be reached, those first that lead to others, but for loops."""
    ranks = _ranks(entry, outgoing)
    return sorted(ranks, key=ranks.__getitem__)


def _ranks(entry: LocId, outgoing: Mapping[LocId, Sequence[Edge]]) -> dict[LocId, int]:
    """Positions in reverse postorder of a depth-first walk."""
    finished: list[LocId] = []
    seen = {entry}
    path = [(entry, iter(outgoing[entry]))]
    while path:
        here, edges = path[-1]
        edge = next(edges, None)
        if edge is None:
            finished.append(here)
            path.pop()
        elif edge.target not in seen:
            seen.add(edge.target)
            path.append((edge.target, iter(outgoing[edge.target])))
    return {location: -position for position, location in enumerate(finished)}


def numbered_again(procedures: Sequence[Procedure]) -> tuple[Procedure, ...]:
    """The procedures with their locations and edges numbered densely again."""
    found: list[Procedure] = []
    locations = edges = 0
    for procedure in procedures:
        found.append(_numbered(procedure, locations, edges))
        locations += len(procedure.locations)
        edges += len(procedure.edges)
    return tuple(found)


def _numbered(procedure: Procedure, first_location: int, first_edge: int) -> Procedure:
    ids = {loc.id: LocId(first_location + i) for i, loc in enumerate(procedure.locations)}
    edges = tuple(
        edge.renumbered(EdgeId(first_edge + i), ids[edge.source], ids[edge.target])
        for i, edge in enumerate(procedure.edges)
    )
    locations = tuple(
        loc if ids[loc.id] == loc.id else replace(loc, id=ids[loc.id])
        for loc in procedure.locations
    )
    return replace(procedure, entry=ids[procedure.entry], locations=locations, edges=edges)
