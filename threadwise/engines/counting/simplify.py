"""Expressions with constants folded, and integer expressions as linear ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from threadwise.ir import folding
from threadwise.ir.expr import (
    COMPARISONS,
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    Expr,
    IsInstance,
    SelfId,
    ThreadAt,
    Unary,
    UnaryOp,
    Wrap,
)
from threadwise.ir.fold import conjunction, negation, number, rebuild
from threadwise.ir.types import NONE, BoolType

_COMPARE: Mapping[BinaryOp, Callable[[int, int], bool]] = {
    BinaryOp.LT: lambda a, b: a < b,
    BinaryOp.LE: lambda a, b: a <= b,
    BinaryOp.GT: lambda a, b: a > b,
    BinaryOp.GE: lambda a, b: a >= b,
}
_COMPUTE: Mapping[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: lambda a, b: a + b,
    BinaryOp.SUB: lambda a, b: a - b,
    BinaryOp.MUL: lambda a, b: a * b,
    BinaryOp.BIT_AND: lambda a, b: a & b,
    BinaryOp.BIT_OR: lambda a, b: a | b,
    BinaryOp.BIT_XOR: lambda a, b: a ^ b,
}


def folded(expr: Expr) -> Expr:
    """The expression, computed if its direct operands are constants."""
    match expr:
        case Unary(UnaryOp.NOT, operand):
            return negation(operand)
        case Unary(UnaryOp.NEG, Const(int(value), _)):
            return number(-value)
        case Binary():
            return _binary(expr)
        case Conditional(Const(value, _), then, otherwise):
            return then if value else otherwise
        case Conditional(_, then, otherwise) if then == otherwise:
            return then
        case Wrap(low, high, Const(int(value), _)):
            return number(low + (value - low) % (high - low + 1))
        case Clamp(low, high, Const(int(value), _)):
            return number(min(max(value, low), high))
        case IsInstance(ThreadAt(template, _), wanted):
            return TRUE if template == wanted else FALSE
        case IsInstance(Const(value, _), _) if value == NONE:
            return FALSE
        case _:
            return expr


def _binary(expr: Binary) -> Expr:
    match expr:
        case Binary(BinaryOp.AND, left, right):
            if FALSE in (left, right):
                return FALSE
            return conjunction((left, right))
        case Binary(BinaryOp.OR, left, right):
            return _disjunction(left, right)
        case Binary(BinaryOp.IMPLIES, left, right):
            return _disjunction(negation(left), right)
        case Binary(op, Conditional(), Const()) if op in COMPARISONS and _chosen(expr) != expr:
            return _chosen(expr)
        case Binary(BinaryOp.EQ, left, right):
            return _equal(left, right) or expr
        case Binary(BinaryOp.NE, left, right):
            return negation(_equal(left, right) or Binary(BinaryOp.EQ, left, right))
        case Binary(op, Const(int(a), _), Const(int(b), _)):
            if op in _COMPARE:
                return TRUE if _COMPARE[op](a, b) else FALSE
            if op in _COMPUTE:
                return number(_COMPUTE[op](a, b))
            if op in (BinaryOp.DIV, BinaryOp.MOD) and b != 0:
                quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
                return number(quotient if op is BinaryOp.DIV else a - quotient * b)
        case _:
            pass
    return expr


def _chosen(expr: Binary) -> Expr:
    """`(c ? a : b) == k` as a formula over c, where one of the two is decided."""
    formula = folding.folded(expr)
    return formula if formula == expr else simplified(formula)


def simplified(expr: Expr) -> Expr:
    """The expression with everything inside computed."""
    return folded(rebuild(expr, simplified))


def _disjunction(left: Expr, right: Expr) -> Expr:
    if TRUE in (left, right):
        return TRUE
    if left == FALSE:
        return right
    if right == FALSE:
        return left
    return Binary(BinaryOp.OR, left, right)


def _equal(left: Expr, right: Expr) -> Expr | None:
    """Whether two values are equal, if that is known."""
    if isinstance(left, Const) and isinstance(right, Const):
        return TRUE if left.value == right.value else FALSE
    if left == right:
        return TRUE
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Const) and one.value == NONE and is_some_thread(other):
            return FALSE
        if isinstance(one, Const) and isinstance(one.type, BoolType):
            return other if one.value else negation(other)
    return None


def is_some_thread(expr: Expr) -> bool:
    """Whether an id cannot be `none`."""
    return isinstance(expr, SelfId | ThreadAt)


Linear = tuple[dict[Expr, int], int]


def unwrapped(expr: Expr) -> Expr:
    """An expression whose sums are taken not to wrap around."""
    expr = rebuild(expr, unwrapped)
    return expr.operand if isinstance(expr, Wrap) else expr


def linear(expr: Expr) -> Linear:
    """An integer or truth value as a sum of atoms with factors, and a constant.

    An atom is whatever is not linear itself; a truth value counts 0 or 1.
    """
    match expr:
        case Const(value, _) if isinstance(value, int):
            return {}, int(value)
        case Unary(UnaryOp.NEG, operand):
            return scaled(linear(operand), -1)
        case Unary(UnaryOp.NOT, operand):
            return plus(({}, 1), linear(operand), -1)
        case Binary(BinaryOp.ADD, left, right):
            return plus(linear(left), linear(right))
        case Binary(BinaryOp.SUB, left, right):
            return plus(linear(left), linear(right), -1)
        case Binary(BinaryOp.MUL, Const(int(factor), _), other) | Binary(
            BinaryOp.MUL, other, Const(int(factor), _)
        ):
            return scaled(linear(other), factor)
        case _:
            return {expr: 1}, 0


def scaled(form: Linear, factor: int) -> Linear:
    """A multiple of a linear form."""
    terms, constant = form
    if factor == 0:
        return {}, 0
    return {atom: factor * times for atom, times in terms.items()}, factor * constant


def plus(left: Linear, right: Linear, factor: int = 1) -> Linear:
    """`left + factor * right`."""
    terms = dict(left[0])
    for atom, times in right[0].items():
        total = terms.get(atom, 0) + factor * times
        if total:
            terms[atom] = total
        else:
            terms.pop(atom, None)
    return terms, left[1] + factor * right[1]
