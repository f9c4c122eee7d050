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

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from heapq import heappop, heappush
from operator import or_

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
        starts = {each.id: listed[each.id] for each in procedure.locations if each.id in listed}
        if starts:
            yield from _reads(procedure, starts)


class _Bits:
    """Sets of cells of some local variables as numbers: cell i of a variable is one bit."""

    def __init__(self, places: Iterable[Place]) -> None:
        self.first: dict[str, int] = {}
        """By variable, which bit is its first cell."""
        self.names: list[str] = []
        """By bit, whose cell it is."""
        for base in map(root, places):
            if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.LOCAL:
                continue
            name = base.variable.name
            if name not in self.first:
                self.first[name] = len(self.names)
                self.names += [name] * _size(base)

    def of(self, place: Place) -> tuple[int, bool]:
        """The cells of these variables that a place may be, and whether it is all of them."""
        base = root(place)
        if not isinstance(base, VariablePlace) or base.variable.scope is not Scope.LOCAL:
            return 0, False
        start = self.first.get(base.variable.name)
        if start is None:
            return 0, False
        first, count, exact = _extent(place)
        return ((1 << count) - 1) << (start + first), exact

    def cells(self, found: int) -> Cells:
        """The cells of a set, by name."""
        bits = (bit for bit in range(found.bit_length()) if found >> bit & 1)
        return frozenset((self.names[bit], bit - self.first[self.names[bit]]) for bit in bits)

    def read(self, edge: Edge) -> int:
        """The cells that an edge may read; what its operation is about is one of them."""
        operation = edge.operation
        subject = () if operation is None or operation.subject is None else (operation.subject,)
        found = 0
        for expr in (*action_expressions(edge.action), *subject):
            for part in subexpressions(expr):
                if isinstance(part, Read | IsWritten | AddressOf):
                    found |= self.of(part.place)[0]
        return found

    def written(self, edge: Edge) -> int:
        """The cells that an edge surely writes; the result of a call before anything reads it."""
        found = 0
        for place in action_places(edge.action):
            cells, exact = self.of(place)
            if exact:
                found |= cells
        return found


def _reads(
    procedure: Procedure, starts: Mapping[LocId, tuple[Place, ...]]
) -> Iterator[tuple[Edge, Cells]]:
    bits = _Bits(place for places in starts.values() for place in places)
    leaving: dict[LocId, list[tuple[Edge, int]]] = {each.id: [] for each in procedure.locations}
    for edge in procedure.edges:
        leaving[edge.source].append((edge, bits.written(edge)))
    held: dict[LocId, int] = {}
    for here, places in starts.items():
        held[here] = reduce(or_, (bits.of(place)[0] for place in places), 0)
    pending, waiting = sorted(held), set(held)
    while pending:
        here = heappop(pending)
        waiting.discard(here)
        now = held[here]
        for edge, written in leaving[here]:
            if isinstance(edge.action, Return):
                continue
            known, after = held.get(edge.target, 0), now & ~written
            if after & ~known:
                held[edge.target] = known | after
                if edge.target not in waiting:
                    waiting.add(edge.target)
                    heappush(pending, edge.target)
    for here, found in held.items():
        for edge, _ in leaving[here]:
            broken = found & bits.read(edge)
            if broken:
                yield edge, bits.cells(broken)


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
