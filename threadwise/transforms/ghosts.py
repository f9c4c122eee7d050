"""Ghosts that hold thread ids: who wrote a variable last, who is at a location.

A ghost is a new global variable that starts as `none`; some edges write to it, either the id of
the thread that takes them or `none`. Nothing reads it. So the program with ghosts has the
behaviours of the program without, step by step and edge by edge, whatever edges were chosen: a
proof about the one is a proof about the other, and so is a trace, without the cells of the ghosts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Scope, SelfId, Variable, VariablePlace
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import Declaration, Edge, EdgeId, Procedure, Program
from threadwise.ir.types import TID


class IdGhost(NamedTuple):
    """A ghost: its name, the edges that write the id of their thread, those that write `none`."""

    name: str
    mine: tuple[EdgeId, ...]
    nobody: tuple[EdgeId, ...] = ()


def with_ghosts(program: Program, ghosts: Sequence[IdGhost]) -> Program:
    """The program with ghosts; Unsupported if a name is taken or an edge cannot write."""
    taken = {d.variable.name for d in program.globals}
    for template in program.templates:
        taken |= {d.variable.name for d in template.variables}
    for proc in program.procedures:
        taken |= {v.name for v in proc.parameters} | {d.variable.name for d in proc.locals}
    for ghost in ghosts:
        if ghost.name in taken:
            raise Unsupported(f"a ghost called `{ghost.name}`, as something else is")
        taken.add(ghost.name)
    writes: dict[EdgeId, list[Assignment]] = {}
    for ghost in ghosts:
        place = VariablePlace(_variable(ghost))
        for edges, value in ((ghost.mine, SelfId()), (ghost.nobody, NOBODY)):
            for edge in dict.fromkeys(edges):
                if edge >= len(program.edges) or (value is NOBODY and edge in ghost.mine):
                    raise Unsupported("a ghost that is written where it cannot be")
                writes.setdefault(edge, []).append(Assignment(place, value))
    declared = tuple(Declaration(_variable(ghost)) for ghost in ghosts)
    procedures = tuple(_writing(proc, writes) for proc in program.procedures)
    return replace(program, globals=(*program.globals, *declared), procedures=procedures)


def _variable(ghost: IdGhost) -> Variable:
    return Variable(ghost.name, TID, Scope.GLOBAL, sync=True)


def _writing(proc: Procedure, writes: dict[EdgeId, list[Assignment]]) -> Procedure:
    return replace(
        proc,
        edges=tuple(_written(e, writes[e.id]) if e.id in writes else e for e in proc.edges),
    )


def _written(edge: Edge, writes: list[Assignment]) -> Edge:
    action = edge.action
    if not isinstance(action, Command):
        raise Unsupported("a ghost that is written by a call or a return", edge.span)
    return replace(edge, action=replace(action, assignments=(*action.assignments, *writes)))
