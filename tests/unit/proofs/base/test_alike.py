"""Threads that look alike: fewer choices, the same answers, and how many there are to look at."""

from __future__ import annotations

import pytest

from tests.unit.proofs.base.audited import accepted, prove
from tests.unit.semantics.running import model
from threadwise.ir.program import Program
from threadwise.ir.properties import InvariantProperty
from threadwise.proofs.base import auditing
from threadwise.proofs.base.alike import FormulaOfState, choices_of, ignores_ids, some_of_each
from threadwise.semantics.oracle import explore
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.step import Interpreter

THREADS = """
int[0..2] x; bool flag[t];
thread t[4] { A: x = 1; B: x = 0; C: skip; }
thread u { D: skip; }
"""
FORMULAS = (
    "forall i: t. at(i, A)",
    "exists i: t. at(i, C)",
    "forall i, j: t. i != j ==> !(at(i, B) && at(j, B))",
    "forall i, j: t. i != j ==> !(at(i, C) && at(j, C))",
    "exists i, j, l: t. i != j && j != l && i != l && at(i, B) && at(j, B) && at(l, B)",
    "exists i, j, l: t. i != j && j != l && i != l && at(i, A) && at(j, A) && !at(l, A)",
    "forall i: t. at(i, A) ==> x <= 1",
    "forall i: t. exists j: t. i != j && (at(i, B) ==> at(j, B))",
    "forall i: t, j: u. at(i, C) ==> at(j, D)",
    "forall i: t. i == i",
)


def program_with(*formulas: str) -> Program:
    stated = [f"invariant f{n}: {formula};" for n, formula in enumerate(formulas)]
    return model("\n".join([THREADS, *stated]))


def invariants(program: Program) -> list[InvariantProperty]:
    return [p for p in program.properties if isinstance(p, InvariantProperty)]


def test_some_of_each_kind() -> None:
    assert some_of_each(range(9), 2, lambda t: t % 3) == [0, 1, 2, 3, 4, 5]
    assert some_of_each((7, 5, 3), 1, lambda t: t > 4) == [7, 3]


def test_formulas_mean_the_same_in_every_state() -> None:
    program = program_with(*FORMULAS)
    checker = PropertyChecker(Interpreter(program))
    different = set()
    states = sorted(explore(program, ()).states)[::7]
    assert len(states) > 60
    for invariant in invariants(program):
        assert ignores_ids(invariant.formula)
        short = FormulaOfState(program, invariant)
        answers = [checker.holds(invariant, state) for state in states]
        assert [short.holds(state) for state in states] == answers, invariant.name
        different.add(frozenset(answers))
    assert frozenset({True, False}) in different


@pytest.mark.parametrize("formula", ["forall i: t. flag[i] ==> !at(i, A)"])
def test_formulas_that_look_at_ids_are_told(formula: str) -> None:
    (invariant,) = invariants(program_with(formula))
    assert not ignores_ids(invariant.formula)


def test_choices_are_counted() -> None:
    program = program_with("forall i, j: t. flag[i] || !flag[j] || i != j", "x <= 2")
    one, other = invariants(program)
    assert (choices_of(program, one.formula), choices_of(program, other.formula)) == (16, 1)


def test_where_there_is_much_to_look_at_fewer_states_are_visited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = program_with("forall i: t. at(i, A) || flag[i] || !flag[i]")
    certificate = prove(program, "explicit", "f0")
    assert accepted(program, certificate).states >= auditing.LEAST
    monkeypatch.setattr(auditing, "LOOKS_PER_STATE", 1)
    few = accepted(program, certificate)
    assert 40 <= few.states < 110
    assert not few.complete
