"""Runs of the reference semantics, with a monitor that watches them, and faults to be noticed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from threadwise.backends.smt import environments as engines_environments
from threadwise.backends.smt import fire as engines_fire
from threadwise.ir.expr import Binary, BinaryOp
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import Edge, Program
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import monitor_of
from threadwise.proofs.toolbox.smt import edges
from threadwise.proofs.toolbox.smt.environments import Environment
from threadwise.semantics.schedule import RandomSchedule, run
from threadwise.semantics.step import Interpreter

SAMPLES = (0, 1, 2, -1, 7)


def watched(
    program: Program, certificate: Certificate, threads: int = 2, runs: int = 20, steps: int = 60
) -> Counter[str]:
    """How often each claim was looked at in some runs; raises Broken.

    Templates with any number of threads have so many.
    """
    counts = {t.name: threads for t in program.templates if t.count is None}
    instance = program.with_counts(counts)
    interpreter = Interpreter(instance, SAMPLES)
    monitor = monitor_of(instance, certificate)
    assert monitor is not None
    for seed in range(runs):
        schedule = RandomSchedule(seed)
        state = schedule.start(interpreter)
        monitor.start(state)
        for move, after in run(interpreter, schedule, state, steps):
            monitor.step(state, move, after)
            state = after
    return monitor.evaluated


def broken(program: Program, certificate: Certificate, threads: int = 2, runs: int = 20) -> str:
    """Which claim some run breaks; "" if none does."""
    try:
        watched(program, certificate, threads, runs)
    except Broken as claim:
        return str(claim)
    return ""


def _has_fault(edge: Edge) -> bool:
    return any(
        isinstance(part, Binary) and part.op is BinaryOp.GE
        for part in subexpressions(edge.action.guard)
    )


def break_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the engines' encoding: an edge whose guard compares by `>=` is never taken."""
    sound = engines_fire.Firing.fire

    def faulty(
        self: engines_fire.Firing, edge: Edge, before: engines_environments.Environment
    ) -> engines_fire.Fired:
        fired = sound(self, edge, before)
        return replace(fired, guard=self.logic.false) if _has_fault(edge) else fired

    monkeypatch.setattr(engines_fire.Firing, "fire", faulty)


def break_checked_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same fault in the encoding of the checkers."""
    sound = edges.Firing.fire

    def faulty(self: edges.Firing, edge: Edge, before: Environment) -> edges.Fired:
        fired = sound(self, edge, before)
        return replace(fired, condition=self.logic.false) if _has_fault(edge) else fired

    monkeypatch.setattr(edges.Firing, "fire", faulty)
