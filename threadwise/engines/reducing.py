"""Proofs about the program whose critical sections are single steps.

Where locks are used, an engine is run on that program (`threadwise.transforms.reduce`) first,
simplified again: there are fewer locations, and nothing is said about values half-way. A proof
that it has no failures is one for the program. What is left is for the program as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from threadwise.core.errors import Unsupported
from threadwise.engines.api import Finding, Proved, Task
from threadwise.ir.properties import FailureProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.transformed.certificate import Reduce, Simplify, Step, behind

Run = Callable[[Task], Iterator[Finding]]

AGAIN = ("temporaries", "silent steps", "joined statements", "threaded jumps", "dead values")
"""The passes after which steps that became one are one edge, where they can be."""


def with_whole_sections(task: Task, run: Run) -> Iterator[Finding]:
    """Run an engine on the program with whole sections, and on the program for the rest."""
    left = {checked.name: checked for checked in task.properties}
    for proved in _proofs(task, run):
        for name in proved.properties:
            del left[name]
        yield proved
    if left:
        yield from run(replace(task, properties=tuple(left.values())))


def _proofs(task: Task, run: Run) -> Iterator[Proved]:
    """What is proved of the program with whole critical sections."""
    from threadwise.transforms.pipeline import simplify
    from threadwise.transforms.reduce import reduce

    asked = tuple(p for p in task.properties if isinstance(p, FailureProperty))
    if not asked:
        return
    try:
        reduced = reduce(task.program).program
        simpler = simplify(reduced, accepts=task.accepts, passes=AGAIN)
        steps: tuple[Step, ...] = (Reduce(), *map(Simplify, simpler.names))
        inside = replace(task, program=simpler.program, properties=asked, goals={})
        for finding in run(inside):
            if isinstance(finding, Proved):
                whole = behind(steps, program_hash(task.program), finding.certificate)
                yield replace(finding, certificate=whole)
    except Unsupported:
        return
