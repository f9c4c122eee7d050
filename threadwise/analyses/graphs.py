"""The graphs of procedures, the order in which forward analyses visit them, and numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from threadwise.analyses.components import all_components
from threadwise.analyses.worklist import reached
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Call
from threadwise.ir.program import Edge, EdgeId, LocId, Procedure, Program

N = TypeVar("N", bound=Hashable)


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


def last_first(starts: Iterable[N], after: Mapping[N, Iterable[N]]) -> list[N]:
    """What can be reached, those first that others lead to, but for loops.

    `after` says where each node leads. It is the postorder of a depth-first walk.
    """
    found: list[N] = []
    seen: set[N] = set()
    for start in starts:
        if start in seen:
            continue
        seen.add(start)
        path = [(start, iter(after[start]))]
        while path:
            here, targets = path[-1]
            for there in targets:
                if there not in seen:
                    seen.add(there)
                    path.append((there, iter(after[there])))
                    break
            else:
                found.append(here)
                path.pop()
    return found


def visiting_order(entry: LocId, outgoing: Mapping[LocId, Sequence[Edge]]) -> list[LocId]:
    """The locations that can be reached, those first that lead to others, but for loops.

    It is the reverse postorder of a depth-first walk.
    """
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
    return finished[::-1]


def loops_first(entry: LocId, outgoing: Mapping[LocId, Sequence[Edge]]) -> list[LocId]:
    """The locations that can be reached, every loop as a whole before what comes after it.

    This is a weak topological order: the strongly connected components in topological order, and
    of each first the location where it is entered, then the others in such an order again. An
    iteration that always visits the first location that waits leaves no loop before it is stable.
    """
    order = visiting_order(entry, outgoing)
    rank = {here: position for position, here in enumerate(order)}
    parts = [order]
    found: list[LocId] = []
    while parts:
        part = parts.pop()
        if len(part) == 1:
            found += part
            continue
        inside = set(part)
        after = {
            here: [edge.target for edge in outgoing[here] if edge.target in inside]
            for here in part
        }
        for component in all_components(after):
            first, *others = sorted(component, key=rank.__getitem__)
            if others:
                parts.append(others)
            parts.append([first])
    return found


def visiting_ranks(program: Program) -> dict[LocId, int]:
    """Positions of the locations in `loops_first`; callers come before what they call."""
    calls = {procedure.name: list(_callees(procedure)) for procedure in program.procedures}
    callers_first = [name for part in reversed(all_components(calls)) for name in part]
    found: dict[LocId, int] = {}
    for procedure in map(program.procedure.__getitem__, callers_first):
        for here in loops_first(procedure.entry, outgoing_edges(procedure)):
            found[here] = len(found)
    return found


def reachable_procedures(program: Program, *bodies: str) -> list[str]:
    """The procedures that threads with these bodies can be in."""
    return list(reached(bodies, lambda name: _callees(program.procedure[name])))


def _callees(procedure: Procedure) -> Iterator[str]:
    actions = (edge.action for edge in procedure.edges)
    return (action.procedure for action in actions if isinstance(action, Call))


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
