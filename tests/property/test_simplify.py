"""Simplified programs violate what the original ones violate, on random programs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.property.comparison import load, program_of
from tests.property.mixed_programs import mixed_program_of
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, InputError
from threadwise.engines.api import Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty, InvariantProperty, RaceProperty
from threadwise.transforms.pipeline import simplified
from threadwise.transforms.simplify.constants import put_in_constants
from threadwise.transforms.simplify.dead_values import forget_dead_values
from threadwise.transforms.simplify.dead_writes import drop_dead_writes
from threadwise.transforms.simplify.silent_steps import hide_silent_steps

CI = 20
CI_MIXED = 10
NIGHTLY = 3000
STEPS = 4000
DEADLOCK = {"every deadlock"}


def plain_program(seed: int) -> Program:
    """A random program without invariants, and with every other kind of property."""
    return plain(load(program_of(seed)))


def plain(program: Program) -> Program:
    """A program without its invariants, and with every other kind of property."""
    kinds = [p for p in program.properties if not isinstance(p, InvariantProperty)]
    kinds = [p for p in kinds if not isinstance(p, RaceProperty | DeadlockProperty)]
    extra = (RaceProperty("every race", None), DeadlockProperty("every deadlock"))
    return replace(program, properties=(*kinds, *extra))


def violated(program: Program) -> tuple[set[str], int] | None:
    task = Task(program, program.properties, meter=Meter(Budget(steps=STEPS)))
    try:
        findings = list(ExplicitEngine().run(task))
    except BudgetExhausted:
        return None
    names = {f.trace.property for f in findings if isinstance(f, Violated)}
    return names, len(findings)


def compare(seed: int, write: Callable[[int], str] = program_of) -> bool:
    """Whether the program was small enough to compare; asserts that all forms agree."""
    try:
        original = plain(load(write(seed)))
    except InputError:  # a few of the texts recurse inside an atomic block
        return False
    simple = put_in_constants(original)
    simple = hide_silent_steps(forget_dead_values(drop_dead_writes(simple)))
    simplest = simplified(original)
    assert validate(simple) == validate(simplest) == []
    if original.has_any_number:
        return False
    before = violated(original)
    if before is None:
        return False
    for form in (simple, simplest):
        after = violated(form)
        assert after is not None
        # a helper that can never run is gone in a simplified program (docs/theory/deadlocks.md)
        assert after[0] - DEADLOCK == before[0] - DEADLOCK, write(seed)
        assert after[0] >= before[0], write(seed)
    return True


def test_a_sample() -> None:
    assert sum(compare(seed) for seed in range(CI)) > CI // 3


def test_threads_that_loop_and_call() -> None:
    """A loop that nobody notices keeps a step, or the others would never get their turn."""
    assert sum(compare(seed, mixed_program_of) for seed in range(CI_MIXED)) > CI_MIXED // 3


@pytest.mark.slow
def test_many() -> None:
    assert sum(compare(seed) for seed in range(CI, NIGHTLY)) > NIGHTLY // 3


@pytest.mark.slow
def test_many_that_loop_and_call() -> None:
    assert sum(compare(seed, mixed_program_of) for seed in range(CI_MIXED, NIGHTLY)) > NIGHTLY // 3
