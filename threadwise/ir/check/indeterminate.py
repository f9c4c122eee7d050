"""That no path reads a value of C which is indeterminate, where the front end left that out.

A local variable that is declared without initialiser holds an indeterminate value. A program of
record says `havoc` there, but not for cells that every path writes before it reads them: these
are listed by location instead. Here is verified that nothing reads them, with nothing of what the
front end found out:

    START  a cell that is listed at a location is indeterminate there
    STEP   what is indeterminate before an edge still is after it, but for what the edge writes
    READ   no edge reads what is indeterminate before it

An index that is no constant may be any: such a place reads all cells of its array and writes none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from threadwise.ir.commands import Return
from threadwise.ir.expr import (
    AddressOf,
    Const,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, root, subexpressions
from threadwise.ir.layout import NO_THREADS, field_offset, size_of
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.ir.types import ArrayType, MutexType, RecordType

Listed = Mapping[LocId, tuple[Place, ...]]
"""By location, places of local variables whose values are indeterminate there."""

Cells = frozenset[tuple[str, int]]
"""Cells of local variables: the name, and which cell of that variable."""


def reads_of_indeterminate(program: Program, listed: Listed) -> Iterator[tuple[Edge, Cells]]:
    """The edges that read a cell which may be indeterminate, and which cells these are."""
    for procedure in program.procedures:
        starts = {
            location.id: frozenset().union(*(_cells(p)[0] for p in listed[location.id]))
            for location in procedure.locations
            if location.id in listed
        }
        if starts:
            yield from _reads(procedure, starts)


def _reads(procedure: Procedure, starts: dict[LocId, Cells]) -> Iterator[tuple[Edge, Cells]]:
    leaving: dict[LocId, list[Edge]] = {location.id: [] for location in procedure.locations}
    for edge in procedure.edges:
        leaving[edge.source].append(edge)
    held: dict[LocId, Cells] = {}
    pending = list(starts.items())
    while pending:
        here, more = pending.pop()
        known = held.get(here, frozenset())
        if here in held and more <= known:
            continue
        now = held[here] = known | more
        for edge in leaving[here]:
            if not isinstance(edge.action, Return):
                pending.append((edge.target, now - _written(edge)))
    for here, cells in held.items():
        for edge in leaving[here]:
            broken = cells & _read(edge)
            if broken:
                yield edge, broken


def _read(edge: Edge) -> Cells:
    """The cells that an edge may read; what its operation is about is one of them."""
    operation = edge.operation
    subject = () if operation is None or operation.subject is None else (operation.subject,)
    found: set[tuple[str, int]] = set()
    for expr in (*action_expressions(edge.action), *subject):
        for part in subexpressions(expr):
            if isinstance(part, Read | IsWritten | AddressOf):
                found |= _cells(part.place)[0]
    return frozenset(found)


def _written(edge: Edge) -> Cells:
    """The cells that an edge writes for sure; the result of a call before anything reads it."""
    found: set[tuple[str, int]] = set()
    for place in action_places(edge.action):
        cells, exact = _cells(place)
        if exact:
            found |= cells
    return frozenset(found)


def _cells(place: Place) -> tuple[Cells, bool]:
    """The cells of the thread's own that a place may be, and whether it is all of them."""
    base = root(place)
    if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.LOCAL:
        return frozenset(), False
    first, count, exact = _extent(place)
    return frozenset((base.variable.name, first + i) for i in range(count)), exact


def _extent(place: Place) -> tuple[int, int, bool]:
    """The first cell of a part of a variable, how many they are, and whether that is certain."""
    match place:
        case FieldPlace(base, field):
            first, count, exact = _extent(base)
            held = base.type
            if not exact or not isinstance(held, RecordType | MutexType):
                return first, count, False
            return first + field_offset(held, field, NO_THREADS), _size(place), True
        case IndexPlace(base, index):
            first, count, exact = _extent(base)
            array, at = base.type, index.value if isinstance(index, Const) else None
            if not exact or not isinstance(array, ArrayType) or not isinstance(array.extent, int):
                return first, count, False
            if not isinstance(at, int) or not 0 <= at < array.extent:
                return first, count, False
            return first + at * _size(place), _size(place), True
        case _:
            return 0, _size(place), True


def _size(place: Place) -> int:
    return size_of(place.type, NO_THREADS)
