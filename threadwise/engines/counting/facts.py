"""The equations of `counting`, offered to other engines.

They are found once per program: a task keeps what was found, and hands it on to the next engine.
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.core.errors import Unsupported
from threadwise.engines.api import Task
from threadwise.engines.counting.invariants import candidates
from threadwise.ir.program import Program
from threadwise.ir.quantities import LinearInvariant
from threadwise.ir.text.printer import program_hash


def counting_facts(program: Program, tick: Callable[[], object]) -> tuple[LinearInvariant, ...]:
    """Linear invariants of a program: every step was seen to keep them, by the checker.

    Raises Unsupported for programs with a heap.
    """
    from threadwise.proofs.counting.check import CountingChecker

    remaining = candidates(program)
    while remaining:
        broken = set(CountingChecker(program, remaining, 1, tick).broken())
        if not broken:
            return remaining
        remaining = tuple(fact for fact in remaining if fact not in broken)
    return ()


def facts_of(task: Task) -> tuple[LinearInvariant, ...]:
    """Linear invariants of a task's program; raises Unsupported for programs with a heap."""
    key = program_hash(task.program)
    if key not in task.facts:
        task.facts[key] = counting_facts(task.program, task.meter.check)
    return task.facts[key]


def useful_facts(task: Task) -> tuple[LinearInvariant, ...]:
    """The same; none where there are none, or if they say nothing about shared cells."""
    try:
        facts = facts_of(task)
    except Unsupported:
        return ()
    return facts if any(fact.is_about_cells for fact in facts) else ()
