"""What expressions of programs without pointers read: used to compare two programs.

A place is *surely* read if every evaluation of the expression that yields a value reads it; other
places are read in some branch only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from threadwise.ir.commands import Allocate, Command, Free
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    Place,
    PointerExpr,
    Quantified,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, children, subexpressions
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import INT, ArrayType, MachineType, PerThread, RangeType
from threadwise.proofs.base.answer import Refuted

_LAZY = (BinaryOp.AND, BinaryOp.OR, BinaryOp.IMPLIES)
_POINTERS = get_args(PointerExpr)
_PLAIN = "no memory"
"""Among facts about the code of a program: it has neither pointers nor a heap."""


def refuse_memory(program: Program) -> None:
    """Raises Refuted if a program has pointers or a heap."""
    if _PLAIN in program.code:
        return
    for edge in program.edges:
        if isinstance(edge.action, Allocate | Free):
            raise Refuted(f"edge {edge.id} allocates memory or frees it")
        for place in action_places(edge.action):
            variable_of(place)
        for whole in action_expressions(edge.action):
            for part in subexpressions(whole):
                if isinstance(part, _POINTERS):
                    raise Refuted(f"edge {edge.id} uses pointers")
                if isinstance(part, Read):
                    variable_of(part.place)
    program.code[_PLAIN] = True


def variable_of(place: Place) -> Variable:
    """The variable that a place is part of; raises Refuted where a pointer leads to it."""
    while not isinstance(place, VariablePlace):
        if isinstance(place, DerefPlace):
            raise Refuted("a pointer is followed")
        place = place.base
    return place.variable


def indices(place: Place) -> Iterator[Expr]:
    """The indices in a place."""
    while isinstance(place, IndexPlace | FieldPlace):
        if isinstance(place, IndexPlace):
            yield place.index
        place = place.base


def places_read(expr: Expr) -> Iterator[Place]:
    """Every place that an expression may read, those in indices included."""
    for part in subexpressions(expr):
        if isinstance(part, Read):
            yield part.place


def surely_read(expr: Expr) -> Iterator[Place]:
    """Every place that an expression reads whenever it has a value."""
    match expr:
        case Read(place):
            yield place
            for index in indices(place):
                yield from surely_read(index)
        case Binary(op, left, _) if op in _LAZY:
            yield from surely_read(left)
        case Conditional(condition, _, _):
            yield from surely_read(condition)
        case Quantified():
            return
        case _:
            for part in children(expr):
                yield from surely_read(part)


def evaluated(command: Command) -> Iterator[Expr]:
    """What a command evaluates if its guard holds, the guard left out."""
    for assignment in command.assignments:
        yield from indices(assignment.target)
        yield assignment.value
    for place in command.havocs:
        yield from indices(place)


def is_shared(place: Place) -> bool:
    """Whether a place lies in memory that threads share."""
    return variable_of(place).scope is Scope.GLOBAL


def touches_shared(edge: Edge) -> bool:
    """Whether an edge may read or write shared memory."""
    if any(map(is_shared, action_places(edge.action))):
        return True
    return any(
        is_shared(place) for expr in action_expressions(edge.action) for place in places_read(expr)
    )


# -- places that exist ----------------------------------------------------------------------------


def within(held: ArrayType, index: Expr) -> tuple[Expr, ...]:
    """When an index is one of an array: exactly then."""
    if isinstance(held.extent, PerThread):
        return (IsInstance(index, held.extent.template),)
    low = Binary(BinaryOp.GE, index, Const(0, INT))
    return low, Binary(BinaryOp.LE, index, Const(held.extent - 1, INT))


def needed(place: Place) -> Iterator[Expr]:
    """Conditions that hold wherever a place exists."""
    while isinstance(place, IndexPlace | FieldPlace):
        if isinstance(place, IndexPlace):
            held = place.base.type
            if isinstance(held, ArrayType):
                yield from within(held, place.index)
            for inner in surely_read(place.index):
                yield from needed(inner)
        place = place.base


def is_clear(condition: Expr) -> bool:
    """Whether a bound of an index holds by its type."""
    match condition:
        case Binary(op, Const(int(value), _), Const(int(bound), _)):
            return value >= bound if op is BinaryOp.GE else value <= bound
        case Binary(op, Read(place), Const(int(bound), _)):
            held = place.type
            if not isinstance(held, RangeType | MachineType):
                return False
            return held.low >= bound if op is BinaryOp.GE else held.high <= bound
        case _:
            return False
