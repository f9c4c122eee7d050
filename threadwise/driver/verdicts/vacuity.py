"""Vacuity: the statements that a proof shows to be unreachable.

A property that holds because nothing ever happens is worth a warning beside SAFE.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from threadwise.core.source import Span
from threadwise.ir.commands import OperationKind
from threadwise.ir.program import Edge, LocId, Program
from threadwise.proofs.base.answer import CheckedProof
from threadwise.results.result import Unreached


def unreached_statements(
    program: Program, proof: CheckedProof, seen: Collection[Span] = ()
) -> tuple[Unreached, ...]:
    """The statements none of whose locations is reached, in source order.

    A statement may stand at several locations (it was inlined, or offered by an `either`); it
    counts as reached if one of them is. Locations inside atomic regions count through their edges.
    In a simplified program there may be no more of a statement than the branch that is never
    taken: what runs of the program of record have seen is reached.
    """
    reached = set(seen)
    statements: dict[Span, Edge] = {}
    for edge in program.edges:
        if edge.span is None:
            continue
        statements.setdefault(edge.span, edge)
        if edge.source in proof.visited_locations or edge.id in proof.taken_edges:
            reached.add(edge.span)
    return tuple(
        Unreached(span, edge.text, _is_assertion(edge))
        for span, edge in sorted(statements.items(), key=lambda item: item[0])
        if span not in reached
    )


def seen_statements(record: Program, seen: Collection[LocId]) -> Iterator[Span]:
    """The statements at locations of the program of record."""
    for edge in record.edges:
        if edge.span is not None and edge.source in seen:
            yield edge.span


def _is_assertion(edge: Edge) -> bool:
    return edge.operation is not None and edge.operation.kind is OperationKind.ASSERT
