"""C's operators on values of the IR: mathematical arithmetic, brought back into range by `Wrap`.

A value of an integer type of C is an expression of kind int whose value lies in the range of the
type; so a conversion to a wider type costs nothing, and `Wrap` appears only where the bounds that
follow from types do not exclude an overflow. Truth values are 1 and 0: `as_number` and `as_truth`
go between them and formulas, and undo each other.

A shift by less than 0 or at least the width is undefined: a count that may be so is replaced by -1
there, for which the IR's shift is undefined too.
"""

from __future__ import annotations

import struct

from threadwise.frontends.c.lower.values.types import bounds
from threadwise.frontends.c.tree import BinaryOp as C
from threadwise.frontends.c.types import CBool, CFloat, CInteger, CType
from threadwise.ir.expr import (
    COMPLEMENT,
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    IntToPointer,
    Unary,
    UnaryOp,
    Wrap,
)
from threadwise.ir.fold import conjunction, interval, negation, number, within
from threadwise.ir.types import NONE, NULL, POINTER, TID, BoolType, PointerType, TidType

NULL_POINTER = Const(NULL, POINTER)
NO_THREAD = Const(NONE, TID)
ONE, ZERO = number(1), number(0)

COMPARISONS = {
    C.LESS: BinaryOp.LT,
    C.LESS_EQUAL: BinaryOp.LE,
    C.GREATER: BinaryOp.GT,
    C.GREATER_EQUAL: BinaryOp.GE,
    C.EQUAL: BinaryOp.EQ,
    C.NOT_EQUAL: BinaryOp.NE,
}
_ARITHMETIC = {
    C.MULTIPLY: BinaryOp.MUL,
    C.DIVIDE: BinaryOp.DIV,
    C.REMAINDER: BinaryOp.MOD,
    C.ADD: BinaryOp.ADD,
    C.SUBTRACT: BinaryOp.SUB,
    C.SHIFT_LEFT: BinaryOp.SHL,
    C.SHIFT_RIGHT: BinaryOp.SHR,
    C.AND: BinaryOp.BIT_AND,
    C.XOR: BinaryOp.BIT_XOR,
    C.OR: BinaryOp.BIT_OR,
}
_CLOSED = (C.AND, C.XOR, C.OR, C.REMAINDER, C.SHIFT_RIGHT)
"""Operators whose result fits the type of the operands."""


def constant(expr: Expr) -> int | None:
    """The value of an integer literal."""
    if isinstance(expr, Const) and isinstance(expr.value, int) and expr.type not in (TID,):
        return int(expr.value)
    return None


def as_number(condition: Expr) -> Expr:
    """1 or 0 for a formula."""
    if condition == TRUE:
        return ONE
    if condition == FALSE:
        return ZERO
    return Conditional(condition, ONE, ZERO)


def as_truth(value: Expr) -> Expr:
    """Whether a scalar value differs from zero, as a formula."""
    match value:
        case Conditional(condition, Const(1), Const(0)):
            return condition
        case Conditional(condition, Const(0), Const(1)):
            return opposite(condition)
        case Const(content, held):
            zero = content in (0, None) if not isinstance(held, TidType) else content == NONE
            return FALSE if zero else TRUE
        case AddressOf():
            return TRUE
        case IntToPointer(operand):
            return as_truth(operand)
        case _:
            return _differs_from_zero(value)


def _differs_from_zero(value: Expr) -> Expr:
    match value.type:
        case PointerType():
            return Binary(BinaryOp.NE, value, NULL_POINTER)
        case TidType():
            return Binary(BinaryOp.NE, value, NO_THREAD)
        case BoolType():
            return value
        case _:
            pass
    low, high = interval(value)
    if (low is not None and low > 0) or (high is not None and high < 0):
        return TRUE
    return Binary(BinaryOp.NE, value, ZERO)


def opposite(condition: Expr) -> Expr:
    """The negation of a formula, pushed into comparisons."""
    match condition:
        case Binary(op, left, right) if op in COMPLEMENT:
            return Binary(COMPLEMENT[op], left, right)
        case _:
            return negation(condition)


