"""Whether the threads of a pool are created as `threadwise.ir.pool` says.

    (1) the counter of creations starts at 0 and only ever grows by one
    (2) status and arguments of the thread that is created are set in the same step, those of no
        other thread; nothing else sets a status to `started`
    (3) a thread of the pool waits for its status to be `started` before it does anything

Then the numbers of threads are the numbers of their creations, a thread that does something was
created, and its arguments are what was passed to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    IndexPlace,
    Place,
    Read,
    SelfId,
    ThreadAt,
    VariablePlace,
)
from threadwise.ir.fold import number, root
from threadwise.ir.pool_cells import FINISHED, STARTED, PoolCells
from threadwise.ir.program import DEFAULT, Edge, Program
from threadwise.transforms.follow.setting import Setting


def check_discipline(program: Program, setting: Setting) -> None:
    """Raises Unsupported for a pool that is used in another way."""
    template = program.template[setting.template]
    if setting.next is None or template.count is None:
        raise Unsupported("a pool without a counter of its threads")
    _Discipline(program, setting).check()


class _Discipline:
    def __init__(self, program: Program, setting: Setting) -> None:
        assert setting.next is not None
        self.program = program
        self.setting = setting
        self.taken = Read(VariablePlace(setting.next[0]))
        self.created = ThreadAt(setting.template, self.taken)
        self.cells = PoolCells(setting.template)
        self.status = self.cells.status

    def check(self) -> None:
        """All three conditions."""
        names = {d.variable.name: d for d in self.program.globals}
        if self.status not in names or names[self.status].initial != DEFAULT:
            raise Unsupported("a pool whose threads have no status")
        for claimed in self.setting.following.claims:
            if claimed not in names or not self.cells.is_argument(claimed):
                raise Unsupported(f"a claim about `{claimed}`, which is no argument")
        for edge in self.program.edges:
            if isinstance(edge.action, Command):
                self._edge(edge, edge.action)
        self._begins()

    def _edge(self, edge: Edge, action: Command) -> None:
        if any(self._is_about_pool(place) for place in action.havocs):
            raise Unsupported("a pool that is given any value", edge.span)
        written = [a for a in action.assignments if self._is_about_pool(a.target)]
        growing = [a for a in written if a.target == self.taken.place]
        if growing:
            more = Binary(BinaryOp.ADD, self.taken, number(1))
            if [a.value for a in growing] != [more]:  # (1)
                raise Unsupported("a pool whose counter does not count", edge.span)
            if not self._is_complete(written):  # (2)
                raise Unsupported("a thread that is created in parts", edge.span)
        for assignment in written:  # (2)
            if assignment in growing or self._is_finish(edge, assignment):
                continue
            if not growing or not self._is_created(assignment.target):
                raise Unsupported("a pool that is written to by a stranger", edge.span)

    def _is_about_pool(self, place: Place) -> bool:
        base = root(place)
        if not isinstance(base, VariablePlace):
            return True
        name = base.variable.name
        return place == self.taken.place or name == self.status or self.cells.is_argument(name)

    def _is_complete(self, written: list[Assignment]) -> bool:
        started = any(
            _array(a.target) == self.status and a.value == STARTED
            for a in written
            if self._is_created(a.target)
        )
        told = {_array(a.target) for a in written if self._is_created(a.target)}
        return started and set(self.setting.following.claims) <= told

    def _is_created(self, place: Place) -> bool:
        return isinstance(place, IndexPlace) and place.index == self.created

    def _is_finish(self, edge: Edge, assignment: Assignment) -> bool:
        place = assignment.target
        mine = isinstance(place, IndexPlace) and isinstance(place.index, SelfId)
        body = self.program.template[self.setting.template].body
        inside = self.program.procedure_of[edge.source].name == body
        return mine and inside and _array(place) == self.status and assignment.value == FINISHED

    def _begins(self) -> None:
        """(3)."""
        body = self.program.procedure[self.program.template[self.setting.template].body]
        for edge in body.edges:
            if edge.source != body.entry:
                continue
            guard = edge.action.guard if isinstance(edge.action, Command) else None
            if guard is None or not any(map(self._is_started, _parts(guard))):
                raise Unsupported("a thread of a pool that does not wait to be started", edge.span)

    def _is_started(self, part: Expr) -> bool:
        match part:
            case Binary(BinaryOp.EQ, Read(IndexPlace(VariablePlace(variable), SelfId())), right):
                return variable.name == self.status and right == STARTED
            case _:
                return False


def _array(place: Place) -> str | None:
    base = root(place)
    return base.variable.name if isinstance(base, VariablePlace) else None


def _parts(guard: Expr) -> Iterator[Expr]:
    if isinstance(guard, Binary) and guard.op is BinaryOp.AND:
        yield from _parts(guard.left)
        yield from _parts(guard.right)
    else:
        yield guard
