"""The encoding that checkers of formulas use says what the reference semantics says."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.property.drawing import Draw
from tests.property.ir_term_strategies import Surroundings, draw_expr
from tests.property.programs import Features, RandomChooser, generate
from tests.unit.backends.smt.compared_calls import CALLS, compare_calls
from tests.unit.backends.smt.test_encode import (
    COLOUR,
    GLOBALS,
    LAYOUT,
    draw_store,
    literal,
    reference,
)
from tests.unit.semantics import expressions as samples
from tests.unit.semantics.running import Run, all_states, model
from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import Expr, Variable
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import BOOL, INT, TID, ScalarType, Value
from threadwise.proofs.toolbox.smt.edges import Firing, Steps
from threadwise.proofs.toolbox.smt.encoder import Encoder
from threadwise.proofs.toolbox.smt.environments import (
    Environment,
    Environments,
    Store,
    store_terms,
)
from threadwise.proofs.toolbox.smt.terms import Terms
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import State

MOST_STATES = 40


def sample_encoder() -> tuple[Encoder, Environment]:
    logic = Terms()
    environments = Environments(samples.program(), logic)
    store, _ = environments.initial_shared()
    env = Environment(store, environments.initial_own("t"), logic.integer(2), "t")
    return Encoder(environments), env


@pytest.mark.parametrize(("expr", "value"), samples.expressions(), ids=str)
def test_samples(expr: Expr, value: Value) -> None:
    encoder, env = sample_encoder()
    assert literal(encoder.logic.simplify(encoder.defined(expr, env))) is True
    assert literal(encoder.logic.simplify(encoder.value(expr, env))) == value


@pytest.mark.parametrize("expr", samples.undefined(), ids=str)
def test_undefined(expr: Expr) -> None:
    encoder, env = sample_encoder()
    assert literal(encoder.logic.simplify(encoder.defined(expr, env))) is False


def compare_expressions(data: st.DataObject) -> None:
    """An expression in constants, which then get values, and the expression in these values."""
    draw = Draw(data.draw)  # type: ignore[arg-type]  # called as a DrawFn is
    program = draw_store(draw)
    around = Surroundings(GLOBALS, (COLOUR,), templates=("u", "t"), memory=False, index=True)
    choices: list[ScalarType] = [BOOL, INT, BOOL, TID]
    expr = draw_expr(draw, draw.pick(choices), around, 3)
    thread = draw.number(0, 3)
    try:
        expected: Value | None = reference(program, expr, thread)
    except Undefined:
        expected = None
    except (MemoryError, OverflowError):  # a shift by more than there is memory for
        assume(False)
    assume(not isinstance(expected, int) or abs(expected) < 1 << 300)
    logic = Terms()
    environments = Environments(program, logic)
    encoder = Encoder(environments)
    me = logic.constant("me", logic.integer_sort)
    env = Environment(environments.shared(), {}, me, LAYOUT.numbers.templates[thread])
    store, _ = environments.initial_shared()
    pairs = [(me, logic.integer(thread))]
    pairs += zip(store_terms(env.shared), store_terms(store), strict=True)
    try:
        defined, value = encoder.defined(expr, env), encoder.value(expr, env)
    except Unsupported:
        assume(False)
    assert literal(logic.simplify(logic.substitute(defined, pairs))) is (expected is not None)
    if expected is not None:
        assert literal(logic.simplify(logic.substitute(value, pairs))) == expected


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_random_expressions(data: st.DataObject) -> None:
    compare_expressions(data)


@pytest.mark.slow
@settings(max_examples=5000, deadline=None)
@given(st.data())
def test_many_random_expressions(data: st.DataObject) -> None:
    compare_expressions(data)


class Comparison:
    """States of the reference semantics as environments, and what edges do in both."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.run = Run(program)
        self.logic = Terms()
        self.environments = Environments(program, self.logic)
        self.firing = Firing(Encoder(self.environments))
        self.steps = Steps(self.firing)

    def store(self, variables: Sequence[Variable], cells: Sequence[Value]) -> Store:
        remaining = iter(cells)

        def cell(scalar: ScalarType) -> object:
            return self.environments.literal(scalar, next(remaining))

        return {v: self.environments.built(v.type, cell, alike=False) for v in variables}

    def environment(self, state: State, thread: int) -> Environment:
        l = state.locals[thread]
        template = self.run.interpreter.layout.numbers.templates[thread]
        own = self.environments.own(template, self.program.procedure_of[l.pc].name)
        return Environment(
            self.store([d.variable for d in self.program.globals], state.g.cells),
            self.store(list(own), (*l.thread, *l.locals)),
            self.logic.integer(thread),
            template,
            l.pc,
        )

    def cells(self, store: Store) -> list[Value]:
        return [literal(self.logic.simplify(term)) for term in store_terms(store)]

    def holds(self, term: object) -> bool:
        return self.logic.is_true(self.logic.simplify(term))

    def compare(self, edge: Edge, state: State, thread: int) -> bool:
        """Compare one edge; whether it could be taken."""
        env, l = self.environment(state, thread), state.locals[thread]
        action = edge.action
        assert isinstance(action, Command)
        offered = list(self.run.interpreter.fire(edge, thread, state.g, l))
        if not offered:
            assert action.havocs or not self.holds(self.firing.fire(edge, env).condition)
            return False
        for choice, g, after, _ in offered:
            fired = self.firing.fire(edge, env)
            pairs = [
                (constant, self.environments.literal(place.type, value))  # type: ignore[arg-type]
                for constant, place, value in zip(
                    fired.chosen, action.havocs, choice.values, strict=True
                )
            ]
            assert self.holds(self.logic.substitute(fired.condition, pairs))
            terms = [*store_terms(fired.after.shared), *store_terms(fired.after.own)]
            found = [literal(self.logic.simplify(self.logic.substitute(t, pairs))) for t in terms]
            assert found == [*g.cells, *after.thread, *after.locals]
            assert fired.after.location == after.pc
        return True

    def compare_races(self, state: State) -> bool:
        """Compare whether two threads race; whether they do."""
        checked = RaceProperty("races", None)
        expected = PropertyChecker(self.run.interpreter).violated(checked, state)
        accesses = []
        for thread, l in enumerate(state.locals):
            steps = self.steps.from_location(l.pc, self.environment(state, thread))
            accesses.append([a for s in steps if self.possible(s) for a in self.steps.accesses(s)])
        found = any(
            self.holds(self.steps.conflict(a, b))
            for t, first in enumerate(accesses)
            for second in accesses[:t]
            for a in first
            for b in second
        )
        assert found is expected
        return found

    def possible(self, step: object) -> bool:
        condition = self.logic.simplify(step.condition)  # type: ignore[attr-defined]
        return not self.logic.is_false(condition)


@pytest.mark.parametrize("seed", range(20, 32))
def test_edges_of_random_programs(seed: int) -> None:
    program = model(generate(RandomChooser.of(seed), Features()))
    comparison = Comparison(program)
    taken = 0
    for _, state in zip(range(MOST_STATES), all_states(comparison.run), strict=False):
        for thread, l in enumerate(state.locals):
            for edge in program.outgoing[l.pc]:
                if not isinstance(edge.action, Call | Return):
                    taken += comparison.compare(edge, state, thread)
    assert taken


RACES = """
bool go;
int[0..2] x[2];
mutex m;
thread t[2] {
    int[0..1] i;
    if (go && x[i] == 0) { x[i] = 1; } else { go = true; }
    acquire(m); i = (x[0] == 1 && x[1] == 0) ? 1 : 0; release(m);
    x[i] = (go || x[1 - i] == 2) ? 2 : 1;
}
"""


def test_races() -> None:
    comparison = Comparison(model(RACES))
    found = [comparison.compare_races(state) for state in all_states(comparison.run)]
    assert 10 < sum(found) < len(found) - 10


def test_calls_and_returns() -> None:
    compare_calls(Comparison(model(CALLS)))
