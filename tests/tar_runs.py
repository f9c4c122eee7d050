"""Runs of the refinement engines, all evidence checked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.driver.selection import select_properties
from threadwise.engines.api import Engine, Proved, Task, Undecided, Violated
from threadwise.ir.program import Program
from threadwise.proofs.base.registry import check_certificate
from threadwise.traces.replay import replay


@dataclass
class Run:
    """What an engine said."""

    safe: set[str] = field(default_factory=set)
    unsafe: set[str] = field(default_factory=set)
    reasons: dict[str, str] = field(default_factory=dict)
    explanations: dict[str, Sequence[str]] = field(default_factory=dict)
    details: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    ended: bool = False

    @property
    def predicates(self) -> list[str]:
        """The predicates of the last iteration."""
        last = [line for line in self.details if line.startswith("    predicates: ")][-1]
        return last.removeprefix("    predicates: ").split(", ")


def run_tar(
    engine: Engine, program: Program, selectors: Sequence[str] = (), steps: int | None = None
) -> Run:
    """Run an engine on a program; its traces are replayed, its certificates checked."""
    chosen = select_properties(program, selectors)
    task = Task(program, chosen, meter=Meter(Budget(steps=steps)))
    run = Run(details=task.details, notes=task.notes)
    with suppress(Unsupported, BudgetExhausted):
        for finding in engine.run(task):
            match finding:
                case Proved(names, certificate):
                    check_certificate(program, certificate, lambda: None)
                    run.safe |= set(names)
                case Violated(trace):
                    replay(program, trace)
                    run.unsafe.add(trace.property)
                case Undecided(names, reason, _, explanation):
                    run.reasons.update(dict.fromkeys(names, reason))
                    run.explanations.update(dict.fromkeys(names, explanation))
        run.ended = True
    return run
