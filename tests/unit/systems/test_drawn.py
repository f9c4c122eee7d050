"""Drawn steps are steps of the system, and there is one wherever the system has one."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.property.test_simplify import plain_program
from tests.unit.semantics.running import model
from threadwise.engines.walks.orders import Lots
from threadwise.ir.program import Program
from threadwise.systems.concrete import ConcreteSystem, Joint
from threadwise.systems.drawn import DrawnSteps

MOST = 150


def reached(system: ConcreteSystem) -> list[Joint]:
    """Some of the states, those near the start first."""
    found = dict.fromkeys(islice(system.joint_initial(), 3))
    pending = list(found)
    for state in pending:
        if len(found) > MOST:
            break
        for t in system.roles:
            for step in system.step(t, state.g, state.locals[t]):
                locals_ = (*state.locals[:t], step.l, *state.locals[t + 1 :])
                after = state._replace(g=step.g, locals=locals_)
                if after not in found:
                    found[after] = None
                    pending.append(after)
    return pending


def agree(program: Program, habits: int = 0) -> int:
    """Compare; how many steps were drawn."""
    system = ConcreteSystem(program)
    lots = Lots(1)
    drawn = DrawnSteps(system, lots.below)
    count = 0
    for number, state in enumerate(reached(system)):
        if number % 5 == 0:
            drawn.led_on()
            drawn.begin(lots.below, habits)
        for t in system.roles:
            g, l = state.g, state.locals[t]
            listed = {(step.g, step.l) for step in system.step(t, g, l)}
            steps = drawn.steps(t, g, l)
            count += len(steps)
            assert {(step.g, step.l) for step in steps} <= listed
            assert bool(steps) == bool(listed)
            accesses = set(drawn.accesses(t, g, l))
            assert accesses <= set(system.accesses(t, g, l))
            if drawn.is_silent(system.location(l)):
                assert not system.accesses(t, g, l)
                assert all(step.g == g for step in steps)
    return count


@pytest.mark.parametrize("seed", range(25))
def test_of_random_programs(seed: int) -> None:
    agree(plain_program(seed))


REGION = """
int[0..9] x; int[0..9] y;
thread t[2] { atomic { havoc x; havoc y; assume(x == 7 && y > x); } assert(y < 9); }
"""


def test_hardly_any_value_leads_on() -> None:
    assert agree(model(REGION))


TWO = """
bool x; int[0..9] y; int[-5..3] z;
thread t[2] { havoc x, y, z; assert(y < 9 || x); z = 0; }
"""


@pytest.mark.parametrize("habits", [0, 1, 3])
def test_each_input_has_habits_of_its_own(habits: int) -> None:
    """Traces failed once: two inputs of one edge had the same values, whatever their types."""
    assert agree(model(TWO), habits)


LOOP = """
int[0..9] x; bool go;
thread t[2] { atomic { while (x < 5) { either { x = x + 1; } or { go = !go; } } } x = 0; }
"""


def test_no_path_comes_back_to_a_state_of_its_own() -> None:
    program = model(LOOP)
    system = ConcreteSystem(program)
    drawn = DrawnSteps(system, Lots(3).below)
    (state,) = system.joint_initial()
    for _ in range(30):
        (first, *_) = drawn.steps(system.roles[0], state.g, state.locals[0])
        g, l = state.g, state.locals[0]
        passed = []
        for choice in first.choices:
            edge = program.edges[choice.edge]
            _, g, l = system.code[0].fire(edge)(0, g, l)[0]
            assert (g, l) not in passed
            passed.append((g, l))
        assert (g, l) == (first.g, first.l)
