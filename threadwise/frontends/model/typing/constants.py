"""Arithmetic on constants, with the meaning the expressions have at run time."""

from __future__ import annotations

from collections.abc import Callable

from threadwise.ir.expr import BinaryOp, Const, UnaryOp
from threadwise.ir.types import BOOL, INT, RangeType

_LARGEST = 1 << 4096
"""Larger values are not folded: no model needs them, and `1 << 1000000000` must not hang."""


def divide(left: int, right: int) -> int:
    """The quotient, truncated towards zero as in C."""
    quotient = abs(left) // abs(right)
    return quotient if (left >= 0) == (right >= 0) else -quotient


def _shift_left(left: int, right: int) -> int:
    return left << right if right <= _LARGEST.bit_length() else _LARGEST


_ARITHMETIC: dict[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.MUL: lambda a, b: a * b,
    BinaryOp.DIV: divide,
    BinaryOp.MOD: lambda a, b: a - divide(a, b) * b,
    BinaryOp.ADD: lambda a, b: a + b,
    BinaryOp.SUB: lambda a, b: a - b,
    BinaryOp.SHL: _shift_left,
    BinaryOp.SHR: lambda a, b: a >> b,
    BinaryOp.BIT_AND: lambda a, b: a & b,
    BinaryOp.BIT_XOR: lambda a, b: a ^ b,
    BinaryOp.BIT_OR: lambda a, b: a | b,
}
_COMPARISON: dict[BinaryOp, Callable[[int, int], bool]] = {
    BinaryOp.LT: lambda a, b: a < b,
    BinaryOp.LE: lambda a, b: a <= b,
    BinaryOp.GT: lambda a, b: a > b,
    BinaryOp.GE: lambda a, b: a >= b,
    BinaryOp.EQ: lambda a, b: a == b,
    BinaryOp.NE: lambda a, b: a != b,
}


def fold_binary(op: BinaryOp, left: Const, right: Const) -> Const | None:
    """The value of an operator applied to defined constants; None if it is too large."""
    first, second = left.value, right.value
    assert isinstance(first, int)
    assert isinstance(second, int)
    if op in _COMPARISON:
        return Const(_COMPARISON[op](first, second), BOOL)
    value = _ARITHMETIC[op](first, second)
    return Const(value, INT) if abs(value) < _LARGEST else None


def fold_unary(op: UnaryOp, operand: Const) -> Const:
    """The value of an operator applied to a constant."""
    value = operand.value
    assert isinstance(value, int)
    match op:
        case UnaryOp.NEG:
            return Const(-value, INT)
        case UnaryOp.BIT_NOT:
            return Const(~value, INT)
        case UnaryOp.NOT:
            return Const(not value, BOOL)


def wrapped(value: int, held: RangeType) -> int:
    """The value congruent modulo the size of the range."""
    return held.low + (value - held.low) % (held.high - held.low + 1)


def clamped(value: int, held: RangeType) -> int:
    """The nearest value of the range."""
    return max(held.low, min(held.high, value))
