"""Compiled expressions and edges mean what the reference semantics says."""

from __future__ import annotations

import pytest

from tests.unit.semantics import expressions as samples
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import Binary, BinaryOp, Expr
from threadwise.ir.fold import number
from threadwise.ir.types import Value
from threadwise.semantics.step import Interpreter
from threadwise.systems.python_code import EdgeCompiler, TooDeep, compile_function


def compiler() -> tuple[EdgeCompiler, Interpreter]:
    program = samples.program()
    interpreter = Interpreter(program)
    return EdgeCompiler(program, interpreter.layout, "t"), interpreter


def value_of(expr: Expr) -> Value:
    """What the compiled expression gives to thread 2 at the start."""
    code, interpreter = compiler()
    g = next(interpreter.initial_globals()).cells
    pc, thread, locals_ = interpreter.initial_local(2)
    return code.formula(code.program.template["t"].body, expr)(2, g, (pc, *thread, *locals_))


@pytest.mark.parametrize(("expr", "value"), samples.expressions(), ids=str)
def test_values(expr: Expr, value: Value) -> None:
    found = value_of(expr)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("expr", samples.undefined(), ids=str)
def test_undefined(expr: Expr) -> None:
    with pytest.raises((ZeroDivisionError, IndexError, ValueError)):
        value_of(expr)


def test_long_sums_are_not_nested() -> None:
    total: Expr = number(0)
    for _ in range(2000):
        total = Binary(BinaryOp.ADD, total, number(1))
    assert value_of(total) == 2000


def test_what_python_cannot_compile_is_refused() -> None:
    deep: Expr = number(0)
    for _ in range(500):
        deep = Binary(BinaryOp.SUB, deep, number(1))
    with pytest.raises(TooDeep):
        value_of(deep)
    assert issubclass(TooDeep, Unsupported)


def test_functions_see_what_they_are_given() -> None:
    assert compile_function("a", ["return a + more"], {"more": 2})(3) == 5


def test_accesses_of_an_edge() -> None:
    program = model(
        "int[0..1] i; int[0..9] a[2]; bool b; thread t { if (b) { a[i] = a[0] + 1; } }"
    )
    interpreter = Interpreter(program)
    code = EdgeCompiler(program, interpreter.layout, "t")
    i, a, b = (interpreter.layout.globals.offset[name] for name in ("i", "a", "b"))
    found: dict[str, set[tuple[int, bool]]] = {}
    for edge in program.edges:
        touched = code.accesses(edge)(0, (1, 5, 6, True), (edge.source,))
        if touched is not None:
            found.setdefault(edge.text, set()).update(touched)
    reads_condition = next(v for k, v in found.items() if "b" in k and "a[" not in k)
    assert reads_condition == {(b, False)}
    assert found["a[i] = a[0] + 1"] == {(i, False), (a, False), (a + 1, True)}
