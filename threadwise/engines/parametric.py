"""Proofs about parametric abstractions: created threads as any number of identical threads.

Where threads are created in loops, an engine is first run on the program whose created threads are
a parametric template (`threadwise.transforms.parametric`). A proof for it is a proof
for the program, however many threads are created; a violation of it may be spurious.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from threadwise.core.errors import Unsupported
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.counting.facts import facts_of
from threadwise.engines.following import starts_in_loops
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.transformed.certificate import (
    MOST_CREATED,
    Parametrise,
    TransformedCertificate,
)

if TYPE_CHECKING:
    from threadwise.transforms.parametric import Most

Run = Callable[[Task], Iterator[Finding]]


def with_parametric(
    task: Task,
    on_parametric: Run,
    on_program: Run,
    *,
    without_loops: bool = False,
    counting: bool = True,
) -> Iterator[Finding]:
    """Run an engine on the abstraction, if there is one, and another on the program for the rest.

    There is one where threads are created in loops, or anyhow if it may be `without_loops`; and
    perhaps a second one, of which `counting` says more.
    """
    left = {checked.name: checked for checked in task.properties}
    whole = program_hash(task.program)
    programs = _programs(task, without_loops=without_loops)
    for step, parametric in programs if counting else islice(programs, 1):
        asked = tuple(checked for checked in parametric.properties if checked.name in left)
        if not asked:
            break
        for finding in on_parametric(replace(task, program=parametric, properties=asked)):
            match finding:
                case Proved(names, inner):
                    proof = TransformedCertificate(whole, names, (step,), inner)
                    for name in names:
                        del left[name]
                    yield replace(finding, certificate=proof)
                case Violated(trace) if trace.program_hash == whole:
                    left.pop(trace.property, None)
                    yield finding
                case _:
                    pass
    if left:
        yield from on_program(replace(task, properties=tuple(left.values())))


def _programs(task: Task, *, without_loops: bool) -> Iterator[tuple[Parametrise, Program]]:
    """The parametric abstraction; and, where counting says more of it then, the one in which
    numbers of threads do not wrap around, since so many are never created."""
    program = task.program
    looping = starts_in_loops(program)
    if not without_loops and not looping:
        return
    most = most_created(program)
    parametric = parametric_or_none(program, most)
    if parametric is None:
        return
    yield Parametrise(most), parametric
    known = {name for name, _ in most}
    assumed = tuple(t.name for t in program.templates if t.pool and t.name not in known)
    if not looping or not assumed:
        return
    more = (*most, *((name, MOST_CREATED) for name in assumed))
    limited = parametric_or_none(program, more)
    if limited is not None and _facts(task, limited) > _facts(task, parametric):
        yield Parametrise(more, assumed), limited


def _facts(task: Task, program: Program) -> int:
    """How many equations about shared cells counting finds."""
    try:
        return sum(fact.is_about_cells for fact in facts_of(replace(task, program=program)))
    except Unsupported:
        return 0


def most_created(program: Program) -> Most:
    """How many threads of its pools a program creates at most, where that is known."""
    from threadwise.transforms.parametric.creations import creations

    return tuple((name, found.most) for name, found in creations(program).items())


def parametric_or_none(program: Program, most: Most) -> Program | None:
    """The parametric abstraction of a program that creates threads."""
    from threadwise.transforms.parametric import parametrise

    if not any(template.pool for template in program.templates):
        return None
    try:
        return parametrise(program, most)
    except Unsupported:
        return None
