"""What a blocked thread waits for.

A thread is *blocked* if it has no step. Its *ways on* are the edges at which it waits: those of
its location and, as far as it gets through an atomic region, those inside. Not among them are
edges that its own variables exclude, since nothing that others do opens these, and edges that lead
to a failure. Inside a region, variables of the thread that were computed from shared memory in the
same step count as shared. Whether a thread owns a mutex counts as its own: no other thread
changes it.

An input never blocks: a thread that may read a value of a type with many values can go on. A
thread that can only go round in an atomic region has no step and does not wait: that is outside
the model (`Unsupported`), as it is where steps are taken.

A way on waits for:

    awaited     the owner of the mutex (acquire, await), the thread to join
    held        the address of an object that others must not hold
    cells       shared memory that its condition depends on
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from threadwise.analyses.components import components
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import WAITING, Call, Command, OperationKind, Return
from threadwise.ir.expr import Binary, BinaryOp, Const, Expr, FieldPlace, Read, SelfId
from threadwise.ir.fold import conjuncts, rebuild
from threadwise.ir.program import Edge
from threadwise.ir.types import BOOL, NONE, MutexType, Value, default_value
from threadwise.semantics.big_steps import ATOMIC_STEP_LIMIT, StoreNumbers
from threadwise.semantics.evaluate import CellRef, Region, Undefined, View
from threadwise.semantics.state import GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter, may_be_sampled

Cells = frozenset[CellRef]
Sources = Mapping[CellRef, Cells]
"""From which shared cells a thread's own cells were computed in the step at hand."""


class Way(NamedTuple):
    """One way on of a blocked thread: an edge, and what it waits for there."""

    edge: Edge
    awaited: int | None
    held: Value | None
    cells: Cells

    @property
    def kind(self) -> OperationKind | None:
        """What kind of waiting it is."""
        return None if self.edge.operation is None else self.edge.operation.kind


class _Point(NamedTuple):
    """A thread somewhere in its step."""

    g: GlobalStore
    l: LocalStore
    sources: Sources


_Key = tuple[int, LocalStore, frozenset[tuple[CellRef, Cells]]]
"""A point, with a number for its shared store."""


class _CanStep(Exception):  # noqa: N818 - an answer
    """The thread is not blocked."""


