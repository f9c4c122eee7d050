"""Locks, creations and integers of edges, for the analysis of lock invariants (`resting`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from threadwise.analyses import worklist
from threadwise.ir.commands import Command
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
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, conjuncts, rebuild, root, subexpressions
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import (
    Edge,
    LocId,
    Program,
    Template,
)
from threadwise.ir.types import MutexType

SHARED = "shared "
"""In front of the names of shared variables, which are locals for the analysis of intervals."""


def acquired(edge: Edge) -> list[Place]:
    """The owners of locks that an edge sets to the thread that takes it."""
    return _owners(edge, SelfId())


def released(edge: Edge) -> list[Place]:
    """The owners of locks that an edge sets to `none`."""
    return _owners(edge, NOBODY)


def _owners(edge: Edge, value: Expr) -> list[Place]:
    action = edge.action
    if not isinstance(action, Command):
        return []
    return [
        each.target
        for each in action.assignments
        if each.value == value and _is_owner(each.target)
    ]


def contradicts(edge: Edge, held: frozenset[Place]) -> bool:
    """Whether an edge is not taken with these locks held, and no others."""
    for part in conjuncts(edge.action.guard):
        true = not (isinstance(part, Unary) and part.op is UnaryOp.NOT)
        told = part.operand if isinstance(part, Unary) and not true else part
        match told:
            case Binary(BinaryOp.EQ | BinaryOp.NE as op, Read(place), right) if _is_owner(place):
                equal = true == (op is BinaryOp.EQ)
                if right == NOBODY and equal and place in held:
                    return True
                if right == SelfId() and equal != (place in held):
                    return True
            case _:
                pass
    return False


def _is_owner(place: Place) -> bool:
    if not isinstance(place, FieldPlace) or place.field != "owner":
        return False
    inner: Place = place.base
    if not isinstance(inner.type, MutexType):
        return False
    while not isinstance(inner, VariablePlace):
        if isinstance(inner, IndexPlace) and not isinstance(inner.index, Const):
            return False
        if not isinstance(inner, IndexPlace | FieldPlace):
            return False
        inner = inner.base
    return True


def written(edge: Edge) -> Iterator[Variable]:
    """The shared variables that an edge writes."""
    action = edge.action
    if isinstance(action, Command):
        for place in (*(a.target for a in action.assignments), *action.havocs):
            base = root(place)
            if isinstance(base, VariablePlace) and base.variable.scope is Scope.GLOBAL:
                yield base.variable


def created(program: Program, template: Template) -> Variable | None:
    """The variable without which threads of a template do not begin."""
    if template.count is not None:
        return None
    entry = program.procedure[template.body].entry
    found: list[set[Variable]] = [
        {
            part.place.variable
            for part in conjuncts(edge.action.guard)
            if isinstance(part, Read) and isinstance(part.place, VariablePlace)
        }
        for edge in program.outgoing[entry]
    ]
    common = set.intersection(*found) if found else set()
    sync = [v for v in common if v.scope is Scope.GLOBAL and v.sync]
    return min(sync, key=lambda v: v.name) if sync else None


def reached(edges: Iterable[Edge], start: Iterable[LocId]) -> set[LocId]:
    """The locations that edges lead to from some."""
    ways: dict[LocId, list[LocId]] = {}
    for edge in edges:
        ways.setdefault(edge.source, []).append(edge.target)
    return set(worklist.reached(start, lambda here: ways.get(here, ())))


def numbers_in(program: Program) -> list[int]:
    """Constants of the program, and their neighbours: thresholds for widening."""
    found: set[int] = {0}
    for edge in program.edges:
        for expr in action_expressions(edge.action):
            for part in subexpressions(expr):
                if isinstance(part, Const) and type(part.value) is int:
                    found |= {part.value - 1, part.value, part.value + 1}
    return sorted(found) if len(found) <= 60 else sorted(found)[:60]


def renamed(expr: Expr) -> Expr:
    """An expression with locals in place of shared integers, as intervals know them."""
    match expr:
        case Read(VariablePlace(variable)) if variable.scope is Scope.GLOBAL:
            name = SHARED + variable.name
            return Read(VariablePlace(replace(variable, name=name, scope=Scope.LOCAL)))
        case _:
            return rebuild(expr, renamed)
