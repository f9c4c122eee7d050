"""Folding: the same values as the reference semantics, and none where there is none."""

from __future__ import annotations

from tests.unit.semantics import expressions as samples
from tests.unit.semantics.test_evaluate import view
from threadwise.ir.expr import (
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
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import number
from threadwise.ir.folding import Folding, folded, opposite
from threadwise.ir.operations import NOBODY
from threadwise.ir.types import (
    BOOL,
    INT,
    NULL,
    POINTER,
    TID,
    Address,
    ArrayType,
    MachineType,
    PerThread,
    RangeType,
)
from threadwise.semantics.evaluate import Undefined

B = Read(VariablePlace(Variable("b", BOOL, Scope.GLOBAL)))
X = samples.X
IS_SEVEN = Binary(BinaryOp.EQ, X, number(7))
NARROW = Const(5, MachineType(8, signed=False))
SMALL = Const(2, RangeType(0, 3))
SOME = Const(1, TID)

FOLDED: list[tuple[Expr, Expr]] = [
    (Binary(BinaryOp.ADD, NARROW, SMALL), number(7)),
    (Binary(BinaryOp.LT, SMALL, NARROW), TRUE),
    (Unary(UnaryOp.NEG, NARROW), number(-5)),
    (Unary(UnaryOp.BIT_NOT, SMALL), number(-3)),
    (Binary(BinaryOp.EQ, SOME, NOBODY), FALSE),
    (Binary(BinaryOp.NE, SOME, NOBODY), TRUE),
    (Binary(BinaryOp.LT, SOME, number(3)), Binary(BinaryOp.LT, SOME, number(3))),
    (Unary(UnaryOp.NEG, SOME), Unary(UnaryOp.NEG, SOME)),
    (Unary(UnaryOp.NEG, TRUE), Unary(UnaryOp.NEG, TRUE)),
    (Binary(BinaryOp.ADD, TRUE, number(1)), Binary(BinaryOp.ADD, TRUE, number(1))),
    (Unary(UnaryOp.NOT, Unary(UnaryOp.NOT, B)), B),
    (Unary(UnaryOp.NOT, B), Unary(UnaryOp.NOT, B)),
    (Binary(BinaryOp.AND, B, TRUE), B),
    (Binary(BinaryOp.AND, B, FALSE), Binary(BinaryOp.AND, B, FALSE)),
    (Binary(BinaryOp.OR, B, FALSE), B),
    (Binary(BinaryOp.OR, B, TRUE), Binary(BinaryOp.OR, B, TRUE)),
    (Binary(BinaryOp.IMPLIES, B, TRUE), Binary(BinaryOp.IMPLIES, B, TRUE)),
    (Binary(BinaryOp.AND, TRUE, B), B),
    (Binary(BinaryOp.OR, FALSE, B), B),
    (Binary(BinaryOp.IMPLIES, TRUE, B), B),
    (Conditional(TRUE, X, number(2)), X),
    (Conditional(FALSE, X, number(2)), number(2)),
    (Wrap(0, 3, X), Wrap(0, 3, X)),
    (Clamp(0, 3, X), Clamp(0, 3, X)),
    (IsInstance(NOBODY, "t"), FALSE),
    (IsInstance(SOME, "t"), IsInstance(SOME, "t")),
]
CHOICE = Conditional(IS_SEVEN, number(1), X)
OTHER = Conditional(IS_SEVEN, X, number(1))
COMPARED: list[Expr] = [
    Binary(BinaryOp.EQ, CHOICE, number(1)),
    Binary(BinaryOp.EQ, CHOICE, number(2)),
    Binary(BinaryOp.EQ, OTHER, number(1)),
    Binary(BinaryOp.EQ, OTHER, number(2)),
    Binary(BinaryOp.LT, Conditional(IS_SEVEN, number(1), number(3)), number(2)),
]


def test_values_are_those_of_the_semantics() -> None:
    there = view(samples.program(), 2)
    for expr, value in samples.expressions():
        assert there.evaluate(folded(expr)) == value, expr
    for expr in samples.undefined():
        try:
            there.evaluate(folded(expr))
        except Undefined:
            continue
        raise AssertionError(expr)


def test_what_is_folded_and_what_is_not() -> None:
    for expr, expected in FOLDED:
        assert folded(expr) == expected, expr


def test_comparisons_of_choices_keep_their_value() -> None:
    there = view(samples.program(), 2)
    for expr in COMPARED:
        found = folded(expr)
        assert not isinstance(getattr(found, "left", None), Conditional), expr
        for x in (1, 2, 3, 7):
            known = Folding(lambda _: number(x), lambda _: False)  # noqa: B023
            assert there.evaluate(known.of(found)) == there.evaluate(known.of(expr)), (expr, x)


def test_opposites_are_evaluated_alike() -> None:
    there = view(samples.program(), 2)
    parts: list[Expr] = [
        IS_SEVEN,
        Binary(BinaryOp.LT, X, number(7)),
        Binary(BinaryOp.GE, X, number(3)),
    ]
    formulas: list[Expr] = [*parts, TRUE, FALSE, Unary(UnaryOp.NOT, parts[0])]
    formulas += [
        Binary(op, a, b) for op in (BinaryOp.AND, BinaryOp.OR) for a in parts for b in parts
    ]
    for formula in formulas:
        assert there.evaluate(opposite(formula)) == (not there.evaluate(formula))


def test_pointers_are_moved_by_the_size_of_their_elements() -> None:
    here = Const(Address(4, 2), POINTER)
    pair, per = ArrayType(INT, 2), ArrayType(INT, PerThread("t"))
    assert folded(PointerAdd(here, number(3), pair)) == Const(Address(4, 8), POINTER)
    assert folded(PointerAdd(here, number(-1), INT)) == Const(Address(4, 1), POINTER)
    for left in (
        PointerAdd(here, number(1), per),
        PointerAdd(Const(NULL, POINTER), number(1), INT),
        PointerAdd(Const(Address(-2, 0), POINTER), number(1), INT),
        PointerAdd(here, X, INT),
    ):
        assert folded(left) == left


def test_what_is_known_is_put_in() -> None:
    def known(place: Place) -> Const | None:
        return number(4) if place == X.place else None

    folding = Folding(known, lambda place: place == X.place)
    assert folding.of(Binary(BinaryOp.ADD, X, number(3))) == number(7)
    assert folding.of(samples.element(X)) == samples.element(number(4))
    assert folding.of(IsWritten(X.place)) == TRUE
    assert folding.of(IsWritten(B.place)) == IsWritten(B.place)