def either(left: Expr, right: Expr) -> Expr:
    """`left || right`, simplified."""
    if left == TRUE or right == FALSE:
        return left
    if left == FALSE:
        return right
    return Binary(BinaryOp.OR, left, right)


def both(left: Expr, right: Expr) -> Expr:
    """`left && right`, simplified."""
    return conjunction((left, right))


def choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr:
    """`condition ? then : otherwise`, simplified."""
    if condition == TRUE or then == otherwise:
        return then
    if condition == FALSE:
        return otherwise
    if (then, otherwise) == (TRUE, FALSE):
        return condition
    return Conditional(condition, then, otherwise)


def fit(low: int, high: int, value: Expr) -> Expr:
    """The value brought into a range by wrapping around."""
    known = constant(value)
    if known is not None:
        return number(low + (known - low) % (high - low + 1))
    below, above = interval(value)
    if below is not None and above is not None and low <= below and above <= high:
        return value
    if isinstance(value, Wrap) and (value.high - value.low + 1) % (high - low + 1) == 0:
        return fit(low, high, value.operand)
    return Wrap(low, high, value)


def convert_number(value: Expr, target: CType) -> Expr:
    """An integer converted to an integer type."""
    if isinstance(target, CBool):
        return as_number(as_truth(value))
    return fit(*bounds(target), value)


def compare(op: BinaryOp, left: Expr, right: Expr) -> Expr:
    """A comparison, as a formula."""
    if isinstance(left, Const) and isinstance(right, Const):
        return _decided(op, left, right)
    if op in (BinaryOp.EQ, BinaryOp.NE):
        decided = _same(left, right)
        if decided is not None:
            return TRUE if decided == (op is BinaryOp.EQ) else FALSE
        for one, other in ((left, right), (right, left)):
            if other == ZERO and not isinstance(one.type, PointerType | TidType):
                truth = as_truth(one)
                return truth if op is BinaryOp.NE else opposite(truth)
    return Binary(op, left, right)


def _same(left: Expr, right: Expr) -> bool | None:
    """Whether two pointers that are known when translating are equal."""
    for one, other in ((left, right), (right, left)):
        if isinstance(one, AddressOf) and other == NULL_POINTER:
            return False
    if isinstance(left, AddressOf) and left == right:
        return True
    return None


def _decided(op: BinaryOp, left: Const, right: Const) -> Expr:
    a, b = left.value, right.value
    if op is BinaryOp.EQ:
        return TRUE if a == b else FALSE
    if op is BinaryOp.NE:
        return TRUE if a != b else FALSE
    assert isinstance(a, int)
    assert isinstance(b, int)
    holds = {
        BinaryOp.LT: a < b,
        BinaryOp.LE: a <= b,
        BinaryOp.GT: a > b,
        BinaryOp.GE: a >= b,
    }[op]
    return TRUE if holds else FALSE


def may_overflow(op: C, left: Expr, right: Expr, held: CInteger) -> bool:
    """Whether a signed operation may leave the range of its type."""
    if not held.signed or op in _CLOSED:
        return False
    low, high = bounds(held)
    found = interval(Binary(_ARITHMETIC[op], left, right))
    return found[0] is None or found[1] is None or found[0] < low or found[1] > high


def binary(op: C, left: Expr, right: Expr, held: CType) -> Expr:
    """An arithmetic operator on two numbers of an integer type (shifts: the left one's)."""
    low, high = bounds(held)
    width = held.width if isinstance(held, CInteger) else 1
    if op in (C.SHIFT_LEFT, C.SHIFT_RIGHT):
        fits = within(right, 0, width - 1)
        right = right if fits == TRUE else choice(fits, right, number(-1))
    a, b = constant(left), constant(right)
    if a is not None and b is not None:
        folded = _folded(op, a, b)
        if folded is not None:
            return fit(low, high, number(folded))
    simple = _neutral(op, left, right, a, b)
    if simple is not None:
        return simple
    result = Binary(_ARITHMETIC[op], left, right)
    return result if op in _CLOSED else fit(low, high, result)


