"""Expressions as names: what a thread knows to be equal is named alike.

    x == e, known     every occurrence of x may be replaced by e
    &*p               is p; *&x is x, if it is used with the type of x
    (p + a) + b       is p + (a + b), for elements of one type

Where both sides have a value, they are equal, and edges evaluate only what has one
(`threadwise.ir.expr`). So if the names of two expressions are the same, so are their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

import threadwise.ir.expr as ir
from threadwise.ir.fold import (
    number,
    place_expressions,
    rebuild,
    rebuild_place,
    root,
    subexpressions,
)
from threadwise.ir.folding import folded
from threadwise.ir.operations import NOBODY

Known = Mapping[ir.Expr, ir.Expr]


def named(expr: ir.Expr, known: Known) -> ir.Expr:
    """The name of a value."""
    match expr:
        case ir.Read(place):
            read: ir.Expr = ir.Read(named_place(place, known))
            return known.get(read, read)
        case ir.AddressOf(place):
            there = named_place(place, known)
            return there.pointer if isinstance(there, ir.DerefPlace) else ir.AddressOf(there)
        case _:
            return _simple(rebuild(expr, lambda part: named(part, known)))


def named_place(place: ir.Place, known: Known) -> ir.Place:
    """The name of a place."""
    match place:
        case ir.VariablePlace():
            return place
        case ir.FieldPlace(base, field):
            return ir.FieldPlace(named_place(base, known), field)
        case ir.IndexPlace(base, index):
            return ir.IndexPlace(named_place(base, known), named(index, known))
        case ir.DerefPlace(pointer, held):
            name = named(pointer, known)
            if isinstance(name, ir.AddressOf) and name.place.type == held:
                return name.place
            return ir.DerefPlace(name, held)


def _simple(expr: ir.Expr) -> ir.Expr:
    match expr:
        case ir.Binary(ir.BinaryOp.EQ | ir.BinaryOp.NE as op, left, right):
            if left == right:
                return ir.TRUE if op is ir.BinaryOp.EQ else ir.FALSE
            if {left, right} == {ir.SelfId(), NOBODY}:
                return ir.FALSE if op is ir.BinaryOp.EQ else ir.TRUE
        case ir.PointerAdd(
            ir.PointerAdd(inner, ir.Const(int(a), _), one), ir.Const(int(b), _), two
        ):
            if one == two:
                return inner if a + b == 0 else ir.PointerAdd(inner, number(a + b), one)
        case _:
            pass
    return folded(expr)


def is_own(place: ir.Place) -> bool:
    """Whether a place is a part of the thread's own variables."""
    base = root(place)
    return isinstance(base, ir.VariablePlace) and base.variable.scope is not ir.Scope.GLOBAL


def is_definite(place: ir.Place) -> bool:
    """Whether a place is always the same cell of its variable."""
    return all(isinstance(index, ir.Const) for index in place_expressions(place))


def is_lasting(expr: ir.Expr) -> bool:
    """Whether the value of an expression changes only when a cell is written that it reads."""
    fleeting = ir.IsValid | ir.IsAllocated | ir.IsWritten
    return not any(isinstance(part, fleeting) for part in subexpressions(expr))


def reads(parts: Iterable[ir.Expr]) -> Iterator[ir.Place]:
    """The places that expressions read."""
    for whole in parts:
        yield from (part.place for part in subexpressions(whole) if isinstance(part, ir.Read))


def is_personal(place: ir.Place) -> bool:
    """Whether a name means something else for each thread."""
    parts = [part for whole in place_expressions(place) for part in subexpressions(whole)]
    return any(isinstance(part, ir.SelfId | ir.SelfIndex) for part in parts) or any(
        map(is_own, reads(parts))
    )


class Lost(Exception):  # noqa: N818 - an answer, not a fault
    """What an expression means after a step cannot be said in terms of the state before."""


def before(expr: ir.Expr, value_of: Callable[[ir.Place], ir.Expr | None]) -> ir.Expr:
    """An expression over the state after a step, over the state before (Hoare's axiom).

    `value_of` has what the step assigns to a place, None if nothing; it may raise Lost.
    """
    if isinstance(expr, ir.Read) and (found := value_of(expr.place)) is not None:
        return found
    return rebuild(expr, lambda part: before(part, value_of))


def place_before(place: ir.Place, value_of: Callable[[ir.Place], ir.Expr | None]) -> ir.Place:
    """The same for a place: the expressions in its name."""
    return rebuild_place(place, lambda part: before(part, value_of))
