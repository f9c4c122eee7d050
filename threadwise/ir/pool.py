"""Dynamic threads as a pool of slots: what `spawn` and `join` mean.

A template that is only started by `spawn` has a fixed number of slots, and these shared cells, all
of them synchronisation:

    T.next          how many slots are taken
    T.status[t]     unused, started or finished, per slot
    T.argument.p[t] the value passed for parameter p
    T.result[t]     what it returned, if its threads return something

    spawn    when T.next < slots: status, arguments := started, values; handle := slot; next += 1
             otherwise a `limit` failure: the verdict is UNKNOWN, not silence
    begin    the slot's first step: when status[self] == started: parameters := arguments
    finish   the slot's last step: status[self] := finished
    join h   when T.status[h] == finished for the template T that h belongs to;
             joining what is no spawned thread is a `range` failure

A slot is never used twice, so a handle names one thread for ever.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Assignment, Command, Operation, OperationKind
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Expr,
    IndexPlace,
    IsInstance,
    Place,
    Read,
    Scope,
    SelfId,
    ThreadAt,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, number
from threadwise.ir.operations import Synchronisation
from threadwise.ir.pool_cells import FINISHED, STARTED, STATUS, PoolCells
from threadwise.ir.program import Declaration
from threadwise.ir.types import ArrayType, PerThread, RangeType, Type


@dataclass(frozen=True)
class Pool:
    """The shared cells of one spawned template."""

    template: str
    slots: int
    next: Variable
    status: Variable
    arguments: tuple[Variable, ...]
    result: Variable | None = None

    @staticmethod
    def of(
        template: str, slots: int, parameters: Sequence[Variable], result: Type | None = None
    ) -> Pool:
        """The pool of a template with the given parameters and type of result."""
        cells = PoolCells(template)
        extent = PerThread(template)

        def per_slot(name: str, element: Type) -> Variable:
            return Variable(name, ArrayType(element, extent), Scope.GLOBAL, sync=True)

        return Pool(
            template,
            slots,
            Variable(cells.next, RangeType(0, slots), Scope.GLOBAL, sync=True),
            Variable(cells.status, ArrayType(STATUS, extent), Scope.GLOBAL, sync=True),
            tuple(per_slot(cells.argument(p.name), p.type) for p in parameters),
            None if result is None else per_slot(cells.result, result),
        )

    @property
    def declarations(self) -> tuple[Declaration, ...]:
        """The globals to declare."""
        result = () if self.result is None else (self.result,)
        return tuple(Declaration(v) for v in (self.next, self.status, *self.arguments, *result))

    def spawn(self, values: Sequence[Expr], handle: Place | None) -> Synchronisation:
        """Start the next slot; what it requires is that one is left."""
        taken = Read(VariablePlace(self.next))
        slot = ThreadAt(self.template, taken)
        assignments = [
            Assignment(VariablePlace(self.next), Binary(BinaryOp.ADD, taken, number(1))),
            Assignment(IndexPlace(VariablePlace(self.status), slot), STARTED),
        ]
        for argument, value in zip(self.arguments, values, strict=True):
            assignments.append(Assignment(IndexPlace(VariablePlace(argument), slot), value))
        if handle is not None:
            assignments.append(Assignment(handle, slot))
        return Synchronisation(
            Command(assignments=tuple(assignments)),
            Operation(OperationKind.SPAWN, slot),
            requires=Binary(BinaryOp.LT, taken, number(self.slots)),
        )

    def begin(self, parameters: Sequence[Variable]) -> Synchronisation:
        """Wait to be started, and fetch the arguments."""
        fetched = tuple(
            Assignment(
                VariablePlace(parameter), Read(IndexPlace(VariablePlace(argument), SelfId()))
            )
            for parameter, argument in zip(parameters, self.arguments, strict=True)
        )
        return Synchronisation(
            Command(self.has_status(SelfId(), STARTED), fetched), Operation(OperationKind.BEGIN)
        )

    def finish(self, result: Expr | None = None) -> Synchronisation:
        """Set the status to finished, so that joins go on, and store the result."""
        mine = IndexPlace(VariablePlace(self.status), SelfId())
        told = [Assignment(mine, FINISHED)]
        if result is not None:
            assert self.result is not None
            told.append(Assignment(IndexPlace(VariablePlace(self.result), SelfId()), result))
        return Synchronisation(Command(assignments=tuple(told)), Operation(OperationKind.FINISH))

    def result_of(self, thread: Expr) -> Expr:
        """What a finished slot returned."""
        assert self.result is not None
        return Read(IndexPlace(VariablePlace(self.result), thread))

    def has_status(self, thread: Expr, status: Expr) -> Expr:
        """Whether a slot has a status."""
        return Binary(BinaryOp.EQ, Read(IndexPlace(VariablePlace(self.status), thread)), status)


def join(handle: Expr, pools: Sequence[Pool]) -> Synchronisation:
    """Wait until the thread of a handle has finished, whichever template it belongs to."""
    member: Expr = FALSE
    guards: list[Expr] = []
    for pool in pools:
        belongs = IsInstance(handle, pool.template)
        member = belongs if member == FALSE else Binary(BinaryOp.OR, member, belongs)
        finished = pool.has_status(handle, FINISHED)
        guards.append(finished if len(pools) == 1 else Binary(BinaryOp.IMPLIES, belongs, finished))
    return Synchronisation(
        Command(conjunction(guards) if guards else TRUE),
        Operation(OperationKind.JOIN, handle),
        requires=member,
    )
