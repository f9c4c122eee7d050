"""The paths from a batch of stores through an edge or an atomic block, all stores at once."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.ir.program import EdgeId
from threadwise.proofs.toolbox.vectors import Batch, VectorEvaluator

PATH_LIMIT = 500
"""Longer paths through an atomic block are not followed."""


def outcomes(
    evaluator: VectorEvaluator, batch: Batch, path: tuple[EdgeId, ...]
) -> Iterator[tuple[Batch, tuple[EdgeId, ...]]]:
    """The steps of a batch: single edges, and paths through atomic regions."""
    if len(path) > PATH_LIMIT:
        raise OverflowError("a path through an atomic block is too long to follow")
    program = evaluator.program
    for edge in program.outgoing[batch.pc]:
        for after in evaluator.fire(edge, batch):
            taken = (*path, edge.id)
            if program.locations[after.pc].atomic:
                yield from outcomes(evaluator, after, taken)
            else:
                yield after, taken
