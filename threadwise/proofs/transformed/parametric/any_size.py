"""A program with pools of any size: what a proof about any number of created threads is about.

The number of slots of a pool is a new constant, and so is what the number of creations is compared
with where a thread is created. The number of creations has no bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    COMPARISONS,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import rebuild, rebuild_place
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import Declaration, Edge, Program, Template
from threadwise.ir.types import INT


class AnySize:
    """A program whose pools get any size."""

    def __init__(self, before: Program) -> None:
        self.before = before
        self.pools = tuple(t for t in before.templates if t.pool)
        self.counters = {PoolCells(t.name).next: t for t in self.pools}

    def size(self, pool: str) -> Variable:
        """How many slots a pool has."""
        return Variable(f"{pool}.slots!", INT, Scope.GLOBAL, sync=True)

    def program(self, templates: Sequence[Template]) -> Program:
        """The program with other templates, and pools of any size."""
        sizes = tuple(Declaration(self.size(t.name)) for t in self.pools)
        shared = tuple(replace(d, variable=self.counted(d.variable)) for d in self.before.globals)
        procedures = tuple(
            replace(p, edges=tuple(map(self._edge, p.edges))) for p in self.before.procedures
        )
        return replace(
            self.before,
            globals=(*shared, *sizes),
            procedures=procedures,
            templates=tuple(templates),
            properties=(),
        )

    def counted(self, variable: Variable) -> Variable:
        """A variable; without bound, if it counts the threads of a pool."""
        is_counter = variable.scope is Scope.GLOBAL and variable.name in self.counters
        return replace(variable, type=INT) if is_counter else variable

    def _edge(self, edge: Edge) -> Edge:
        action = edge.action
        if not isinstance(action, Command):
            return edge
        assignments = tuple(
            Assignment(self._place(a.target), self._general(a.value)) for a in action.assignments
        )
        havocs = tuple(map(self._place, action.havocs))
        return replace(edge, action=Command(self._general(action.guard), assignments, havocs))

    def _general(self, expr: Expr) -> Expr:
        match expr:
            case Binary(op, Read(VariablePlace(variable)), Const(int(size), _)) if (
                op in COMPARISONS and self.counted(variable) != variable
            ):
                pool = self.counters[variable.name]
                slots: Expr = Read(VariablePlace(self.size(pool.name)))
                left = Read(VariablePlace(self.counted(variable)))
                if pool.count == size:
                    return Binary(op, left, slots)
                if pool.count == size + 1:
                    return Binary(op, left, Binary(BinaryOp.SUB, slots, Const(1, INT)))
                return Binary(op, left, expr.right)
            case Read(place):
                return Read(self._place(place))
            case _:
                return rebuild(expr, self._general)

    def _place(self, place: Place) -> Place:
        if isinstance(place, VariablePlace):
            return VariablePlace(self.counted(place.variable))
        return rebuild_place(place, self._general)
