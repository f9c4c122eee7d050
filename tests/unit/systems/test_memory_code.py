"""Compiled memory against the reference semantics, on random programs over pointers."""

from __future__ import annotations

from random import Random

import pytest

from tests.unit.semantics.heap_programs import NODE, A, P, Q, X, at, program, set_
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Proved, Task
from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Action, Allocate, Assignment, Command, Free
from threadwise.ir.expr import (
    TRUE,
    AddressOf,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    IsAllocated,
    IsWritten,
    Place,
    PointerAdd,
    PointerDifference,
    PointerToInt,
    Read,
)
from threadwise.ir.fold import conjunction, definedness, number, place_definedness, uses_memory
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import INT
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.oracle import explore
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.step import Interpreter
from threadwise.systems.api import JointState
from threadwise.systems.concrete import ConcreteSystem, Joint
from threadwise.systems.memory_code import Memory
from threadwise.transforms.pipeline import simplified


def guarded(target: Place, value: Expr) -> Command:
    """An assignment that waits until it has a meaning."""
    written = [IsWritten(value.place)] if isinstance(value, Read) else []
    ready = conjunction([definedness(value), *written, place_definedness(target)])
    return Command(ready, (Assignment(target, value),))


def random_action(random: Random) -> Action:
    p, q = random.sample([P, Q], 2)
    value, next_ = FieldPlace(at(p), "value"), FieldPlace(at(p), "next")
    digit = number(random.randrange(3))
    sites = [
        Allocate(TRUE, p, NODE, "node", cleared=random.random() < 0.5),
        Allocate(TRUE, p, NODE, "nodes", count=number(2)),
    ]
    choices: list[Action] = [
        *sites,
        *sites,
        Free(IsAllocated(Read(p)), Read(p)),
        guarded(p, Read(q)),
        guarded(next_, Read(q)),
        guarded(p, Read(next_)),
        guarded(X, Read(value)),
        guarded(value, digit),
        guarded(at(p, INT), Read(X)),
        guarded(X, Read(at(p, INT))),
        guarded(p, AddressOf(IndexPlace(A, digit))),
        guarded(p, AddressOf(next_)),
        guarded(p, PointerAdd(Read(p), digit, INT)),
        guarded(p, PointerAdd(Read(p), number(1), NODE)),
        guarded(p, IntToPointer(digit)),
        guarded(X, PointerToInt(Read(p))),
        guarded(X, PointerDifference(Read(p), Read(q), INT)),
        set_(X, number(1)),
    ]
    return random.choice(choices)


def random_program(random: Random) -> Program:
    return program(*([random_action(random) for _ in range(5)] for _ in range(2)))


def reached(system: ConcreteSystem) -> dict[Joint, None]:
    seen = {system.normalise(state): None for state in system.joint_initial()}
    pending = list(seen)
    while pending:
        state = pending.pop()
        for t in system.roles:
            for step in system.step(t, state.g, state.locals[t]):
                locals_ = (*state.locals[:t], step.l, *state.locals[t + 1 :])
                after = system.normalise(JointState(step.g, locals_, state.stacks))
                if after not in seen:
                    seen[after] = None
                    pending.append(after)
    return seen


@pytest.mark.parametrize("seed", range(150))
def test_compiled_memory_is_the_reference_memory(seed: int) -> None:
    whole = random_program(Random(seed))
    system = ConcreteSystem(whole)
    states = reached(system)
    assert {system.reference_state(state) for state in states} == explore(whole, ()).states
    race = RaceProperty("races", None)
    checker = PropertyChecker(Interpreter(whole))
    (pattern,) = system.errors([race])
    for state in states:
        found = pattern.violated(state.g, state.locals)
        assert found == checker.violated(race, system.reference_state(state))


def without_heap(random: Random) -> Action:
    while isinstance(action := random_action(random), Allocate | Free):
        pass
    return action


def test_thread_modular_proofs_about_pointers_to_variables_hold() -> None:
    proved = 0
    for seed in range(50):
        random = Random(seed)
        threads = ([without_heap(random) for _ in range(3)] for _ in range(2))
        whole = program(*threads)
        (finding,) = ThreadModularEngine().run(Task(whole, whole.properties))
        racy = "races" in explore(whole, whole.properties).violated
        if isinstance(finding, Proved):
            proved += 1
            assert not racy
            check_certificate(whole, finding.certificate, lambda: None)
    assert 2 < proved < 48


def verdict(whole: Program) -> bool:
    return "races" in explore(whole, whole.properties).violated


@pytest.mark.parametrize("seed", range(60))
def test_simplification_keeps_races_of_programs_with_pointers(seed: int) -> None:
    random = Random(seed)
    draw = random_action if seed % 2 else without_heap
    whole = program(*([draw(random) for _ in range(4)] for _ in range(2)))
    simple = simplified(whole)
    assert validate(simple) == []
    assert verdict(simple) == verdict(whole)


def test_known_pointers_disappear() -> None:
    known: list[Action] = [
        guarded(P, AddressOf(IndexPlace(A, number(1)))),
        guarded(at(P, INT), number(5)),
        guarded(P, AddressOf(IndexPlace(A, number(2)))),
        guarded(X, Read(at(P, INT))),
    ]
    whole = program(known, [set_(X, number(1))])
    simple = simplified(whole)
    assert not uses_memory(simple)
    assert verdict(simple) is verdict(whole) is True


def test_null_is_not_moved() -> None:
    with pytest.raises(Unsupported, match="null pointer"):
        Memory.shift(None, 1)
