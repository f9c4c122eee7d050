"""Causes of state explosion: what in the text of a program makes its states so many.

It is a heuristic, shown to users whose search does not end; no verdict depends on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from threadwise.analyses.components import components
from threadwise.analyses.graphs import reachable_procedures
from threadwise.analyses.loops import loops
from threadwise.core.growth import Growth, GrowthKind
from threadwise.core.words import count
from threadwise.ir.beyond import is_beyond
from threadwise.ir.commands import Call, Command, OperationKind
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Clamp,
    Const,
    Expr,
    Place,
    Scope,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import read_places, root, subexpressions
from threadwise.ir.program import Edge, Procedure, Program
from threadwise.ir.types import IntType, Type, bounds_of, parts_of

MANY = 256
"""A variable with more values than this can make many states."""
CROWD = 4
"""So many threads can make many states by themselves."""

_ORDERS = (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE, BinaryOp.EQ, BinaryOp.NE)


def growth(program: Program) -> tuple[Growth, ...]:
    """Where states come from, the likeliest first."""
    names = reachable_procedures(program, *(template.body for template in program.templates))
    found: list[Growth] = []
    for name in names:
        procedure = program.procedure[name]
        for _, edges in loops((loc.id for loc in procedure.locations), procedure.edges):
            found.extend(_of_loop([edge for edge in edges if not is_beyond(edge)]))
        found.extend(_inputs(procedure))
    found.extend(_recursion(program, names))
    found.extend(_threads(program))
    return tuple(dict.fromkeys(sorted(found, key=lambda each: each.kind)))


def _of_loop(edges: list[Edge]) -> Iterator[Growth]:
    bounded = _compared(edges)
    growing = _made_of_themselves(edges)
    for edge in edges:
        if edge.span is None:
            continue
        if edge.operation is not None and edge.operation.kind is OperationKind.SPAWN:
            told = "threads are created in a loop"
            yield Growth(GrowthKind.CREATION, edge.span, told)
            continue
        for variable in _assigned(edge):
            if variable not in growing or not _has_many(variable.type):
                continue
            own = variable in bounded or variable.scope is Scope.LOCAL
            kind = GrowthKind.COUNTER if own else GrowthKind.LOOP
            told = f"new values in every round of a loop: {edge.text or variable.name}"
            yield Growth(kind, edge.span, told)


def _assigned(edge: Edge) -> Iterator[Variable]:
    if isinstance(edge.action, Command):
        for assignment in edge.action.assignments:
            yield from _variables((assignment.target,))


def _variables(places: Iterable[Place]) -> Iterator[Variable]:
    for place in places:
        base = root(place)
        if isinstance(base, VariablePlace):
            yield base.variable


def _made_of_themselves(edges: list[Edge]) -> set[Variable]:
    """The variables whose next value depends on the one before."""
    after: dict[Variable, list[Variable]] = {}
    for edge in edges:
        if not isinstance(edge.action, Command):
            continue
        for assignment in edge.action.assignments:
            for target in _variables((assignment.target,)):
                after.setdefault(target, []).extend(_variables(read_places(assignment.value)))
    return {variable for part in components(after) for variable in part}


def _compared(edges: list[Edge]) -> set[Variable]:
    """The variables that a loop compares with constants, also by way of copies."""
    found: set[Variable] = set()
    copies: dict[Variable, set[Variable]] = {}
    for edge in edges:
        if not isinstance(edge.action, Command):
            continue
        for part in subexpressions(edge.action.guard):
            if isinstance(part, Binary) and _bounds_values(part):
                found.update(_variables(read_places(part)))
        for assignment in edge.action.assignments:
            read = set(_variables(read_places(assignment.value)))
            if len(read) == 1:
                for target in _variables((assignment.target,)):
                    copies.setdefault(target, set()).update(read)
    return found.union(*(copies.get(variable, set()) for variable in found))


def _bounds_values(compared: Binary) -> bool:
    """Whether values are compared with a constant."""
    sides = compared.left, compared.right
    constant = any(isinstance(side, Const) for side in sides)
    return compared.op in _ORDERS and constant and not any(map(_says_little, sides))


def _says_little(side: Expr) -> bool:
    """Whether values may grow while this does not: `put - got` of a distance, `put % SIZE`."""
    while isinstance(side, Wrap | Clamp):
        side = side.operand
    if not isinstance(side, Binary):
        return False
    if side.op is BinaryOp.SUB:
        return all(any(read_places(part)) for part in (side.left, side.right))
    return side.op in (BinaryOp.MOD, BinaryOp.BIT_AND)


def _has_many(held: Type) -> bool:
    for part in parts_of(held):
        bounds = bounds_of(part)
        if isinstance(part, IntType) or (bounds is not None and bounds[1] - bounds[0] >= MANY):
            return True
    return False


def _inputs(procedure: Procedure) -> Iterator[Growth]:
    for edge in procedure.edges:
        if edge.span is None or is_beyond(edge) or not isinstance(edge.action, Command):
            continue
        if any(_has_many(place.type) for place in edge.action.havocs):
            told = f"any of very many values: {edge.text}" if edge.text else "any value"
            yield Growth(GrowthKind.INPUT, edge.span, told)


def _recursion(program: Program, names: list[str]) -> Iterator[Growth]:
    calls = {
        name: [
            edge.action.procedure
            for edge in program.procedure[name].edges
            if isinstance(edge.action, Call)
        ]
        for name in names
    }
    for part in components(calls):
        for name in sorted(part):
            for edge in program.procedure[name].edges:
                action = edge.action
                if edge.span and isinstance(action, Call) and action.procedure in part:
                    told = f"{action.procedure} may call itself to any depth"
                    yield Growth(GrowthKind.RECURSION, edge.span, told)


def _threads(program: Program) -> Iterator[Growth]:
    counts = [(template.count or 0, template) for template in program.templates]
    total = sum(number for number, _ in counts)
    most = max(counts, key=lambda pair: pair[0], default=None)
    if most is not None and most[1].span is not None and total >= CROWD:
        told = f"{count(total, 'thread')} side by side, {most[0]} of {most[1].name}"
        yield Growth(GrowthKind.THREADS, most[1].span, told)
