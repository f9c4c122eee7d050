"""The accesses of threads, and the rules by which two of them do not race.

If an accessed place and a mutex are parts of one place B (`*p` in `p->x` and `p->m`) at fixed
offsets, their distance is fixed; and if B is at one offset, and inside of one element, then the
mutex is at one offset in the element that the accessed cell is in.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import threadwise.ir.expr as ir
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.quick_dataclass import dataclass as quick
from threadwise.ir.commands import Free
from threadwise.ir.fold import action_expressions, action_places, subexpressions
from threadwise.ir.layout import NO_THREADS, field_offset, has_static_size
from threadwise.ir.program import Edge, EdgeId
from threadwise.ir.types import ArrayType, MutexType, RecordType
from threadwise.proofs.locksets.kernel.claims import Cell
from threadwise.proofs.locksets.kernel.ground import Ground
from threadwise.proofs.locksets.kernel.guards import is_possible
from threadwise.proofs.locksets.kernel.names import is_own, is_personal
from threadwise.proofs.locksets.kernel.objects import is_site, size
from threadwise.proofs.locksets.kernel.view import View

Lock = ir.Place | tuple[object, ...]  # by name, or where it is: a cell, a distance, an offset


@quick(frozen=True)
class Access:
    """What a thread may do to a cell in a step."""

    template: str
    edge: EdgeId
    place: ir.Place | None  # by its name; None: all of an object
    write: bool
    sync: bool
    locks: frozenset[Lock]
    names: frozenset[ir.Place]
    """The must-lockset as it is, for reports."""
    absent: frozenset[str]


@dataclass(frozen=True)
class Accesses:
    """The accesses of a program."""

    ground: Ground

    def of(self, edge: Edge, view: View) -> Iterator[tuple[Cell, Access]]:
        """The accesses of an edge to what threads share, but for what the thread owns."""
        touched = list(_touched(edge))
        freed = edge.action.pointer if isinstance(edge.action, Free) else None
        if not (touched or freed) or not is_possible(self.ground, edge, view):
            return
        ground = self.ground
        procedure = ground.program.procedure_of[edge.source].name
        inside = ground.program.locations[edge.source].atomic
        locks = view.entered if inside else view.held
        names = [template.name for template in ground.program.templates]
        absent = frozenset(n for n in names if ground.threads.absent(n, view, procedure))
        told: list[tuple[Cell, ir.Place | None, bool]] = []
        for place, write in touched:
            if not ground.is_owned(place, view):
                there = view.place(place)
                told += [(cell, there, write) for cell in ground.memory.cells(place, procedure)]
        if freed is not None and not view.owns(freed):
            for name in {cell.object for cell in ground.memory.leads(freed, procedure)}:
                cells = ground.objects.shapes[name].offsets
                told += [(Cell(name, cell), None, True) for cell in cells]
        for cell, there_, write in told:
            sync = edge.sync or ground.objects.is_sync(cell)
            known = frozenset(self._known(cell, there_, locks, procedure))
            for template in ground.threads.running[procedure]:
                fixed = template, edge.id, there_, write, sync
                yield cell, Access(*fixed, known, locks, absent)

    # -- LOCKED ----------------------------------------------------------------------------------

    def _known(
        self, cell: Cell, place: ir.Place | None, locks: frozenset[ir.Place], procedure: str
    ) -> Iterator[Lock]:
        """The locks that are held, so that those of two threads can be compared."""
        for lock in locks:
            if not is_personal(lock):
                yield lock
            cells = self.ground.owners(lock, procedure)
            if len(cells) == 1 and self._is_single(next(iter(cells))):
                yield ("cell", *cells)
            if place is not None:
                yield from self._beside(cell, place, lock, procedure)

    def _is_single(self, cell: Cell) -> bool:
        """Whether a folded cell is one cell: of a global variable, in no array."""
        shape = self.ground.objects.shapes[cell.object]
        if is_site(cell.object):
            return False
        return not isinstance(shape.type, ArrayType) and len(shape.offsets[cell.cell]) == 1

    def _beside(
        self, cell: Cell, place: ir.Place, lock: ir.Place, procedure: str
    ) -> Iterator[Lock]:
        """Where a lock is, seen from the cell."""
        around = set(_prefixes(place))
        base = next((each for each in _prefixes(lock) if each in around), None)
        way = None if base is None else _distance(base, lock)
        if base is None or way is None or not has_static_size(base.type):
            return
        path = _distance(base, place)
        if path is not None:
            yield "distance", way - path
        spots = self.ground.memory.spots(base, procedure)
        starts = [at for name, at in spots if name == cell.object]
        whole = len(self.ground.objects.shapes[cell.object].leaves)
        if len(starts) == 1 and starts[0] + size(base.type) <= whole:
            yield "element", starts[0] + way

    # -- the rules -------------------------------------------------------------------------------

    def apart(self, cell: Cell, first: Access, second: Access) -> str | None:
        """The rule by which two accesses of two threads to a cell do not race, if there is one."""
        if not (first.write or second.write):
            return "reads"
        if first.sync and second.sync:
            return "sync"
        if first.template == second.template and first.template in self._single:
            return "alone"
        if first.template in second.absent or second.template in first.absent:
            return "absent"
        if cell.object in self._confined:
            return "confined"
        return "locked" if first.locks & second.locks else None

    @cached_property
    def _single(self) -> frozenset[str]:
        single = [t.name for t in self.ground.program.templates if not t.pool and t.count == 1]
        return self.ground.claims.alone.union(single)

    @cached_property
    def _confined(self) -> frozenset[str]:
        found = frozenset(name for name in self.ground.objects.shapes if is_site(name))
        while True:
            held = [
                target.object
                for cell, led in self.ground.claims.memory.items()
                if not cell.object.endswith("@") and cell.object not in found
                for target in led
            ]
            if found.isdisjoint(held):
                return found
            found = found.difference(held)


def _touched(edge: Edge) -> Iterator[tuple[ir.Place, bool]]:
    """The places in shared memory that an edge reads and writes."""
    for whole in action_expressions(edge.action):
        for part in subexpressions(whole):
            if isinstance(part, ir.Read | ir.IsWritten) and not is_own(part.place):
                yield part.place, False
    yield from ((place, True) for place in action_places(edge.action) if not is_own(place))


def _prefixes(place: ir.Place) -> Iterator[ir.Place]:
    """A place and what it is a part of, the largest last."""
    while True:
        yield place
        if not isinstance(place, ir.FieldPlace | ir.IndexPlace):
            return
        place = place.base


def _distance(base: ir.Place, part: ir.Place) -> int | None:
    """How many cells after the beginning of a place a part of it begins, if that is fixed."""
    if part == base:
        return 0
    match part:
        case ir.FieldPlace(inner, name):
            held = inner.type
            assert isinstance(held, RecordType | MutexType)
            found = _distance(base, inner) if has_static_size(held) else None
            return None if found is None else found + field_offset(held, name, NO_THREADS)
        case ir.IndexPlace(inner, ir.Const(int(n), _)) if has_static_size(part.type):
            found = _distance(base, inner)
            return None if found is None else found + n * size(part.type)
        case _:
            return None
