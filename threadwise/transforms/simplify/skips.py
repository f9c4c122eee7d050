"""Hidden locations from where a thread goes on without doing anything are left out.

    s --a--> m --skip--> t                   s --a--> t
             m --skip--> u      becomes      s --a--> u

for a hidden location m, which no other thread can observe. Edges between the same locations that
do the same become one. What is left of a program without most of its data is mostly such steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from threadwise.analyses.graphs import numbered_again
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import VariablePlace
from threadwise.ir.program import Edge, Location, LocId, Procedure, Program
from threadwise.ir.properties import InvariantProperty

SKIP = Command()
MOST_TARGETS = 8
"""Edges are not made more than so many by one location that is left out."""


def leave_out_skips(program: Program, uses: Uses | None = None) -> Program:
    """The program without hidden locations from where nothing is done; invariants see all."""
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return program
    changed = [_without_skips(procedure) for procedure in program.procedures]
    if all(old is new for old, new in zip(program.procedures, changed, strict=True)):
        return program
    return replace(program, procedures=numbered_again(changed))


def _without_skips(procedure: Procedure) -> Procedure:
    outgoing: dict[LocId, list[Edge]] = {here.id: [] for here in procedure.locations}
    sources: dict[LocId, set[LocId]] = {here.id: set() for here in procedure.locations}
    for edge in procedure.edges:
        outgoing[edge.source].append(edge)
        sources[edge.target].add(edge.source)
    for here in procedure.locations:
        ways = outgoing[here.id]
        if not _is_left_out(here, ways) or here.id == procedure.entry:
            continue
        needed = False
        for source in sorted(sources[here.id] & outgoing.keys()):
            longer: list[Edge] = []
            for edge in outgoing[source]:
                if edge.target == here.id and _can_be_longer(edge):
                    longer += (_joined(edge, way) for way in ways)
                else:
                    longer.append(edge)
                    needed |= edge.target == here.id
            outgoing[source] = _merged(longer)
            for edge in longer:
                sources[edge.target].add(source)
        if not needed:
            del outgoing[here.id]
    edges = tuple(edge for each in outgoing.values() for edge in _merged(each))
    if len(outgoing) == len(procedure.locations) and len(edges) == len(procedure.edges):
        return procedure
    locations = tuple(here for here in procedure.locations if here.id in outgoing)
    return replace(procedure, locations=locations, edges=edges)


def _is_left_out(here: Location, ways: Sequence[Edge]) -> bool:
    """Whether a thread at a location goes on at once without doing anything."""
    return (
        here.atomic
        and here.failure is None
        and not here.final
        and bool(ways)
        and all(map(_is_skip, ways))
        and len({way.target for way in ways}) <= MOST_TARGETS
        and all(way.target != here.id for way in ways)
    )


def _can_be_longer(edge: Edge) -> bool:
    """Whether an edge stays the same if it leads on: one that synchronises is not changed."""
    return (
        edge.operation is None
        and isinstance(edge.action, Command)
        and all(isinstance(a.target, VariablePlace) for a in edge.action.assignments)
        and not edge.action.havocs
    )


def _is_skip(edge: Edge) -> bool:
    return edge.action == SKIP and edge.operation is None


def _joined(first: Edge, second: Edge) -> Edge:
    paths = tuple((*one, *other) for one in first.origin for other in second.origin)
    return replace(first, target=second.target, origin=paths)


def _merged(edges: Iterable[Edge]) -> list[Edge]:
    """Edges that do the same become one, which stands for the paths of all."""
    found: dict[tuple[object, ...], Edge] = {}
    for edge in edges:
        key = edge.source, edge.target, edge.action, edge.operation, edge.sync
        known = found.get(key)
        if known is None:
            found[key] = edge
        else:
            origin = tuple(dict.fromkeys((*known.origin, *edge.origin)))
            found[key] = replace(known, origin=origin)
    return list(found.values())
