"""What is not needed for a violation is left out of a run; what is left is a run to it."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest

from tests.unit.semantics.running import model
from threadwise.core.budget import UNLIMITED, Meter
from threadwise.engines.walks.shortening import LEAST, Shortening
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.semantics.state import Move
from threadwise.systems.api import JointState, Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.replay import replay
from threadwise.traces.trace import Trace

Joint = JointState[Any, Any, Any]

PROGRAMS = {
    "another thread": """int[0..1] x, y;
        thread a { int[0..200] i; while (i < 60) { i = i + 1; } x = 1; assert(x == 0); }
        thread b { while (true) { y = 1 - y; } }""",
    "its last moves": """int[0..1] x, y;
        thread a { int[0..200] i; await(y == 1); while (i < 60) { i = i + 1; } assert(false); }
        thread b { y = 1; while (true) { x = 1 - x; } }""",
    "loops": """int[0..1] x, y;
        thread a { while (x == 0) { y = 1 - y; } assert(false); }
        thread b { int[0..200] i; while (i < 60) { i = i + 1; } x = 1; }""",
    "calls": """int[0..1] x, y;
        void f() { y = 1 - y; return; }
        thread a { while (x == 0) { f(); } assert(false); }
        thread b { int[0..200] i; while (i < 60) { i = i + 1; } x = 1; }""",
}
LENGTHS = {"another thread": 123, "its last moves": 125, "loops": 124, "calls": 124}


def in_turn(system: ConcreteSystem) -> tuple[Joint, list[Move]]:
    """All threads in turn, until one fails."""
    start = state = next(iter(system.joint_initial()))
    moves: list[Move] = []
    for t in cycle(map(Role, range(len(state.locals)))):
        g, l, stack = state.g, state.locals[t], state.stacks[t]
        found = [(step.choices, step.g, step.l, stack) for step in system.step(t, g, l)]
        found += [((p.choice,), g, p.l, (*stack, p.frame)) for p in system.push(t, g, l)]
        if stack:
            found += [((p.choice,), g, p.l, stack[:-1]) for p in system.pop(t, g, l, stack[-1])]
        if found:
            choices, g, l, stack = found[0]
            locals_ = (*state.locals[:t], l, *state.locals[t + 1 :])
            stacks = (*state.stacks[:t], stack, *state.stacks[t + 1 :])
            state = JointState(g, locals_, stacks)
            moves.append(Move(t, choices))
            if system.is_stopped(l):
                return start, moves
    raise AssertionError("no thread fails")


def shortened(program: Program) -> tuple[list[Move], tuple[Move, ...]]:
    system = ConcreteSystem(program)
    start, moves = in_turn(system)

    def fails(end: Joint) -> bool:
        return any(map(system.is_stopped, end.locals))

    found = Shortening(system, start, fails, Meter(UNLIMITED)).shortened(moves)
    (name,) = (p.name for p in program.properties if p.name.startswith("assert"))
    initial = system.reference_state(start).g.cells
    replay(program, Trace(program_hash(program), name, initial, found))
    return moves, found


@pytest.mark.parametrize("case", PROGRAMS)
def test_a_shorter_run_to_the_same_failure(case: str) -> None:
    moves, found = shortened(model(PROGRAMS[case]))
    assert len(moves) >= LEAST
    assert len(found) == LENGTHS[case]


def test_short_runs_stay_as_they_are() -> None:
    moves, found = shortened(
        model("int x; thread a { x = 1; assert(x == 0); } thread b { int y; y = 1; }")
    )
    assert found == tuple(moves)


def test_what_is_needed_stays() -> None:
    text = """int[0..300] n;
        thread a { await(n == 60); assert(false); }
        thread b { while (n < 60) { n = n + 1; } }"""
    moves, found = shortened(model(text))
    assert found == tuple(moves)
