"""Expressions with known values put in, and evaluated as far as they go.

`Folding` keeps the meaning: an expression that has no value (a division by zero) is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.ir.expr import (
    COMPARISONS,
    COMPLEMENT,
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    Expr,
    IsInstance,
    IsWritten,
    Place,
    PointerAdd,
    Read,
    Unary,
    UnaryOp,
    Wrap,
)
from threadwise.ir.fold import negation, number, rebuild
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.types import NONE, Address, IntType, MachineType, RangeType, Type, Value

Known = Callable[[Place], Const | None]
"""The constant that a place holds, if it is known to hold one."""

_ARITHMETIC: dict[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: int.__add__,
    BinaryOp.SUB: int.__sub__,
    BinaryOp.MUL: int.__mul__,
    BinaryOp.BIT_AND: int.__and__,
    BinaryOp.BIT_OR: int.__or__,
    BinaryOp.BIT_XOR: int.__xor__,
}
_ORDER: dict[BinaryOp, Callable[[int, int], bool]] = {
    BinaryOp.LT: int.__lt__,
    BinaryOp.LE: int.__le__,
    BinaryOp.GT: int.__gt__,
    BinaryOp.GE: int.__ge__,
}


class Folding:
    """Folds expressions with some knowledge; `written` says which places surely hold something."""

    def __init__(self, known: Known, written: Callable[[Place], bool]) -> None:
        self.known = known
        self.written = written

    def of(self, expr: Expr) -> Expr:
        """The expression, simplified; the same object if there is nothing to simplify."""
        if isinstance(expr, Const):
            return expr
        if isinstance(expr, Read):
            constant = self.known(expr.place)
            return rebuild(expr, self.of) if constant is None else constant
        if isinstance(expr, IsWritten) and self.written(expr.place):
            return TRUE
        return folded(rebuild(expr, self.of))


def folded(expr: Expr) -> Expr:
    """The expression evaluated at its top, if its operands allow it."""
    match expr:
        case Unary(op, operand):
            return _unary(expr, op, operand)
        case Binary(op, left, right):
            return _binary(expr, op, left, right)
        case Conditional(Const(value, _), then, otherwise):
            return then if value else otherwise
        case Wrap(low, high, Const(int(value), _)):
            return number(low + (value - low) % (high - low + 1))
        case Clamp(low, high, Const(int(value), _)):
            return number(min(max(value, low), high))
        case IsInstance(Const(value, _), _) if value == NONE:
            return FALSE
        case PointerAdd(Const(value, held), Const(int(count), _), element):
            found = moved(value, count, element)
            return expr if found is None else Const(found, held)
        case _:
            return expr


def moved(value: Value, count: int, element: Type) -> Address | None:
    """The address so many elements further on; None if it has no value or depends on threads."""
    if not isinstance(value, Address) or value.number < 0 or not has_static_size(element):
        return None
    return Address(value.number, value.offset + count * size_of(element, NO_THREADS))


def _unary(expr: Expr, op: UnaryOp, operand: Expr) -> Expr:
    if op is UnaryOp.NOT:
        folds = isinstance(operand, Const | Unary)
        return negation(operand) if folds else expr
    value = _integer(operand)
    if value is None:
        return expr
    return number(-value if op is UnaryOp.NEG else ~value)


def _binary(expr: Expr, op: BinaryOp, left: Expr, right: Expr) -> Expr:
    if op in (BinaryOp.AND, BinaryOp.OR, BinaryOp.IMPLIES):
        return _connective(expr, op, left, right)
    if isinstance(left, Const) and isinstance(right, Const):
        if op in (BinaryOp.EQ, BinaryOp.NE):
            same = left.value == right.value
            return TRUE if same == (op is BinaryOp.EQ) else FALSE
        a, b = _integer(left), _integer(right)
        if a is not None and b is not None:
            if op in _ARITHMETIC:
                return number(_ARITHMETIC[op](a, b))
            if op in _ORDER:
                return TRUE if _ORDER[op](a, b) else FALSE
    if op in COMPARISONS and isinstance(left, Conditional) and isinstance(right, Const):
        return _compared(expr, op, left, right)
    return expr


def _compared(expr: Expr, op: BinaryOp, left: Conditional, right: Const) -> Expr:
    """`(c ? a : b) == k` as a formula over c, if the comparison of a or of b is decided."""
    then, otherwise = (folded(Binary(op, b, right)) for b in (left.then, left.otherwise))
    condition = left.condition
    if then == TRUE:
        return folded(Binary(BinaryOp.OR, condition, otherwise))
    if then == FALSE:
        return folded(Binary(BinaryOp.AND, opposite(condition), otherwise))
    if otherwise == FALSE:
        return folded(Binary(BinaryOp.AND, condition, then))
    if otherwise == TRUE:
        return folded(Binary(BinaryOp.OR, opposite(condition), then))
    return expr


_DUALS = {BinaryOp.AND: BinaryOp.OR, BinaryOp.OR: BinaryOp.AND}


def opposite(condition: Expr) -> Expr:
    """`!condition` with the negation as far inside as it goes; evaluates the same operands."""
    match condition:
        case Binary(op, left, right) if op in COMPLEMENT:
            return Binary(COMPLEMENT[op], left, right)
        case Binary(op, left, right) if op in _DUALS:
            return Binary(_DUALS[op], opposite(left), opposite(right))
        case _:
            return negation(condition)


def _connective(expr: Expr, op: BinaryOp, left: Expr, right: Expr) -> Expr:
    """Folds only what is not evaluated: the right operand may be undefined."""
    if not isinstance(left, Const):
        neutral = TRUE if op is BinaryOp.AND else FALSE
        return left if right == neutral and op is not BinaryOp.IMPLIES else expr
    if op is BinaryOp.AND:
        return right if left.value else FALSE
    if op is BinaryOp.OR:
        return TRUE if left.value else right
    return right if left.value else TRUE


def _integer(expr: Expr) -> int | None:
    if not isinstance(expr, Const) or isinstance(expr.value, bool):
        return None
    if not isinstance(expr.type, IntType | RangeType | MachineType):
        return None
    return expr.value if isinstance(expr.value, int) else None


def typed(constant: Const, place: Place) -> Const | None:
    """The constant as a value of a place; None if it is none of its type."""
    value: Value = constant.value
    held = place.type
    if isinstance(held, RangeType | MachineType):
        fits = isinstance(value, int) and held.low <= value <= held.high
        return Const(value, held) if fits else None
    return Const(value, held)
