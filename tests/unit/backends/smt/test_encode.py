"""Expressions in the solver's logic have the values of the reference semantics."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.property.drawing import Draw
from tests.property.ir_term_strategies import Surroundings, draw_expr
from tests.unit.semantics import expressions as samples
from tests.unit.semantics.running import model
from threadwise.backends.smt.decode import Decoder
from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment, Environments
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.solver import Answer, Solver
from threadwise.backends.smt.values import terms_of
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    Read,
    Scope,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import definedness, number
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import Declaration, ListedValues, Program
from threadwise.ir.types import (
    BOOL,
    INT,
    TID,
    ArrayType,
    BoolType,
    EnumType,
    MachineType,
    PerThread,
    RangeType,
    RecordType,
    ScalarType,
    TidType,
    Type,
    Value,
)
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.state import GlobalStore
from threadwise.semantics.step import Interpreter

COLOUR = EnumType("colour", ("red", "green", "blue"))
PAIR = RecordType("pair", (("left", MachineType(8, signed=True)), ("right", BOOL)))
TYPES: dict[str, Type] = {
    "b": BOOL,
    "i": INT,
    "r": RangeType(-2, 5),
    "c": COLOUR,
    "t": TID,
    "u8": MachineType(8, signed=False),
    "s8": MachineType(8, signed=True),
    "u32": MachineType(32, signed=False),
    "s64": MachineType(64, signed=True),
    "small": ArrayType(RangeType(0, 9), 3),
    "large": ArrayType(MachineType(8, signed=True), 40),
    "pairs": ArrayType(PAIR, 2),
    "many": ArrayType(PAIR, 33),
    "seen": ArrayType(BOOL, PerThread("t")),
}
GLOBALS = tuple(Variable(name, held, Scope.GLOBAL) for name, held in TYPES.items())
PROGRAM = replace(
    model("int x; thread u { skip; } thread t[3] { int r; r = 5; }"),
    globals=tuple(map(Declaration, GLOBALS)),
    enums=(COLOUR,),
)
LAYOUT = ProgramLayout.of(PROGRAM)


def draw_cell(draw: Draw, held: object) -> Value:
    """A value, often an extreme one."""
    match held:
        case BoolType():
            return draw.flag()
        case TidType():
            return draw.number(-1, 3)
        case EnumType(_, members):
            return draw.number(0, len(members) - 1)
        case RangeType(low, high):
            return draw.number(low, high)
        case MachineType():
            edge = [held.low, held.high, 0, 1]
            return draw.pick(edge) if draw.flag() else draw.number(held.low, held.high)
        case _:
            return draw.any_number()


def literal(term: Term) -> Value:
    """The value of a term without constants."""
    text = str(term)
    return text == "True" if text in ("True", "False") else int(text)


def draw_store(draw: Draw) -> Program:
    """The program with values for its variables; large tables repeat a few."""
    declared = []
    for variable in GLOBALS:
        cells = [c for c in LAYOUT.globals.cells if c.variable == variable]
        values = tuple(draw_cell(draw, c.type) for c in cells[:6])
        filled = tuple(values[k % 6] if len(cells) > 6 else values[k] for k in range(len(cells)))
        declared.append(Declaration(variable, ListedValues(filled)))
    return replace(PROGRAM, globals=tuple(declared))


def reference(program: Program, expr: Expr, thread: int) -> Value:
    """The value of an expression, or Undefined."""
    interpreter = Interpreter(program)
    g = next(interpreter.initial_globals())
    l = interpreter.initial_local(thread)
    return View(program, interpreter.layout, thread, GlobalStore(g.cells), l).evaluate(expr)


@pytest.mark.parametrize(("expr", "value"), samples.expressions(), ids=str)
def test_samples(expr: Expr, value: Value) -> None:
    logic = Logic()
    environments = Environments(samples.program(), logic)
    store, _ = environments.initial_shared()
    env = Environment(store, environments.initial_own("t"), logic.integer(2), "t")
    encoder = Encoder(environments)
    assert literal(logic.simplify(encoder.defined(expr, env))) is True
    assert literal(logic.simplify(encoder.term(expr, env))) == value


@pytest.mark.parametrize("expr", samples.undefined(), ids=str)
def test_undefined(expr: Expr) -> None:
    logic = Logic()
    environments = Environments(samples.program(), logic)
    store, _ = environments.initial_shared()
    env = Environment(store, environments.initial_own("t"), logic.integer(2), "t")
    assert literal(logic.simplify(Encoder(environments).defined(expr, env))) is False


def compare(data: st.DataObject, *, back: bool) -> None:
    draw = Draw(data.draw)  # type: ignore[arg-type]  # called as a DrawFn is
    program = draw_store(draw)
    around = Surroundings(GLOBALS, (COLOUR,), templates=("u", "t"), memory=False, index=True)
    choices: list[ScalarType] = [BOOL, INT, BOOL, TID]
    wanted = draw.pick(choices)
    expr = draw_expr(draw, wanted, around, 3)
    thread = draw.number(0, 3)
    try:
        expected: Value | None = reference(program, expr, thread)
    except Undefined:
        expected = None
    assume(not isinstance(expected, int) or abs(expected) < 1 << 300)
    logic = Logic()
    environments = Environments(program, logic)
    template = LAYOUT.numbers.templates[thread]
    env = Environment(
        environments.shared(), {}, logic.constant("me", logic.integer_sort), template
    )
    encoder = Encoder(environments)
    store, _ = environments.initial_shared()
    pairs = [(env.me, logic.integer(thread))]
    for variable, value in env.shared.items():
        pairs += zip(terms_of(value), terms_of(store[variable]), strict=True)

    def evaluated(wanted_expr: Expr) -> Value:
        term = logic.substitute(encoder.term(wanted_expr, env), pairs)
        return literal(logic.simplify(term))

    try:
        assert evaluated(definedness(expr)) is (expected is not None)
        if expected is None:
            return
        assert evaluated(expr) == expected
        if back:
            decoder = Decoder()
            decoder.environment(env)
            again = decoder.expression(logic.simplify(encoder.term(expr, env)))
            assert reference(program, again, thread) == expected
    except Unsupported:
        assume(False)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_random_expressions(data: st.DataObject) -> None:
    compare(data, back=False)


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_random_expressions_there_and_back(data: st.DataObject) -> None:
    compare(data, back=True)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_many_random_expressions(data: st.DataObject) -> None:
    compare(data, back=True)


def test_bitwise_operations_without_bounds_are_refused() -> None:
    logic = Logic()
    environments = Environments(PROGRAM, logic)
    env = Environment(environments.shared(), {}, logic.integer(1), "t")
    i = Read(VariablePlace(GLOBALS[1]))
    with pytest.raises(Unsupported):
        Encoder(environments).term(Binary(BinaryOp.BIT_XOR, i, i), env)
    masked = Binary(BinaryOp.BIT_AND, i, number(12))
    assert not logic.is_false(Encoder(environments).term(Binary(BinaryOp.EQ, masked, i), env))


def test_wrap_by_cases_where_the_operand_is_near() -> None:
    logic = Logic()
    environments = Environments(PROGRAM, logic)
    env = Environment(environments.shared(), {}, logic.integer(1), "t")
    u8 = Read(VariablePlace(GLOBALS[5]))
    near = Encoder(environments).term(Wrap(0, 255, Binary(BinaryOp.ADD, u8, u8)), env)
    assert "%" not in str(near)


def test_a_shift_by_less_than_nothing_has_no_meaning() -> None:
    """The bounds of the distance leave no distance to list."""
    program = model("int[-3..-1] d = -2; thread t { skip; }")
    distance = Read(VariablePlace(program.globals[0].variable))
    shift = Binary(BinaryOp.SHL, number(1), distance)
    logic = Logic()
    environments = Environments(program, logic)
    env = Environment(environments.shared(), {}, logic.integer(0), "t")
    encoder = Encoder(environments)
    encoder.term(shift, env)
    solver = Solver(logic)
    solver.add(environments.typed(env.shared), encoder.term(definedness(shift), env))
    assert solver.check() is Answer.UNSATISFIABLE
