"""The checkers' own evaluator agrees with the reference semantics, value by value."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.semantics import expressions as samples
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import Binary, BinaryOp, Conditional, Expr
from threadwise.ir.fold import number
from threadwise.ir.types import Address, Value
from threadwise.proofs.toolbox.vectors import Batch, VectorEvaluator, as_number
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.step import Interpreter

PROGRAM = samples.program()
INTERPRETER = Interpreter(PROGRAM)
EVALUATOR = VectorEvaluator(INTERPRETER)


def batch(rows: int = 3) -> Batch:
    """Thread 2 at the start, several times over."""
    g = next(INTERPRETER.initial_globals()).cells
    l = INTERPRETER.initial_local(2)
    return Batch(
        "t",
        l.pc,
        np.full(rows, 2, dtype=np.int64),
        np.array([[as_number(v) for v in g]] * rows, dtype=np.int64),
        np.array([[as_number(v) for v in (*l.thread, *l.locals)]] * rows, dtype=np.int64),
        np.arange(rows),
    )


@pytest.mark.parametrize(("expr", "value"), samples.expressions(), ids=str)
def test_values(expr: Expr, value: Value) -> None:
    assert isinstance(value, int)
    assert EVALUATOR.evaluate(expr, batch()).tolist() == [int(value)] * 3


@pytest.mark.parametrize("expr", samples.undefined(), ids=str)
def test_undefined(expr: Expr) -> None:
    with pytest.raises(Undefined):
        EVALUATOR.evaluate(expr, batch())


def test_rows_are_evaluated_apart() -> None:
    """What one row does not need is not computed for it."""
    rows = batch(3)
    rows.shared[:, 0] = [0, 1, 2]
    is_zero = Binary(BinaryOp.EQ, samples.X, number(0))
    quotient = Binary(BinaryOp.DIV, number(6), samples.X)
    assert EVALUATOR.evaluate(Conditional(is_zero, number(9), quotient), rows).tolist() == [
        9,
        6,
        3,
    ]
    guarded = Binary(BinaryOp.OR, is_zero, Binary(BinaryOp.GE, quotient, number(6)))
    assert EVALUATOR.evaluate(guarded, rows).tolist() == [1, 1, 0]
    chosen = samples.element(samples.X)
    assert EVALUATOR.evaluate(chosen, rows).tolist() == [4, 5, 6]


@pytest.mark.parametrize("op", [BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.SHL])
def test_large_numbers_are_noticed(op: BinaryOp) -> None:
    rows = batch(1)
    rows.shared[:, 0] = (1 << 61) + 1
    right = number(-(1 << 61)) if op is BinaryOp.SUB else number(1 << 61)
    operand = number(3) if op is BinaryOp.SHL else right
    with pytest.raises(OverflowError):
        EVALUATOR.evaluate(Binary(op, samples.X, operand), rows)


def test_only_numbers_fit_a_table() -> None:
    assert as_number(True) == 1
    with pytest.raises(Unsupported):
        as_number(Address(0, 0))
    with pytest.raises(OverflowError):
        as_number(1 << 62)
