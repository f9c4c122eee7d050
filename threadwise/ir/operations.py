"""How synchronisation is expressed as guarded commands; this is defined nowhere else.

    acquire(m)       when m.owner == none: m.owner := self
    release(m)       when m.owner == self: m.owner := none        otherwise a `mutex` failure
    try_acquire(m)   b := (m.owner == none), and m.owner := self if so
    recursive m      the owner may acquire again; `depth` counts, the last release frees
    spawn, join      see `threadwise.ir.pool`

Each function returns what a builder needs for the edges of one statement.
"""

from __future__ import annotations

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Assignment, Command, Operation, OperationKind
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    Place,
    Read,
    SelfId,
)
from threadwise.ir.fold import negation, number
from threadwise.ir.types import NONE, TID, MutexKind, MutexType

NOBODY = Const(NONE, TID)


@dataclass(frozen=True, slots=True)
class Synchronisation:
    """A statement's command, what it is for, and what must hold or else the statement fails."""

    command: Command
    operation: Operation
    requires: Expr | None = None


def owner(mutex: Place) -> Read:
    """The owner of a mutex, as an expression."""
    return Read(FieldPlace(mutex, "owner"))


def is_free(mutex: Place) -> Expr:
    """Whether the mutex is free."""
    return Binary(BinaryOp.EQ, owner(mutex), NOBODY)


def holds(mutex: Place) -> Expr:
    """Whether the thread at hand owns the mutex."""
    return Binary(BinaryOp.EQ, owner(mutex), SelfId())


def acquire(mutex: Place) -> Synchronisation:
    """Wait until the mutex may be taken, and take it."""
    return Synchronisation(
        Command(_may_take(mutex), _take(mutex)), Operation(OperationKind.ACQUIRE, owner(mutex))
    )


def release(mutex: Place) -> Synchronisation:
    """Give the mutex back; only its owner may."""
    assignments: tuple[Assignment, ...]
    if _is_recursive(mutex):
        depth = Read(FieldPlace(mutex, "depth"))
        last = Binary(BinaryOp.EQ, depth, number(1))
        assignments = (
            Assignment(FieldPlace(mutex, "owner"), Conditional(last, NOBODY, owner(mutex))),
            Assignment(FieldPlace(mutex, "depth"), Binary(BinaryOp.SUB, depth, number(1))),
        )
    else:
        assignments = (Assignment(FieldPlace(mutex, "owner"), NOBODY),)
    return Synchronisation(
        Command(assignments=assignments),
        Operation(OperationKind.RELEASE, owner(mutex)),
        requires=holds(mutex),
    )


def try_acquire(
    mutex: Place, success: Assignment, refusal: Assignment
) -> tuple[Synchronisation, Synchronisation]:
    """Take the mutex if it is free, and say whether: one edge for each outcome."""
    operation = Operation(OperationKind.TRY_ACQUIRE, owner(mutex))
    taken = Command(_may_take(mutex), (*_take(mutex), success))
    refused = Command(negation(_may_take(mutex)), (refusal,))
    return Synchronisation(taken, operation), Synchronisation(refused, operation)


def _is_recursive(mutex: Place) -> bool:
    return isinstance(mutex.type, MutexType) and mutex.type.kind is MutexKind.RECURSIVE


def _may_take(mutex: Place) -> Expr:
    if _is_recursive(mutex):
        return Binary(BinaryOp.OR, is_free(mutex), holds(mutex))
    return is_free(mutex)


def _take(mutex: Place) -> tuple[Assignment, ...]:
    take = Assignment(FieldPlace(mutex, "owner"), SelfId())
    if not _is_recursive(mutex):
        return (take,)
    depth = FieldPlace(mutex, "depth")
    return (take, Assignment(depth, Binary(BinaryOp.ADD, Read(depth), number(1))))
