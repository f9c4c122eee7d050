"""May-happen-in-parallel: which threads run which code, and which of them are over.

A *pool* of threads (`threadwise.ir.pool`) is checked to be used as such: T.next and T.status begin
with their defaults, a thread's first edge waits until it is started, and they are written by

    spawn     T.next := T.next + 1, T.status[thread(T, T.next)] := started
    finish    T.status[self] := finished, into a location without edges

only. So a thread runs from the one step that spawns it until it finishes, and every spawn is a new
thread. The *first* thread exists before all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import threadwise.ir.expr as ir
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.fold import conjuncts, number, root
from threadwise.ir.pool_cells import FINISHED, STARTED, PoolCells
from threadwise.ir.program import Declaration, DefaultValue, Edge, EdgeId, Program, Template
from threadwise.proofs.locksets.kernel.claims import Refused
from threadwise.proofs.locksets.kernel.points_to import written
from threadwise.proofs.locksets.kernel.view import View


@dataclass(frozen=True)
class Threads:
    """The threads of a program."""

    program: Program

    @cached_property
    def running(self) -> Mapping[str, tuple[str, ...]]:
        """The templates whose threads run each procedure."""
        all_ = self.program.templates
        names = (procedure.name for procedure in self.program.procedures)
        return {name: tuple(t.name for t in all_ if t.body == name) for name in names}

    @cached_property
    def first(self) -> str | None:
        """The template of the first thread."""
        exist = [t for t in self.program.templates if not t.pool and t.count != 0]
        return exist[0].name if len(exist) == 1 and exist[0].count == 1 else None

    # -- pools -----------------------------------------------------------------------------------

    @cached_property
    def cells(self) -> frozenset[str]:
        """The variables that say which threads run; no pointer may lead there."""
        pools = (self._pool(t.name) for t in self.program.templates if t.pool)
        return frozenset(place.variable.name for pool in pools for place in pool)

    @cached_property
    def spawns(self) -> Mapping[EdgeId, str]:
        """The edges that spawn threads, with their templates; raises Refused."""
        pools = [template for template in self.program.templates if template.pool]
        return {edge: pool.name for pool in pools for edge in self._spawning(pool)}

    def _spawning(self, template: Template) -> Iterator[EdgeId]:
        taken, status = self._pool(template.name)
        more = ir.Binary(ir.BinaryOp.ADD, ir.Read(taken), number(1))
        mine = ir.IndexPlace(status, ir.SelfId())
        fresh = ir.IndexPlace(status, ir.ThreadAt(template.name, ir.Read(taken)))
        body = self.program.procedure[template.body]
        for edge in self.program.edges:
            waits = ir.Binary(ir.BinaryOp.EQ, ir.Read(mine), STARTED) in conjuncts(
                edge.action.guard
            )
            if edge.target == body.entry or (edge.source == body.entry and not waits):
                raise Refused(f"how threads of {template.name} begin")
            found = [(p, v) for p, v in written(edge.action) if root(p) in (taken, status)]
            if found and set(found) == {(taken, more), (fresh, STARTED)}:
                yield edge.id
            elif found and (found != [(mine, FINISHED)] or self.program.outgoing[edge.target]):
                raise Refused(f"how threads of {template.name} are spawned")

    def _pool(self, template: str) -> tuple[ir.VariablePlace, ir.VariablePlace]:
        """How many threads were spawned, and how far they are."""
        begin = {d.variable.name: d for d in self.program.globals}
        cells = [
            begin.get(name) for name in (PoolCells(template).next, PoolCells(template).status)
        ]
        match cells:
            case Declaration(taken, DefaultValue()), Declaration(status, DefaultValue()):
                return ir.VariablePlace(taken), ir.VariablePlace(status)
            case _:
                raise Refused(f"threads of {template} that run from the start")

    def fresh(self, edge: EdgeId) -> ir.Expr:
        """The id of the thread that an edge spawns."""
        template = self.spawns[edge]
        return ir.ThreadAt(template, ir.Read(self._pool(template)[0]))

    # -- the rules -------------------------------------------------------------------------------

    def joined(self, edge: Edge | None, view: View) -> Iterator[tuple[EdgeId, int]]:
        """JOIN: the threads that an edge waits for, as spawned by the thread that takes it."""
        for part in () if edge is None else conjuncts(edge.action.guard):
            condition: ir.Expr | None = None
            if isinstance(part, ir.Binary) and part.op is ir.BinaryOp.IMPLIES:
                condition, part = part.left, part.right
            match part:
                case ir.Binary(ir.BinaryOp.EQ, ir.Read(ir.IndexPlace(base, x)), value):
                    spawned = view.handles.get(view.named(x))
                    if value == FINISHED and spawned is not None and spawned[0] in self.spawns:
                        template = self.spawns[spawned[0]]
                        known = condition in (None, ir.IsInstance(x, template))
                        if known and base == self._pool(template)[1]:
                            yield spawned
                case _:
                    pass

    def absent(self, template: str, view: View, procedure: str) -> bool:
        """ABSENT: whether no thread of a template runs, as the first thread knows."""
        if self.running[procedure] != (self.first,) or template == self.first:
            return False
        spawns = [edge for edge, name in self.spawns.items() if name == template]
        return all(self._is_over(edge, view) for edge in spawns)

    def _is_over(self, edge: EdgeId, view: View) -> bool:
        """Whether all threads that were ever spawned at an edge are over."""
        procedure = self.program.procedure_of[self.program.edges[edge].source].name
        times = view.counts.get(edge) if self.running[procedure] == (self.first,) else None
        return times is not None and all((edge, time) in view.over for time in range(times))

    def is_alone(self, view: View, procedure: str) -> bool:
        """Whether no other thread runs."""
        return self.running[procedure] == (self.first,) and all(
            self.absent(template.name, view, procedure)
            for template in self.program.templates
            if template.name != self.first
        )
