"""Engines that know nothing of memory, on programs with pointers and a heap.

They are run on the program whose objects are variables (`threadwise.transforms.memory`), and which
is simplified again. A proof for that is a proof for the program, behind these passes; a violation
is carried back, and counts if the program violates the property, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from threadwise.core.errors import Unsupported
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.ir.fold import uses_memory
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.transformed.certificate import RESOLVED, Simplify, behind

if TYPE_CHECKING:
    from threadwise.transforms.pipeline import Simplified

Run = Callable[[Task], Iterator[Finding]]

AGAIN = (
    RESOLVED,
    "constants",
    "records",
    "first steps",
    "constants",
    "bounds",
    "constants",
    "unused",
    "unmentioned",
    "silent steps",
    "joined statements",
    "threaded jumps",
    "unmentioned",
    "dead values",
)
"""The passes that lead to the program without pointers."""

INDICES = ("element pointers", *AGAIN[1:])
"""The same where pointers lead to elements of one array: of any size, and indices stay such."""

MADE = "resolved"
SPURIOUS = "what was found in the program without pointers is no run of the program"


def is_resolvable(program: Program) -> bool:
    """Whether there is a program without pointers, for one that uses memory."""
    from threadwise.transforms.memory import resolve_memory
    from threadwise.transforms.simplify.element_pointers import pointers_to_indices

    try:
        if pointers_to_indices(program) is program:
            resolve_memory(program)
    except Unsupported:
        return False
    return True


def with_resolved_memory(task: Task, run: Run, *, whole: bool = False) -> Iterator[Finding]:
    """Run an engine on the program without pointers, if the program has some.

    Where that cannot be, `whole` says whether the engine can work on the program as it is.
    """
    if not uses_memory(task.program):
        yield from run(task)
        return
    kept = tuple(p for p in task.properties if isinstance(p, RaceProperty | FailureProperty))
    try:
        simpler = resolved(task)
    except Unsupported:
        if not whole:
            raise
        yield from run(task)
        return
    left = tuple(p for p in task.properties if p not in kept)
    if left:
        reason = "without pointers, only races and failures are kept"
        yield Undecided(tuple(p.name for p in left), reason, applies=False)
    if kept:
        inside = replace(task, program=simpler.program, properties=kept, goals={})
        yield from _carried(task, simpler, run(inside))


def resolved(task: Task) -> Simplified:
    """The program without pointers, and the passes to it; raises Unsupported."""
    from threadwise.transforms.pipeline import Simplified, simplify

    known = task.program.found.get(MADE)
    if isinstance(known, Simplified):
        return known
    simpler = simplify(task.program, accepts=task.accepts, passes=INDICES)
    if simpler.names[:1] != INDICES[:1]:
        simpler = simplify(task.program, accepts=task.accepts, passes=AGAIN)
    if RESOLVED in simpler.refused:
        raise Unsupported("a program without pointers that is not verified")
    task.program.found[MADE] = simpler
    return simpler


def _carried(task: Task, simpler: Simplified, findings: Iterator[Finding]) -> Iterator[Finding]:
    """Findings about the program without pointers, as such about the program."""
    about = program_hash(task.program)
    steps = tuple(map(Simplify, simpler.names))
    for finding in findings:
        match finding:
            case Proved(names, certificate):
                yield Proved(names, behind(steps, about, certificate))
            case Violated(trace):
                from threadwise.traces.lift import lifted
                from threadwise.traces.replay import ReplayFailure

                try:
                    yield Violated(lifted(simpler, trace))
                except ReplayFailure:
                    yield Undecided((trace.property,), SPURIOUS)
            case _:
                yield replace(finding, certificate=None, goals=())
