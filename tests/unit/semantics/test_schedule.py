"""Random runs: the same for the same seed, and only what the program allows."""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.semantics.schedule import RandomSchedule, run
from threadwise.semantics.step import Interpreter, Transition

PROGRAM = model("""
    int[0..3] x = *; bool b;
    thread t[2] { while (true) { havoc x; b = !b; } }
    thread u { assume(b); assert(x != 3); }
""")


def walk(seed: int, steps: int = 40) -> list[Transition]:
    interpreter = Interpreter(PROGRAM)
    schedule = RandomSchedule(seed)
    return list(run(interpreter, schedule, schedule.start(interpreter), steps))


def test_a_seed_fixes_the_run() -> None:
    assert walk(7) == walk(7)
    assert len({tuple(t.move for t in walk(seed)) for seed in range(5)}) == 5


def test_runs_are_runs_of_the_program() -> None:
    interpreter = Interpreter(PROGRAM)
    schedule = RandomSchedule(3)
    state = schedule.start(interpreter)
    assert state in set(interpreter.initial_states())
    for transition in run(interpreter, schedule, state, 30):
        assert transition in list(interpreter.successors(state))
        state = transition.state


def test_runs_end_where_the_program_does() -> None:
    program = model("int[0..3] x; thread t { x = 1; x = 2; }")
    interpreter = Interpreter(program)
    schedule = RandomSchedule(0)
    assert len(list(run(interpreter, schedule, schedule.start(interpreter), 100))) == 2


def test_all_threads_get_their_turn() -> None:
    assert {t.move.thread for seed in range(10) for t in walk(seed)} == {0, 1, 2}
