"""A run, edge by edge: which cells each edge reads and writes.

An *occurrence* is one edge that one thread takes once. Its cells have keys that stay the same all
through the run; cells of mutexes have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import Expr, Place
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import Address
from threadwise.semantics.evaluate import CellRef, Region, Undefined, View
from threadwise.semantics.state import Frame, GlobalStore, LocalStore
from threadwise.traces.naming import Naming
from threadwise.traces.objects import Objects

Key = tuple[Region, int, int, int]
"""Where a cell is, and three numbers: thread, depth and slot of one that is a thread's own, object
and slot of a shared one."""


@dataclass(frozen=True)
class Occurrence:
    """An edge that a thread takes."""

    thread: int
    depth: int
    """How many calls the thread is in."""
    edge: Edge
    own: tuple[Key, ...]
    """The cells of the thread's own that it reads."""
    shared: tuple[Key, ...]
    """The shared cells that it reads."""
    writes: tuple[Key, ...]


@dataclass
class Recorder:
    """Notes down a run while it is followed."""

    program: Program
    naming: Naming
    objects: Objects
    occurrences: list[Occurrence] = field(default_factory=list)

    def note(
        self, edge: Edge, thread: int, g: GlobalStore, l: LocalStore, stack: tuple[Frame, ...]
    ) -> int:
        """An edge that is taken now, in these stores; its number."""
        read: list[CellRef] = []
        view = View(self.program, self.naming.layout, thread, g, l, read.append)
        depth = len(stack)
        written = [self._key(cell, thread, depth, g) for cell in _written(edge, view, g)]
        written.extend(self._handed(edge, thread, l, stack))
        keys = [self._key(cell, thread, depth, g) for cell in dict.fromkeys(read)]
        known = [key for key in keys if key is not None]
        self.occurrences.append(
            Occurrence(
                thread,
                depth,
                edge,
                tuple(key for key in known if key[0] in (Region.LOCAL, Region.THREAD)),
                tuple(key for key in known if key[0] in (Region.GLOBAL, Region.HEAP)),
                tuple(key for key in written if key is not None),
            )
        )
        return len(self.occurrences) - 1

    def _handed(
        self, edge: Edge, thread: int, l: LocalStore, stack: tuple[Frame, ...]
    ) -> Iterator[Key | None]:
        """A call writes the parameters, a return the caller's variable for the result."""
        match edge.action:
            case Call(_, arguments):
                for slot in range(len(arguments)):
                    yield (Region.LOCAL, thread, len(stack) + 1, slot)
            case Return(value) if value is not None and stack:
                call = self.program.edges[stack[-1].call]
                assert isinstance(call.action, Call)
                if call.action.result is not None:
                    caller = LocalStore(call.source, l.thread, stack[-1].locals)
                    none = GlobalStore(())
                    view = View(self.program, self.naming.layout, thread, none, caller)
                    cell = view.resolve(call.action.result)
                    yield self._key(cell, thread, len(stack) - 1, none)

    def _key(self, cell: CellRef, thread: int, depth: int, g: GlobalStore) -> Key | None:
        match cell.region:
            case Region.LOCAL:
                return (cell.region, thread, depth, cell.slot)
            case Region.THREAD:
                return (cell.region, thread, 0, cell.slot)
            case Region.GLOBAL:
                return None if self.naming.is_lock(cell, g) else (cell.region, 0, 0, cell.slot)
            case Region.HEAP:
                age = self.objects.age(cell.number)
                return None if self.naming.is_lock(cell, g) else (cell.region, age, 0, cell.slot)


def _written(edge: Edge, view: View, g: GlobalStore) -> list[CellRef]:
    """The cells that an edge writes; the view is told what it reads."""
    match edge.action:
        case Command(guard, assignments, havocs):
            _evaluate(view, (guard, *(assignment.value for assignment in assignments)))
            return _resolved(view, (*(assignment.target for assignment in assignments), *havocs))
        case Allocate(guard, target, _, _, count, _):
            _evaluate(view, (guard,) if count is None else (guard, count))
            return _resolved(view, (target,))
        case Free(guard, pointer):
            _evaluate(view, (guard,))
            address = view.evaluate(pointer)
            assert isinstance(address, Address)
            freed = view.cell_at(address)
            return [freed._replace(slot=slot) for slot in range(len(g.heap[freed.number].cells))]
        case Call(_, arguments, _, guard):
            _evaluate(view, (guard, *arguments))
            return []
        case Return(value, guard):
            _evaluate(view, (guard,) if value is None else (guard, value))
            return []


def _evaluate(view: View, exprs: Iterable[Expr]) -> None:
    for expr in exprs:
        try:
            view.evaluate(expr)
        except Undefined:
            return


def _resolved(view: View, places: Iterable[Place]) -> list[CellRef]:
    found = []
    for place in places:
        try:
            found.append(view.resolve(place))
        except Undefined:
            continue
    return found
