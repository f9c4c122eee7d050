"""What evidence rests on besides the program, and what it cannot show."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from threadwise.core.source import Span
from threadwise.evidence.proof import CheckedProof
from threadwise.evidence.trace import Trace
from threadwise.ir.program import FailureKind, Program


def presumed(
    program: Program, proof: CheckedProof, asked: Collection[str], misuse: str | None
) -> Iterator[str]:
    """What a proof rests on that ends where locks are misused, in programs that go on.

    `misuse` says it in words; None if such programs end there. `asked` are the properties that
    others take care of.
    """
    if misuse is None:
        return
    targets = {program.edges[edge].target for edge in proof.taken_edges}
    failures = (program.locations[target].failure for target in targets)
    if any(
        failure is not None and failure.kind is FailureKind.MUTEX and failure.property not in asked
        for failure in failures
    ):
        yield misuse


def doubt_about(program: Program, trace: Trace, approximated: frozenset[Span]) -> str | None:
    """Why a run of the program of record may be none of the source's, if there is a reason."""
    from threadwise.evidence.doubt import doubtful_place

    span = doubtful_place(program, trace, approximated)
    if span is None:
        return None
    place = f"{span.path}:{span.line}"
    return f"{place}: a possible violation depends on a value that is not computed"
