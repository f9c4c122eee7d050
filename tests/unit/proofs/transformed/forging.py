"""Programs with one thing changed by hand, as a fault in a transformation would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from threadwise.ir.commands import Command
from threadwise.ir.program import Edge, EdgeId, Location, LocId, Procedure, Program


def edge_of(program: Program, text: str) -> Edge:
    """The one edge of a statement (the first, if there are several)."""
    return next(edge for edge in program.edges if edge.text == text)


def with_edge(program: Program, edge: EdgeId, **changes: Any) -> Program:
    """The program with another edge in the place of one."""

    def change(procedure: Procedure) -> Procedure:
        edges = tuple(replace(e, **changes) if e.id == edge else e for e in procedure.edges)
        return replace(procedure, edges=edges)

    return replace(program, procedures=tuple(map(change, program.procedures)))


def with_command(program: Program, edge: EdgeId, change: Callable[[Command], Command]) -> Program:
    """The program in which an edge does something else."""
    action = program.edges[edge].action
    assert isinstance(action, Command)
    return with_edge(program, edge, action=change(action))


def with_location(program: Program, location: LocId, **changes: Any) -> Program:
    """The program with another location in the place of one."""

    def change(here: Location) -> Location:
        return replace(here, **changes) if here.id == location else here

    procedures = tuple(
        replace(p, locations=tuple(map(change, p.locations))) for p in program.procedures
    )
    return replace(program, procedures=procedures)


def without_edge(program: Program, edge: EdgeId) -> Program:
    """The program without an edge; the others keep their numbers."""
    procedures = tuple(
        replace(p, edges=tuple(e for e in p.edges if e.id != edge)) for p in program.procedures
    )
    return replace(program, procedures=procedures)
