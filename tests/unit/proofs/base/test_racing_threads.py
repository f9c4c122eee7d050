"""Which threads may race is known from where they are; races are those of the semantics."""

from __future__ import annotations

import pytest

from tests.property.comparison import load
from tests.property.mixed_programs import mixed_program_of
from tests.property.test_simplify import plain
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.proofs.base.racing_threads import RacesOfRuns
from threadwise.proofs.base.runs import DrawingInterpreter, Draws
from threadwise.semantics.oracle import explore
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.step import Interpreter

STATES = 300


def compare(program: Program, checked: RaceProperty) -> tuple[int, int]:
    """How many states race, and for how many threads the semantics need not be asked."""
    if program.has_any_number:
        program = program.with_counts({t.name: 2 for t in program.templates if t.count is None})
    reference = PropertyChecker(Interpreter(program))
    ours = RacesOfRuns(DrawingInterpreter(program, Draws(0), {}))
    racing = passed_over = 0
    for state in sorted(explore(program, (), STATES).states)[:STATES]:
        if reference.interpreter.is_stopped(state):
            continue
        expected = list(reference.races(checked, state))
        assert list(ours.races(checked, state)) == expected
        racing += bool(expected)
        threads = reference.candidates(checked, state)
        if len(threads) > 1:
            passed_over += len(threads) - len(ours.candidates(checked, state))
    return racing, passed_over


@pytest.mark.parametrize("seed", range(20))
def test_races_of_random_programs(seed: int) -> None:
    program = plain(load(mixed_program_of(seed)))
    try:
        compare(program, RaceProperty("races", None))
    except Unsupported:
        pytest.skip("no program that can be explored")


@pytest.mark.parametrize(
    ("text", "racing", "passed_over"),
    [
        ("thread t[2] { x = 1; }", True, False),
        ("thread t[2] { int[0..1] r; r = x; }", False, True),
        ("thread t { x = 1; } thread u { y = 1; }", False, True),
        ("thread t { x = 1; } thread u { int[0..1] r; r = x; y = 1; }", True, True),
        ("thread t[2] { atomic { x = 1; y = 1; } }", False, True),
        ("thread t { atomic { x = 1; y = 1; } } thread u { y = 1; }", True, False),
        ("thread t[3] { acquire(m); x = 1; release(m); }", False, True),
        ("thread t[3] { if (self.index == 0) { x = 1; } else { y = 1; } }", True, True),
    ],
)
def test_threads_are_passed_over_only_where_they_cannot_race(
    text: str, racing: bool, passed_over: bool
) -> None:
    program = model(f"int[0..1] x, y; mutex m; {text}")
    found = compare(program, RaceProperty("races", None))
    assert (found[0] > 0, found[1] > 0) == (racing, passed_over)


def test_only_variables_of_the_property_count() -> None:
    program = model("int[0..1] x, y; thread t[2] { x = 1; y = 1; }")
    assert compare(program, RaceProperty("races", ("y",)))[1] > 0
    assert compare(program, RaceProperty("races", ("x", "y"))) == compare(
        program, RaceProperty("races", None)
    )
