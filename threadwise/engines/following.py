"""Proofs about one thread with a creation index, for engines that take unbounded data.

Where threads are created, or read their positions, an engine is run on the program that follows
one thread κ of each such template (`threadwise.transforms.follow`): first with the claim that what
is passed to a thread is its creation index, then without. A proof for it is a proof for the
program, however many threads are created. What is left is for the program as it is, with its
bounds. A violation of the program that follows is none of the program; one of the program itself
is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from threadwise.analyses.components import components
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.ir.commands import OperationKind
from threadwise.ir.program import Procedure, Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.transformed.certificate import Follow, TransformedCertificate

if TYPE_CHECKING:
    from threadwise.transforms.follow import Followed, Following

Run = Callable[[Task], Iterator[Finding]]


def with_creation_index(
    task: Task, on_followed: Run, on_program: Run, *, followed_first: bool = True
) -> Iterator[Finding]:
    """Run an engine on what follows a thread and on the program itself, for what is left."""
    left = {checked.name: checked for checked in task.properties}
    runs = [on_program, _on_followed(on_followed)]
    reasons: dict[str, Undecided] = {}
    refused: Unsupported | None = None
    for run in reversed(runs) if followed_first else runs:
        if not left:
            return
        try:
            for finding in run(replace(task, properties=tuple(left.values()))):
                match finding:
                    case Proved(names):
                        for name in names:
                            del left[name]
                        yield finding
                    case Violated(trace):
                        left.pop(trace.property, None)
                        yield finding
                    case Undecided(names):
                        reasons.update((name, finding) for name in names)
        except Unsupported as error:
            refused = refused or error
    if refused is not None and not reasons:
        raise refused
    for name in left:
        if name in reasons:
            yield replace(reasons[name], properties=(name,))


def starts_in_loops(program: Program) -> bool:
    """Whether more threads may be started than the text shows, or threads know their positions."""
    from threadwise.transforms.follow import followable

    pools = {template.name for template in program.templates if template.pool}
    if not pools or not pools.issuperset(followable(program)):
        return True
    return any(_starts_in_a_loop(program, procedure) for procedure in program.procedures)


def passes_indices(program: Program) -> bool:
    """Whether created threads get numbers, by which they may select cells of shared arrays."""
    from threadwise.transforms.follow import followable, suggested

    shared = {declared.variable.name for declared in program.globals}
    ways = (suggested(program, name, claiming=True) for name in followable(program))
    return any(way.claims and not shared.isdisjoint(way.arrays) for way in ways)


def _starts_in_a_loop(program: Program, procedure: Procedure) -> bool:
    after = {
        here.id: [e.target for e in program.outgoing[here.id]] for here in procedure.locations
    }
    loops = [set(part) for part in components(after)]
    return any(
        edge.source in loop and edge.target in loop
        for edge in procedure.edges
        if edge.operation is not None and edge.operation.kind is OperationKind.SPAWN
        for loop in loops
    )


def _on_followed(run: Run) -> Run:
    def followed_run(task: Task) -> Iterator[Finding]:
        left = {checked.name for checked in task.properties}
        whole = program_hash(task.program)
        for followings, followed in _ways(task.program):
            kept = tuple(p for p in followed.program.properties if p.name in left)
            if not kept:
                return
            for finding in run(replace(task, program=followed.program, properties=kept)):
                if isinstance(finding, Proved) and isinstance(
                    finding.certificate, RepresentativesCertificate
                ):
                    left -= set(finding.properties)
                    yield replace(finding, certificate=_lifted(task.program, followings, finding))
                elif isinstance(finding, Violated) and finding.trace.program_hash == whole:
                    left.discard(finding.trace.property)
                    yield finding

    return followed_run


def _lifted(
    program: Program, followings: tuple[Following, ...], proof: Proved
) -> TransformedCertificate:
    names = proof.properties
    steps = (Follow(followings),)
    return TransformedCertificate(program_hash(program), names, steps, proof.certificate)


def _ways(program: Program) -> Iterator[tuple[tuple[Following, ...], Followed]]:
    """What can be followed, most promising first."""
    from threadwise.transforms.follow import follow_all, followable, suggested

    names = followable(program)
    if not names:
        return
    tried: list[tuple[Following, ...]] = []
    for claiming in (True, False):
        followings = _one_each(suggested(program, name, claiming=claiming) for name in names)
        if followings in tried:
            continue
        tried.append(followings)
        try:
            yield followings, follow_all(program, followings)
        except Unsupported:
            continue


def _one_each(followings: Iterable[Following]) -> tuple[Following, ...]:
    """No array is followed twice: after the first time it is none."""
    found: list[Following] = []
    followed: set[str] = set()
    for following in followings:
        arrays = tuple(name for name in following.arrays if name not in followed)
        followed.update(arrays)
        found.append(replace(following, arrays=arrays))
    return tuple(found)
