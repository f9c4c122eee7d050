"""Expressions with their values: what every evaluator of the tool must agree on."""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Expr,
    IndexPlace,
    IsInstance,
    Read,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import number
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import Program
from threadwise.ir.types import INT, ArrayType, Value

PROGRAM_TEXT = """
int x = 7; int[0..9] a[3] = {4, 5, 6}; bool seen[t]; mutex m;
thread u { skip; }
thread t[3] { int r; r = 5; }
"""
"""Thread 0 is `u`, threads 1 to 3 are `t`."""

OPERATIONS: list[tuple[BinaryOp, int, int, Value]] = [
    (BinaryOp.ADD, 2, 3, 5),
    (BinaryOp.SUB, 2, 3, -1),
    (BinaryOp.MUL, -2, 3, -6),
    (BinaryOp.DIV, 7, 2, 3),
    (BinaryOp.DIV, -7, 2, -3),
    (BinaryOp.DIV, 7, -2, -3),
    (BinaryOp.DIV, -7, -2, 3),
    (BinaryOp.DIV, 0, 5, 0),
    (BinaryOp.MOD, 7, 2, 1),
    (BinaryOp.MOD, -7, 2, -1),
    (BinaryOp.MOD, 7, -2, 1),
    (BinaryOp.MOD, -7, -2, -1),
    (BinaryOp.MOD, 6, 3, 0),
    (BinaryOp.SHL, 3, 2, 12),
    (BinaryOp.SHL, -3, 1, -6),
    (BinaryOp.SHR, 12, 2, 3),
    (BinaryOp.SHR, -5, 1, -3),
    (BinaryOp.BIT_AND, 12, 10, 8),
    (BinaryOp.BIT_OR, 12, 10, 14),
    (BinaryOp.BIT_XOR, 12, 10, 6),
    (BinaryOp.LT, 1, 2, True),
    (BinaryOp.LT, 2, 2, False),
    (BinaryOp.LE, 2, 2, True),
    (BinaryOp.LE, 3, 2, False),
    (BinaryOp.GT, 3, 2, True),
    (BinaryOp.GT, 2, 2, False),
    (BinaryOp.GE, 2, 2, True),
    (BinaryOp.GE, 1, 2, False),
    (BinaryOp.EQ, 2, 2, True),
    (BinaryOp.EQ, 1, 2, False),
    (BinaryOp.NE, 1, 2, True),
    (BinaryOp.NE, 2, 2, False),
]

UNDEFINED_OPERATIONS = [
    (BinaryOp.DIV, 1, 0),
    (BinaryOp.MOD, 1, 0),
    (BinaryOp.SHL, 1, -1),
    (BinaryOp.SHR, 1, -1),
]

BAD = Binary(BinaryOp.EQ, Binary(BinaryOp.DIV, number(1), number(0)), number(1))
"""A formula without value."""

X = Read(VariablePlace(Variable("x", INT, Scope.GLOBAL)))


def element(index: Expr) -> Read:
    """An element of the array `a`."""
    held = program().globals[1].variable
    assert isinstance(held.type, ArrayType)
    return Read(IndexPlace(VariablePlace(held), index))


def program() -> Program:
    """The program that the expressions are about."""
    return model(PROGRAM_TEXT)


def both(op: BinaryOp, left: Expr, right: Expr) -> Binary:
    """Shorthand."""
    return Binary(op, left, right)


def expressions() -> list[tuple[Expr, Value]]:
    """Expressions with their values as thread 2, the second `t`, sees them at the start."""
    return [
        *((Binary(op, number(a), number(b)), value) for op, a, b, value in OPERATIONS),
        (Unary(UnaryOp.NEG, number(3)), -3),
        (Unary(UnaryOp.BIT_NOT, number(5)), -6),
        (Unary(UnaryOp.NOT, TRUE), False),
        (Unary(UnaryOp.NOT, FALSE), True),
        (both(BinaryOp.AND, TRUE, TRUE), True),
        (both(BinaryOp.AND, TRUE, FALSE), False),
        (both(BinaryOp.OR, FALSE, FALSE), False),
        (both(BinaryOp.OR, FALSE, TRUE), True),
        (both(BinaryOp.IMPLIES, TRUE, FALSE), False),
        (both(BinaryOp.IMPLIES, TRUE, TRUE), True),
        (both(BinaryOp.IMPLIES, FALSE, FALSE), True),
        # what the left operand decides is not evaluated
        (both(BinaryOp.AND, FALSE, BAD), False),
        (both(BinaryOp.OR, TRUE, BAD), True),
        (both(BinaryOp.IMPLIES, FALSE, BAD), True),
        (Conditional(TRUE, number(1), Binary(BinaryOp.DIV, number(1), number(0))), 1),
        (Conditional(FALSE, Binary(BinaryOp.MOD, number(1), number(0)), number(2)), 2),
        *((Wrap(0, 3, number(value)), value % 4) for value in (-5, -1, 0, 3, 4, 9)),
        (Wrap(-2, 1, number(2)), -2),
        (Wrap(-2, 1, number(-3)), 1),
        (Wrap(-2, 1, number(-2)), -2),
        (Clamp(0, 3, number(-1)), 0),
        (Clamp(0, 3, number(2)), 2),
        (Clamp(0, 3, number(9)), 3),
        (X, 7),
        (Binary(BinaryOp.ADD, X, X), 14),
        (element(number(0)), 4),
        (element(Binary(BinaryOp.SUB, X, number(5))), 6),
        (SelfId(), 2),
        (SelfIndex(), 1),
        (ThreadAt("t", number(0)), 1),
        (ThreadAt("t", number(2)), 3),
        (ThreadAt("u", number(0)), 0),
        (IsInstance(SelfId(), "t"), True),
        (IsInstance(SelfId(), "u"), False),
        (IsInstance(NOBODY, "t"), False),
        (Binary(BinaryOp.EQ, SelfId(), ThreadAt("t", SelfIndex())), True),
    ]


def undefined() -> list[Expr]:
    """Expressions without value."""
    return [
        *(Binary(op, number(a), number(b)) for op, a, b in UNDEFINED_OPERATIONS),
        both(BinaryOp.AND, TRUE, BAD),
        both(BinaryOp.OR, FALSE, BAD),
        both(BinaryOp.IMPLIES, TRUE, BAD),
        both(BinaryOp.AND, BAD, FALSE),
        element(number(3)),
        element(number(-1)),
        Conditional(BAD, number(1), number(2)),
    ]
