"""How edges use mutexes, read off their commands: for the checker of movers."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir import operations
from threadwise.ir.commands import Assignment, Command, OperationKind
from threadwise.ir.expr import (
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts, negation, subexpressions
from threadwise.ir.program import Edge
from threadwise.ir.types import ArrayType, MutexType


def places_in(expr: Expr) -> Iterator[Place]:
    """The places an expression mentions."""
    return (part.place for part in subexpressions(expr) if isinstance(part, Read))


def base_of(place: Place) -> Variable:
    """The variable a place is a part of; there are no pointers here."""
    while not isinstance(place, VariablePlace):
        assert isinstance(place, IndexPlace | FieldPlace)
        place = place.base
    return place.variable


def is_mutex(variable: Variable) -> bool:
    """Whether a variable is a mutex or an array of them."""
    held = variable.type
    while isinstance(held, ArrayType):
        held = held.element
    return isinstance(held, MutexType)


def lock_use(edge: Edge) -> tuple[str, str] | None:
    """The mutex variable that an edge uses as a lock, and how; None if it uses none that way.

    `acquire` and `release` do to the mutex what `threadwise.ir.operations` says and nothing else;
    `refusal` only finds out that the thread does not own it.
    """
    mutex = _mutex(edge)
    if mutex is None or not isinstance(edge.action, Command):
        return None
    variable = base_of(mutex)
    indices = list(_indices(mutex))
    changes: list[Assignment] = []
    for change in edge.action.assignments:
        if base_of(change.target) == variable or _mentions(change.value, variable):
            changes.append(change)
        else:
            indices += _indices(change.target)
    for place in edge.action.havocs:
        if base_of(place) == variable:
            return None
        indices += _indices(place)
    if any(_mentions(index, variable) for index in indices):
        return None
    tests = [part for part in conjuncts(edge.action.guard) if _mentions(part, variable)]
    taken, freed = operations.acquire(mutex), operations.release(mutex)
    assert freed.requires is not None
    for kind, test, expected in (
        ("acquire", taken.command.guard, taken.command.assignments),
        ("release", freed.requires, freed.command.assignments),
        ("refusal", negation(freed.requires), ()),
    ):
        if tests == [test] and changes == list(expected):
            return variable.name, kind
    return None


def _mutex(edge: Edge) -> Place | None:
    """The mutex that the annotation of an edge names."""
    operation = edge.operation
    if operation is None or operation.kind not in (OperationKind.ACQUIRE, OperationKind.RELEASE):
        return None
    subject = operation.subject
    if not isinstance(subject, Read) or not isinstance(subject.place, FieldPlace):
        return None
    return subject.place.base if isinstance(subject.place.base.type, MutexType) else None


def _mentions(expr: Expr, variable: Variable) -> bool:
    return any(base_of(place) == variable for place in places_in(expr))


def _indices(place: Place) -> Iterator[Expr]:
    while not isinstance(place, VariablePlace):
        assert isinstance(place, IndexPlace | FieldPlace)
        if isinstance(place, IndexPlace):
            yield place.index
        place = place.base
