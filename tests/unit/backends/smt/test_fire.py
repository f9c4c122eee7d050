"""Edges in the solver's logic do what they do in the reference semantics."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.property.programs import Features, RandomChooser, generate
from tests.unit.backends.smt.compared_calls import CALLS, compare_calls
from tests.unit.semantics.running import Run, all_states, model
from threadwise.backends.smt.encode import Encoder
from threadwise.backends.smt.environments import Environment, Environments, Store
from threadwise.backends.smt.fire import Fired, Firing
from threadwise.backends.smt.logic import Logic
from threadwise.backends.smt.solver import Solver
from threadwise.backends.smt.values import terms_of
from threadwise.ir.commands import Call, Command, Return
from threadwise.ir.expr import Variable
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import Value
from threadwise.semantics.state import LocalStore, State

MOST_STATES = 40


class Comparison:
    """Stores of the reference semantics as environments, and back."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.run = Run(program)
        self.logic = Logic()
        self.environments = Environments(program, self.logic)
        self.firing = Firing(Encoder(self.environments))

    def store(self, variables: Sequence[Variable], cells: Sequence[Value]) -> Store:
        remaining = iter(cells)
        shapes = self.environments.shapes
        return {
            v: shapes.make(v.type, v.name, lambda _, t, __: shapes.literal(t, next(remaining)))
            for v in variables
        }

    def environment(self, state: State, thread: int) -> Environment:
        l = state.locals[thread]
        template = self.run.interpreter.layout.numbers.templates[thread]
        procedure = self.program.procedure_of[l.pc].name
        own = self.environments.own_variables(template, procedure)
        return Environment(
            self.store([d.variable for d in self.program.globals], state.g.cells),
            self.store(own, (*l.thread, *l.locals)),
            self.logic.integer(thread),
            template,
            l.pc,
        )

    def cells(self, store: Store) -> list[Value]:
        literals: list[Value] = []
        for value in store.values():
            for term in terms_of(value):
                text = str(self.logic.simplify(term))
                literals.append(text == "True" if text in ("True", "False") else int(text))
        return literals

    def is_true(self, fired: Fired) -> bool:
        return self.logic.is_true(self.logic.simplify(self.logic.conjunction(fired.terms)))

    def compare(self, edge: Edge, state: State, thread: int) -> bool:
        """Compare one edge; whether it could be taken."""
        env, l = self.environment(state, thread), state.locals[thread]
        offered = list(self.run.interpreter.fire(edge, thread, state.g, l))
        havocs = edge.action.havocs if isinstance(edge.action, Command) else ()
        if not offered:
            assert not self.is_true(self.firing.fire(edge, env)) or havocs
            return False
        for choice, g, after, _ in offered:
            fired = self.firing.fire(edge, env)
            pairs = [
                (c, self.environments.shapes.literal(p.type, v))  # type: ignore[arg-type]
                for c, p, v in zip(fired.chosen, havocs, choice.values, strict=True)
            ]
            guard = self.logic.conjunction(fired.terms)
            assert self.logic.is_true(self.logic.simplify(self.logic.substitute(guard, pairs)))
            moved = fired.after
            changed = {
                v: [self.logic.substitute(t, pairs) for t in terms_of(value)]
                for v, value in {**moved.shared, **moved.own}.items()
            }
            found = [str(self.logic.simplify(t)) for terms in changed.values() for t in terms]
            assert found == [str(v) for v in (*g.cells, *after.thread, *after.locals)]
            assert moved.location == after.pc
        return True


def edges_at(program: Program, l: LocalStore) -> list[Edge]:
    return [e for e in program.outgoing[l.pc] if not isinstance(e.action, Call | Return)]


@pytest.mark.parametrize("seed", range(12))
def test_edges_of_random_programs(seed: int) -> None:
    program = model(generate(RandomChooser.of(seed), Features()))
    comparison = Comparison(program)
    taken = 0
    for _, state in zip(range(MOST_STATES), all_states(comparison.run), strict=False):
        for thread, l in enumerate(state.locals):
            for edge in edges_at(program, l):
                taken += comparison.compare(edge, state, thread)
    assert taken


def test_calls_and_returns() -> None:
    compare_calls(Comparison(model(CALLS)))


def test_transition_is_the_graph_of_fire() -> None:
    program = model("int x; thread t { int y; y = x + 1; x = y; }")
    logic = Logic()
    environments = Environments(program, logic)
    firing = Firing(Encoder(environments))
    me = logic.integer(0)
    before = Environment(environments.shared(), environments.own("t"), me, "t")
    after = Environment(
        environments.shared("after."), environments.own("t", None, "after."), me, "t"
    )
    edge = program.edges[0]
    step = firing.transition(edge, before, after)
    y = next(iter(after.own.values()))
    x = next(iter(before.shared.values()))
    solver = Solver(logic)
    assert solver.valid(logic.implication(step, y == x + 1)).value == "unsat"
    assert solver.satisfiable(step).value == "sat"
