"""Definedness, bounds checks and intervals; the smart constructors."""

from __future__ import annotations

import pytest

from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    IndexPlace,
    IsValid,
    Place,
    Read,
    Scope,
    SelfId,
    SelfIndex,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import (
    Interval,
    conjunction,
    definedness,
    interval,
    is_shared,
    mentions_shared,
    negation,
    number,
    place_definedness,
    rebuild,
    subexpressions,
    within,
)
from threadwise.ir.text.printer import print_expr
from threadwise.ir.types import BOOL, INT, POINTER, ArrayType, PerThread, RangeType, Type


def place(name: str, held: Type, scope: Scope = Scope.GLOBAL) -> VariablePlace:
    return VariablePlace(Variable(name, held, scope))


def element(array: Place, index: Expr) -> Read:
    return Read(IndexPlace(array, index))


x, y = Read(place("x", INT)), Read(place("y", INT))
bit = Read(place("bit", RangeType(0, 1)))
p, q = Read(place("p", BOOL)), Read(place("q", BOOL))
pointer = Read(place("pointer", POINTER))
a = place("a", ArrayType(INT, 2))
each = place("each", ArrayType(BOOL, PerThread("client")))
by_y = Binary(BinaryOp.DIV, x, y)
zero = Binary(BinaryOp.EQ, by_y, number(0))


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (x, "true"),
        (by_y, "y != 0"),
        (Binary(BinaryOp.MOD, x, number(2)), "true"),
        (Binary(BinaryOp.MOD, x, number(0)), "false"),
        (Binary(BinaryOp.SHL, x, y), "y >= 0"),
        (Binary(BinaryOp.SHR, x, number(-1)), "false"),
        (element(a, x), "x >= 0 && x <= 1"),
        (element(a, bit), "true"),
        (element(a, number(2)), "false"),
        (element(a, element(a, x)), "x >= 0 && x <= 1 && (a[x] >= 0 && a[x] <= 1)"),
        (element(each, SelfId()), "instance(self, client)"),
        (Read(DerefPlace(pointer, INT)), "valid(pointer, int)"),
        (
            Read(DerefPlace(Read(DerefPlace(pointer, POINTER)), INT)),
            "valid(pointer, pointer) && valid(*pointer, int)",
        ),
        (AddressOf(IndexPlace(a, x)), "x >= 0 && x <= 1"),
        (Binary(BinaryOp.AND, p, zero), "p ==> y != 0"),
        (Binary(BinaryOp.IMPLIES, p, zero), "p ==> y != 0"),
        (Binary(BinaryOp.OR, p, zero), "p || y != 0"),
        (Binary(BinaryOp.AND, zero, p), "y != 0"),
        (Binary(BinaryOp.AND, zero, zero), "y != 0 && (x / y == 0 ==> y != 0)"),
        (Conditional(p, by_y, x), "p ? y != 0 : true"),
        (Conditional(zero, x, x), "y != 0"),
        (Unary(UnaryOp.NOT, zero), "y != 0"),
        (Wrap(0, 3, by_y), "y != 0"),
    ],
)
def test_definedness(expr: Expr, expected: str) -> None:
    assert print_expr(definedness(expr)) == expected


def test_place_definedness_checks_base_before_index() -> None:
    grid = place("grid", ArrayType(ArrayType(INT, 3), 2))
    found = place_definedness(IndexPlace(IndexPlace(grid, x), y))
    assert print_expr(found) == "x >= 0 && x <= 1 && (y >= 0 && y <= 2)"


@pytest.mark.parametrize(
    ("expr", "low", "high", "expected"),
    [
        (x, 0, 3, "x >= 0 && x <= 3"),
        (bit, 0, 1, "true"),
        (bit, 1, 5, "bit >= 1"),
        (Binary(BinaryOp.ADD, bit, number(1)), 0, 1, "bit + 1 <= 1"),
        (number(7), 0, 3, "false"),
        (number(2), 0, 3, "true"),
        (Wrap(0, 3, x), 0, 3, "true"),
    ],
)
def test_within(expr: Expr, low: int, high: int, expected: str) -> None:
    assert print_expr(within(expr, low, high)) == expected


TERNARY = Read(place("ternary", RangeType(-1, 2)))


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (x, (None, None)),
        (bit, (0, 1)),
        (number(5), (5, 5)),
        (Wrap(0, 7, x), (0, 7)),
        (Clamp(-1, 1, x), (-1, 1)),
        (SelfIndex(), (0, None)),
        (Unary(UnaryOp.NEG, TERNARY), (-2, 1)),
        (Unary(UnaryOp.NEG, SelfIndex()), (None, 0)),
        (Binary(BinaryOp.ADD, TERNARY, bit), (-1, 3)),
        (Binary(BinaryOp.SUB, TERNARY, bit), (-2, 2)),
        (Binary(BinaryOp.SUB, bit, SelfIndex()), (None, 1)),
        (Binary(BinaryOp.MUL, TERNARY, TERNARY), (-2, 4)),
        (Binary(BinaryOp.MUL, TERNARY, x), (None, None)),
        (Binary(BinaryOp.MOD, x, number(4)), (-3, 3)),
        (Binary(BinaryOp.MOD, SelfIndex(), number(-4)), (0, 3)),
        (Binary(BinaryOp.MOD, x, y), (None, None)),
        (Conditional(p, bit, number(9)), (0, 9)),
        (Conditional(p, bit, SelfIndex()), (0, None)),
    ],
)
def test_interval(expr: Expr, expected: Interval) -> None:
    assert interval(expr) == expected


def test_conjunction_simplifies() -> None:
    assert conjunction(()) == TRUE
    assert conjunction((TRUE, p, TRUE)) == p
    assert conjunction((FALSE, p)) == FALSE
    assert conjunction((p, FALSE, q)) == Binary(BinaryOp.AND, p, FALSE)
    assert print_expr(conjunction((p, q, p))) == "p && q && p"


def test_negation_simplifies() -> None:
    assert negation(TRUE) == FALSE
    assert negation(FALSE) == TRUE
    assert negation(negation(p)) == p


def test_shared() -> None:
    own = Read(place("own", INT, Scope.LOCAL))
    mine = place("mine", ArrayType(INT, 2), Scope.THREAD)
    assert mentions_shared(x)
    assert mentions_shared(IsValid(Const(None, POINTER)))
    assert mentions_shared(Read(DerefPlace(Const(None, POINTER), INT)))
    assert mentions_shared(element(mine, x))
    assert not mentions_shared(element(mine, own))
    assert not mentions_shared(AddressOf(a))
    assert is_shared(IndexPlace(a, own))
    assert not is_shared(IndexPlace(mine, x))


def test_rebuild_keeps_everything_it_is_not_told_to_change() -> None:
    whole = Conditional(p, element(a, x), Wrap(0, 3, by_y))
    assert rebuild(whole, lambda part: part) == whole
    parts = list(subexpressions(whole))
    assert parts[0] == whole
    assert [part for part in parts if part == x] == [x, x]


@pytest.mark.parametrize(
    ("then", "otherwise", "held"),
    [
        (RangeType(0, 3), RangeType(0, 3), RangeType(0, 3)),
        (RangeType(0, 3), RangeType(0, 4), INT),
        (INT, RangeType(0, 4), INT),
        (BOOL, BOOL, BOOL),
        (POINTER, POINTER, POINTER),
    ],
)
def test_types_of_choices(then: Type, otherwise: Type, held: Type) -> None:
    """The type of both branches; integers of different types are any integer."""
    one, other = Read(place("x", then)), Read(place("y", otherwise))
    assert Conditional(TRUE, one, other).type == held
