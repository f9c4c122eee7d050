"""The brute-force oracle."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.semantics.oracle import explore


def test_counts_states() -> None:
    program = model("int[0..3] x; thread t[2] { x = x + 1; }")
    assert len(explore(program, ()).states) == 4


def test_initial_states_count() -> None:
    assert len(explore(model("int[0..3] x = *; thread t { assume(false); }"), ()).states) == 4


def test_reports_all_violated_properties() -> None:
    program = model("""
        int[0..1] x;
        thread t[2] { x = x + 1; } thread u { assert(x == 0); }
        invariant zero: x == 0; invariant small: x <= 1;
    """)
    names = {name.split(":")[0] for name in explore(program, program.properties).violated}
    assert names == {"range", "assert", "zero", "races"}
    assert explore(program, ()).violated == frozenset()


@pytest.mark.parametrize(("depth", "cut", "seen"), [(0, True, 0), (1, True, 1), (5, True, 5)])
def test_recursion_is_cut(depth: int, cut: bool, seen: int) -> None:
    program = model("int[0..9] saturate x; void f() { x = x + 1; f(); } thread t { f(); }")
    answer = explore(program, (), max_depth=depth)
    assert answer.cut is cut
    assert max(state.g.cells[0] for state in answer.states) == seen  # type: ignore[type-var]


def test_calls_within_the_bound_are_not_cut() -> None:
    program = model("int[0..9] x; void g() { x = 1; } void f() { g(); } thread t { f(); }")
    assert not explore(program, (), max_depth=2).cut
    assert explore(program, (), max_depth=1).cut


def test_limits_are_told() -> None:
    program = model("thread w() { skip; } thread t { while (true) { spawn w(); } }")
    answer = explore(program, program.properties)
    assert len(answer.limits) == 1
    assert answer.violated == frozenset()


def test_no_threads_at_all() -> None:
    program = model("int[0..1] x; thread t[0] { x = 1; } invariant one: x == 1;")
    answer = explore(program, program.properties)
    assert len(answer.states) == 1
    assert answer.violated == {"one"}
