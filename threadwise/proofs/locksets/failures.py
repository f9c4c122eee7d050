"""Where a proof by locksets may not lead.

What has no meaning in C is assumed not to happen where it may happen or not. Where nothing else
can happen, as far as a thread knows there (it follows a null pointer, or one that nobody ever
wrote; an index is beyond the array, a divisor zero), the assumption would say that the place is
never reached, and so is no code behind it: of many programs that is not true, and a proof that
needs it is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from threadwise.ir.program import Failure, FailureKind, LocId, Program
from threadwise.proofs.locksets.guards import Guards
from threadwise.proofs.locksets.knowledge import Knowledge

LIMITS = FailureKind.LIMIT, FailureKind.OPEN, FailureKind.CELLS
ENDS = FailureKind.UNDEFINED, FailureKind.MEMORY, *LIMITS


def end_of_model(
    program: Program, reached: Mapping[LocId, Sequence[Knowledge]], guards: Guards
) -> str | None:
    """The first limit among what is reached, or the first place from which nothing else leads."""
    for location, everything in reached.items():
        failure = program.locations[location].failure
        if failure is not None and failure.kind in LIMITS:
            return failure.message
        edges = program.outgoing[location]
        failures = [program.locations[edge.target].failure for edge in edges]
        if not any(map(_has_no_meaning, failures)):
            continue
        name = program.procedure_of[location].name
        for knowledge in everything:
            ends = [
                failure
                for edge, failure in zip(edges, failures, strict=True)
                if any(guards.passing(edge, knowledge, name))
            ]
            if all(end is not None and end.kind in ENDS for end in ends):
                for end in filter(_has_no_meaning, ends):
                    assert end is not None
                    return end.message
    return None


def _has_no_meaning(failure: Failure | None) -> bool:
    return failure is not None and failure.kind.has_no_meaning
