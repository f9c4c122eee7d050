"""Tallies: ghosts that say how much each thread has changed a shared integer.

For a shared integer x, a variable or an element of a small array, and a template T whose threads
write x there is a new global variable, an array of unbounded integers with an element for each
thread of T. It starts with 0, and an edge `x := e` of T also does

    $x.T[self] := $x.T[self] + (e - x)

where `wrap`s that do not matter modulo the size of x are left out of e. So x is its first value
plus all tallies, modulo its size, and a tally is written by one thread only: what a thread has
contributed to a sum is known once it has been joined (the auxiliary variables of Owicki & Gries).

Nothing reads tallies but the edges that add to them. So the program with tallies has the
behaviours of the program without, step by step and edge by edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Assignment, Call, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    IndexPlace,
    Place,
    Read,
    Scope,
    SelfId,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import number, root
from threadwise.ir.program import Declaration, Edge, Procedure, Program, Template
from threadwise.ir.types import INT, ArrayType, IntType, MachineType, PerThread, RangeType
from threadwise.transforms.expose import GHOST

MOST_THREADS = 8
"""With more threads than this there are no tallies."""
MOST_ELEMENTS = 4
"""Elements of arrays with more than this have none."""


def tally(program: Program) -> Program:
    """The program with tallies of the integers that several threads write."""
    if any(isinstance(edge.action, Call) for edge in program.edges):
        raise Unsupported("tallies in a program with calls")
    if program.has_any_number or sum(t.count or 0 for t in program.templates) > MOST_THREADS:
        raise Unsupported("tallies of that many threads")
    bodies = [template.body for template in program.templates]
    if len(set(bodies)) < len(bodies):
        raise Unsupported("tallies of templates with one body")
    found = dict(_tallies(program))
    if not found:
        raise Unsupported("tallies where no integer is added to by several threads")
    taken = {d.variable.name for d, _ in program.declarations}
    if any(ghost.name in taken for ghost in found.values()):
        raise Unsupported("a tally that is called as something else is")
    declared = tuple(Declaration(ghost) for ghost in found.values())
    template_of = {template.body: template.name for template in program.templates}
    procedures = tuple(
        _counting(proc, {x: g for (x, t), g in found.items() if t == template_of.get(proc.name)})
        for proc in program.procedures
    )
    return replace(program, globals=(*program.globals, *declared), procedures=procedures)


def _name(place: Place, template: str) -> str:
    match place:
        case IndexPlace(VariablePlace(whole), Const(position, _)):
            return f"{GHOST}{whole.name}.{position}.{template}"
        case VariablePlace(whole):
            return f"{GHOST}{whole.name}.{template}"
        case _:
            raise Unsupported("a tally of something else")


def _tallies(program: Program) -> Iterator[tuple[tuple[Place, str], Variable]]:
    for declaration in program.globals:
        for place in _places(declaration.variable):
            writers = [t for t in program.templates if _writes(program, t, place)]
            several = sum(template.count or 0 for template in writers) > 1
            if several and all(_is_tallied(program, template, place) for template in writers):
                for template in writers:
                    held = ArrayType(INT, PerThread(template.name))
                    name = _name(place, template.name)
                    yield (place, template.name), Variable(name, held, Scope.GLOBAL, sync=True)


def _places(variable: Variable) -> list[Place]:
    """The integers of a variable: itself, or the elements of a small array."""
    place = VariablePlace(variable)
    match variable.type:
        case _ if variable.sync:
            return []
        case IntType() | MachineType() | RangeType():
            return [place]
        case ArrayType(IntType() | MachineType() | RangeType(), int(extent)):
            small = extent <= MOST_ELEMENTS
            return [IndexPlace(place, number(k)) for k in range(extent)] if small else []
        case _:
            return []


def _writes(program: Program, template: Template, subject: Place) -> bool:
    return any(
        root(place) == root(subject) and _may_be(place, subject)
        for edge in program.procedure[template.body].edges
        if isinstance(edge.action, Command)
        for place in (*(a.target for a in edge.action.assignments), *edge.action.havocs)
    )


def _may_be(place: Place, subject: Place) -> bool:
    """Whether a place of the same variable may be the subject."""
    if isinstance(place, IndexPlace) and isinstance(place.index, Const):
        return place == subject
    return True


def _is_tallied(program: Program, template: Template, subject: Place) -> bool:
    """Whether all writes of a template can be tallied."""
    for edge in program.procedure[template.body].edges:
        action = edge.action
        if not isinstance(action, Command):
            continue
        for place in (*(a.target for a in action.assignments), *action.havocs):
            if root(place) == root(subject) and _may_be(place, subject) and place != subject:
                return False
        if subject in action.havocs:
            return False
        values = _values(action, subject)
        if len(values) > 1 or any(_summand(value, subject) is None for value in values):
            return False
    return True


def _values(action: Command, subject: Place) -> list[Expr]:
    return [a.value for a in action.assignments if a.target == subject]


def _counting(procedure: Procedure, ghosts: dict[Place, Variable]) -> Procedure:
    return replace(procedure, edges=tuple(_edge(edge, ghosts) for edge in procedure.edges))


def _edge(edge: Edge, ghosts: dict[Place, Variable]) -> Edge:
    action = edge.action
    if not isinstance(action, Command):
        return edge
    more: list[Assignment] = []
    for x, ghost in ghosts.items():
        for value in _values(action, x):
            mine = IndexPlace(VariablePlace(ghost), SelfId())
            new = _summand(value, x)
            assert new is not None
            change = Binary(BinaryOp.SUB, new, Read(x))
            more.append(Assignment(mine, Binary(BinaryOp.ADD, Read(mine), change)))
    if not more:
        return edge
    assignments = (*action.assignments, *more)
    return replace(edge, action=replace(action, assignments=assignments))


def _summand(expr: Expr, x: Place) -> Expr | None:
    """What is assigned to x, without what does not matter modulo its size; None if it may have no
    value."""
    held = x.type
    size = held.high - held.low + 1 if isinstance(held, MachineType) else None

    def of(part: Expr) -> Expr | None:
        match part:
            case Const(value, _) if type(value) is int:
                return part
            case Read(VariablePlace()):
                return part
            case Read(place) if place == x:
                return part
            case Wrap(low, high, operand):
                inner = of(operand)
                congruent = size is not None and (high - low + 1) % size == 0
                return inner if congruent or inner is None else Wrap(low, high, inner)
            case Unary(UnaryOp.NEG, operand):
                inner = of(operand)
                return None if inner is None else Unary(UnaryOp.NEG, inner)
            case Binary(BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL as op, left, right):
                a, b = of(left), of(right)
                return None if a is None or b is None else Binary(op, a, b)
            case _:
                return None

    return of(expr)
