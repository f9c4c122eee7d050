"""Races that are about the use of a union only.

Every access to a member of a union, or to a part of one, touches the cell that names its active
member: so accesses to different members conflict, whose cells are different ones to us and the
same memory to C. Two parts of one member are different memory. If such accesses race in nothing
but that cell, the run is no race of the source.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.source import Span
from threadwise.frontends.c.lower.values.types import ACTIVE
from threadwise.ir.commands import Command
from threadwise.ir.expr import Binary, BinaryOp, Const, FieldPlace, Place, Read
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.properties import RaceProperty
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.state import GlobalStore
from threadwise.traces.replay import Replay
from threadwise.traces.trace import Trace


def same_member(program: Program, trace: Trace) -> Span | None:
    """Where a trace ends, if all races there are between parts of one member of a union."""
    checked = next((p for p in program.properties if p.name == trace.property), None)
    if not isinstance(checked, RaceProperty):
        return None
    run = Replay(program, trace, checked)
    state = run.last()
    place: Span | None = None
    for t, first, u, _ in run.describer.checker.races(checked, state):
        name = _name(run, first.cell, state.g)
        mine, other = (_members(run.program, state.locals[who].pc) for who in (t, u))
        if not name.endswith(ACTIVE) or mine != other or len(mine) != 1:
            return None
        place = run.program.outgoing[state.locals[t].pc][0].span
    return place


def _name(run: Replay, ref: CellRef, g: GlobalStore) -> str:
    layout = run.interpreter.layout
    if ref.region is Region.GLOBAL:
        return layout.globals.cells[ref.slot].name
    cells = layout.sites[g.heap[ref.number].site]
    return cells[ref.slot % len(cells)].name


def _members(program: Program, location: LocId) -> frozenset[object]:
    """Which members of unions the next step of a thread may use, by number."""
    return frozenset(
        member for edge in program.outgoing[location] for member in _used(edge) if member
    )


def _used(edge: Edge) -> Iterator[object]:
    if isinstance(edge.action, Command):
        for assignment in edge.action.assignments:
            if _is_tag(assignment.target) and isinstance(assignment.value, Const):
                yield assignment.value.value
    for expr in action_expressions(edge.action):
        for part in subexpressions(expr):
            match part:
                case Binary(BinaryOp.EQ, Read(place), Const(value, _)) if _is_tag(place):
                    yield value


def _is_tag(place: Place) -> bool:
    return isinstance(place, FieldPlace) and place.field == ACTIVE
