"""What evidence rests on besides the program, and what it cannot show."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from threadwise.core.source import Span
from threadwise.driver.verdicts.misuse import known_misuse, misuses
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof
from threadwise.semantics.state import Cells, Move
from threadwise.traces.trace import Trace

NO_OTHER_RACE = "no undecided pair of accesses races: behaviour after a data race is undefined"
"""What a proof of some locations rests on beside others that are undecided."""

LEAVES_ARRAY = "a pointer leaves its array, which C gives no meaning"

OTHER_BYTES = "two threads use parts of a union that may be different bytes, which is not modelled"


def presumed(
    record: Program, proof: CheckedProof, misuse: str | None, proved: Collection[str] = ()
) -> Iterator[str]:
    """What a proof rests on besides the program.

    Some locations are proved in interleavings, which is what a program does in front of its first
    race. Locks that are misused end the model, in programs that go on: `misuse` says it in words;
    None if such programs end there. `proved` are the properties that are known to hold.
    """
    if proof.partial:
        yield NO_OTHER_RACE
    if misuse is not None and any(misuses(*proof.closest(record), frozenset(proved))):
        yield misuse


def doubt_about(program: Program, trace: Trace, approximated: frozenset[Span]) -> str | None:
    """Why a run of the program of record may be none of the source's, if there is a reason."""
    from threadwise.driver.verdicts.union_members import other_bytes
    from threadwise.traces.doubt import doubtful_place

    span = other_bytes(program, trace)
    if span is not None:
        return f"{span.path}:{span.line}: {OTHER_BYTES}"
    left = beyond_arrays(program, trace.counts, trace.initial, trace.moves)
    if left is not None:
        return left
    span = doubtful_place(program, trace, approximated)
    if span is None:
        return None
    place = f"{span.path}:{span.line}"
    text = next((edge.text for edge in program.edges if edge.span == span), "")
    value = f"a value that is not computed: {text}" if text else "a value that is not computed"
    return f"{place}: a possible violation depends on {value}"


def beyond_arrays(
    program: Program, counts: Mapping[str, int], initial: Cells, moves: tuple[Move, ...]
) -> str | None:
    """Where a run has left the memory that C lets it use, if it has."""
    from threadwise.traces.arrays_left import array_left

    span = array_left(program.with_counts(counts), initial, moves)
    return None if span is None else f"{span.path}:{span.line}: {LEAVES_ARRAY}"


def hidden_by_misuse(record: Program, proof: CheckedProof, misuse: str | None) -> str | None:
    """Why a proof says nothing about what is behind a statement, if there is a reason."""
    program, closest = proof.closest(record)
    edge = None if misuse is None else known_misuse(program, closest)
    if edge is None:
        return None
    failure = program.locations[edge.target].failure
    assert failure is not None
    where = "" if edge.span is None else f"{edge.span.path}:{edge.span.line}: "
    asked = f" (see {failure.property})" if failure.property else ""
    return f"{where}{failure.message}, and what comes next is not known{asked}"
