"""Which mutexes are nothing but locks, and what edges do to them.

A mutex *is a lock* if the program touches it by acquire and release alone. Then, for u ≠ t:

    acquire by t   moves right: once t owns the mutex, u can neither acquire nor release it
    release by t   moves left: as long as t owns the mutex, u can do neither
    refusal        the edge of a release that fails because t is not the owner moves both ways:
                   whether t is the owner is changed by t alone

A try_acquire, which can fail because of others, or any other read of the mutex makes it data. What
an edge does is determined by its command; its annotation only says which mutex is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from threadwise.ir import operations
from threadwise.ir.commands import Assignment, Command, OperationKind
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    FieldPlace,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    negation,
    place_expressions,
    read_places,
    root,
)
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import ArrayType, MutexType, Type


class LockEffect(Enum):
    """What an edge does to a lock; the value is how reports say it."""

    ACQUIRE = "acquire"
    RELEASE = "release"
    REFUSAL = "refused release"

    @property
    def right(self) -> bool:
        """Whether it moves right."""
        return self is not LockEffect.RELEASE

    @property
    def left(self) -> bool:
        """Whether it moves left."""
        return self is not LockEffect.ACQUIRE


def find_locks(program: Program) -> frozenset[str]:
    """The names of the variables that are locks, or arrays of locks."""
    found = {
        declaration.variable.name
        for declaration in program.globals
        if _is_mutex(declaration.variable.type)
    }
    for edge in program.edges:
        effect = lock_effect(edge)
        touched = {variable.name for variable in shared_variables(edge)}
        found -= touched - ({effect[0]} if effect is not None else set())
    return frozenset(found)


def lock_effect(edge: Edge) -> tuple[str, LockEffect] | None:
    """The variable of the mutex an edge uses, and how, if it uses it as a lock."""
    mutex = _subject(edge)
    if mutex is None or not isinstance(edge.action, Command):
        return None
    variable = root(mutex)
    assert isinstance(variable, VariablePlace)
    if any(_touches(place, variable.variable) for place in edge.action.havocs):
        return None
    about = [part for part in _conjuncts(edge.action.guard) if _mentions(part, variable.variable)]
    moved = tuple(a for a in edge.action.assignments if _concerns(a, variable.variable))
    taken, freed = operations.acquire(mutex), operations.release(mutex)
    assert freed.requires is not None
    effect: LockEffect | None = None
    if about == [taken.command.guard] and moved == taken.command.assignments:
        effect = LockEffect.ACQUIRE
    elif about == [freed.requires] and moved == freed.command.assignments:
        effect = LockEffect.RELEASE
    elif about == [negation(freed.requires)] and not moved:
        effect = LockEffect.REFUSAL
    return None if effect is None else (variable.variable.name, effect)


def shared_variables(edge: Edge) -> Iterator[Variable]:
    """The global variables an edge mentions."""
    read = (p for whole in action_expressions(edge.action) for p in read_places(whole))
    for place in (*action_places(edge.action), *read):
        base = root(place)
        if isinstance(base, VariablePlace) and base.variable.scope is Scope.GLOBAL:
            yield base.variable


def _subject(edge: Edge) -> Place | None:
    """The mutex that an acquire or release is annotated with."""
    operation = edge.operation
    if operation is None or operation.kind not in (OperationKind.ACQUIRE, OperationKind.RELEASE):
        return None
    match operation.subject:
        case Read(FieldPlace(mutex, "owner")) if isinstance(mutex.type, MutexType):
            base = root(mutex)
            inside = place_expressions(mutex)
            if (
                isinstance(base, VariablePlace)
                and base.variable.scope is Scope.GLOBAL
                and not any(_mentions(part, base.variable) for part in inside)
            ):
                return mutex
    return None


def _conjuncts(guard: Expr) -> Iterator[Expr]:
    """The operands of a conjunction, from right to left."""
    while isinstance(guard, Binary) and guard.op is BinaryOp.AND:
        yield from _conjuncts(guard.right)
        guard = guard.left
    yield guard


def _mentions(expr: Expr, variable: Variable) -> bool:
    return any(root(place) == VariablePlace(variable) for place in read_places(expr))


def _concerns(assignment: Assignment, variable: Variable) -> bool:
    return _touches(assignment.target, variable) or _mentions(assignment.value, variable)


def _touches(place: Place, variable: Variable) -> bool:
    return root(place) == VariablePlace(variable) or any(
        _mentions(index, variable) for index in place_expressions(place)
    )


def _is_mutex(held: Type) -> bool:
    while isinstance(held, ArrayType):
        held = held.element
    return isinstance(held, MutexType)
