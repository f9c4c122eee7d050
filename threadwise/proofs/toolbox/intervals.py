"""Bounds of integers: of expressions, and where a formula holds."""

from __future__ import annotations

from collections.abc import Mapping

from threadwise.ir.expr import (
    COMPLEMENT,
    MIRRORED,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    Read,
    Scope,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.types import IntType, MachineType, RangeType, Type

Bounds = tuple[int | None, int | None]
"""The least and the largest value; None: there may be none."""
Known = Mapping[str, Bounds]
"""Bounds of locals; one that is missing has those of its type."""


def of_type(held: Type) -> Bounds:
    """The least and the largest value of a type, if there are."""
    return (held.low, held.high) if isinstance(held, RangeType | MachineType) else (None, None)


def both(a: Bounds, b: Bounds) -> Bounds:
    """The values within both."""
    lows = [low for low in (a[0], b[0]) if low is not None]
    highs = [high for high in (a[1], b[1]) if high is not None]
    return max(lows, default=None), min(highs, default=None)


def either(a: Bounds, b: Bounds) -> Bounds:
    """Bounds of the values within one of them."""
    low = None if a[0] is None or b[0] is None else min(a[0], b[0])
    high = None if a[1] is None or b[1] is None else max(a[1], b[1])
    return low, high


def inside(a: Bounds, b: Bounds) -> bool:
    """Whether all values within a are within b."""
    low = b[0] is None or (a[0] is not None and a[0] >= b[0])
    return low and (b[1] is None or (a[1] is not None and a[1] <= b[1]))


def bounds(expr: Expr, known: Known) -> Bounds:
    """Bounds on the value of an expression."""
    match expr:
        case Const(value, _) if isinstance(value, int):
            return value, value
        case Read(VariablePlace(variable)) if variable.scope is Scope.LOCAL:
            return both(known.get(variable.name, (None, None)), of_type(variable.type))
        case Wrap(low, high, operand):
            inner = bounds(operand, known)
            return inner if inside(inner, (low, high)) else (low, high)
        case Unary(UnaryOp.NEG, operand):
            return _minus(bounds(operand, known))
        case Binary(BinaryOp.ADD, left, right):
            return _plus(bounds(left, known), bounds(right, known))
        case Binary(BinaryOp.SUB, left, right):
            return _plus(bounds(left, known), _minus(bounds(right, known)))
        case Binary(BinaryOp.MOD, left, Const(int(value), _)) if value > 0:
            low_, high_ = bounds(left, known)
            least = 0 if low_ is not None and low_ >= 0 else 1 - value
            most = value - 1 if high_ is None else min(value - 1, max(high_, 0))
            return least, most
        case Conditional(_, then, otherwise):
            return either(bounds(then, known), bounds(otherwise, known))
        case _:
            return of_type(expr.type)


def _minus(a: Bounds) -> Bounds:
    return (None if a[1] is None else -a[1], None if a[0] is None else -a[0])


def _plus(a: Bounds, b: Bounds) -> Bounds:
    low = None if a[0] is None or b[0] is None else a[0] + b[0]
    high = None if a[1] is None or b[1] is None else a[1] + b[1]
    return low, high


def assumed(formula: Expr, known: Known, *, holds: bool = True) -> Known | None:
    """Bounds where a formula holds, or does not; None if that is nowhere within the bounds."""
    match formula:
        case Const(value, _):
            return known if bool(value) is holds else None
        case Unary(UnaryOp.NOT, operand):
            return assumed(operand, known, holds=not holds)
        case Binary(BinaryOp.AND | BinaryOp.OR as op, left, right):
            first = assumed(left, known, holds=holds)
            if (op is BinaryOp.AND) is holds:
                return None if first is None else assumed(right, first, holds=holds)
            second = assumed(right, known, holds=holds)
            if first is None or second is None:
                return second if first is None else first
            return {name: either(first[name], second[name]) for name in first if name in second}
        case Binary(op, left, right) if op in COMPLEMENT and isinstance(
            left.type, IntType | RangeType | MachineType
        ):
            op = op if holds else COMPLEMENT[op]
            a, b = bounds(left, known), bounds(right, known)
            narrowed = _narrowed(op, left, a, b, known)
            return None if narrowed is None else _narrowed(MIRRORED[op], right, b, a, narrowed)
        case _:
            return known


def _narrowed(op: BinaryOp, expr: Expr, own: Bounds, other: Bounds, known: Known) -> Known | None:
    """What `expr op e` says about a local, with e between two numbers."""
    low, high = other
    match op:
        case BinaryOp.LT:
            limits = own if high is None else both(own, (None, high - 1))
        case BinaryOp.LE:
            limits = own if high is None else both(own, (None, high))
        case BinaryOp.GT:
            limits = own if low is None else both(own, (low + 1, None))
        case BinaryOp.GE:
            limits = own if low is None else both(own, (low, None))
        case BinaryOp.EQ:
            limits = both(own, other)
        case _:
            limits = _without(own, low) if low is not None and low == high else own
    if limits[0] is not None and limits[1] is not None and limits[0] > limits[1]:
        return None
    if isinstance(expr, Read) and isinstance(expr.place, VariablePlace):
        variable = expr.place.variable
        integer = isinstance(variable.type, IntType | RangeType | MachineType)
        if variable.scope is Scope.LOCAL and integer:
            return {**known, variable.name: limits}
    return known


def _without(limits: Bounds, value: int) -> Bounds:
    low, high = limits
    return (value + 1 if low == value else low), (value - 1 if high == value else high)
