"""Random runs: the same for the same seed, and only what the program allows."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from tests.unit.semantics.running import model
from threadwise.semantics.schedule import RandomSchedule, run
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter, Transition

PROGRAM = model("""
    int[0..3] x = *; bool b;
    thread t[2] { while (true) { havoc x; b = !b; } }
    thread u { assume(b); assert(x != 3); }
""")


Way = Callable[[RandomSchedule, Interpreter, State, int], Iterator[Transition]]


def chosen(
    schedule: RandomSchedule, interpreter: Interpreter, start: State, steps: int
) -> Iterator[Transition]:
    return run(interpreter, schedule, start, steps)


both = pytest.mark.parametrize("way", [chosen, RandomSchedule.walk])
"""All steps on offer, or one thread at a time."""


def walk(way: Way, seed: int, steps: int = 40) -> list[Transition]:
    interpreter = Interpreter(PROGRAM)
    schedule = RandomSchedule(seed)
    return list(way(schedule, interpreter, schedule.start(interpreter), steps))


@both
def test_a_seed_fixes_the_run(way: Way) -> None:
    assert walk(way, 7) == walk(way, 7)
    assert len({tuple(t.move for t in walk(way, seed)) for seed in range(5)}) == 5


@both
def test_runs_are_runs_of_the_program(way: Way) -> None:
    interpreter = Interpreter(PROGRAM)
    schedule = RandomSchedule(3)
    state = schedule.start(interpreter)
    assert state in set(interpreter.initial_states())
    for transition in way(schedule, interpreter, state, 30):
        assert transition in list(interpreter.successors(state))
        state = transition.state


@both
def test_runs_end_where_the_program_does(way: Way) -> None:
    program = model("int[0..3] x; thread t { x = 1; x = 2; }")
    interpreter = Interpreter(program)
    schedule = RandomSchedule(0)
    assert len(list(way(schedule, interpreter, schedule.start(interpreter), 100))) == 2


@both
def test_runs_end_where_the_program_fails(way: Way) -> None:
    program = model("thread t { assert(false); } thread u { while (true) { skip; } }")
    interpreter = Interpreter(program)
    schedule = RandomSchedule(0)
    *_, last = way(schedule, interpreter, schedule.start(interpreter), 1000)
    assert interpreter.is_stopped(last.state)


@both
def test_all_threads_get_their_turn(way: Way) -> None:
    assert {t.move.thread for seed in range(10) for t in walk(way, seed)} == {0, 1, 2}


def test_cells_with_one_value_draw_a_number_each() -> None:
    """So that a seed means the same run whatever other cells there are to choose from."""
    program = model(
        "int[0..9] a = *; int[0..9] b; int[0..9] c; int[0..9] d = *; thread t { skip; }"
    )
    interpreter = Interpreter(program)
    for seed in range(20):
        numbers = random.Random(seed)
        drawn = [int(numbers.random() * 10) for _ in range(4)]
        schedule = RandomSchedule(seed)
        assert schedule.start(interpreter).g.cells == (drawn[0], 0, 0, drawn[3])
        assert schedule.pick(range(1000)) == int(numbers.random() * 1000)
