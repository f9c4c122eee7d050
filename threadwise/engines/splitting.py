"""Proofs about the program whose locations are split by the values of local variables.

Threads are counted by location: where a shared number counts threads with a certain local value,
the engine is run on the split program (`threadwise.transforms.split`), if counting finds more
equations there. A proof for it is a proof for the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from threadwise.core.errors import Unsupported
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.counting.facts import facts_of
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.transformed.certificate import SplitLocations, TransformedCertificate

Run = Callable[[Task], Iterator[Finding]]


def with_split_locations(task: Task, on_split: Run, on_program: Run) -> Iterator[Finding]:
    """Run an engine on the split program, if that helps, and on the program for the rest."""
    left = {checked.name: checked for checked in task.properties}
    divided = _worth_splitting(task)
    if divided is not None:
        asked = tuple(checked for checked in divided.properties if checked.name in left)
        for finding in on_split(replace(task, program=divided, properties=asked)):
            lifted = _lifted(task.program, finding)
            if lifted is not None:
                for name in _decided(lifted):
                    del left[name]
                yield lifted
    if left:
        yield from on_program(replace(task, properties=tuple(left.values())))


def _lifted(program: Program, finding: Finding) -> Proved | Violated | None:
    """What a finding says about the program itself."""
    whole = program_hash(program)
    match finding:
        case Proved(names, RepresentativesCertificate() as inner):
            proof = TransformedCertificate(whole, names, (SplitLocations(),), inner)
            return replace(finding, certificate=proof)
        case Violated(trace) if trace.program_hash == whole:
            return finding
        case _:
            return None


def _decided(finding: Proved | Violated) -> tuple[str, ...]:
    match finding:
        case Proved(names):
            return names
        case Violated(trace):
            return (trace.property,)


def _worth_splitting(task: Task) -> Program | None:
    """The split program, if counting says more about it."""
    from threadwise.transforms.split import split

    try:
        divided = split(task.program).program
        before, after = facts_of(task), facts_of(replace(task, program=divided))
    except Unsupported:
        return None
    more = sum(fact.is_about_cells for fact in after) > sum(f.is_about_cells for f in before)
    return divided if more else None