@dataclass(frozen=True)
class WaysOn:
    """The ways on of the threads of a program."""

    interpreter: Interpreter

    def of(self, thread: int, g: GlobalStore, l: LocalStore) -> tuple[Way, ...] | None:
        """The ways on of a thread, in order of edges; None if it can take a step."""
        try:
            return tuple(self._ways(thread, _Point(g, l, {})))
        except _CanStep:
            return None

    def _ways(self, thread: int, start: _Point) -> Iterator[Way]:
        outgoing = self.interpreter.program.outgoing[start.l.pc]
        if any(self.interpreter.program.locations[edge.target].atomic for edge in outgoing):
            yield from self._inside(thread, start)
            return
        for edge in outgoing:
            self._after(thread, edge, start)
            if (way := self._way(thread, edge, start)) is not None:
                yield way

    def _inside(self, thread: int, start: _Point) -> Iterator[Way]:
        """The ways on of a thread whose step may go through a region."""
        stores = StoreNumbers(start.g)

        def numbered(point: _Point) -> tuple[_Key, _Point]:
            return (stores.number(point.g), point.l, frozenset(point.sources.items())), point

        leads: dict[_Key, list[_Key]] = {}
        pending = [numbered(start)]
        while pending:
            key, point = pending.pop()
            if key in leads:
                continue
            leads[key] = []
            if len(leads) > ATOMIC_STEP_LIMIT:
                raise self._endless(start)
            for edge in self.interpreter.program.outgoing[point.l.pc]:
                after = [numbered(each) for each in self._after(thread, edge, point)]
                leads[key] += [there for there, _ in after]
                pending += after
                if not after and (way := self._way(thread, edge, point)) is not None:
                    yield way
        if len(leads) <= sum(map(len, leads.values())) and components(leads):
            raise self._endless(start)

    def _endless(self, start: _Point) -> Unsupported:
        span = self.interpreter.program.locations[start.l.pc].span
        return Unsupported("an atomic block that may loop without bound", span)

    # -- steps -----------------------------------------------------------------------------------

    def _after(self, thread: int, edge: Edge, point: _Point) -> list[_Point]:
        """Where an edge leads inside a region; raises _CanStep if it is a step or leads to one."""
        program = self.interpreter.program
        view = self._view(thread, point)
        if isinstance(edge.action, Call | Return):
            if view.holds(edge.action.guard):
                raise _CanStep
            return []
        if not program.locations[edge.target].atomic:
            if self._is_enabled(thread, edge, point):
                raise _CanStep
            return []
        if isinstance(edge.action, Command) and any(
            may_be_sampled(place.type) for place in edge.action.havocs
        ):
            if view.holds(edge.action.guard):
                raise _CanStep
            return []
        sources: dict[CellRef, Cells] | None = None
        found: list[_Point] = []
        for _, g, l, _ in self.interpreter.fire(edge, thread, point.g, point.l):
            if sources is None:
                sources = self._sources(thread, edge, point)
            found.append(_Point(g, l, sources))
        return found

    def _is_enabled(self, thread: int, edge: Edge, point: _Point) -> bool:
        havocs = edge.action.havocs if isinstance(edge.action, Command) else ()
        values = tuple(default_value(place.type) for place in havocs)  # type: ignore[arg-type]  # validated: a havoc is scalar
        return any(True for _ in self.interpreter.fire(edge, thread, point.g, point.l, values))

    def _sources(self, thread: int, edge: Edge, point: _Point) -> dict[CellRef, Cells]:
        """What the thread's own cells depend on after an edge."""
        found = dict(point.sources)
        if not isinstance(edge.action, Command):
            return found
        view = self._view(thread, point)
        for assignment in edge.action.assignments:
            cell = view.resolve(assignment.target)
            if cell.region in (Region.LOCAL, Region.THREAD):
                _, read = self._evaluated(thread, assignment.value, point)
                found[cell] = read
        for place in edge.action.havocs:
            found.pop(view.resolve(place), None)
        return {cell: cells for cell, cells in found.items() if cells}

    # -- waiting ---------------------------------------------------------------------------------

    def _way(self, thread: int, edge: Edge, point: _Point) -> Way | None:
        """An edge that is not enabled; None if it is no way on."""
        if self.interpreter.program.locations[edge.target].failure is not None:
            return None
        cells: set[CellRef] = set()
        closed = False
        for condition in conjuncts(edge.action.guard):
            value, read = self._evaluated(thread, condition, point)
            if value is None and closed:
                break
            if not value:
                if not read:
                    return None
                closed = True
                cells |= read
        operation, view = edge.operation, self._view(thread, point)
        awaited: int | None = None
        held: Value | None = None
        if operation is not None and operation.subject is not None:
            try:
                if operation.kind in WAITING:
                    owner = view.integer(operation.subject)
                    awaited = None if owner == NONE else owner
                elif operation.kind is OperationKind.HELD:
                    held = view.evaluate(operation.subject)
            except Undefined:
                pass
        return Way(edge, awaited, held, frozenset(cells))

    def _evaluated(self, thread: int, expr: Expr, point: _Point) -> tuple[Value | None, Cells]:
        """The value of an expression, None if it has none, and the shared cells behind it."""
        read: set[CellRef] = set()

        def note(cell: CellRef) -> None:
            if cell.region in (Region.GLOBAL, Region.HEAP):
                read.add(cell)
            else:
                read.update(point.sources.get(cell, ()))

        view = self._view(thread, point, note)
        try:
            return view.evaluate(self._without_own(thread, expr, point)), frozenset(read)
        except Undefined:
            return None, frozenset(read)

    def _without_own(self, thread: int, expr: Expr, point: _Point) -> Expr:
        """The expression with answers for whether the thread owns a mutex."""

        def answered(part: Expr) -> Expr:
            if _is_about_owning(part):
                try:
                    return Const(self._view(thread, point).holds(part), BOOL)
                except Undefined:
                    return part
            return rebuild(part, answered)

        return answered(expr)

    def _view(
        self, thread: int, point: _Point, on_read: Callable[[CellRef], None] | None = None
    ) -> View:
        interpreter = self.interpreter
        view = View(interpreter.program, interpreter.layout, thread, point.g, point.l)
        if on_read is not None:
            view.on_read = on_read
        return view


def _is_about_owning(expr: Expr) -> bool:
    """Whether an expression asks if the thread at hand owns a mutex, or does not."""
    match expr:
        case Binary(BinaryOp.EQ | BinaryOp.NE, Read(FieldPlace(base, "owner")), SelfId()):
            return isinstance(base.type, MutexType)
        case Binary(BinaryOp.EQ | BinaryOp.NE, SelfId(), Read(FieldPlace(base, "owner"))):
            return isinstance(base.type, MutexType)
        case _:
            return False
