"""Vectorised evaluation is exact, or refuses: compared with the reference semantics.

Numbers are drawn around the ends of 64 bits, half of that, and the ends of the types; whatever the
checkers' own evaluator answers for a table must be the reference's answer for each of its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.drawing import Draw
from tests.property.ir_term_strategies import (
    ARITHMETIC,
    EQUALITIES,
    ORDERED,
    Surroundings,
    draw_expr,
)
from threadwise.core.errors import Unsupported
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.encoding import GREATEST, encoded
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Clamp,
    Expr,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import number, rebuild
from threadwise.ir.program import Program, Template
from threadwise.ir.types import (
    BOOL,
    INT,
    NULL,
    POINTER,
    TID,
    UNSET,
    Address,
    ArrayType,
    MachineType,
    ScalarType,
    Value,
)
from threadwise.proofs.toolbox.vectors import Batch, VectorEvaluator
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.state import GlobalStore
from threadwise.semantics.step import Interpreter

X, Y, A, P, Q, B = (
    Variable(name, held, Scope.GLOBAL)
    for name, held in (
        ("x", INT),
        ("y", INT),
        ("a", ArrayType(INT, 3)),
        ("p", POINTER),
        ("q", POINTER),
        ("b", BOOL),
    )
)


def _program() -> Program:
    builder = ProgramBuilder("memory")
    for variable in (X, Y, A, P, Q, B):
        builder.shared(variable.name, variable.type)
    body = builder.procedure("t")
    body.jump(body.node(), body.node(final=True))
    builder.template(Template("t", 2, "t"))
    return builder.build()


INTERPRETER = Interpreter(_program())
EVALUATOR = VectorEvaluator(INTERPRETER)

CORNERS = sorted(
    sign * power + step
    for power in (0, 1 << 31, 1 << 32, 3037000500, 1 << 61, 1 << 62, 1 << 63)
    for sign in (1, -1)
    for step in (-1, 0, 1)
    if abs(sign * power + step) <= GREATEST
)
"""Numbers near the ends of what fits; the fourth is the root of 2^63."""
FEW = [0, 1, -1, 7, 1 << 31, 1 << 62, -(1 << 62), 1 - (1 << 62), GREATEST, -GREATEST]
BOUNDS = [0, 1, 255, -128, -9000000000000000000, 1 << 62, -(1 << 62), 1 << 63, (1 << 64) - 1]
BOUNDS += [-(1 << 63), -(1 << 70), 1 << 70]
RANGES = [(low, high) for low, high in product(BOUNDS, BOUNDS) if low <= high]
RANGES += [
    (held.low, held.high)
    for bits in (1, 8, 16, 32, 64)
    for held in (MachineType(bits, signed=True), MachineType(bits, signed=False))
]


def answers(expr: Expr, rows: Sequence[Sequence[Value]]) -> list[int] | type[Exception]:
    """What the vectorised evaluator says for some shared stores: numbers, or what it raises."""
    l = INTERPRETER.initial_local(1)
    table = np.array([[encoded(value) for value in row] for row in rows], dtype=np.int64)
    none = np.zeros((len(rows), 0), dtype=np.int64)
    ids = np.full(len(rows), 1, dtype=np.int64)
    batch = Batch("t", l.pc, ids, table, none, np.arange(len(rows)))
    try:
        found: list[int] = EVALUATOR.evaluate(expr, batch).tolist()
    except (OverflowError, Unsupported, Undefined) as error:
        return type(error)
    return found


def reference(expr: Expr, row: Sequence[Value]) -> Value | type[Exception]:
    """What the reference semantics says for one store."""
    l = INTERPRETER.initial_local(1)
    view = View(INTERPRETER.program, INTERPRETER.layout, 1, GlobalStore(tuple(row)), l)
    try:
        return view.evaluate(expr)
    except (Undefined, IndexError) as error:
        return type(error)


def agree(expr: Expr, rows: Sequence[Sequence[Value]]) -> None:
    """Check that an answer, if there is one, is the reference's."""
    found = answers(expr, rows)
    if found is Undefined:
        assert any(reference(expr, row) is Undefined for row in rows)
    elif isinstance(found, list):
        expected = [reference(expr, row) for row in rows]
        assert not any(isinstance(value, type) for value in expected)
        assert found == [encoded(value) for value in expected]  # type: ignore[arg-type]


