"""Which locks edges take and give back, and what they wait for; `Refuted` where that is not plain.

node of an acquire      the place of the mutex: a global variable, or a part of one that
                        constants name
nodes of a join         `end T` for every template T whose `T.status` the guard reads
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from threadwise.ir.commands import Call, Command, OperationKind
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Scope,
    SelfId,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, conjuncts, read_places, root
from threadwise.ir.operations import NOBODY, is_free
from threadwise.ir.program import Edge, Procedure, Program
from threadwise.ir.text.printer import print_place
from threadwise.ir.types import MutexType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.lock_order.certificate import Change


def end_of(template: str) -> str:
    """The node for the end of threads of a template."""
    return f"end {template}"


def lock_of(edge: Edge) -> str:
    """The lock that an edge is about."""
    assert edge.operation is not None
    subject = edge.operation.subject
    if not isinstance(subject, Read) or not isinstance(subject.place, FieldPlace):
        raise Refuted("a lock operation without a lock")
    mutex = subject.place.base
    if not _is_named(mutex):
        raise Refuted(f"the lock {print_place(mutex)}, which has no name")
    return print_place(mutex)


def _is_named(place: Place) -> bool:
    while not isinstance(place, VariablePlace):
        if isinstance(place, DerefPlace):
            return False
        if isinstance(place, IndexPlace) and not isinstance(place.index, Const):
            return False
        place = place.base
    return place.variable.scope is Scope.GLOBAL


def taken(edge: Edge) -> str | None:
    """The lock that a thread has after an edge and perhaps not before."""
    return lock_of(edge) if _stores(edge, SelfId()) else None


def given_back(edge: Edge) -> str | None:
    """The lock that a thread has not got any more after an edge."""
    return lock_of(edge) if _stores(edge, NOBODY) else None


def _stores(edge: Edge, value: Expr) -> bool:
    return isinstance(edge.action, Command) and any(
        is_owner(each.target) and each.value == value for each in edge.action.assignments
    )


def change_of(edge: Edge) -> Change:
    """How what a thread holds changes along an edge that is no call."""
    lock, back = taken(edge), given_back(edge)
    change = Change()
    if lock is not None:
        change = Change(gained=frozenset({lock}), kept=frozenset({lock}))
    if back is not None:
        change = change.then(Change(lost=frozenset({back}), freed=frozenset({back})))
    return change


def begun_at(
    program: Program, procedure: Procedure, at: Mapping[int, Change]
) -> Mapping[int, Change]:
    """B: by location, what changed up to where the step began that gets there, or on the way."""
    begins = {location.id for location in procedure.locations if not location.atomic}
    begins |= {edge.target for edge in procedure.edges if isinstance(edge.action, Call)}
    begins.add(procedure.entry)
    found = {here: change for here, change in at.items() if here in begins}
    pending = list(found)
    while pending:
        here = pending.pop()
        for edge in program.outgoing[here]:
            there = edge.target
            if there in at and program.locations[there].atomic:
                begun = found[here]
                after = begun.either(replace(at[there], kept=begun.kept, freed=begun.freed))
                known = found.get(there)
                after = after if known is None else after.either(known)
                if after != known:
                    found[there] = after
                    pending.append(there)
    return found


def is_owner(place: Place) -> bool:
    """Whether a place is the owner of a mutex."""
    return (
        isinstance(place, FieldPlace)
        and place.field == "owner"
        and isinstance(place.base.type, MutexType)
    )


def awaited(program: Program, edge: Edge) -> frozenset[str]:
    """The nodes that an edge waits for, if it does: a lock, or the ends of threads.

    One that leads to a failure is no way on.
    """
    operation = edge.operation
    if operation is None or program.locations[edge.target].failure is not None:
        return frozenset()
    if operation.kind is OperationKind.ACQUIRE:
        return frozenset({lock_of(edge)})
    if operation.kind is OperationKind.JOIN:
        found = frozenset(map(end_of, _joined(program, edge)))
        if not found:
            raise Refuted("a join of nobody knows whom")
        return found
    return frozenset()


def _joined(program: Program, edge: Edge) -> Iterator[str]:
    names = {
        base.variable.name
        for place in read_places(edge.action.guard)
        if isinstance(base := root(place), VariablePlace)
    }
    for template in program.templates:
        if template.pool and f"{template.name}.status" in names:
            yield template.name


def rest_of_guard(program: Program, edge: Edge) -> Expr:
    """What an edge asks for besides the lock being free, or the threads having ended."""
    operation = edge.operation
    parts = list(conjuncts(edge.action.guard))
    if program.locations[edge.target].failure is not None:
        return edge.action.guard
    if operation is not None and operation.kind is OperationKind.ACQUIRE:
        subject = operation.subject
        assert isinstance(subject, Read)
        assert isinstance(subject.place, FieldPlace)
        parts = [part for part in parts if part != is_free(subject.place.base)]
    elif operation is not None and operation.kind is OperationKind.JOIN:
        statuses = {f"{template.name}.status" for template in program.templates}
        parts = [part for part in parts if not _asks_for(part, statuses)]
    return conjunction(parts)


def _asks_for(expr: Expr, statuses: set[str]) -> bool:
    """Whether a condition is that a thread has a status, perhaps if it is of a template."""
    if isinstance(expr, Binary) and expr.op is BinaryOp.IMPLIES:
        expr = expr.right
    match expr:
        case Binary(BinaryOp.EQ, Read(IndexPlace(VariablePlace(variable), _)), Const()):
            return variable.name in statuses
        case _:
            return False
