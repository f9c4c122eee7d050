"""Locations between which threads come and go without doing anything become one.

What is left of a program without most of its data (`threadwise.transforms.forget`) is mostly steps
that do nothing: whole functions of a driver whose branches and loops are about other data. Two
kinds of locations are merged:

    those that idle steps lead to from each other and back
    one that a single idle step leads away from, with the location that it leads to

An edge is idle if it is always enabled, writes nothing and is annotated with no operation. The
merged program has the same runs but for idle steps. Locations inside of atomic regions are merged
with others only if threads have done nothing yet in the step that leads through them, so steps
are not cut. `threadwise.proofs.transformed.merged` verifies the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from threadwise.analyses.components import all_components
from threadwise.analyses.graphs import numbered_again
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Command
from threadwise.ir.program import Edge, EdgeId, LocId, Procedure, Program

IDLE = Command()
MERGED = "merged"
"""Among what was found of a program."""


@dataclass(frozen=True)
class Merged:
    """A program, and what it was made from."""

    program: Program
    places: Sequence[LocId]
    """For each location of the program before, the one that it is now."""
    edges: Sequence[EdgeId]
    """For each edge, the one of the program before."""


def merge(program: Program) -> Merged:
    """The program with locations merged, where there are some to merge. It is remembered there."""
    known = program.found.get(MERGED)
    if known is None:
        known = program.found[MERGED] = _merge(program)
    assert isinstance(known, Merged)
    return known


def _merge(program: Program) -> Merged:
    firsts: dict[LocId, LocId] = {}
    procedures: list[Procedure] = []
    for procedure in program.procedures:
        idle = frozenset(edge.id for edge in procedure.edges if is_idle(edge))
        own = _firsts(procedure, idle)
        firsts.update(own)
        procedures.append(_merged(procedure, own, idle))
    numbers = {
        here.id: LocId(number)
        for number, here in enumerate(here for each in procedures for here in each.locations)
    }
    edges = [edge.id for each in procedures for edge in each.edges]
    after = replace(program, procedures=numbered_again(procedures))
    return Merged(after, [numbers[firsts[here.id]] for here in program.locations], edges)


def is_idle(edge: Edge) -> bool:
    """Whether a thread that takes an edge does nothing."""
    return edge.operation is None and edge.action == IDLE


def _merged(
    procedure: Procedure, firsts: Mapping[LocId, LocId], idle: frozenset[EdgeId]
) -> Procedure:
    locations = tuple(here for here in procedure.locations if firsts[here.id] == here.id)
    edges = tuple(
        replace(edge, source=firsts[edge.source], target=firsts[edge.target])
        for edge in procedure.edges
        if not (edge.id in idle and firsts[edge.source] == firsts[edge.target])
    )
    return replace(procedure, locations=locations, edges=edges, entry=firsts[procedure.entry])


def _firsts(procedure: Procedure, idle: frozenset[EdgeId]) -> dict[LocId, LocId]:
    """For each location the one that it is merged with."""
    apart = {here.id for here in procedure.locations if here.final or here.failure is not None}
    while True:
        firsts = _grouped(procedure, idle, apart)
        more = set(_entered_amidst(procedure, idle, firsts)) - apart
        if not more:
            return firsts
        apart |= more


def _grouped(
    procedure: Procedure, idle: frozenset[EdgeId], apart: set[LocId]
) -> dict[LocId, LocId]:
    """Locations by the first of those they are merged with, but those that stay apart."""
    outgoing: dict[LocId, list[Edge]] = {here.id: [] for here in procedure.locations}
    for edge in procedure.edges:
        outgoing[edge.source].append(edge)
    leads = {
        here: [edge.target for edge in ways if edge.id in idle and edge.target not in apart]
        if here not in apart
        else []
        for here, ways in outgoing.items()
    }
    atomic = {here.id for here in procedure.locations if here.atomic}
    group: dict[LocId, LocId] = {}
    for part in all_components(leads):
        first = min(part, key=lambda here: (here in atomic, here))  # behind all that it leads to
        if len(part) == 1 and len(outgoing[first]) == 1 and leads[first]:
            first = group[leads[first][0]]
        group.update(dict.fromkeys(part, first))
    return {
        here: first if first not in atomic or here == first else here
        for here, first in group.items()
    }


def _entered_amidst(
    procedure: Procedure, idle: frozenset[EdgeId], firsts: Mapping[LocId, LocId]
) -> Iterator[LocId]:
    """Atomic locations that are merged with others, but lie within a step that does something."""
    atomic = {here.id for here in procedure.locations if here.atomic}
    for edge in procedure.edges:
        there = edge.target
        if (
            there in atomic
            and firsts[there] != there
            and not (edge.id in idle and firsts[edge.source] == firsts[there])
        ):
            yield there
