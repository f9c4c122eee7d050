"""What types alone say about the value of an integer expression.

Finer than `threadwise.ir.fold.interval`, which decides what checks a program contains: here bounds
only choose between exact encodings.
"""

from __future__ import annotations

from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Expr,
    Unary,
    UnaryOp,
)
from threadwise.ir.fold import Interval, interval

_BITWISE = (BinaryOp.BIT_AND, BinaryOp.BIT_OR, BinaryOp.BIT_XOR)
_LARGEST_SHIFT = 128


def bounds(expr: Expr) -> Interval:
    """The least and greatest value an expression can have; None where there is no such bound."""
    match expr:
        case Unary(UnaryOp.NEG, operand):
            low, high = bounds(operand)
            return _negated(high), _negated(low)
        case Unary(UnaryOp.BIT_NOT, operand):
            low, high = bounds(operand)
            return (None if high is None else ~high, None if low is None else ~low)
        case Binary(BinaryOp.ADD, left, right):
            return _sum(bounds(left), bounds(right))
        case Binary(BinaryOp.SUB, left, right):
            low, high = bounds(right)
            return _sum(bounds(left), (_negated(high), _negated(low)))
        case Binary(BinaryOp.MUL, left, right):
            return _product(bounds(left), bounds(right))
        case Binary(op, left, right) if op in _BITWISE:
            return _bitwise(op, bounds(left), bounds(right))
        case Binary(BinaryOp.DIV | BinaryOp.SHR | BinaryOp.MOD, left, _):
            return _towards_zero(bounds(left))
        case Binary(BinaryOp.SHL, left, right):
            distance = bounds(right)[1]
            if distance is None or distance > _LARGEST_SHIFT:
                return None, None
            return _product(bounds(left), (1, 1 << max(0, distance)))
        case Conditional(_, then, otherwise):
            (a, b), (c, d) = bounds(then), bounds(otherwise)
            return (
                None if a is None or c is None else min(a, c),
                None if b is None or d is None else max(b, d),
            )
        case _:
            return interval(expr)


def _negated(value: int | None) -> int | None:
    return None if value is None else -value


def _sum(left: Interval, right: Interval) -> Interval:
    (a, b), (c, d) = left, right
    return (
        None if a is None or c is None else a + c,
        None if b is None or d is None else b + d,
    )


def _product(left: Interval, right: Interval) -> Interval:
    (a, b), (c, d) = left, right
    if a is None or b is None or c is None or d is None:
        return None, None
    corners = [x * y for x in (a, b) for y in (c, d)]
    return min(corners), max(corners)


def _bitwise(op: BinaryOp, left: Interval, right: Interval) -> Interval:
    (a, b), (c, d) = left, right
    if op is BinaryOp.BIT_AND:
        for low, high in (left, right):
            if low is not None and low >= 0 and high is not None:
                return 0, high
    if a is None or b is None or c is None or d is None:
        return None, None
    bits = max(value.bit_length() for value in (a, b, c, d))
    if a >= 0 and c >= 0:
        return 0, (1 << bits) - 1
    return -(1 << bits), (1 << bits) - 1


def _towards_zero(known: Interval) -> Interval:
    """Bounds on |result| <= |operand|: a division by -1 may change the sign."""
    low, high = known
    if low is None or high is None:
        return None, None
    most = max(abs(low), abs(high))
    return -most, most
