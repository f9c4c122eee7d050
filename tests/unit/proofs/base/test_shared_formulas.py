"""Which invariants depend on shared variables only, and on which values of theirs."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.ir.properties import InvariantProperty
from threadwise.proofs.base.shared_formulas import SharedFormula
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.step import Interpreter

TEXT = """
int[0..2] x; int[0..2] other; int[0..2] seat[worker]; mutex m;
thread worker[2] {{
    int[0..2] mine;
    while (true) {{
        acquire(m);
        x = (x + 1) % 3;
        seat[self] = x;
        release(m);
        mine = x;
inside: other = (other + 1) % 3;
    }}
}}
invariant asked: {formula};
"""

SHARED = {
    "x < 2": 1,
    "x + other < 4": 2,
    "forall i, j: worker. i != j && seat[i] == 1 ==> seat[j] != 1": 1,
    "exists i: worker. seat[i] == x": 2,
    "m == none || x > 0": 2,
}
OTHERS = (
    "forall i: worker. i.mine < 2",
    "forall i: worker. at(i, inside) ==> x > 0",
    "forall i: worker. i.mine == seat[i]",
)


def asked(formula: str) -> tuple[Interpreter, InvariantProperty]:
    program = model(TEXT.format(formula=formula))
    (found,) = (p for p in program.properties if isinstance(p, InvariantProperty))
    return Interpreter(program), found


@pytest.mark.parametrize(("formula", "variables"), SHARED.items())
def test_equal_values_have_equal_answers(formula: str, variables: int) -> None:
    interpreter, invariant = asked(formula)
    shared = SharedFormula(interpreter.program, invariant.formula)
    checker = PropertyChecker(interpreter)
    answers: dict[object, set[bool]] = {}
    pending = list(interpreter.initial_states())
    seen = set(pending)
    while pending:
        state = pending.pop()
        values = shared.values(state.g)
        assert values is not None
        assert len(values) == variables
        answers.setdefault(values, set()).add(checker.violated(invariant, state))
        after = [step.state for step in interpreter.successors(state)]
        pending += [each for each in dict.fromkeys(after) if each not in seen]
        seen.update(after)
    assert {len(each) for each in answers.values()} == {1}
    assert len({answer for each in answers.values() for answer in each}) == 2
    assert len(answers) < len(seen)


@pytest.mark.parametrize("formula", OTHERS)
def test_what_depends_on_threads_has_no_values(formula: str) -> None:
    interpreter, invariant = asked(formula)
    (start,) = interpreter.initial_states()
    assert SharedFormula(interpreter.program, invariant.formula).values(start.g) is None
