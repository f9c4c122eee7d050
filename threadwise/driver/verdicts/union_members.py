"""Races that are about the use of a union only.

Every access to a member of a union, or to a part of one, touches the cell that names its active
member: so accesses to different members conflict, whose cells are different ones to us and the
same memory to C. Parts of members, of one or of two, may be different bytes. If accesses race in
nothing but that cell, the run is a race of the source only where their bytes surely overlap.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from threadwise.core.source import Span
from threadwise.frontends.c.lower.values.types import (
    ACTIVE,
    ODD,
    is_union,
    usual_extent,
    usual_offsets,
)
from threadwise.ir.commands import Command
from threadwise.ir.expr import Const, FieldPlace, IndexPlace, Place, Read
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import ArrayType, RecordType
from threadwise.semantics.evaluate import CellRef, Region
from threadwise.semantics.state import GlobalStore
from threadwise.traces.replay import Replay
from threadwise.traces.trace import Trace


@dataclass(frozen=True)
class Bytes:
    """Which bytes of a union an access is about: where it may begin, and how many there are."""

    union: RecordType
    first: int
    last: int
    size: int
    write: bool

    def surely_meets(self, other: Bytes) -> bool:
        """Whether two accesses to one union have a byte in common, one of them writing."""
        return (
            self.union == other.union
            and (self.write or other.write)
            and self.last < other.first + other.size
            and other.last < self.first + self.size
        )


def other_bytes(program: Program, trace: Trace) -> Span | None:
    """Where a trace ends, if all races there may be between different bytes of a union."""
    checked = next((p for p in program.properties if p.name == trace.property), None)
    if not isinstance(checked, RaceProperty) or not any(map(_has_union, program.edges)):
        return None
    run = Replay(program, trace, checked)
    state = run.last()
    place: Span | None = None
    for t, first, u, _ in run.describer.checker.races(checked, state):
        if not _name(run, first.cell, state.g).endswith(ACTIVE):
            return None
        mine, other = (list(_next(run.program, state.locals[who].pc)) for who in (t, u))
        if any(one.surely_meets(two) for one in mine for two in other):
            return None
        place = run.program.outgoing[state.locals[t].pc][0].span
    return place


def _has_union(edge: Edge) -> bool:
    """Whether an edge accesses the cell that names the active member of a union."""
    return any(
        isinstance(place, FieldPlace) and place.field == ACTIVE for place, _ in _accessed(edge)
    )


def _name(run: Replay, ref: CellRef, g: GlobalStore) -> str:
    layout = run.interpreter.layout
    if ref.region is Region.GLOBAL:
        return layout.globals.cells[ref.slot].name
    return layout.cell(g.heap[ref.number].site, ref.slot).name


def _next(program: Program, location: LocId) -> Iterator[Bytes]:
    """What the next step of a thread may access in unions."""
    for edge in program.outgoing[location]:
        for place, write in _accessed(edge):
            found = _bytes(place, write=write)
            if found is not None:
                yield found


def _accessed(edge: Edge) -> Iterator[tuple[Place, bool]]:
    if isinstance(edge.action, Command):
        for assignment in edge.action.assignments:
            yield assignment.target, True
        for havocked in edge.action.havocs:
            yield havocked, True
    for expr in action_expressions(edge.action):
        for part in subexpressions(expr):
            if isinstance(part, Read):
                yield part.place, False


def _bytes(place: Place, *, write: bool) -> Bytes | None:
    """The bytes of a place in the outermost union around it, if there is one and they are known.

    Of a scalar whose size is not known one byte counts.
    """
    extent = usual_extent(place.type)
    first = last = 0
    known = True
    found: Bytes | None = None
    while isinstance(place, IndexPlace | FieldPlace):
        base = place.base
        if isinstance(place, IndexPlace):
            span = _elements(place)
            if span is None:
                known = False
            else:
                first, last = first + span[0], last + span[1]
        elif not isinstance(base.type, RecordType) or place.field == ACTIVE:
            return None
        elif is_union(base.type):
            size = 1 if extent is None else extent[0]
            found = Bytes(base.type, first, last, size, write) if known else None
        else:
            names = [name for name, _ in base.type.fields]
            begin = usual_offsets(base.type)[names.index(place.field)]
            if begin is None or base.type.name.endswith(ODD):
                known = False
            else:
                first, last = first + begin, last + begin
        place = base
    return found


def _elements(place: IndexPlace) -> tuple[int, int] | None:
    """Where the element of an array may begin: the first and the last byte, if that is known."""
    array = place.base.type
    if not isinstance(array, ArrayType) or not isinstance(array.extent, int):
        return None
    extent = usual_extent(array.element)
    if isinstance(place.index, Const) and place.index.value == 0:
        return 0, 0
    if extent is None:
        return None
    if isinstance(place.index, Const) and isinstance(place.index.value, int):
        return place.index.value * extent[0], place.index.value * extent[0]
    return 0, (array.extent - 1) * extent[0]