def _neutral(op: C, left: Expr, right: Expr, a: int | None, b: int | None) -> Expr | None:
    if b == 0 and op in (C.ADD, C.SUBTRACT, C.SHIFT_LEFT, C.SHIFT_RIGHT, C.OR, C.XOR):
        return left
    if a == 0 and op in (C.ADD, C.OR, C.XOR):
        return right
    if b == 1 and op in (C.MULTIPLY, C.DIVIDE):
        return left
    if a == 1 and op is C.MULTIPLY:
        return right
    return None


def _folded(op: C, a: int, b: int) -> int | None:
    match op:
        case C.ADD:
            return a + b
        case C.SUBTRACT:
            return a - b
        case C.MULTIPLY:
            return a * b
        case C.DIVIDE | C.REMAINDER:
            if b == 0:
                return None
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op is C.DIVIDE else a - quotient * b
        case C.SHIFT_LEFT | C.SHIFT_RIGHT:
            if b < 0:
                return None
            return a << b if op is C.SHIFT_LEFT else a >> b
        case C.AND:
            return a & b
        case C.OR:
            return a | b
        case C.XOR:
            return a ^ b
        case _:
            return None


def minus(value: Expr, held: CType) -> Expr:
    """`-value`."""
    known = constant(value)
    negated = number(-known) if known is not None else Unary(UnaryOp.NEG, value)
    return fit(*bounds(held), negated)


def complement(value: Expr, held: CType) -> Expr:
    """`~value`."""
    low, high = bounds(held)
    known = constant(value)
    if known is not None:
        return fit(low, high, number(~known))
    flipped = Unary(UnaryOp.BIT_NOT, value)
    return flipped if low < 0 else fit(low, high, flipped)


# -- floating point: bit patterns ----------------------------------------------------------------

_FORMATS = {32: ("<f", "<I", 8), 64: ("<d", "<Q", 11)}


def float_bits(value: float, held: CFloat) -> Expr | None:
    """The bits of a floating constant; None if the format is not one of ours."""
    if held.width not in _FORMATS:
        return None
    as_float, as_bits, _ = _FORMATS[held.width]
    try:
        packed = struct.pack(as_float, value)
    except OverflowError:
        return None
    return number(struct.unpack(as_bits, packed)[0])


def float_value(bits: int, held: CFloat) -> float | None:
    """The value of a bit pattern."""
    if held.width not in _FORMATS:
        return None
    as_float, as_bits, _ = _FORMATS[held.width]
    found: float = struct.unpack(as_float, struct.pack(as_bits, bits))[0]
    return found


def compare_floats(op: BinaryOp, left: Expr, right: Expr, held: CFloat) -> Expr | None:
    """A comparison of bit patterns: ordered like numbers, and never with a NaN."""
    if held.width not in _FORMATS:
        return None
    exponent = _FORMATS[held.width][2]
    sign = 1 << (held.width - 1)
    infinity = ((1 << exponent) - 1) << (held.width - 1 - exponent)

    def key(bits: Expr) -> Expr:
        known = constant(bits)
        if known is not None:
            return number(known if known < sign else sign - known)
        negative = Binary(BinaryOp.GE, bits, number(sign))
        return Conditional(negative, Binary(BinaryOp.SUB, number(sign), bits), bits)

    def is_number(bits: Expr) -> Expr:
        known = constant(bits)
        if known is not None:
            return TRUE if known & (sign - 1) <= infinity else FALSE
        magnitude = Binary(BinaryOp.BIT_AND, bits, number(sign - 1))
        return Binary(BinaryOp.LE, magnitude, number(infinity))

    numbers = both(is_number(left), is_number(right))
    holds = compare(op, key(left), key(right))
    if op is BinaryOp.NE:
        return either(opposite(numbers), holds)
    return both(numbers, holds)