def row(x: int = 0, y: int = 0) -> list[Value]:
    return [x, y, 0, 0, 0, NULL, NULL, False]


LEFT, RIGHT = Read(VariablePlace(X)), Read(VariablePlace(Y))


@pytest.mark.parametrize("op", [*ARITHMETIC, *EQUALITIES, *ORDERED], ids=lambda op: op.name)
def test_binary_operations_at_the_corners(op: BinaryOp) -> None:
    second = range(-2, 70) if op in (BinaryOp.SHL, BinaryOp.SHR) else CORNERS
    for x, y in product(CORNERS, second):
        agree(Binary(op, LEFT, RIGHT), [row(x, y)])


@pytest.mark.parametrize("op", [*ARITHMETIC, *EQUALITIES, *ORDERED], ids=lambda op: op.name)
def test_tables_with_far_apart_rows(op: BinaryOp) -> None:
    second = (0, 1, 31, 61, 62, 63, 64) if op in (BinaryOp.SHL, BinaryOp.SHR) else FEW
    for (x, y), shift in product(product(FEW, second), range(1, 8)):
        other = row(FEW[shift % len(FEW)], second[-shift])
        agree(Binary(op, LEFT, RIGHT), [row(x, y), other])


@pytest.mark.parametrize("op", [UnaryOp.NEG, UnaryOp.BIT_NOT])
def test_unary_operations_at_the_corners(op: UnaryOp) -> None:
    for x in CORNERS:
        agree(Unary(op, LEFT), [row(x)])
        agree(Unary(op, Unary(op, LEFT)), [row(x), row(0)])


@pytest.mark.parametrize("node", [Wrap, Clamp])
def test_ranges_at_the_corners(node: type[Wrap | Clamp]) -> None:
    for low, high in RANGES:
        for x in (*CORNERS, *(bound for bound in (low, high) if abs(bound) <= GREATEST)):
            agree(node(low, high, LEFT), [row(x)])
        agree(node(low, high, LEFT), [row(x) for x in FEW])


def test_what_is_small_is_answered() -> None:
    """Refusing is no excuse where nothing can overflow."""
    small = range(-9, 10)
    for op in (*ARITHMETIC, *ORDERED, *EQUALITIES):
        rows = [row(x, y) for x in small for y in range(1, 9)]
        assert isinstance(answers(Binary(op, LEFT, RIGHT), rows), list)
    for low, high in [(0, 3), (-128, 127), (-5, (1 << 61) - 9)]:
        for expr in (Wrap(low, high, LEFT), Clamp(low, high, LEFT)):
            assert isinstance(answers(expr, [row(x) for x in small]), list)


POINTERS: list[Value] = [
    NULL,
    *(Address(number, offset) for number in (0, 2, 3, -1) for offset in (-1, 0, 1, 2, 3)),
]
AROUND = Surroundings((X, Y, A, P, Q, B), types=(INT, POINTER, ArrayType(INT, 2)), index=True)


def _row(draw: Draw) -> list[Value]:
    numbers: list[Value] = [
        draw.pick(CORNERS) if draw.flag() else draw.number(-3, 3) for _ in range(5)
    ]
    if draw.number(0, 5) == 0:
        numbers[draw.number(0, 4)] = UNSET
    pointers = [draw.pick(POINTERS) for _ in range(2)]
    return [*numbers, *(p if p != Address(-1, 0) else NULL for p in pointers), draw.flag()]


def _without_left_shifts(expr: Expr) -> Expr:
    """The reference would compute 2 to the power of anything."""
    expr = rebuild(expr, _without_left_shifts)
    if isinstance(expr, Binary) and expr.op is BinaryOp.SHL:
        return Binary(BinaryOp.MUL, expr.left, number(1 << 20))
    return expr


@st.composite
def _questions(draw: st.DrawFn) -> tuple[Expr, list[list[Value]]]:
    source = Draw(draw)
    wanted: list[ScalarType] = [INT, INT, BOOL, POINTER, TID]
    expr = draw_expr(source, source.pick(wanted), AROUND, 4)
    return _without_left_shifts(expr), [_row(source) for _ in range(source.number(1, 3))]


@given(_questions())
def test_random_expressions(question: tuple[Expr, list[list[Value]]]) -> None:
    agree(*question)
