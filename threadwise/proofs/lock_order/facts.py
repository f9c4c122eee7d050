"""Which locks edges take and give back, and what they wait for; `Refuted` where that is not plain.

node of an acquire      the class of the mutex (`threadwise.proofs.lock_order.locks`)
nodes of a join         `end T` for every template T whose `T.status` the guard reads, and whose
                        threads the handle may name, as far as it comes from locals
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from threadwise.ir.commands import Call, Command, OperationKind
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Scope,
    SelfId,
    ThreadAt,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_places, conjunction, conjuncts, read_places, root
from threadwise.ir.operations import NOBODY, is_free
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import DEFAULT, Edge, Procedure, Program
from threadwise.ir.types import NONE, TidType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.lock_order.certificate import NOTHING, Change, Names
from threadwise.proofs.lock_order.locks import Locks, is_owner


def end_of(template: str) -> str:
    """The node for the end of threads of a template."""
    return f"end {template}"


def lock_of(edge: Edge) -> Place:
    """The lock that an edge is about."""
    assert edge.operation is not None
    subject = edge.operation.subject
    if not isinstance(subject, Read) or not isinstance(subject.place, FieldPlace):
        raise Refuted("a lock operation without a lock")
    return subject.place.base


def taken(edge: Edge) -> Place | None:
    """The lock that a thread has after an edge and perhaps not before."""
    return lock_of(edge) if _stores(edge, SelfId()) else None


def given_back(edge: Edge) -> Place | None:
    """The lock that a thread has not got any more after an edge."""
    return lock_of(edge) if edge.operation is not None and _stores(edge, NOBODY) else None


def _stores(edge: Edge, value: Expr) -> bool:
    return isinstance(edge.action, Command) and any(
        is_owner(each.target) and each.value == value for each in edge.action.assignments
    )


def change_of(edge: Edge, locks: Locks) -> Change:
    """How what a thread holds changes along an edge that is no call.

    Of a class of several locks a thread has at most one, as the checker demands. So it has none
    when it has given one back; but others may have another one, and it is no gate lock.
    """
    lock, back = taken(edge), given_back(edge)
    change = Change()
    if lock is not None:
        names = frozenset({locks.of(lock)})
        change = Change(gained=names, kept=names if locks.may_be_gate(lock) else NOTHING)
    if back is not None:
        names = frozenset({locks.of(back)})
        change = change.then(Change(lost=names, freed=names))
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


def awaited(program: Program, edge: Edge, locks: Locks) -> frozenset[str]:
    """The nodes that an edge waits for, if it does: a lock, or the ends of threads.

    One that leads to a failure is no way on.
    """
    operation = edge.operation
    if operation is None or program.locations[edge.target].failure is not None:
        return frozenset()
    if operation.kind is OperationKind.ACQUIRE:
        return frozenset({locks.of(lock_of(edge))})
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
    assert edge.operation is not None
    subject = edge.operation.subject
    procedure = program.procedure_of[edge.source]
    among = None if subject is None else _started(subject, procedure, frozenset())
    for template in program.templates:
        known = among is None or template.name in among
        if template.pool and known and PoolCells(template.name).status in names:
            yield template.name


def _started(expr: Expr, procedure: Procedure, seen: Names) -> Names | None:
    """The templates whose threads a handle in locals may name; None: any."""
    match expr:
        case ThreadAt(template, _):
            return frozenset({template})
        case Const(number, _) if number == NONE:
            return NOTHING
        case Read(place) if isinstance(base := root(place), VariablePlace):
            variable = base.variable
            given = any(parameter == variable for parameter in procedure.parameters)
            if variable.scope is not Scope.LOCAL or given:
                return None
            if variable.name in seen:
                return NOTHING
            found = NOTHING
            for value in _values_of(variable, procedure):
                more = (
                    None if value is None else _started(value, procedure, seen | {variable.name})
                )
                if more is None:
                    return None
                found |= more
            return found
        case _:
            return None


def _values_of(variable: Variable, procedure: Procedure) -> Iterator[Expr | None]:
    """What a local, or a thread id in it, gets anywhere in its procedure; None: anything."""
    for declaration in procedure.locals:
        if declaration.variable == variable and declaration.initial != DEFAULT:
            yield None
    for edge in procedure.edges:
        assigned = edge.action.assignments if isinstance(edge.action, Command) else ()
        stored = [each.target for each in assigned]
        for place in action_places(edge.action):
            if place not in stored and root(place) == VariablePlace(variable):
                yield None
        for each in assigned:
            tid = isinstance(each.target.type, TidType)
            if tid and root(each.target) == VariablePlace(variable):
                yield each.value


def rest_of_guard(program: Program, edge: Edge) -> Expr:
    """What an edge asks for besides the lock being free, or the threads having ended."""
    operation = edge.operation
    if operation is None or program.locations[edge.target].failure is not None:
        return edge.action.guard
    parts = list(conjuncts(edge.action.guard))
    if operation.kind is OperationKind.ACQUIRE:
        subject = operation.subject
        assert isinstance(subject, Read)
        assert isinstance(subject.place, FieldPlace)
        parts = [part for part in parts if part != is_free(subject.place.base)]
    elif operation.kind is OperationKind.JOIN:
        statuses = {PoolCells(template.name).status for template in program.templates}
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
